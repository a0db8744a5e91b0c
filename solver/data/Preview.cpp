#include "data/Preview.h"

#include "base/Text.h"
#include "data/Bytes.h"
#include "data/Catalogue.h"
#include "data/Embedded.h"
#include "data/Generators.h"
#include "data/Labels.h"
#include "data/Sources.h"
#include "data/Transforms.h"
#include "data/loaders/Table.h"

#include <algorithm>
#include <set>

namespace appa {

namespace {

constexpr std::size_t headSize = std::size_t{1} << 18;
constexpr std::size_t shownRows = 8;
constexpr std::size_t shownFields = 12;

/// Whole lines only: the head may end within one. Of a single long line, whole words.
std::string_view wholeLines(std::string_view text)
{
    if (text.size() < headSize)
        return text;
    auto end = text.rfind('\n');
    if (end == std::string_view::npos)
        end = text.rfind(' ');
    return end == std::string_view::npos ? text : text.substr(0, end + 1);
}

std::vector<std::string> shown(const std::vector<std::string> &fields)
{
    std::vector<std::string> out;
    for (std::size_t k = 0; k < std::min(fields.size(), shownFields); ++k)
        out.push_back(printable(fields[k], 24));
    if (fields.size() > shownFields)
        out.push_back("...");
    return out;
}

void showLines(DataPreview &preview, std::string_view text)
{
    while (!text.empty() && preview.rows.size() < shownRows) {
        const auto end = std::min(text.find('\n'), text.size() - 1);
        std::vector<std::string> words;
        std::string_view line = trimmed(text.substr(0, end + 1));
        while (!line.empty() && words.size() <= shownFields) {
            const auto blank = std::min(line.find_first_of(" \t"), line.size());
            words.emplace_back(line.substr(0, blank));
            line = trimmed(line.substr(blank));
        }
        if (!words.empty())
            preview.rows.push_back(shown(words));
        text.remove_prefix(end + 1);
    }
}

void showTable(DataPreview &preview, std::string_view text, char separator, bool hasHeader)
{
    if (text.starts_with("\xEF\xBB\xBF"))
        text.remove_prefix(3);
    text.remove_prefix(skipPreamble(text));
    const Record first = firstRecord(text, separator);
    if (hasHeader) {
        preview.columns = first.fields;
        text.remove_prefix(first.next);
    } else {
        for (std::size_t k = 1; k <= first.fields.size(); ++k)
            preview.columns.push_back(std::to_string(k));
    }
    while (!text.empty() && preview.rows.size() < shownRows) {
        const Record record = firstRecord(text, separator);
        if (record.fields.size() > 1 || !record.fields[0].empty())
            preview.rows.push_back(shown(record.fields));
        text.remove_prefix(record.next);
    }
}

void showLabels(DataPreview &preview, const RawTable &table)
{
    std::set<double> values(table.labels.begin(), table.labels.end());
    for (const double value : values) {
        if (preview.labels.size() == 20) {
            preview.labels.push_back("...");
            return;
        }
        const auto k = static_cast<std::size_t>(value);
        if (!table.labelWords.empty())
            preview.labels.push_back(printable(table.labelWords[k]));
        else if (!table.classNames.empty())
            preview.labels.push_back(numberText(value) + " " + table.classNames[k]);
        else
            preview.labels.push_back(numberText(value));
    }
}

/// The labels of an IDX pair: its second file's bytes as they are.
std::optional<Error> showIdx(DataPreview &preview, const SourceFiles &files)
{
    const auto images = Bytes::head(files.train[0], 1024), labels = Bytes::head(files.train[1], headSize);
    if (!images)
        return images.error();
    if (!labels)
        return labels.error();
    const std::string_view head = images.value().text(), bytes = labels.value().text();
    const auto dims = head.size() > 3 ? static_cast<std::size_t>(static_cast<unsigned char>(head[3])) : 0;
    std::vector<std::string> row = {"shape"};
    for (std::size_t k = 0; k < dims && 8 + 4 * k <= head.size(); ++k) {
        std::uint32_t dim = 0;
        for (std::size_t b = 0; b < 4; ++b)
            dim = dim << 8 | static_cast<unsigned char>(head[4 + 4 * k + b]);
        row.push_back(std::to_string(dim));
    }
    preview.rows.push_back(row);
    RawTable table;
    if (bytes.size() > 8 && bytes[2] == 8)
        for (const char c : bytes.substr(8))
            table.labels.push_back(static_cast<unsigned char>(c));
    showLabels(preview, table);
    return std::nullopt;
}

void addPlan(DataPreview &preview, const DataRecipe &recipe)
{
    if (recipe.regression)
        preview.steps.push_back("targets stay real numbers");
    else if (!recipe.positive.empty() && recipe.positive[0] == "classes")
        preview.steps.push_back("classes are kept, for softmax");
    else if (!recipe.positive.empty()) {
        preview.steps.push_back("labels " + joined(recipe.positive) + " become +1, the others -1");
    } else if (preview.labels.size() == 2)
        preview.steps.push_back("label " + preview.labels[0] + " becomes -1, label " + preview.labels[1]
                                + " becomes +1");
    else if (preview.labels.size() > 2)
        preview.steps.push_back("more than two labels: classes for softmax if they are whole numbers or words, else "
                                "targets for regression");
    if (!recipe.testFile.empty())
        preview.steps.push_back("test set from " + recipe.testFile);
    if (recipe.holdout > 0)
        preview.steps.push_back(numberText(100 * recipe.holdout) + " % of the rows, drawn with seed "
                                + std::to_string(recipe.seed) + ", become the test set");
    for (const auto &t : recipe.transforms)
        preview.steps.push_back(describe(t));
    preview.steps.push_back(recipe.precision == Precision::Single ? "stored in single precision"
                                                                  : "stored in double precision");
}

Result<DataPreview> previewFile(const std::string &path, const DataRecipe &recipe)
{
    const auto found = findFiles(path, recipe.format);
    if (!found)
        return found.error();
    const SourceFiles &files = found.value();
    DataPreview preview;
    preview.format = nameOf(files.format);
    preview.why = files.why;
    preview.files = files.train;
    preview.files.insert(preview.files.end(), files.test.begin(), files.test.end());
    if (files.format == Format::Idx) {
        if (auto error = showIdx(preview, files))
            return *error;
        addPlan(preview, recipe);
        return preview;
    }
    const auto head = Bytes::head(files.train[0], headSize);
    if (!head)
        return head.error();
    const LoadOptions options{
        .precision = recipe.precision, .label = recipe.label, .columns = recipe.columns, .threads = 1};
    const Progress progress;
    const ProgressRange range{progress, 0, 1, "Looking"};
    std::string_view text = head.value().text();
    if (files.format == Format::Cifar)
        text = text.substr(0, text.size() / 3073 * 3073);
    else
        text = wholeLines(text);
    const Bytes part = Bytes::view(text, files.train[0]);
    Result<RawTable> table = files.format == Format::Libsvm ? readLibsvm(part, options, range)
        : files.format == Format::Csv                       ? readCsv(part, options, range)
        : files.format == Format::Kdd                       ? readKdd(part, options, range)
                                                            : readCifar(std::span(&part, 1), options, range);
    switch (files.format) {
    case Format::Libsvm:
        showLines(preview, text);
        break;
    case Format::Csv:
    case Format::Kdd: {
        const CsvShape shape = shapeOfCsv(text, options);
        showTable(preview, text, files.format == Format::Kdd ? '\t' : shape.separator,
                  files.format == Format::Csv && shape.hasHeader);
        preview.labelColumn = files.format == Format::Kdd ? "3" : shape.labelColumn;
        if (files.format == Format::Csv)
            preview.used = shape.used;
        break;
    }
    default:
        preview.rows.push_back({"pictures of 32 x 32 x 3 pixels"});
    }
    // A mistake is the load's to report; here its row can be seen.
    if (table)
        showLabels(preview, table.value());
    addPlan(preview, recipe);
    return preview;
}

} // namespace

Result<DataPreview> previewData(const DataRecipe &recipe)
{
    DataPreview preview;
    if (isGenerator(recipe.source) || embeddedSet(recipe.source)) {
        preview.format = isGenerator(recipe.source) ? "generator" : "built-in";
        preview.why = "by its name";
        addPlan(preview, recipe);
        return preview;
    }
    return previewFile(isDownload(recipe.source) ? downloadFolder(recipe.source) : recipe.source, recipe);
}

} // namespace appa
