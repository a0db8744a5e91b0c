#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <string_view>

namespace appa {

/// phi(z) = w log(1 + exp(-b z)), b = +-1, L = w/4. With u = -b y/w in [0, 1]: phi*(y) = w [u ln u + (1-u) ln(1-u)].
struct LogisticLoss
{
    static constexpr std::string_view id = "logistic";
    static constexpr std::string_view label = "Logistic";
    static constexpr std::string_view formula = "log(1 + exp(-b z))";
    static constexpr bool hasDual = true;
    static constexpr bool isQuadratic = false;

    double w = 1;

    static double sigmoid(double t)
    {
        if (t >= 0)
            return 1 / (1 + std::exp(-t));
        const double e = std::exp(t);
        return e / (1 + e);
    }
    static double softplus(double t) { return std::max(t, 0.0) + std::log1p(std::exp(-std::abs(t))); }
    static double xlogx(double u) { return u > 0 ? u * std::log(u) : 0; }

    double curvature() const { return w / 4; }
    double value(double z, double b) const { return w * softplus(-b * z); }
    double derivative(double z, double b) const { return -b * w * sigmoid(-b * z); }
    double secondDerivative(double z, double) const
    {
        const double p = sigmoid(z);
        return w * p * sigmoid(-z);
    }
    double conjugate(double y, double b) const
    {
        const double u = -b * y / w;
        if (u < 0 || u > 1)
            return std::numeric_limits<double>::infinity();
        return w * (xlogx(u) + xlogx(1 - u));
    }
    double conjugateDerivative(double y, double b) const
    {
        const double u = -b * y / w;
        return -b * (std::log(u) - std::log1p(-u));
    }
    double fenchelYoung(double m, double y, double b) const;
    double dualStep(double m, double y, double b, double q) const;
    double apcgStep(double D, double Z, double stiffness, double b) const;
    double feasible(double y, double b) const { return -b * w * std::clamp(-b * y / w, 0.0, 1.0); }
};

} // namespace appa
