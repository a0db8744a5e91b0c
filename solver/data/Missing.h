#pragma once

#include "base/Result.h"
#include "data/Dataset.h"

#include <optional>

namespace appa {

/// Gives missing values (NaN) of both parts the mean of their column over the training rows that have it.
std::optional<Error> fillMissing(Dataset &data);

} // namespace appa
