// appa-lab sweep: its options.

#include "CliSweep.h"

#include "Checks.h"
#include "Cli.h"
#include "base/Text.h"

#include <CLI/CLI.hpp>

namespace appa::cli {

Result<std::pair<std::size_t, std::size_t>> parseTask(const std::string &text)
{
    std::size_t task = 0, tasks = 0;
    const auto parts = split(text, '/');
    if (parts.size() == 2 && readInto(parts[0], task) && readInto(parts[1], tasks) && task >= 1 && task <= tasks)
        return std::pair(task, tasks);
    return Error{Error::Kind::Usage, "--task wants K/N with 1 <= K <= N, not \"" + text + "\"."};
}

Result<SweepPlan> planOf(const SweepArguments &arguments)
{
    SweepPlan plan;
    auto methods = parseSweepMethods(arguments.methods);
    if (!methods)
        return methods.error();
    auto lambdas = parseLambdas(arguments.lambdas);
    if (!lambdas)
        return lambdas.error();
    auto seeds = parseSeeds(arguments.seeds);
    if (!seeds)
        return seeds.error();
    plan.methods = std::move(methods).value();
    plan.lambdas = std::move(lambdas).value();
    plan.seeds = std::move(seeds).value();
    plan.stages = arguments.stages;
    return plan;
}

void addSweepCommand(CLI::App &app, Action &chosen)
{
    CLI::App *sub = app.add_subcommand("sweep", "Study the sensitivity of methods to lambda, on all cores");
    const auto a = std::make_shared<SweepArguments>();
    a->problem.addTo(*sub);
    CLI::Option *methods =
        sub->add_option("--methods", a->methods,
                        "METHOD[:INNER][:key=value..], separated by commas; of the default those that suit the problem")
            ->capture_default_str();
    CLI::Option *lambdas =
        sub->add_option("--lambdas", a->lambdas, "lo:hi:count (evenly spaced in the logarithm), or a list a,b,c")
            ->capture_default_str();
    CLI::Option *seeds = sub->add_option("--seeds", a->seeds, "first..last, or a list")->capture_default_str();
    CLI::Option *stages =
        sub->add_option("--stages", a->stages, "Stages of each run")->capture_default_str()->check(wholeNumber(false));
    CLI::Option *jobs = sub->add_option("--jobs", a->jobs, "Runs at a time; 0: one per core")
                            ->capture_default_str()
                            ->check(between(0, 1024));
    CLI::Option *out = sub->add_option(
        "--out", a->out, "The study's folder: plan.json, results.csv, summary, figures; required but for --estimate");
    sub->add_flag(
        "--resume", a->resume,
        "Go on with the study in that folder (or begin it); what it is about need not be said again, a part of "
        "the grid that is given is added to it");
    CLI::Option *task =
        sub->add_option("--task", a->task, "K/N: only every N-th run, beginning with the K-th; for job arrays");
    CLI::Option *merging =
        sub->add_option("--merge", a->merge, "Join the studies in these folders (made with --task) into --out");
    for (CLI::Option *option : {task, methods, lambdas, seeds, stages}) // the parts' plan says it
        merging->excludes(option);
    CLI::Option *curves = sub->add_flag(
        "--curves", a->curves,
        "Also the learning curves of each method's best lambda, with the ridge floors ls(lambda): of the seed with the "
        "median result (of an even number the worse of the two in the middle)");
    CLI::Option *floors = sub->add_flag(
        "--floors", a->floors,
        "The ridge floor ls(lambda) over the whole grid (one exact solve each), in the figure and in floors.csv");
    CLI::Option *noFigure = sub->add_flag("--no-figure", a->noFigure, "Write no figures");
    CLI::Option *estimating = sub->add_flag("--estimate", a->estimateOnly, "Only say what the study would take");
    estimating->excludes(merging);
    sub->add_flag("--quiet", a->quiet, "No progress line and no estimate");
    sub->footer(
        "A study that was interrupted or killed goes on with --resume and ends with the same files.\n"
        "On a cluster, as a Slurm array (task K of N, started by sbatch --array=1-N):\n"
        "  appa-lab sweep PROBLEM .. --task $SLURM_ARRAY_TASK_ID/$SLURM_ARRAY_TASK_COUNT --jobs 1 \\\n"
        "      --out study/part-$SLURM_ARRAY_TASK_ID --resume\n"
        "or with GNU parallel over ssh (a shared folder):\n"
        "  parallel --sshlogin node1,node2 appa-lab sweep PROBLEM .. --task {}/8 --jobs 1 \\\n"
        "      --out $PWD/study/part-{} --resume ::: $(seq 8)\n"
        "and then: appa-lab sweep --merge study/part-* --out study/all\n"
        "Exit codes: 0 done (diverged runs are results), 2 wrong usage, 3 the data, or runs that failed or are\n"
        "missing from the parts (the files are written), 4 reading or writing, 130 interrupted.");
    sub->callback([&chosen, a, sub, out, merging, estimating, jobs, curves, floors, noFigure] {
        if (*merging && *jobs)
            throw CLI::ValidationError("--jobs has no effect with --merge, which runs nothing: leave it out.");
        for (const CLI::Option *option : {curves, floors, noFigure})
            if (*estimating && *option)
                throw CLI::ValidationError(option->get_name()
                                           + " has no effect with --estimate, which writes nothing: leave it out.");
        for (const char *option : {"--methods", "--lambdas", "--seeds", "--stages"})
            if (sub->count(option) > 0)
                a->given.insert(option);
        for (const CLI::Option *option : sub->get_options())
            if (option->get_group() == ProblemOptions::group && option->count() > 0)
                a->problemWords.push_back("--" + option->get_lnames().front() + "=" + joined(option->results(), ","));
        for (const std::string &folder : a->merge) // it takes the words that follow, whatever they are
            if (folder.starts_with("--"))
                throw CLI::ValidationError("--merge", "must be followed by folders.");
        if (!*out && !*estimating)
            throw CLI::RequiredError("--out");
        chosen = [a] { return runSweep(*a); };
    });
}

} // namespace appa::cli
