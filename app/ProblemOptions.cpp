#include "ProblemOptions.h"

#include "Checks.h"
#include "Cli.h"
#include "ShellText.h"
#include "Terminal.h"

#include "base/Params.h"
#include "base/Suggest.h"
#include "base/Text.h"
#include "data/Catalogue.h"
#include "data/Sources.h"
#include "data/TransformText.h"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <filesystem>
#include <span>

#include <sys/stat.h>
#include <unistd.h>

namespace appa::cli {

namespace {

/// "rff:D[:bandwidth]"
Result<Transform> parseFeatures(const std::string &text, std::uint64_t seed)
{
    const auto list = parseTransforms(text, seed);
    const std::string forms = "--features must be none, rff, rff:D or rff:D:bandwidth";
    if (!list && text.starts_with("rff:"))
        return usage(forms + ". " + list.error().message);
    if (!list || list.value().size() != 1 || list.value()[0].kind != Transform::Kind::FourierFeatures)
        return usage(forms + ", not \"" + text + "\".");
    return list.value()[0];
}

std::vector<std::string> wordsOf(std::span<const std::string_view> names)
{
    return {names.begin(), names.end()};
}

template <class Choice> Choice choiceOf(std::span<const std::string_view> names, const std::string &word)
{
    return static_cast<Choice>(std::ranges::find(names, word) - names.begin());
}

std::string optionFor(Remedy remedy, const DataRecipe &recipe)
{
    switch (remedy) {
    case Remedy::Regression:
        return "--regression";
    case Remedy::PositiveClasses:
        return "--positive";
    case Remedy::ChooseLabel:
        return "--label";
    case Remedy::WordsAsColumns:
        return "--words indicators";
    case Remedy::SkipRows:
        return "--missing skip";
    case Remedy::FillMeans:
        return "--missing mean";
    case Remedy::DropColumn:
        return "--drop";
    case Remedy::DoublePrecision:
        return "--precision double";
    case Remedy::TakeTestFile:
        return "--test " + shellQuoted(testFileBeside(recipe.source));
    }
    return "";
}

/// " The option for that is --regression."; "" if there is none that could still be given.
std::string optionsFor(const std::vector<Remedy> &remedies, const DataRecipe &recipe)
{
    std::vector<std::string> options;
    for (const Remedy remedy : remedies)
        if (remedy != Remedy::ChooseLabel || recipe.label.empty())
            options.push_back(optionFor(remedy, recipe));
    if (options.empty())
        return {};
    return (options.size() == 1 ? " The option for that is " : " The options for that: ") + joined(options, ", ") + ".";
}

std::string absolute(const std::string &path)
{
    std::error_code ignored;
    if (path.empty() || !std::filesystem::exists(path, ignored))
        return path;
    return std::filesystem::absolute(path, ignored).lexically_normal().string();
}

/// The downloaded set in whose folder the file lies; "" if it is in none.
std::string downloadWith(const std::string &file)
{
    namespace fs = std::filesystem;
    std::error_code failed;
    const fs::path place = fs::canonical(file, failed);
    for (const CatalogueEntry &entry : catalogue()) {
        if (entry.kind != CatalogueEntry::Kind::Download)
            continue;
        const fs::path folder = fs::canonical(entry.location, failed);
        if (!failed && std::ranges::mismatch(folder, place).in1 == folder.end())
            return entry.name;
    }
    return {};
}

/// As it may be given in any folder. A name stays one, whatever lies here under it.
std::string absoluteSource(const std::string &source)
{
    return isNamed(source) ? source : absolute(source);
}

} // namespace

void ProblemOptions::addTo(CLI::App &app, bool withLoss)
{
    app.add_option("DATA,--data", data,
                   "A name of `appa-lab data list`, a generator \"name:key=value,..\", or a file (./NAME where it is "
                   "called like one of those)")
        ->capture_default_str()
        ->group(group);
    app.add_option("--test", test, "A file with the test set")->group(group);
    app.add_option("--format", format, "How the files are written, if not as they look")
        ->check(oneOf({"auto", "libsvm", "csv", "idx", "cifar", "kdd"}))
        ->capture_default_str()
        ->group(group);
    app.add_option("--label", label, "CSV: the label's column, by name or number (from 1)")->group(group);
    app.add_option(
           "--columns", columns,
           "CSV: only these columns are features, by names, numbers or ranges (age,3-7); a name with a comma in double "
           "quotes")
        ->allow_extra_args(false)
        ->group(group);
    app.add_option("--drop", drop, "CSV: these columns are left out")->allow_extra_args(false)->group(group);
    app.add_option("--words", words,
                   "CSV: columns of words are an error (refuse), or become columns of zeros and ones (indicators)")
        ->check(oneOf(wordsOf(ColumnChoice::wordsNames)))
        ->capture_default_str()
        ->group(group);
    app.add_option("--missing", missing,
                   "CSV: a missing value is an error (refuse), its row is left out (skip), or it gets the mean of its "
                   "column (mean)")
        ->check(oneOf(wordsOf(ColumnChoice::missingNames)))
        ->capture_default_str()
        ->group(group);
    app.add_option("--positive", positive,
                   "The classes that become +1; all others are -1; \"classes\" keeps them apart, for softmax")
        ->allow_extra_args(false)
        ->group(group);
    app.add_flag("--regression", regression, "Keep the targets as real numbers")->group(group);
    app.add_option("--holdout", holdout, "This part of the rows becomes the test set")
        ->check(between(0, 0.99))
        ->group(group);
    CLI::Option *takes =
        app.add_option("--rows", rows, "Take the first N rows only")->check(wholeNumber(false))->group(group);
    CLI::Option *scales =
        app.add_option("--normalize", normalize,
                       "Scale the features: none, mean-norm, rows or columns (a named image set alone: mean-norm)")
            ->check(oneOf({"none", "mean-norm", "rows", "columns"}))
            ->group(group);
    CLI::Option *appends = app.add_flag("--affine", affine, "Append a feature that is always 1")->group(group);
    CLI::Option *maps =
        app.add_option(
               "--features", features,
               "Map the features: none, or rff:D[:bandwidth], random Fourier features (a named image set alone: rff)")
            ->group(group);
    app.add_option("--transforms", transforms,
                   "Instead of the four above, a list in the order of application: mean-norm, rows, columns, affine, "
                   "rff[:D[:bandwidth[:seed]]], first:N, random:N[:seed]; or none")
        ->excludes(takes)
        ->excludes(scales)
        ->excludes(appends)
        ->excludes(maps)
        ->group(group);
    if (withLoss) {
        std::vector<std::string> names;
        for (const LossInfo &info : losses())
            names.emplace_back(info.id);
        app.add_option("--loss", loss, "What is minimized; by default logistic, softmax or squared, as the targets are")
            ->check(oneOf(names))
            ->group(group);
        app.add_option("--ridge", ridge, "Adds (G/2)|x|^2 to the objective")->check(notNegative())->group(group);
    }
    app.add_option("--precision", precision, "How features are stored: single or double")
        ->check(oneOf({"single", "double"}))
        ->capture_default_str()
        ->group(group);
    app.add_option("--data-seed", dataSeed, "Seed of the hold-out and of random features")
        ->check(seedNumber())
        ->capture_default_str()
        ->group(group);
}

Result<DataRecipe> ProblemOptions::recipe() const
{
    for (const std::string &file : {data, test})
        if (file.ends_with(".appa"))
            return usage("\"" + file
                         + "\" is a session, not data: `appa-lab run --resume` goes on with its run, `appa-lab replay` "
                           "makes its runs again, `appa-lab render` draws them, and `appa-lab` with its name alone "
                           "opens it in the window.");
    // Sets that have no file come with their rows and labels; an option that says how to read them would be ignored.
    const std::string name = data.substr(0, data.find(':'));
    const std::vector<CatalogueEntry> known = catalogue();
    const auto entry = std::ranges::find(known, name, &CatalogueEntry::name);
    if (entry != known.end() && entry->kind != CatalogueEntry::Kind::Download) {
        const ProblemOptions defaults;
        const bool isGenerator = entry->kind == CatalogueEntry::Kind::Generator;
        for (const auto &[option, given] :
             {std::pair("--format", format != "auto"), std::pair("--label", !label.empty()),
              std::pair("--columns", !columns.empty()), std::pair("--drop", !drop.empty()),
              std::pair("--words", words != defaults.words), std::pair("--missing", missing != defaults.missing),
              std::pair("--regression", regression && isGenerator)})
            if (given)
                return usage(std::string(option) + " says how to read a file, and " + name
                             + (isGenerator ? " is a generator" : " is built in") + ": leave it out.");
    }
    DataRecipe recipe;
    recipe.source = absoluteSource(data);
    recipe.testFile = absolute(test);
    recipe.format = format;
    recipe.label = label;
    recipe.columns = {.only = listItems(joined(columns, ",")),
                      .dropped = listItems(joined(drop, ",")),
                      .words = choiceOf<ColumnChoice::Words>(ColumnChoice::wordsNames, words),
                      .missing = choiceOf<ColumnChoice::Missing>(ColumnChoice::missingNames, missing)};
    recipe.positive = listItems(joined(positive, ","));
    recipe.regression = regression;
    recipe.holdout = holdout;
    recipe.precision = precision == "double" ? Precision::Double : Precision::Single;
    recipe.seed = dataSeed;
    // Softmax needs the classes themselves, also where a set has a customary split in two.
    if (loss == "softmax" && positive.empty())
        recipe.positive = {"classes"};
    if (!transforms.empty()) {
        auto list = parseTransforms(transforms, dataSeed);
        if (!list)
            return list.error();
        recipe.transforms = std::move(list).value();
        return recipe;
    }
    if (rows > 0)
        recipe.transforms.push_back({.kind = Transform::Kind::FirstRows, .count = rows});
    if (normalize == "mean-norm")
        recipe.transforms.push_back({.kind = Transform::Kind::MeanNorm});
    else if (normalize == "rows")
        recipe.transforms.push_back({.kind = Transform::Kind::NormalizeRows});
    else if (normalize == "columns")
        recipe.transforms.push_back({.kind = Transform::Kind::StandardizeColumns});
    if (!features.empty() && features != "none") {
        const Result<Transform> map = parseFeatures(features, dataSeed);
        if (!map)
            return map.error();
        recipe.transforms.push_back(map.value());
    }
    if (affine)
        recipe.transforms.push_back({.kind = Transform::Kind::Affine});
    if (normalize.empty() && features.empty() && !affine) {
        for (Transform transform : defaultRecipe(data).transforms) {
            if (transform.kind == Transform::Kind::FourierFeatures || transform.kind == Transform::Kind::RandomRows)
                transform.seed = dataSeed;
            recipe.transforms.push_back(transform);
        }
    }
    return recipe;
}

std::string ProblemOptions::text() const
{
    const ProblemOptions defaults;
    std::string typed = "--data " + shellQuoted(absoluteSource(data));
    const auto add = [&](const char *option, const std::string &value, const std::string &initial) {
        if (value != initial)
            typed += std::string(" ") + option + " " + shellQuoted(value);
    };
    add("--test", absolute(test), "");
    add("--format", format, defaults.format);
    add("--label", label, "");
    add("--columns", joined(columns, ","), "");
    add("--drop", joined(drop, ","), "");
    add("--words", words, defaults.words);
    add("--missing", missing, defaults.missing);
    add("--positive", joined(positive, ","), "");
    typed += regression ? " --regression" : "";
    add("--holdout", formatParam(holdout), formatParam(defaults.holdout));
    add("--rows", std::to_string(rows), std::to_string(defaults.rows));
    add("--normalize", normalize, "");
    typed += affine ? " --affine" : "";
    add("--features", features, "");
    add("--transforms", transforms, "");
    add("--loss", loss, "");
    add("--ridge", formatParam(ridge), formatParam(defaults.ridge));
    add("--precision", precision, defaults.precision);
    add("--data-seed", std::to_string(dataSeed), std::to_string(defaults.dataSeed));
    return typed;
}

Result<ProblemOptions> ProblemOptions::fromText(const std::string &text)
{
    ProblemOptions options;
    CLI::App app;
    options.addTo(app);
    std::vector<std::string> words = shellWords(text);
    std::ranges::reverse(words); // as the parser takes them
    try {
        app.parse(std::move(words));
    } catch (const CLI::ParseError &) {
        return usage("This is not understood as a problem: " + text);
    }
    return options;
}

bool areOneFile(const std::string &a, const std::string &b)
{
    namespace fs = std::filesystem;
    std::error_code failed;
    if (a == b || fs::equivalent(a, b, failed)) // links, too
        return true;
    const fs::path first = fs::weakly_canonical(fs::absolute(a, failed), failed);
    if (failed)
        return false;
    const fs::path second = fs::weakly_canonical(fs::absolute(b, failed), failed);
    return !failed && first == second;
}

bool isStandardOutput(const std::string &path)
{
    struct stat out = {}, file = {};
    return ::fstat(STDOUT_FILENO, &out) == 0 && S_ISREG(out.st_mode) && ::stat(path.c_str(), &file) == 0
        && out.st_dev == file.st_dev && out.st_ino == file.st_ino;
}

std::optional<Error> whyNotOver(const DataRecipe &recipe, const char *option, const std::string &path)
{
    namespace fs = std::filesystem;
    std::error_code ignored;
    if (path.empty() || path == "-" || !fs::is_regular_file(path, ignored))
        return std::nullopt;
    if (const std::string set = downloadWith(path); !set.empty())
        return usage(std::string(option) + " would be written over a file of the downloaded set " + set + ", \"" + path
                     + "\". Choose another name.");
    std::vector<std::string> files;
    for (const std::string &source : {recipe.source, recipe.testFile}) {
        if (source.empty() || isNamed(source) || !fs::exists(source, ignored))
            continue;
        files.push_back(source);
        // Labels beside images, the batches of a folder. What is wrong with them is told when they are read.
        if (const auto found = findFiles(source, recipe.format)) {
            files.insert(files.end(), found.value().train.begin(), found.value().train.end());
            files.insert(files.end(), found.value().test.begin(), found.value().test.end());
        }
    }
    if (std::ranges::none_of(files, [&](const std::string &file) { return areOneFile(file, path); }))
        return std::nullopt;
    return usage(std::string(option) + " would be written over the data, \"" + path + "\". Choose another name.");
}

Result<DatasetPtr> loadData(const DataRecipe &recipe, bool quiet)
{
    ProgressLine line(!quiet && ProgressLine::onTerminal());
    Progress progress;
    progress.stop = interruption();
    progress.report = [&line](double fraction, std::string_view what) { line.show(what, fraction); };
    auto data = loadDataset(recipe, progress);
    if (!data && !data.error().remedies.empty())
        return Error{data.error().kind, data.error().message + optionsFor(data.error().remedies, recipe)};
    if (data && !quiet)
        for (const ProvenanceStep &step : data.value()->provenance)
            if (!step.notice.empty()) {
                line.clear();
                std::fprintf(stderr, "appa-lab: %s%s\n", step.notice.c_str(),
                             optionsFor(step.remedies, recipe).c_str());
            }
    std::error_code ignored;
    const bool isHere = std::filesystem::exists(recipe.source, ignored);
    if (!data && isHere && isNamed(recipe.source))
        return Error{data.error().kind,
                     data.error().message + " What lies here under that name is ./" + recipe.source + "."};
    if (!data && !isHere && recipe.source.find('/') == std::string::npos) {
        std::vector<std::string> names;
        for (const CatalogueEntry &entry : catalogue())
            names.push_back(entry.name);
        const std::string name = recipe.source.substr(0, recipe.source.find(':'));
        if (std::ranges::find(names, name) == names.end())
            return Error{data.error().kind, data.error().message + didYouMean(name, names)};
    }
    return data;
}

} // namespace appa::cli
