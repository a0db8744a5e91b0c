#pragma once

#include "problem/Spectrum.h"

#include <optional>
#include <span>

namespace appa {

/// Both ends of the spectrum of A' diag(c) A (c empty: all ones).
struct GramSpectrum
{
    double largest = 0;
    double smallest = 0; ///< 0 if it cannot be told from 0 in double arithmetic
};

/// Is forming the d x d Gram matrix a matter of a second or two?
bool gramIsQuick(const Features &A);

// All of these: nullopt when cancelled.

/// From the matrix itself: Lanczos on it for the largest, on its inverse (Cholesky) for the smallest.
std::optional<GramSpectrum> formedSpectrum(const Features &A, std::span<const double> c, const Progress &progress);
/// By products with A alone, each a pass over the data.
std::optional<double> largestByProducts(const Features &A, const Progress &progress);
/// The same; a lower bound, see `cautious`. 0 after a hundred passes that did not suffice.
std::optional<double> smallestByProducts(const Features &A, std::span<const double> c, const Progress &progress);

/// What can be said of the smallest eigenvalue from products alone: the Ritz value less its error, 0 if nothing is
/// left.
double cautious(const SpectrumEnds &ends);

} // namespace appa
