#include "RunResume.h"

#include "Cli.h"
#include "Terminal.h"

#include "base/Text.h"
#include "run/Labels.h"

#include <algorithm>
#include <limits>

namespace appa::cli {

namespace {

Result<std::size_t> chosenRun(const Session &session, const RunOptions &options)
{
    const std::vector<SavedRun> &runs = session.runs;
    const auto named = [&](const SavedRun &run) { return options.name.empty() || run.name == options.name; };
    const auto chosen = std::ranges::find_if(runs, named);
    if (chosen != runs.end() && std::ranges::count_if(runs, named) == 1)
        return static_cast<std::size_t>(chosen - runs.begin());
    if (runs.empty())
        return Error{Error::Kind::Data, options.resume + " has no run to go on with."};
    const std::string names = joined(runs, ", ", [](const SavedRun &run) { return "\"" + run.name + "\""; });
    if (chosen == runs.end())
        return usage(options.resume + " has no run \"" + options.name + "\"; it has " + names + ".");
    return usage(options.resume + " has several runs" + (options.name.empty() ? "" : " of that name")
                 + ": --name says with which to go on, of " + names + ".");
}

/// Why it has no next stage, as far as that is known without executing it.
std::optional<Error> obstacleTo(const SavedRun &saved, Index rows, const RunOptions &options)
{
    const TracePoint last = saved.trace.points.empty() ? TracePoint{} : saved.trace.points.back();
    const Index stage = last.stage;
    const double passes = static_cast<double>(last.cost.accesses) / static_cast<double>(std::max<Index>(1, rows));
    if (saved.status == RunStatus::Failed || saved.status == RunStatus::Diverged)
        return usage("\"" + saved.name + "\" cannot go on. " + saved.message);
    if (saved.status == RunStatus::Finished && !options.stopGiven)
        return usage("\"" + saved.name + "\" has ended: " + saved.message
                     + " Say how far it is to go on, with --stages for example.");
    if (options.stagesGiven && options.stop.stages > 0 && stage >= options.stop.stages)
        return usage("\"" + saved.name + "\" has " + std::to_string(stage) + " stages already: --stages "
                     + std::to_string(options.stop.stages) + " does not go further.");
    if (options.stopGiven && options.stop.passes > 0 && passes >= options.stop.passes)
        return usage("\"" + saved.name + "\" has " + shortNumber(passes) + " passes already: --passes "
                     + shortNumber(options.stop.passes) + " does not go further.");
    if (options.stopGiven && options.stop.seconds > 0 && last.seconds >= options.stop.seconds)
        return usage("\"" + saved.name + "\" has taken " + shortNumber(last.seconds) + " seconds already: --seconds "
                     + shortNumber(options.stop.seconds) + " does not go further.");
    return std::nullopt;
}

/// Executes the run up to where it was. Nothing is measured again.
std::optional<Error> rebuild(Run &run, bool quiet)
{
    using Clock = Slice::Clock;
    ProgressLine line(!quiet && ProgressLine::onTerminal());
    while (run.catchingUp() && run.status() != RunStatus::Failed) {
        if (interrupted())
            return Error{Error::Kind::Cancelled, "Interrupted before the run was where it had been."};
        Slice slice(Clock::now() + std::chrono::milliseconds(20), std::numeric_limits<Index>::max());
        run.settle(slice);
        if (run.learning()) {
            line.show("measuring what the method has to know of the data");
            run.wait(Clock::now() + std::chrono::milliseconds(20));
        } else {
            line.show("making the run again, stage " + std::to_string(run.stage() + 1));
        }
    }
    if (run.status() == RunStatus::Failed)
        return Error{Error::Kind::Data, run.message()};
    if (run.done())
        return usage("The method has nothing left to do.");
    return std::nullopt;
}

} // namespace

Result<ResumedRun> resumeRun(const RunOptions &options, JobExecutor executor)
{
    auto read = readSession(options.resume);
    if (!read)
        return read.error();
    ResumedRun out{.session = std::move(read).value(), .index = 0, .run = nullptr};
    Session &session = out.session;
    const auto index = chosenRun(session, options);
    if (!index)
        return index.error();
    out.index = index.value();
    const SavedRun &saved = session.runs[out.index];
    if (auto error = obstacleTo(saved, session.rows, options))
        return *error;
    session.data = locatedBeside(session.data, options.resume);
    const auto data = loadData(session.data, options.quiet);
    if (!data)
        return data.error();
    if (const std::string reason = dataMismatch(session, *data.value()); !reason.empty())
        return Error{Error::Kind::Data, reason + ", so the run cannot go on."};
    const auto problem = makeProblem(data.value(), session.loss, session.ridge);
    if (!problem)
        return problem.error();
    auto run = Run::restore(problem.value(), saved.spec, options.stopGiven ? options.stop : saved.stop,
                            saved.measuresPerPass, saved.trace);
    if (!run)
        return run.error();
    out.run = std::move(run).value();
    out.run->setExecutor(std::move(executor));
    if (auto error = rebuild(*out.run, options.quiet))
        return *error;
    return out;
}

} // namespace appa::cli
