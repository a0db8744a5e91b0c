// Separated values: one row a line, fields separated by comma, semicolon or tab, optionally quoted, optionally a
// header.

#include "data/loaders/Columns.h"

#include "base/Text.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <iterator>
#include <set>
#include <system_error>

namespace appa {

namespace {

constexpr std::array separators = {',', ';', '\t'};

std::string nameOfSeparator(char c)
{
    return c == '\t' ? "tab" : c == ',' ? "comma" : "semicolon";
}

/// The separator that gives the first rows the same number of fields, and many of them.
char findSeparator(std::string_view text)
{
    char best = ',';
    std::size_t bestScore = 0;
    for (const char separator : separators) {
        const Record first = firstRecord(text, separator);
        if (first.fields.size() < 2)
            continue;
        std::size_t agreeing = 1, at = first.next;
        for (int k = 0; k < 10 && at < text.size(); ++k) {
            const Record next = firstRecord(text.substr(at), separator);
            agreeing += next.fields.size() == first.fields.size();
            at += next.next;
        }
        const std::size_t score = agreeing * 100000 + std::min<std::size_t>(first.fields.size(), 99999);
        if (score > bestScore) {
            bestScore = score;
            best = separator;
        }
    }
    return best;
}

/// Could this be a column's name? It is neither a number nor what stands in the place of one: NA, inf, 1e400.
bool isName(const std::string &field)
{
    const std::string_view text = std::string_view(field).substr(field.starts_with('+') ? 1 : 0);
    double ignored = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), ignored);
    const bool isNumber = error != std::errc::invalid_argument && end == text.data() + text.size();
    return !isNumber && !isMissing(field);
}

/// A first row is a header if some field is a name where the second row has a number.
bool looksLikeHeader(const std::vector<std::string> &first, const std::vector<std::string> &second)
{
    if (second.size() != first.size())
        return std::all_of(first.begin(), first.end(), isName);
    for (std::size_t k = 0; k < first.size(); ++k)
        if (isName(first[k]) && readNumber(second[k]))
            return true;
    return false;
}

/// The same for a table of nothing but words: every field of the first row names a column, a different one each, and
/// stands nowhere in it among the rows that follow; or one of them is what the user calls a column.
bool looksLikeHeaderOfWords(const std::vector<std::string> &first, std::string_view rest, char separator,
                            const LoadOptions &options)
{
    std::set<std::string> names;
    for (const std::string &field : first)
        if (!isName(field) || !names.insert(lowered(field)).second)
            return false;
    const auto isNamed = [&](const std::string &word) { return names.contains(lowered(word)); };
    if (isNamed(options.label) || (options.training && isNamed(options.training->label))
        || std::ranges::any_of(options.columns.only, isNamed) || std::ranges::any_of(options.columns.dropped, isNamed))
        return true;
    constexpr int looked = 100;
    int rows = 0;
    for (; rows < looked && !rest.empty(); ++rows) {
        const Record record = firstRecord(rest, separator);
        if (record.fields.size() != first.size())
            break;
        for (std::size_t k = 0; k < first.size(); ++k)
            if (record.fields[k] == first[k])
                return false;
        rest.remove_prefix(std::min(rest.size(), record.next));
    }
    return rows > 3; // of fewer rows any could be one of a kind
}

/// "sex (2 words), city (5 words)"; "" if no column has words.
std::string joinedWords(const TableColumns &columns)
{
    std::string out;
    for (std::size_t k = 0; k < columns.features.size(); ++k) {
        const SourceColumn &column = columns.features[k];
        if (!column.words.empty())
            out += (out.empty() ? "" : ", ")
                + (column.name.empty() ? "feature " + std::to_string(k + 1) : printable(column.name)) + " ("
                + std::to_string(column.words.size()) + (column.words.size() == 1 ? " word)" : " words)");
    }
    return out;
}

/// What a test file says where the training rows have words: 'answer: maybe, Yes (taken for no)'; "" if only such
/// words.
std::string joinedUnknownWords(const TableLayout &found, const TableLayout &training)
{
    constexpr std::size_t most = 5; // of each column
    std::string out;
    for (std::size_t k = 0; k < training.words.size(); ++k) {
        std::vector<std::string> unknown;
        if (!training.words[k].empty())
            std::ranges::set_difference(found.words[k], training.words[k], std::back_inserter(unknown));
        if (unknown.empty())
            continue;
        out += (out.empty() ? "" : "; ") + training.fieldName(static_cast<Index>(k)) + ": ";
        for (std::size_t w = 0; w < std::min(most, unknown.size()); ++w)
            out += (w > 0 ? ", " : "") + printable(unknown[w]);
        if (unknown.size() > most)
            out += " and " + std::to_string(unknown.size() - most) + " more";
        out += training.words[k].size() == 2 ? " (taken for " + printable(training.words[k].front()) + ")" : " (zeros)";
    }
    return out;
}

