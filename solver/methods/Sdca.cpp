// Stochastic dual coordinate ascent, on f_{s,lambda}(x) = F(x) + (lambda/2)|x - s|^2 or, alone, with s = 0.
//
//   draw i;  delta = argmax of the dual along y_i: y_i + delta = phi_i'(a_i.x - delta |a_i|^2/lambda);
//   y_i += delta;  x -= delta a_i/lambda            (x = s - A'y/lambda throughout; s, lambda with the ridge folded in)
//
// Condition: lambda + gamma > 0. Any such value converges; kappa_lambda = ceil(L R^2/lambda) passes gain a constant
// factor. S. Shalev-Shwartz, T. Zhang: Stochastic dual coordinate ascent methods for regularized loss minimization.
// JMLR 14, 2013.

#include "methods/Sdca.h"

#include "kernels/Kernels.h"
#include "methods/Alone.h"
#include "methods/Catalogue.h"
#include "methods/CommonParams.h"
#include "methods/DualSolver.h"
#include "methods/RowPairs.h"

#include <algorithm>
#include <cmath>

namespace appa {

namespace {

/// The step along y_i; called with the margin it updates y_i and returns what x gets of a_i.
template <class Loss> class CoordinateStep
{
public:
    APPA_ALWAYS_INLINE CoordinateStep(const Loss &loss, const RowScalars &row, double inverseLambda, double &y)
        : m_y(&y), m_inverseLambda(inverseLambda), m_step(loss.dualStep(y, row.target, row.squaredNorm * inverseLambda))
    {
    }
    APPA_ALWAYS_INLINE double operator()(double margin) const
    {
        const auto [delta, y] = m_step(margin);
        *m_y = y;
        return -delta * m_inverseLambda;
    }

private:
    double *m_y;
    double m_inverseLambda;
    typename Loss::DualStep m_step;
};

template <class T> void pay(const DenseMatrix<T> &A, const OwedUpdate &owed, double *x)
{
    denseKernels<T>().axpy(owed.alpha.first, A.row(owed.rows.first), x, A.cols());
    denseKernels<T>().axpy(owed.alpha.second, A.row(owed.rows.second), x, A.cols());
}

template <class T, class Loss>
APPA_ALWAYS_INLINE void stepsOn(const DenseMatrix<T> &A, const Loss &loss, const RowScalars *scalars,
                                double inverseLambda, double *x, double *y, Index count, IndexStream &stream,
                                OwedUpdate &owed)
{
    const DenseKernels<T> &kernels = denseKernels<T>();
    const Index d = A.cols();
    RowPairs<T> pairs(A, count, stream);
    const auto stepOf = [&](Index i) { return CoordinateStep(loss, scalars[i], inverseLambda, y[i]); };
    OwedUpdate last = owed; // in registers
    while (pairs.next()) {
        for (int k = 0; k < 2; ++k) {
            __builtin_prefetch(y + pairs.farthest(k), 1);
            __builtin_prefetch(scalars + pairs.farthest(k));
        }
        // What needs no margin is done before the sweep, and the last pair's update of x during it.
        const Two<Index> now = {pairs.row(0), pairs.row(1)};
        const Two<const T *> rows = {A.row(now.first), A.row(now.second)};
        const CoordinateStep first = stepOf(now.first), second = stepOf(now.second);
        double gram;
        const Two<double> m = last.any ? kernels.axpyDot2(last.alpha, {A.row(last.rows.first), A.row(last.rows.second)},
                                                          rows, &pairs.ahead(), x, d, &gram)
                                       : kernels.dot2(rows, &pairs.ahead(), x, d, &gram);
        // The second margin as the first step leaves it; for equal rows gram is |a_i|^2.
        const double alpha = first(m.first);
        const double margin = m.second + alpha * gram;
        const bool again = now.first == now.second; // its y has just changed
        last = {{alpha, again ? stepOf(now.second)(margin) : second(margin)}, now, true};
    }
    if (const Index i = pairs.last(); i >= 0) {
        if (last.any)
            pay(A, last, x);
        last.any = false;
        kernels.axpy(stepOf(i)(kernels.dot(A.row(i), x, d)), A.row(i), x, d);
    }
    owed = last;
}

template <class T, class Loss>
APPA_ALWAYS_INLINE void stepsOn(const SparseMatrix<T> &A, const Loss &loss, const RowScalars *scalars,
                                double inverseLambda, double *x, double *y, Index count, IndexStream &stream,
                                OwedUpdate &)
{
    // Random rows are cache misses: where one starts is asked for a block of steps before its turn, the row itself half
    // a block, into the second cache, and from there into the first just before its turn.
    constexpr Index block = 16, far = block / 2, near = 2;
    Index rows[2 * block];
    std::span<const typename SparseMatrix<T>::Entry> entries[2 * block];
    Index drawn = 0;
    const auto draw = [&](Index k) {
        const Index i = drawn < count ? stream.next() : stream.ahead(drawn - count); // or of the tick to come
        ++drawn;
        __builtin_prefetch(A.starts().data() + i);
        __builtin_prefetch(y + i, 1);
        __builtin_prefetch(scalars + i);
        rows[k] = i;
    };
    const auto fetch = [&](Index k) {
        entries[k] = A.row(rows[k]);
        prefetch<Cache::Second>(entries[k]);
    };
    for (Index k = 0; k < block; ++k)
        draw(k);
    for (Index k = 0; k < far; ++k)
        fetch(k);
    for (Index done = 0; done < count; done += block) {
        for (Index k = block; k < 2 * block; ++k)
            draw(k);
        const Index steps = std::min(block, count - done);
        for (Index k = 0; k < steps; ++k) {
            fetch(k + far);
            prefetchBeginning(entries[k + near]);
            const Index i = rows[k];
            const CoordinateStep step(loss, scalars[i], inverseLambda, y[i]);
            axpy(entries[k], step(dot(entries[k], x)), x);
        }
        std::copy(rows + block, rows + 2 * block, rows);
        std::copy(entries + block, entries + block + far, entries);
    }
}

class Sdca final : public DualSolver
{
public:
    Sdca(const ProblemPtr &problem, const ParamSet &params) : DualSolver(problem, params) { }
    std::unique_ptr<InnerSolver> clone() const override { return std::make_unique<Sdca>(*this); }

private:
    void restart(const Vector &) override { m_owed.any = false; }
    Index work(Index count, IndexStream &stream, Cost &) override
    {
        sdcaSteps(problem(), lambdaT(), m_x, m_y, count, stream, m_owed);
        return count;
    }
    void settle() override
    {
        m_owed.payTo(problem(), m_x);
        m_owed.any = false;
    }
    void currentPoint(Vector &x) const override
    {
        x = m_x;
        m_owed.payTo(problem(), x);
    }
    void currentAty(Vector &aty) const override
    {
        currentPoint(aty);
        aty = lambdaT() * (centreT() - aty);
    }

