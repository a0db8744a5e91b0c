// AGD: Nesterov's accelerated gradient on F (or f_{s,lambda}).
//
//     y = x + ((1-q)/(1+q)) (x - x_prev),  q = sqrt(mu eta),  x <- y - eta (grad F(y) + lambda (y - s)),
// where mu stands for mu + lambda on a subproblem. mu <= 0 or unknown: the sequence for convex functions instead,
//     t' = (1 + sqrt(1 + 4 t^2))/2,  y = x + ((t-1)/t') (x - x_prev).
//
// eta <= 1/M, M = L |A|_2^2 + gamma. An iteration, that is a pass, contracts F - F_opt by 1 - sqrt(mu eta).
// Default: eta = 1/M and the problem's mu alone; 1/(M + lambda) and lambda + gamma in a reduction.
//
// Yu. Nesterov: A method of solving a convex programming problem with convergence rate O(1/k^2). Soviet Math. Dokl. 27
// (1983); Introductory lectures on convex optimization (2004), section 2.2.

#include "methods/Alone.h"
#include "methods/Catalogue.h"
#include "methods/CommonParams.h"
#include "methods/PrimalRows.h"
#include "methods/StepSizeSolver.h"

#include <algorithm>
#include <cmath>

namespace appa {

namespace {

class AcceleratedGradient final : public StepSizeSolver
{
public:
    using StepSizeSolver::StepSizeSolver;
    std::unique_ptr<InnerSolver> clone() const override { return std::make_unique<AcceleratedGradient>(*this); }

    Knowledge needs() const override
    {
        return std::max(StepSizeSolver::needs(), m_mu < 0 ? knowledgeForMu() : Knowledge::Nothing);
    }
    void tick(Index, IndexStream &, Cost &cost) override
    {
        if (stepIsUnknown())
            findStep();
        if (m_mu < 0)
            m_mu = m_foundMu = strongConvexity();
        if (m_pass.row() == 0) {
            m_y = m_x + momentum() * (m_x - m_previous);
            m_pass.begin(problem(), m_g);
        }
        if (!m_pass.tick(problem(), m_y, m_g, {}, cost))
            return;
        if (m_sub.lambda > 0)
            m_g -= m_sub.lambda * m_sub.centre;
        m_previous.swap(m_x);
        m_x = (1 - m_eta * lambdaT()) * m_y - m_eta * m_g;
        m_pass = {};
        m_steps += problem().n();
        ++cost.steps;
    }

    void point(Vector &out) const override { out = m_x; }
    ParamSet effective() const override
    {
        ParamSet own = StepSizeSolver::effective();
        if (m_sub.lambda == 0 && m_mu >= 0)
            own.set("mu", m_mu);
        return own;
    }
    std::size_t stateBytes() const override
    {
        return sizeof *this
            + bytesOfVectors({m_x.size(), m_previous.size(), m_y.size(), m_g.size(), m_sub.centre.size()});
    }

private:
    double automaticStep() const override { return fullGradientStep(); }
    Knowledge knowledgeForStep() const override { return Knowledge::Smoothness; }
    Knowledge knowledgeForMu() const
    {
        return m_sub.lambda > 0 ? Knowledge::Nothing : params::knowledgeForMu(m_params, problem());
    }
    double strongConvexity() const
    {
        const double gamma = problem().ridge();
        if (m_params.contains("mu") && !m_params.isAuto("mu"))
            return m_sub.lambda + std::max(m_params.real("mu"), gamma);
        return m_sub.lambda > 0 ? m_sub.lambda + gamma : params::resolvedMu(m_params, problem());
    }
    /// Where it takes knowledge, mu is found in the first tick.
    void resolveMu() { m_mu = knowledgeForMu() == Knowledge::Nothing ? strongConvexity() : m_foundMu; }
    void restart(const Vector &x) override
    {
        resolveMu();
        m_x = x;
        m_previous = x;
        m_t = 1;
        m_pass = {};
    }
    void retuned() override
    {
        // Momentum restarts; a gradient under way belongs to the old y and is given up.
        resolveMu();
        m_previous = m_x;
        m_t = 1;
        m_pass = {};
    }
    double momentum()
    {
        if (m_mu > 0) {
            const double q = std::min(std::sqrt(m_mu * m_eta), 1.0);
            return (1 - q) / (1 + q);
        }
        const double t = m_t;
        m_t = 0.5 * (1 + std::sqrt(1 + 4 * t * t));
        return (t - 1) / m_t;
    }

    Vector m_x;
    Vector m_previous;
    Vector m_y;
    Vector m_g;            ///< as far as the pass has come
    double m_mu = 0;       ///< below 0 until it is found
    double m_foundMu = -1; ///< the automatic one, once it took knowledge to find it
    double m_t = 1;
    FullPass m_pass;
};

std::unique_ptr<InnerSolver> make(const ProblemPtr &problem, const ParamSet &params)
{
    return std::make_unique<AcceleratedGradient>(problem, params);
}

} // namespace

MethodInfo catalogue::agd()
{
    const auto specs = aloneParams(params::stepSizeLambda(std::string("auto")), {params::mu()});
    return {
        .id = "agd",
        .label = "Accelerated gradient",
        .summary = "Steps along the full gradient at an extrapolated point: one step a pass.",
        .citation = "Nesterov (1983, 2004)",
        .update = "y = x + ((1−q)/(1+q)) (x − x₋), q = √(μλ);  x ← y − λ ∇F(y)",
        .table1 = "Accel. GD: d n^(3/2) √κ log(ε₀/ε), on F",
        .family = MethodFamily::FullGradient,
        .lambda = LambdaMeaning::StepSize,
        .inners = {},
        .params = specs,
        .accessesPerStep = 0,
        .whyNot = [](const Problem &) { return std::string(); },
        .make =
            [specs](const ProblemPtr &problem, std::string_view, const ParamSet &params) {
                return makeAlone(problem, {.lambda = LambdaMeaning::StepSize, .params = specs, .make = make}, params);
            },
        .ratePerPass = [](const Problem &problem, const Constants &constants,
                          const ParamSet &effective) -> std::optional<double> {
            const double eta = effective.isAuto("lambda") ? 1 / constants.M : effective.real("lambda");
            // With the mu that it uses, if F has that much.
            const double mu = params::resolvedMu(effective, problem);
            if (!(eta > 0) || eta > (1 + 1e-12) / constants.M || !(mu > 0) || mu > (1 + 1e-9) * constants.mu)
                return std::nullopt;
            return 1 - std::sqrt(mu * eta);
        },
    };
}

InnerInfo catalogue::agdInner()
{
    return {
        .id = "agd",
        .label = "Accelerated gradient",
        .params = {params::stepSize()},
        .whyNot = [](const Problem &) { return std::string(); },
        .make = make,
    };
}

} // namespace appa
