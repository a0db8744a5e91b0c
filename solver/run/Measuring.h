#pragma once

#include "problem/Problem.h"

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>

namespace appa {

/// One measurement of a snapshot: made by a run, done by whoever gets to it, read by the run.
class MeasureJob
{
public:
    MeasureJob(ProblemPtr problem, Vector x, std::optional<Problem::DualPoint> dual);

    /// Does the work, once; a second call (from any thread) does nothing.
    void perform();
    void cancel() { m_stop.request_stop(); }
    bool done() const { return m_done.load(std::memory_order_acquire); }
    /// Waits until it is done or the moment has come; true if it is done.
    bool waitUntil(std::chrono::steady_clock::time_point moment);
    /// Only when done and not cancelled.
    const Measurement &result() const { return m_result; }

private:
    ProblemPtr m_problem;
    Vector m_x;
    std::optional<Problem::DualPoint> m_dual;
    std::stop_source m_stop;
    std::atomic<bool> m_claimed = false;
    std::atomic<bool> m_done = false;
    Measurement m_result;
    std::mutex m_mutex;
    std::condition_variable m_finished;
};

using MeasureJobPtr = std::shared_ptr<MeasureJob>;

/// Takes a job and sees to it that somebody performs it soon. Must not perform it itself before it returns.
using MeasureExecutor = std::function<void(MeasureJobPtr)>;

/// A thread that performs the jobs it is given, in order.
class MeasureThread
{
public:
    MeasureThread();
    ~MeasureThread(); ///< cancels what is left

    MeasureExecutor executor();

private:
    struct Queue;
    std::shared_ptr<Queue> m_queue;
};

} // namespace appa
