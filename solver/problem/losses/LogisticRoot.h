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
    static constexpr std::size_t count = static_cast<std::size_t>(2 * end * perUnit) + 1;

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
    const Place &operator[](std::size_t k) const { return m_places[k]; }
    static double at(std::size_t k) { return static_cast<double>(static_cast<std::int64_t>(k)) * (1 / perUnit) - end; }

private:
    std::array<Place, count> m_places;
};

/// The place of SigmaTable near logit(u), to 0.012 and at most at -40 or 40: by the exponent of min(u, 1 - u) and seven
/// bits behind it. What is not a number has some place, too.
class LogitTable
{
public:
    LogitTable();
    APPA_ALWAYS_INLINE std::size_t operator()(double u) const
    {
        const double v = std::min(u, 1 - u);
        const std::uint64_t cell = std::bit_cast<std::uint64_t>(v) >> shift;
        const std::size_t place = m_places[std::min(std::max(cell, first), last) - first];
        return v == u ? place : SigmaTable::count - 1 - place;
    }

private:
    static constexpr int shift = 52 - 7;
    static constexpr std::uint64_t first = std::bit_cast<std::uint64_t>(0x1p-58) >> shift;
    static constexpr std::uint64_t last = std::bit_cast<std::uint64_t>(0.5) >> shift;
    std::array<std::uint16_t, last - first + 1> m_places;
};

/// sigma at the root of f(om) = om + C + k sigma(om), k >= 0, to 2e-11; where the root is as near to `near` as late in
/// a run, to rounding.
///
/// In SDCA each step waits for the one before it, and only C comes from there. So all that needs no C is done first,
/// and `at` adds the rest: a place of the table near the root and the series there, or where that one is too far away,
/// the same at the place that the series leads to.
class LogisticRoot
{
public:
    /// `near` in [0, 1]: about what sigma will be, such as what it was before.
    APPA_ALWAYS_INLINE LogisticRoot(double k, double near) : m_k(k), m_here(Expansion::ofPlace(k, s_logit(near))) { }

    APPA_ALWAYS_INLINE double at(double C) const
    {
        const double t = m_here.step(C);
        const double bend = m_here.bend(t);
        if (std::abs(t) < nearEnough)
            return m_here.sigma(t, bend);
        double start = m_here.om;
        if (const double om = m_here.root(t, bend); std::abs(om) <= 40) [[likely]] {
            const auto there = Expansion::nearest(m_k, om);
            const double rest = there.step(C);
            if (std::abs(rest) < nearEnough) [[likely]]
                return there.sigma(rest, there.bend(rest));
            start = there.om;
        }
        return searched(m_k, C, start); // static, so that this object can stay in registers
    }

private:
    /// With q = sigma', r = 1/f', t = f r, p = k q r = 1 - r and c_j = sigma^(j)/(j! q) at a place, the root is at
    ///   om - t - p t^2 bend,   bend = c2 + (2 p c2^2 - c3) t + (5 p^2 c2^3 - 5 p c2 c3 + c4) t^2 + ...
    /// and sigma there is s - q t + q r t^2 bend.
    struct Expansion
    {
        double om, s, q, r, p, c2, b3, b4;
        double value; ///< f, less C

        /// At the place of the table that is nearest to `near`.
        APPA_ALWAYS_INLINE static Expansion ofPlace(double k, std::size_t place)
        {
            return {k, SigmaTable::at(place), s_sigma[place]};
        }
        APPA_ALWAYS_INLINE static Expansion nearest(double k, double near)
        {
            const auto &place = s_sigma.nearest(near); // which moves `near`
            return {k, near, place};
        }
        APPA_ALWAYS_INLINE Expansion(double k, double at, const SigmaTable::Place &place)
            : om(at), s(place.s), q(place.q), r(1 / (1 + k * q)), p(1 - r), c2(0.5 - s), value(om + k * s)
        {
            const double c3 = 1. / 6 - q;
            const double square = c2 * c2;
            b3 = p * (2 * square) - c3;
            b4 = p * (p * (5 * square * c2) - 5 * c2 * c3) + c2 * (1. / 12 - q);
        }
        APPA_ALWAYS_INLINE double step(double C) const { return (value + C) * r; } ///< t
        APPA_ALWAYS_INLINE double bend(double t) const { return (c2 + t * b3) + (t * t) * b4; }
        APPA_ALWAYS_INLINE double sigma(double t, double bend) const { return (s - q * t) + (t * t) * (q * r) * bend; }
        APPA_ALWAYS_INLINE double root(double t, double bend) const { return (om - t) - (t * t) * p * bend; }
    };
    /// |t| for which t^5 and what follows it is below 2e-11, and what f is then off by below 1e-10.
    static constexpr double nearEnough = 2.4e-2;

    static double searched(double k, double C, double start);

    double m_k;
    Expansion m_here;

    static const SigmaTable s_sigma;
    static const LogitTable s_logit;
};

} // namespace appa
