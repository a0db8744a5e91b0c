// Separated values: one row a line, fields separated by comma, semicolon or tab, optionally quoted, optionally a
// header.

#include "data/loaders/Table.h"

#include "base/Text.h"

#include <algorithm>
#include <array>
#include <charconv>
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

/// The position of the label's column and how it was found, or an error that lists the columns.
struct LabelColumn
{
    std::size_t field = 0;
    std::string why;
};

Result<LabelColumn> findLabel(const Bytes &file, const TableLayout &layout, std::size_t fields,
                              const std::string &wanted)
{
    const auto &names = layout.names;
    const auto byName = [&](const std::string &name) {
        return static_cast<std::size_t>(
            std::find_if(names.begin(), names.end(), [&](const auto &n) { return lowered(n) == lowered(name); })
            - names.begin());
    };
    if (wanted.empty()) {
        for (const char *usual : {"label", "class", "target", "y"})
            if (const auto k = byName(usual); k < names.size())
                return LabelColumn{k, "by its name"};
        return LabelColumn{fields - 1, "the last one"};
    }
    if (const auto k = byName(wanted); k < names.size()) {
        const auto same =
            std::count_if(names.begin(), names.end(), [&](const auto &n) { return lowered(n) == lowered(wanted); });
        if (same > 1)
            return Error{Error::Kind::Usage,
                         file.name() + ": " + std::to_string(same) + " columns are called \"" + printable(wanted)
                             + "\". Choose the label's column by its number, from 1 to " + std::to_string(fields)
                             + "."};
        return LabelColumn{k, "as chosen"};
    }
    if (const auto number = readNumber(wanted); number && *number >= 1 && *number <= static_cast<double>(fields)
        && *number == static_cast<double>(static_cast<std::size_t>(*number)))
        return LabelColumn{static_cast<std::size_t>(*number) - 1, "as chosen"};
    std::string known;
    for (std::size_t k = 0; k < std::min<std::size_t>(names.size(), 12); ++k)
        known += (k ? ", " : "") + printable(names[k]);
    return Error{Error::Kind::Usage,
                 file.name() + ": there is no label column \"" + printable(wanted) + "\". Expected a number from 1 to "
                     + std::to_string(fields)
                     + (known.empty() ? "; the file has no header with names."
                                      : " or a name: " + known + (names.size() > 12 ? ", ..." : "."))};
}

/// Separator, header and names, from the first two records.
TableLayout layoutOf(std::string_view text, std::size_t &fields)
{
    if (text.starts_with("\xEF\xBB\xBF"))
        text.remove_prefix(3);
    text.remove_prefix(skipPreamble(text));
    TableLayout layout;
    layout.separator = findSeparator(text);
    const Record first = firstRecord(text, layout.separator);
    fields = first.fields.size();
    const Record second = firstRecord(text.substr(first.next), layout.separator);
    layout.hasHeader = looksLikeHeader(first.fields, second.fields);
    if (layout.hasHeader) {
        layout.names = first.fields;
        // "# a,b,c": the mark is not part of the first name.
        if (layout.names[0].starts_with('#'))
            layout.names[0] = trimmed(std::string_view(layout.names[0]).substr(1));
    }
    return layout;
}

} // namespace

CsvShape shapeOfCsv(std::string_view text, const std::string &label)
{
    CsvShape shape;
    const TableLayout layout = layoutOf(text, shape.fields);
    shape.separator = layout.separator;
    shape.hasHeader = layout.hasHeader;
    if (const auto found = findLabel(Bytes::view(text, ""), layout, shape.fields, label)) {
        const std::size_t k = found.value().field;
        shape.labelColumn = layout.hasHeader ? layout.names[k] : std::to_string(k + 1);
    }
    return shape;
}

Result<RawTable> readCsv(const Bytes &file, const LoadOptions &options, const ProgressRange &range)
{
    std::size_t fields = 0;
    TableLayout layout = layoutOf(file.text(), fields);
    if (fields < 2)
        return errorIn(file.name(),
                       "the first row has one field. Expected at least a feature and a label, separated by comma, "
                       "semicolon or tab.");
    const auto label = findLabel(file, layout, fields, options.label);
    if (!label)
        return label.error();
    for (std::size_t k = 0; k < fields; ++k)
        layout.goesTo.push_back(k == label.value().field ? TableLayout::isLabel : layout.features++);
    auto table = readTable(file, layout, options, range);
    if (!table)
        return table;
    table.value().steps.push_back(
        {"read CSV " + file.name(),
         std::to_string(table.value().labels.size()) + " rows, separated by " + nameOfSeparator(layout.separator)
             + (layout.hasHeader ? ", with a header" : ", no header")
             + "; label: " + layout.fieldName(static_cast<Index>(label.value().field)) + ", " + label.value().why});
    return table;
}

} // namespace appa
