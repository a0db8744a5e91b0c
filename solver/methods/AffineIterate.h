#pragma once

#include "methods/PrimalRows.h"

#include <limits>
#include <vector>

namespace appa {

/// The iterate of the variance-reduced methods, whose step on row i is
///     x <- c x - eta n delta a_i - eta g,   c = 1 - eta (lambda + gamma),
/// with a dense direction g (the average gradient, minus lambda s) that changes in the row's columns only.
///
/// Dense rows: the fused kernel, one sweep. Sparse rows: a column that no row touches for m steps has become
///     x_j <- c^m x_j - eta (1 + c + ... + c^{m-1}) g_j,
/// so each column remembers when it was last brought up to date and is caught up in closed form when touched: O(nnz)
/// a step. x_j, g_j and that moment lie side by side, one cache miss instead of three.
class AffineIterate
{
public:
    /// What becomes of g: kept (SVRG), g += delta a_i after the step (SAGA) or before it (SAG).
    enum class Direction { Kept, After, Before };

    void reset(const Problem &problem);
    void load(const Vector &x, const Vector &g);
    /// Brings all columns up to date first: O(d).
    void setStep(double eta, double lambdaT);
    void point(Vector &out) const;
    std::size_t bytes() const { return static_cast<std::size_t>(m_x.size() + m_g.size()) * 8 + m_cells.size() * 8; }

    /// m[k] = a_i . x_k of the first of the rows to come; what later ones will touch is brought towards the caches.
    template <class T, class K> void margins(const DenseMatrix<T> &A, std::span<const Index> rows, K outputs, double *m)
    {
        m[0] = rowDotAhead(A, rows, m_x.data());
        for (int k = 1; k < outputs; ++k)
            m[k] = rowDot(A, rows[0], m_x.data() + k * m_d);
    }
    template <class T, class K>
    void margins(const SparseMatrix<T> &A, std::span<const Index> rows, K outputs, double *m)
    {
        const Index stride = 2 * outputs + 1;
        if (rows.size() > sparseRowsAhead)
            rowPrefetch(A, rows[sparseRowsAhead]);
        if (rows.size() > 2)
            for (const auto &e : A.row(rows[2]))
                __builtin_prefetch(m_cells.data() + e.column * stride, 1);
        for (int k = 0; k < outputs; ++k)
            m[k] = 0;
        const double now = m_now;
        for (const auto &e : A.row(rows[0])) {
            double *cell = m_cells.data() + e.column * stride;
            catchUp(cell, now, outputs);
            const auto a = static_cast<double>(e.value);
            for (int k = 0; k < outputs; ++k)
                m[k] += a * cell[1 + 2 * k];
        }
    }

    /// The step on row i, right after `margins` of the same row. delta[k]: the change of the derivative.
    template <Direction direction, class T, class K>
    void step(const DenseMatrix<T> &A, Index i, K outputs, const double *delta)
    {
        static const DenseKernels<T> &kernels = denseKernels<T>();
        const T *a = A.row(i);
        for (int k = 0; k < outputs; ++k) {
            double *x = m_x.data() + k * m_d;
            double *g = m_g.data() + k * m_d;
            if constexpr (direction == Direction::Before) {
                kernels.axpy(delta[k], a, g, m_d);
                kernels.affineStep(m_c, 0, a, -m_eta, g, x, m_d);
            } else {
                kernels.affineStep(m_c, -m_eta * m_n * delta[k], a, -m_eta, g, x, m_d);
                if constexpr (direction == Direction::After)
                    kernels.axpy(delta[k], a, g, m_d);
            }
        }
    }
    template <Direction direction, class T, class K>
    void step(const SparseMatrix<T> &A, Index i, K outputs, const double *delta)
    {
        const Index stride = 2 * outputs + 1;
        const double after = m_now + 1;
        const double c = m_c;
        const double eta = m_eta;
        const double etaN = m_eta * m_n;
        for (const auto &e : A.row(i)) {
            double *cell = m_cells.data() + e.column * stride;
            const auto a = static_cast<double>(e.value);
            cell[0] = after;
            for (int k = 0; k < outputs; ++k) {
                double &x = cell[1 + 2 * k];
                double &g = cell[2 + 2 * k];
                if constexpr (direction == Direction::Before) {
                    g += delta[k] * a;
                    x = c * x - eta * g;
                } else {
                    x = c * x - etaN * delta[k] * a - eta * g;
                    if constexpr (direction == Direction::After)
                        g += delta[k] * a;
                }
            }
        }
        m_now = after;
        if (after >= maxLag)
            catchUpAll();
    }

private:
    static constexpr int lowBits = 8;
    static constexpr double maxLag = 1 << 20; ///< then all columns are brought up to date: O(d) in a million steps

    /// x -> power x - sum g is the effect of some number of steps.
    struct Lag
    {
        double power;
        double sum;
    };
    Lag lagOf(double steps) const
    {
        const auto m = static_cast<std::size_t>(steps);
        const Lag low = m_low[m & ((1u << lowBits) - 1)];
        if (m >> lowBits == 0)
            return low;
        const Lag high = m_high[m >> lowBits];
        return {low.power * high.power, low.sum + low.power * high.sum};
    }
    template <class K> void catchUp(double *cell, double now, K outputs) const
    {
        if (cell[0] == now)
            return;
        const Lag lag = lagOf(now - cell[0]);
        for (int k = 0; k < outputs; ++k)
            cell[1 + 2 * k] = lag.power * cell[1 + 2 * k] - lag.sum * cell[2 + 2 * k];
        cell[0] = now;
    }
    void catchUpAll();

    Index m_d = 0;
    int m_outputs = 1;
    bool m_sparse = false;
    double m_n = 0;
    double m_eta = std::numeric_limits<double>::quiet_NaN(); ///< until the first `setStep`
    double m_c = 1;
    Vector m_x; ///< dense rows only
    Vector m_g;
    std::vector<double> m_cells; ///< sparse rows: per column (step of its last update, x_1, g_1, .., x_K, g_K)
    double m_now = 0;            ///< steps since all columns were up to date; an integer
    std::vector<Lag> m_low;      ///< of 0 .. 255 steps
    std::vector<Lag> m_high;     ///< of 0, 256, 512 .. steps
};

} // namespace appa
