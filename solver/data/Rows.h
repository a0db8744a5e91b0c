#pragma once

#include "data/Dataset.h"
#include "data/Parallel.h"
#include "data/Recipe.h"

#include <span>
#include <vector>

namespace appa {

/// The given rows, in the given order. False when cancelled.
bool selectRows(const Samples &from, std::span<const Index> rows, Samples &to, const ProgressRange &range);
/// `count` of `n` row numbers, ascending, each set equally likely.
std::vector<Index> randomRows(Index n, Index count, std::uint64_t seed);
/// Columns added on the right, all zero.
void widen(Features &features, Index cols);
/// Sparse columns renumbered by -`base`, `cols` in all.
void shiftColumns(Features &features, Index base, Index cols);
/// As dense storage.
Features densified(const Features &features);
/// Part of a matrix's bytes that `count` of its rows take.
double bytesOfRows(const Features &features, Index count);
/// An empty matrix of the same kind and width.
Features noRows(const Features &like);

} // namespace appa
