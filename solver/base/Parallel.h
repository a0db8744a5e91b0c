#pragma once

#include <atomic>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

namespace appa {

/// Runs `work(chunk, worker)` for chunk = 0 .. chunks-1 on up to `threads` threads (the caller is one of them), and
/// `reduce(chunk, worker)` for each chunk in ascending order, one at a time. The chunks do not depend on the number of
/// threads, so neither do the bits of what is reduced. `worker` < threads selects scratch memory that lives until the
/// chunk is reduced.
template <class Work, class Reduce> void orderedChunks(int threads, int chunks, Work &&work, Reduce &&reduce)
{
    if (threads > chunks)
        threads = chunks;
    if (threads <= 1) {
        for (int c = 0; c < chunks; ++c) {
            work(c, 0);
            reduce(c, 0);
        }
        return;
    }
    std::mutex mutex;
    std::condition_variable turn;
    std::exception_ptr failure;
    int reduced = 0;
    std::atomic<int> next = 0;
    const auto loop = [&](int worker) {
        for (int c = next++; c < chunks; c = next++) {
            std::exception_ptr thrown;
            try {
                work(c, worker);
            } catch (...) {
                thrown = std::current_exception();
            }
            std::unique_lock lock(mutex);
            turn.wait(lock, [&] { return reduced == c; });
            if (thrown && !failure)
                failure = thrown;
            if (!failure)
                reduce(c, worker);
            ++reduced;
            turn.notify_all();
        }
    };
    {
        std::vector<std::jthread> helpers;
        for (int t = 1; t < threads; ++t)
            helpers.emplace_back(loop, t);
        loop(0);
    }
    if (failure)
        std::rethrow_exception(failure);
}

/// `work(chunk, worker)` for every chunk, where there is nothing to reduce and so no order to keep.
template <class Work> void parallelChunks(int threads, int chunks, Work &&work)
{
    threads = threads < chunks ? threads : chunks;
    std::atomic<int> next = 0;
    std::mutex mutex;
    std::exception_ptr failure;
    const auto loop = [&](int worker) {
        try {
            for (int c = next++; c < chunks; c = next++)
                work(c, worker);
        } catch (...) {
            const std::lock_guard lock(mutex);
            failure = std::current_exception();
            next = chunks;
        }
    };
    {
        std::vector<std::jthread> helpers;
        for (int t = 1; t < threads; ++t)
            helpers.emplace_back(loop, t);
        loop(0);
    }
    if (failure)
        std::rethrow_exception(failure);
}

/// A sum whose rounding error does not grow with the number of terms (Neumaier).
class CompensatedSum
{
public:
    void add(double term)
    {
        const double next = m_sum + term;
        m_lost +=
            (m_sum < 0 ? -m_sum : m_sum) >= (term < 0 ? -term : term) ? (m_sum - next) + term : (term - next) + m_sum;
        m_sum = next;
    }
    void add(const CompensatedSum &other)
    {
        add(other.m_sum);
        m_lost += other.m_lost;
    }
    double value() const { return m_lost == m_lost ? m_sum + m_lost : m_sum; }

private:
    double m_sum = 0;
    double m_lost = 0; ///< NaN once the sum has overflowed: then the sum itself says so
};

} // namespace appa
