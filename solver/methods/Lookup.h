#pragma once

#include "base/Result.h"
#include "methods/Registry.h"

#include <string>

namespace appa {

// What a user names, or a sentence with what may have been meant.

Result<const MethodInfo *> methodNamed(const std::string &id);
/// "": the method's default; that of a method that stands alone is "".
Result<std::string> innerNamed(const MethodInfo &method, const std::string &inner);
Result<ParamSpec> paramNamed(const MethodInfo &method, const std::string &inner, const std::string &key);

} // namespace appa
