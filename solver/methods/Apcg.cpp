// Accelerated proximal coordinate gradient on the dual of f_{s,lambda} (alone: s = 0), at O(nnz) per step.
//
//   c = 1/L, L_i = c + |a_i|^2/lambda, mu_ = c/max L_i, al = sqrt(mu_)/n, rho = (1 - al)/(1 + al);
//   u = 0, v = y_0, p = A'u, q = A'v;  step k, i drawn:  r = rho^{k+1},  Y = r u_i + v_i,  Z = -r u_i + v_i,
//   D = c Y + a_i.(r p + q)/lambda - a_i.s,
//   h = argmin (sqrt(mu_) L_i/2) h^2 + D h + [phi_i*(Z + h) - c (Z + h)^2/2],
//   u_i -= (1 - sqrt(mu_)) h/(2r),  v_i += (1 + sqrt(mu_)) h/2,  p and q alike;  y = rho^k u + v,  x = s - A'y/lambda.
//
// Here q holds A'v - lambda s, which spares a_i.s; u and p absorb rho^k long before it underflows.
// Condition: lambda + gamma > 0 (both folded together). Re-derived from
// Q. Lin, Z. Lu, L. Xiao: An accelerated proximal coordinate gradient method. NIPS 2014.

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

constexpr double smallestScale = 1e-60;

class Apcg final : public DualSolver
{
public:
    Apcg(const ProblemPtr &problem, const ParamSet &params) : DualSolver(problem, params)
    {
        for (const double norm : problem->squaredNorms())
            m_maxNorm = std::max(m_maxNorm, norm);
    }
    std::unique_ptr<InnerSolver> clone() const override { return std::make_unique<Apcg>(*this); }
    std::size_t stateBytes() const override
    {
        return DualSolver::stateBytes()
            + static_cast<std::size_t>(m_u.size() + m_v.size() + m_p.size() + m_q.size()) * sizeof(double);
    }

private:
    void restart(const Vector &) override
    {
        const double n = static_cast<double>(problem().n());
        m_c = 1 / problem().curvature();
        // A single row would make rho = 0; any smaller mu_ is a valid one.
        m_root = std::sqrt(std::min(m_c / (m_c + m_maxNorm / lambdaT()), n > 1 ? 1.0 : 0.25));
        m_rho = (1 - m_root / n) / (1 + m_root / n);
        m_scale = 1;
        m_u = Vector::Zero(problem().n());
        m_p = Vector::Zero(problem().d());
        m_v = m_y;
        m_q = -lambdaT() * m_x; // A'y - lambda s
    }

    void settle() override
    {
        currentDual(m_y);
        currentPoint(m_x);
    }
    void currentPoint(Vector &x) const override { x = (m_scale * m_p + m_q) / -lambdaT(); }
    void currentAty(Vector &aty) const override { aty = m_scale * m_p + m_q + lambdaT() * centreT(); }
    void currentDual(Vector &y) const override
    {
        y = m_scale * m_u + m_v;
        const auto b = problem().targets();
        std::visit(
            [&](const auto &loss) {
                if constexpr (std::decay_t<decltype(loss)>::hasDual)
                    for (Index i = 0; i < y.size(); ++i)
                        y[i] = loss.feasible(y[i], b[static_cast<std::size_t>(i)]);
            },
            problem().loss());
    }

    Index work(Index count, IndexStream &stream, Cost &) override
    {
        if (m_scale < smallestScale) {
            m_u *= m_scale;
            m_p *= m_scale;
            m_scale = 1;
        }
        dispatch(problem(), [&](const auto &A, const auto &loss) {
            if constexpr (std::decay_t<decltype(loss)>::hasDual)
                stepsOn(A, loss, count, stream);
        });
        return count;
    }

    struct Step
    {
        double ofP; ///< what p gets of a_i
        double ofQ;
    };

    /// The step of row i with a_i.p and a_i.q known; u, v and rho^k move on.
    template <class Loss> Step coordinateStep(const Loss &loss, Index i, double dotP, double dotQ)
    {
        const auto k = static_cast<std::size_t>(i);
        m_scale *= m_rho;
        const double Y = m_scale * m_u[i] + m_v[i];
        const double Z = m_v[i] - m_scale * m_u[i];
        const double D = m_c * Y + (m_scale * dotP + dotQ) / lambdaT();
        const double stiffness = m_root * (m_c + problem().squaredNorms()[k] / lambdaT());
        const double h = loss.apcgStep(D, Z, stiffness, problem().targets()[k]);
        const Step step = {-(1 - m_root) * h / (2 * m_scale), (1 + m_root) * h / 2};
        m_u[i] += step.ofP;
        m_v[i] += step.ofQ;
        return step;
    }

