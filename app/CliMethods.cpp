// appa-lab methods, appa-lab losses: what the registries hold.

#include "Cli.h"

#include "methods/Registry.h"

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

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

void printSpecs(const std::vector<ParamSpec> &specs, const char *indent)
{
    for (const ParamSpec &spec : specs) {
        std::string values;
        if (spec.type == ParamSpec::Type::Choice) {
            for (const std::string &choice : spec.choices)
                values += (values.empty() ? "" : "|") + choice;
        } else if (spec.type == ParamSpec::Type::Switch) {
            values = "on|off";
        } else {
            values = formatParam(spec.min) + " .. " + formatParam(spec.max);
        }
        std::printf("%s%-18s %s (default %s%s)\n", indent, spec.key.c_str(), values.c_str(),
                    formatParam(spec.defaultValue).c_str(),
                    spec.change == ParamSpec::Change::Restart ? ", fixed for a run" : "");
    }
}

int listMethods(bool json)
{
    if (json) {
        Json list = Json::array();
        for (const MethodInfo &info : methods()) {
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
            list.push_back(std::move(entry));
        }
        Json inners = Json::array();
        for (const InnerInfo &info : innerSolvers()) {
            Json entry;
            entry["id"] = info.id;
            entry["label"] = info.label;
            entry["params"] = toJson(info.params);
            inners.push_back(std::move(entry));
        }
        Json all;
        all["methods"] = std::move(list);
        all["inner_solvers"] = std::move(inners);
        std::printf("%s\n", all.dump(2).c_str());
        return Done;
    }
    for (const MethodInfo &info : methods()) {
        std::printf("%s  (%s, %s)\n  %s\n", info.id.c_str(), info.label.c_str(), nameOf(info.family),
                    info.summary.c_str());
        std::printf("  lambda: %s\n", meaningOf(info.lambda));
        if (!info.inners.empty()) {
            std::string list;
            for (const std::string &inner : info.inners)
                list += (list.empty() ? "" : ", ") + inner;
            std::printf("  inner solvers: %s\n", list.c_str());
        }
        printSpecs(info.params, "    ");
    }
    std::printf("\nInner solvers and their own parameters:\n");
    for (const InnerInfo &info : innerSolvers()) {
        std::printf("%s  (%s)\n", info.id.c_str(), info.label.c_str());
        printSpecs(info.params, "    ");
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
        std::printf("%s\n", list.dump(2).c_str());
        return Done;
    }
    for (const LossInfo &info : losses())
        std::printf("%-16s %-16s %s%s\n", std::string(info.id).c_str(), std::string(info.label).c_str(),
                    std::string(info.formula).c_str(), info.hasDual ? "" : "  (primal methods only)");
    return Done;
}

void addList(CLI::App &app, Action &chosen, const char *name, const char *description, int (*list)(bool))
{
    CLI::App *sub = app.add_subcommand(name, description);
    const auto json = std::make_shared<bool>(false);
    sub->add_flag("--json", *json, "Everything about them, as JSON");
    sub->callback([&chosen, json, list] { chosen = [json, list] { return list(*json); }; });
}

} // namespace

void addMethodsCommand(CLI::App &app, Action &chosen)
{
    addList(app, chosen, "methods", "List the methods with their parameters", listMethods);
}

void addLossesCommand(CLI::App &app, Action &chosen)
{
    addList(app, chosen, "losses", "List the losses", listLosses);
}

} // namespace appa::cli
