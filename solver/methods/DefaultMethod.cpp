#include "methods/DefaultMethod.h"

#include "methods/Registry.h"

#include <algorithm>

namespace appa {

DefaultMethod defaultMethodFor(const Problem &problem)
{
    constexpr const char *first = "dual-appa";
    std::string because = whyNot(problem, first, {});
    if (because.empty())
        return {first, {}};
    because.resize(std::min(because.find(". "), because.size())); // what follows is what to do about it
    if (whyNot(problem, "svrg", {}).empty())
        return {"svrg", std::move(because)};
    for (const MethodInfo &info : methods())
        if (whyNot(problem, info.id, {}).empty())
            return {info.id, std::move(because)};
    return {first, {}};
}

} // namespace appa
