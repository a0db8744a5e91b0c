#include "methods/DenseSystem.h"

#include "methods/PrimalRows.h"

#include <Eigen/Cholesky>

#include <algorithm>

namespace appa {

namespace {

constexpr Index panelColumns = 128;
constexpr Index workPerTick = Index{1} << 22;  ///< multiplications: a few milliseconds
constexpr Index zerosPerTick = Index{1} << 19; ///< 4 MiB of fresh memory

/// The entry of B_i that belongs to the pair of classes (k, l).
template <class Loss> double blockWeight(const Loss &loss, const double *curvature, int k, int l)
{
    if constexpr (isScalarLoss<Loss>)
        return curvature[0];
    else
        return loss.w * curvature[k] * ((k == l ? 1 : 0) - curvature[l]);
}

} // namespace

void GramPass::begin(const Problem &problem, Matrix &H)
{
    *this = {};
    H.resize(problem.dim(), problem.dim());
}

bool GramPass::tick(const Problem &problem, const std::vector<double> &curvatures, Matrix &H, Cost &cost)
{
    const Index n = problem.n();
    const Index d = problem.d();
    Index rowsDone = 0;
    dispatch(problem, [&](const auto &A, const auto &loss) {
        const auto outputs = outputsOf(loss);
        if constexpr (std::decay_t<decltype(A)>::isSparse) {
            if (m_zeroed < H.cols()) {
                const Index columns = std::min(H.cols() - m_zeroed, std::max<Index>(1, zerosPerTick / H.rows()));
                H.middleCols(m_zeroed, columns).setZero();
                m_zeroed += columns;
                return;
            }
            Index work = 0;
            for (; m_row < n && work < workPerTick / 8; ++m_row, ++rowsDone) {
                const auto row = A.row(m_row);
                const double *curvature = curvatures.data() + m_row * outputs;
                for (int k = 0; k < outputs; ++k) {
                    for (int l = 0; l <= k; ++l) {
                        const double c = blockWeight(loss, curvature, k, l);
                        for (std::size_t q = 0; q < row.size(); ++q) {
                            double *column = &H(0, l * d + row[q].column) + k * d;
                            const double scaled = c * static_cast<double>(row[q].value);
                            for (std::size_t p = k == l ? q : 0; p < row.size(); ++p)
                                column[row[p].column] += scaled * static_cast<double>(row[p].value);
                        }
                    }
                }
                work += static_cast<Index>(row.size() * row.size()) * outputs * (outputs + 1) / 2 + 1;
            }
        } else {
            // Rows [m_row, to) against the columns of one panel.
            const Index width = std::min(panelColumns, d);
            const Index rows = std::clamp<Index>(workPerTick / std::max<Index>(1, width * d), 16, 1024);
            const Index to = std::min(n, m_row + rows);
            const Index from = m_k == m_l ? m_panel : 0;
            const Index columns = std::min(panelColumns, d - m_panel);
            Matrix left(to - m_row, d - from);
            Matrix right(to - m_row, columns);
            for (Index i = m_row; i < to; ++i) {
                const auto *a = A.row(i);
                const double c = blockWeight(loss, curvatures.data() + i * outputs, m_k, m_l);
                for (Index j = from; j < d; ++j)
                    left(i - m_row, j - from) = c * static_cast<double>(a[j]);
                for (Index j = 0; j < columns; ++j)
                    right(i - m_row, j) = static_cast<double>(a[m_panel + j]);
            }
            auto block = H.block(m_k * d + from, m_l * d + m_panel, d - from, columns);
            if (m_row == 0)
                block.noalias() = left.transpose() * right;
            else
                block.noalias() += left.transpose() * right;
            m_panel += columns;
            if (m_panel == d) {
                m_panel = 0;
                if (++m_l > m_k) {
                    m_l = 0;
                    if (++m_k == outputs) {
                        m_k = 0;
                        rowsDone = to - m_row;
                        m_row = to;
                    }
                }
            }
        }
    });
    cost.accesses += rowsDone;
    cost.fullAccesses += rowsDone;
    return m_row == n;
}

void TiledCholesky::begin(Index dim, double shift)
{
    m_L.resize(dim, dim);
    m_shift = shift;
    m_row = m_column = 0;
    m_failed = false;
}

bool TiledCholesky::tick(const Matrix &H)
{
    const Index dim = m_L.rows();
    Index work = 0;
    while (m_column < dim && !m_failed && work < workPerTick) {
        const Index r = m_row;
        const Index c = m_column;
        const Index rows = std::min(tile, dim - r);
        const Index columns = std::min(tile, dim - c);
        auto block = m_L.block(r, c, rows, columns);
        block = H.block(r, c, rows, columns);
        if (c > 0)
            block.noalias() -= m_L.block(r, 0, rows, c) * m_L.block(c, 0, columns, c).transpose();
        if (r == c) {
            block.diagonal().array() += m_shift;
            // Only the lower triangle of H is there; LLT reads no more.
            const Eigen::LLT<Matrix> llt(block);
            block = llt.matrixLLT().triangularView<Eigen::Lower>();
            m_failed = llt.info() != Eigen::Success || !block.allFinite();
        } else {
            m_L.block(c, c, columns, columns)
                .triangularView<Eigen::Lower>()
                .transpose()
                .solveInPlace<Eigen::OnTheRight>(block);
        }
        work += rows * columns * (c + columns);
        m_row += rows;
        if (m_row == dim) {
            m_column += columns;
            m_row = m_column;
        }
    }
    return m_failed || m_column >= dim;
}

bool TiledCholesky::solveTick(Vector &b, Index &done) const
{
    constexpr Index width = 256;
    const Index dim = m_L.rows();
    const Index blocks = (dim + width - 1) / width;
    for (Index work = 0; done < 2 * blocks && work < workPerTick; ++done) {
        const bool forward = done < blocks;
        const Index k = (forward ? done : 2 * blocks - 1 - done) * width;
        const Index w = std::min(width, dim - k);
        const Index below = dim - k - w;
        const auto diagonal = m_L.block(k, k, w, w).triangularView<Eigen::Lower>();
        const auto under = m_L.block(k + w, k, below, w);
        auto here = b.segment(k, w);
        if (forward) {
            diagonal.solveInPlace(here);
            b.tail(below).noalias() -= under * here;
        } else {
            here.noalias() -= under.transpose() * b.tail(below);
            diagonal.transpose().solveInPlace(here);
        }
        work += w * (w / 2 + below);
    }
    return done == 2 * blocks;
}

void TiledCholesky::solve(Vector &b) const
{
    m_L.triangularView<Eigen::Lower>().solveInPlace(b);
    m_L.triangularView<Eigen::Lower>().transpose().solveInPlace(b);
}

} // namespace appa
