#pragma once

#include "data/Matrix.h"
#include "kernels/Kernels.h"

#include <functional>
#include <span>
#include <stop_token>

namespace appa {

/// C += sum_r c_r v_r v_r' on the lower triangle of the d x d matrix C (column-major, leading dimension ld >= d;
/// entries above the diagonal become meaningless up to a few columns from it). `row(r)` is the start of v_r: d numbers,
/// float32 or float64.
///
/// Rows are taken in blocks, widened to double and packed once; each 12 x 4 tile of C belongs to one task and sums its
/// rows in order, so any number of threads gives the same bits. False if stopped (C is then useless); asked every few
/// milliseconds.
struct RankUpdate
{
    Isa isa = detectedIsa();
    int threads = 1;
    std::stop_token stop;
    std::function<void(double)> report; ///< the fraction done

    template <class T>
    bool operator()(const std::function<const T *(Index)> &row, Index rows, std::span<const double> c, Index d,
                    double *C, Index ld) const;
};

} // namespace appa
