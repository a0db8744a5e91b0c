#pragma once

#include <cstdint>
#include <string_view>

namespace appa {

/// FNV-1a: tells a damaged or edited text from the one that was written. No protection against intent.
constexpr std::uint64_t fnv1a(std::string_view bytes)
{
    std::uint64_t h = 0xcbf29ce484222325ull;
    for (const char c : bytes)
        h = (h ^ static_cast<unsigned char>(c)) * 0x100000001b3ull;
    return h;
}

} // namespace appa
