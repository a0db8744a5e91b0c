#include "methods/PrimalRows.h"

#include <algorithm>
#include <array>

namespace appa {

namespace {

/// q = sum_i c_i a_i for rows [from, to), where `coefficients(i, margins, out)` turns the K margins of row i into c_i.
/// Dense rows go four at a time.
template <class Matrix, class K, class Coefficients>
void accumulateRows(const Matrix &A, Index from, Index to, K outputs, const double *x, double *q,
                    const Coefficients &coefficients)
{
    const Index d = A.cols();
    constexpr bool fixed = !std::is_same_v<K, int>;
    using Buffer = std::conditional_t<fixed, std::array<double, 4>, std::vector<double>>;
    Buffer margins{};
    Buffer out{};
    if constexpr (!fixed) {
        margins.resize(4 * static_cast<std::size_t>(outputs));
        out.resize(4 * static_cast<std::size_t>(outputs));
    }
    double *m = margins.data();
    double *c = out.data();
    Index i = from;
    if constexpr (!Matrix::isSparse) {
        const auto &kernels = denseKernels<typename Matrix::Scalar>();
        double four[4];
        for (; i + 4 <= to; i += 4) {
            const typename Matrix::Scalar *const rows[4] = {A.row(i), A.row(i + 1), A.row(i + 2), A.row(i + 3)};
            for (int k = 0; k < outputs; ++k) {
                kernels.margin4(rows, k == 0 ? 4 * d : 0, x + k * d, d, four);
                for (int r = 0; r < 4; ++r)
                    m[r * outputs + k] = four[r];
            }
            for (int r = 0; r < 4; ++r)
                coefficients(i + r, m + r * outputs, c + r * outputs);
            for (int k = 0; k < outputs; ++k) {
                for (int r = 0; r < 4; ++r)
                    four[r] = c[r * outputs + k];
                kernels.axpy4(four, rows, q + k * d, d);
            }
        }
    }
    for (; i < to; ++i) {
        if constexpr (Matrix::isSparse) {
            if (i + 8 < to)
                rowPrefetch(A, i + 8);
        }
        for (int k = 0; k < outputs; ++k)
            m[k] = rowDot(A, i, x + k * d);
        coefficients(i, m, c);
        for (int k = 0; k < outputs; ++k)
            rowAxpy(A, i, c[k], q + k * d);
    }
}

} // namespace

bool FullPass::tick(const Problem &problem, const Vector &x, Vector &G, const RowRecord &keep, Cost &cost)
{
    const Index to = std::min(problem.n(), m_row + rowsPerTick(problem));
    dispatch(problem, [&](const auto &A, const auto &loss) {
        const auto outputs = outputsOf(loss);
        const double *b = problem.targets().data();
        accumulateRows(A, m_row, to, outputs, x.data(), G.data(), [&](Index i, const double *m, double *c) {
            derivativesAt(loss, m, b[i], c);
            if (keep.margins)
                std::copy_n(m, static_cast<int>(outputs), keep.margins + i * outputs);
            if (keep.derivatives)
                std::copy_n(c, static_cast<int>(outputs), keep.derivatives + i * outputs);
            if (keep.curvatures) {
                double *out = keep.curvatures + i * outputs;
                if constexpr (isScalarLoss<std::decay_t<decltype(loss)>>) {
                    out[0] = loss.secondDerivative(m[0], b[i]);
                } else {
                    for (int k = 0; k < outputs; ++k)
                        out[k] = c[k] / loss.w + (k == static_cast<int>(b[i]) ? 1 : 0);
                }
            }
        });
    });
    cost.accesses += to - m_row;
    cost.fullAccesses += to - m_row;
    m_row = to;
    return m_row == problem.n();
}

bool MarginPass::tick(const Problem &problem, const Vector &p, std::vector<double> &out, Cost &cost)
{
    const Index to = std::min(problem.n(), m_row + rowsPerTick(problem));
    const Index d = problem.d();
    const int outputs = problem.outputs();
    std::visit(
        [&](const auto &A) {
            for (Index i = m_row; i < to; ++i)
                for (int k = 0; k < outputs; ++k)
                    out[static_cast<std::size_t>(i * outputs + k)] = rowDot(A, i, p.data() + k * d);
        },
        problem.data().train.features);
    cost.accesses += to - m_row;
    cost.fullAccesses += to - m_row;
    m_row = to;
    return m_row == problem.n();
}

bool HessianPass::tick(const Problem &problem, const std::vector<double> &weights, const Vector &p, Vector &q,
                       Cost &cost)
{
    const Index to = std::min(problem.n(), m_row + rowsPerTick(problem));
    dispatch(problem, [&](const auto &A, const auto &loss) {
        const auto outputs = outputsOf(loss);
        accumulateRows(A, m_row, to, outputs, p.data(), q.data(), [&](Index i, const double *m, double *c) {
            const double *weight = weights.data() + i * outputs;
            if constexpr (isScalarLoss<std::decay_t<decltype(loss)>>) {
                c[0] = weight[0] * m[0];
            } else {
                // w (diag(pi) - pi pi') m
                double mean = 0;
                for (int k = 0; k < outputs; ++k)
                    mean += weight[k] * m[k];
                for (int k = 0; k < outputs; ++k)
                    c[k] = loss.w * weight[k] * (m[k] - mean);
            }
        });
    });
    cost.accesses += to - m_row;
    cost.fullAccesses += to - m_row;
    m_row = to;
    return m_row == problem.n();
}

} // namespace appa
