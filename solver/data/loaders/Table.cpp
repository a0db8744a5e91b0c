#include "data/loaders/Table.h"

#include "base/Text.h"
#include "data/Memory.h"
#include "data/loaders/Chunks.h"
#include "data/loaders/Numbers.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstring>
#include <limits>
#include <map>
#include <set>

namespace appa {

namespace {

bool isBlankLine(std::string_view line)
{
    return line.find_first_not_of(" \r\n") == std::string_view::npos;
}

/// Calls f(record) for each non-blank record of a piece, its line's end included, until it returns false.
template <class F> void forRecords(std::string_view piece, bool quoted, F &&f)
{
    const char *p = piece.data(), *end = p + piece.size();
    while (p < end) {
        const auto *q = static_cast<const char *>(std::memchr(p, '\n', static_cast<std::size_t>(end - p)));
        if (quoted && q) {
            auto quotes = std::count(p, q, '"');
            while (q && quotes % 2 != 0) {
                const char *from = q + 1;
                q = from < end
                    ? static_cast<const char *>(std::memchr(from, '\n', static_cast<std::size_t>(end - from)))
                    : nullptr;
                if (q)
                    quotes += std::count(from, q, '"');
            }
        }
        const char *stop = q ? q + 1 : end;
        const std::string_view record(p, static_cast<std::size_t>(stop - p));
        if (!isBlankLine(record) && !f(record))
            return;
        p = stop;
    }
}

struct Problem
{
    const char *at = nullptr;
    Index field = -1;
    std::string message;
};

struct Label
{
    double number = std::numeric_limits<double>::quiet_NaN(); ///< NaN if it is a word
    std::string_view text;
};

/// Where a field ends: at its separator or the line's end. `content` is without blanks and quotes.
struct Field
{
    std::string_view content;
    const char *end = nullptr;
    bool isOpen = false; ///< a quote that is never closed
    bool isQuoted = false;
};

Field fieldAt(const char *p, const char *end, char separator)
{
    Field out;
    while (p < end && *p == ' ')
        ++p;
    if (p < end && *p == '"') {
        out.isQuoted = true;
        const char *first = ++p;
        while (p < end) {
            if (*p == '"') {
                if (p + 1 >= end || p[1] != '"')
                    break;
                ++p;
            }
            ++p;
        }
        out.isOpen = p >= end;
        out.content = trimmed({first, static_cast<std::size_t>(p - first)});
        if (p < end)
            ++p;
        while (p < end && *p != separator && *p != '\n')
            ++p;
        out.end = p;
        return out;
    }
    const char *first = p;
    while (p < end && *p != separator && *p != '\n')
        ++p;
    out.content = trimmed({first, static_cast<std::size_t>(p - first)});
    out.end = p;
    return out;
}

/// Two double quotes within quotes stand for one.
std::string unescaped(std::string_view content)
{
    std::string out;
    for (std::size_t k = 0; k < content.size(); ++k) {
        out += content[k];
        if (content[k] == '"' && k + 1 < content.size() && content[k + 1] == '"')
            ++k;
    }
    return out;
}

template <class T> class RowParser
{
public:
    RowParser(const TableLayout &layout) : m_layout(layout) { }

    /// Reads one record into `row` and `label`. False: `problem` says why.
    bool read(std::string_view record, T *row, Label &label, Problem &problem) const
    {
        const char *p = record.data(), *end = p + record.size();
        for (Index field = 0; field < m_layout.fields(); ++field) {
            const Index target = m_layout.goesTo[static_cast<std::size_t>(field)];
            const char *start = p;
            while (*p == ' ')
                ++p;
            const ParsedNumber number = parseNumber(p, end);
            const char *q = number.end;
            if (number.status == NumberStatus::Ok)
                while (*q == ' ' || *q == '\r')
                    ++q;
            double value = number.value;
            if (number.status != NumberStatus::Ok || (*q != m_layout.separator && *q != '\n')) {
                const Field slow = fieldAt(start, end, m_layout.separator);
                if (!readSlowly(slow, field, start, value, label, problem))
                    return false;
                q = slow.end;
            } else if (target == TableLayout::isLabel) {
                label = {value, {p, static_cast<std::size_t>(number.end - p)}};
            }
            if (target == TableLayout::isLabel && m_layout.isZeroOne && label.number != 0 && label.number != 1) {
                problem = {start, field,
                           inQuotes(label.text)
                               + " is not a label of bio_train.dat. Expected 0 or 1: correct it, or "
                                 "choose the format csv if this is another table."};
                return false;
            }
            if (target >= 0) {
                row[target] = static_cast<T>(value);
                if (!std::isfinite(row[target])) {
                    problem = {
                        start, field,
                        numberText(value)
                            + " is too large for single precision. Scale the column, or load in double precision."};
                    return false;
                }
            }
            const bool isLast = field + 1 == m_layout.fields();
            if (q < end && *q == m_layout.separator && !isLast) {
                p = q + 1;
                continue;
            }
            if (!isLast || (q < end && *q == m_layout.separator)) {
                problem = {record.data(), -1, raggedText(record)};
                return false;
            }
        }
        return true;
    }

    std::string raggedText(std::string_view record) const
    {
        Index count = 0;
        const char *p = record.data(), *end = p + record.size();
        for (;; ++p) {
            ++count;
            p = fieldAt(p, end, m_layout.separator).end;
            if (p >= end || *p == '\n')
                break;
        }
        return "this row has " + std::to_string(count) + (count == 1 ? " field" : " fields") + ". Expected "
            + std::to_string(m_layout.fields())
            + " as in the first row: add what is missing, remove what is too much, or check the separator.";
    }

private:
    /// A field that is not a plain number: quoted, the label's word, missing, or wrong.
    bool readSlowly(const Field &slow, Index field, const char *start, double &value, Label &label,
                    Problem &problem) const
    {
        const Index target = m_layout.goesTo[static_cast<std::size_t>(field)];
        if (slow.isOpen) {
            problem = {start, field, "the quote opened here is never closed. Expected a second double quote."};
            return false;
        }
        const std::string text = std::string(slow.content) + '\n';
        const ParsedNumber number = parseNumber(text.data(), text.data() + slow.content.size());
        const bool isWhole = number.end == text.data() + slow.content.size() && !slow.content.empty();
        if (isMissing(slow.content)) {
            problem = {start, field,
                       slow.content.empty() ? "the value is missing. Expected a number: fill it in, or remove the row."
                                            : inQuotes(slow.content)
                               + " stands for a missing value. Expected a number: fill it in, or remove the row."};
            return false;
        }
        if (number.status == NumberStatus::NotFinite && isWhole) {
            problem = {start, field,
                       inQuotes(slow.content)
                           + " is not finite. Expected finite numbers: correct it, or remove the row."};
            return false;
        }
        if (number.status == NumberStatus::Ok && isWhole) {
            value = number.value;
            if (target == TableLayout::isLabel)
                label = {value, slow.content};
            return true;
        }
        if (target == TableLayout::isLabel) {
            label = {std::numeric_limits<double>::quiet_NaN(), slow.content};
            return true;
        }
        if (const auto comma = slow.content.find(','); comma != std::string_view::npos && m_layout.separator != ',') {
            std::string pointed(slow.content);
            pointed[comma] = '.';
            if (readNumber(pointed)) {
                problem = {start, field,
                           inQuotes(slow.content) + " has a decimal comma. Expected a point: write " + pointed
                               + ", and so in the whole file."};
                return false;
            }
        }
        problem = {start, field,
                   inQuotes(slow.content)
                       + " is not a number. Expected numbers in all columns but the label's: "
                         "choose that column as the label, encode it as numbers, or remove it."};
        return false;
    }

    const TableLayout &m_layout;
};

Error errorOf(const Bytes &file, std::size_t offset, const Problem &problem, const TableLayout &layout)
{
    const std::string_view before = file.text().substr(0, std::min(offset, file.text().size()));
    const auto line = std::count(before.begin(), before.end(), '\n') + 1;
    return errorIn(file.name() + ", line " + std::to_string(line)
                       + (problem.field >= 0 ? ", " + layout.fieldName(problem.field) : ""),
                   problem.message);
}

/// Turns labels into numbers, or into positions in the sorted list of words if one of them is a word.
void settleLabels(const std::vector<Label> &labels, RawTable &table)
{
    const bool isWords = std::any_of(labels.begin(), labels.end(), [](const Label &l) { return std::isnan(l.number); });
    table.labels.resize(labels.size());
    if (!isWords) {
        std::transform(labels.begin(), labels.end(), table.labels.begin(), [](const Label &l) { return l.number; });
        return;
    }
    std::map<std::string_view, double> position; // of each label as it stands in the file
    std::set<std::string> words;
    for (const Label &l : labels)
        if (position.emplace(l.text, 0).second)
            words.insert(unescaped(l.text));
    table.labelWords.assign(words.begin(), words.end());
    for (auto &[text, at] : position)
        at = static_cast<double>(std::lower_bound(table.labelWords.begin(), table.labelWords.end(), unescaped(text))
                                 - table.labelWords.begin());
    std::transform(labels.begin(), labels.end(), table.labels.begin(),
                   [&](const Label &l) { return position[l.text]; });
}

template <class T>
Result<RawTable> read(const Bytes &file, const TableLayout &layout, const LoadOptions &options,
                      const ProgressRange &range)
{
    std::string_view text = file.text();
    std::size_t start = text.starts_with("\xEF\xBB\xBF") ? 3 : 0;
    start += skipPreamble(text.substr(start));
    if (layout.hasHeader)
        start += firstRecord(text.substr(start), layout.separator).next;
    text.remove_prefix(start);
    const bool quoted = text.find('"') != std::string_view::npos;
    const LineChunks chunks(text, quoted);
    const auto count = static_cast<Index>(chunks.count());
    const RowParser<T> parser(layout);

    std::vector<Index> firstRow(chunks.count() + 1, 0);
    const ProgressRange counting{range.progress, range.from, range.from + 0.1 * (range.to - range.from), range.what};
    const auto countRows = [&](Index k) {
        Index rows = 0;
        forRecords(chunks.piece(static_cast<std::size_t>(k)), quoted, [&](std::string_view) { return ++rows, true; });
        firstRow[static_cast<std::size_t>(k) + 1] = rows;
    };
    if (!forEach(count, counting, countRows, options.threads))
        return cancelledError();
    for (std::size_t k = 1; k < firstRow.size(); ++k)
        firstRow[k] += firstRow[k - 1];
    const Index rows = firstRow.back();
    if (rows == 0)
        return errorIn(file.name(),
                       "there are no rows in it" + std::string(layout.hasHeader ? " below its header" : "")
                           + ". Expected rows of numbers.");

    // A row takes at least as many bytes as it has fields. If the file is too short for that, some row is too: the
    // matrix would be larger than the file for nothing, so one row's memory serves to find the first bad one.
    const bool isTooShort =
        static_cast<double>(rows) * static_cast<double>(layout.fields()) > static_cast<double>(text.size()) + 1;
    if (!isTooShort)
        if (auto error =
                refuseMemory(static_cast<double>(rows) * static_cast<double>(layout.features) * sizeof(T), file.name()))
            return *error;
    DenseMatrix<T> A(isTooShort ? 1 : rows, layout.features);
    std::vector<Label> labels(static_cast<std::size_t>(rows));
    std::vector<Problem> problems(chunks.count());
    std::atomic<bool> stopped{false};
    const ProgressRange parsing{range.progress, counting.to, range.to, range.what};
    const auto parse = [&](Index k) {
        const auto c = static_cast<std::size_t>(k);
        Index i = firstRow[c];
        forRecords(chunks.piece(c), quoted, [&](std::string_view record) {
            if (parsing.cancelled()) {
                stopped = true;
                return false;
            }
            const bool ok =
                parser.read(record, A.row(isTooShort ? 0 : i), labels[static_cast<std::size_t>(i)], problems[c]);
            ++i;
            return ok;
        });
    };
    if (!forEach(count, parsing, parse, isTooShort ? 1 : options.threads) || stopped)
        return cancelledError();
    for (std::size_t c = 0; c < problems.size(); ++c)
        if (problems[c].at)
            return errorOf(file, start + chunks.offset(c, problems[c].at), problems[c], layout);

    RawTable table;
    table.features = std::move(A);
    settleLabels(labels, table);
    return table;
}

} // namespace

std::string TableLayout::fieldName(Index field) const
{
    const auto k = static_cast<std::size_t>(field);
    return "column " + std::to_string(field + 1) + (k < names.size() ? " (" + printable(names[k]) + ")" : "");
}

bool isMissing(std::string_view field)
{
    static constexpr std::string_view words[] = {"", "na", "n/a", "nan", "null", "none", "?", "-", "missing"};
    const std::string low = lowered(trimmed(field));
    return std::find(std::begin(words), std::end(words), low) != std::end(words);
}

std::size_t skipPreamble(std::string_view text)
{
    const auto separators = [](std::string_view line) {
        return std::count_if(line.begin(), line.end(), [](char c) { return c == ',' || c == ';' || c == '\t'; });
    };
    std::size_t at = 0;
    while (at < text.size()) {
        const auto end = text.find('\n', at);
        if (end == std::string_view::npos)
            break;
        const auto line = text.substr(at, end - at);
        const auto below = text.substr(end + 1, text.find('\n', end + 1) - end - 1);
        const bool isComment =
            line.starts_with('#') && (separators(line) == 0 || separators(line) != separators(below));
        if (!isBlankLine(line) && !isComment)
            break;
        at = end + 1;
    }
    return at;
}

Record firstRecord(std::string_view text, char separator)
{
    Record out;
    const char *p = text.data(), *end = p + text.size();
    for (;;) {
        const Field field = fieldAt(p, end, separator);
        out.fields.push_back(field.isQuoted ? unescaped(field.content) : std::string(field.content));
        p = field.end;
        if (p >= end || *p == '\n')
            break;
        ++p;
    }
    out.next = std::min(text.size(), static_cast<std::size_t>(p - text.data()) + 1);
    return out;
}

Result<RawTable> readTable(const Bytes &file, const TableLayout &layout, const LoadOptions &options,
                           const ProgressRange &range)
{
    return options.precision == Precision::Single ? read<float>(file, layout, options, range)
                                                  : read<double>(file, layout, options, range);
}

} // namespace appa
