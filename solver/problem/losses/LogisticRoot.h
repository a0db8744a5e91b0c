#pragma once

#include "base/Inline.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>

namespace appa {

/// sigma(om) = 1/(1 + exp(-om)) and its slope at the multiples of 1/128 from -41 to 41. Looked up in a third of the
/// time that an exponential and a quotient take.
class SigmaTable
{
public:
    static constexpr double perUnit = 128;
    static constexpr double end = 41;

    struct Place
    {
        double s, q;
    };

    SigmaTable();
    /// The place nearest to om; om moves there.
    APPA_ALWAYS_INLINE const Place &nearest(double &om) const
    {
        constexpr double rounder = 0x1.8p52; // a sum with it is a whole number, and its last bits are that number
        constexpr auto first = std::bit_cast<std::int64_t>(rounder - end * perUnit);
        const double shifted = om * perUnit + rounder;
        om = (shifted - rounder) * (1 / perUnit);
        return m_places[static_cast<std::size_t>(std::bit_cast<std::int64_t>(shifted) - first)];
    }

private:
    std::array<Place, static_cast<std::size_t>(2 * end * perUnit) + 1> m_places;
};

/// logit(u) to 0.03, at least -40 and at most 40: by the exponent of min(u, 1 - u) and five bits behind it.
class LogitTable
{
public:
    LogitTable();
    APPA_ALWAYS_INLINE double operator()(double u) const
    {
        const double v = std::min(u, 1 - u);
        const std::uint64_t cell = std::bit_cast<std::uint64_t>(v) >> shift;
        const double value = m_values[std::min(std::max(cell, first), last) - first];
        return v == u ? value : -value;
    }

private:
    static constexpr int shift = 52 - 5;
    static constexpr std::uint64_t first = std::bit_cast<std::uint64_t>(0x1p-58) >> shift;
    static constexpr std::uint64_t last = std::bit_cast<std::uint64_t>(0.5) >> shift;
    std::array<double, last - first + 1> m_values;
};

/// sigma at the root of f(om) = om + C + k sigma(om), k >= 0, to 2e-12.
///
/// In SDCA each step waits for the one before it, and only C comes from there. So all that needs no C is done first,
/// and `at` adds the rest: a place of the table near the root and the series there, or where that one is too far away,
/// the same at the place that a step of second order leads to.
class LogisticRoot
{
public:
    /// `near` in [0, 1]: about what sigma will be, such as what it was before.
    APPA_ALWAYS_INLINE LogisticRoot(double k, double near) : m_k(k), m_here(k, placeOf(near)) { }

    APPA_ALWAYS_INLINE double at(double C) const
    {
        const double t = m_here.step(C);
        if (std::abs(t) < nearEnough)
            return m_here.sigma(t);
        const double om = m_here.om - t * (1 + t * ((1 - m_here.r) * m_here.c2));
        if (std::abs(om) <= 40) [[likely]] {
            const Expansion there(m_k, om);
            const double rest = there.step(C);
            if (std::abs(rest) < nearEnough) [[likely]]
                return there.sigma(rest);
        }
        return searched(m_k, C, m_here.om); // static, so that this object can stay in registers
    }

private:
    /// With q = sigma', r = 1/f', t = f r, p = k q r = 1 - r and c_j = sigma^(j)/(j! q) at a place, sigma at the root
    /// is
    ///   s - q t + q r (c2 t^2 + (2 p c2^2 - c3) t^3 + (5 p^2 c2^3 - 5 p c2 c3 + c4) t^4 + ...).
    struct Expansion
    {
        double om, s, q, r, c2, b3, b4;
        double value; ///< f, less C

        APPA_ALWAYS_INLINE Expansion(double k, double near) : om(near)
        {
            const auto &place = s_sigma.nearest(om);
            s = place.s;
            q = place.q;
            r = 1 / (1 + k * q);
            value = om + k * s;
            const double p = 1 - r;
            const double c3 = 1. / 6 - q;
            c2 = 0.5 - s;
            b3 = p * (2 * c2 * c2) - c3;
            b4 = p * (p * (5 * c2 * c2 * c2) - 5 * c2 * c3) + c2 * (1. / 12 - q);
        }
        APPA_ALWAYS_INLINE double step(double C) const { return (value + C) * r; } ///< t
        APPA_ALWAYS_INLINE double sigma(double t) const
        {
            return s - (q * t) * (1 - (t * r) * (c2 + t * (b3 + t * b4)));
        }
    };
    /// |t| for which t^5 and what follows it is below 2e-12.
    static constexpr double nearEnough = 1.5e-2;

    /// logit(u) to 5e-4, within the table.
    APPA_ALWAYS_INLINE static double placeOf(double u)
    {
        double om = s_logit(u);
        const auto &place = s_sigma.nearest(om);
        return std::min(40.0, std::max(-40.0, om + (u - place.s) / place.q)); // -40 for what is not a number
    }
    static double searched(double k, double C, double start);

    double m_k;
    Expansion m_here;

    static const SigmaTable s_sigma;
    static const LogitTable s_logit;
};

} // namespace appa
