#include "RunGoals.h"

#include "methods/Registry.h"
#include "run/Labels.h"

#include <cmath>

namespace appa::cli {

namespace {

/// The newest end of a stage since the last change, if there is one that is measured.
const TracePoint *newestStage(const Trace &trace)
{
    const Index since = lastChange(trace);
    for (auto p = trace.points.rbegin(); p != trace.points.rend() && p->cost.ticks > since; ++p)
        if (p->stageEnd && p->stage > 0 && !std::isnan(p->loss))
            return &*p;
    return nullptr;
}

/// The stages since the last change: how many, and how many of the newest in a row have no gap.
struct Gapless
{
    Index stages = 0;
    Index newest = 0;
};

Gapless gaplessStages(const Trace &trace)
{
    const Index since = lastChange(trace);
    Gapless out;
    for (auto p = trace.points.rbegin(); p != trace.points.rend() && p->cost.ticks > since; ++p) {
        if (!p->stageEnd || p->stage == 0 || std::isnan(p->loss))
            continue;
        out.newest += out.newest == out.stages && std::isnan(p->gap);
        ++out.stages;
        if (out.newest < out.stages) // one has a gap: no more is asked
            break;
    }
    return out;
}

/// A stage that made nothing better is taken back, and has no gap then, whatever its method.
bool takesBack(const Run &run)
{
    const ParamSet now = run.effective();
    return now.word("stages") == "certified" || now.flag("decrease");
}

} // namespace

void RunGoals::sayOnce(const std::string &sentence)
{
    if (m_said.insert(sentence).second)
        m_say(sentence);
}

bool RunGoals::onlyGoalsEnd(const Run &run)
{
    const StopRules &stop = run.stopRules();
    return stop.stages == 0 && stop.passes <= 0 && stop.seconds <= 0;
}

void RunGoals::look(Run &run, std::optional<double> fOpt, bool changesLeft, Index lastStage)
{
    const TracePoint *newest = newestStage(run.trace());
    if (!newest)
        return;
    if (run.stopRules().gapBelow > 0 && std::isnan(newest->gap))
        lookForGap(run, changesLeft, lastStage);
    if (run.stopRules().excessBelow > 0 && fOpt && !changesLeft)
        lookForRidge(run, *newest, *fOpt);
    // A run that ends in any case says it in the end.
    if (run.status() == RunStatus::Running && onlyGoalsEnd(run))
        if (const std::string noticed = run.warning(); !noticed.empty())
            sayOnce(noticed);
}

void RunGoals::lookForGap(Run &run, bool changesLeft, Index lastStage)
{
    if (takesBack(run)) {
        constexpr Index enough = 5; // in a row, to tell something
        const Gapless gapless = gaplessStages(run.trace());
        if (gapless.newest < enough)
            return;
        if (gapless.newest < gapless.stages) {
            if (!changesLeft)
                sayOnce("The newest stages made nothing better, were taken back and have no gap: --gap may never end "
                        "the run.");
            return;
        }
    }
    sayOnce(run.method() + " has no duality gap here: --gap does not end the run while that is its method.");
    // A change that is still to come may bring one.
    if (changesLeft || run.status() != RunStatus::Running || !onlyGoalsEnd(run) || run.stopRules().excessBelow > 0)
        return;
    if (m_options.stagesGiven)
        return sayOnce("Nothing ends the run but Ctrl-C, then.");
    StopRules stop = run.stopRules();
    // From the last change on: the solver is ahead of what is measured, but not by so many stages.
    stop.stages = lastStage + StopRules{}.stages;
    run.setStopRules(stop);
    sayOnce("The run ends after " + std::to_string(stop.stages) + " stages, then.");
}

/// The method minimizes F + (lambda/2)|x|^2, so that the loss tends to ls(lambda) instead of F_opt. By the gap g, the
/// minimizer is within sqrt(2g/lambda) of x, hence ls(lambda) >= F(x) - 2g - |x| sqrt(2 lambda g).
void RunGoals::lookForRidge(const Run &run, const TracePoint &newest, double fOpt)
{
    const MethodInfo *info = findMethod(run.method());
    if (!info || info->lambda != LambdaMeaning::RidgeWeight || !(newest.gap >= 0) || !(newest.lambda > 0))
        return;
    Vector x; // at most a few stages later than the point
    run.point(x);
    const double floor = newest.loss - 2 * newest.gap - x.norm() * std::sqrt(2 * newest.lambda * newest.gap);
    if (floor - fOpt > run.stopRules().excessBelow)
        sayOnce(run.method() + " minimizes F + (lambda/2)|x|^2, and with lambda = " + shortNumber(newest.lambda)
                + " the excess loss of what it tends to is more than " + shortNumber(run.stopRules().excessBelow)
                + ": --excess may never end the run. A smaller lambda would.");
}

} // namespace appa::cli
