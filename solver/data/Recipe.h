#pragma once

#include "base/Progress.h"
#include "base/Result.h"
#include "data/Dataset.h"

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
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

/// What becomes of the columns of a CSV file, the label's aside.
struct ColumnChoice
{
    enum class Words {
        Refuse,
        Indicators ///< a column of words becomes one column of zeros and ones per word, or one in all for two words
    };
    enum class Missing {
        Refuse,
        SkipRows, ///< rows that miss a value in a used column are left out
        Mean      ///< it is taken to be the mean of the column over the training rows
    };

    /// As the command line and session files have them.
    static constexpr std::array<std::string_view, 2> wordsNames = {"refuse", "indicators"};
    static constexpr std::array<std::string_view, 3> missingNames = {"refuse", "skip", "mean"};

    std::vector<std::string> only;    ///< names, numbers from 1 or ranges "3-7"; empty: all
    std::vector<std::string> dropped; ///< the same, of those to leave out
    Words words = Words::Refuse;
    Missing missing = Missing::Refuse;

    /// How to name the k-th of a table's columns: by its name where that says which one, else by its number. `names` is
    /// empty for a table without a header.
    static std::string nameOf(const std::vector<std::string> &names, std::size_t k);

    std::string_view wordsName() const { return wordsNames[static_cast<std::size_t>(words)]; }
    std::string_view missingName() const { return missingNames[static_cast<std::size_t>(missing)]; }
    bool operator==(const ColumnChoice &) const = default;
};

/// Everything needed to make a data set again: what the command line's PROBLEM options and the open dialog say,
/// what a session file stores.
struct DataRecipe
{
    std::string source = "mnist-6k";   ///< a name of the catalogue, a generator "name:key=value,..", or a path
    std::string testFile;              ///< "" for none
    std::string format = "auto";       ///< auto, libsvm, csv, idx, cifar, kdd
    std::string label;                 ///< CSV: column name or 1-based number; "" for the format's own
    ColumnChoice columns;              ///< CSV
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
