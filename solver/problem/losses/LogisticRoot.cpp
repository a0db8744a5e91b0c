#include "problem/losses/LogisticRoot.h"

#include "problem/losses/Logistic.h"

#include <cmath>

namespace appa {

namespace {

constexpr double logit(double u)
{
    return std::log(u / (1 - u));
}

/// Near the root for a large k, where steps from far away would only move by about 1.
double farStart(double k, double C)
{
    const double lo = C < 0 ? std::max(logit(-C / k), -C - k) : -C - k;
    const double most = -(C + lo) / k; // sigma(root) lies between -C/k and this
    return most > 0 && most < 0.5 ? logit(most) : std::min(-C, 0.0);
}

} // namespace

SigmaTable::SigmaTable()
{
    for (std::size_t k = 0; k < m_places.size(); ++k) {
        const double om = static_cast<double>(k) / perUnit - end;
        m_places[k] = {LogisticLoss::sigmoid(om), LogisticLoss::sigmoid(om) * LogisticLoss::sigmoid(-om)};
    }
}

LogitTable::LogitTable()
{
    for (std::size_t k = 0; k < m_values.size(); ++k) {
        const std::uint64_t middle = (first + k) << shift | std::uint64_t(1) << (shift - 1);
        m_values[k] = std::max(-40.0, logit(std::bit_cast<double>(middle)));
    }
}

const SigmaTable LogisticRoot::s_sigma;
const LogitTable LogisticRoot::s_logit;

/// From anywhere. f increases strictly from below 0 at -C-k to above 0 at -C; by the symmetry om -> -om, C -> -C-k the
/// root is taken to be <= 0.
///
/// Halley's method from one place of the table to another, within the bracket. Every higher derivative of f is at most
/// f': once a step h is below 4e-3, and from the place nearest to the root it is, the polynomial of degree four that
/// touches f there has the root to h^5/120 < 1e-14, and sigma there follows from its own series.
double LogisticRoot::searched(double k, double C, double start)
{
    const double atZero = C + 0.5 * k;              // f(0)
    const double sign = std::copysign(1.0, atZero); // of minus the root
    C = std::abs(atZero) - 0.5 * k;
    double lo = -C - k, hi = std::min(-C, 0.0);
    double om = std::min(std::max(sign * start, lo), hi);
    double s = 0;
    for (int i = 0; i < 200; ++i) {
        if (i == 3 && k > 1)
            om = std::clamp(farStart(k, C), lo, hi);
        // Off the table, or where a bracket keeps the iterates from settling on one place of it: exponentials.
        if (om >= -40 && i < 20) {
            s = s_sigma.nearest(om).s;
        } else {
            const double e = std::exp(om);
            s = e / (1 + e);
        }
        const double complement = 1 - s;
        const double q = s * complement; // sigma'
        const double f = om + C + k * s;
        const double slope = 1 + k * q;
        const double bend = k * q * (1 - 2 * s); // f''
        // f <= k s in the bracket and s <= 1/2: the denominator is at least slope^2 - (k q)^2 > 0.
        const double step = f * slope / (slope * slope - 0.5 * f * bend);
        if (std::abs(step) <= 4e-3) {
            // sigma(om - h) = s - q h (1 - c2 h + c3 h^2 - c4 h^3), and one Newton step on f with it.
            const double c2 = 0.5 * (1 - 2 * s);
            const double c3 = 1. / 6 - q;
            const double c4 = c2 * (1. / 12 - q);
            const double fall = step * (1 - step * (c2 - step * (c3 - step * c4)));
            const double rate = 1 - step * (2 * c2 - 3 * c3 * step); // of the fall
            const double rest = (f - step - k * q * fall) / (1 + k * q * rate);
            s -= q * (fall + rest * rate);
            break;
        }
        if (f > 0)
            hi = om;
        else
            lo = om;
        const double next = om - step;
        om = next > lo && next < hi ? next : 0.5 * (lo + hi);
    }
    return sign > 0 ? s : 1 - s;
}

} // namespace appa
