#pragma once

#include "kernels/Kernels.h"
#include "methods/Inner.h"

#include <type_traits>
#include <vector>

namespace appa {

/// The number of margins of a row: a compile-time 1 for scalar losses, so that loops over it vanish.
template <class Loss> constexpr auto outputsOf(const Loss &loss)
{
    if constexpr (isScalarLoss<Loss>)
        return std::integral_constant<int, 1>();
    else
        return loss.classes;
}

/// out[k] = d phi_i / d m_k
template <class Loss> inline void derivativesAt(const Loss &loss, const double *margins, double target, double *out)
{
    if constexpr (isScalarLoss<Loss>) {
        out[0] = loss.derivative(margins[0], target);
    } else {
        const auto k = static_cast<std::size_t>(loss.classes);
        loss.derivative({margins, k}, target, {out, k});
    }
}

/// What a full pass can keep of each row, row-major n x K; null: not kept.
struct RowRecord
{
    double *margins = nullptr;
    double *derivatives = nullptr;
    double *curvatures = nullptr; ///< phi_i'' (scalar losses) or the K probabilities (softmax)
};

/// The second derivative of phi_i in one of its margins, from what is kept of it.
template <class Loss> inline double curvatureOf(const Loss &loss, double kept)
{
    if constexpr (isScalarLoss<Loss>)
        return kept;
    else
        return loss.w * kept * (1 - kept);
}

/// A full pass over the rows in ticks: G = sum_i phi_i'(a_i.x) a_i (no ridge).
class FullPass
{
public:
    void begin(const Problem &problem, Vector &G)
    {
        m_row = 0;
        G.setZero(problem.dim());
    }
    /// The next few rows at `x`, which must not change until it returns true (all rows done). Counts accesses.
    bool tick(const Problem &problem, const Vector &x, Vector &G, const RowRecord &keep, Cost &cost);
    Index row() const { return m_row; }

private:
    Index m_row = 0;
};

/// The margins of all rows, A p (row-major n x K), in ticks. Counts accesses.
class MarginPass
{
public:
    void begin() { m_row = 0; }
    bool tick(const Problem &problem, const Vector &p, std::vector<double> &out, Cost &cost);

private:
    Index m_row = 0;
};

/// q += sum_i B_i (A p)_i a_i in ticks: the Hessian product of F's data part, where `weights` holds per row the
/// curvature (scalar losses) or the K softmax probabilities.
class HessianPass
{
public:
    void begin(const Problem &problem, Vector &q)
    {
        m_row = 0;
        q.setZero(problem.dim());
    }
    bool tick(const Problem &problem, const std::vector<double> &weights, const Vector &p, Vector &q, Cost &cost);

private:
    Index m_row = 0;
};

} // namespace appa
