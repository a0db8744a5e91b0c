// Columns of words in a table: which words they hold, to be turned into columns of zeros and ones.

#include "base/Text.h"
#include "data/loaders/Table.h"

#include <algorithm>
#include <set>

namespace appa {

namespace {

/// A column with more different words than this is a name or a date rather than a category.
constexpr std::size_t mostWords = 100;

/// What a field held in some rows.
struct Seen
{
    std::set<std::string, std::less<>> words;
    bool hasNumbers = false;
    bool hasOnlyCommas = true; ///< all the words are numbers with a comma: a mistake that the reader tells

    void add(const Field &field)
    {
        if (hasNumbers || isMissing(field.content))
            return;
        if (readNumber(std::string(field.content)))
            hasNumbers = true;
        else if (words.size() <= mostWords && !words.contains(field.content)) {
            words.insert(unescaped(field.content));
            hasOnlyCommas = hasOnlyCommas && withPoint(field.content).has_value();
        }
    }
    void add(const Seen &other)
    {
        hasNumbers |= other.hasNumbers;
        hasOnlyCommas = hasOnlyCommas && other.hasOnlyCommas;
        words.insert(other.words.begin(), other.words.end());
    }
};

} // namespace

std::optional<Error> findWords(const Bytes &file, TableLayout &layout, const LoadOptions &options,
                               const ProgressRange &range)
{
    const TableText text(file, layout.separator, layout.hasHeader);
    const auto fields = static_cast<std::size_t>(layout.fields());
    std::vector<std::vector<Seen>> seen(text.chunks.count(), std::vector<Seen>(fields));
    const auto look = [&](Index k) {
        const auto c = static_cast<std::size_t>(k);
        forRecords(text.chunks.piece(c), text.quoted, [&](std::string_view record) {
            const char *p = record.data(), *end = p + record.size();
            for (std::size_t f = 0; f < fields; ++f) {
                const Field field = fieldAt(p, end, layout.separator);
                if (layout.goesTo[f] >= 0)
                    seen[c][f].add(field);
                if (field.end >= end || *field.end != layout.separator)
                    break; // a row that is too short is the reader's to refuse
                p = field.end + 1;
            }
            return !range.cancelled();
        });
    };
    if (!forEach(static_cast<Index>(seen.size()), range, look, options.threads))
        return cancelledError();
    layout.words.assign(fields, {});
    for (std::size_t f = 0; f < fields; ++f) {
        Seen all;
        for (const auto &chunk : seen)
            all.add(chunk[f]);
        if (all.hasNumbers || all.hasOnlyCommas)
            continue;
        if (all.words.size() > mostWords)
            return errorIn(file.name() + ", " + layout.fieldName(static_cast<Index>(f)),
                           "there are more than " + std::to_string(mostWords)
                               + " different words in it, too many for a column of zeros and ones each. Leave the "
                                 "column out.",
                           {Remedy::DropColumn}, ColumnChoice::nameOf(layout.names, f));
        layout.words[f].assign(all.words.begin(), all.words.end());
    }
    return std::nullopt;
}

} // namespace appa
