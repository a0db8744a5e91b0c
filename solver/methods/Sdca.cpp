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

#include <algorithm>
#include <array>
#include <cmath>

namespace appa {

namespace {

/// The coordinate step of row i at margin m, y_i updated; returns what x gets of a_i.
template <class Loss>
inline double coordinateStep(const Loss &loss, const RowScalars &row, double inverseLambda, double m, double &y)
{
    const double delta = loss.dualStep(m, y, row.target, row.squaredNorm * inverseLambda);
    y = loss.feasible(y + delta, row.target);
    return -delta * inverseLambda;
}

template <class T> std::array<const T *, 4> fourRows(const DenseMatrix<T> &A, const Index i[4])
{
    return {A.row(i[0]), A.row(i[1]), A.row(i[2]), A.row(i[3])};
}

template <class T> void pay(const DenseMatrix<T> &A, const OwedUpdate &owed, double *x)
{
    denseKernels<T>().axpy4(owed.alpha, fourRows(A, owed.rows).data(), x, A.cols());
}

template <class T, class Loss>
void stepsOn(const DenseMatrix<T> &A, const Loss &loss, const RowScalars *scalars, double inverseLambda, double *x,
             double *y, Index count, IndexStream &stream, OwedUpdate &owed)
{
    const DenseKernels<T> &kernels = denseKernels<T>();
    const Index d = A.cols();
    Index drawn[4];
    Index k = 0;
    if (count >= 4)
        for (Index &i : drawn)
            i = stream.next();
    for (; k + 4 <= count; k += 4) {
        const Index now[4] = {drawn[0], drawn[1], drawn[2], drawn[3]};
        const auto rows = fourRows(A, now);
        Ahead<T> next;
        for (Index j = 0; j < 4; ++j) {
            const Index i = k + 8 <= count ? stream.next() : stream.ahead(j); // or the first rows of the tick to come
            drawn[j] = i;
            next.rows[j] = A.row(i);
            next.scalars[2 * j] = y + i;
            next.scalars[2 * j + 1] = scalars + i;
        }
        // The last block's update of x is made while this one's rows come in.
        double m[4], gram[6];
        double *alpha = owed.alpha;
        if (owed.any)
            kernels.axpyDot4(alpha, fourRows(A, owed.rows).data(), rows.data(), &next, x, d, m, gram);
        else
            kernels.dot4(rows.data(), &next, x, d, m, gram);
        const auto step = [&](Index j, double margin) {
            const Index i = now[j];
            alpha[j] = coordinateStep(loss, scalars[i], inverseLambda, margin, y[i]);
        };
        // The margins as the earlier steps of the block leave them; equal rows meet in the Gram block as |a_i|^2.
        step(0, m[0]);
        step(1, m[1] + alpha[0] * gram[0]);
        step(2, m[2] + (alpha[0] * gram[1] + alpha[1] * gram[3]));
        step(3, m[3] + (alpha[0] * gram[2] + alpha[1] * gram[4] + alpha[2] * gram[5]));
        std::copy(now, now + 4, owed.rows);
        owed.any = true;
    }
    if (k < count && owed.any) {
        pay(A, owed, x);
        owed.any = false;
    }
    for (; k < count; ++k) {
        const Index i = stream.next();
        const T *row = A.row(i);
        const double alpha = coordinateStep(loss, scalars[i], inverseLambda, kernels.dot(row, x, d), y[i]);
        kernels.axpy(alpha, row, x, d);
    }
}

template <class T, class Loss>
void stepsOn(const SparseMatrix<T> &A, const Loss &loss, const RowScalars *scalars, double inverseLambda, double *x,
             double *y, Index count, IndexStream &stream, OwedUpdate &)
{
    // Random rows are cache misses: where one starts is asked for sixteen steps before its turn, the row itself eight.
    constexpr Index far = 16, near = 8;
    Index drawn[far];
    const auto locate = [&](Index i) {
        __builtin_prefetch(A.starts().data() + i);
        __builtin_prefetch(y + i, 1);
        __builtin_prefetch(scalars + i);
        return i;
    };
    for (Index k = 0; k < std::min(far, count); ++k)
        drawn[k] = locate(stream.next());
    for (Index k = 0; k < std::min(near, count); ++k)
        rowPrefetch(A, drawn[k]);
    for (Index k = 0; k < count; ++k) {
        const Index i = drawn[k % far];
        if (k + far < count)
            drawn[k % far] = locate(stream.next());
        else
            locate(stream.ahead(k + far - count)); // the tick to come
        rowPrefetch(A, k + near < count ? drawn[(k + near) % far] : stream.ahead(k + near - count));
        rowAxpy(A, i, coordinateStep(loss, scalars[i], inverseLambda, rowDot(A, i, x), y[i]), x);
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
            stepsOn(A, loss, problem.rowScalars().data(), 1 / lambdaT, x.data(), y.data(), count, stream, owed);
    });
}

InnerInfo catalogue::sdcaInner()
{
    return {.id = "sdca",
            .label = "SDCA",
            .params = {params::dualStart()},
            .whyNot = [](const Problem &problem) { return whyNoDual(problem, "SDCA"); },
            .make = [](const ProblemPtr &problem,
                       const ParamSet &params) { return std::make_unique<Sdca>(problem, params); }};
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
