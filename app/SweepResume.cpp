#include "SweepResume.h"

#include "Cli.h"
#include "run/SweepFolder.h"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <filesystem>

namespace appa::cli {

std::optional<Error> takeProblem(const SweepContext &study, const std::string &folder, SweepArguments &arguments)
{
    if (study.problem.empty())
        return std::nullopt;
    auto problem = ProblemOptions::fromText(study.problem);
    if (!problem)
        return problem.error();
    ProblemOptions &options = problem.value();
    // The list and the four options that it takes the place of exclude each other.
    const ProblemOptions &given = arguments.problem;
    if (!given.transforms.empty()) {
        options.rows = 0;
        options.normalize.clear();
        options.features.clear();
        options.affine = false;
    } else if (given.rows > 0 || !given.normalize.empty() || !given.features.empty() || given.affine) {
        options.transforms.clear();
    }
    CLI::App app;
    options.addTo(app);
    std::vector<std::string> words = arguments.problemWords;
    std::ranges::reverse(words); // as the parser takes them
    app.parse(std::move(words)); // it has understood them before
    if (app.count("--data") == 0)
        arguments.dataNamedIn = folder;
    arguments.problem = std::move(options);
    return std::nullopt;
}

std::optional<Error> takeFromFolder(SweepArguments &arguments, SweepPlan &plan)
{
    std::error_code failed; // if that cannot be told, reading it says why
    if (!std::filesystem::exists(arguments.out + "/plan.json", failed) && !failed) {
        if (arguments.given.empty() && arguments.problemWords.empty())
            return usage("There is no study in " + arguments.out
                         + " to go on with. To begin one there, say what it is about: its problem, or its grid.");
        return std::nullopt;
    }
    const auto study = readStudy(arguments.out);
    if (!study)
        return study.error();
    if (auto error = takeProblem(study.value().context, arguments.out, arguments))
        return error;
    if (arguments.task.empty())
        arguments.task = study.value().context.task.value_or("");
    const SweepPlan &there = study.value().plan;
    const auto grown = [&arguments](auto all, const auto &given, const char *option) {
        for (const auto &value : given)
            if (arguments.has(option) && std::ranges::find(all, value) == all.end())
                all.push_back(value);
        return all;
    };
    plan.methods = grown(there.methods, plan.methods, "--methods");
    plan.lambdas = grown(there.lambdas, plan.lambdas, "--lambdas");
    plan.seeds = grown(there.seeds, plan.seeds, "--seeds");
    std::ranges::sort(plan.lambdas);
    std::ranges::sort(plan.seeds);
    if (!arguments.has("--stages"))
        plan.stages = there.stages;
    return std::nullopt;
}

} // namespace appa::cli
