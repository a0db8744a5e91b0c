#pragma once

#include "base/Inline.h"
#include "problem/losses/DualMove.h"

#include <algorithm>
#include <limits>
#include <string_view>

namespace appa {

/// With t = b z: phi = 0 for t >= 1, w (1-t)^2/2 for 0 <= t <= 1, w (1/2 - t) for t <= 0; L = w.
/// With u = -b y/w in [0, 1]: phi*(y) = w (u^2/2 - u).
struct SmoothedHingeLoss
{
    static constexpr std::string_view id = "smoothed-hinge";
    static constexpr std::string_view label = "Smoothed hinge";
    static constexpr std::string_view formula = "0 | (1 - bz)^2/2 | 1/2 - bz";
    static constexpr bool hasDual = true;
    static constexpr bool isQuadratic = false;

    double w = 1;

    double curvature() const { return w; }
    double value(double z, double b) const
    {
        const double t = b * z;
        return t >= 1 ? 0 : t <= 0 ? w * (0.5 - t) : 0.5 * w * (1 - t) * (1 - t);
    }
    double derivative(double z, double b) const { return -b * w * std::clamp(1 - b * z, 0.0, 1.0); }
    double secondDerivative(double z, double b) const { return b * z > 0 && b * z < 1 ? w : 0; }
    double conjugate(double y, double b) const
    {
        const double u = -b * y / w;
        return u < 0 || u > 1 ? std::numeric_limits<double>::infinity() : w * (0.5 * u * u - u);
    }
    double conjugateDerivative(double y, double b) const { return b + y / w; }
    double fenchelYoung(double m, double y, double b) const
    {
        // In the middle piece w (1 - t - u)^2/2; elsewhere the term of the active bound on top of it.
        const double t = b * m;
        const double u = -b * y / w;
        const double p = std::clamp(1 - t, 0.0, 1.0); // the u that belongs to this margin
        return w * (0.5 * (u - p) * (u - p) + (u - p) * (p - (1 - t)));
    }
    /// The quadratic's maximizer u' = (1 - b m + w q u)/(1 + w q), clipped to [0, 1].
    struct DualStep
    {
        double y, bw, b, shift, factor;
        APPA_ALWAYS_INLINE DualMove operator()(double m) const
        {
            const double moved = bw * std::clamp((shift - b * m) * factor, 0.0, 1.0);
            return {moved - y, moved};
        }
    };
    APPA_ALWAYS_INLINE DualStep dualStep(double y, double b, double q) const
    {
        return {y, -b * w, b, 1 - q * b * y, 1 / (1 + w * q)};
    }
    double apcgStep(double D, double Z, double stiffness, double b) const
    {
        // phi*(y) - y^2/(2w) = b y on the domain: the clipped minimizer of a parabola.
        const double u = std::clamp(-b * (Z - (D + b) / stiffness) / w, 0.0, 1.0);
        return -b * w * u - Z;
    }
    double feasible(double y, double b) const { return -b * w * std::clamp(-b * y / w, 0.0, 1.0); }
};

} // namespace appa
