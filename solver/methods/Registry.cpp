#include "methods/Registry.h"

#include "base/Text.h"
#include "methods/Catalogue.h"

#include <algorithm>

namespace appa {

const std::vector<MethodInfo> &methods()
{
    static const std::vector<MethodInfo> all = {
        // Reductions
        catalogue::ppa(),
        catalogue::appa(),
        catalogue::acceleratedAppa(),
        catalogue::dualAppa(),

        // Dual coordinate methods
        catalogue::sdca(),
        catalogue::apSdca(),
        catalogue::apcg(),

        // Stochastic gradients
        catalogue::sgd(),
        catalogue::svrg(),
        catalogue::sag(),
        catalogue::saga(),

        // Full gradients
        catalogue::gd(),
        catalogue::agd(),

        // Least squares
        catalogue::normalEquations(),
        catalogue::rowSampling(),
        catalogue::osnap(),
        catalogue::kaczmarz(),
        catalogue::acceleratedKaczmarz(),

    };
    return all;
}

const std::vector<InnerInfo> &innerSolvers()
{
    static const std::vector<InnerInfo> all = {
        // With a dual
        catalogue::sdcaInner(),
        catalogue::apcgInner(),
        catalogue::apSdcaInner(),

        // Primal
        catalogue::svrgInner(),
        catalogue::agdInner(),
        catalogue::exactInner(),

    };
    return all;
}

const MethodInfo *findMethod(std::string_view id)
{
    const auto it = std::ranges::find(methods(), id, &MethodInfo::id);
    return it == methods().end() ? nullptr : &*it;
}

const InnerInfo *findInner(std::string_view id)
{
    const auto it = std::ranges::find(innerSolvers(), id, &InnerInfo::id);
    return it == innerSolvers().end() ? nullptr : &*it;
}

std::vector<ParamSpec> paramsOf(const MethodInfo &method, std::string_view inner)
{
    std::vector<ParamSpec> specs = method.params;
    if (method.inners.empty())
        return specs;
    if (const InnerInfo *info = findInner(inner.empty() ? method.inners.front() : inner))
        for (const ParamSpec &spec : info->params)
            if (std::ranges::find(specs, spec.key, &ParamSpec::key) == specs.end())
                specs.push_back(spec);
    return specs;
}

std::string whyNot(const Problem &problem, std::string_view method, std::string_view inner)
{
    const MethodInfo *info = findMethod(method);
    if (!info)
        return "There is no method \"" + std::string(method) + "\"; there are "
            + joined(methods(), ", ", &MethodInfo::id) + ".";
    if (info->whyNot)
        if (std::string why = info->whyNot(problem); !why.empty())
            return why;
    if (info->inners.empty())
        return inner.empty() ? "" : info->label + " stands alone: it has no inner solver.";

    const std::string_view id = inner.empty() ? std::string_view(info->inners.front()) : inner;
    const InnerInfo *solver = findInner(id);
    if (!solver)
        return "There is no inner solver \"" + std::string(id) + "\"; there are "
            + joined(innerSolvers(), ", ", &InnerInfo::id) + ".";
    if (std::ranges::find(info->inners, id) == info->inners.end())
        return info->label + " cannot use " + solver->label + ": " + info->innersBecause + " Choose one of "
            + joined(info->inners) + ".";
    return solver->whyNot ? solver->whyNot(problem) : "";
}

Index rowsPerTick(const Problem &problem)
{
    const Index n = problem.n();
    const Index perRow =
        std::max<Index>(1, nonZerosOf(problem.data().train.features) / std::max<Index>(n, 1)) * problem.outputs();
    const Index rows = std::min((Index{1} << 18) / perRow, n / 16);
    return std::max<Index>(4, rows / 4 * 4);
}

} // namespace appa
