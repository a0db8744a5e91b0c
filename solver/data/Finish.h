#pragma once

#include "base/Progress.h"
#include "data/Dataset.h"
#include "data/Parallel.h"

namespace appa {

/// As `squaredRowNorms(features)`; false when cancelled.
bool squaredRowNorms(const Features &features, std::vector<double> &norms, const ProgressRange &range);
/// As `finish(Dataset)`, with progress from 0.9 to 1; null when cancelled.
DatasetPtr finish(Dataset data, const Progress &progress);

} // namespace appa
