#pragma once

#include "run/Run.h"

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace appa {

using RunId = int;

/// What has happened to a run since the outbox was last taken. Values only; safe to keep.
struct RunUpdate
{
    RunId id = 0;
    RunStatus status = RunStatus::Ready;
    std::string message; ///< why it finished, diverged or failed; or why the last change was refused; or, once,
                         ///< what the method has noticed
    std::string method;
    std::string inner;
    ParamSet effective;
    Index stage = 0;
    Cost cost;
    double seconds = 0;
    bool learning = false;          ///< it waits for numbers of the problem that are being computed
    bool catchingUp = false;        ///< it does again what its trace says it has done: commands wait for that
    bool done = false;              ///< the method has nothing left to do: more stages would change nothing
    std::size_t keepPoints = 0;     ///< truncate the known points to this many (less than known after a step back) ...
    std::vector<TracePoint> points; ///< ... and append these
    std::size_t keepEvents = 0;
    std::vector<RunEvent> events;
    std::vector<StageReport> reports; ///< of the stages finished since, in order; those taken back may be among them
    std::vector<Vector> path; ///< iterates of the slices since, only when the problem's dim is 2 (for the landscape)
};

/// Drives runs on worker threads in slices of about 8 ms; several runs share the cores fairly.
/// Commands go into an inbox (changes coalesced per key), updates come out of an outbox; neither side waits.
class Runner
{
public:
    explicit Runner(int threads = 0); ///< 0: one per core
    ~Runner();                        ///< answers within 50 ms

    /// Called on a worker thread whenever the effect of commands is in the outbox. Set before the first run is added.
    void setAnswered(std::function<void()> answered);
    void add(RunId id, std::unique_ptr<Run> run); ///< `id` must be new
    void resume(RunId id);
    void pause(RunId id);
    void stepStage(RunId id);
    void stepBack(RunId id, Index stage);
    void fork(RunId id, RunId newId, std::optional<Index> stage = std::nullopt); ///< the new run starts paused
    void change(RunId id, std::string key, ParamValue value);
    void switchMethod(RunId id, std::string method, std::string inner);
    void setStopRules(RunId id, StopRules stop);
    void setOptimum(RunId id, double fOpt);
    void setStagesPerSecond(RunId id, double rate); ///< 0: unlimited
    void remove(RunId id);

    /// Swaps the outbox out: one update per run that changed. Never blocks for longer than the swap.
    std::vector<RunUpdate> take();
    /// Nothing is being done, nothing will be without a command, and there is nothing to take.
    bool idle() const;
    /// The current iterate of a run, copied between two slices (for weights and the landscape); nullopt if there is
    /// none.
    std::optional<Vector> pointOf(RunId id);

private:
    struct Shared;
    std::unique_ptr<Shared> m_shared;
};

} // namespace appa
