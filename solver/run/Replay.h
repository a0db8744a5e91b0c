#pragma once

#include "base/Progress.h"
#include "run/Engine.h"

#include <string>

namespace appa {

/// What a re-execution of a recorded run found.
struct ReplayReport
{
    bool identical = true;
    std::size_t points = 0; ///< compared
    std::size_t events = 0; ///< applied
    std::string difference; ///< the first one: where, what was recorded, what came out
};

/// Executes the run again from its spec, with the recorded changes at their recorded ticks, and compares every recorded
/// point, bit for bit, in all but the seconds. An error if the run cannot be made at all, or if it was cancelled.
Result<ReplayReport> replay(const ProblemPtr &problem, const RunSpec &spec, const Trace &recorded,
                            const Progress &progress = {});

} // namespace appa
