#pragma once

#include <cstdint>

namespace appa {

/// The splitmix64 finalizer: a bijection that scatters nearby inputs.
constexpr std::uint64_t mix64(std::uint64_t z)
{
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ull;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBull;
    return z ^ (z >> 31);
}

} // namespace appa
