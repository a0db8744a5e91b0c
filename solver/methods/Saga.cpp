// SAGA: variance-reduced stochastic gradients on F (or f_{s,lambda}) from a table of the last derivatives.
//
//     delta = phi_i'(a_i.x) - table_i
//     x <- x - eta (n delta a_i + G + gamma x + lambda (x - s)),  then  G += delta a_i,  table_i += delta,
// with G = sum_j table_j a_j. Unbiased. The table starts at x0: one full pass, counted.
//
// eta <= 1/(3 L_max), L_max = n L R^2 + gamma + lambda, contracts the expected squared distance (plus the table's
// error) by 1 - min(1/(4n), mu eta) a step. Default eta = 1/(3 L_max).
//
// A. Defazio, F. Bach, S. Lacoste-Julien: SAGA: a fast incremental gradient method with support for non-strongly convex
// composite objectives. NIPS 2014.

#include "methods/Alone.h"
#include "methods/Catalogue.h"
#include "methods/CommonParams.h"
#include "methods/TableSolver.h"

#include <algorithm>
#include <cmath>

namespace appa {

namespace {

constexpr double steepness = 3;

std::unique_ptr<InnerSolver> make(const ProblemPtr &problem, const ParamSet &params)
{
    return std::make_unique<TableSolver<AffineIterate::Direction::After>>(problem, params, steepness);
}

std::optional<double> ratePerPass(const Problem &problem, const Constants &constants, const ParamSet &effective)
{
    const auto n = static_cast<double>(problem.n());
    const double L = n * constants.L * constants.R * constants.R + problem.ridge();
    const double eta = effective.isAuto("lambda") ? 1 / (steepness * L) : effective.real("lambda");
    if (!(eta > 0) || eta > (1 + 1e-12) / (steepness * L) || !(constants.mu > 0))
        return std::nullopt;
    return std::pow(1 - std::min(1 / (4 * n), constants.mu * eta), n);
}

} // namespace

MethodInfo catalogue::saga()
{
    const auto specs = aloneParams(params::stepSizeLambda(std::string("auto")), {});
    return {
        .id = "saga",
        .label = "SAGA",
        .summary =
            "Unbiased stochastic gradient steps, their noise cancelled by a table of the last derivative of each term.",
        .citation = "Defazio, Bach and Lacoste-Julien (NIPS 2014)",
        .update = "δ = φᵢ′(aᵢ·x) − tᵢ;  x ← x − λ (n δ aᵢ + G);  G ← G + δ aᵢ",
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
