#pragma once

#include <CLI/CLI.hpp>

#include <string>
#include <vector>

/// Checks of option values that say in a sentence what was expected. What they return continues the option's name:
/// "--stages" + " must be a whole number, not "x"."
namespace appa::cli {

CLI::Validator notNegative(); ///< a number >= 0
CLI::Validator positive();    ///< a number > 0
CLI::Validator between(double least, double most);
CLI::Validator wholeNumber(bool zeroToo = true); ///< 0, 1, 2, ..
CLI::Validator seedNumber();                     ///< 0, 1, 2, .. 2^64 - 1
CLI::Validator oneOf(std::vector<std::string> words);

} // namespace appa::cli
