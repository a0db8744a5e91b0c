#include "run/SweepPlan.h"

#include <algorithm>
#include <thread>

namespace appa {

namespace {

using Clock = std::chrono::steady_clock;

double secondsSince(Clock::time_point from)
{
    return std::chrono::duration<double>(Clock::now() - from).count();
}

/// Seconds of one stage with its measurement: timed where a stage is short, else from the part of it done in a moment.
std::optional<double> secondsPerStage(const ProblemPtr &problem, const RunSpec &spec, const Progress &progress)
{
    constexpr double moment = 0.08;
    StopRules stop;
    stop.stages = 0;
    auto run = Run::create(problem, spec, stop);
    if (!run)
        return 0;
    // The measurement of the start is part of the first slice; it is timed apart.
    const Vector origin = Vector::Zero(problem->dim());
    const Clock::time_point measured = Clock::now();
    (void)problem->measure(origin, nullptr, 1, progress.stop);
    const double measuring = secondsSince(measured);
    while (!progress.cancelled() && run.value()->stage() < 1 && run.value()->seconds() < moment) {
        Slice slice = Slice::milliseconds(10);
        if (!run.value()->advance(slice))
            break;
    }
    if (progress.cancelled())
        return std::nullopt;
    const double worked = run.value()->seconds();
    if (run.value()->stage() >= 1)
        return worked / static_cast<double>(run.value()->stage()) + measuring;
    const double passes = spec.params.contains("passes") ? spec.params.real("passes") : 1;
    const double steps = static_cast<double>(std::max<Index>(1, run.value()->cost().steps));
    return worked * passes * static_cast<double>(problem->n()) / steps + measuring;
}

} // namespace

std::optional<SweepEstimate> estimate(const ProblemPtr &problem, const SweepPlan &plan,
                                      const std::vector<std::size_t> &cases, int jobs, const Progress &progress)
{
    SweepEstimate out;
    out.runs = cases.size();
    std::vector<std::size_t> runsOf(plan.methods.size());
    for (const std::size_t index : cases)
        ++runsOf[plan.at(index).method];
    if (jobs <= 0)
        jobs = static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
    for (std::size_t m = 0; m < plan.methods.size(); ++m) {
        progress(static_cast<double>(m) / static_cast<double>(plan.methods.size()), plan.methods[m].label());
        if (runsOf[m] == 0)
            continue;
        // A lambda in the middle of the grid: neither end's run is typical.
        const RunSpec spec = plan.specOf(plan.indexOf({.method = m, .lambda = plan.lambdas.size() / 2, .seed = 0}));
        const auto seconds = secondsPerStage(problem, spec, progress);
        if (!seconds)
            return std::nullopt;
        out.secondsOfWork += *seconds * static_cast<double>(plan.stages) * static_cast<double>(runsOf[m]);
        const MethodInfo *info = findMethod(spec.method);
        if (!info)
            continue;
        // Beside the method's own state: the margins of a measurement, and its snapshot of the point and the dual.
        const std::size_t vectors =
            static_cast<std::size_t>(2 * problem->n() * problem->outputs() + problem->dim()) * sizeof(double);
        out.bytesPerJob =
            std::max(out.bytesPerJob, info->make(problem, spec.inner, spec.params)->stateBytes() + vectors);
    }
    const Dataset &data = problem->data();
    out.sharedBytes = bytesOf(data.train.features) + bytesOf(data.test.features)
        + (data.train.targets.size() + data.train.squaredNorms.size() + data.test.targets.size()
           + data.test.squaredNorms.size())
            * sizeof(double);
    const auto used = static_cast<std::size_t>(
        std::min<std::size_t>(static_cast<std::size_t>(jobs), std::max<std::size_t>(1, out.runs)));
    out.bytes = out.sharedBytes + used * out.bytesPerJob;
    out.seconds = out.secondsOfWork / static_cast<double>(used);
    return out;
}

} // namespace appa
