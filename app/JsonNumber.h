#pragma once

#include <nlohmann/json.hpp>

#include <cmath>

namespace appa::cli {

/// JSON has no infinity and no NaN: they become null.
inline nlohmann::ordered_json jsonNumber(double value)
{
    return std::isfinite(value) ? nlohmann::ordered_json(value) : nlohmann::ordered_json();
}

} // namespace appa::cli
