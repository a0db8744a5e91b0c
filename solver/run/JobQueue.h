#pragma once

#include "run/Measuring.h"

#include <chrono>
#include <deque>
#include <list>
#include <thread>
#include <vector>

namespace appa {

/// The jobs of the runner's runs: measurements, which its workers do between slices, and those that take long, which
/// get a thread of their own. Every call under the runner's mutex.
class JobQueue
{
public:
    using Clock = std::chrono::steady_clock;

    /// `limit`: measurements at the same time; one worker is always left for the commands.
    void setLimit(std::size_t limit) { m_limit = limit; }
    /// `left` is called, without the mutex, when a job that has a thread of its own is done; it must take the mutex to
    /// call `forgetThread`.
    void put(JobPtr job, std::function<void(const Job *)> left);
    void forgetThread(const Job *job);

    bool empty() const; ///< nothing waits and nothing is under way
    bool ready(Clock::time_point now, bool urgentOnly) const;
    /// The next one, to be performed by the caller without the mutex; then `end`.
    JobPtr begin();
    void end(const JobPtr &job) { std::erase(m_active, job); }
    /// Asks all that are under way to stop.
    void cancel();
    /// Cancels those with threads of their own and hands the threads over, to be joined without the mutex.
    std::vector<std::jthread> takeThreads();

private:
    struct Waiting
    {
        JobPtr job;
        Clock::time_point since;
    };
    struct Lasting
    {
        JobPtr job;
        bool left = false; ///< its thread needs the mutex no more
        std::jthread thread;
    };

    std::size_t m_limit = 1;
    std::deque<Waiting> m_waiting;
    std::vector<JobPtr> m_active;
    std::list<Lasting> m_lasting; ///< joined when it goes
};

} // namespace appa