/// A quote in the first row that is never closed: the rest of the file would be one field.
std::optional<Error> refuseOpenQuote(const Bytes &file, char separator)
{
    const std::size_t start = skipPreamble(file.text());
    const Record first = firstRecord(file.text().substr(start), separator);
    if (!first.openAt)
        return std::nullopt;
    const std::string_view before = file.text().substr(0, start + *first.openAt);
    return errorIn(file.name() + ", line " + std::to_string(std::count(before.begin(), before.end(), '\n') + 1)
                       + ", column " + std::to_string(first.fields.size()),
                   openQuoteText);
}

/// Separator, header and names, from the first two records.
TableLayout layoutOf(std::string_view text, const LoadOptions &options, std::size_t &fields)
{
    text.remove_prefix(skipPreamble(text));
    TableLayout layout;
    layout.separator = findSeparator(text);
    const Record first = firstRecord(text, layout.separator);
    fields = first.fields.size();
    const Record second = firstRecord(text.substr(first.next), layout.separator);
    layout.hasHeader = looksLikeHeader(first.fields, second.fields)
        || looksLikeHeaderOfWords(first.fields, text.substr(first.next), layout.separator, options);
    if (layout.hasHeader) {
        layout.names = first.fields;
        // "# a,b,c": the mark is not part of the first name.
        if (layout.names[0].starts_with('#'))
            layout.names[0] = trimmed(std::string_view(layout.names[0]).substr(1));
    }
    return layout;
}

} // namespace

CsvShape shapeOfCsv(std::string_view text, const LoadOptions &options)
{
    CsvShape shape;
    const TableLayout layout = layoutOf(text, options, shape.fields);
    shape.separator = layout.separator;
    shape.hasHeader = layout.hasHeader;
    if (const auto found = chooseColumns(Bytes::view(text, ""), layout, shape.fields, options)) {
        const std::size_t k = found.value().label;
        shape.labelColumn = layout.hasHeader ? layout.names[k] : std::to_string(k + 1);
        shape.used.assign(shape.fields, false);
        for (const std::size_t feature : found.value().features)
            shape.used[feature] = true;
    }
    return shape;
}

Result<RawTable> readCsv(const Bytes &file, const LoadOptions &options, const ProgressRange &range)
{
    std::size_t fields = 0;
    TableLayout layout = layoutOf(file.text(), options, fields);
    if (auto error = refuseOpenQuote(file, layout.separator))
        return *error;
    if (fields < 2)
        return errorIn(file.name(),
                       "the first row has one field. Expected at least a feature and a label, separated by comma, "
                       "semicolon or tab.");
    layout.missing = options.columns.missing;
    const auto chosen = chooseColumns(file, layout, fields, options);
    if (!chosen)
        return chosen.error();
    const ColumnPlan &plan = chosen.value();
    // Which fields are features has to be known to look for words, how many features a field gives only afterwards.
    layout.goesTo.assign(fields, TableLayout::isSkipped);
    layout.goesTo[plan.label] = TableLayout::isLabel;
    for (const std::size_t k : plan.features)
        layout.goesTo[k] = 0;
    const double reading = options.columns.words == ColumnChoice::Words::Indicators ? 0.4 : 0;
    const double middle = range.from + reading * (range.to - range.from);
    if (reading > 0)
        if (auto error = findWords(file, layout, options, {range.progress, range.from, middle, range.what}))
            return *error;
    std::string unknownWords;
    if (options.training) {
        const TableLayout found = layout;
        layout.words.assign(fields, {});
        for (std::size_t k = 0; k < std::min(plan.features.size(), options.training->features.size()); ++k)
            layout.words[plan.features[k]] = options.training->features[k].words;
        if (reading > 0)
            unknownWords = joinedUnknownWords(found, layout);
    }
    TableColumns columns;
    columns.label = layout.hasHeader ? layout.names[plan.label] : std::string();
    for (const std::size_t k : plan.features) {
        columns.features.push_back({layout.hasHeader ? layout.names[k] : std::string(),
                                    layout.words.empty() ? std::vector<std::string>() : layout.words[k]});
        layout.goesTo[k] = layout.features;
        layout.features += columns.features.back().width();
    }
    auto table = readTable(file, layout, options, {range.progress, middle, range.to, range.what});
    if (!table)
        return table;
    RawTable &raw = table.value();
    raw.steps.insert(raw.steps.begin(),
                     {"read CSV " + file.name(),
                      std::to_string(raw.labels.size()) + " rows, separated by " + nameOfSeparator(layout.separator)
                          + (layout.hasHeader ? ", with a header" : ", no header")
                          + "; label: " + layout.fieldName(static_cast<Index>(plan.label)) + ", " + plan.whyLabel});
    if (const std::size_t unused = fields - 1 - plan.features.size(); unused > 0)
        raw.steps.push_back(
            {"choose columns",
             std::to_string(plan.features.size()) + " of " + std::to_string(fields - 1) + " are features"});
    if (const std::string words = joinedWords(columns); !words.empty())
        raw.steps.push_back({"words as columns of zeros and ones", words});
    if (!unknownWords.empty())
        raw.steps.push_back({"words that the training rows do not have", unknownWords});
    raw.columns = std::move(columns);
    return table;
}

} // namespace appa
