#include "methods/Evaluation.h"

#include "kernels/Kernels.h"
#include "methods/Inner.h"

#include <algorithm>

namespace appa {

void Evaluation::begin(const Problem &problem, const Vector &x, const Vector *y, bool withGradient)
{
    m_x = x;
    m_hasDual = y != nullptr;
    if (y)
        m_y = *y;
    m_withGradient = withGradient;
    if (withGradient)
        m_grad = problem.ridge() * x;
    m_row = 0;
    m_sum = {};
    m_gap = {};
    m_margins.resize(static_cast<std::size_t>(problem.outputs()));
}

bool Evaluation::tick(const Problem &problem, Cost &cost)
{
    const Index n = problem.n();
    const Index end = std::min(n, m_row + rowsPerTick(problem));
    const double *b = problem.targets().data();
    dispatch(problem, [&](const auto &A, const auto &loss) {
        using Matrix = std::decay_t<decltype(A)>;
        Index i = m_row;
        if constexpr (std::decay_t<decltype(loss)>::hasDual) {
            const auto take = [&](Index row, double m) {
                m_sum.add(loss.value(m, b[row]));
                if (m_hasDual)
                    m_gap.add(loss.fenchelYoung(m, m_y[row], b[row]));
            };
            if constexpr (!Matrix::isSparse) {
                const auto &kernels = denseKernels<typename Matrix::Scalar>();
                for (; i + 4 <= end; i += 4) {
                    const typename Matrix::Scalar *const rows[4] = {A.row(i), A.row(i + 1), A.row(i + 2), A.row(i + 3)};
                    double m[4];
                    kernels.margin4(rows, 4 * A.cols(), m_x.data(), A.cols(), m);
                    for (Index k = 0; k < 4; ++k) {
                        take(i + k, m[k]);
                        m[k] = loss.derivative(m[k], b[i + k]);
                    }
                    if (m_withGradient)
                        kernels.axpy4(m, rows, m_grad.data(), A.cols());
                }
            }
            for (; i < end; ++i) {
                const double m = rowDot(A, i, m_x.data());
                take(i, m);
                if (m_withGradient)
                    rowAxpy(A, i, loss.derivative(m, b[i]), m_grad.data());
            }
        } else {
            for (; i < end; ++i) {
                for (std::size_t k = 0; k < m_margins.size(); ++k)
                    m_margins[k] = rowDot(A, i, m_x.data() + static_cast<Index>(k) * A.cols());
                m_sum.add(loss.value(m_margins, b[i]));
                if (m_withGradient) {
                    loss.derivative(m_margins, b[i], m_margins);
                    for (std::size_t k = 0; k < m_margins.size(); ++k)
                        rowAxpy(A, i, m_margins[k], m_grad.data() + static_cast<Index>(k) * A.cols());
                }
            }
        }
    });
    cost.accesses += end - m_row;
    m_row = end;
    if (m_row < n)
        return false;
    m_value = m_sum.value() + 0.5 * problem.ridge() * m_x.squaredNorm();
    return true;
}

} // namespace appa
