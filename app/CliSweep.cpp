#include "CliSweep.h"

#include "Checks.h"

#include "Cli.h"
#include "SweepFigures.h"
#include "SweepResume.h"
#include "Terminal.h"
#include "base/Text.h"
#include "problem/Optimum.h"
#include "run/Sweep.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <condition_variable>
#include <cstdio>
#include <filesystem>
#include <mutex>
#include <set>
#include <thread>

#include <CLI/CLI.hpp>

namespace appa::cli {

namespace {

Progress progressOn(ProgressLine &line)
{
    return {.report = [&line](double fraction, std::string_view what) { line.show(what, fraction); },
            .stop = interruption()};
}

std::string runsText(std::size_t count)
{
    return std::to_string(count) + (count == 1 ? " run" : " runs");
}

bool wantsLine(const SweepArguments &arguments)
{
    return !arguments.quiet && ProgressLine::onTerminal();
}

Result<ProblemPtr> load(const SweepArguments &arguments)
{
    const auto recipe = arguments.problem.recipe();
    if (!recipe)
        return recipe.error();
    const auto data = loadData(recipe.value(), arguments.quiet);
    if (!data && !arguments.dataNamedIn.empty())
        return Error{data.error().kind,
                     data.error().message + " That is what " + arguments.dataNamedIn
                         + "/plan.json names; --data says where it is now."};
    if (!data)
        return data.error();
    return makeProblem(data.value(), arguments.problem.loss, arguments.problem.ridge);
}

/// The files of a study whose results are there: summary, floors, figure, curves.
int writeFiles(const SweepTable &table, const SweepArguments &arguments, const std::string &command)
{
    auto error = writeSummary(table, arguments.out);
    if (!error && arguments.floors)
        error = writeFloors(table, arguments.out);
    if (!error && !arguments.noFigure)
        error = writeFigure(table, arguments.out, command);
    if (!error && arguments.curves)
        error = writeCurves(table, arguments.out, command, !arguments.noFigure);
    std::fputs(appa::summaryText(table).c_str(), stdout); // however little of it could be kept
    std::fflush(stdout);
    if (error)
        return fail({error->kind,
                     error->message + " The results themselves are in " + arguments.out
                         + "/results.csv; --resume makes the other files."});
    return Done;
}

/// ls(lambda) where it is to be drawn: over the grid, or for the curves shown.
bool addFloors(SweepTable &table, const Problem &problem, const SweepArguments &arguments, const Progress &progress)
{
    std::set<double> lambdas;
    if (arguments.floors)
        lambdas.insert(table.plan().lambdas.begin(), table.plan().lambdas.end());
    if (arguments.curves) {
        for (const BestCurve &curve : bestCurves(table)) {
            const MethodInfo *info = findMethod(table.plan().methods[curve.which.method].method);
            if (info && (info->lambda == LambdaMeaning::RidgeWeight || info->lambda == LambdaMeaning::ProximalWeight))
                lambdas.insert(table.plan().lambdas[curve.which.lambda]);
        }
    }
    std::size_t k = 0;
    for (const double lambda : lambdas) {
        progress(static_cast<double>(k++) / static_cast<double>(lambdas.size()),
                 "solving for ls(" + formatParam(lambda) + ")");
        const auto value = ridgeSolutionValue(problem, lambda, {.report = {}, .stop = progress.stop});
        if (!value)
            return false;
        table.setFloor(lambda, *value);
    }
    return true;
}

/// The default methods are those of them that suit the problem.
void leaveOutWhatCannotRun(SweepPlan &plan, const Problem &problem, bool quiet)
{
    std::vector<std::string> left;
    std::erase_if(plan.methods, [&](const SweepVariant &variant) {
        const bool cannot = !whyNot(problem, variant.method, variant.inner).empty();
        if (cannot)
            left.push_back(variant.id());
        return cannot;
    });
    if (!left.empty() && !quiet)
        std::fprintf(stderr, "appa-lab: these cannot run with the %s loss and are left out: %s.\n",
                     std::string(infoOf(problem.loss()).id).c_str(), joined(left).c_str());
}

std::string commandOf(const SweepPlan &plan, const std::string &problem)
{
    return "appa-lab sweep " + problem + (problem.empty() ? "" : " ") + optionsOf(plan);
}

/// The exit code of a study that is written: runs that failed are told, and are made again by --resume.
int verdictOn(const SweepTable &table)
{
    std::size_t failed = 0;
    std::string note;
    for (std::size_t index = 0; index < table.plan().size(); ++index) {
        const SweepResult *result = table.find(table.plan().at(index));
        if (!result || result->status != RunStatus::Failed)
            continue;
        if (failed++ == 0)
            note = result->note;
    }
    if (failed == 0)
        return Done;
    return fail({Error::Kind::Data,
                 std::to_string(failed) + " of " + std::to_string(table.size())
                     + " runs failed; --resume makes them again. The first one says: " + note});
}

int merge(SweepArguments arguments)
{
    // What is there already stays: it is one part more.
    std::error_code ignored;
    if (arguments.resume && std::filesystem::exists(arguments.out + "/plan.json", ignored))
        arguments.merge.insert(arguments.merge.begin(), arguments.out);
    auto merged = mergeStudies(arguments.merge);
    if (!merged)
        return fail(merged.error());
    SweepStudy &study = merged.value();
    SweepTable table(study);
    // What can go wrong does before anything is written.
    if (arguments.curves || arguments.floors) {
        ProgressLine line(wantsLine(arguments));
        if (const auto error = takeProblem(study.context, arguments.merge.front(), arguments))
            return fail(*error);
        const auto problem = load(arguments);
        if (!problem)
            return fail(problem.error());
        if (!study.context.sameProblem(contextOf(*problem.value())))
            return fail(
                {Error::Kind::Usage, "The parts are about another problem than the options: " + study.context.problem});
        if (!addFloors(table, *problem.value(), arguments, progressOn(line)))
            return Interrupted;
    }
    auto folder = SweepFolder::open(arguments.out, study.plan, study.context,
                                    arguments.resume ? SweepFolder::Mode::Resume : SweepFolder::Mode::New);
    if (!folder)
        return fail(folder.error());
    if (const auto error = folder.value()->finish(study.results))
        return fail(*error);
    if (const int code = writeFiles(table, arguments, commandOf(study.plan, study.context.problem)))
        return code;
    if (table.size() < table.plan().size())
        return fail({Error::Kind::Data,
                     std::to_string(table.plan().size() - table.size()) + " of " + std::to_string(table.plan().size())
                         + " runs are missing from the parts."});
    return verdictOn(table);
}

/// What it will take: the answer to --estimate, else a line beside the progress.
int sayEstimate(const ProblemPtr &problem, const SweepPlan &plan, const std::vector<std::size_t> &cases,
                const SweepArguments &arguments)
{
    ProgressLine line(wantsLine(arguments));
    const auto e = estimate(problem, plan, cases, arguments.jobs, progressOn(line));
    line.clear();
    if (!e)
        return Interrupted;
    std::fprintf(arguments.estimateOnly ? stdout : stderr,
                 "%s, about %s (%s of work), %.0f MiB: %.0f MiB of data, %.1f MiB per run under way\n",
                 runsText(e->runs).c_str(), durationText(e->seconds).c_str(), durationText(e->secondsOfWork).c_str(),
                 static_cast<double>(e->bytes) / 1048576, static_cast<double>(e->sharedBytes) / 1048576,
                 static_cast<double>(e->bytesPerJob) / 1048576);
    return Done;
}

int tellInterrupted(std::size_t runs, const std::string &folder)
{
    std::fprintf(stderr, "appa-lab sweep: interrupted; %s in %s, go on with --resume.\n",
                 (runsText(runs) + (runs == 1 ? " is" : " are")).c_str(), folder.c_str());
    return Interrupted;
}

/// Executes the study in its folder. The exit code of what has gone wrong, or 0.
int execute(const ProblemPtr &problem, const SweepPlan &plan, const SweepArguments &arguments,
            const std::shared_ptr<SweepFolder> &folder, std::vector<std::size_t> cases, SweepTable &table)
{
    const std::stop_token interrupted = interruption();
    std::mutex mutex;
    std::condition_variable_any changed;
    bool woken = false;
    Sweep sweep(problem, plan, {.jobs = arguments.jobs, .cases = std::move(cases), .folder = folder, .wake = [&] {
                                    const std::lock_guard guard(mutex);
                                    woken = true;
                                    changed.notify_all();
                                }});
    ProgressLine line(wantsLine(arguments));
    sweep.start();
    SweepProgress p;
    for (;;) {
        for (SweepResult &result : sweep.take())
            table.add(std::move(result));
        p = sweep.progress();
        if (p.state != SweepState::Running)
            break;
        if (interrupted.stop_requested()) {
            sweep.cancel();
            continue;
        }
        line.show(std::to_string(p.done) + " of " + std::to_string(p.runs) + " runs, "
                  + std::to_string(static_cast<int>(100 * p.fraction)) + " %"
                  + (p.diverged > 0 ? ", " + std::to_string(p.diverged) + " diverged" : "")
                  + (std::isnan(p.eta) ? "" : ", " + durationText(p.eta) + " to go"));
        std::unique_lock lock(mutex);
        changed.wait_for(lock, interrupted, std::chrono::milliseconds(250),
                         [&] { return std::exchange(woken, false); });
    }
    sweep.wait();
    for (SweepResult &result : sweep.take())
        table.add(std::move(result));
    line.clear();
    if (p.state == SweepState::Failed)
        return fail({Error::Kind::Io,
                     p.message + " " + runsText(table.size()) + " of " + std::to_string(p.runs) + " are in "
                         + folder->path() + " and stay; --resume goes on with them."});
    if (p.state == SweepState::Cancelled)
        return tellInterrupted(table.size(), folder->path());
    const std::size_t made = p.done - folder->earlier().size();
    if (!arguments.quiet && made > 0) {
        // There are no more workers than runs.
        const auto all = static_cast<double>(std::max(1u, std::thread::hardware_concurrency()));
        const double jobs = arguments.jobs > 0 ? arguments.jobs : all;
        const double cores = std::min({jobs, all, static_cast<double>(made)});
        std::fprintf(stderr, "%s in %.1f s: %.1f s of work, %.0f %% of %.0f %s\n", runsText(made).c_str(), p.seconds,
                     p.busySeconds, 100 * p.busySeconds / (p.seconds * cores), cores, cores == 1 ? "core" : "cores");
    }
    return Done;
}

} // namespace

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

int runSweep(const SweepArguments &given)
{
    SweepArguments arguments = given;
    // Curves and floors that are there follow the results.
    std::error_code ignored;
    if (arguments.resume && std::filesystem::exists(arguments.out + "/curves.csv", ignored))
        arguments.curves = true;
    if (arguments.resume && std::filesystem::exists(arguments.out + "/floors.csv", ignored))
        arguments.floors = true;
    if (!arguments.merge.empty())
        return merge(arguments);

    auto plan = planOf(arguments);
    if (!plan)
        return fail(plan.error());
    if (arguments.resume && !arguments.out.empty())
        if (const auto error = takeFromFolder(arguments, plan.value()))
            return fail(*error);
    std::size_t task = 1, tasks = 1;
    if (!arguments.task.empty()) {
        const auto parsed = parseTask(arguments.task);
        if (!parsed)
            return fail(parsed.error());
        std::tie(task, tasks) = parsed.value();
    }
    ProgressLine line(wantsLine(arguments));
    const auto problem = load(arguments);
    if (!problem)
        return fail(problem.error());
    if (!arguments.has("--methods"))
        leaveOutWhatCannotRun(plan.value(), *problem.value(), arguments.quiet);
    if (const std::string why = plan.value().whyNot(*problem.value()); !why.empty())
        return fail({Error::Kind::Usage, why});
    std::vector<std::size_t> cases = casesOfTask(plan.value(), task, tasks);
    if (cases.empty())
        return fail({Error::Kind::Usage,
                     "Task " + arguments.task + " has nothing to do: there are only "
                         + std::to_string(plan.value().size()) + " runs."});

    if (arguments.estimateOnly)
        return sayEstimate(problem.value(), plan.value(), cases, arguments);

    SweepContext context = contextOf(*problem.value());
    context.problem = arguments.problem.text();
    context.task = arguments.task;
    // The folder first: a resumed study knows its F_opt.
    auto opened = SweepFolder::open(arguments.out, plan.value(), context,
                                    arguments.resume ? SweepFolder::Mode::Resume : SweepFolder::Mode::New);
    if (!opened)
        return fail(opened.error());
    const std::shared_ptr<SweepFolder> folder = std::move(opened).value();
    std::vector<std::size_t> left = cases;
    std::erase_if(left, [&](std::size_t index) {
        return std::ranges::find(folder->earlier(), index, &SweepResult::index) != folder->earlier().end();
    });
    if (!left.empty() && arguments.noFigure)
        removeFigures(arguments.out);
    if (left.empty() && !arguments.quiet)
        std::fprintf(stderr, "%s in %s is complete, with %s: its files are made anew.\n",
                     arguments.task.empty() ? "The study" : ("Task " + arguments.task + " of the study").c_str(),
                     arguments.out.c_str(), runsText(cases.size()).c_str());
    else if (!arguments.quiet)
        if (const int code = sayEstimate(problem.value(), plan.value(), left, arguments))
            return code;
    context = folder->context();
    if (!std::isfinite(context.fOpt) && context.optimumNote.empty()) {
        SlowNotice notice(!arguments.quiet, std::string(optimumNotice) + ".");
        Progress progress = progressOn(line);
        progress.report = [&](double fraction, std::string_view what) {
            notice.tick();
            line.show(what, fraction);
        };
        const auto optimum = cachedOptimum(*problem.value(), optimumCache(), progress);
        line.clear();
        if (!optimum)
            return tellInterrupted(folder->earlier().size(), folder->path());
        if (optimum->known) {
            context.fOpt = optimum->value;
            context.floor = optimum->floor;
        }
        context.optimumNote = optimum->message;
        if (const auto error = folder->setContext(context))
            return fail(*error);
    }

    SweepTable table(plan.value(), context);
    if (const int code = execute(problem.value(), plan.value(), arguments, folder, std::move(cases), table))
        return code;
    const bool haveFloors = addFloors(table, *problem.value(), arguments, progressOn(line));
    line.clear();
    if (!haveFloors)
        return tellInterrupted(table.size(), folder->path());
    if (const int code = writeFiles(table, arguments, commandOf(plan.value(), context.problem)))
        return code;
    return verdictOn(table);
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
    sub->add_option("--jobs", a->jobs, "Runs at a time; 0: one per core")
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
    sub->add_flag(
        "--curves", a->curves,
        "Also the learning curves of each method's best lambda, with the ridge floors ls(lambda): of the seed with the "
        "median result (of an even number the worse of the two in the middle)");
    sub->add_flag(
        "--floors", a->floors,
        "The ridge floor ls(lambda) over the whole grid (one exact solve each), in the figure and in floors.csv");
    sub->add_flag("--no-figure", a->noFigure, "Write no figures");
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
    sub->callback([&chosen, a, sub, out, estimating] {
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
