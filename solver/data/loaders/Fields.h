#pragma once

#include "data/Bytes.h"
#include "data/loaders/Chunks.h"

#include <algorithm>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace appa {

/// Where a field ends: at its separator or the line's end. `content` is without blanks and quotes.
struct Field
{
    std::string_view content;
    const char *end = nullptr;
    bool isOpen = false; ///< a quote that is never closed
    bool isQuoted = false;
};

Field fieldAt(const char *p, const char *end, char separator);
/// What is said of such a field.
inline constexpr const char *openQuoteText =
    "the quote opened here is never closed. Expected a second double quote: add it, or remove this one.";
/// Two double quotes within quotes stand for one.
std::string unescaped(std::string_view content);
/// Is there nothing in the field, or a word for that (NA, null, ?)?
bool isMissing(std::string_view field);

/// "4.5" for "4,5": a number but for one comma, which a decimal point should be; else nothing.
std::optional<std::string> withPoint(std::string_view content);

/// The fields of the first record of `text`, without blanks and quotes around them, and where the next record starts.
struct Record
{
    std::vector<std::string> fields;
    std::size_t next = 0;
    std::optional<std::size_t> openAt = {}; ///< where the last field begins, if its quote is never closed
};
Record firstRecord(std::string_view text, char separator);
/// Behind the mark of UTF-8 and the blank lines at the start of `text`, and behind comments: lines that start with '#'
/// and have not the fields of a header, that is of the line below.
std::size_t skipPreamble(std::string_view text);

bool isBlankLine(std::string_view line);
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

/// The rows of a file, behind preamble and header, in pieces.
struct TableText
{
    TableText(const Bytes &file, char separator, bool hasHeader);

    std::size_t start; ///< where the rows begin in the file
    std::size_t size;
    bool quoted; ///< there are double quotes in it
    LineChunks chunks;
};

} // namespace appa
