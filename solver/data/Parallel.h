#pragma once

#include "base/Progress.h"
#include "data/Matrix.h"

#include <functional>
#include <string_view>

namespace appa {

/// The part of a progress bar that a step fills, and its text.
struct ProgressRange
{
    const Progress &progress;
    double from = 0;
    double to = 1;
    std::string_view what;

    void report(double fraction) const { progress(from + (to - from) * fraction, what); }
    bool cancelled() const { return progress.cancelled(); }
    /// What lies between these fractions of it.
    ProgressRange part(double begin, double end) const
    {
        return {progress, from + (to - from) * begin, from + (to - from) * end, what};
    }
};

/// Threads worth starting on this machine.
int coreCount();

/// Calls `f(k)` for k = 0 .. count-1, each once, on up to `threads` threads (0: one per core), the caller's among them.
/// Reports from the calling thread only, and stops between two calls when cancelled: then false. The first exception
/// thrown by `f` is thrown again here. Results depend on k alone, so they are the same for any number of threads.
bool forEach(Index count, const ProgressRange &range, const std::function<void(Index)> &f, int threads = 0);

} // namespace appa
