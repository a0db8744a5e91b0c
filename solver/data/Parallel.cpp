#include "data/Parallel.h"

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

namespace appa {

int coreCount()
{
    return std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
}

bool forEach(Index count, const ProgressRange &range, const std::function<void(Index)> &f, int threads)
{
    if (threads <= 0)
        threads = coreCount();
    threads = static_cast<int>(std::min<Index>(threads, count));

    std::atomic<Index> next{0};
    std::atomic<bool> stop{false};
    std::exception_ptr failure;
    std::mutex failureMutex;
    const auto work = [&](bool isCaller) {
        while (!stop.load(std::memory_order_relaxed)) {
            if (range.cancelled()) {
                stop = true;
                return;
            }
            const Index k = next.fetch_add(1);
            if (k >= count)
                return;
            if (isCaller)
                range.report(static_cast<double>(k) / static_cast<double>(count));
            try {
                f(k);
            } catch (...) {
                const std::lock_guard lock(failureMutex);
                if (!failure)
                    failure = std::current_exception();
                stop = true;
            }
        }
    };
    {
        std::vector<std::jthread> others;
        for (int t = 1; t < threads; ++t)
            others.emplace_back(work, false);
        work(true);
    }
    if (failure)
        std::rethrow_exception(failure);
    if (stop)
        return false;
    range.report(1);
    return true;
}

} // namespace appa
