#include "BenchData.h"
#include "Sections.h"

#include "data/Recipe.h"
#include "methods/Registry.h"

#ifdef APPA_HAVE_LIBLINEAR
#include "Liblinear.h"
#endif

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <limits>

namespace appa::bench {

namespace {

/// A method with its own settings, its first stage and so its preparations done.
std::shared_ptr<Method> underWay(const ProblemPtr &problem, const std::string &id)
{
    const MethodInfo &info = *findMethod(id);
    const std::string inner = info.inners.empty() ? "" : "sdca";
    std::shared_ptr<Method> method = info.make(problem, inner, ParamSet(paramsOf(info, inner)));
    Handover from;
    from.x = Vector::Zero(problem->dim());
    method->start(from, IndexStream::baseOf(1));
    Slice all = Slice::ticks(std::numeric_limits<Index>::max());
    method->advance(all);
    return method;
}

double doStages(Method &method, int stages)
{
    for (int k = 0; k < stages; ++k) {
        Slice all = Slice::ticks(std::numeric_limits<Index>::max());
        method.advance(all);
    }
    return static_cast<double>(method.cost().steps);
}

/// One stage after another of a method.
Contender stageOf(const ProblemPtr &problem, const std::string &id)
{
    return {findMethod(id)->label, [method = underWay(problem, id)] { return doStages(*method, 1); }};
}

constexpr std::array methodIds = {"sdca", "dual-appa", "accelerated-appa", "apcg", "svrg", "saga", "sgd"};

#ifdef APPA_HAVE_LIBLINEAR
/// How many times faster than liblinear's dual solver the first methods are: both go through as many passes from the
/// start, the first one not counted, since a pass gets cheaper as the steps get smaller.
std::vector<double> againstLiblinear(const ProblemPtr &problem, int repetitions, std::size_t count)
{
    const LiblinearData liblinear(problem->data());
    const bool squared = problem->loss().index() == 0;
    LiblinearData::Calls calls;
    std::vector<double> seconds(count, std::numeric_limits<double>::infinity());
    for (int k = 0; k < repetitions; ++k) { // taking turns: the machine's speed changes by the minute
        liblinear.time(squared ? L2R_L2LOSS_SVR_DUAL : L2R_LR_DUAL, squared ? 0.5 : 1, calls);
        for (std::size_t c = 0; c < count; ++c) {
            const auto method = underWay(problem, methodIds[c]);
            const double begin = threadSeconds();
            doStages(*method, calls.passes);
            seconds[c] = std::min(seconds[c], threadSeconds() - begin);
        }
    }
    for (double &s : seconds)
        s = (calls.many - calls.few) / s;
    return seconds;
}
#endif

void runShape(const Table &table, const Options &options, const std::string &name, const DatasetPtr &data)
{
    const double n = static_cast<double>(data->train.rows());
    for (const char *loss : {"squared", "logistic"}) {
        const auto problem = problemOf(data, loss, 1 / n);
        std::vector<Contender> contenders = {{"read", [&] { return plainRead(*problem); }}};
        for (const char *id : methodIds)
            contenders.push_back(stageOf(problem, id));
        const auto seconds = bestOf(options.repetitions, contenders);
        std::vector<double> faster;
#ifdef APPA_HAVE_LIBLINEAR
        if (isSparse(data->train.features))
            faster = againstLiblinear(problem, options.repetitions, 3);
#endif
        for (std::size_t k = 1; k < contenders.size(); ++k)
            table.row({name, loss, contenders[k].name, number(seconds[k] / seconds[0]),
                       k <= faster.size() ? number(faster[k - 1]) + "x" : ""});
    }
}

/// Of one core's last cache. (What sysconf tells may be all of a socket's.)
Index lastCacheBytes()
{
    std::ifstream in("/sys/devices/system/cpu/cpu0/cache/index3/size");
    Index kib = 0;
    return in >> kib ? 1024 * kib : static_cast<Index>(std::max(0L, sysconf(_SC_LEVEL3_CACHE_SIZE)));
}

} // namespace

void runPasses(const Options &options)
{
    const Table table({"data", "loss", "method", "stage / read of A", "liblinear's dual passes / as many stages"});
    const Index scale = options.quick ? 10 : 1;
    runShape(table, options, "60000 x 784", blobs(60000 / scale, 784));
    runShape(table, options, "20000 x 4000", blobs(20000 / scale, 4000));
    runShape(table, options, "200000 x 50000, 50 a row", scattered(200000 / scale, 50000, 50));
    for (const std::string &file : options.sparse) {
        DataRecipe recipe;
        recipe.source = file;
        if (const auto data = loadDataset(recipe))
            runShape(table, options, std::filesystem::path(file).filename().string(), data.value());
        else
            std::printf("%s\n", data.error().message.c_str());
    }
}

void runGrowth(const Options &options)
{
    const Table table({"what doubles", "from", "ratios of an SDCA pass"});
    const Index scale = options.quick ? 10 : 1;
    const auto doublings = [&](const std::string &what, Index first, auto &&make) {
        const auto passOf = [&](Index size) {
            const DatasetPtr data = make(size);
            return stageOf(problemOf(data, "squared", 1 / static_cast<double>(data->train.rows())), "sdca");
        };
        std::string ratios;
        Contender smaller = passOf(first);
        for (Index k = 1, size = 2 * first; k <= 3; ++k, size *= 2) { // two sizes at a time take turns, and memory
            Contender larger = passOf(size);
            const auto seconds = bestOf(options.repetitions, {smaller, larger});
            ratios += (k > 1 ? ", " : "") + number(seconds[1] / seconds[0]);
            smaller = std::move(larger);
        }
        table.row({what, std::to_string(first), ratios});
    };
    // From sizes of which the last cache holds a fifth at the most: before that a doubling also pushes data out of it
    // (from a third, the part that comes from memory grows from 2/3 to 5/6, and the pass by 2.5 instead of 2). Dense
    // rows stay so short that x and four of them about fit into the second cache, as the pairs' sweep needs it. Both
    // begin so long that what a row costs by itself, about as much as 70 sparse entries, is a small part.
    const Index memory = static_cast<Index>(sysconf(_SC_PHYS_PAGES)) * static_cast<Index>(sysconf(_SC_PAGESIZE));
    const Index bytes = std::min(5 * lastCacheBytes(), memory / 16);
    const auto atLeast = [&](Index least, Index bytesEach) { return std::max(least, bytes / bytesEach) / scale; };
    doublings("n (d = 784)", atLeast(120000, 4 * 784), [](Index n) { return blobs(n, 784); });
    const Index rows = atLeast(20000, 4 * 3000);
    doublings("d (n = " + std::to_string(rows) + ")", 3000, [&](Index d) { return blobs(rows, d); });
    doublings("n (50 entries a row of 50000)", atLeast(1600000, 8 * 50),
              [](Index n) { return scattered(n, 50000, 50); });
    const Index sparseRows = atLeast(50000, 8 * 400);
    doublings("entries a row (" + std::to_string(sparseRows) + " x 50000)", 400,
              [&](Index k) { return scattered(sparseRows, 50000, k); });
}

} // namespace appa::bench
