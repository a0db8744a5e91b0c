#include "run/SweepPlan.h"

#include "base/Clock.h"

#include <algorithm>
#include <thread>

namespace appa {

namespace {

using Clock = std::chrono::steady_clock;

/// Seconds of one stage with its measurement: timed where a stage is short, else from the part of it done in a moment.
std::optional<double> secondsPerStage(const ProblemPtr &problem, const RunSpec &spec, const Progress &progress)
{
    constexpr double moment = 0.08, longest = 1;
    StopRules stop;
    stop.stages = 0;
    const auto engine = Engine::create(problem, spec);
    auto made = Run::create(problem, spec, stop);
    if (!engine || !made)
        return 0;
    // What the method has to know may take minutes; the run itself would not let go of it.
    if (!problem->learn(engine.value().missing(), progress))
        return std::nullopt;
    Run &run = *made.value();
    // The run's own clock does not count measurements.
    const Vector origin = Vector::Zero(problem->dim());
    const Clock::time_point measured = Clock::now();
    (void)problem->measure(origin, nullptr, 1, progress.stop);
    const double measuring = secondsSince(measured);

    const double n = static_cast<double>(problem->n());
    double preparing = 0; // a full gradient, a dual made from a point: before the first step
    double stepping = 0;
    double steps = 0;
    while (!progress.cancelled() && run.stage() < 1 && run.seconds() < longest
           && (stepping < moment || steps < n / 100)) {
        Slice slice = Slice::milliseconds(5);
        if (!run.advance(slice))
            break;
        (run.cost().steps == 0 ? preparing : stepping) = run.seconds() - (run.cost().steps == 0 ? 0 : preparing);
        steps = static_cast<double>(run.cost().steps);
    }
    if (progress.cancelled())
        return std::nullopt;
    if (run.stage() >= 1)
        return run.seconds() / static_cast<double>(run.stage()) + measuring;
    const double passes = spec.params.contains("passes") ? spec.params.real("passes") : 1;
    if (steps == 0) // preparing takes longer than this looks: a stage is a few such passes
        return 2 * preparing * passes * n / static_cast<double>(std::max<Index>(1, run.cost().accesses)) + measuring;
    return preparing + stepping * passes * n / steps + measuring;
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
