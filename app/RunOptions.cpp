#include "RunOptions.h"

#include "Checks.h"
#include "Cli.h"
#include "Suggest.h"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <charconv>

namespace appa::cli {

namespace {

/// The value of `key` as its descriptor reads it, or what is wrong and what may have been meant.
Result<ParamValue> readParam(const MethodInfo &info, const std::string &inner, const std::string &key,
                             const std::string &text)
{
    const std::vector<ParamSpec> specs = paramsOf(info, inner);
    const auto spec = std::ranges::find(specs, key, &ParamSpec::key);
    if (spec != specs.end())
        return parseParam(*spec, text);
    std::vector<std::string> keys;
    std::string list;
    for (const ParamSpec &each : specs) {
        keys.push_back(each.key);
        list += (list.empty() ? "" : ", ") + each.key;
    }
    return usage(info.label + " has no parameter \"" + key + "\"." + didYouMean(key, keys) + " It has "
                 + (list.empty() ? "none" : list) + ".");
}

Result<const MethodInfo *> findOrSuggest(const std::string &id)
{
    if (const MethodInfo *info = findMethod(id))
        return info;
    std::vector<std::string> ids;
    for (const MethodInfo &info : methods())
        ids.push_back(info.id);
    return usage("There is no method \"" + id + "\"." + didYouMean(id, ids) + " `appa-lab methods` lists them.");
}

} // namespace

void RunOptions::addTo(CLI::App &app)
{
    problem.addTo(app);
    const std::string group = "The run";
    app.add_option("--method", method, "One of `appa-lab methods`")->capture_default_str()->group(group);
    app.add_option("--inner", inner, "The inner solver of a reduction")->group(group);
    app.add_option("--lambda", lambda, "Proximal weight, ridge or step size, as the method means it; or auto")
        ->group(group);
    app.add_option("--set", set, "key=value..: other parameters of the method")->group(group);
    app.add_option(
           "--at", at,
           "STAGE:key=value..: changes made right after that stage: lambda, method, inner or any live parameter")
        ->group(group);
    app.add_option("--seed", seed, "Of the run's random choices")
        ->check(wholeNumber())
        ->capture_default_str()
        ->group(group);
    app.add_option("--measures", measures, "Measure so many times per pass, beside the stages' ends")
        ->check(between(0, 1000))
        ->group(group);

    const std::string rules = "When it ends (whichever is first; 0: never)";
    app.add_option("--stages", stop.stages, "After so many stages")
        ->check(wholeNumber())
        ->capture_default_str()
        ->group(rules);
    app.add_option("--passes", stop.passes, "After so many passes over the data")->check(notNegative())->group(rules);
    app.add_option("--seconds", stop.seconds, "After so many seconds of solving")->check(notNegative())->group(rules);
    app.add_option("--gap", stop.gapBelow, "When the duality gap is below this")->check(notNegative())->group(rules);
    app.add_option("--excess", stop.excessBelow, "When the excess loss is below this (the optimum is computed first)")
        ->check(notNegative())
        ->group(rules);

    const std::string output = "Output";
    app.add_option("--trace", trace, "Write the trace as CSV (- for the standard output)")->group(output);
    app.add_option("--weights", weights, "Write the last iterate, one number per line")->group(output);
    app.add_option("--session", session,
                   "Write a session for the window, `replay` and `render`; saved while the run goes on")
        ->group(output);
    app.add_option("--save-every", saveEvery, "Seconds between two saves of the session")
        ->check(positive())
        ->group(output);
    app.add_option("--name", name, "The run's name in the session")->group(output);
    app.add_flag("--no-optimum", noOptimum, "Do not compute the optimum; the excess loss stays unknown")->group(output);
    app.add_flag("--json", json, "The result as JSON")->group(output);
    app.add_flag("--quiet", quiet, "No progress, no summary")->group(output);
    app.add_flag("--progress", progress, "Progress even when this is not a terminal, a line per stage")->group(output);
}

std::optional<Error> RunOptions::contradiction() const
{
    if (noOptimum && stop.excessBelow > 0)
        return usage("--excess needs the optimum that --no-optimum leaves out: choose one of them.");
    if (json && trace == "-")
        return usage("--json and --trace - both go to the standard output: write the trace to a file.");
    if (quiet && progress)
        return usage("--quiet and --progress contradict each other: choose one of them.");
    const std::pair<const char *, const std::string &> files[] = {
        {"--trace", trace}, {"--weights", weights}, {"--session", session}};
    for (std::size_t a = 0; a < std::size(files); ++a)
        for (std::size_t b = 0; b < a; ++b)
            if (!files[a].second.empty() && files[a].second == files[b].second)
                return usage(std::string(files[b].first) + " and " + files[a].first + " are the same file, \""
                             + files[a].second + "\".");
    return std::nullopt;
}

Result<RunSpec> RunOptions::spec() const
{
    if (auto error = contradiction())
        return *error;
    const auto info = findOrSuggest(method);
    if (!info)
        return info.error();
    RunSpec spec{.method = method, .inner = inner, .params = {}, .seed = seed};
    const auto &inners = info.value()->inners;
    if (!inner.empty() && std::ranges::find(inners, inner) == inners.end()) {
        std::string list;
        for (const std::string &id : inners)
            list += (list.empty() ? "" : ", ") + id;
        return usage(list.empty() ? info.value()->label + " stands alone and takes no inner solver."
                                  : "\"" + inner + "\" is not an inner solver of " + info.value()->label + "."
                             + didYouMean(inner, inners) + " It takes: " + list + ".");
    }
    std::vector<std::string> assignments = set;
    if (!lambda.empty())
        assignments.push_back("lambda=" + lambda);
    for (const std::string &assignment : assignments) {
        const std::size_t equals = assignment.find('=');
        if (equals == std::string::npos || equals == 0)
            return usage("--set needs key=value, not \"" + assignment + "\".");
        const std::string key = assignment.substr(0, equals);
        const auto value = readParam(*info.value(), inner, key, assignment.substr(equals + 1));
        if (!value)
            return value.error();
        spec.params.set(key, value.value());
    }
    return spec;
}

Result<std::vector<PlannedChange>> RunOptions::changes(const ProblemPtr &problem, const RunSpec &spec) const
{
    struct Text
    {
        Index stage;
        std::string key, value;
    };
    std::vector<Text> texts;
    for (const std::string &entry : at) {
        const std::size_t colon = entry.find(':');
        const std::size_t equals = entry.find('=');
        Text text;
        const auto stage = std::from_chars(entry.data(), entry.data() + std::min(colon, entry.size()), text.stage);
        if (colon == std::string::npos || equals == std::string::npos || equals < colon + 2 || stage.ec != std::errc()
            || stage.ptr != entry.data() + colon || text.stage < 0)
            return usage("--at needs STAGE:key=value, not \"" + entry + "\".");
        if (stop.stages > 0 && text.stage >= stop.stages)
            return usage("--at " + entry + ": the run ends after " + std::to_string(stop.stages)
                         + " stages (see --stages).");
        text.key = entry.substr(colon + 1, equals - colon - 1);
        text.value = entry.substr(equals + 1);
        texts.push_back(std::move(text));
    }
    std::ranges::stable_sort(texts, {}, &Text::stage);

    auto rehearsal = Engine::create(problem, spec);
    if (!rehearsal)
        return rehearsal.error();
    Engine &engine = rehearsal.value();
    std::vector<PlannedChange> changes;
    for (const Text &text : texts) {
        PlannedChange change{text.stage, text.key, text.value};
        if (text.key == "method") {
            if (const auto known = findOrSuggest(text.value); !known)
                return known.error();
        } else if (text.key != "inner") {
            auto value = readParam(engine.info(), engine.inner(), text.key, text.value);
            if (!value)
                return value.error();
            change.value = std::move(value).value();
        }
        const auto event = engine.plan(change.key, change.value);
        if (!event)
            return event.error();
        if (event.value()) {
            if (auto error = engine.apply(*event.value()))
                return *error;
        }
        changes.push_back(std::move(change));
    }
    return changes;
}

} // namespace appa::cli
