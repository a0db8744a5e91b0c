#pragma once

#include "data/Dataset.h"
#include "data/Parallel.h"
#include "data/Recipe.h"

#include <algorithm>
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

/// Calls f(first, last) for blocks of rows of about half a megabyte.
template <class F> bool forRowBlocks(Index rows, Index nonZeros, const ProgressRange &range, F &&f)
{
    const Index perRow = nonZeros / std::max<Index>(1, rows) + 1;
    const Index block = std::max<Index>(1, (Index{1} << 17) / perRow);
    return forEach((rows + block - 1) / block, range, [&](Index k) { f(k * block, std::min(rows, (k + 1) * block)); });
}

template <class F> bool forRowBlocks(const Features &features, const ProgressRange &range, F &&f)
{
    return forRowBlocks(rowsOf(features), nonZerosOf(features), range, f);
}

} // namespace appa
