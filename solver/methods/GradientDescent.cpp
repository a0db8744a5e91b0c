// GD: gradient descent on F (or f_{s,lambda}).
//
//     x <- x - eta (grad F(x) + lambda (x - s))
//
// eta < 2/M, M = L |A|_2^2 + gamma the smoothness of F. With eta <= 1/M an iteration, that is a pass, contracts
// F - F_opt by 1 - mu eta. Default: 1/M.
//
// A. Cauchy (1847); Yu. Nesterov: Introductory lectures on convex optimization (2004), section 2.1.

#include "methods/Alone.h"
#include "methods/Catalogue.h"
#include "methods/CommonParams.h"
#include "methods/PrimalRows.h"
#include "methods/StepSizeSolver.h"

namespace appa {

namespace {

class GradientDescent final : public StepSizeSolver
{
public:
    using StepSizeSolver::StepSizeSolver;
    std::unique_ptr<InnerSolver> clone() const override { return std::make_unique<GradientDescent>(*this); }

    void tick(Index, IndexStream &, Cost &cost) override
    {
        if (stepIsUnknown())
            findStep();
        if (m_pass.row() == 0)
            m_pass.begin(problem(), m_g);
        if (!m_pass.tick(problem(), m_x, m_g, {}, cost))
            return;
        if (m_sub.lambda > 0)
            m_g -= m_sub.lambda * m_sub.centre;
        m_x = (1 - m_eta * lambdaT()) * m_x - m_eta * m_g;
        m_pass = {};
        m_steps += problem().n();
        ++cost.steps;
    }

    void point(Vector &out) const override { out = m_x; }
    std::size_t stateBytes() const override
    {
        return sizeof *this + bytesOfVectors({m_x.size(), m_g.size(), m_sub.centre.size()});
    }

private:
    double automaticStep() const override { return fullGradientStep(); }
    Knowledge knowledgeForStep() const override { return Knowledge::Smoothness; }
    void restart(const Vector &x) override
    {
        m_x = x;
        m_pass = {};
    }
    void retuned() override { }

    Vector m_x;
    Vector m_g; ///< as far as the pass has come
    FullPass m_pass;
};

std::unique_ptr<InnerSolver> make(const ProblemPtr &problem, const ParamSet &params)
{
    return std::make_unique<GradientDescent>(problem, params);
}

} // namespace

MethodInfo catalogue::gd()
{
    const auto specs = aloneParams(params::stepSizeLambda(std::string("auto")), {});
    return {
        .id = "gd",
        .label = "Gradient descent",
        .summary = "Steps along the full gradient: one step a pass.",
        .citation = "Cauchy (1847); Nesterov (2004)",
        .update = "x ← x − λ ∇F(x)",
        .table1 = "GD: d n² κ log(ε₀/ε), on F",
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
        .ratePerPass = [](const Problem &, const Constants &constants,
                          const ParamSet &effective) -> std::optional<double> {
            const double eta = effective.isAuto("lambda") ? 1 / constants.M : effective.real("lambda");
            if (!(eta > 0) || eta > (1 + 1e-12) / constants.M || !(constants.mu > 0))
                return std::nullopt;
            return 1 - constants.mu * eta;
        },
    };
}

} // namespace appa