    template <class T, class Loss>
    void stepsOn(const DenseMatrix<T> &A, const Loss &loss, Index count, IndexStream &stream)
    {
        const DenseKernels<T> &kernels = denseKernels<T>();
        const Index d = A.cols();
        RowPairs<T> pairs(A, count, stream);
        Two<const T *> previous = {};
        Two<double> ofP = {}, ofQ = {};
        while (pairs.next()) {
            for (int k = 0; k < 2; ++k) {
                __builtin_prefetch(&m_u[pairs.farthest(k)], 1);
                __builtin_prefetch(&m_v[pairs.farthest(k)], 1);
            }
            // p and q get what the last pair brought while this one is read.
            const Two<const T *> rows = {A.row(pairs.row(0)), A.row(pairs.row(1))};
            const auto dots = [&](Vector &x, Two<double> alpha, const Ahead<T, 2> *next, double &gram) {
                return previous.first ? kernels.axpyDot2(alpha, previous, rows, next, x.data(), d, &gram)
                                      : kernels.dot2(rows, next, x.data(), d, &gram);
            };
            double gram;
            const Two<double> p = dots(m_p, ofP, &pairs.ahead(), gram);
            const Two<double> q = dots(m_q, ofQ, nullptr, gram);
            const Step first = coordinateStep(loss, pairs.row(0), p.first, q.first);
            const Step second =
                coordinateStep(loss, pairs.row(1), p.second + first.ofP * gram, q.second + first.ofQ * gram);
            previous = rows;
            ofP = {first.ofP, second.ofP};
            ofQ = {first.ofQ, second.ofQ};
        }
        if (previous.first) {
            kernels.axpy(ofP.first, previous.first, m_p.data(), d);
            kernels.axpy(ofP.second, previous.second, m_p.data(), d);
            kernels.axpy(ofQ.first, previous.first, m_q.data(), d);
            kernels.axpy(ofQ.second, previous.second, m_q.data(), d);
        }
        if (const Index i = pairs.last(); i >= 0)
            oneStep(A, loss, i);
    }

    template <class T, class Loss>
    void stepsOn(const SparseMatrix<T> &A, const Loss &loss, Index count, IndexStream &stream)
    {
        constexpr Index ahead = 8;
        Index drawn[ahead];
        const auto draw = [&](Index k) {
            const Index i = stream.next();
            drawn[k % ahead] = i;
            rowPrefetch(A, i);
            __builtin_prefetch(&m_u[i], 1);
            __builtin_prefetch(&m_v[i], 1);
        };
        for (Index k = 0; k < std::min(ahead, count); ++k)
            draw(k);
        for (Index k = 0; k < count; ++k) {
            const Index i = drawn[k % ahead];
            if (k + ahead < count)
                draw(k + ahead);
            oneStep(A, loss, i);
        }
    }

    template <class Matrix, class Loss> void oneStep(const Matrix &A, const Loss &loss, Index i)
    {
        const Step step = coordinateStep(loss, i, rowDot(A, i, m_p.data()), rowDot(A, i, m_q.data()));
        rowAxpy(A, i, step.ofP, m_p.data());
        rowAxpy(A, i, step.ofQ, m_q.data());
    }

    double m_maxNorm = 0;
    double m_c = 1;
    double m_root = 1; ///< sqrt(mu_)
    double m_rho = 0;
    double m_scale = 1; ///< rho^k since u and p absorbed it last
    Vector m_u, m_v, m_p, m_q;
};

} // namespace

InnerInfo catalogue::apcgInner()
{
    return {.id = "apcg",
            .label = "APCG",
            .params = {params::dualStart()},
            .whyNot = [](const Problem &problem) { return whyNoDual(problem, "APCG"); },
            .make = [](const ProblemPtr &problem,
                       const ParamSet &params) { return std::make_unique<Apcg>(problem, params); },
            .hasDual = true};
}

MethodInfo catalogue::apcg()
{
    const InnerInfo inner = apcgInner();
    const std::vector<ParamSpec> specs = aloneParams(params::ridgeWeight(), inner.params);
    return {
        .id = "apcg",
        .label = "APCG",
        .summary = "Minimizes F + (λ/2)|x|² by accelerated steps along one dual coordinate at a time.",
        .citation = "Q. Lin, Z. Lu, L. Xiao: An accelerated proximal coordinate gradient method. NIPS 2014.",
        .update = "h along y_i from the extrapolated dual ρᵏu + v; u_i -= (1-√q)h/(2ρᵏ), v_i += (1+√q)h/2; x = s - "
                  "A'(ρᵏu + v)/λ; q = λ/(λ + LR²)",
        .table1 = "d n √κ_λ log(ε₀/ε), on F + λr",
        .family = MethodFamily::DualCoordinate,
        .lambda = LambdaMeaning::RidgeWeight,
        .inners = {},
        .innersBecause = {},
        .params = specs,
        .accessesPerStep = 1,
        .whyNot = inner.whyNot,
        .make =
            [specs, inner](const ProblemPtr &problem, std::string_view, const ParamSet &params) {
                return makeAlone(problem, {LambdaMeaning::RidgeWeight, specs, inner.make}, params);
            },
        // Each step gains 1 - sqrt(mu_)/n with mu_ = lambda/(lambda + L R^2).
        .ratePerPass = [](const Problem &problem, const Constants &k, const ParamSet &params) -> std::optional<double> {
            const double lambda = params.real("lambda") + problem.ridge();
            const double n = static_cast<double>(problem.n());
            return std::pow(1 - std::sqrt(lambda / (lambda + k.L * k.R * k.R)) / n, n);
        }};
}

} // namespace appa
