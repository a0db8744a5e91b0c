#pragma once

#include "base/Result.h"
#include "data/Recipe.h"

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace appa {

/// A list of transforms as it is typed, in the order they are applied: "first:1000,mean-norm,rff:1200:0.7:3,affine",
/// or "none". Known: mean-norm, rows, columns, affine, rff[:D[:bandwidth[:seed]]], first:N, random:N[:seed]. Where no
/// seed is written, `seed` counts.
Result<std::vector<Transform>> parseTransforms(std::string_view text, std::uint64_t seed = 1);

/// The same list as text; with that seed it reads back to equal transforms.
std::string textOf(std::span<const Transform> transforms, std::uint64_t seed = 1);

} // namespace appa
