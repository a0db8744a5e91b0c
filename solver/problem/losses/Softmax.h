#pragma once

#include <span>
#include <string_view>

namespace appa {

/// General ERM over K classes: psi(m) = w [logsumexp(m) - m_c] of the K margins of a row; curvature bound w/2.
/// It has no scalar dual; only primal methods run on it.
struct SoftmaxLoss
{
    static constexpr std::string_view id = "softmax";
    static constexpr std::string_view label = "Softmax";
    static constexpr std::string_view formula = "logsumexp(X a) - (X a)_c";
    static constexpr bool hasDual = false;
    static constexpr bool isQuadratic = false;

    double w = 1;
    int classes = 2;

    double curvature() const { return w / 2; }
    double value(std::span<const double> margins, double target) const;
    /// out[k] = w (softmax(m)_k - [k = c])
    void derivative(std::span<const double> margins, double target, std::span<double> out) const;
};

} // namespace appa
