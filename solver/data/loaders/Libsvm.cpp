// LIBSVM / svmlight text: "label [qid:number] index:value index:value .. [# comment]", one row a line, indices
// ascending.

#include "data/loaders/Loaders.h"

#include "base/Text.h"
#include "data/Memory.h"
#include "data/loaders/Chunks.h"
#include "data/loaders/Numbers.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

namespace appa {

namespace {

constexpr std::uint32_t largestIndex = std::numeric_limits<std::int32_t>::max();

/// What is wrong, and where; found by the thread that parses the piece, reported for the first piece that has one.
struct Problem
{
    const char *at = nullptr;
    std::string message;
    std::vector<Remedy> remedies = {};
};

/// One piece of the file: where its results go, and what came of it.
template <class T> struct Piece
{
    typename SparseMatrix<T>::Entry *entries = nullptr; ///< room for every ':' of the piece
    std::size_t entryCount = 0;
    std::vector<std::uint32_t> lengths; ///< non-zeros of each row
    std::vector<double> labels;
    std::uint32_t largest = 0;
    bool hasZero = false;
    bool hasQid = false;
    bool isCancelled = false;
    Problem problem;
};

inline bool isBlank(char c)
{
    return c == ' ' || c == '\t' || c == '\r';
}

std::string wordAt(const char *p, const char *end)
{
    const char *q = p;
    while (q < end && !isBlank(*q) && *q != '\n')
        ++q;
    return inQuotes({p, static_cast<std::size_t>(q - p)});
}

template <class T> class Parser
{
public:
    Parser(std::string_view text, Piece<T> &out, bool zeroIsError, const ProgressRange &range)
        : m_p(text.data()), m_end(text.data() + text.size()), m_out(out), m_zeroIsError(zeroIsError), m_range(range)
    {
    }

    void run()
    {
        m_entry = m_out.entries;
        while (m_p < m_end && readLine()) { }
        m_out.entryCount = static_cast<std::size_t>(m_entry - m_out.entries);
    }

private:
    bool fail(const char *at, std::string message, std::vector<Remedy> remedies = {})
    {
        m_out.problem = {at, std::move(message), std::move(remedies)};
        return false;
    }

    void skipBlanks()
    {
        while (isBlank(*m_p))
            ++m_p;
    }

    void skipLine()
    {
        // Every piece ends with a line's end.
        m_p = static_cast<const char *>(std::memchr(m_p, '\n', static_cast<std::size_t>(m_end - m_p))) + 1;
    }

    bool readLine()
    {
        skipBlanks();
        if (*m_p == '\n' || *m_p == '#') {
            skipLine();
            return true;
        }
        const ParsedNumber label = parseNumber(m_p, m_end);
        if (label.status != NumberStatus::Ok || !endsWord(*label.end))
            return badLabel(label);
        m_p = label.end;
        const auto *first = m_entry;
        std::int64_t previous = -1;
        for (;;) {
            skipBlanks();
            if (*m_p == '\n') {
                ++m_p;
                break;
            }
            if (*m_p == '#') {
                skipLine();
                break;
            }
            if (!readPair(previous))
                return false;
        }
        // Indices ascend: the last one is the row's largest.
        m_out.largest = std::max(m_out.largest, static_cast<std::uint32_t>(std::max<std::int64_t>(previous, 0)));
        m_out.labels.push_back(label.value);
        m_out.lengths.push_back(static_cast<std::uint32_t>(m_entry - first));
        return true;
    }

    static bool endsWord(char c) { return isBlank(c) || c == '\n' || c == '#'; }

    bool readPair(std::int64_t &previous)
    {
        const char *start = m_p;
        std::uint64_t index = 0;
        if (m_end - m_p >= 8)
            m_p += detail::eightDigits(m_p, index);
        while (detail::isDigit(*m_p) && index <= largestIndex)
            index = index * 10 + static_cast<unsigned char>(*m_p++ - '0');
        if (m_p == start || *m_p != ':' || index > largestIndex)
            return m_p == start
                    && std::strncmp(m_p, "qid:", std::min<std::size_t>(4, static_cast<std::size_t>(m_end - m_p))) == 0
                ? readQid()
                : badIndex(start, index);
        if (static_cast<std::int64_t>(index) <= previous)
            return fail(start,
                        "index " + std::to_string(index)
                            + (static_cast<std::int64_t>(index) == previous
                                   ? " occurs twice in this row"
                                   : " follows index " + std::to_string(previous))
                            + ". Expected ascending indices: sort the row and merge its duplicates.");
        if (index == 0) {
            if (m_zeroIsError)
                return fail(
                    start,
                    "index 0 in a file whose columns count from 1, as the training file's do. Expected indices from 1: "
                    "add 1 to every index of this file, or correct this one.");
            m_out.hasZero = true;
        }
        ++m_p;
        // Text files of features that are there or not are full of ones.
        const ParsedNumber number = detail::isDigit(m_p[0]) && m_p[1] == ' '
            ? ParsedNumber{static_cast<double>(m_p[0] - '0'), m_p + 1, NumberStatus::Ok}
            : parseNumber(m_p, m_end);
        const auto value = static_cast<T>(number.value);
        if (number.status != NumberStatus::Ok || !endsWord(*number.end) || !std::isfinite(value))
            return badValue(number, index);
        m_p = number.end;
        previous = static_cast<std::int64_t>(index);
        if (value != 0)
            *m_entry++ = {static_cast<std::uint32_t>(index), value};
        if ((++m_pairs & 0xFFFF) == 0 && m_range.cancelled()) {
            m_out.isCancelled = true;
            return false;
        }
        return true;
    }

    bool readQid()
    {
        m_p += 4;
        const char *digits = m_p;
        while (detail::isDigit(*m_p))
            ++m_p;
        if (m_p == digits || !endsWord(*m_p))
            return fail(digits, "qid: is followed by " + wordAt(digits, m_end) + ". Expected a whole number.");
        m_out.hasQid = true;
        return true;
    }

    bool badLabel(const ParsedNumber &label)
    {
        if (label.status == NumberStatus::NotFinite)
            return fail(m_p,
                        "the label " + wordAt(m_p, m_end)
                            + " is not a finite number. Expected one such as 1 or -1: correct or remove the row.");
        if (label.status == NumberStatus::Ok && *label.end == ',')
            return fail(m_p,
                        "the row has several labels, " + wordAt(m_p, m_end)
                            + ". Expected one: multi-label files can't be used.");
        if (label.status == NumberStatus::Ok && *label.end == ':')
            return fail(m_p,
                        "the row starts with " + wordAt(m_p, m_end)
                            + ". Expected a label before the first index:value pair.");
        return fail(m_p,
                    "the label " + wordAt(m_p, m_end)
                        + " is not a number. Expected LIBSVM rows, \"label index:value ..\": if the file is "
                          "of another kind, choose its format.");
    }

    bool badIndex(const char *start, std::uint64_t index)
    {
        if (index > largestIndex)
            return fail(start,
                        "the index in " + wordAt(start, m_end) + " is too large. Expected at most "
                            + std::to_string(largestIndex) + ": renumber the columns.");
        return fail(start,
                    wordAt(start, m_end) + " is not an index:value pair. Expected such as 3:0.5, separated by blanks.");
    }

    bool badValue(const ParsedNumber &number, std::uint64_t index)
    {
        const std::string what = "the value " + wordAt(m_p, m_end) + " of index " + std::to_string(index);
        if (number.status == NumberStatus::NotANumber || !endsWord(*number.end))
            return fail(m_p, what + " is not a number. Expected such as 0.5 or 1e-3.");
        if (number.status == NumberStatus::Ok)
            return fail(m_p,
                        what + " is too large for single precision. Scale the column, or load in double precision.",
                        {Remedy::DoublePrecision});
        return fail(m_p, what + " is not finite. Expected finite numbers: fill it or remove the pair.");
    }

    const char *m_p;
    const char *m_end;
    Piece<T> &m_out;
    typename SparseMatrix<T>::Entry *m_entry = nullptr;
    std::uint32_t m_pairs = 0;
    bool m_zeroIsError;
    const ProgressRange &m_range;
};

template <class T> Result<RawTable> read(const Bytes &file, const LoadOptions &options, const ProgressRange &range)
{
    using Entry = typename SparseMatrix<T>::Entry;
    std::string_view text = file.text();
    const std::size_t bom = text.starts_with("\xEF\xBB\xBF") ? 3 : 0;
    const LineChunks chunks(text.substr(bom));
    const auto count = static_cast<Index>(chunks.count());

    // Every pair has one ':', so their number bounds the entries: they can be written in place.
    std::vector<std::size_t> room(chunks.count() + 1, 0);
    const ProgressRange counting{range.progress, range.from, range.from + 0.1 * (range.to - range.from), range.what};
    const auto countPairs = [&](Index k) {
        const auto piece = chunks.piece(static_cast<std::size_t>(k));
        room[static_cast<std::size_t>(k) + 1] = static_cast<std::size_t>(std::count(piece.begin(), piece.end(), ':'));
    };
    if (!forEach(count, counting, countPairs, options.threads))
        return cancelledError();
    for (std::size_t k = 1; k < room.size(); ++k)
        room[k] += room[k - 1];
    if (auto error = refuseMemory(static_cast<double>(room.back()) * sizeof(Entry), file.name()))
        return *error;
    std::vector<Entry> entries(room.back());

    std::vector<Piece<T>> pieces(chunks.count());
    const ProgressRange parsing{range.progress, counting.to, range.to, range.what};
    const auto parse = [&](Index k) {
        const auto c = static_cast<std::size_t>(k);
        pieces[c].entries = entries.data() + room[c];
        Parser<T>(chunks.piece(c), pieces[c], options.zeroIsError, parsing).run();
    };
    if (!forEach(count, parsing, parse, options.threads))
        return cancelledError();

    RawTable table;
    std::vector<Index> starts = {0};
    std::uint32_t largest = 0;
    bool hasQid = false;
    std::size_t used = 0, rows = 0;
    for (std::size_t c = 0; c < pieces.size(); ++c) {
        const Piece<T> &piece = pieces[c];
        if (piece.isCancelled || range.cancelled())
            return cancelledError();
        if (piece.problem.at)
            return errorAt(file.name(), text, bom + chunks.offset(c, piece.problem.at), piece.problem.message,
                           piece.problem.remedies);
        rows += piece.labels.size();
    }
    starts.reserve(rows + 1);
    table.labels.reserve(rows);
    for (Piece<T> &piece : pieces) {
        if (piece.entries != entries.data() + used)
            std::copy(piece.entries, piece.entries + piece.entryCount, entries.data() + used);
        used += piece.entryCount;
        for (const std::uint32_t length : piece.lengths)
            starts.push_back(starts.back() + length);
        table.labels.insert(table.labels.end(), piece.labels.begin(), piece.labels.end());
        largest = std::max(largest, piece.largest);
        table.hasIndexZero = table.hasIndexZero || piece.hasZero;
        hasQid = hasQid || piece.hasQid;
        piece = {};
    }
    if (table.labels.empty())
        return errorIn(file.name(), "there are no rows in it. Expected LIBSVM rows, \"label index:value ..\".");
    entries.resize(used);
    table.features = SparseMatrix<T>(static_cast<Index>(largest) + 1, std::move(starts), std::move(entries));
    table.steps.push_back({"read LIBSVM " + file.name(),
                           std::to_string(table.labels.size()) + " rows, " + std::to_string(used) + " non-zeros"
                               + (hasQid ? ", qid ignored" : "")});
    return table;
}

} // namespace

Result<RawTable> readLibsvm(const Bytes &file, const LoadOptions &options, const ProgressRange &range)
{
    return options.precision == Precision::Single ? read<float>(file, options, range)
                                                  : read<double>(file, options, range);
}

} // namespace appa