    OwedUpdate m_owed;
};

} // namespace

void OwedUpdate::payTo(const Problem &problem, Vector &x) const
{
    if (!any)
        return;
    std::visit(
        [&](const auto &A) {
            if constexpr (!std::decay_t<decltype(A)>::isSparse)
                pay(A, *this, x.data());
        },
        problem.data().train.features);
}

void sdcaSteps(const Problem &problem, double lambdaT, Vector &x, Vector &y, Index count, IndexStream &stream,
               OwedUpdate &owed)
{
    dispatch(problem, [&](const auto &A, const auto &loss) {
        if constexpr (std::decay_t<decltype(loss)>::hasDual)
            withFusedProducts([&]() __attribute__((always_inline)) {
                stepsOn(A, loss, problem.rowScalars().data(), 1 / lambdaT, x.data(), y.data(), count, stream, owed);
            });
    });
}

InnerInfo catalogue::sdcaInner()
{
    return {.id = "sdca",
            .label = "SDCA",
            .params = {params::dualStart()},
            .whyNot = [](const Problem &problem) { return whyNoDual(problem, "SDCA"); },
            .make = [](const ProblemPtr &problem,
                       const ParamSet &params) { return std::make_unique<Sdca>(problem, params); },
            .hasDual = true};
}

MethodInfo catalogue::sdca()
{
    const InnerInfo inner = sdcaInner();
    const std::vector<ParamSpec> specs = aloneParams(params::ridgeWeight(), inner.params);
    return {
        .id = "sdca",
        .label = "SDCA",
        .summary = "Minimizes F + (λ/2)|x|² by exact steps along one dual coordinate at a time.",
        .citation =
            "S. Shalev-Shwartz, T. Zhang: Stochastic dual coordinate ascent methods for regularized loss minimization. "
            "JMLR 14, 2013.",
        .update = "y_i += δ, x -= δ a_i/λ, with δ such that y_i + δ = φ_i'(a_i·x - δ|a_i|²/λ)",
        .table1 = "d n κ_λ log(ε₀/ε), on F + λr",
        .family = MethodFamily::DualCoordinate,
        .lambda = LambdaMeaning::RidgeWeight,
        .inners = {},
        .innersBecause = {},
        .params = specs,
        .accessesPerStep = 1,
        .whyNot = inner.whyNot,
        .make =
            [specs, inner](const ProblemPtr &problem, std::string_view, const ParamSet &params) {
                return makeAlone(
                    problem, {LambdaMeaning::RidgeWeight, specs, inner.make, IndexStream::Order::Permutation}, params);
            },
        // Each step gains 1 - s/n of the dual excess with s = lambda/(lambda + L R^2).
        .ratePerPass = [](const Problem &problem, const Constants &k, const ParamSet &params) -> std::optional<double> {
            const double lambda = params.real("lambda") + problem.ridge();
            const double n = static_cast<double>(problem.n());
            return std::pow(1 - lambda / (lambda + k.L * k.R * k.R) / n, n);
        }};
}

} // namespace appa
