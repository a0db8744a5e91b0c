// SAG: stochastic average gradient on F (or f_{s,lambda}).
//
//     delta = phi_i'(a_i.x) - table_i,  G += delta a_i,  table_i += delta,
//     x <- x - eta (G + gamma x + lambda (x - s)),
// with G = sum_j table_j a_j: a full gradient of which one term a step is brought up to date. Biased, with little
// noise. The table starts at x0: one full pass, counted.
//
// eta = 1/(16 L_max), L_max = n L R^2 + gamma + lambda (the default) contracts E F - F_opt by
// 1 - min(mu/(16 L_max), 1/(8n)) a step.
//
// N. Le Roux, M. Schmidt, F. Bach: A stochastic gradient method with an exponential convergence rate for finite
// training sets. NIPS 2012. M. Schmidt, N. Le Roux, F. Bach: Minimizing finite sums with the stochastic average
// gradient. Mathematical Programming 162 (2017).

#include "methods/Alone.h"
#include "methods/Catalogue.h"
#include "methods/CommonParams.h"
#include "methods/TableSolver.h"

#include <algorithm>
#include <cmath>

namespace appa {

namespace {

constexpr double steepness = 16;

std::unique_ptr<InnerSolver> make(const ProblemPtr &problem, const ParamSet &params)
{
    return std::make_unique<TableSolver<AffineIterate::Direction::Before>>(problem, params, steepness);
}

std::optional<double> ratePerPass(const Problem &problem, const Constants &constants, const ParamSet &effective)
{
    const auto n = static_cast<double>(problem.n());
    const double L = n * constants.L * constants.R * constants.R + problem.ridge();
    const double eta = effective.isAuto("lambda") ? 1 / (steepness * L) : effective.real("lambda");
    if (!(eta > 0) || eta > (1 + 1e-12) / (steepness * L) || !(constants.mu > 0))
        return std::nullopt;
    return std::pow(1 - std::min(1 / (8 * n), constants.mu * eta), n);
}

} // namespace

MethodInfo catalogue::sag()
{
    const auto specs = aloneParams(params::stepSizeLambda(std::string("auto")), {});
    return {
        .id = "sag",
        .label = "SAG",
        .summary = "Steps along an average of remembered gradients, one of which is brought up to date in each step.",
        .citation = "Le Roux, Schmidt and Bach (NIPS 2012)",
        .update = "δ = φᵢ′(aᵢ·x) − tᵢ;  G ← G + δ aᵢ;  x ← x − λ G",
        .table1 = "SAG, SVRG: d n κ log(ε₀/ε), on F",
        .family = MethodFamily::Stochastic,
        .lambda = LambdaMeaning::StepSize,
        .inners = {},
        .params = specs,
        .accessesPerStep = 1,
        .whyNot = [](const Problem &) { return std::string(); },
        .make =
            [specs](const ProblemPtr &problem, std::string_view, const ParamSet &params) {
                return makeAlone(problem, {.lambda = LambdaMeaning::StepSize, .params = specs, .make = make}, params);
            },
        .ratePerPass = ratePerPass,
    };
}

} // namespace appa
