#include "run/Stalling.h"

#include <algorithm>
#include <span>

namespace appa {

namespace {

/// How often the sequence changes its direction.
std::size_t turnsOf(std::span<const double> losses)
{
    std::size_t turns = 0;
    for (std::size_t k = 2; k < losses.size(); ++k)
        turns += (losses[k] > losses[k - 1]) != (losses[k - 1] > losses[k - 2]);
    return turns;
}

} // namespace

std::string stallingAdvice(const Trace &trace, const Problem &problem, const MethodInfo &method, std::string_view inner,
                           const ParamSet &params)
{
    constexpr std::size_t half = 10;
    if (method.lambda != LambdaMeaning::ProximalWeight || params.word("stages") != "fixed" || inner == "exact"
        || trace.points.empty())
        return {};
    std::vector<double> losses; // of the last stages, the newest first
    for (auto p = trace.points.rbegin(); p != trace.points.rend() && losses.size() < 2 * half; ++p) {
        if (!trace.events.empty() && p->cost.ticks <= lastChange(trace))
            break;
        if (p->stageEnd && p->stage > 0)
            losses.push_back(p->loss);
    }
    // Noise turns at two stages of three, momentum's ripples take several stages each, and what diverges does not turn.
    if (losses.size() < 2 * half || turnsOf(losses) < 8)
        return {};
    const auto [low, high] = std::ranges::minmax(std::span(losses).first(half));
    const double before = std::ranges::min(std::span(losses).last(half));
    const double gained = trace.points.front().loss - std::min(low, before);
    // At the optimum the rounding goes up and down too.
    if (!(before - low < 0.1 * (high - low) && high - low > 1e-6 * gained))
        return {};
    const bool dualWouldDo = method.id != "dual-appa" && whyNot(problem, "dual-appa", "").empty();
    return std::string("The loss goes up and down and hardly gets lower: these stages are too short for their lambda. ")
        + (dualWouldDo ? "More passes a stage, the stage rule certified, or Dual APPA, which keeps its dual from stage "
                         "to stage, would go on."
                       : "More passes a stage, or the stage rule certified, would go on.");
}

} // namespace appa
