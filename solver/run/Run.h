#pragma once

#include "run/Engine.h"
#include "run/Measuring.h"
#include "run/Status.h"
#include "run/Trace.h"

#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace appa {

/// When a run ends by itself; 0: never for that reason. Stages, gap and excess are looked at where the run is measured,
/// passes after every tick, seconds after every slice.
struct StopRules
{
    Index stages = 20;
    double passes = 0;
    double seconds = 0;
    double excessBelow = 0;
    double gapBelow = 0;
    bool operator==(const StopRules &) const = default;
};

/// A steppable session of one method on one problem: deterministic, and without a thread of its own.
/// The Runner drives it in slices; the command line and the tests may drive it directly.
///
/// Where it is measured depends on the ticks alone: at every stage's end, `measuresPerPass` times per pass inside
/// stages, and where a change interrupts a stage (which then counts as a stage). With an executor the measurements are
/// made elsewhere from a snapshot while the solver goes on, at most one behind; if one of them ends the run, the run
/// returns to the place it was taken at, so that the trace is the same as without.
class Run
{
public:
    static Result<std::unique_ptr<Run>> create(ProblemPtr problem, RunSpec spec, StopRules stop = {},
                                               int measuresPerPass = 0);
    /// With a method that is not in the registry; `method` must outlive the run.
    static Result<std::unique_ptr<Run>> create(ProblemPtr problem, const MethodInfo &method, RunSpec spec,
                                               StopRules stop = {}, int measuresPerPass = 0);
    /// A run as it was saved: at the last point of `history`, up to which it is re-executed (not measured) first;
    /// paused there, unless it had finished or diverged.
    static Result<std::unique_ptr<Run>> restore(ProblemPtr problem, RunSpec spec, StopRules stop, int measuresPerPass,
                                                Trace history, RunStatus status = RunStatus::Paused,
                                                std::string message = {});
    ~Run();

    RunStatus status() const { return m_status; }
    const std::string &message() const { return m_message; } ///< why it finished, diverged or failed
    /// What it or its method has noticed and the user should know, "" as a rule; a run that finishes says it too.
    std::string warning() const;
    const Trace &trace() const { return m_trace; }
    const RunSpec &spec() const { return m_spec; } ///< as it was created
    const StopRules &stopRules() const { return m_stop; }
    int measuresPerPass() const { return m_measuresPerPass; }
    const Problem &problem() const { return *m_problem; }
    const ProblemPtr &problemPtr() const { return m_problem; }
    std::string method() const { return m_engine.info().id; } ///< in effect now
    std::string inner() const { return m_engine.inner(); }
    ParamSet effective() const { return m_engine.current().effective(); } ///< in effect now, "auto" resolved
    const ParamSet &asked() const { return m_engine.asked(); }            ///< as set, "auto" left as it is
    Index stage() const { return m_engine.stage(); }
    Cost cost() const { return m_engine.cost(); }
    double seconds() const { return m_seconds; }
    void point(Vector &out) const { m_engine.current().point(out); }
    StageReport lastStage() const { return m_engine.current().lastStage(); }

    /// Works for one slice, at most to the end of the stage. Returns true while there is more to do.
    bool advance(Slice &slice);
    /// Works to the end of the current stage (one more than the rules allow, if need be), everything measured.
    void stepStage();
    /// Running becomes Paused; `advance` goes on from there.
    void pause();
    /// Back to the end of stage `stage`: from the nearest checkpoint, the rest replayed. Later points and events are
    /// dropped, changes made at that very place are kept: going on gives the same stages again.
    void stepBack(Index stage);
    /// Back to the last point of the trace: what was done since, and nobody has measured, is dropped.
    void returnToLastPoint();
    /// Another run that has this one's history up to `stage` (nullopt: now) and goes on with the same random stream.
    std::unique_ptr<Run> fork(std::optional<Index> stage = std::nullopt) const;

    /// A live change, now: logged with its tick. An error changes nothing.
    std::optional<Error> change(const std::string &key, const ParamValue &value);
    std::optional<Error> switchMethod(const std::string &method, const std::string &inner);
    void setStopRules(const StopRules &stop);
    void setOptimum(double fOpt) { m_fOpt = fOpt; } ///< for `excessBelow`

    // --- for those who drive it in slices beside other work
    // -----------------------------------------------------------

