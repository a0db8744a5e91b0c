#pragma once

#include "base/Mix.h"

#include <cmath>
#include <cstdint>
#include <numbers>

namespace appa {

/// splitmix64 with our own distributions: the standard library's differ between implementations.
class Random
{
public:
    /// `stream` separates independent uses of one seed (features, noise, hold-out ...).
    explicit Random(std::uint64_t seed, std::uint64_t stream = 0)
        : m_state(mix64(mix64(seed + 0x9E3779B97F4A7C15ull) + stream * 0xD1342543DE82EF95ull))
    {
    }

    std::uint64_t bits()
    {
        m_state += 0x9E3779B97F4A7C15ull;
        return mix64(m_state);
    }
    /// In [0, 1).
    double uniform() { return static_cast<double>(bits() >> 11) * 0x1p-53; }
    /// In [0, n).
    std::uint64_t below(std::uint64_t n) { return static_cast<std::uint64_t>((static_cast<Wide>(bits()) * n) >> 64); }
    /// N(0, 1) by Box and Muller: two from two uniforms.
    double normal()
    {
        if (m_hasSpare) {
            m_hasSpare = false;
            return m_spare;
        }
        const double r = std::sqrt(-2 * std::log(1 - uniform()));
        const double t = 2 * std::numbers::pi * uniform();
        m_spare = r * std::sin(t);
        m_hasSpare = true;
        return r * std::cos(t);
    }

private:
    __extension__ using Wide = unsigned __int128;

    std::uint64_t m_state;
    double m_spare = 0;
    bool m_hasSpare = false;
};

} // namespace appa
