#pragma once

#include "methods/Registry.h"

#include <functional>
#include <stdexcept>
#include <utility>
#include <vector>

/// Driving methods through the registry, as the runs do.
namespace appa::testing {

using Params = std::vector<std::pair<std::string, ParamValue>>;

inline ParamSet paramSet(const Params &params)
{
    ParamSet set;
    for (const auto &[key, value] : params)
        set.set(key, value);
    return set;
}

inline std::unique_ptr<Method> make(const ProblemPtr &problem, const std::string &method, const std::string &inner = {},
                                    const Params &params = {})
{
    if (const std::string why = whyNot(*problem, method, inner); !why.empty())
        throw std::invalid_argument(why);
    const MethodInfo *info = findMethod(method);
    const std::string solver = inner.empty() && !info->inners.empty() ? info->inners.front() : inner;
    return info->make(problem, solver, paramSet(params));
}

inline Handover from(const Problem &problem)
{
    Handover h;
    h.x = Vector::Zero(problem.dim());
    return h;
}

/// Made and started at 0, the stream's base given directly.
inline std::unique_ptr<Method> started(const ProblemPtr &problem, const std::string &method,
                                       const std::string &inner = {}, const Params &params = {},
                                       std::uint64_t base = 1000)
{
    auto m = make(problem, method, inner, params);
    m->start(from(*problem), base);
    return m;
}

inline Method::State stage(Method &method)
{
    Slice all = Slice::ticks(std::numeric_limits<Index>::max());
    return method.advance(all);
}

inline Vector pointOf(const Method &method)
{
    Vector x;
    method.point(x);
    return x;
}

/// F at the reported points of `stages` stages, the start first.
inline std::vector<double> values(const Problem &problem, Method &method, int stages)
{
    std::vector<double> out = {problem.objective(pointOf(method))};
    for (int t = 0; t < stages; ++t) {
        stage(method);
        out.push_back(problem.objective(pointOf(method)));
    }
    return out;
}

} // namespace appa::testing
