// Dual APPA: a pair (x, y) with x = x_hat_s(y) = s - A'y/lambda (s, lambda with the ridge folded in).
//
//   a stage: a dual solver on g_{s,lambda} from y;  then s <- x, y stays, and the new primal point costs O(d):
//   x' = s_new + (lambda_old/lambda_new)(x - s_old)
//
// What is reported is x at a stage's end, never x'. Certified stages use APPA's rule with x_start = s, c = 2(lambda +
// mu)/mu: F - F_opt contracts by (lambda + mu/2)/(lambda + mu). For comparison the printed rule, (sigma - 1) gap <=
// g(y_start) - g(y) with sigma = 80 n^2 kappa_lambda^2 max(kappa, kappa_lambda) ceil(lambda/mu), which asks for far
// more. Condition: lambda > 0. The dual starts by the line search of "dual-start", not at y_hat(0) as printed. R.
// Frostig, R. Ge, S. Kakade, A. Sidford: Un-regularizing: approximate proximal point and faster stochastic algorithms
// for empirical risk minimization. ICML 2015.

#include "methods/Catalogue.h"
#include "methods/CommonParams.h"
#include "methods/DualMap.h"
#include "methods/DualSolver.h"
#include "methods/Reduction.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace appa {

namespace {

class DualAppa final : public Reduction
{
public:
    DualAppa(const ProblemPtr &problem, std::string_view inner, const std::vector<ParamSpec> &specs,
             const ParamSet &values)
        : Reduction(problem, inner, specs, values, params::autoKeptDualWeight)
    {
    }
    std::unique_ptr<Method> clone() const override { return std::make_unique<DualAppa>(*this); }

private:
    bool keepsDual() const override { return true; }
    IndexStream::Order automaticOrder() const override { return IndexStream::Order::Permutation; }
    bool printedRule() const { return certified() && params().word("certificate") == "printed"; }

    void nextCentre(Vector &s) override { s = m_x; }
    void stageBegun() override { m_start = printedRule() ? dualValue() : std::nullopt; }

    double asked() const override
    {
        if (mu() <= 0)
            return std::numeric_limits<double>::infinity();
        if (!printedRule())
            return 2 * (lambda() + mu()) / mu();
        const double n = static_cast<double>(problem().n());
        const double LR2 = problem().curvature() * problem().radius() * problem().radius();
        const double kappa = std::ceil(LR2 / mu());
        const double kappaLambda = std::ceil(LR2 / sub().lambdaT(problem().ridge()));
        return 80 * n * n * kappaLambda * kappaLambda * std::max(kappa, kappaLambda) * std::ceil(lambda() / mu());
    }

    double gained(const Check &check) const override
    {
        if (!printedRule())
            return Reduction::gained(check);
        const std::optional<double> now = dualValue();
        return m_start && now ? *m_start - *now : 0;
    }

    /// g_{s,lambda}(y); nullopt while y is still being made.
    std::optional<double> dualValue() const
    {
        const Handover h = inner().handover();
        if (!h.y || h.lambdaT != sub().lambdaT(problem().ridge()))
            return std::nullopt;
        return dualObjective(problem(), *h.y, h.aty, sub().centreT(problem().ridge()), h.lambdaT);
    }

    std::optional<double> m_start; ///< g(y_start), for the printed rule
};

ParamSpec certificateParam()
{
    return {.key = "certificate",
            .label = "Certificate",
            .help = "What ends a certified stage. primal: the accuracy APPA's proof needs. printed: the paper's dual "
                    "rule with its "
                    "σ, which asks for many times more passes.",
            .type = ParamSpec::Type::Choice,
            .defaultValue = std::string("primal"),
            .choices = {"primal", "printed"},
            .onlyIf = "stages=certified"};
}

} // namespace

MethodInfo catalogue::dualAppa()
{
    const std::vector<ParamSpec> specs =
        params::joined(reductionParams(params::keptDualWeight()), {certificateParam()});
    return {
        .id = "dual-appa",
        .label = "Dual APPA",
        .summary =
            "Approximate proximal points with a dual solver whose dual is kept: a new stage costs O(d) and no pass.",
        .citation = "R. Frostig, R. Ge, S. Kakade, A. Sidford: Un-regularizing. ICML 2015.",
        .update = "y ← dual solver on g_{s,λ}, x = s - A'y/λ; s ← x, y kept, x' = s_new + (λ_old/λ_new)(x - s_old)",
        .table1 = "d n √κ log(ε₀/ε), on F",
        .family = MethodFamily::Reduction,
        .lambda = LambdaMeaning::ProximalWeight,
        .inners = {"sdca", "apcg", "ap-sdca"},
        .innersBecause = "Dual APPA carries a dual point from stage to stage, and this solver has none.",
        .params = specs,
        .accessesPerStep = 1,
        .whyNot = [](const Problem &problem) { return whyNoDual(problem, "Dual APPA"); },
        .make = [specs](const ProblemPtr &problem, std::string_view inner,
                        const ParamSet &params) { return std::make_unique<DualAppa>(problem, inner, specs, params); },
        .ratePerStage = [](const Problem &, const Constants &k, const ParamSet &params) -> std::optional<double> {
            const double lambda = params.real("lambda");
            if (k.mu <= 0)
                return std::nullopt;
            return (lambda + k.mu / 2) / (lambda + k.mu);
        }};
}

} // namespace appa
