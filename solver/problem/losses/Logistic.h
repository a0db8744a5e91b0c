#pragma once

#include "problem/losses/DualMove.h"
#include "problem/losses/LogisticRoot.h"

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
        return -b * std::log(u / (1 - u));
    }
    double fenchelYoung(double m, double y, double b) const;
    /// om = logit(u') solves om + C + k sigma(om) = 0 with u = -b y/w, k = w q, C = b m - k u: -om is b times the
    /// margin after the step.
    class DualStep
    {
    public:
        APPA_ALWAYS_INLINE DualStep(double w, double inverseW, double y, double b, double q)
            : m_y(y), m_b(b), m_bw(-b * w), m_shift(-b * y * q), m_root(w * q, -b * y * inverseW)
        {
        }
        APPA_ALWAYS_INLINE DualMove operator()(double m) const
        {
            const double moved = m_bw * m_root.at(m_b * m - m_shift);
            return {moved - m_y, moved};
        }

    private:
        double m_y, m_b, m_bw, m_shift;
        LogisticRoot m_root;
    };
    APPA_ALWAYS_INLINE DualStep dualStep(double y, double b, double q) const { return {w, 1 / w, y, b, q}; }
    double apcgStep(double D, double Z, double stiffness, double b) const;
    double feasible(double y, double b) const { return -b * w * std::clamp(-b * y / w, 0.0, 1.0); }
};

} // namespace appa
