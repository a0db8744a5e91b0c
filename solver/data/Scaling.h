#pragma once

#include "base/Result.h"
#include "data/Dataset.h"
#include "data/Parallel.h"

#include <optional>

namespace appa {

// The transforms that scale the features: each does both parts by what the training rows say, and adds what it did to
// the provenance. They take numbers of any size, also those whose squares a double does not hold.

std::optional<Error> divideByMeanNorm(Dataset &data, const ProgressRange &range);
std::optional<Error> normalizeRows(Dataset &data, const ProgressRange &range);
std::optional<Error> standardizeColumns(Dataset &data, const ProgressRange &range);

} // namespace appa
