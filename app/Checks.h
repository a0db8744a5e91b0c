#pragma once

#include <CLI/CLI.hpp>

#include <charconv>
#include <string>

namespace appa::cli {

/// The library's own checks name the range by its limits, 309 digits long where it is open.
inline CLI::Validator numberBetween(double low, double high, const std::string &expected)
{
    return CLI::Validator(
        [low, high, expected](std::string &text) {
            double value = 0;
            const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
            const bool ok = code == std::errc() && end == text.data() + text.size() && value >= low && value <= high;
            return ok ? std::string() : "expected " + expected + ", not \"" + text + "\"";
        },
        std::string());
}

} // namespace appa::cli
