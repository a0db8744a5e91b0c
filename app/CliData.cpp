// appa-lab data: which sets there are, what is in one, and where the large ones come from.

#include "Cli.h"
#include "DecimalPoint.h"
#include "Download.h"
#include "ProblemOptions.h"
#include "Terminal.h"

#include "base/JsonText.h"
#include "base/Text.h"
#include "data/Catalogue.h"
#include "data/Generators.h"

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <QCoreApplication>

#include <cstdio>
#include <memory>

namespace appa::cli {

namespace {

using Json = nlohmann::ordered_json;

const char *nameOf(CatalogueEntry::Kind kind)
{
    switch (kind) {
    case CatalogueEntry::Kind::BuiltIn:
        return "built in";
    case CatalogueEntry::Kind::Generator:
        return "generator";
    case CatalogueEntry::Kind::Download:
        break;
    }
    return "download";
}

int list(bool json)
{
    if (json) {
        Json all = Json::array();
        for (const CatalogueEntry &entry : catalogue())
            all.push_back({{"name", entry.name},
                           {"description", entry.description},
                           {"kind", nameOf(entry.kind)},
                           {"available", entry.isAvailable},
                           {"location", entry.location}});
        std::fputs(jsonText(all).c_str(), stdout);
        return Done;
    }
    for (const CatalogueEntry &entry : catalogue()) {
        std::printf("%-16s %-10s %s%s\n", entry.name.c_str(), nameOf(entry.kind), entry.description.c_str(),
                    entry.isAvailable ? "" : (" (not here yet: appa-lab data get " + entry.name + ")").c_str());
        if (entry.kind != CatalogueEntry::Kind::Generator)
            continue;
        for (const GeneratorInfo &info : generators()) {
            if (info.name != entry.name)
                continue;
            for (const GeneratorKey &key : info.keys)
                std::printf("    %-12s %s (default %g)\n", std::string(key.key).c_str(), std::string(key.help).c_str(),
                            key.defaultValue);
        }
    }
    return Done;
}

struct InfoArguments
{
    ProblemOptions problem;
    bool json = false;
};

Json countsJson(const std::vector<std::pair<std::string, Index>> &counts)
{
    Json json = Json::object();
    for (const auto &[name, count] : counts)
        json[name] = count;
    return json;
}

void printCounts(const char *what, const std::vector<std::pair<std::string, Index>> &counts)
{
    // Names may hold commas ("1, 2, 4"), so the counts are kept apart by more than those.
    std::string text;
    for (const auto &[name, count] : counts)
        if (!name.empty() || count > 0)
            text += (text.empty() ? "" : "; ") + name + ": " + std::to_string(count);
    if (!text.empty())
        std::printf("%-12s %s\n", what, text.c_str());
}

int describeData(const InfoArguments &arguments)
{
    const auto recipe = arguments.problem.recipe();
    if (!recipe)
        return fail(recipe.error());
    const auto data = loadData(recipe.value(), false);
    if (!data)
        return fail(data.error());
    const DatasetInfo info = describe(*data.value());
    const std::string hash = hexText(info.hash);
    if (arguments.json) {
        Json json;
        json["name"] = info.name;
        json["n"] = info.n;
        json["test_rows"] = info.testRows;
        json["d"] = info.d;
        json["non_zeros"] = info.nonZeros;
        json["density"] = info.density;
        json["targets"] = info.targets;
        json["labels"] = countsJson(info.labelCounts);
        json["test_labels"] = countsJson(info.testLabelCounts);
        json["R"] = info.R;
        json["mean_norm"] = info.meanNorm;
        json["storage"] = info.storage;
        json["bytes"] = info.bytes;
        json["hash"] = hash;
        Json provenance = Json::array();
        for (const ProvenanceStep &step : info.provenance)
            provenance.push_back({{"what", step.what}, {"detail", step.detail}});
        json["provenance"] = std::move(provenance);
        std::fputs(jsonText(json).c_str(), stdout);
        return Done;
    }
    std::printf("%s\n", info.name.c_str());
    std::printf("%-12s %lld, test %lld\n", "rows", static_cast<long long>(info.n),
                static_cast<long long>(info.testRows));
    std::printf("%-12s %lld\n", "columns", static_cast<long long>(info.d));
    std::printf("%-12s %lld (density %.4g)\n", "non-zeros", static_cast<long long>(info.nonZeros), info.density);
    std::printf("%-12s %s\n", "targets", info.targets.c_str());
    printCounts("labels", info.labelCounts);
    if (info.testRows > 0)
        printCounts("test labels", info.testLabelCounts);
    if (info.labelCounts.empty())
        std::printf("%-12s %g .. %g\n", "range", info.targetMin, info.targetMax);
    std::printf("%-12s R = %.6g, mean %.6g\n", "row norms", info.R, info.meanNorm);
    std::printf("%-12s %s, %s\n", "storage", info.storage.c_str(), bytesText(static_cast<double>(info.bytes)).c_str());
    std::printf("%-12s %s\n", "hash", hash.c_str());
    std::printf("made by:\n");
    for (const ProvenanceStep &step : info.provenance)
        std::printf("  %s%s%s\n", step.what.c_str(), step.detail.empty() ? "" : ": ", step.detail.c_str());
    return Done;
}

int get(const std::string &name, bool quiet)
{
    int argc = 1;
    char program[] = "appa-lab";
    char *argv[] = {program, nullptr};
    const QCoreApplication application(argc, argv);
    keepDecimalPoint();
    ProgressLine line(!quiet && ProgressLine::onTerminal());
    Progress progress;
    progress.stop = interruption();
    progress.report = [&line](double fraction, std::string_view what) { line.show(what, fraction); };
    const auto got = downloadDataset(name, progress);
    line.clear();
    if (!got)
        return fail(got.error());
    if (!quiet)
        std::printf("%s\n", got.value().c_str());
    return Done;
}

void addGet(CLI::App &data, Action &chosen)
{
    CLI::App *getting = data.add_subcommand("get", "Download a data set: mnist, cifar10 or protein");
    const auto name = std::make_shared<std::string>();
    const auto quiet = std::make_shared<bool>(false);
    getting->add_option("NAME", *name, "Which one")->required();
    getting->add_flag("--quiet", *quiet, "No progress line");
    getting->callback([&chosen, name, quiet] { chosen = [name, quiet] { return get(*name, *quiet); }; });
}

} // namespace

void addDataCommand(CLI::App &app, Action &chosen)
{
    CLI::App *data = app.add_subcommand("data", "List, describe and download data sets");
    data->require_subcommand(1);

    CLI::App *listing = data->add_subcommand("list", "The data sets that have a name");
    const auto json = std::make_shared<bool>(false);
    listing->add_flag("--json", *json, "As JSON");
    listing->callback([&chosen, json] { chosen = [json] { return list(*json); }; });

    CLI::App *info =
        data->add_subcommand("info", "What is in a data set, as `run` would use it (--transforms none: as it comes)");
    const auto arguments = std::make_shared<InfoArguments>();
    arguments->problem.addTo(*info, false);
    info->add_flag("--json", arguments->json, "As JSON");
    info->callback([&chosen, arguments] { chosen = [arguments] { return describeData(*arguments); }; });
    addGet(*data, chosen);
}

} // namespace appa::cli
