#pragma once

#include "problem/Problem.h"

#include <optional>
#include <string>

namespace appa {

/// Whose arithmetic an optimum is of. Raised whenever the solve gives other numbers: what was stored is then made anew.
inline constexpr int optimumArithmetic = 11;

/// F_opt by a reference solve, with what is known about its accuracy.
struct Optimum
{
    double value = 0;       ///< F_opt: the minimum of F, or its infimum
    Vector x;               ///< where it is attained (the last iterate if it is not)
    double certificate = 0; ///< F(x) - F_opt is at most this, rounding included: |grad|^2/(2 gamma) or the duality gap
                            ///< with a ridge; without one the Newton decrement, and F itself where it cannot tell
    double floor = 0;       ///< below this, a difference of two values of F means nothing
    bool attained = true;   ///< false: the infimum is not attained (a separable logistic problem)
    bool known = true;      ///< false: there is no excess to speak of, since `value` is open, or 0 and F its own excess
    bool restsOnRounding = false; ///< of the features to single precision: no method gets there
    std::string message;          ///< how it was solved, and advice if it is not attained or rests on rounding
    double seconds = 0;
};

/// Squared: Cholesky with refinement, preconditioned CG when d is too large. Others: (truncated) Newton.
/// `direct`: as for `minimize`. nullopt when cancelled.
std::optional<Optimum> referenceOptimum(const Problem &problem, const Progress &progress = {},
                                        std::optional<bool> direct = std::nullopt);

/// The same, from the cache on disk if it is there (key: data hash, loss, ridge), stored there otherwise.
/// `folder` "" means no cache.
std::optional<Optimum> cachedOptimum(const Problem &problem, const std::string &folder, const Progress &progress = {});

/// ls(lambda): the value F (without the extra ridge) of the exact minimizer of F + (lambda/2)|x|^2. The dashed floor
/// lines.
std::optional<double> ridgeSolutionValue(const Problem &problem, double lambda, const Progress &progress = {});

} // namespace appa
