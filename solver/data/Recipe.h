#pragma once

#include "base/Progress.h"
#include "base/Result.h"
#include "data/Dataset.h"

#include <cstdint>
#include <string>
#include <vector>

namespace appa {

enum class Precision { Single, Double };

/// One transform of the ordered list. Test rows get the training rows' statistics.
struct Transform
{
    enum class Kind { MeanNorm, NormalizeRows, StandardizeColumns, Affine, FourierFeatures, FirstRows, RandomRows };

    Kind kind = Kind::MeanNorm;
    Index count = 0;        ///< FourierFeatures: D (0: n/5); FirstRows, RandomRows: N
    double bandwidth = 1;   ///< FourierFeatures
    std::uint64_t seed = 1; ///< FourierFeatures, RandomRows
    bool operator==(const Transform &) const = default;
};

/// Everything needed to make a data set again: what the command line's PROBLEM options and the open dialog say,
/// what a session file stores.
struct DataRecipe
{
    std::string source = "mnist-6k";   ///< a name of the catalogue, a generator "name:key=value,..", or a path
    std::string testFile;              ///< "" for none
    std::string format = "auto";       ///< auto, libsvm, csv, idx, cifar, kdd
    std::string label;                 ///< CSV: column name or 1-based number; "" for the format's own
    std::vector<std::string> positive; ///< the classes that become +1; empty: two values map, more stay classes
    bool regression = false;           ///< keep the targets as real numbers
    double holdout = 0;                ///< fraction of the rows kept aside as test set
    std::vector<Transform> transforms;
    Precision precision = Precision::Single;
    std::uint64_t seed = 1; ///< of the hold-out

    bool operator==(const DataRecipe &) const = default;
};

/// Makes the data set. Never throws for bad input; nothing is kept when it fails or is cancelled.
Result<DatasetPtr> loadDataset(const DataRecipe &recipe, const Progress &progress = {});

} // namespace appa
