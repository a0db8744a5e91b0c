#include "run/Stalling.h"

#include <algorithm>
#include <span>

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
    const auto [low, high] = std::ranges::minmax(std::span(losses).first(half));
    const double before = std::ranges::min(std::span(losses).last(half));
    const double gained = trace.points.front().loss - std::min(low, before);
    // At the optimum the rounding goes up and down too.
    if (!(before - low < 0.1 * (high - low) && high - low > 1e-6 * gained))
        return {};
    return "The loss goes up and down and hardly gets lower: these stages are too short for their lambda. More passes "
           "a "
           "stage, the stage rule certified, or Dual APPA, which keeps its dual from stage to stage, would go on.";
}

} // namespace appa
