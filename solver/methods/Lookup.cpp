#include "methods/Lookup.h"

#include "base/Suggest.h"
#include "base/Text.h"

#include <algorithm>

namespace appa {

namespace {

Error usage(std::string message)
{
    return {Error::Kind::Usage, std::move(message)};
}

} // namespace

Result<const MethodInfo *> methodNamed(const std::string &id)
{
    if (const MethodInfo *info = findMethod(id))
        return info;
    std::vector<std::string> ids;
    for (const MethodInfo &info : methods())
        ids.push_back(info.id);
    return usage("There is no method \"" + id + "\"." + didYouMean(id, ids) + " There are " + joined(ids) + ".");
}

Result<std::string> innerNamed(const MethodInfo &method, const std::string &inner)
{
    if (inner.empty())
        return method.inners.empty() ? std::string() : method.inners.front();
    if (method.inners.empty())
        return usage(method.label + " stands alone and takes no inner solver.");
    if (std::ranges::find(method.inners, inner) != method.inners.end())
        return inner;
    return usage("\"" + inner + "\" is not an inner solver of " + method.label + "." + didYouMean(inner, method.inners)
                 + " It takes " + joined(method.inners) + ".");
}

Result<ParamSpec> paramNamed(const MethodInfo &method, const std::string &inner, const std::string &key)
{
    std::vector<std::string> keys;
    for (const ParamSpec &spec : paramsOf(method, inner)) {
        if (spec.key == key)
            return spec;
        keys.push_back(spec.key);
    }
    return usage(method.label + " has no parameter \"" + key + "\"." + didYouMean(key, keys) + " It has "
                 + (keys.empty() ? "none" : joined(keys)) + ".");
}

} // namespace appa
