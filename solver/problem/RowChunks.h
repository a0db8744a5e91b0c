#pragma once

#include "data/Matrix.h"

#include <algorithm>

namespace appa {

/// How a pass cuts the rows: a function of their number alone, so that every number of threads adds the same things in
/// the same order.
struct RowChunks
{
    Index rows;
    Index size; ///< a multiple of 4
    int count;

    explicit RowChunks(Index n)
        : rows(n), size(std::max<Index>(64, (n / 32 + 4) / 4 * 4)), count(static_cast<int>((n + size - 1) / size))
    {
    }
    Index begin(int c) const { return c * size; }
    Index end(int c) const { return std::min(rows, (c + 1) * size); }
};

} // namespace appa
