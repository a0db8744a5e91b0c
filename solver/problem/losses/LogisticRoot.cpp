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

SigmaTable::Place exactPlace(double om)
{
    const double s = LogisticLoss::sigmoid(om);
    return {s, s * LogisticLoss::sigmoid(-om)};
}

} // namespace

SigmaTable::SigmaTable()
{
    for (std::size_t k = 0; k < m_places.size(); ++k)
        m_places[k] = exactPlace(at(k));
}

LogitTable::LogitTable()
{
    for (std::size_t k = 0; k < m_places.size(); ++k) {
        const std::uint64_t middle = (first + k) << shift | std::uint64_t(1) << (shift - 1);
        const double om = std::max(-40.0, logit(std::bit_cast<double>(middle)));
        m_places[k] = static_cast<std::uint16_t>(std::lround((om + SigmaTable::end) * SigmaTable::perUnit));
    }
}

const SigmaTable LogisticRoot::s_sigma;
const LogitTable LogisticRoot::s_logit;

/// From anywhere. f increases strictly from below 0 at -C-k to above 0 at -C; by the symmetry om -> -om, C -> -C-k the
/// root is taken to be <= 0. From one place to another within the bracket: by the series where it can be trusted, else
/// by Halley's method.
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
        const bool fromTable = om >= -40 && i < 20;
        const Expansion here = fromTable ? Expansion::nearest(k, om) : Expansion(k, om, exactPlace(om));
        om = here.om;
        s = here.s;
        const double t = here.step(C), bend = here.bend(t);
        if (std::abs(t) < nearEnough) {
            s = here.sigma(t, bend);
            break;
        }
        (t > 0 ? hi : lo) = om;
        // Halley's: f <= k s in the bracket and s <= 1/2, so the denominator is at least 1 - p/2 > 0.
        const double next = std::abs(t) < 1.5 ? here.root(t, bend) : om - t / (1 - t * here.p * here.c2);
        om = next > lo && next < hi ? next : 0.5 * (lo + hi);
    }
    return sign > 0 ? s : 1 - s;
}

} // namespace appa
