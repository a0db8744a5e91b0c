#include "Sections.h"

#ifdef APPA_HAVE_LIBLINEAR

#include "BenchData.h"
#include "Liblinear.h"

#include "data/Recipe.h"
#include "methods/Registry.h"
#include "problem/Optimum.h"

#include <array>
#include <cmath>
#include <cstdio>
#include <limits>

namespace appa::bench {

namespace {

constexpr double targets[] = {1e-3, 1e-6, 1e-9};
constexpr std::size_t targetCount = std::size(targets);
using Times = std::array<double, targetCount>;

Times never()
{
    Times times;
    times.fill(std::numeric_limits<double>::infinity());
    return times;
}

void keepBest(Times &best, const Times &times)
{
    for (std::size_t k = 0; k < targetCount; ++k)
        best[k] = std::min(best[k], times[k]);
}

/// Processor seconds until (F - F_opt)/F_opt is below each target, stages of a method with its automatic settings or a
/// given lambda; gives up after `budget` seconds.
Times timesOf(const ProblemPtr &problem, double fOpt, const char *id, double lambda = 0, double budget = 60)
{
    const MethodInfo &info = *findMethod(id);
    ParamSet params(paramsOf(info, "sdca"));
    if (lambda > 0)
        params.set("lambda", lambda);
    auto method = info.make(problem, "sdca", params);
    Handover from;
    from.x = Vector::Zero(problem->dim());
    Times times = never();
    double spent = -threadSeconds();
    method->start(from, IndexStream::baseOf(1));
    spent += threadSeconds();
    Vector x;
    while (spent < budget && std::isinf(times.back())) {
        Slice all = Slice::ticks(std::numeric_limits<Index>::max());
        spent -= threadSeconds();
        const Method::State state = method->advance(all);
        spent += threadSeconds();
        method->point(x);
        const double excess = (problem->objective(x) - fOpt) / fOpt;
        for (std::size_t k = 0; k < targetCount; ++k)
            if (excess <= targets[k])
                times[k] = std::min(times[k], spent);
        if (state != Method::State::StageEnd || !std::isfinite(excess))
            break;
    }
    return times;
}

/// The same for liblinear: its tolerance is lowered until the objective is there; only that last call counts.
Times timesOf(const LiblinearData &data, const Problem &problem, double fOpt, int solver, double C)
{
    Times times = never();
    double eps = 1;
    for (std::size_t k = 0; k < targetCount; ++k)
        for (; eps > 1e-13; eps /= 3.1622776601683795) {
            double seconds = 0;
            const Vector x = data.solve(solver, C, eps, seconds);
            if ((problem.objective(x) - fOpt) / fOpt <= targets[k]) {
                times[k] = seconds;
                break;
            }
            if (seconds > 60)
                break;
        }
    return times;
}

std::string cell(const Times &ours, const Times &peer, std::size_t k)
{
    return std::isinf(peer[k]) ? "never" : number(peer[k] / ours[k]) + "x";
}

} // namespace

void runPeers(const Options &options)
{
    DataRecipe recipe;
    recipe.source = options.mnist;
    recipe.positive = {"1", "2", "4", "5", "7"};
    recipe.transforms = {{.kind = Transform::Kind::MeanNorm}};
    const auto loaded = loadDataset(recipe);
    if (!loaded) {
        std::printf("%s\n(give the training images with --mnist FILE)\n", loaded.error().message.c_str());
        return;
    }
    const DatasetPtr &data = loaded.value();
    const LiblinearData peer(*data);
    const Index n = data->train.rows();

    const Table table({"objective", "contender", "s to 1e-3", "s to 1e-6", "s to 1e-9", "peer / best of ours"});
    for (const char *loss : {"logistic", "squared"})
        for (const double ridge : {1 / static_cast<double>(n), 1e-6}) {
            const auto problem = problemOf(data, loss, ridge);
            const double fOpt = referenceOptimum(*problem)->value;
            const std::string name = std::string(loss) + ", ridge " + number(ridge);
            const bool squared = problem->loss().index() == 0;
            // F/ridge = |x|^2/2 + C sum loss; liblinear's squared loss has no factor 1/2.
            const double C = 1 / (static_cast<double>(n) * ridge) / (squared ? 2 : 1);

            Times dual = never(), accelerated = never();
            Times primalPeer = never(), dualPeer = never();
            for (int k = 0; k < options.repetitions; ++k) { // taking turns
                keepBest(dual, timesOf(problem, fOpt, "dual-appa"));
                keepBest(accelerated, timesOf(problem, fOpt, "accelerated-appa"));
                if (k > 0 && options.quick)
                    continue;
                keepBest(primalPeer, timesOf(peer, *problem, fOpt, squared ? L2R_L2LOSS_SVR : L2R_LR, C));
                keepBest(dualPeer, timesOf(peer, *problem, fOpt, squared ? L2R_L2LOSS_SVR_DUAL : L2R_LR_DUAL, C));
            }
            Times ours = dual;
            keepBest(ours, accelerated);
            const auto row = [&](const char *who, const Times &t, bool isPeer) {
                table.row({name, who, number(t[0]), number(t[1]), number(t[2]),
                           isPeer ? cell(ours, t, 0) + ", " + cell(ours, t, 1) + ", " + cell(ours, t, 2) : ""});
            };
            row("Dual APPA, automatic", dual, false);
            row("Accelerated APPA, automatic", accelerated, false);
            row("liblinear, primal", primalPeer, true);
            row("liblinear, dual", dualPeer, true);
            if (squared) {
                Times direct;
                direct.fill(directSeconds(*problem));
                row("Gram + Cholesky, one core", direct, true);
            }

            // Is the automatic lambda near the best of a decade grid?
            Times grid = never();
            for (double lambda = 1e-8; lambda < 1e-1; lambda *= 10) {
                keepBest(grid, timesOf(problem, fOpt, "dual-appa", lambda, 2 * ours.back()));
                keepBest(grid, timesOf(problem, fOpt, "accelerated-appa", lambda, 2 * ours.back()));
            }
            row("ours, best lambda of a decade grid", grid, false);
        }
}

} // namespace appa::bench

#else

#include <cstdio>

namespace appa::bench {

void runPeers(const Options &)
{
    std::printf("Built without liblinear (Debian: liblinear-dev).\n");
}

} // namespace appa::bench

#endif
