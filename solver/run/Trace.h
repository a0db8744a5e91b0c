#pragma once

#include "base/Params.h"
#include "methods/Method.h"

#include <algorithm>
#include <limits>
#include <span>
#include <string>
#include <vector>

namespace appa {

inline constexpr double unknown = std::numeric_limits<double>::quiet_NaN();

/// One measured point of a run. Excess loss is not stored: it is loss - F_opt, once F_opt is there.
struct TracePoint
{
    Index stage = 0;    ///< completed stages
    Cost cost;          ///< ticks, steps, accesses since the run began
    double seconds = 0; ///< the solver's own work only
    double loss = unknown;
    double testError = unknown;
    double gap = unknown;
    double lambda = unknown; ///< in effect; at a stage's end the one the stage used
    bool stageEnd = true;    ///< false for points measured inside a stage
};

/// Something the user (or a script) did to a run, with its exact place.
struct RunEvent
{
    enum class Kind { Params, Method };

    Kind kind = Kind::Params;
    Cost at; ///< where, in ticks: a replay applies it at the same tick
    Index stage = 0;
    bool midStage = false; ///< it ended that stage early
    double seconds = 0;
    std::string key; ///< Params: "lambda"; Method: "method"
    ParamValue from;
    ParamValue to;     ///< Method: "accelerated-appa"
    std::string inner; ///< Method only
    std::string label; ///< as shown at the marker: "λ 1e-3 → 1e-5"
};

struct Trace
{
    std::vector<TracePoint> points; ///< stage 0 first
    std::vector<RunEvent> events;
};

/// The tick of the last change, 0 if there was none.
inline Index lastChange(const Trace &trace)
{
    return trace.events.empty() ? 0 : trace.events.back().at.ticks;
}

/// What the present settings brought: the points from the one at the last change on, or all.
inline std::span<const TracePoint> pointsSinceLastChange(const Trace &trace)
{
    const auto from = std::ranges::find_if(
        trace.points, [since = lastChange(trace)](const TracePoint &p) { return p.cost.ticks >= since; });
    return {from, trace.points.end()};
}

} // namespace appa
