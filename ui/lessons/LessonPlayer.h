#pragma once

#include "RunController.h"
#include "lessons/Lesson.h"

#include <QObject>

#include <deque>
#include <map>
#include <optional>
#include <set>

namespace appa::ui {

/// Goes through a lesson: each step's commands, in order, as if a person gave them. Its runs are runs like any others.
///
/// A command about a run that is on its way to a stage waits until it has arrived there, so that the lesson comes out
/// the same however long it takes; one about anything else does not.
class LessonPlayer final : public QObject
{
    Q_OBJECT
public:
    explicit LessonPlayer(RunController &controller, QObject *parent = nullptr);

    void begin(Lesson lesson); ///< with its first step
    void next();               ///< the next step; what still waits is made to hurry, and goes before
    void back();               ///< shows the step before again; nothing is undone
    void again();              ///< from the start, without the runs it has made so far
    void leave();              ///< its runs stay

    const Lesson *lesson() const { return m_lesson ? &*m_lesson : nullptr; }
    int step() const { return m_step; } ///< that is shown, from 0
    bool isLast() const { return m_lesson && m_step + 1 == static_cast<int>(m_lesson->steps.size()); }
    bool isBusy() const { return !m_queue.empty(); } ///< a command waits
    bool isSettled() const;                          ///< all is done, and every run where it was to go
    /// Why the next command waits; "" if it does not.
    QString waitsFor() const;
    RunId runOf(const std::string &name) const;                  ///< 0 if it is not there (any more)
    bool hasMade(RunId id) const { return m_made.contains(id); } ///< for this lesson or one before
    /// The claims of the steps so far.
    const std::vector<lesson::Expect> &claims() const { return m_claims; }

signals:
    void changed(); ///< anything there is to show
    void viewAsked(appa::ui::LessonView view);
    void axisAsked(appa::ui::XAxis axis);
    void speedAsked(double stagesPerSecond);
    void runChosen(int id);
    void said(const QString &sentence);
    void failed(const QString &sentence); ///< and it has ended

private:
    /// Where a run was told to go, and how it was then: until that changes the news has not come.
    struct Target
    {
        Index stage = 0;
        Index from = 0;
        RunStatus status = RunStatus::Ready;
    };

    void enter(int step);
    void showAgain(const LessonStep &step);
    void takeProblem();
    ProblemStatePtr problemOf(const ProblemSpec &spec) const;
    void hurry();
    void advance();
    /// Whether the command has been carried out, or has to wait.
    bool tryOut(const LessonCommand &command);
    bool isOnItsWay(const std::string &name) const;
    void adopt(const std::string &name, RunId id);
    void removeStandIn();
    /// 0, and a word about it, if it is gone.
    RunId runFor(const std::string &name);
    void fail(const QString &sentence);
    void backToOwnSpeed();

    RunController &m_controller;
    std::optional<Lesson> m_lesson;
    int m_step = 0;
    int m_reached = -1; ///< the last step whose commands have been queued
    std::deque<LessonCommand> m_queue;
    bool m_advancing = false;
    std::optional<ProblemSpec> m_asked; ///< a problem that is being loaded, or was and has been given up
    ProblemStatePtr m_problem;          ///< the lesson's, whatever the user looks at
    std::map<std::string, RunId> m_runs;
    std::set<RunId> m_made; ///< also those of lessons that were left: their settings are nobody's choice
    std::map<std::string, Target> m_targets; ///< of its runs, also of one that is restarted on its way
    std::optional<double> m_rate;            ///< the speed to come back to after a hurry
    std::vector<lesson::Expect> m_claims;
};

} // namespace appa::ui
