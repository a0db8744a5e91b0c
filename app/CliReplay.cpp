// appa-lab replay: executes the runs of a session again and compares every number.

#include "Cli.h"
#include "ProblemOptions.h"
#include "Terminal.h"

#include "run/Replay.h"
#include "run/Session.h"

#include <CLI/CLI.hpp>

#include <cstdio>
#include <memory>

namespace appa::cli {

namespace {

struct ReplayArguments
{
    std::string file;
    bool quiet = false;
};

/// The exit code of a replay that came out differently: the recorded data is not what it claims.
constexpr int different = DataError;

int replayFile(const ReplayArguments &arguments)
{
    const auto session = readSession(arguments.file);
    if (!session)
        return fail(session.error());
    const Session &saved = session.value();
    const auto data = loadData(locatedBeside(saved.data, arguments.file), arguments.quiet);
    if (!data)
        return fail(data.error());
    if (const std::string reason = dataMismatch(saved, *data.value()); !reason.empty())
        return fail({Error::Kind::Data, reason + ": its runs cannot come out as they did."});
    const auto problem = makeProblem(data.value(), saved.loss, saved.ridge);
    if (!problem)
        return fail(problem.error());

    int code = Done;
    for (const SavedRun &run : saved.runs) {
        ProgressLine line(!arguments.quiet && ProgressLine::onTerminal());
        Progress progress;
        progress.stop = interruption();
        progress.report = [&](double fraction, std::string_view what) {
            line.show(run.name + ": " + std::string(what), fraction);
        };
        const auto report = replay(problem.value(), run.spec, run.trace, progress);
        line.clear();
        if (!report && report.error().kind == Error::Kind::Cancelled)
            return fail(report.error());
        if (!report) { // it could not start then either, or not with this program
            std::printf("%s: CANNOT START. %s\n", run.name.c_str(), report.error().message.c_str());
            code = different;
            continue;
        }
        if (!report.value().identical) {
            std::printf("%s: DIFFERENT after %zu points. %s\n", run.name.c_str(), report.value().points,
                        report.value().difference.c_str());
            code = different;
        } else if (!arguments.quiet) {
            std::printf("%s: identical, %zu points, %zu changes\n", run.name.c_str(), report.value().points,
                        run.trace.events.size());
        }
    }
    return code;
}

} // namespace

void addReplayCommand(CLI::App &app, Action &chosen)
{
    CLI::App *sub = app.add_subcommand("replay", "Execute the runs of a session again; every number must be the same");
    const auto arguments = std::make_shared<ReplayArguments>();
    sub->add_option("FILE", arguments->file, "A session (.appa)")->required();
    sub->add_flag("--quiet", arguments->quiet, "Say only what differs");
    sub->footer("Exit code 0 if every run is identical, 3 if one is not.");
    sub->callback([&chosen, arguments] { chosen = [arguments] { return replayFile(*arguments); }; });
}

} // namespace appa::cli
