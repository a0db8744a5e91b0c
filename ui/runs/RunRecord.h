#pragma once

#include "charts/StageView.h"
#include "data/Recipe.h"
#include "problem/Optimum.h"
#include "run/Runner.h"

#include <QPointF>
#include <QString>

#include <chrono>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <vector>

namespace appa::ui {

/// What a problem is made from: the window's left panel, the command line's PROBLEM options.
struct ProblemSpec
{
    DataRecipe recipe;
    std::string loss = "squared";
    double ridge = 0;

    bool operator==(const ProblemSpec &) const = default;
};

/// A problem in the window and what has been found out about it so far. Filled in piece by piece on the window's
/// thread.
struct ProblemState
{
    ProblemSpec spec;
    ProblemPtr problem; ///< null: only the curves are known (a session whose data is not there)
    QString title;      ///< "mnist-6k, squared loss"
    std::optional<Optimum> optimum;
    QString optimumNote; ///< why there is no optimum (yet), or what is wrong with it: shown with the excess loss
    std::optional<Constants> constants;
    std::map<double, double> floors; ///< lambda -> ls(lambda)
    Index knownRows = 1;             ///< n, where the data itself is not here
    double columnRatio = 1;          ///< a file's dense columns: the largest one's norm to the smallest one's

    Index rows() const { return problem ? problem->n() : knownRows; }
};
using ProblemStatePtr = std::shared_ptr<ProblemState>;

/// A run as the window knows it: the Runner's updates put together. Views only read it.
struct RunRecord
{
    RunId id = 0;
    QString name;
    int colour = 0; ///< index into the theme's palette
    bool visible = true;
    ProblemStatePtr problem;
    RunSpec spec; ///< what it starts with
    StopRules stop;
    int measuresPerPass = 0;
    ParamSet pending; ///< restart parameters changed meanwhile: taken up by Restart

    RunStatus status = RunStatus::Ready;
    bool stopped = false; ///< paused by Stop: the user is done with it
    bool live = false;    ///< the Runner has it (false: read from a session, or being prepared)
    RunId engine = 0;     ///< its id there: a run that is prepared anew gets a new one
    QString message;
    std::string method; ///< in effect
    std::string inner;
    ParamSet effective;
    Index stage = 0;
    Cost cost;
    double seconds = 0;
    bool learning = false;   ///< the method waits for numbers of the problem
    bool catchingUp = false; ///< opened, or taken back: it is being computed again up to its last point
    bool done = false;       ///< the method has nothing left to do
    Trace trace;
    std::vector<StageRow> stages; ///< the finished ones, in order
    Vector lastCentre;
    std::vector<QPointF> path;     ///< d = 2 only: the iterates,
    std::vector<Index> pathTicks;  ///< the tick after which each was,
    std::vector<QPointF> centres;  ///< the centres,
    std::vector<std::size_t> ends; ///< and where in `path` the stages ended
    std::size_t takenBack = 0;     ///< how often some of the stages or of the path were: what is shown is not its past
    RunId forkedFrom = 0;
    Index forkedAt = 0;
    bool unborn = false;                           ///< a fork whose past has not come from the Runner yet
    std::size_t sharedEvents = 0;                  ///< a fork's: made before it, and marked at its parent
    std::chrono::steady_clock::time_point shown{}; ///< when its counters last were

    bool isRunning() const { return status == RunStatus::Running; }
    bool hasEnded() const
    {
        return status == RunStatus::Finished || status == RunStatus::Diverged || status == RunStatus::Failed;
    }
    bool hasStarted() const { return trace.points.size() > 1 || cost.ticks > 0; }
    /// A result, also where its first stage diverged and it is back at its start.
    bool isWorthKeeping() const { return hasStarted() || status == RunStatus::Diverged; }
    const TracePoint *lastPoint() const { return trace.points.empty() ? nullptr : &trace.points.back(); }
    /// The stage it is at, or will be again when it is recomputed.
    Index reached() const { return catchingUp && lastPoint() ? lastPoint()->stage : stage; }
    Index n() const { return problem ? problem->rows() : 1; }
};

/// loss - F_opt of the run's own problem; unknown until there is an F_opt.
double excessOf(const RunRecord &run, double loss);
/// Lower than F_opt can be, given its certificate: F_opt is not the minimum.
bool isBelowOptimum(const RunRecord &run, double loss);
QString belowOptimumMeaning(const RunRecord &run, double loss);
/// Accesses / n.
double passesOf(const RunRecord &run, const Cost &cost, bool countFull = true);
QString methodLabel(const std::string &id);
MethodFamily familyOf(const std::string &method);
/// Where the method is not beside it, a run that nobody gave a name has it in its own: "run 4, SDCA".
QString shownName(const RunRecord &run);
QString innerLabel(const std::string &id);
QString lossLabel(const std::string &id);
LambdaMeaning lambdaMeaning(const std::string &method); ///< Unused, if there is no such method
/// Whose gap the run's duality gap is: that of the stage's subproblem, or of the regularized problem. It is never F's.
/// Unknown for methods without a dual, and right after a switch: the last one measured is the other method's.
double gapOf(const RunRecord &run);
QString gapLabel(const RunRecord &run);
QString gapMeaning(const RunRecord &run);
/// How many changes two runs have in common, from the beginning on: the past of a fork.
std::size_t sharedChanges(std::span<const RunEvent> a, std::span<const RunEvent> b);
/// "Running", "Diverged", ...
QString statusText(const RunRecord &run);

} // namespace appa::ui
