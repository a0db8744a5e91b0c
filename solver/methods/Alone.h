#pragma once

#include "methods/Registry.h"

namespace appa {

/// What turns an inner solver into a method: stages of `passes` passes of one and the same subproblem, without
/// restarts.
struct AloneSpec
{
    /// RidgeWeight: the subproblem is F + (lambda/2)|x|^2 (centre 0). StepSize: it is F itself, and the solver gets
    /// lambda under the key "step". Unused: F itself.
    LambdaMeaning lambda = LambdaMeaning::Unused;
    std::vector<ParamSpec> params; ///< as `aloneParams` gives them
    std::function<std::unique_ptr<InnerSolver>(const ProblemPtr &, const ParamSet &)> make;
    IndexStream::Order order = IndexStream::Order::Random; ///< what the order "auto" means
};

/// "lambda" (if there is one), passes per stage, the order of rows, then the solver's own without "step".
std::vector<ParamSpec> aloneParams(std::optional<ParamSpec> lambda, const std::vector<ParamSpec> &own);

std::unique_ptr<Method> makeAlone(const ProblemPtr &problem, const AloneSpec &spec, const ParamSet &params);

} // namespace appa
