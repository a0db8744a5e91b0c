#pragma once

#include "base/Result.h"
#include "data/Matrix.h"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace appa {

/// What the targets mean.
enum class TargetKind {
    Binary,  ///< -1 or +1
    Classes, ///< 0 .. K-1, for softmax
    Real     ///< regression
};

/// Rows with their targets; |a_i|^2 is cached because every method needs it.
struct Samples
{
    Features features;
    std::vector<double> targets;
    std::vector<double> squaredNorms;

    Index rows() const { return rowsOf(features); }
    Index cols() const { return colsOf(features); }
};

/// One thing that was done to the data, as the user is shown it: "divide by the mean row norm", "factor 9.1827".
struct ProvenanceStep
{
    std::string what;
    std::string detail;
    std::vector<Remedy> remedies = {}; ///< what `notice` advises if this step is not what was meant
    std::string notice = {};           ///< a sentence for those too who do not ask for the steps; "" for none
};

/// A data set, immutable once made. Training and test part have the same columns; the test part may have no rows.
struct Dataset
{
    std::string name;
    Samples train;
    Samples test;
    TargetKind kind = TargetKind::Binary;
    std::vector<std::string> columnNames;   ///< of the features, where the file has names and they still hold; or empty
    std::vector<std::string> classNames;    ///< Classes: K names. Binary: what -1 and +1 stand for.
    std::vector<ProvenanceStep> provenance; ///< every step from the file to these numbers, in order
    std::uint64_t hash = 0; ///< of both parts' numbers and targets: the key of cached optima and of sessions

    /// "age", or "feature 3" where columns have no names.
    std::string columnName(Index j) const;
    int classes() const { return kind == TargetKind::Classes ? static_cast<int>(classNames.size()) : 1; }
};

using DatasetPtr = std::shared_ptr<const Dataset>;

/// sum_j a_ij^2 for every row, in double.
std::vector<double> squaredRowNorms(const Features &features);
/// A 64-bit hash of both parts: the same numbers give the same hash on every machine.
std::uint64_t hashOf(const Samples &train, const Samples &test);
/// Fills the caches (norms, hash) of a data set made in memory.
DatasetPtr finish(Dataset data);

} // namespace appa
