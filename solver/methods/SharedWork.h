#pragma once

#include "methods/Method.h"

#include <memory>
#include <mutex>
#include <vector>

namespace appa {

/// Preparations that are large and depend on their ticks alone (a Gram matrix, a factorization), shared by all copies
/// of a solver: the same ticks give the same numbers, so whoever is ahead has done the others' work. A copy costs
/// nothing, and counts the same accesses in the same ticks as if it had worked itself.
///
/// `Work` has `bool tick(Cost &cost, ...)`, true when it is finished.
template <class Work> class SharedWork
{
public:
    template <class... Args>
    explicit SharedWork(Args &&...args) : m_state(std::make_shared<State>(std::forward<Args>(args)...))
    {
    }

    template <class... Args> bool tick(Cost &cost, Args &&...args)
    {
        const std::lock_guard lock(m_state->mutex);
        if (m_ticks == m_state->costs.size()) {
            Cost spent;
            m_state->finished = m_state->work.tick(spent, std::forward<Args>(args)...);
            m_state->costs.push_back(spent);
        }
        cost += m_state->costs[m_ticks++];
        return finishedLocked();
    }
    bool finished() const
    {
        const std::lock_guard lock(m_state->mutex);
        return finishedLocked();
    }
    /// Only when it is finished: from then on nobody changes it.
    const Work &result() const { return m_state->work; }

private:
    struct State
    {
        template <class... Args> explicit State(Args &&...args) : work(std::forward<Args>(args)...) { }

        std::mutex mutex;
        Work work;
        std::vector<Cost> costs; ///< of each tick so far
        bool finished = false;
    };

    bool finishedLocked() const { return m_state->finished && m_ticks == m_state->costs.size(); }

    std::shared_ptr<State> m_state;
    std::size_t m_ticks = 0; ///< this copy's
};

} // namespace appa
