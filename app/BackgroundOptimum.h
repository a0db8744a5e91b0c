#pragma once

#include "problem/Optimum.h"

#include <atomic>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

namespace appa::cli {

/// The reference solve of a problem on a thread of its own, at low priority, from the cache if it is there.
class BackgroundOptimum
{
public:
    explicit BackgroundOptimum(ProblemPtr problem);
    ~BackgroundOptimum(); ///< cancels it

    bool done() const { return m_done; }
    /// What is known so far; nullopt also if it was cancelled or failed.
    std::optional<Optimum> result() const;
    std::string failure() const; ///< why it could not be computed, "" as a rule
    double fraction() const { return m_fraction; }
    /// F_opt, if it is there and known: what an excess loss refers to.
    std::optional<double> value() const;
    /// Waits for it with a progress line; gives up when the program is interrupted.
    /// `instead`: what Ctrl-C means while it waits.
    std::optional<Optimum> wait(bool showProgress, const std::string &instead = "do without");

private:
    ProblemPtr m_problem;
    std::atomic<bool> m_done = false;
    std::atomic<double> m_fraction = 0;
    mutable std::mutex m_mutex;
    std::optional<Optimum> m_result;
    std::string m_failure;
    std::jthread m_thread; ///< last: joined first
};

} // namespace appa::cli
