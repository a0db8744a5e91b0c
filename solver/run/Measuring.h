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
#include <string>

namespace appa {

/// Work that a run hands to somebody else: made by the run, done by whoever gets to it, read by the run.
class Job
{
public:
    virtual ~Job() = default;

    /// Does the work, once; a second call (from any thread) does nothing. Never throws.
    void perform();
    void cancel() { m_stop.request_stop(); }
    bool done() const { return m_done.load(std::memory_order_acquire); }
    /// Waits until it is done or the moment has come; true if it is done.
    bool waitUntil(std::chrono::steady_clock::time_point moment);
    /// Only when done: why it could not be done at all, "" if it was (or was cancelled).
    const std::string &failure() const { return m_failure; }
    /// It takes seconds rather than milliseconds, and threads of its own: no place for it among the measurements.
    virtual bool lasting() const { return false; }

protected:
    virtual void work(const std::stop_token &stop) = 0;
    /// Completes "the memory did not suffice to ..".
    virtual std::string purpose() const = 0;

private:
    std::stop_source m_stop;
    std::string m_failure;
    std::atomic<bool> m_claimed = false;
    std::atomic<bool> m_done = false;
    std::mutex m_mutex;
    std::condition_variable m_finished;
};

using JobPtr = std::shared_ptr<Job>;

/// Takes a job and sees to it that somebody performs it soon. Must not perform it itself before it returns.
using JobExecutor = std::function<void(JobPtr)>;

/// One measurement of a snapshot.
class MeasureJob final : public Job
{
public:
    MeasureJob(ProblemPtr problem, Vector x, std::optional<Problem::DualPoint> dual);

    /// Only when done, without a failure and not cancelled.
    const Measurement &result() const { return m_result; }

private:
    void work(const std::stop_token &stop) override;
    std::string purpose() const override { return "measure the loss"; }

    ProblemPtr m_problem;
    Vector m_x;
    std::optional<Problem::DualPoint> m_dual;
    Measurement m_result;
};

/// What a method needs to know of its problem before it can begin; the problem keeps it.
class LearnJob final : public Job
{
public:
    LearnJob(ProblemPtr problem, Knowledge what) : m_problem(std::move(problem)), m_what(what) { }
    bool lasting() const override { return true; }

private:
    void work(const std::stop_token &stop) override;
    std::string purpose() const override { return "measure the problem's constants"; }

    ProblemPtr m_problem;
    Knowledge m_what;
};

/// A thread that performs the jobs it is given, in order.
class MeasureThread
{
public:
    MeasureThread();
    ~MeasureThread(); ///< cancels what is left

    JobExecutor executor();

private:
    struct Queue;
    std::shared_ptr<Queue> m_queue;
};

} // namespace appa
