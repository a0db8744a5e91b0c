#pragma once

#include "base/Text.h"
#include "methods/Inner.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <vector>

namespace appa::leastSquares {

/// "" if the loss is squared, else the sentence for the user; `label` names the method.
inline std::string needsSquaredLoss(const Problem &problem, const std::string &label)
{
    if (std::holds_alternative<SquaredLoss>(problem.loss()))
        return {};
    return label + " solves linear least squares: choose the squared loss, or another method.";
}

/// The same for the methods that solve A x = b, where a ridge has no place.
inline std::string needsLinearSystem(const Problem &problem, const std::string &label)
{
    if (std::string why = needsSquaredLoss(problem, label); !why.empty())
        return why;
    if (problem.ridge() > 0)
        return label + " solves Ax = b and knows no ridge: set the ridge to 0, or choose another method.";
    return {};
}

/// Draws from a fixed distribution in O(1): Walker's alias method.
class AliasTable
{
public:
    AliasTable() = default;
    explicit AliasTable(std::span<const double> weights) : m_share(weights.size(), 1.0), m_alias(weights.size())
    {
        double sum = 0;
        for (const double w : weights)
            sum += w;
        std::vector<std::uint32_t> small, large;
        for (std::size_t i = 0; i < weights.size(); ++i) {
            m_alias[i] = static_cast<std::uint32_t>(i);
            if (sum > 0)
                m_share[i] = weights[i] * static_cast<double>(weights.size()) / sum;
            (m_share[i] < 1 ? small : large).push_back(static_cast<std::uint32_t>(i));
        }
        while (!small.empty() && !large.empty()) {
            const std::uint32_t less = small.back();
            const std::uint32_t more = large.back();
            small.pop_back();
            m_alias[less] = more;
            m_share[more] -= 1 - m_share[less];
            if (m_share[more] < 1) {
                large.pop_back();
                small.push_back(more);
            }
        }
        for (const auto &rest : {small, large})
            for (const std::uint32_t i : rest)
                m_share[i] = 1;
    }
    /// u uniform in [0, 1).
    Index operator()(double u) const
    {
        const double scaled = u * static_cast<double>(m_share.size());
        const auto i = std::min(static_cast<std::size_t>(scaled), m_share.size() - 1);
        return scaled - static_cast<double>(i) < m_share[i] ? static_cast<Index>(i) : static_cast<Index>(m_alias[i]);
    }

private:
    std::vector<double> m_share; ///< of a column that belongs to its own index
    std::vector<std::uint32_t> m_alias;
};

/// Notices, from the residuals the steps compute anyway, that they have stopped falling. That the system has no
/// solution follows only where theory says how fast they would have to fall otherwise, or from the reference solve.
class ConsistencyWatch
{
public:
    void reset(const Problem &problem)
    {
        *this = {};
        for (const double b : problem.targets())
            m_size += b * b;
        m_size /= static_cast<double>(problem.n());
    }
    void add(double residual, Index n)
    {
        m_sum += residual * residual;
        if (++m_count < n)
            return;
        const double mean = m_sum / static_cast<double>(n);
        if (mean < 0.9 * m_low) {
            m_low = mean;
            m_stalled = 0;
        } else {
            ++m_stalled;
        }
        m_mean = mean;
        m_sum = 0;
        m_count = 0;
    }
    /// `factorPerPass`: what a pass makes of the error of a system with a solution, if that is known.
    std::string message(const Problem &problem, std::optional<double> factorPerPass) const
    {
        // F = mean (a_i.x - b_i)^2/2; data in single precision may miss a solution by its rounding.
        if (const double least = problem.knownLeastValue(); least > 1e-12 * m_size)
            return "Ax = b has no solution (F_opt = " + numberText(least, 3)
                + "): the iterate only hovers around the least-squares one. Use the normal equations, OSNAP, row "
                  "sampling or a reduction instead.";
        // Passes without a new low by a tenth; with a prediction as many as should have left a hundredth, since
        // momentum makes the residual swing.
        constexpr double suspicious = 10;
        const bool predicted = factorPerPass && *factorPerPass < 1;
        const double patience =
            predicted ? std::max(suspicious, std::log(0.01) / std::log(*factorPerPass)) : suspicious;
        if (m_stalled < patience || !(m_mean > 1e-24 * m_size))
            return {};
        const std::string residual = "(root mean square " + numberText(std::sqrt(m_mean), 3) + ")";
        if (predicted)
            return "The residual no longer falls " + residual
                + ": Ax = b seems to have no solution, and the iterate only hovers around the least-squares one. Use "
                  "the normal equations, OSNAP, row sampling or a reduction instead.";
        return "The residual hardly falls any more " + residual
            + ": either Ax = b has no solution, and the iterate only hovers around the least-squares one, or the "
              "system "
              "is badly conditioned. In both cases the normal equations, OSNAP, row sampling or a reduction does "
              "better.";
    }

private:
    double m_size = 0; ///< mean b_i^2
    double m_sum = 0;
    Index m_count = 0;
    double m_low = std::numeric_limits<double>::infinity();
    double m_mean = 0;
    int m_stalled = 0; ///< passes since the last new low
};

} // namespace appa::leastSquares