    /// Measurements, and what the method has to know of the problem, are handed to `executor` from now on.
    void setExecutor(JobExecutor executor) { m_executor = std::move(executor); }
    /// A measurement, or what the method has to know, must be there before `advance` can do anything.
    bool waiting() const;
    /// The method waits for numbers of the problem (an eigenvalue, say) that are being computed elsewhere.
    bool learning() const;
    /// The method has come to its end, whatever the stop rules say.
    bool done() const { return m_engine.ended(); }
    /// There is something for `settle` to do at once.
    bool canSettle() const;
    /// Takes in measurements that are done, and goes on catching up. True when nothing is outstanding.
    bool settle(Slice &slice);
    /// Waits for what the method has to know or the oldest outstanding measurement, at most until `moment`.
    void wait(Slice::Clock::time_point moment);
    /// `stepBack` that leaves the replaying to `settle`.
    void beginStepBack(Index stage);
    bool catchingUp() const { return m_catchUpTo >= 0; }
    /// Lets `advance` do one more stage than the rules allow.
    void allowStage() { m_allowed = stage() + 1; }
    /// From where on points and events are new since the last call.
    struct News
    {
        std::size_t points = 0;
        std::size_t events = 0;
    };
    News takeNews();
    /// What checkpoints may take; older ones are thinned to every 2nd, 4th, 8th .. stage.
    void setCheckpointBudget(std::size_t bytes);
    std::size_t checkpointBytes() const { return m_checkpointBytes; }
    std::size_t checkpointCount() const { return m_checkpoints.size(); }

private:
    struct Checkpoint;
    using CheckpointPtr = std::shared_ptr<const Checkpoint>;
    struct Ticket;   ///< a measurement that is cancelled when no run waits for it any longer
    struct Learning; ///< the same for what the method has to know
    struct Pending
    {
        TracePoint point;
        std::shared_ptr<Ticket> ticket; ///< none: the point stays unmeasured
        CheckpointPtr state;
        std::size_t events = 0; ///< logged before it
    };
    struct Ending
    {
        RunStatus status = RunStatus::Finished;
        std::string message;
    };

    Run(ProblemPtr problem, Engine engine);
    static Result<std::unique_ptr<Run>> make(ProblemPtr problem, const MethodInfo *method, RunSpec spec, StopRules stop,
                                             int measuresPerPass);
    Method::State work(Slice &slice);
    void handle(Method::State state);
    bool learnt();
    bool measurementMissing() const;
    void catchUpFully();
    bool measureHere() const;
    std::optional<std::string> ruleThatHolds() const;
    void record(bool stageEnd, bool mayStayUnmeasured = false);
    void recordDue();
    void collect();
    void judge(const Pending &measured);
    void endAt(const CheckpointPtr &place, RunStatus status, std::string message);
    void fail(std::string why);
    void advanceUnguarded(Slice &slice);
    void returnTo(const Checkpoint &place);
    void finishIfSettled();
    std::optional<Error> commit(const Result<std::optional<RunEvent>> &planned);
    std::optional<Error> apply(RunEvent event);
    bool catchUp(Slice &slice);
    void truncate(std::size_t points, std::size_t events);
    void addCheckpoint(CheckpointPtr checkpoint);
    void dropCheckpointsAfter(Index ticks);
    void thin();

    ProblemPtr m_problem;
    RunSpec m_spec;
    StopRules m_stop;
    int m_measuresPerPass = 0;
    Engine m_engine;
    RunStatus m_status = RunStatus::Ready;
    std::string m_message;
    std::optional<Ending> m_ending; ///< what it becomes once everything is measured
    Trace m_trace;
    double m_seconds = 0;
    std::optional<double> m_fOpt;
    Index m_allowed = 0;

    JobExecutor m_executor;
    std::shared_ptr<Learning> m_learning;
    std::deque<Pending> m_pending; ///< oldest first; they enter the trace in this order
    std::optional<bool> m_due;     ///< a measurement (at a stage's end: true) to be made before any more work
    bool m_started = false;        ///< point 0 is made
    Index m_measuredAccesses = 0;  ///< of the last place measured
    CheckpointPtr m_lastGood;      ///< of the last finite point

    std::vector<CheckpointPtr> m_checkpoints; ///< at stage ends, stage 0 first; forks share them
    std::size_t m_checkpointBytes = 0;
    std::size_t m_checkpointBudget = std::size_t(256) << 20;
    Index m_keepEvery = 1;

    Index m_catchUpTo = -1; ///< a tick, or -1
    std::size_t m_caughtEvents = 0;
    News m_news;
};

} // namespace appa
