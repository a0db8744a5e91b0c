#include "BenchData.h"
#include "Sections.h"

#include "methods/Registry.h"
#include "run/Run.h"

#include <sys/resource.h>

#include <chrono>
#include <cstdio>
#include <limits>

namespace appa::bench {

namespace {

double wallSeconds()
{
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

/// Dual APPA for `stages` stages, every stage measured on a second thread, as the window and `appa-lab run` do it.
double runSeconds(const ProblemPtr &problem, Index stages)
{
    auto run =
        std::move(Run::create(problem, {.method = "dual-appa", .inner = {}, .params = {}}, {.stages = stages}).value());
    MeasureThread measuring;
    run->setExecutor(measuring.executor());
    const double begin = wallSeconds();
    for (bool more = true; more;) {
        Slice slice = Slice::milliseconds(8);
        more = run->advance(slice);
        if (run->waiting())
            run->wait(Slice::Clock::now() + std::chrono::milliseconds(8));
    }
    for (bool settled = false; !settled;) {
        Slice slice = Slice::milliseconds(8);
        settled = run->settle(slice);
        if (!settled)
            run->wait(Slice::Clock::now() + std::chrono::milliseconds(8));
    }
    return wallSeconds() - begin;
}

} // namespace

void runLarge(const Options &options)
{
    const Index scale = options.quick ? 20 : 1;
    const Index n = 60000 / scale, d = 12000;
    const Index stages = 20;
    const auto data = blobs(n, d);
    const auto matrixBytes = static_cast<double>(n * d) * sizeof(float);
    const Table table({"60000 x 12000 float32", "s", "of"});
    for (const char *loss : {"squared", "logistic"}) {
        const auto problem = problemOf(data, loss, 1 / static_cast<double>(n));
        const MethodInfo &info = *findMethod("dual-appa");
        const auto method = info.make(problem, "sdca", ParamSet(paramsOf(info, "sdca")));
        Handover from;
        from.x = Vector::Zero(d);
        method->start(from, IndexStream::baseOf(1));
        Vector x;
        const std::vector<Contender> contenders = {{"a plain read", [&] { return plainRead(*problem); }},
                                                   {"a pass of Dual APPA",
                                                    [&] {
                                                        Slice all = Slice::ticks(std::numeric_limits<Index>::max());
                                                        method->advance(all);
                                                        return static_cast<double>(method->cost().steps);
                                                    }},
                                                   {"measuring, one core", [&] {
                                                        method->point(x);
                                                        return problem->objective(x, 1);
                                                    }}};
        const auto seconds = bestOf(options.repetitions, contenders);
        for (std::size_t k = 0; k < seconds.size(); ++k)
            table.row({std::string(loss) + ": " + contenders[k].name, number(seconds[k]),
                       number(seconds[k] / seconds[0]) + " of the read"});
        const double whole = runSeconds(problem, stages);
        const double parts = static_cast<double>(stages) * (seconds[1] + seconds[2]);
        table.row({std::string(loss) + ": 20 stages of Dual APPA, each measured", number(whole),
                   number(whole / parts) + " of 20 passes and 20 measurings on one core"});
    }
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    const double peak = static_cast<double>(usage.ru_maxrss) * 1024;
    table.row({"peak memory, GiB", number(peak / (1 << 30)), number(peak / matrixBytes) + " of the matrix"});
}

} // namespace appa::bench
