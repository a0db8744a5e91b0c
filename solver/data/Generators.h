#pragma once

#include "base/Progress.h"
#include "base/Result.h"
#include "data/Dataset.h"
#include "data/Recipe.h"

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace appa {

/// A key of a generator's "name:key=value,.." and what it takes.
struct GeneratorKey
{
    std::string_view key;
    double defaultValue = 0;
    double min = 0;
    double max = 0;
    bool isInteger = false;
    std::string_view help;
};

/// A family of made data sets.
struct GeneratorInfo
{
    std::string_view name;
    std::string_view description;
    std::span<const GeneratorKey> keys;
};

std::span<const GeneratorInfo> generators();
/// Does `source` name a generator (with or without keys)?
bool isGenerator(std::string_view source);
/// Makes the data set of "name" or "name:key=value,.."; norms and hash are not filled yet.
Result<Dataset> generate(std::string_view source, Precision precision, const Progress &progress);

} // namespace appa
