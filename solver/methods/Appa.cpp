// Approximate proximal point algorithm: x <- oracle for f_{x,lambda} = F + (lambda/2)|. - x|^2, started at x.
//
// With c = 2(lambda + mu)/mu the oracle's (c, lambda)-accuracy makes F - F_opt contract by (lambda + mu/2)/(lambda +
// mu) a stage. An inner solver on the dual makes its dual from x at every stage (Dual APPA is the one that keeps it).
// Condition: lambda > 0.
// R. Frostig, R. Ge, S. Kakade, A. Sidford: Un-regularizing: approximate proximal point and faster stochastic
// algorithms for empirical risk minimization. ICML 2015.

#include "methods/Catalogue.h"
#include "methods/CommonParams.h"
#include "methods/Reduction.h"

#include <limits>

namespace appa {

namespace {

class Appa final : public Reduction
{
public:
    using Reduction::Reduction;
    std::unique_ptr<Method> clone() const override { return std::make_unique<Appa>(*this); }

private:
    void nextCentre(Vector &s) override { s = m_x; }
    double asked() const override
    {
        return mu() > 0 ? 2 * (lambda() + mu()) / mu() : std::numeric_limits<double>::infinity();
    }
};

} // namespace

MethodInfo catalogue::appa()
{
    const std::vector<ParamSpec> specs = reductionParams();
    return {.id = "appa",
            .label = "APPA",
            .summary =
                "Approximate proximal points: every stage nearly minimizes F + (λ/2)|x - s|² around the last point.",
            .citation = "R. Frostig, R. Ge, S. Kakade, A. Sidford: Un-regularizing. ICML 2015.",
            .update = "x ← oracle for F + (λ/2)|· - x|², started at x",
            .table1 = "d n √κ log(ε₀/ε), on F",
            .family = MethodFamily::Reduction,
            .lambda = LambdaMeaning::ProximalWeight,
            .inners = {"sdca", "svrg", "apcg", "ap-sdca", "agd", "exact"},
            .innersBecause = {},
            .params = specs,
            .accessesPerStep = 1,
            .whyNot = [](const Problem &) { return std::string(); },
            .make = [specs](const ProblemPtr &problem, std::string_view inner,
                            const ParamSet &params) { return std::make_unique<Appa>(problem, inner, specs, params); },
            .ratePerStage = [](const Problem &, const Constants &k, const ParamSet &params) -> std::optional<double> {
                const double lambda = params.real("lambda");
                if (k.mu <= 0)
                    return std::nullopt;
                return (lambda + k.mu / 2) / (lambda + k.mu);
            }};
}

} // namespace appa
