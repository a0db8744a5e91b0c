#include "problem/losses/Softmax.h"

#include <algorithm>
#include <cmath>

namespace appa {

double SoftmaxLoss::value(std::span<const double> margins, double target) const
{
    // Relative to the target's margin, the terms exp(m_k - m_c) - 1 lose nothing when the row is fitted well.
    const auto c = static_cast<std::size_t>(target);
    const double top = *std::max_element(margins.begin(), margins.end());
    double others = 0;
    if (margins[c] == top) {
        for (std::size_t k = 0; k < margins.size(); ++k)
            others += k == c ? 0 : std::exp(margins[k] - top);
        return w * std::log1p(others);
    }
    for (const double m : margins)
        others += std::exp(m - top);
    return w * (std::log(others) + (top - margins[c]));
}

void SoftmaxLoss::derivative(std::span<const double> margins, double target, std::span<double> out) const
{
    const auto c = static_cast<std::size_t>(target);
    const double top = *std::max_element(margins.begin(), margins.end());
    double sum = 0;
    for (std::size_t k = 0; k < margins.size(); ++k) {
        out[k] = std::exp(margins[k] - top);
        sum += out[k];
    }
    double others = 0; // 1 - p_c without cancellation
    for (std::size_t k = 0; k < margins.size(); ++k) {
        out[k] *= w / sum;
        others += k == c ? 0 : out[k];
    }
    out[c] = -others;
}

} // namespace appa
