#pragma once

#include "base/Progress.h"
#include "data/Dataset.h"

namespace appa {

/// As `finish(Dataset)`, with progress from 0.9 to 1; null when cancelled.
DatasetPtr finish(Dataset data, const Progress &progress);

} // namespace appa
