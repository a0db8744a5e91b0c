#pragma once

#include "base/Result.h"
#include "data/Bytes.h"
#include "data/loaders/Loaders.h"

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
    std::vector<Index> goesTo;      ///< for each field: a feature's column, isLabel or isSkipped
    Index features = 0;
    bool isZeroOne = false; ///< the label is 0 or 1, all else is an error

    Index fields() const { return static_cast<Index>(goesTo.size()); }
    /// "column 3 (age)"
    std::string fieldName(Index field) const;
};

/// The fields of the first record of `text`, without blanks and quotes around them, and where the next record starts.
struct Record
{
    std::vector<std::string> fields;
    std::size_t next = 0;
};
Record firstRecord(std::string_view text, char separator);
/// Is there nothing in the field, or a word for that (NA, null, ?)?
bool isMissing(std::string_view field);
/// Behind the blank lines at the start of `text`, and behind comments: lines that start with '#' and have not the
/// fields of a header, that is of the line below.
std::size_t skipPreamble(std::string_view text);

/// What a CSV file's first rows say about it.
struct CsvShape
{
    char separator = ',';
    bool hasHeader = false;
    std::size_t fields = 0;
    std::string labelColumn; ///< its name or number; "" if `label` names none
};
CsvShape shapeOfCsv(std::string_view text, const std::string &label);

/// Reads all rows; only the label column may hold words.
Result<RawTable> readTable(const Bytes &file, const TableLayout &layout, const LoadOptions &options,
                           const ProgressRange &range);

} // namespace appa
