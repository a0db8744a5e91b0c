// appa-lab methods [ID], appa-lab losses: what the registries hold.

#include "Cli.h"

#include "base/JsonText.h"
#include "base/Text.h"
#include "methods/Lookup.h"

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstdio>
#include <memory>

namespace appa::cli {

namespace {

using Json = nlohmann::ordered_json;

const char *meaningOf(LambdaMeaning meaning)
{
    switch (meaning) {
    case LambdaMeaning::ProximalWeight:
        return "proximal weight";
    case LambdaMeaning::RidgeWeight:
        return "ridge weight";
    case LambdaMeaning::StepSize:
        return "step size";
    case LambdaMeaning::Unused:
        break;
    }
    return "unused";
}

const char *nameOf(MethodFamily family)
{
    switch (family) {
    case MethodFamily::Reduction:
        return "reduction";
    case MethodFamily::DualCoordinate:
        return "dual coordinate";
    case MethodFamily::Stochastic:
        return "stochastic";
    case MethodFamily::FullGradient:
        return "full gradient";
    case MethodFamily::LeastSquares:
        break;
    }
    return "least squares";
}

Json toJson(const ParamSpec &spec)
{
    static constexpr const char *types[] = {"real", "integer", "switch", "choice"};
    Json json;
    json["key"] = spec.key;
    json["label"] = spec.label;
    json["help"] = spec.help;
    json["type"] = types[static_cast<std::size_t>(spec.type)];
    json["default"] = std::visit([](const auto &v) { return Json(v); }, spec.defaultValue);
    if (spec.type == ParamSpec::Type::Real || spec.type == ParamSpec::Type::Integer) {
        json["min"] = spec.min;
        json["max"] = spec.max;
        json["scale"] = spec.scale == ParamSpec::Scale::Log ? "log" : "linear";
    }
    if (spec.type == ParamSpec::Type::Choice)
        json["choices"] = spec.choices;
    json["auto"] = spec.allowAuto;
    json["live"] = spec.change == ParamSpec::Change::Live;
    return json;
}

Json toJson(const std::vector<ParamSpec> &specs)
{
    Json list = Json::array();
    for (const ParamSpec &spec : specs)
        list.push_back(toJson(spec));
    return list;
}

/// Indented lines of at most 100 characters.
void printWrapped(const std::string &text)
{
    std::size_t column = 0;
    for (const std::string_view word : split(text, ' ')) {
        const auto width =
            static_cast<std::size_t>(std::ranges::count_if(word, [](char c) { return (c & 0xC0) != 0x80; }));
        const bool breaks = column == 0 || column + 1 + width > 100;
        std::printf("%s%.*s",
                    column == 0  ? "        "
                        : breaks ? "\n        "
                                 : " ",
                    static_cast<int>(word.size()), word.data());
        column = (breaks ? 8 : column + 1) + width;
    }
    std::printf("\n");
}

/// `helped`: with what each of them means.
void printSpecs(const std::vector<ParamSpec> &specs, bool helped)
{
    for (const ParamSpec &spec : specs) {
        std::string values;
        if (spec.type == ParamSpec::Type::Choice) {
            values = joined(spec.choices, "|");
        } else if (spec.type == ParamSpec::Type::Switch) {
            values = "on|off";
        } else {
            values = formatParam(spec.min) + " .. " + formatParam(spec.max);
        }
        std::printf("    %-18s %s (default %s%s)\n", spec.key.c_str(), values.c_str(),
                    formatParam(spec.defaultValue).c_str(),
                    spec.change == ParamSpec::Change::Restart ? ", fixed for a run" : "");
        if (helped)
            printWrapped(spec.label + ": " + spec.help);
    }
}

void printHead(const MethodInfo &info)
{
    std::printf("%s  (%s, %s)\n  %s\n", info.id.c_str(), info.label.c_str(), nameOf(info.family), info.summary.c_str());
}

void printTraits(const MethodInfo &info)
{
    std::printf("  lambda: %s\n", meaningOf(info.lambda));
    if (!info.inners.empty())
        std::printf("  inner solvers: %s\n", joined(info.inners).c_str());
}

Json toJson(const MethodInfo &info)
{
    Json entry;
    entry["id"] = info.id;
    entry["label"] = info.label;
    entry["family"] = nameOf(info.family);
    entry["summary"] = info.summary;
    entry["update"] = info.update;
    entry["citation"] = info.citation;
    entry["table1"] = info.table1;
    entry["lambda"] = meaningOf(info.lambda);
    entry["accesses_per_step"] = info.accessesPerStep;
    entry["inners"] = info.inners;
    entry["params"] = toJson(info.params);
    return entry;
}

Json toJson(const InnerInfo &info)
{
    Json entry;
    entry["id"] = info.id;
    entry["label"] = info.label;
    entry["params"] = toJson(info.params);
    return entry;
}

/// All there is to know of one.
int describeMethod(const std::string &id, bool json)
{
    const auto named = methodNamed(id);
    if (!named)
        return fail(named.error());
    const MethodInfo &info = *named.value();
    if (json) {
        Json entry = toJson(info);
        entry["inner_solvers"] = Json::array();
        for (const std::string &inner : info.inners)
            entry["inner_solvers"].push_back(toJson(*findInner(inner)));
        std::fputs(jsonText(entry).c_str(), stdout);
        return Done;
    }
    printHead(info);
    std::printf("  %s\n", info.update.c_str());
    if (!info.table1.empty())
        std::printf("  in the paper's Table 1: %s\n", info.table1.c_str());
    std::printf("  %s\n", info.citation.c_str());
    printTraits(info);
    printSpecs(info.params, true);
    // What several inner solvers have in common is said once.
    std::vector<std::pair<std::string, std::vector<ParamSpec>>> groups;
    for (const std::string &inner : info.inners) {
        const InnerInfo *solver = findInner(inner);
        const auto same = std::ranges::find_if(groups, [&](const auto &group) {
            return std::ranges::equal(group.second, solver->params, {}, &ParamSpec::key, &ParamSpec::key);
        });
        if (same != groups.end())
            same->first += " or " + inner;
        else if (!solver->params.empty())
            groups.emplace_back(inner, solver->params);
    }
    for (const auto &[names, params] : groups) {
        std::printf("  with %s inside also\n", names.c_str());
        printSpecs(params, true);
    }
    return Done;
}

int listMethods(bool json)
{
    if (json) {
        Json all;
        all["methods"] = Json::array();
        for (const MethodInfo &info : methods())
            all["methods"].push_back(toJson(info));
        all["inner_solvers"] = Json::array();
        for (const InnerInfo &info : innerSolvers())
            all["inner_solvers"].push_back(toJson(info));
        std::fputs(jsonText(all).c_str(), stdout);
        return Done;
    }
    for (const MethodInfo &info : methods()) {
        printHead(info);
        printTraits(info);
        printSpecs(info.params, false);
    }
    std::printf("\nInner solvers and their own parameters:\n");
    for (const InnerInfo &info : innerSolvers()) {
        std::printf("%s  (%s)\n", info.id.c_str(), info.label.c_str());
        printSpecs(info.params, false);
    }
    return Done;
}

int listLosses(bool json)
{
    if (json) {
        Json list = Json::array();
        for (const LossInfo &info : losses()) {
            Json entry;
            entry["id"] = info.id;
            entry["label"] = info.label;
            entry["formula"] = info.formula;
            entry["has_dual"] = info.hasDual;
            list.push_back(std::move(entry));
        }
        std::fputs(jsonText(list).c_str(), stdout);
        return Done;
    }
    for (const LossInfo &info : losses())
        std::printf("%-16s %-16s %s%s\n", std::string(info.id).c_str(), std::string(info.label).c_str(),
                    std::string(info.formula).c_str(), info.hasDual ? "" : "  (primal methods only)");
    return Done;
}

} // namespace

void addMethodsCommand(CLI::App &app, Action &chosen)
{
    CLI::App *sub = app.add_subcommand("methods", "List the methods with their parameters, or all about one");
    const auto id = std::make_shared<std::string>();
    const auto json = std::make_shared<bool>(false);
    sub->add_option("ID", *id, "The one to describe: its update, its citation, what its parameters mean");
    sub->add_flag("--json", *json, "Everything about them, as JSON");
    sub->callback([&chosen, id, json] {
        chosen = [id, json] { return id->empty() ? listMethods(*json) : describeMethod(*id, *json); };
    });
}

void addLossesCommand(CLI::App &app, Action &chosen)
{
    CLI::App *sub = app.add_subcommand("losses", "List the losses");
    const auto json = std::make_shared<bool>(false);
    sub->add_flag("--json", *json, "Everything about them, as JSON");
    sub->callback([&chosen, json] { chosen = [json] { return listLosses(*json); }; });
}

} // namespace appa::cli
