#pragma once

#include "problem/Problem.h"

#include <functional>
#include <optional>

namespace appa {

/// out = S v for a symmetric S; false when cancelled.
using SymmetricProduct = std::function<bool(const Vector &v, Vector &out)>;

/// Ritz values at both ends of a spectrum, each with an estimate of its error.
struct SpectrumEnds
{
    double largest = 0;
    double largestError = 0;
    double smallest = 0;
    double smallestError = 0;
};

struct LanczosOptions
{
    double tolerance = 1e-12;     ///< of the largest, relative
    double smallestTolerance = 0; ///< relative to the smallest itself; 0: the smallest is not waited for
    int maxProducts = 200;
};

/// Lanczos with full reorthogonalization from `start` (it stays in the invariant subspaces that `start` lies in).
std::optional<SpectrumEnds> lanczos(const SymmetricProduct &product, Vector start, const LanczosOptions &options);

/// A fixed start with a part in every direction.
Vector lanczosStart(Index dim);

} // namespace appa
