// appa-lab sweep: the study itself, from its problem to its files.

#include "SweepRun.h"

#include "Cli.h"
#include "SweepFigures.h"
#include "SweepOutput.h"
#include "SweepResume.h"
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
#include <thread>

namespace appa::cli {

namespace {

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

bool wantsLine(const SweepArguments &arguments)
{
    return !arguments.quiet && ProgressLine::onTerminal();
}

Progress progressOn(ProgressLine &line)
{
    return {.report = [&line](double fraction, std::string_view what) { line.show(what, fraction); },
            .stop = interruption()};
}

Result<ProblemPtr> loadProblem(const SweepArguments &arguments)
{
    const auto recipe = arguments.problem.recipe();
    if (!recipe)
        return recipe.error();
    if (!arguments.out.empty())
        for (const std::string &file : studyFiles(arguments.out))
            if (const auto error = whyNotOver(recipe.value(), "The study in --out", file))
                return *error;
    const auto data = loadData(recipe.value(), arguments.quiet);
    if (!data && !arguments.dataNamedIn.empty())
        return Error{data.error().kind,
                     data.error().message + " That is what " + arguments.dataNamedIn
                         + "/plan.json names; --data says where it is now."};
    if (!data)
        return data.error();
    return makeProblem(data.value(), arguments.problem.loss, arguments.problem.ridge);
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
        return mergeParts(arguments);

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
    const auto problem = loadProblem(arguments);
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

} // namespace appa::cli
