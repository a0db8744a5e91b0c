#pragma once

#include "methods/Registry.h"

#include <map>
#include <string>

namespace appa {

/// A number as people write it on a board: "1e-3", "2.5e6", "0.25", "40".
std::string shortNumber(double value);
std::string shortValue(const ParamValue &value);
/// "λ 1e-3 → 1e-5"
std::string changeLabel(const ParamSpec &spec, const std::map<std::string, ParamValue, std::less<>> &before,
                        const ParamValue &to);
/// "Dual APPA → Accelerated APPA", or "SDCA → SVRG" when only the inner solver changes.
std::string switchLabel(const MethodInfo &from, const std::string &fromInner, const MethodInfo &to,
                        const std::string &toInner);

} // namespace appa
