#include "run/Stalling.h"

#include <algorithm>

namespace appa {

std::string stallingAdvice(const Trace &trace, const MethodInfo &method, const ParamSet &params)
{
    constexpr std::size_t half = 10;
    if (method.lambda != LambdaMeaning::ProximalWeight || params.word("stages") != "fixed" || trace.points.empty())
        return {};
    std::vector<double> losses; // of the last stages, the newest first
    for (auto p = trace.points.rbegin(); p != trace.points.rend() && losses.size() < 2 * half; ++p) {
        if (!trace.events.empty() && p->cost.ticks <= trace.events.back().at.ticks)
            break;
        if (p->stageEnd && p->stage > 0)
            losses.push_back(p->loss);
    }
    if (losses.size() < 2 * half)
        return {};
    const auto now = std::ranges::minmax(losses.begin(), losses.begin() + half);
    const double before = *std::ranges::min_element(losses.begin() + half, losses.end());
    const double gained = trace.points.front().loss - std::min(now.min, before);
    // At the optimum the rounding goes up and down too.
    if (!(now.min >= before && now.max - now.min > 1e-6 * gained))
        return {};
    return "The loss goes up and down without a new low: these stages are too short for their lambda. More passes a "
           "stage, the stage rule certified, or Dual APPA, which keeps its dual from stage to stage, would go on.";
}

} // namespace appa
