#pragma once

#include "base/Result.h"
#include "data/Dataset.h"
#include "data/Recipe.h"

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace appa {

/// A data set that has a name.
struct CatalogueEntry
{
    enum class Kind { BuiltIn, Generator, Download };

    std::string name;
    std::string description;
    Kind kind = Kind::BuiltIn;
    bool isAvailable = true; ///< a download may not be there yet
    std::string location;    ///< of a download: its folder, there or to be
};

/// All names, in the order in which they are shown.
std::vector<CatalogueEntry> catalogue();

/// Does the source go by a name, a generator with keys too? Then it is no path, whatever lies there.
bool isNamed(std::string_view source);

/// $APPA_DATA_DIR, else $XDG_DATA_HOME/appa-lab/datasets, else ~/.local/share/appa-lab/datasets.
std::string userDataFolder();
/// The downloadable set of that name: "mnist", "cifar10", "protein".
bool isDownload(std::string_view name);
/// What its path will be; the files need not be there.
std::string downloadFolder(std::string_view name);

/// What the window opens with, and what a name means to a newcomer: the catalogue's sets with the paper's transforms,
/// files as they are.
DataRecipe defaultRecipe(std::string_view source = "mnist-6k");

/// The numbers that `data info` prints.
struct DatasetInfo
{
    std::string name;
    Index n = 0;
    Index testRows = 0;
    Index d = 0;
    Index nonZeros = 0;
    double density = 0;                                         ///< non-zero entries of the training part
    std::string targets;                                        ///< "two classes", "10 classes", "real numbers"
    std::vector<std::pair<std::string, Index>> labelCounts;     ///< class, training rows; empty for real targets
    std::vector<std::pair<std::string, Index>> testLabelCounts; ///< class, test rows
    double targetMin = 0, targetMax = 0;
    double R = 0; ///< max |a_i|
    double meanNorm = 0;
    double columnRatio = 1; ///< dense: the largest column's norm to the smallest one's, zero columns aside
    std::string storage;    ///< "dense, float32"
    std::size_t bytes = 0;  ///< both parts, with their caches
    std::vector<ProvenanceStep> provenance;
    std::uint64_t hash = 0;
};
DatasetInfo describe(const Dataset &data);

} // namespace appa
