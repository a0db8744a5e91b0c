#pragma once

#include "methods/Registry.h"
#include "run/Trace.h"

#include <string>

namespace appa {

/// Stages of a fixed length may be too short for their lambda: the inner solver then adds as much error as a stage
/// gains, and the loss goes up and down for ever (exact stages have no such error). "" or, where twenty stages without
/// a change look like that, the sentence for the user.
std::string stallingAdvice(const Trace &trace, const Problem &problem, const MethodInfo &method, std::string_view inner,
                           const ParamSet &params);

} // namespace appa
