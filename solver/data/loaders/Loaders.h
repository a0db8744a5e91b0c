#pragma once

#include "base/Result.h"
#include "data/Bytes.h"
#include "data/Dataset.h"
#include "data/Parallel.h"
#include "data/Recipe.h"

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace appa {

enum class Format { Libsvm, Csv, Idx, Cifar, Kdd };

std::string_view nameOf(Format format);
/// "libsvm" and so on; nullopt for another word.
std::optional<Format> formatOf(std::string_view name);

/// A column of a table's file, as it became features.
struct SourceColumn
{
    std::string name;               ///< "" without a header
    std::vector<std::string> words; ///< sorted; empty if it holds numbers

    /// How many features it became: two words need only one.
    Index width() const { return words.empty() || words.size() == 2 ? 1 : static_cast<Index>(words.size()); }
};

/// What the test file of a table has to follow: the columns used of the training file, in their order.
struct TableColumns
{
    std::vector<SourceColumn> features;
    std::string label; ///< "" without a header

    /// "age", "city=Paris"; empty without a header.
    std::vector<std::string> featureNames() const;
};

/// What a loader makes of a file: numbers as they are, labels not yet given a meaning.
struct RawTable
{
    Features features;
    std::vector<double> labels;          ///< numbers, or positions in labelWords
    std::vector<std::string> labelWords; ///< sorted; empty if the labels are numbers
    std::vector<std::string> classNames; ///< what label k is called, if the format says so
    TableColumns columns;                ///< CSV
    std::vector<ProvenanceStep> steps;
    std::string origin;        ///< the file or set, for messages about its labels
    bool hasIndexZero = false; ///< LIBSVM: an index 0 was seen, so columns count from 0
};

struct LoadOptions
{
    Precision precision = Precision::Single;
    std::string label = {};                 ///< CSV: column name or 1-based number
    ColumnChoice columns = {};              ///< CSV
    const TableColumns *training = nullptr; ///< CSV: what a test file has to follow
    bool zeroIsError = false;               ///< LIBSVM: the training file counts from 1
    int threads = 0;                        ///< 0: one per core
};

/// `label index:value ..` per line. Columns are returned as they stand in the file: 1-based unless a 0 is seen.
Result<RawTable> readLibsvm(const Bytes &file, const LoadOptions &options, const ProgressRange &range);
/// Fields separated by comma, semicolon or tab; a header row is recognized.
Result<RawTable> readCsv(const Bytes &file, const LoadOptions &options, const ProgressRange &range);
/// KDD Cup 2004 `bio_train.dat`: block id, example id, label, 74 features.
Result<RawTable> readKdd(const Bytes &file, const LoadOptions &options, const ProgressRange &range);
/// Images (any IDX array of two or more dimensions) and their labels (one dimension).
Result<RawTable> readIdx(const Bytes &images, const Bytes &labels, const LoadOptions &options,
                         const ProgressRange &range);
/// CIFAR-10 binary batches: records of a label byte and 3 x 1024 pixels.
Result<RawTable> readCifar(std::span<const Bytes> batches, const LoadOptions &options, const ProgressRange &range);

/// What the first bytes of a file look like.
struct Detection
{
    std::optional<Format> format;
    std::string why; ///< what was seen, or what was missing, as the end of a sentence
};
/// `size` is that of the whole file's content if it is known, else 0.
Detection detectFormat(std::string_view head, std::size_t size);

} // namespace appa
