// The proximal point algorithm: x <- argmin_x F(x) + (lambda/2)|x - x_t|^2, exactly.
//
// Condition: lambda > 0. F - F_opt contracts by (lambda/(lambda + mu))^2 a stage, which is tight.
// R. T. Rockafellar: Monotone operators and the proximal point algorithm. SIAM J. Control Optim. 14, 1976.

#include "methods/Catalogue.h"
#include "methods/CommonParams.h"
#include "methods/Reduction.h"

namespace appa {

namespace {

class Ppa final : public Reduction
{
public:
    using Reduction::Reduction;
    std::unique_ptr<Method> clone() const override { return std::make_unique<Ppa>(*this); }

private:
    void nextCentre(Vector &s) override { s = m_x; }
    double asked() const override { return 1; } // never asked: the inner solver is exact
};

} // namespace

MethodInfo catalogue::ppa()
{
    const std::vector<ParamSpec> specs = {params::proximalWeight()};
    return {
        .id = "ppa",
        .label = "PPA",
        .summary =
            "The proximal point algorithm: every stage minimizes F + (λ/2)|x - s|² exactly around the last point.",
        .citation =
            "R. T. Rockafellar: Monotone operators and the proximal point algorithm. SIAM J. Control Optim. 14, 1976.",
        .update = "x ← argmin F(x') + (λ/2)|x' - x|²",
        .table1 = {},
        .family = MethodFamily::Reduction,
        .lambda = LambdaMeaning::ProximalWeight,
        .inners = {"exact"},
        .innersBecause = "PPA solves every stage exactly; with an approximate solver it is APPA.",
        .params = specs,
        .accessesPerStep = 1,
        .whyNot = [](const Problem &) { return std::string(); },
        .make = [specs](const ProblemPtr &problem, std::string_view inner,
                        const ParamSet &params) { return std::make_unique<Ppa>(problem, inner, specs, params); },
        .ratePerStage = [](const Problem &, const Constants &k, const ParamSet &params) -> std::optional<double> {
            const double lambda = params.real("lambda");
            const double r = lambda / (lambda + k.mu);
            return k.mu > 0 ? std::optional(r * r) : std::nullopt;
        }};
}

} // namespace appa
