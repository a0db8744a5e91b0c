#include "methods/HessianCg.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace appa {

void HessianCg::begin(const Problem &problem, Vector b, double shift, const Options &options)
{
    m_r = std::move(b);
    m_shift = shift;
    m_options = options;
    m_diagonal.setZero(problem.dim());
    m_row = 0;
    m_iterating = false;
}

HessianCg::State HessianCg::tick(const Problem &problem, const std::vector<double> &curvatures, Cost &cost)
{
    if (m_iterating)
        return m_pass.tick(problem, curvatures, m_q, m_Hq, cost) ? step(problem) : State::More;
    if (diagonalTick(problem, curvatures, cost))
        beginIterating(problem);
    return State::More;
}

bool HessianCg::diagonalTick(const Problem &problem, const std::vector<double> &curvatures, Cost &cost)
{
    const Index to = std::min(problem.n(), m_row + rowsPerTick(problem));
    const Index d = problem.d();
    dispatch(problem, [&](const auto &A, const auto &loss) {
        const auto outputs = outputsOf(loss);
        for (Index i = m_row; i < to; ++i) {
            const double *curvature = curvatures.data() + i * outputs;
            for (int k = 0; k < outputs; ++k) {
                double *out = m_diagonal.data() + k * d;
                const double c = curvatureOf(loss, curvature[k]);
                if constexpr (std::decay_t<decltype(A)>::isSparse) {
                    for (const auto &e : A.row(i))
                        out[e.column] += c * static_cast<double>(e.value) * static_cast<double>(e.value);
                } else {
                    const auto *a = A.row(i);
                    for (Index j = 0; j < d; ++j)
                        out[j] += c * static_cast<double>(a[j]) * static_cast<double>(a[j]);
                }
            }
        }
    });
    cost.accesses += to - m_row;
    cost.fullAccesses += to - m_row;
    m_row = to;
    return to == problem.n();
}

void HessianCg::beginIterating(const Problem &problem)
{
    m_iterating = true;
    m_diagonal.array() += m_shift;
    m_diagonal = (m_diagonal.array() > 0).select(m_diagonal, 1.0);
    m_p.setZero(problem.dim());
    m_q = m_r.cwiseQuotient(m_diagonal);
    m_rz = m_r.dot(m_q);
    m_rzStop = m_rz * std::pow(m_options.tolerance, 2);
    m_left = m_options.most;
    m_pass.begin(problem, m_Hq);
}

HessianCg::State HessianCg::step(const Problem &problem)
{
    m_Hq += m_shift * m_q;
    const double curvature = m_q.dot(m_Hq);
    if (!(curvature > 0) || !std::isfinite(curvature))
        return m_p.isZero(0) ? State::Indefinite : State::Found;
    const double alpha = m_rz / curvature;
    m_p += alpha * m_q;
    m_r -= alpha * m_Hq;
    const Vector z = m_r.cwiseQuotient(m_diagonal);
    const double rz = m_r.dot(z);
    if (!(rz > m_rzStop) || --m_left == 0)
        return State::Found;
    m_q = z + (rz / m_rz) * m_q;
    m_rz = rz;
    m_pass.begin(problem, m_Hq);
    return State::More;
}

} // namespace appa
