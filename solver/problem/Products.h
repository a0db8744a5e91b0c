#pragma once

#include "problem/Problem.h"

#include <span>
#include <vector>

namespace appa {

/// Threads worth using for a pass: one per core.
int passThreads();

/// out = A' diag(c) A v in one pass over A (c empty: all ones). False when cancelled.
bool weightedProduct(const Features &A, std::span<const double> c, const Vector &v, Vector &out, int threads,
                     const std::stop_token &stop);

/// out = A' c in one pass. False when cancelled.
bool transposedProduct(const Features &A, std::span<const double> c, Vector &out, int threads,
                       const std::stop_token &stop);

/// sum_j |a_ij x_j| of the training rows, row-major n x K: the rounding of a margin is a part of this. When `stop` is
/// requested it returns soon, with numbers that mean nothing.
void absoluteMargins(const Problem &problem, const Vector &x, std::vector<double> &out, int threads,
                     const std::stop_token &stop = {});

/// C = A' diag(c) A (c empty: all ones), d x d, lower triangle only. False when cancelled.
bool weightedGram(const Features &A, std::span<const double> c, Eigen::MatrixXd &C, int threads,
                  const Progress &progress, std::string_view what);

} // namespace appa
