#pragma once

#include "problem/Problem.h"

#include <string_view>

namespace appa {

/// The loss that goes with such targets: squared for real ones, logistic for two classes, softmax for more.
std::string_view fittingLoss(TargetKind kind);

/// The problem on the data, or the sentence why there is none. `loss` "": the one that fits.
Result<ProblemPtr> makeProblem(DatasetPtr data, std::string_view loss, double ridge);

} // namespace appa
