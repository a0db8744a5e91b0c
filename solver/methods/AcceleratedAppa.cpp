// Accelerated APPA. With rho = (mu + 2 lambda)/mu and th = rho^-1/2:
//
//   s = x + ((1 - th)/(1 + th))(x - x_prev);  x+ = oracle for f_{s,lambda} = F + (lambda/2)|. - s|^2, started at x
//
// which is the estimate-sequence form s = (x + th v)/(1 + th), v+ = (1 - th) v + th (s - (2/mu + 1/lambda) lambda (s -
// x+)), written without v. c = 4 rho^{3/2};  F(x_t) - F_opt <= (1 - th/2)^t (2 lambda/mu + 2) eps_0. Without strong
// convexity (mu = 0) the momentum is (t_k - 1)/t_{k+1} with t_{k+1} = (1 + sqrt(1 + 4 t_k^2))/2.
//
// An inner solver on the dual keeps its dual between stages: x_hat moves with the centre in O(d).
// Condition: lambda > 0.
// R. Frostig, R. Ge, S. Kakade, A. Sidford: Un-regularizing: approximate proximal point and faster stochastic
// algorithms for empirical risk minimization. ICML 2015.

#include "methods/Catalogue.h"
#include "methods/CommonParams.h"
#include "methods/Reduction.h"

#include <cmath>
#include <limits>

namespace appa {

namespace {

double momentumRoot(double lambda, double mu)
{
    return std::sqrt(mu / (mu + 2 * lambda));
}

class AcceleratedAppa final : public Reduction
{
public:
    using Reduction::Reduction;
    std::unique_ptr<Method> clone() const override { return std::make_unique<AcceleratedAppa>(*this); }
    std::size_t stateBytes() const override
    {
        return Reduction::stateBytes() + static_cast<std::size_t>(m_previous.size()) * sizeof(double);
    }

private:
    bool keepsDual() const override { return true; }
    bool needsMu() const override { return true; }

    void restarted() override
    {
        m_previous = m_x;
        m_t = 1;
    }

    void nextCentre(Vector &s) override
    {
        double momentum;
        if (mu() > 0) {
            const double th = momentumRoot(lambda(), mu());
            momentum = (1 - th) / (1 + th);
        } else {
            const double next = 0.5 * (1 + std::sqrt(1 + 4 * m_t * m_t));
            momentum = (m_t - 1) / next;
            m_t = next;
        }
        s = m_x + momentum * (m_x - m_previous);
    }

    void stageEnds(const Vector &) override { m_previous = m_x; }

    double asked() const override
    {
        const double rho = mu() > 0 ? (mu() + 2 * lambda()) / mu() : std::numeric_limits<double>::infinity();
        return 4 * rho * std::sqrt(rho);
    }

    Vector m_previous;
    double m_t = 1;
};

} // namespace

MethodInfo catalogue::acceleratedAppa()
{
    const std::vector<ParamSpec> specs = reductionParams();
    return {.id = "accelerated-appa",
            .label = "Accelerated APPA",
            .summary = "Approximate proximal points around an extrapolated centre: √(λ/μ) stages where APPA needs λ/μ.",
            .citation = "R. Frostig, R. Ge, S. Kakade, A. Sidford: Un-regularizing. ICML 2015.",
            .update =
                "s = x + ((1-θ)/(1+θ))(x - x_prev), x ← oracle for F + (λ/2)|· - s|², started at x; θ = √(μ/(μ+2λ))",
            .table1 = "d n √κ log(ε₀/ε), on F",
            .family = MethodFamily::Reduction,
            .lambda = LambdaMeaning::ProximalWeight,
            .inners = {"sdca", "svrg", "apcg", "ap-sdca", "agd", "exact"},
            .innersBecause = {},
            .params = specs,
            .accessesPerStep = 1,
            .whyNot = [](const Problem &) { return std::string(); },
            .make =
                [specs](const ProblemPtr &problem, std::string_view inner, const ParamSet &params) {
                    return std::make_unique<AcceleratedAppa>(problem, inner, specs, params);
                },
            .ratePerStage = [](const Problem &, const Constants &k, const ParamSet &params) -> std::optional<double> {
                const double mu = params.contains("mu") && !params.isAuto("mu") ? params.real("mu") : k.mu;
                if (mu <= 0 || mu > (1 + 1e-9) * k.mu) // no such promise for a mu that F does not have
                    return std::nullopt;
                return 1 - 0.5 * momentumRoot(params.real("lambda"), mu);
            }};
}

} // namespace appa
