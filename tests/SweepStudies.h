#pragma once

#include "data/Recipe.h"
#include "run/Sweep.h"
#include "run/SweepSummary.h"

#include <fstream>
#include <limits>
#include <sstream>
#include <stdexcept>

/// Small studies, real and made up, and their files.
namespace appa::testing {

inline constexpr double inf = std::numeric_limits<double>::infinity();

inline std::string readFile(const std::string &path)
{
    std::ifstream in(path, std::ios::binary);
    std::ostringstream text;
    text << in.rdbuf();
    return text.str();
}

inline void writeFile(const std::string &path, std::string_view text)
{
    std::ofstream(path, std::ios::binary | std::ios::trunc) << text;
}

/// The file with the cells of the column "seconds" emptied.
inline std::string withoutSeconds(const std::string &text)
{
    constexpr int secondsColumn = 10;
    std::string out;
    int column = 0;
    for (const char c : text) {
        if (c == '\n')
            column = 0;
        else if (c == ',')
            ++column;
        if (column != secondsColumn || c == ',' || c == '\n')
            out += c;
    }
    return out;
}

inline ProblemPtr smallProblem(const char *loss = "squared")
{
    DataRecipe recipe;
    recipe.source = "gaussians-2d:n=120,test=60";
    auto data = loadDataset(recipe);
    if (!data)
        throw std::runtime_error(data.error().message);
    const Index n = data.value()->train.rows();
    return std::make_shared<const Problem>(data.value(), makeLoss(loss, n, 1).value(), 0);
}

inline SweepPlan planOf(const char *methods, const char *lambdas, const char *seeds, Index stages)
{
    SweepPlan plan;
    plan.methods = parseSweepMethods(methods).value();
    plan.lambdas = parseLambdas(lambdas).value();
    plan.seeds = parseSeeds(seeds).value();
    plan.stages = stages;
    return plan;
}

inline TracePoint pointOf(Index stage, double loss, double testError = 0.25)
{
    TracePoint p;
    p.stage = stage;
    p.cost.steps = 100 * stage;
    p.cost.accesses = 150 * stage;
    p.cost.fullAccesses = 50 * stage;
    p.seconds = 0.125 * static_cast<double>(stage);
    p.loss = loss;
    p.testError = testError;
    return p;
}

inline SweepResult resultOf(std::size_t index, const std::vector<double> &losses,
                            RunStatus status = RunStatus::Finished)
{
    SweepResult r;
    r.index = index;
    r.status = status;
    for (std::size_t k = 0; k < losses.size(); ++k)
        r.points.push_back(pointOf(static_cast<Index>(k), losses[k]));
    r.stage = static_cast<Index>(losses.size()) - (status == RunStatus::Diverged ? 0 : 1);
    if (status == RunStatus::Diverged)
        r.note = "The loss, \"0.5\" at first, is not finite.";
    return r;
}

inline SweepContext contextFor100()
{
    SweepContext context;
    context.dataset = "made";
    context.dataHash = 0xfedcba9876543210ull;
    context.loss = "squared";
    context.n = 100;
    context.testRows = 400;
    context.d = 5;
    context.fOpt = 0.01;
    context.floor = 1e-12;
    return context;
}

/// Made-up results of a plan, one of them diverged.
inline std::vector<SweepResult> madeResults(const SweepPlan &plan)
{
    std::vector<SweepResult> all;
    for (std::size_t k = 0; k < plan.size(); ++k) {
        std::vector<double> losses = {0.5};
        for (Index s = 1; s <= plan.stages; ++s)
            losses.push_back(0.5 / static_cast<double>(s + static_cast<Index>(k) + 1) + 1e-17);
        const bool diverged = k == 1;
        if (diverged)
            losses.pop_back();
        all.push_back(resultOf(k, losses, diverged ? RunStatus::Diverged : RunStatus::Finished));
    }
    return all;
}

inline std::unique_ptr<SweepFolder> opened(const std::string &path, const SweepPlan &plan, const SweepContext &context,
                                           SweepFolder::Mode mode)
{
    auto folder = SweepFolder::open(path, plan, context, mode);
    if (!folder)
        throw std::runtime_error(folder.error().message);
    return std::move(folder).value();
}

/// Executes a study (or its share) in a folder and returns its final state.
inline SweepState study(const ProblemPtr &problem, const SweepPlan &plan, const std::string &path,
                        SweepFolder::Mode mode, int jobs, std::vector<std::size_t> cases = {})
{
    Sweep sweep(
        problem, plan,
        {.jobs = jobs, .cases = std::move(cases), .folder = opened(path, plan, contextOf(*problem), mode), .wake = {}});
    sweep.start();
    sweep.wait();
    return sweep.progress().state;
}

} // namespace appa::testing
