#pragma once

#include "run/Measuring.h"

#include <deque>
#include <list>
#include <thread>
#include <vector>

namespace appa {

/// The jobs of the runner's runs: measurements, which its measuring threads do, and those that take long, which get a
/// thread of their own. Every call under the runner's mutex.
class JobQueue
{
public:
    /// `left` is called, without the mutex, when a job that has a thread of its own is done; it must take the mutex to
    /// call `forgetThread`.
    void put(JobPtr job, std::function<void(const Job *)> left);
    void forgetThread(const Job *job);

    bool empty() const; ///< nothing waits and nothing is under way
    bool ready() const { return !m_waiting.empty(); }
    /// The next one, to be performed by the caller without the mutex; then `end`.
    JobPtr begin();
    void end(const JobPtr &job) { std::erase(m_active, job); }
    /// Asks all that are under way to stop.
    void cancel();
    /// Cancels those with threads of their own and hands the threads over, to be joined without the mutex.
    std::vector<std::jthread> takeThreads();

private:
    struct Lasting
    {
        JobPtr job;
        bool left = false; ///< its thread needs the mutex no more
        std::jthread thread;
    };

    std::deque<JobPtr> m_waiting;
    std::vector<JobPtr> m_active;
    std::list<Lasting> m_lasting; ///< joined when it goes
};

} // namespace appa
