#pragma once

#include "base/Result.h"
#include "data/Parallel.h"
#include "data/Recipe.h"
#include "data/loaders/Loaders.h"

#include <optional>
#include <string>
#include <vector>

namespace appa {

/// A source read into memory, before labels get their meaning.
struct LoadedSource
{
    std::string name;
    Format format = Format::Csv;
    RawTable train;
    std::optional<RawTable> test;
    std::vector<std::string> defaultPositive; ///< of a built-in or downloaded set
};

/// Reads what `recipe.source` (and `recipe.testFile`) names: built-in, downloaded by name, folder or file.
Result<LoadedSource> loadSource(const DataRecipe &recipe, const ProgressRange &range);

/// The test set of the LIBSVM file NAME as that collection calls it, if it lies beside it: NAME.t, or NAME.t.gz; else
/// "".
std::string testFileBeside(const std::string &path);

/// The files that a path of any format stands for.
struct SourceFiles
{
    Format format = Format::Csv;
    std::string why;                ///< how the format was found
    std::vector<std::string> train; ///< IDX: images, labels. CIFAR: the batches.
    std::vector<std::string> test;  ///< of a folder that has a test part
};
/// Finds the format (unless `format` says it) and the partner files.
Result<SourceFiles> findFiles(const std::string &path, const std::string &format);

} // namespace appa
