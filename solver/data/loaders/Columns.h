#pragma once

#include "base/Result.h"
#include "data/loaders/Table.h"

#include <string>
#include <vector>

namespace appa {

/// Which fields of a table are used for what.
struct ColumnPlan
{
    std::size_t label = 0;
    std::string whyLabel;              ///< how it was found, as the end of a sentence
    std::vector<std::size_t> features; ///< in the order of the features
};

/// As `options` say: by names, by numbers from 1, or as the training file has them. Errors list the columns.
Result<ColumnPlan> chooseColumns(const Bytes &file, const TableLayout &layout, std::size_t fields,
                                 const LoadOptions &options);

} // namespace appa
