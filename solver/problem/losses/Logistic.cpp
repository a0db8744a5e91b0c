#include "problem/losses/Logistic.h"

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

/// The root of f(om) = om + C + k sigma(om), k > -4, which increases strictly.
///
/// f bends at 0 only, so on the root's side of 0 Newton's method is monotone from one end: for k >= 0 from beyond the
/// root towards 0 (a step that crosses 0 is cut there), for k < 0 from the far side. By the symmetry om -> -om, C ->
/// -C-k the root is taken to be <= 0. |f''/f'| <= 1 for k >= 0: after a step below 1e-8 the root is exact to rounding.
double logitRoot(double k, double C, double start)
{
    const bool mirrored = C + 0.5 * k < 0; // f(0) < 0: the root is positive
    if (mirrored) {
        C = -C - k;
        start = -start;
    }
    double om = k < 0 ? -C : std::min(start, 0.0);
    const double tolerance = k < 0 ? 1e-14 : 1e-8;
    for (int i = 0; i < 1000; ++i) {
        if (i == 6 && k > 0) {
            // Far from the root with a large k, where a step only moves by about 1. From om <= 0: sigma(root) =
            // -(C+om)/k lies between -C/k and -(C+lo)/k.
            const double lo = C < 0 ? std::max(logit(-C / k), -C - k) : -C - k;
            const double most = -(C + lo) / k;
            om = most > 0 && most < 0.5 ? logit(most) : std::min(-C, 0.0);
        }
        const double e = std::exp(om);
        const double s = e / (1 + e);
        const double step = (om + C + k * s) / (1 + k * s / (1 + e));
        const double next = std::min(om - step, 0.0);
        const bool done = std::abs(step) <= tolerance || next == om;
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
    const double om = logitRoot(k, b * m - u0 * k, -b * m);
    return -b * w * (sigmoid(om) - u0);
}

double LogisticLoss::apcgStep(double D, double Z, double stiffness, double b) const
{
    // K (u - ut) - b D + logit(u) - 4u = 0 in om = logit(u), K = stiffness w, ut = -b Z/w.
    const double K = stiffness * w;
    const double C = b * (stiffness * Z - D); // -(K ut + b D)
    return -b * w * sigmoid(logitRoot(K - 4, C, 0)) - Z;
}

} // namespace appa
