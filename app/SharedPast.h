#pragma once

#include "run/Engine.h"
#include "runs/RunRecord.h"

#include <algorithm>
#include <cmath>
#include <iterator>

namespace appa {

/// How many of a run's changes belong to a past that it shares with an earlier run of the problem (its parent, if it is
/// a fork), and are marked there: both began alike and measured the same up to there.
inline std::size_t sharedPast(const RunSpec &spec, const Trace &trace, const RunSpec &otherSpec, const Trace &other)
{
    if (spec.method != otherSpec.method || spec.inner != otherSpec.inner || spec.params != otherSpec.params
        || spec.seed != otherSpec.seed)
        return 0;
    const auto same = [](const TracePoint &a, const TracePoint &b) {
        return a.cost.ticks == b.cost.ticks && a.stage == b.stage
            && (a.loss == b.loss || (std::isnan(a.loss) && std::isnan(b.loss)));
    };
    const auto end = std::ranges::mismatch(trace.points, other.points, same).in1;
    const Index until = end == trace.points.begin() ? -1 : std::prev(end)->cost.ticks;
    std::size_t shared = ui::sharedChanges(trace.events, other.events);
    while (shared > 0 && trace.events[shared - 1].at.ticks > until)
        --shared;
    return shared;
}

} // namespace appa
