// appa-lab optimum: F_opt of a problem with its certificate, and the constants of the theory.

#include "BackgroundOptimum.h"
#include "Cli.h"
#include "JsonNumber.h"
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
    std::string why;
    if (found)
        why = failureOf("measure the problem's constants", [&] { known = p.constants(progress); });
    line.clear();
    if (!why.empty())
        return fail({Error::Kind::Data, why});
    if (!found || !known)
        return fail({Error::Kind::Cancelled, "Interrupted before the optimum was found."});
    const Constants constants = *known;

    if (arguments.json) {
        nlohmann::ordered_json json;
        json["f_opt"] = jsonNumber(found->value);
        json["certificate"] = jsonNumber(found->certificate);
        json["floor"] = jsonNumber(found->floor);
        json["attained"] = found->attained;
        json["known"] = found->known;
        json["mu"] = jsonNumber(constants.mu);
        json["mu_is_local"] = constants.muIsLocal;
        json["L"] = jsonNumber(constants.L);
        json["R"] = jsonNumber(constants.R);
        json["M"] = jsonNumber(constants.M);
        json["kappa"] = jsonNumber(constants.kappa);
        json["n"] = p.n();
        json["d"] = p.d();
        json["seconds"] = jsonNumber(found->seconds);
        json["message"] = found->message;
        std::fputs(jsonText(json).c_str(), stdout);
        return writeWeights(found->x, arguments.weights);
    }
    std::printf("F_opt        %.17g%s\n", found->value, found->attained ? "" : "  (an infimum that is not attained)");
    std::printf("certificate  F(x) - F_opt <= %.3g\n", found->certificate);
    std::printf("mu           %.6g%s\n", constants.mu, constants.muIsLocal ? "  (at the optimum only)" : "");
    std::printf("L, R, M      %.6g, %.6g, %.6g\n", constants.L, constants.R, constants.M);
    std::printf("kappa        %.6g\n", constants.kappa);
    std::printf("n, d         %lld, %lld\n", static_cast<long long>(p.n()), static_cast<long long>(p.d()));
    std::printf("time         %s\n", durationText(found->seconds).c_str());
    if (!found->message.empty())
        std::printf("%s\n", found->message.c_str());
    return writeWeights(found->x, arguments.weights);
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
        "f_opt, certificate, floor, attained, known, mu, mu_is_local, L, R, M, kappa, n, d, seconds, message as JSON");
    sub->add_flag("--quiet", arguments->quiet, "No progress line");
    sub->callback([&chosen, arguments] { chosen = [arguments] { return optimum(*arguments); }; });
}

} // namespace appa::cli
