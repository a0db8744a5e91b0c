#pragma once

#include "data/Recipe.h"
#include "problem/MakeProblem.h"

#include <optional>
#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace appa::cli {

/// The options that say which data set, loss and ridge: the same for every command that needs a problem.
struct ProblemOptions
{
    std::string data = "mnist-6k";
    std::string test;
    std::string format = "auto";
    std::string label;
    std::vector<std::string> columns; ///< each a list of items, as `drop` and `positive`
    std::vector<std::string> drop;
    std::string words = "refuse";
    std::string missing = "refuse";
    std::vector<std::string> positive;
    bool regression = false;
    double holdout = 0;
    Index rows = 0;
    std::string normalize; ///< "": the data set's default
    bool affine = false;
    std::string features;   ///< "": the data set's default
    std::string transforms; ///< "": what the options above say
    std::string loss;       ///< "": by the targets
    double ridge = 0;
    std::string precision = "single";
    std::uint64_t dataSeed = 1;

    static constexpr const char *group = "The problem"; ///< of the options in the help
    /// Declares them. `*this` must live as long as `app`.
    void addTo(CLI::App &app, bool withLoss = true);
    /// Files as absolute paths, transforms in the order listed, or else: rows, scaling, features, affine. With none of
    /// the last three the catalogue's default transforms of that set.
    Result<DataRecipe> recipe() const;
    /// The options that differ from their defaults, as they would be typed in any folder: files as absolute paths.
    std::string text() const;
    /// From such a text.
    static Result<ProblemOptions> fromText(const std::string &text);
};

/// Do the two paths lead to one file, which need not be there yet?
bool areOneFile(const std::string &a, const std::string &b);
/// Is it the file that the standard output is written to, as in "--trace /dev/stdout >log"? To write it would replace
/// it.
bool isStandardOutput(const std::string &path);
/// Why `path`, given to `option`, must not be written: it is one of the files that the data is read from, or of those
/// of a downloaded set.
std::optional<Error> whyNotOver(const DataRecipe &recipe, const char *option, const std::string &path);

/// Loads the data (with a progress line on a terminal unless `quiet`); Ctrl-C cancels.
Result<DatasetPtr> loadData(const DataRecipe &recipe, bool quiet);

} // namespace appa::cli
