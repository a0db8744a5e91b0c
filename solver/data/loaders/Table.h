#pragma once

#include "base/Result.h"
#include "data/Bytes.h"
#include "data/loaders/Fields.h"
#include "data/loaders/Loaders.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace appa {

/// How a text of separated fields is to be read.
struct TableLayout
{
    static constexpr Index isLabel = -1;
    static constexpr Index isSkipped = -2;

    char separator = ',';
    bool hasHeader = false;
    std::vector<std::string> names; ///< of the fields, if there is a header
    std::vector<Index> goesTo;      ///< for each field: its (first) feature's column, isLabel or isSkipped
    std::vector<std::vector<std::string>>
        words; ///< for each field: sorted, as in SourceColumn; empty: no field has words
    Index features = 0;
    ColumnChoice::Missing missing = ColumnChoice::Missing::Refuse;
    bool isZeroOne = false; ///< the label is 0 or 1, all else is an error

    Index fields() const { return static_cast<Index>(goesTo.size()); }
    bool hasWords(Index field) const { return !words.empty() && !words[static_cast<std::size_t>(field)].empty(); }
    /// "column 3 (age)"
    std::string fieldName(Index field) const;
};

/// What a CSV file's first rows say about it.
struct CsvShape
{
    char separator = ',';
    bool hasHeader = false;
    std::size_t fields = 0;
    std::string labelColumn; ///< its name or number; "" if the choice names columns that are not there
    std::vector<bool> used;  ///< for each field: is it a feature?
};
CsvShape shapeOfCsv(std::string_view text, const LoadOptions &options);

/// Finds the words of the feature fields that hold nothing else; a column with words and numbers is left to be refused.
std::optional<Error> findWords(const Bytes &file, TableLayout &layout, const LoadOptions &options,
                               const ProgressRange &range);

/// Reads all rows; besides the label's, only columns whose words are known may hold words.
Result<RawTable> readTable(const Bytes &file, const TableLayout &layout, const LoadOptions &options,
                           const ProgressRange &range);

} // namespace appa
