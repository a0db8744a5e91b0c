#include "problem/losses/Logistic.h"

#include <algorithm>

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

/// The root of om + C + k sigma(om) for -4 < k < 0, by Newton's method: f bends at 0 only, so on the root's side of 0
/// the steps are monotone from the far end.
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

double LogisticLoss::apcgStep(double D, double Z, double stiffness, double b) const
{
    // K (u - ut) - b D + logit(u) - 4u = 0 in om = logit(u), K = stiffness w, ut = -b Z/w.
    const double K = stiffness * w;
    const double C = b * (stiffness * Z - D); // -(K ut + b D)
    const double u =
        K >= 4 ? LogisticRoot(K - 4, std::clamp(-b * Z / w, 0.0, 1.0)).at(C) : sigmoid(rootOfFlat(K - 4, C));
    return -b * w * u - Z;
}

} // namespace appa
