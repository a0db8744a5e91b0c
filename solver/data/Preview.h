#pragma once

#include "base/Result.h"
#include "data/Recipe.h"

#include <string>
#include <utility>
#include <vector>

namespace appa {

/// What the open dialog shows before anything is loaded; only the head of the file is read.
struct DataPreview
{
    std::string format;                         ///< "libsvm", "csv" ..
    std::string why;                            ///< how it was found
    std::vector<std::string> columns;           ///< CSV: names from the header, or "1", "2" ..
    std::string labelColumn;                    ///< CSV: the one that will be used
    std::vector<bool> used;                     ///< CSV: which of the columns become features; empty if unknown
    std::vector<std::vector<std::string>> rows; ///< the first rows as text, cut to a few fields
    std::vector<std::string> labels;            ///< different label values in the head
    std::vector<std::string> steps;             ///< what will be done with it, in order
    std::vector<std::string> files;             ///< all files that will be read
};

/// Looks at what a recipe names without loading it. A mistake in the head is no error: its rows are shown, without
/// labels.
Result<DataPreview> previewData(const DataRecipe &recipe);

} // namespace appa
