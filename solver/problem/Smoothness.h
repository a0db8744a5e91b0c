#pragma once

#include "problem/Problem.h"

namespace appa {

/// M of the problem's constants alone, without the reference solve that their mu may need. nullopt when cancelled.
std::optional<double> smoothnessOf(const Problem &problem, const Progress &progress = {});

} // namespace appa
