#pragma once

#include "methods/Inner.h"

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace appa {

/// What lambda is to a method, in the paper's convention.
enum class LambdaMeaning { ProximalWeight, RidgeWeight, StepSize, Unused };

enum class MethodFamily { Reduction, DualCoordinate, Stochastic, FullGradient, LeastSquares };

/// A method as the window, the command line, the tests and the docs see it; none of them knows one by name.
struct MethodInfo
{
    std::string id;
    std::string label;
    std::string summary; ///< one sentence: what it does
    std::string citation;
    std::string update; ///< the update rule in one line of plain text
    std::string table1; ///< its row of the paper's Table 1 (running time), "" if it is not in it
    MethodFamily family = MethodFamily::Reduction;
    LambdaMeaning lambda = LambdaMeaning::Unused;
    std::vector<std::string> inners; ///< ids of the inner solvers it can use, the default first; empty: it stands alone
    std::string innersBecause = {};  ///< why no others: the rest of "cannot use svrg: ..."
    std::vector<ParamSpec> params;   ///< its own, "lambda" first
    double accessesPerStep = 1;      ///< 0: a step is a full pass

    /// "" if it can run on this problem, else why not and what to do.
    std::function<std::string(const Problem &)> whyNot;
    std::function<std::unique_ptr<Method>(const ProblemPtr &, std::string_view inner, const ParamSet &)> make;
    using Rate = std::function<std::optional<double>(const Problem &, const Constants &, const ParamSet &)>;
    /// The factor by which theory (corrected constants) says the excess loss shrinks per pass; nullopt if it says
    /// nothing.
    Rate ratePerPass = {};
    /// The same per stage, for the methods whose theory does not know how many passes a stage takes.
    Rate ratePerStage = {};
};

/// A solver usable inside the reductions.
struct InnerInfo
{
    std::string id;
    std::string label;
    std::vector<ParamSpec> params; ///< shown beside the reduction's
    std::function<std::string(const Problem &)> whyNot;
    std::function<std::unique_ptr<InnerSolver>(const ProblemPtr &, const ParamSet &)> make;
    bool hasDual = false; ///< it keeps a dual point, and so a stage has a duality gap
};

const std::vector<MethodInfo> &methods();
const std::vector<InnerInfo> &innerSolvers();
const MethodInfo *findMethod(std::string_view id);
const InnerInfo *findInner(std::string_view id);

/// The method's parameters and those of the inner solver.
std::vector<ParamSpec> paramsOf(const MethodInfo &method, std::string_view inner);
/// "" if method and inner solver can run on this problem, else the sentence for the user.
std::string whyNot(const Problem &problem, std::string_view method, std::string_view inner);

} // namespace appa
