#include "problem/losses/Logistic.h"

#include "kernels/Kernels.h"

#include <array>

namespace appa {

namespace {

/// r ln r - r + 1 at r = 1 + e, for |e| <= 1/2; never negative.
double bregman(double e)
{
    if (std::abs(e) > 1e-2)
        return (1 + e) * std::log1p(e) - e;
    // sum_{k>=2} (-e)^k / (k (k-1))
    return e * e * (1. / 2 - e * (1. / 6 - e * (1. / 12 - e * (1. / 20 - e * (1. / 30 - e * (1. / 42 - e / 56))))));
}

/// p h(u/p) with h(r) = r ln r - r + 1 and e = (u - p)/p; logP = ln p, which may be far below the smallest double's.
double bregmanTerm(double u, double p, double logP, double difference)
{
    if (std::abs(difference) < 0.5 * p)
        return p * bregman(difference / p);
    return u > 0 ? u * (std::log(u) - logP) - u + p : p;
}

constexpr double logit(double u)
{
    return std::log(u / (1 - u));
}

/// Near the root of om + C + k sigma(om) for a large k, where steps from far away would only move by about 1.
double farStart(double k, double C)
{
    const double lo = C < 0 ? std::max(logit(-C / k), -C - k) : -C - k;
    const double most = -(C + lo) / k; // sigma(root) lies between -C/k and this
    return most > 0 && most < 0.5 ? logit(most) : std::min(-C, 0.0);
}

/// sigma at 0, -1/128, -2/128, ... -40. Looked up in a third of the time that an exponential and a quotient take.
class SigmaTable
{
public:
    static constexpr double perUnit = 128;
    static constexpr double least = -40;

    SigmaTable()
    {
        for (std::size_t k = 0; k < m_values.size(); ++k)
            m_values[k] = LogisticLoss::sigmoid(-static_cast<double>(k) / perUnit);
    }
    /// sigma at the place nearest to om, least <= om <= 0; om moves there.
    double nearest(double &om) const
    {
        const int k = static_cast<int>(0.5 - perUnit * om);
        om = -k / perUnit;
        return m_values[static_cast<std::size_t>(k)];
    }

private:
    std::array<double, static_cast<std::size_t>(-least *perUnit) + 1> m_values;
};

const SigmaTable sigmaTable;

/// sigma at the root of f(om) = om + C + k sigma(om), k >= 0, which increases strictly from below 0 at -C-k to above 0
/// at -C. By the symmetry om -> -om, C -> -C-k the root is taken to be <= 0.
///
/// Halley's method from one place of the table to another, within the bracket. Every higher derivative of f is at most
/// f': once a step h is below 4e-3, and from the place nearest to the root it is, the polynomial of degree four that
/// touches f there has the root to h^5/120 < 1e-14, and sigma there follows from its own series.
__attribute__((always_inline)) inline double solvedSigma(double k, double C, double start)
{
    // Signs are as good as random here: products with 0, 1 and -1 instead of branches that could not be predicted.
    const double atZero = C + 0.5 * k;              // f(0)
    const double sign = std::copysign(1.0, atZero); // of minus the root
    const double mirrored = 0.5 - 0.5 * sign;
    C = std::abs(atZero) - 0.5 * k;
    double lo = -C - k, hi = std::min(-C, 0.0);
    double om = std::min(std::max(sign * start, lo), hi);
    double s = 0;
    for (int i = 0; i < 200; ++i) {
        if (i == 3 && k > 1)
            om = std::clamp(farStart(k, C), lo, hi);
        // Off the table, or where a bracket keeps the iterates from settling on one place of it: exponentials.
        if (om >= SigmaTable::least && i < 20) {
            s = sigmaTable.nearest(om);
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
    return mirrored + sign * s;
}

// Products and sums of which each waits for the last: fused, a pass over short sparse rows takes a twentieth less.
double baselineSigma(double k, double C, double start)
{
    return solvedSigma(k, C, start);
}

#if defined(__x86_64__)
__attribute__((target("avx2,fma"))) double fusedSigma(double k, double C, double start)
{
    return solvedSigma(k, C, start);
}

const auto sigmaAtRoot = detectedIsa() == Isa::Avx2 ? fusedSigma : baselineSigma;
#else
const auto sigmaAtRoot = baselineSigma;
#endif

/// The same root for -4 < k < 0, by Newton's method: f bends at 0 only, so on the root's side of 0 the steps are
/// monotone from the far end.
double rootOfFlat(double k, double C)
{
    const bool mirrored = C + 0.5 * k < 0;
    if (mirrored)
        C = -C - k;
    double om = -C;
    for (int i = 0; i < 1000; ++i) {
        const double e = std::exp(om);
        const double s = e / (1 + e);
        const double step = (om + C + k * s) / (1 + k * s / (1 + e));
        const double next = std::min(om - step, 0.0);
        const bool done = std::abs(step) <= 1e-14 || next == om;
        om = next;
        if (done)
            break;
    }
    return mirrored ? -om : om;
}

} // namespace

double LogisticLoss::fenchelYoung(double m, double y, double b) const
{
    // w KL(u || p), p = sigma(-b m), as p h(u/p) + (1-p) h((1-u)/(1-p)): both terms >= 0, nothing cancels.
    const double u = -b * y / w;
    if (!(u >= 0 && u <= 1))
        return std::numeric_limits<double>::infinity();
    const double t = -b * m;
    const double p = sigmoid(t);
    const double q = sigmoid(-t);
    const double difference = t <= 0 ? u - p : q - (1 - u);
    return w * (bregmanTerm(u, p, -softplus(-t), difference) + bregmanTerm(1 - u, q, -softplus(t), -difference));
}

double LogisticLoss::dualStep(double m, double y, double b, double q) const
{
    // om = logit(u) solves om + C + k sigma(om) = 0: with it, -om is b times the margin after the step.
    const double u0 = -b * y / w;
    const double k = w * q;
    return -b * w * (sigmaAtRoot(k, b * m - u0 * k, -b * m) - u0);
}

double LogisticLoss::apcgStep(double D, double Z, double stiffness, double b) const
{
    // K (u - ut) - b D + logit(u) - 4u = 0 in om = logit(u), K = stiffness w, ut = -b Z/w.
    const double K = stiffness * w;
    const double C = b * (stiffness * Z - D); // -(K ut + b D)
    const double u = K >= 4 ? sigmaAtRoot(K - 4, C, 0) : sigmoid(rootOfFlat(K - 4, C));
    return -b * w * u - Z;
}

} // namespace appa
