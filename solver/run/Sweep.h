#pragma once

#include "run/SweepFolder.h"

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace appa {

enum class SweepState { Ready, Running, Paused, Finished, Cancelled, Failed };

/// How far a study is. Values only.
struct SweepProgress
{
    SweepState state = SweepState::Ready;
    std::string message;  ///< why it failed
    std::size_t runs = 0; ///< of this process's share, earlier ones included
    std::size_t done = 0;
    std::size_t diverged = 0;
    std::size_t failed = 0;
    double fraction = 0;    ///< of the work, stages of the runs under way included
    double seconds = 0;     ///< since the start, pauses excluded
    double eta = unknown;   ///< seconds to go; NaN until something is known
    double busySeconds = 0; ///< what the runs of this process took, measuring included, summed over the workers
};

/// Executes a plan: one run per worker, one Problem for all. Each run is what `appa-lab run` would do, so its numbers
/// are the same on any number of workers; only the order in which they finish differs. Commands return at once; workers
/// obey between two slices of about 8 ms.
class Sweep
{
public:
    struct Options
    {
        int jobs = 0;                        ///< 0: one per core
        std::vector<std::size_t> cases;      ///< the share of the plan to run; empty: all
        std::shared_ptr<SweepFolder> folder; ///< null: nothing is written
        std::function<void()> wake;          ///< called from a worker when there is something to take; may be empty
    };

    Sweep(ProblemPtr problem, SweepPlan plan, Options options);
    ~Sweep(); ///< cancels

    void start();
    void pause();
    void resume();
    void cancel(); ///< the runs under way are given up; those finished stay in the folder
    /// Waits until it has finished, failed or been cancelled.
    void wait();

    const SweepPlan &plan() const;
    SweepProgress progress() const;
    /// The results since the last call; those the folder already had come first.
    std::vector<SweepResult> take();

private:
    struct Shared;
    std::shared_ptr<Shared> m_shared;
};

/// Runs one case to its end, as a worker does. nullopt when cancelled.
/// `onSlice(stage)` is called between slices and may wait; it returns false to give up.
std::optional<SweepResult> runCase(const ProblemPtr &problem, const SweepPlan &plan, std::size_t index,
                                   const std::function<bool(Index stage)> &onSlice = {}, std::stop_token stop = {});

} // namespace appa
