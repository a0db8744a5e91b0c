#include "methods/AffineIterate.h"

namespace appa {

void AffineIterate::reset(const Problem &problem)
{
    m_d = problem.d();
    m_outputs = problem.outputs();
    m_sparse = isSparse(problem.data().train.features);
    m_n = static_cast<double>(problem.n());
    m_now = 0;
    if (m_sparse) {
        m_cells.assign(static_cast<std::size_t>(m_d * (2 * m_outputs + 1)), 0.0);
        m_low.resize(1u << lowBits);
        m_high.resize((static_cast<std::size_t>(maxLag) >> lowBits) + 1);
    }
}

void AffineIterate::load(const Vector &x, const Vector &g)
{
    if (!m_sparse) {
        m_x = x;
        m_g = g;
        return;
    }
    m_now = 0;
    double *cell = m_cells.data();
    for (Index j = 0; j < m_d; ++j, cell += 2 * m_outputs + 1) {
        cell[0] = 0;
        for (int k = 0; k < m_outputs; ++k) {
            cell[1 + 2 * k] = x[k * m_d + j];
            cell[2 + 2 * k] = g[k * m_d + j];
        }
    }
}

void AffineIterate::setStep(double eta, double lambdaT)
{
    const double c = 1 - eta * lambdaT;
    if (eta == m_eta && c == m_c)
        return;
    if (m_sparse) {
        catchUpAll();
        // By recurrence, never as (1 - c^m)/(1 - c): no cancellation for c near 1.
        m_low[0] = {1, 0};
        for (std::size_t m = 1; m < m_low.size(); ++m)
            m_low[m] = {c * m_low[m - 1].power, c * m_low[m - 1].sum + eta};
        const Lag block{c * m_low.back().power, c * m_low.back().sum + eta};
        m_high[0] = {1, 0};
        for (std::size_t m = 1; m < m_high.size(); ++m)
            m_high[m] = {block.power * m_high[m - 1].power, block.power * m_high[m - 1].sum + block.sum};
    }
    m_eta = eta;
    m_c = c;
}

void AffineIterate::catchUpAll()
{
    if (m_now == 0)
        return;
    const Index stride = 2 * m_outputs + 1;
    for (Index j = 0; j < m_d; ++j) {
        double *cell = m_cells.data() + j * stride;
        catchUp(cell, m_now, m_outputs);
        cell[0] = 0;
    }
    m_now = 0;
}

void AffineIterate::point(Vector &out) const
{
    if (!m_sparse) {
        out = m_x;
        return;
    }
    out.resize(m_d * m_outputs);
    const Index stride = 2 * m_outputs + 1;
    for (Index j = 0; j < m_d; ++j) {
        const double *cell = m_cells.data() + j * stride;
        const bool current = cell[0] == m_now;
        const Lag lag = current ? Lag{1, 0} : lagOf(m_now - cell[0]);
        for (int k = 0; k < m_outputs; ++k)
            out[k * m_d + j] = current ? cell[1 + 2 * k] : lag.power * cell[1 + 2 * k] - lag.sum * cell[2 + 2 * k];
    }
}

} // namespace appa
