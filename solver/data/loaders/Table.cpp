#include "data/loaders/Table.h"

#include "base/Text.h"
#include "data/Memory.h"
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

struct Problem
{
    const char *at = nullptr;
    Index field = -1;
    std::string message;
    std::vector<Remedy> remedies = {};
};

struct Label
{
    double number = std::numeric_limits<double>::quiet_NaN(); ///< NaN if it is a word
    std::string_view text;
    bool isMissing = false;
};

Index widthOf(const std::vector<std::string> &words)
{
    return SourceColumn{{}, words}.width();
}

/// What stands for no label: fewer words than for no number.
bool isMissingLabel(std::string_view field)
{
    const std::string low = lowered(trimmed(field));
    return low.empty() || low == "na" || low == "n/a" || low == "nan" || low == "?";
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
            const char *q = nullptr;
            if (m_layout.hasWords(field)) {
                const Field word = fieldAt(start, end, m_layout.separator);
                if (!readWord(word, field, start, row + target, problem))
                    return false;
                q = word.end;
            } else if (!readValue(p, end, field, row, label, problem, q)) {
                return false;
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
    static constexpr double nothing = std::numeric_limits<double>::quiet_NaN(); ///< in the place of a missing value

    /// A field of numbers, or the label, from `p` to `q`.
    bool readValue(const char *p, const char *end, Index field, T *row, Label &label, Problem &problem,
                   const char *&q) const
    {
        const Index target = m_layout.goesTo[static_cast<std::size_t>(field)];
        const char *start = p;
        while (*p == ' ')
            ++p;
        const ParsedNumber number = parseNumber(p, end);
        q = number.end;
        if (number.status == NumberStatus::Ok)
            while (*q == ' ' || *q == '\r')
                ++q;
        double value = number.value;
        if (number.status != NumberStatus::Ok || (*q != m_layout.separator && *q != '\n')) {
            const Field slow = fieldAt(start, end, m_layout.separator);
            q = slow.end;
            if (target != TableLayout::isSkipped && !readSlowly(slow, field, start, value, label, problem))
                return false;
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
            if (!std::isfinite(row[target]) && !std::isnan(value)) {
                problem = {start,
                           field,
                           numberText(value)
                               + " is too large for single precision. Scale the column, or load in double precision.",
                           {Remedy::DoublePrecision}};
                return false;
            }
        }
        return true;
    }

    /// A field of words: a one in the column of its word. Words that the training rows do not have get none.
    bool readWord(const Field &slow, Index field, const char *start, T *columns, Problem &problem) const
    {
        if (slow.isOpen)
            return refuseOpenQuote(start, field, problem);
        const auto &words = m_layout.words[static_cast<std::size_t>(field)];
        if (isMissing(slow.content)) {
            if (m_layout.missing == ColumnChoice::Missing::Refuse)
                return refuseMissing(slow, field, start, problem);
            std::fill(columns, columns + widthOf(words), static_cast<T>(nothing));
            return true;
        }
        const std::string word = unescaped(slow.content);
        const auto at = std::lower_bound(words.begin(), words.end(), word);
        if (at == words.end() || *at != word)
            return true;
        const auto k = at - words.begin();
        if (words.size() != 2)
            columns[k] = 1;
        else if (k == 1)
            columns[0] = 1;
        return true;
    }

    static bool refuseOpenQuote(const char *start, Index field, Problem &problem)
    {
        problem = {start, field, openQuoteText};
        return false;
    }

    bool refuseMissing(const Field &slow, Index field, const char *start, Problem &problem) const
    {
        const bool isLabel = m_layout.goesTo[static_cast<std::size_t>(field)] == TableLayout::isLabel;
        problem = {
            start, field,
            (slow.content.empty() ? "the value is missing" : inQuotes(slow.content) + " stands for a missing value")
                + ". Expected a " + (isLabel ? "label" : "number") + ": fill it in, skip rows with missing values"
                + (isLabel ? "." : ", take the column's mean for them, or leave the column out."),
            isLabel ? std::vector{Remedy::SkipRows}
                    : std::vector{Remedy::SkipRows, Remedy::FillMeans, Remedy::DropColumn}};
        return false;
    }

    /// A field that is not a plain number: quoted, the label's word, missing, or wrong.
    bool readSlowly(const Field &slow, Index field, const char *start, double &value, Label &label,
                    Problem &problem) const
    {
        const Index target = m_layout.goesTo[static_cast<std::size_t>(field)];
        if (slow.isOpen)
            return refuseOpenQuote(start, field, problem);
        const bool isLabel = target == TableLayout::isLabel;
        const std::string text = std::string(slow.content) + '\n';
        const ParsedNumber number = parseNumber(text.data(), text.data() + slow.content.size());
        const bool isWhole = number.end == text.data() + slow.content.size() && !slow.content.empty();
        // Some sets call their classes "+" and "-", or "none": where words are expected they are what they say.
        const bool isNothing = isLabel ? isMissingLabel(slow.content) : isMissing(slow.content);
        if (isNothing) {
            if (m_layout.missing == ColumnChoice::Missing::SkipRows)
                label.isMissing |= isLabel;
            else if (isLabel || m_layout.missing == ColumnChoice::Missing::Refuse)
                return refuseMissing(slow, field, start, problem);
            value = nothing;
            return true;
        }
        if (number.status == NumberStatus::NotFinite && isWhole) {
            problem = {start, field,
                       inQuotes(slow.content)
                           + " is not finite. Expected finite numbers: correct it, or remove the row."};
            return false;
        }
        if (number.status == NumberStatus::Ok && isWhole) {
            value = number.value;
            if (isLabel)
                label = {value, slow.content};
            return true;
        }
        if (isLabel) {
            label = {std::numeric_limits<double>::quiet_NaN(), slow.content};
            return true;
        }
        if (const auto pointed = withPoint(slow.content)) {
            std::string joint(slow.content);
            std::erase(joint, ',');
            // Between quotes in a file separated by commas it may be either.
            problem = {start, field,
                       inQuotes(slow.content)
                           + (m_layout.separator == ',' ? " has a comma in it. Expected a number: write " + *pointed
                                      + " if it is a decimal comma, or " + joint + " if it separates thousands"
                                                        : " has a decimal comma. Expected a point: write " + *pointed)
                           + ", and so in the whole file."};
            return false;
        }
        const bool wordsWereSought = !m_layout.words.empty(); // in a column of words alone it would be one of them
        problem = {start, field,
                   inQuotes(slow.content)
                       + (wordsWereSought
                              ? " is not a number, and others of its column are. Expected either numbers or words: "
                                "correct it, or leave the column out."
                              : " is not a number. Expected numbers in all columns but the label's: choose that column "
                                "as the label, have its words turned into columns of zeros and ones, or leave it out."),
                   wordsWereSought ? std::vector{Remedy::DropColumn}
                                   : std::vector{Remedy::ChooseLabel, Remedy::WordsAsColumns, Remedy::DropColumn}};
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
                   problem.message, problem.remedies,
                   problem.field >= 0 ? ColumnChoice::nameOf(layout.names, static_cast<std::size_t>(problem.field))
                                      : std::string());
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
std::optional<Error> skipIncompleteRows(const Bytes &file, DenseMatrix<T> &A, std::vector<Label> &labels,
                                        RawTable &table)
{
    std::vector<Index> whole;
    for (Index i = 0; i < A.rows(); ++i)
        if (!labels[static_cast<std::size_t>(i)].isMissing
            && std::none_of(A.row(i), A.row(i) + A.cols(), [](T v) { return std::isnan(v); }))
            whole.push_back(i);
    const auto count = static_cast<Index>(whole.size()), skipped = A.rows() - count;
    if (count == 0)
        return errorIn(file.name(),
                       "every row misses a value. Expected rows that have all: leave the emptiest columns out, or take "
                       "the columns' means for missing values.",
                       {Remedy::DropColumn, Remedy::FillMeans});
    if (skipped == 0)
        return std::nullopt;
    DenseMatrix<T> B(count, A.cols());
    for (Index i = 0; i < count; ++i) {
        const Index from = whole[static_cast<std::size_t>(i)];
        std::copy(A.row(from), A.row(from) + A.cols(), B.row(i));
        labels[static_cast<std::size_t>(i)] = labels[static_cast<std::size_t>(from)];
    }
    table.steps.push_back({"skip rows with missing values",
                           std::to_string(skipped) + " of " + std::to_string(A.rows()) + " rows of " + file.name()});
    labels.resize(whole.size());
    A = std::move(B);
    return std::nullopt;
}

template <class T>
Result<RawTable> read(const Bytes &file, const TableLayout &layout, const LoadOptions &options,
                      const ProgressRange &range)
{
    const TableText text(file, layout.separator, layout.hasHeader);
    const LineChunks &chunks = text.chunks;
    const auto count = static_cast<Index>(chunks.count());
    const RowParser<T> parser(layout);

    std::vector<Index> firstRow(chunks.count() + 1, 0);
    const ProgressRange counting{range.progress, range.from, range.from + 0.1 * (range.to - range.from), range.what};
    const auto countRows = [&](Index k) {
        Index rows = 0;
        forRecords(chunks.piece(static_cast<std::size_t>(k)), text.quoted,
                   [&](std::string_view) { return ++rows, true; });
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
        static_cast<double>(rows) * static_cast<double>(layout.fields()) > static_cast<double>(text.size) + 1;
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
        forRecords(chunks.piece(c), text.quoted, [&](std::string_view record) {
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
            return errorOf(file, text.start + chunks.offset(c, problems[c].at), problems[c], layout);

    RawTable table;
    if (layout.missing == ColumnChoice::Missing::SkipRows)
        if (auto error = skipIncompleteRows(file, A, labels, table))
            return *error;
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

Result<RawTable> readTable(const Bytes &file, const TableLayout &layout, const LoadOptions &options,
                           const ProgressRange &range)
{
    return options.precision == Precision::Single ? read<float>(file, layout, options, range)
                                                  : read<double>(file, layout, options, range);
}

} // namespace appa
