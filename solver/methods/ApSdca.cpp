// Accelerated proximal SDCA on f_{s,lambda}(x) = F(x) + (lambda/2)|x - s|^2 (alone: s = 0).
//
//   kappa = L R^2 - lambda (if that is not positive: plain SDCA),  mu' = lambda/2,  eta = sqrt(mu'/(mu' + kappa));
//   round t: SDCA on f + (kappa/2)|x - z|^2, duals kept, until its gap <= eta xi/(2(1 + eta^-2));
//   z = x_t + ((1 - eta)/(1 + eta))(x_t - x_{t-1});  xi *= 1 - eta/2;  xi_0 = (1 + eta^-2)(f(x_0) + g(y_0)).
//
// A round is SDCA with lambda'' = lambda + kappa and s'' = (lambda s + kappa z)/lambda''; its gap is checked after
// every pass by a full pass in ticks, which is counted. The reported x is SDCA's: it is x_hat of the round, not of (s,
// lambda). Condition: lambda + gamma > 0 (both folded together). S. Shalev-Shwartz, T. Zhang: Accelerated proximal
// stochastic dual coordinate ascent for regularized loss minimization. ICML 2014.

#include "methods/Alone.h"
#include "methods/Catalogue.h"
#include "methods/CommonParams.h"
#include "methods/DualSolver.h"
#include "methods/Evaluation.h"
#include "methods/Sdca.h"

#include <algorithm>
#include <cmath>

namespace appa {

namespace {

class ApSdca final : public DualSolver
{
public:
    ApSdca(const ProblemPtr &problem, const ParamSet &params) : DualSolver(problem, params) { }
    std::unique_ptr<InnerSolver> clone() const override { return std::make_unique<ApSdca>(*this); }
    std::size_t stateBytes() const override
    {
        return DualSolver::stateBytes() + m_check.bytes()
            + static_cast<std::size_t>(m_previous.size() + m_centre.size()) * sizeof(double);
    }

private:
    double lambda2() const { return lambdaT() + m_kappa; }
    bool accelerates() const { return m_kappa > 0; }

    void restart(const Vector &x0) override
    {
        const double R = problem().radius();
        m_kappa = std::max(0.0, problem().curvature() * R * R - lambdaT());
        const double half = 0.5 * lambdaT();
        m_eta = std::sqrt(half / (half + m_kappa));
        m_left = problem().n();
        m_previous = x0;
        m_centre = centreT();
        m_xi = -1;
        m_checking = false;
        if (!accelerates())
            return;
        // xi_0 is the gap of (x_0, y_0); then y is re-read in the first round's terms.
        startCheck(x0);
    }

    void startCheck(const Vector &x)
    {
        m_checking = true;
        m_check.begin(problem(), x, &m_y, false);
    }

    /// z becomes the round's centre: s'' = (lambda s + kappa z)/lambda'', y and so A'y stay.
    void moveTo(const Vector &z)
    {
        m_next = (lambdaT() * centreT() + m_kappa * z) / lambda2();
        m_x += m_next - m_centre;
        m_centre.swap(m_next);
    }

    void finishCheck()
    {
        const double gap = m_check.gap();
        const double penalty = 1 + 1 / (m_eta * m_eta);
        m_checking = false;
        m_left = problem().n();
        if (m_xi < 0) {
            // f(x_0) + g(y_0) = sum of Fenchel-Young terms + (lambda/2)|x_0 - x_hat(y_0)|^2
            m_xi = penalty * (gap + 0.5 * lambdaT() * (m_previous - m_x).squaredNorm());
            // A'y = lambda (s - x): x'' = s'' - A'y/lambda'' with z = x_0.
            m_next = (lambdaT() * centreT() + m_kappa * m_previous) / lambda2();
            m_x = m_next - (lambdaT() / lambda2()) * (centreT() - m_x);
            m_centre.swap(m_next);
            return;
        }
        if (gap > m_eta * m_xi / (2 * penalty) && gap > 1e-16 * std::max(1.0, std::abs(m_check.value())))
            return;
        m_xi *= 1 - 0.5 * m_eta;
        m_z = m_x + ((1 - m_eta) / (1 + m_eta)) * (m_x - m_previous);
        m_previous = m_x;
        moveTo(m_z);
    }

    Index work(Index count, IndexStream &stream, Cost &cost) override
    {
        if (m_checking) {
            if (m_check.tick(problem(), cost))
                finishCheck();
            return 0;
        }
        if (accelerates())
            count = std::min(count, m_left);
        OwedUpdate owed;
        sdcaSteps(problem(), accelerates() ? lambda2() : lambdaT(), m_x, m_y, count, stream, owed);
        owed.payTo(problem(), m_x);
        if (!accelerates())
            return count;
        m_left -= count;
        if (m_left == 0)
            startCheck(m_x);
        return count;
    }

    bool inRound() const { return accelerates() && m_xi >= 0; }
    bool pointIsDual() const override { return !inRound(); }
    void currentAty(Vector &aty) const override
    {
        if (inRound())
            aty = lambda2() * (m_centre - m_x);
        else
            aty = lambdaT() * (centreT() - m_x);
    }
    void settle() override
    {
        if (!inRound())
            return;
        Vector aty;
        currentAty(aty);
        m_x = centreT() - aty / lambdaT();
    }

    double m_kappa = 0;
    double m_eta = 1;
    double m_xi = -1; ///< < 0 until the start's gap is known
    Index m_left = 0; ///< steps to the next check
    bool m_checking = false;
    Evaluation m_check;
    Vector m_previous;  ///< x_{t-1}
    Vector m_centre;    ///< s''
    Vector m_next, m_z; ///< scratch
};

} // namespace

InnerInfo catalogue::apSdcaInner()
{
    return {.id = "ap-sdca",
            .label = "AP-SDCA",
            .params = {params::dualStart()},
            .whyNot = [](const Problem &problem) { return whyNoDual(problem, "AP-SDCA"); },
            .make = [](const ProblemPtr &problem,
                       const ParamSet &params) { return std::make_unique<ApSdca>(problem, params); },
            .hasDual = true};
}

MethodInfo catalogue::apSdca()
{
    const InnerInfo inner = apSdcaInner();
    const std::vector<ParamSpec> specs = aloneParams(params::ridgeWeight(), inner.params);
    return {
        .id = "ap-sdca",
        .label = "AP-SDCA",
        .summary = "Minimizes F + (λ/2)|x|² by an accelerated outer loop around SDCA, each round to a certified gap.",
        .citation =
            "S. Shalev-Shwartz, T. Zhang: Accelerated proximal stochastic dual coordinate ascent for regularized loss "
            "minimization. ICML 2014.",
        .update = "x_t ≈ argmin F + (λ/2)|x|² + (κ/2)|x - z|² by SDCA; z = x_t + ((1-η)/(1+η))(x_t - x_{t-1})",
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
        // xi shrinks by 1 - eta/2 a round; a round is at least a pass of steps and one of checking.
        .ratePerPass = [](const Problem &problem, const Constants &k, const ParamSet &params) -> std::optional<double> {
            const double lambda = params.real("lambda") + problem.ridge();
            const double kappa = std::max(0.0, k.L * k.R * k.R - lambda);
            if (kappa == 0)
                return std::exp(-lambda / (lambda + k.L * k.R * k.R));
            return std::sqrt(1 - 0.5 * std::sqrt(0.5 * lambda / (0.5 * lambda + kappa)));
        }};
}

} // namespace appa
