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
        Index drawn[4] = {};
        const auto draw = [&] {
            for (Index &i : drawn)
                i = stream.next();
        };
        Index k = 0;
        if (count >= 4)
            draw();
        for (; k + 4 <= count; k += 4) {
            const Index now[4] = {drawn[0], drawn[1], drawn[2], drawn[3]};
            const T *const rows[4] = {A.row(now[0]), A.row(now[1]), A.row(now[2]), A.row(now[3])};
            const bool more = k + 8 <= count;
            if (more)
                draw();
            Ahead<T> next;
            for (int a = 0; a < 4; ++a) {
                next.rows[a] = A.row(drawn[a]);
                next.scalars[2 * a] = &m_u[drawn[a]];
                next.scalars[2 * a + 1] = &m_v[drawn[a]];
            }
            double dotP[4], dotQ[4], g[6];
            kernels.dot4(rows, more ? &next : nullptr, m_p.data(), d, dotP, g);
            kernels.margin4(rows, 0, m_q.data(), d, dotQ);
            // The Gram block carries each step over to the later rows of the four.
            const double gram[4][4] = {
                {0, g[0], g[1], g[2]}, {g[0], 0, g[3], g[4]}, {g[1], g[3], 0, g[5]}, {g[2], g[4], g[5], 0}};
            double ofP[4], ofQ[4];
            for (int a = 0; a < 4; ++a) {
                for (int e = 0; e < a; ++e) {
                    dotP[a] += ofP[e] * gram[e][a];
                    dotQ[a] += ofQ[e] * gram[e][a];
                }
                const Step step = coordinateStep(loss, now[a], dotP[a], dotQ[a]);
                ofP[a] = step.ofP;
                ofQ[a] = step.ofQ;
            }
            kernels.axpy4(ofP, rows, m_p.data(), d);
            kernels.axpy4(ofQ, rows, m_q.data(), d);
        }
        for (; k < count; ++k)
            oneStep(A, loss, stream.next());
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
                       const ParamSet &params) { return std::make_unique<Apcg>(problem, params); }};
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
        .update = "h along y_i from the extrapolated dual ρᵏu + v; u_i -= (1-√μ_)h/(2ρᵏ), v_i += (1+√μ_)h/2; x = s - "
                  "A'(ρᵏu + v)/λ",
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
