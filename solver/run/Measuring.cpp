#include "run/Measuring.h"

#include "base/Failure.h"

#include <deque>
#include <thread>
#include <utility>

namespace appa {

MeasureJob::MeasureJob(ProblemPtr problem, Vector x, std::optional<Problem::DualPoint> dual)
    : m_problem(std::move(problem)), m_x(std::move(x)), m_dual(std::move(dual))
{
}

void MeasureJob::work(const std::stop_token &stop)
{
    if (!stop.stop_requested())
        m_result = m_problem->measure(m_x, m_dual ? &*m_dual : nullptr, 1, stop);
    // The snapshot is as large as the iterate and the dual: not needed any longer.
    m_x = Vector();
    m_dual.reset();
    m_problem.reset();
}

void LearnJob::work(const std::stop_token &stop)
{
    Progress progress;
    progress.stop = stop;
    m_problem->learn(m_what, progress);
    m_problem.reset();
}

void Job::perform()
{
    if (m_claimed.exchange(true))
        return;
    m_failure = failureOf(purpose(), [this] { work(m_stop.get_token()); });
    const std::lock_guard lock(m_mutex);
    m_done.store(true, std::memory_order_release);
    m_finished.notify_all();
}

bool Job::waitUntil(std::chrono::steady_clock::time_point moment)
{
    if (done())
        return true;
    std::unique_lock lock(m_mutex);
    if (moment == std::chrono::steady_clock::time_point::max()) {
        m_finished.wait(lock, [this] { return done(); });
        return true;
    }
    return m_finished.wait_until(lock, moment, [this] { return done(); });
}

struct MeasureThread::Queue
{
    std::mutex mutex;
    std::condition_variable_any wake;
    std::deque<JobPtr> jobs;
    JobPtr active;
    std::jthread thread; ///< last: it is joined before the rest goes

    void serve(const std::stop_token &stop)
    {
        std::unique_lock lock(mutex);
        while (wake.wait(lock, stop, [this] { return !jobs.empty(); })) {
            if (stop.stop_requested())
                return;
            active = std::move(jobs.front());
            jobs.pop_front();
            const JobPtr job = active;
            lock.unlock();
            job->perform();
            lock.lock();
            active.reset();
        }
    }
};

MeasureThread::MeasureThread() : m_queue(std::make_shared<Queue>())
{
    m_queue->thread = std::jthread([queue = m_queue.get()](const std::stop_token &stop) { queue->serve(stop); });
}

MeasureThread::~MeasureThread()
{
    std::deque<JobPtr> left;
    {
        const std::lock_guard lock(m_queue->mutex);
        left.swap(m_queue->jobs);
        if (m_queue->active)
            m_queue->active->cancel();
        m_queue->thread.request_stop();
    }
    m_queue->thread.join();
    // Whoever waits for one of these must not wait for ever.
    for (const JobPtr &job : left) {
        job->cancel();
        job->perform();
    }
}

JobExecutor MeasureThread::executor()
{
    return [weak = std::weak_ptr(m_queue)](JobPtr job) {
        if (const auto queue = weak.lock()) {
            const std::lock_guard lock(queue->mutex);
            queue->jobs.push_back(std::move(job));
            queue->wake.notify_one();
        } else {
            job->perform();
        }
    };
}

} // namespace appa
