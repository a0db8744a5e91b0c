#pragma once

#include "base/Inline.h"
#include "problem/losses/DualMove.h"

#include <string_view>

namespace appa {

/// phi(z) = w (z - b)^2 / 2, L = w.
/// Every scalar loss has these members; the dual ones follow from phi*(y) = sup_z (yz - phi(z)).
struct SquaredLoss
{
    static constexpr std::string_view id = "squared";
    static constexpr std::string_view label = "Squared";
    static constexpr std::string_view formula = "(z - b)^2 / 2";
    static constexpr bool hasDual = true;
    static constexpr bool isQuadratic = true; ///< F's Hessian is constant

    double w = 1;

    double curvature() const { return w; }
    double value(double z, double b) const { return 0.5 * w * (z - b) * (z - b); }
    double derivative(double z, double b) const { return w * (z - b); }
    double secondDerivative(double, double) const { return w; }
    double conjugate(double y, double b) const { return y * y / (2 * w) + b * y; }
    /// phi*'(y): the z at which phi' is y.
    double conjugateDerivative(double y, double b) const { return y / w + b; }
    /// phi(m) + phi*(y) - m y >= 0, without cancellation.
    double fenchelYoung(double m, double y, double b) const
    {
        const double r = m - b - y / w;
        return 0.5 * w * r * r;
    }
    /// The exact maximizer of the dual along y_i: with m = a_i.x and q = |a_i|^2/lambda, the y' for which
    /// y' = phi'(m - q (y' - y)). In SDCA each step waits for the margin that the one before it leaves, so what does
    /// not need m is done when the step is made: here only a difference and a product are left.
    struct DualStep
    {
        double y, centre, factor;
        APPA_ALWAYS_INLINE DualMove operator()(double m) const
        {
            const double delta = (m - centre) * factor;
            return {delta, y + delta};
        }
    };
    APPA_ALWAYS_INLINE DualStep dualStep(double y, double b, double q) const { return {y, b + y / w, 1 / (1 / w + q)}; }
    /// argmin_h (stiffness/2) h^2 + D h + [phi*(Z + h) - (Z + h)^2/(2L)]: APCG's step, strong convexity moved aside.
    double apcgStep(double D, double /*Z*/, double stiffness, double b) const { return -(D + b) / stiffness; }
    /// y clipped to the conjugate's domain.
    double feasible(double y, double /*b*/) const { return y; }
};

} // namespace appa
