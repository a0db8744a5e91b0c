// appa-lab optimum: F_opt of a problem with its certificate, and the constants of the theory.

#include "BackgroundOptimum.h"
#include "Cli.h"
#include "OptimumJson.h"
#include "ProblemOptions.h"
#include "Terminal.h"

#include "base/AtomicFile.h"
#include "base/Failure.h"
#include "base/JsonText.h"
#include "run/TraceCsv.h"

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <cmath>
#include <cstdio>
#include <limits>
#include <memory>

namespace appa::cli {

namespace {

struct OptimumArguments
{
    ProblemOptions problem;
    std::string weights;
    bool noCache = false;
    bool json = false;
    bool quiet = false;
};

/// After the result is told: a disk that is full does not hide it.
int writeWeights(const Vector &x, const std::string &path)
{
    if (path.empty())
        return Done;
    std::fflush(stdout);
    const auto error = writeAtomically(path, weightsText(x));
    return error ? fail(*error) : static_cast<int>(Done);
}

int optimum(const OptimumArguments &arguments)
{
    if (arguments.weights == "-" || isStandardOutput(arguments.weights))
        return fail(usage("--weights needs the name of a file: the result goes to the standard output."));
    const auto recipe = arguments.problem.recipe();
    if (!recipe)
        return fail(recipe.error());
    if (const auto error = whyNotOver(recipe.value(), "--weights", arguments.weights))
        return fail(*error);
    const auto data = loadData(recipe.value(), arguments.quiet);
    if (!data)
        return fail(data.error());
    const auto problem = makeProblem(data.value(), arguments.problem.loss, arguments.problem.ridge);
    if (!problem)
        return fail(problem.error());

    // Before minutes of work it should be known that the result can be kept.
    if (!arguments.weights.empty())
        if (const auto error = whyNotWritable(arguments.weights))
            return fail(*error);
    ProgressLine line(!arguments.quiet && ProgressLine::onTerminal());
    Progress progress;
    progress.stop = interruption();
    progress.report = [&line](double fraction, std::string_view what) { line.show(what, fraction); };
    const Problem &p = *problem.value();
    const auto found = cachedOptimum(p, arguments.noCache ? std::string() : optimumCache(), progress);
    std::optional<Constants> known;
    std::string why; // there are none: F_opt, minutes of work, is told all the same
    if (found)
        why = failureOf("measure the problem's constants", [&] { known = p.constants(progress); });
    line.clear();
    if (!found || (!known && why.empty()))
        return fail({Error::Kind::Cancelled, "Interrupted before the optimum was found."});
    const auto ended = [&] {
        const int code = writeWeights(found->x, arguments.weights);
        return why.empty() ? code : fail({Error::Kind::Data, why});
    };
    // L and R are always there.
    constexpr double unknown = std::numeric_limits<double>::quiet_NaN();
    const Constants constants = known.value_or(Constants{
        .L = p.curvature(), .R = p.radius(), .normA2 = unknown, .M = unknown, .mu = unknown, .kappa = unknown});

    if (arguments.json) {
        nlohmann::ordered_json json = optimumJson(*found);
        json["mu"] = jsonNumber(constants.mu);
        json["mu_is_local"] = constants.muIsLocal;
        json["L"] = jsonNumber(constants.L);
        json["R"] = jsonNumber(constants.R);
        json["M"] = jsonNumber(constants.M);
        json["kappa"] = jsonNumber(constants.kappa);
        json["n"] = p.n();
        json["d"] = p.d();
        json["seconds"] = jsonNumber(found->seconds);
        std::fputs(jsonText(json).c_str(), stdout);
        return ended();
    }
    const bool open = !found->known && found->value > 0;
    std::printf("F_opt        %.17g%s\n", found->value,
                found->attained ? ""
                    : open      ? "  (at most: it was left open)"
                                : "  (an infimum that is not attained)");
    std::printf("certificate  F(x) - F_opt <= %.3g\n", found->certificate);
    if (known) {
        std::printf("mu           %.6g%s\n", constants.mu, constants.muIsLocal ? "  (at the optimum only)" : "");
        std::printf("L, R, M      %.6g, %.6g, %.6g\n", constants.L, constants.R, constants.M);
        std::printf("kappa        %.6g\n", constants.kappa);
    } else {
        std::printf("L, R         %.6g, %.6g  (mu, M and kappa could not be measured)\n", constants.L, constants.R);
    }
    std::printf("n, d         %lld, %lld\n", static_cast<long long>(p.n()), static_cast<long long>(p.d()));
    std::printf("time         %s\n", durationText(found->seconds).c_str());
    if (!found->message.empty())
        std::printf("%s\n", found->message.c_str());
    return ended();
}

} // namespace

void addOptimumCommand(CLI::App &app, Action &chosen)
{
    CLI::App *sub =
        app.add_subcommand("optimum", "Solve a problem exactly: F_opt, its certificate, and the theory's constants");
    const auto arguments = std::make_shared<OptimumArguments>();
    arguments->problem.addTo(*sub);
    sub->add_option("--weights", arguments->weights, "Write the minimizer, one number per line");
    sub->add_flag("--no-cache", arguments->noCache, "Solve it even if it was solved before");
    sub->add_flag(
        "--json", arguments->json,
        "f_opt, certificate, floor, attained, known, message, mu, mu_is_local, L, R, M, kappa, n, d, seconds as JSON");
    sub->add_flag("--quiet", arguments->quiet, "No progress line");
    sub->callback([&chosen, arguments] { chosen = [arguments] { return optimum(*arguments); }; });
}

} // namespace appa::cli
