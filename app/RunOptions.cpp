#include "RunOptions.h"

#include "Checks.h"
#include "Cli.h"

#include "base/Text.h"
#include "methods/Lookup.h"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <cmath>

namespace appa::cli {

namespace {

/// The value of `key` as its descriptor reads it; `option` is where it was given.
Result<ParamValue> readParam(const MethodInfo &info, const std::string &inner, const std::string &key,
                             const std::string &text, const char *option)
{
    const auto spec = paramNamed(info, inner, key);
    if (!spec)
        return spec.error();
    auto value = parseParam(spec.value(), text);
    if (!value && text.find(',') != std::string::npos && text.find('=') != std::string::npos)
        return usage(value.error().message + " Several assignments are separated by blanks, or by another " + option
                     + ", not by commas.");
    return value;
}

} // namespace

void RunOptions::addTo(CLI::App &app)
{
    problem.addTo(app);
    const std::string group = "The run";
    app.add_option("--method", method, "One of `appa-lab methods`; by default dual-appa, or svrg where that cannot run")
        ->group(group);
    app.add_option("--inner", inner, "The inner solver of a reduction")->group(group);
    app.add_option("--lambda", lambda, "Proximal weight, ridge or step size, as the method means it; or auto")
        ->group(group);
    app.add_option("--set", set, "key=value: another parameter of the method; may be given several times")
        ->allow_extra_args(false)
        ->group(group);
    app.add_option(
           "--at", at,
           "STAGE:key=value: a change made right after that stage: lambda, method, inner or any live parameter; "
           "STAGE@TICK:key=value: at that tick, which ends the stage early, as the window writes it; may be given "
           "several times")
        ->allow_extra_args(false)
        ->group(group);
    app.add_option("--resume", resume,
                   "Go on with the run of this session, as if it had never ended, instead of beginning one")
        ->group(group);
    app.add_option("--seed", seed, "Of the run's random choices")
        ->check(seedNumber())
        ->capture_default_str()
        ->group(group);
    app.add_option("--measures", measures, "Measure so many times per pass, beside the stages' ends")
        ->check(between(0, 1000))
        ->group(group);

    const std::string rules = "When it ends (whichever is first; 0: never)";
    app.add_option("--stages", stop.stages, "After so many stages; 20 if no other rule is given")
        ->check(wholeNumber())
        ->group(rules);
    app.add_option("--passes", stop.passes, "After so many passes over the data")->check(notNegative())->group(rules);
    app.add_option("--seconds", stop.seconds, "After so many seconds of solving")->check(notNegative())->group(rules);
    app.add_option(
           "--gap", stop.gapBelow,
           "When the duality gap is below this: that of F + (lambda/2)|x|^2 (sdca alone) or of the stage's subproblem, "
           "not the excess loss")
        ->check(notNegative())
        ->group(rules);
    app.add_option("--excess", stop.excessBelow, "When the excess loss is below this (the optimum is computed first)")
        ->check(notNegative())
        ->group(rules);

    const std::string output = "Output";
    app.add_option("--trace", trace, "Write the trace as CSV (- for the standard output)")->group(output);
    app.add_option("--weights", weights, "Write the last iterate, one number per line (- for the standard output)")
        ->group(output);
    app.add_option("--session", session,
                   "Write a session for the window, `replay` and `render`; saved while the run goes on (with --resume: "
                   "the same file by default)")
        ->group(output);
    app.add_option("--save-every", saveEvery, "Seconds between two saves of the session")
        ->check(positive())
        ->group(output);
    app.add_option("--name", name, "The run's name in the session (with --resume: which of several)")->group(output);
    app.add_flag("--no-optimum", noOptimum, "Do not compute the optimum; the excess loss stays unknown")->group(output);
    app.add_flag("--json", json, "The result as JSON; the man page says what its keys are")->group(output);
    app.add_flag("--quiet", quiet, "No progress, no summary")->group(output);
    app.add_flag("--progress", progress, "Progress even when this is not a terminal, a line per stage")->group(output);
}

bool RunOptions::tellsExcess() const
{
    return !quiet || json || !trace.empty() || !session.empty() || stop.excessBelow > 0;
}

std::optional<Error> RunOptions::contradiction() const
{
    if (noOptimum && stop.excessBelow > 0)
        return usage("--excess needs the optimum that --no-optimum leaves out: choose one of them.");
    if (json && (trace == "-" || weights == "-"))
        return usage(std::string("--json and ") + (trace == "-" ? "--trace" : "--weights")
                     + " - both go to the standard output: write one of them to a file.");
    if (trace == "-" && weights == "-")
        return usage("--trace and --weights both go to the standard output: write one of them to a file.");
    if (session == "-")
        return usage("--session needs the name of a file; only --trace and --weights can go to the standard output.");
    if (quiet && progress)
        return usage("--quiet and --progress contradict each other: choose one of them.");
    const std::pair<const char *, const std::string &> files[] = {
        {"--resume", resume}, {"--trace", trace}, {"--weights", weights}, {"--session", session}};
    for (std::size_t a = 0; a < std::size(files); ++a)
        for (std::size_t b = 0; b < a; ++b) {
            const auto &[first, one] = files[b];
            const auto &[second, other] = files[a];
            const bool goesOnThere = &one == &resume && &other == &session; // which is what --resume is for
            if (!one.empty() && !other.empty() && !goesOnThere && areOneFile(one, other))
                return usage(std::string(first) + " and " + second + " are the same file, \"" + other
                             + "\". Give each a file of its own.");
        }
    return std::nullopt;
}

Result<RunSpec> RunOptions::spec(const std::string &id) const
{
    const auto info = methodNamed(id);
    if (!info)
        return info.error();
    RunSpec spec{.method = id, .inner = inner, .params = {}, .seed = seed};
    if (const auto known = innerNamed(*info.value(), inner); !known)
        return known.error();
    std::vector<std::string> assignments = set;
    if (!lambda.empty())
        assignments.push_back("lambda=" + lambda);
    for (const std::string &assignment : assignments) {
        const std::size_t equals = assignment.find('=');
        if (equals == std::string::npos || equals == 0)
            return usage("--set needs key=value, not \"" + assignment + "\".");
        const std::string key = assignment.substr(0, equals);
        const auto value = readParam(*info.value(), inner, key, assignment.substr(equals + 1), "--set");
        if (!value)
            return value.error();
        if (spec.params.contains(key))
            return usage("\"" + key + "\" is set more than once.");
        spec.params.set(key, value.value());
    }
    return spec;
}

std::string RunOptions::withoutEffect(const RunSpec &spec) const
{
    const MethodInfo &info = *findMethod(spec.method);
    if (info.family == MethodFamily::FullGradient) {
        if (spec.params.contains("order"))
            return "order has no effect: every step of " + info.id + " takes all rows.";
        if (spec.params.contains("passes") && spec.params.real("passes") != std::ceil(spec.params.real("passes")))
            return "passes has no effect but that of the next whole number: a step of " + info.id + " is a pass.";
    }
    const std::vector<ParamSpec> known = paramsOf(info, spec.inner);
    for (const ParamSpec &param : known) {
        const std::size_t equals = param.onlyIf.find('=');
        if (!spec.params.contains(param.key) || equals == std::string::npos)
            continue;
        const std::string key = param.onlyIf.substr(0, equals);
        ParamSet values(known);
        if (const auto given = spec.params.values().find(key); given != spec.params.values().end())
            values.set(key, given->second);
        const bool later =
            std::ranges::any_of(at, [&](const std::string &entry) { return entry.ends_with(":" + param.onlyIf); });
        if (key + "=" + formatParam(values.values().find(key)->second) != param.onlyIf && !later)
            return param.key + " has no effect unless " + param.onlyIf + ".";
    }
    return {};
}

Result<std::vector<PlannedChange>> RunOptions::changes(const ProblemPtr &problem, const RunSpec &spec,
                                                       const Trace &past) const
{
    const TracePoint now = past.points.empty() ? TracePoint{} : past.points.back();
    struct Text
    {
        Index stage = 0;
        Index tick = PlannedChange::atTheEnd;
        std::string key, value;
    };
    std::vector<Text> texts;
    for (const std::string &entry : at) {
        const std::size_t colon = entry.find(':');
        const std::size_t equals = entry.find('=');
        Text text;
        const auto place = split(std::string_view(entry).substr(0, colon), '@');
        const bool early = place.size() == 2;
        const bool isPlace =
            place.size() <= 2 && readInto(place[0], text.stage) && (!early || readInto(place[1], text.tick));
        if (colon == std::string::npos || equals == std::string::npos || equals < colon + 2 || !isPlace
            || text.stage < (early ? 1 : 0) || text.tick < 0)
            return usage("--at needs STAGE:key=value or STAGE@TICK:key=value, not \"" + entry + "\".");
        if (stop.stages > 0 && text.stage >= stop.stages + (early ? 1 : 0))
            return usage("--at " + entry + ": the run ends after " + std::to_string(stop.stages)
                         + " stages (see --stages).");
        if (early ? text.tick < now.cost.ticks : text.stage < now.stage)
            return usage("--at " + entry + ": the run is beyond that, at stage " + std::to_string(now.stage)
                         + " and tick " + std::to_string(now.cost.ticks) + ".");
        text.key = entry.substr(colon + 1, equals - colon - 1);
        text.value = entry.substr(equals + 1);
        texts.push_back(std::move(text));
    }
    std::ranges::stable_sort(texts, {}, [](const Text &text) { return std::pair(text.stage, text.tick); });

    auto rehearsal = Engine::create(problem, spec);
    if (!rehearsal)
        return rehearsal.error();
    Engine &engine = rehearsal.value();
    for (const RunEvent &event : past.events)
        if (auto error = engine.apply(event))
            return *error;
    std::vector<PlannedChange> changes;
    for (const Text &text : texts) {
        PlannedChange change{text.stage, text.tick, text.key, text.value};
        if (text.key != "method" && text.key != "inner") {
            auto value = readParam(engine.info(), engine.inner(), text.key, text.value, "--at");
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
