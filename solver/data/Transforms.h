#pragma once

#include "base/Result.h"
#include "data/Dataset.h"
#include "data/Parallel.h"
#include "data/Recipe.h"

#include <optional>
#include <string>

namespace appa {

/// Applies one transform to both parts, the test rows with the training rows' statistics, and adds what was done to the
/// provenance. Row norms and hash are not kept up to date.
std::optional<Error> applyTransform(Dataset &data, const Transform &transform, const ProgressRange &range);

/// The transform in words, before it is applied: "random Fourier features, D = 1200, bandwidth 1".
std::string describe(const Transform &transform);

} // namespace appa
