#include "run/JobQueue.h"

#include "base/Priority.h"

#include <algorithm>
#include <utility>

namespace appa {

void JobQueue::put(JobPtr job, std::function<void(const Job *)> left)
{
    if (!job->lasting()) {
        m_waiting.push_back(std::move(job));
        return;
    }
    std::erase_if(m_lasting, [](const Lasting &entry) { return entry.left; });
    Lasting &entry = m_lasting.emplace_back();
    entry.job = job;
    try {
        entry.thread = std::jthread([job = std::move(job), left = std::move(left)] {
            lowerPriority(Priority::Beside);
            job->perform();
            left(job.get());
        });
    } catch (...) { // the system has no more threads
        m_lasting.pop_back();
        throw;
    }
}

void JobQueue::forgetThread(const Job *job)
{
    for (Lasting &entry : m_lasting)
        if (entry.job.get() == job)
            entry.left = true;
}

bool JobQueue::empty() const
{
    return m_waiting.empty() && m_active.empty() && std::ranges::all_of(m_lasting, &Lasting::left);
}

JobPtr JobQueue::begin()
{
    JobPtr job = std::move(m_waiting.front());
    m_waiting.pop_front();
    m_active.push_back(job);
    return job;
}

std::vector<std::jthread> JobQueue::takeThreads()
{
    std::vector<std::jthread> threads;
    for (Lasting &entry : m_lasting) {
        entry.job->cancel();
        threads.push_back(std::move(entry.thread));
    }
    m_lasting.clear();
    return threads;
}

void JobQueue::cancel()
{
    for (const JobPtr &job : m_active)
        job->cancel();
    for (const Lasting &entry : m_lasting)
        entry.job->cancel();
}

} // namespace appa
