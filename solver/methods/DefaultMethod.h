#pragma once

#include <string>

namespace appa {

class Problem;

/// The method of a run for which none was named.
struct DefaultMethod
{
    std::string id;
    std::string because; ///< why it is not dual-appa, a clause without an end; "" if it is
};

/// dual-appa; where that cannot run svrg, which runs on every problem with a gradient; else the registry's first that
/// can, with its default inner solver.
DefaultMethod defaultMethodFor(const Problem &problem);

} // namespace appa
