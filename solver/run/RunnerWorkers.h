#pragma once

#include "run/Inbox.h"
#include "run/JobQueue.h"
#include "run/Outbox.h"
#include "run/Runner.h"

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <map>
#include <mutex>
#include <thread>

namespace appa {

/// A run as the workers know it.
struct RunnerEntry
{
    RunId id = 0;
    std::unique_ptr<Run> run; ///< empty until the fork that makes it is done
    bool busy = false;        ///< a worker has it; the members below `inbox` and the run are that worker's then
    Inbox inbox;              ///< under the mutex, always

    bool running = false;
    std::optional<Index> stepTo; ///< pause when this stage is reached
    double rate = 0;             ///< stages per second, 0: unlimited
    Slice::Clock::time_point notBefore{};
    std::vector<StageReport> reports; ///< not published yet
    std::string refusal;
    std::vector<Vector> path;
    bool warned = false; ///< what the method has noticed is published
    bool removed = false;
    bool changed = true; ///< there is something to publish
    int readers = 0;     ///< who waits to read it, under the mutex; no worker takes it meanwhile
};

using RunnerEntryPtr = std::shared_ptr<RunnerEntry>;

/// What the runner's threads share with each other and with whoever gives them commands.
struct Runner::Shared
{
    std::mutex mutex;
    std::condition_variable_any wake; ///< for the workers
    std::condition_variable_any idle; ///< a run is not busy any more: for pointOf
    std::uint64_t pokes = 0;
    std::map<RunId, RunnerEntryPtr> entries;
    std::deque<RunnerEntryPtr> order; ///< who is next
    JobQueue jobs;
    Outbox outbox;
    std::function<void()> answered;
    std::vector<std::jthread> workers; ///< last: joined first

    /// Something may have changed for a worker that waits. Under the mutex.
    void poke()
    {
        ++pokes;
        wake.notify_all();
    }
    void drivesRuns(const std::stop_token &stop);
    void measures(const std::stop_token &stop);
    RunnerEntryPtr nextEntry(Slice::Clock::time_point now, Slice::Clock::time_point &until);
    void serve(const RunnerEntryPtr &entry, std::unique_lock<std::mutex> &lock);
    void forget(const RunnerEntryPtr &entry);
    void obey(RunnerEntry &entry, Command command);
    void drive(RunnerEntry &entry);
    void publish(RunnerEntry &entry);
    void send(RunId id, Command command);
    JobExecutor executor();
};

} // namespace appa
