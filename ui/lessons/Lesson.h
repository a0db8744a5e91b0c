#pragma once

#include "base/Result.h"
#include "charts/Curve.h"
#include "runs/RunRecord.h"

#include <QString>

#include <string>
#include <variant>
#include <vector>

namespace appa::ui {

enum class LessonView { Curves, Sensitivity, Stages, Landscape, Theory, Log };

// What a step does. A run is known by its name.
namespace lesson {

struct SetProblem
{
    ProblemSpec spec;
};
struct NewRun
{
    std::string run;
    RunSpec spec;
};
/// To the end of that stage; 0: until it is stopped.
struct Go
{
    std::string run;
    Index stage = 0;
};
struct Change
{
    std::string run;
    ParamSet values;
};
struct Switch
{
    std::string run;
    std::string method;
    std::string inner;
};
struct Fork
{
    std::string run;
    std::string as;
};
struct Hide
{
    std::string run;
};
struct Show
{
    LessonView view;
};
struct UseAxis
{
    XAxis axis;
};
struct SetSpeed
{
    double stagesPerSecond = 0; ///< 0: as fast as it goes
};
/// What the text says of the runs when they have come to their ends. The window takes no notice; a lesson that is not
/// true fails the tests.
struct Expect
{
    enum class Kind { ExcessBelow, ExcessAbove, ErrorBelow, ErrorAbove, Diverges };

    std::string run;
    Kind kind = Kind::Diverges;
    double bound = 0;
    std::string than; ///< the bound is so many times this run's; "": a number
};

} // namespace lesson

using LessonCommand =
    std::variant<lesson::SetProblem, lesson::NewRun, lesson::Go, lesson::Change, lesson::Switch, lesson::Fork,
                 lesson::Hide, lesson::Show, lesson::UseAxis, lesson::SetSpeed, lesson::Expect>;

struct LessonStep
{
    QString title;
    QString text; ///< Markdown
    std::vector<LessonCommand> commands;
};

/// A demonstration in steps, each a text and what the window does with it.
struct Lesson
{
    QString title;
    QString about; ///< Markdown
    std::vector<LessonStep> steps;
};

/// A lesson's file is Markdown: "# title", what it is about, and for each step "## title", its text, and fenced by
/// ```do and ``` its commands, one a line:
///
///     problem DATA [transforms=LIST] [loss=ID] [ridge=NUMBER]
///     new RUN: METHOD[:INNER] [key=value ..] [seed=NUMBER]
///     go RUN[: STAGE]
///     set RUN: key=value ..
///     switch RUN: METHOD[:INNER]
///     fork RUN: NEW RUN
///     hide RUN
///     show curves|sensitivity|stages|landscape|theory|log
///     axis passes|stages|accesses|seconds
///     speed STAGES PER SECOND|full
///     expect RUN: excess|error <|> NUMBER [RUN], or expect RUN: diverged
///
/// The error names the line and what was expected there.
Result<Lesson> parseLesson(const std::string &text, const std::string &file);

} // namespace appa::ui
