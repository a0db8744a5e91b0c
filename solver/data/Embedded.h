#pragma once

#include <string_view>

namespace appa {

/// A built-in data set: four gz-compressed IDX files linked into the library.
struct EmbeddedSet
{
    std::string_view name;
    std::string_view trainImages;
    std::string_view trainLabels;
    std::string_view testImages;
    std::string_view testLabels;
};

/// Null if there is none of that name.
const EmbeddedSet *embeddedSet(std::string_view name);

} // namespace appa
