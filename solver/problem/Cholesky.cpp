#include "problem/Cholesky.h"

#include "kernels/RankUpdate.h"

#include <Eigen/Dense>

#include <vector>

namespace appa {

Cholesky::Outcome Cholesky::factor(Eigen::MatrixXd S, const Pivot &pivot, int threads, const std::stop_token &stop)
{
    const Index d = S.rows();
    const Index width = 128;
    const std::vector<double> minusOnes(static_cast<std::size_t>(width), -1.0);
    const RankUpdate update{.threads = threads, .stop = stop, .report = {}};
    for (Index k = 0; k < d; k += width) {
        if (stop.stop_requested())
            return Outcome::Stopped;
        const Index w = std::min(width, d - k);
        const Index below = d - k - w;
        for (Index j = k; j < k + w; ++j) { // the diagonal block, unblocked: it is small, and its pivots decide
            auto column = S.col(j).segment(j, k + w - j);
            column.noalias() -= S.block(j, k, k + w - j, j - k) * S.row(j).segment(k, j - k).transpose();
            column[0] = pivot(j, column[0]);
            if (!(column[0] > 0))
                return Outcome::NotPositive;
            column /= std::sqrt(column[0]);
        }
        if (below == 0)
            break;
        auto panel = S.block(k + w, k, below, w);
        S.block(k, k, w, w).triangularView<Eigen::Lower>().transpose().solveInPlace<Eigen::OnTheRight>(panel);
        // The panel's columns are the rows of a rank update of what is left.
        double *rest = &S(k + w, k + w);
        const auto column = [&](Index r) -> const double * { return &S(k + w, k + r); };
        if (!update.operator()<double>(column, w, minusOnes, below, rest, d))
            return Outcome::Stopped;
    }
    m_L = std::move(S);
    return Outcome::Done;
}

void Cholesky::solveInPlace(Eigen::Ref<Eigen::VectorXd> b) const
{
    m_L.triangularView<Eigen::Lower>().solveInPlace(b);
    m_L.triangularView<Eigen::Lower>().transpose().solveInPlace(b);
}

} // namespace appa
