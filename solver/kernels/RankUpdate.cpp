#include "kernels/RankUpdate.h"

#include "base/Parallel.h"

#include <algorithm>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace appa {

namespace {

constexpr Index tileRows = 12;
constexpr Index tileCols = 4;
constexpr Index depth = 256; ///< rows per packed block: a 12-wide panel of it (24 KiB) stays in the first cache

using Tile = void (*)(const double *wide, const double *narrow, Index k, double *C, Index ld);

/// C(12 x 4) += wide' narrow, both packed row by row.
void tileBaseline(const double *wide, const double *narrow, Index k, double *C, Index ld)
{
    for (Index part = 0; part < tileRows; part += 4) {
        double s[tileCols][4] = {};
        for (Index r = 0; r < k; ++r)
            for (Index j = 0; j < tileCols; ++j)
                for (Index i = 0; i < 4; ++i)
                    s[j][i] += wide[r * tileRows + part + i] * narrow[r * tileCols + j];
        for (Index j = 0; j < tileCols; ++j)
            for (Index i = 0; i < 4; ++i)
                C[j * ld + part + i] += s[j][i];
    }
}

#if defined(__x86_64__)
__attribute__((target("avx2,fma"))) void tileAvx2(const double *wide, const double *narrow, Index k, double *C,
                                                  Index ld)
{
    __m256d s00 = _mm256_setzero_pd(), s01 = s00, s02 = s00, s10 = s00, s11 = s00, s12 = s00;
    __m256d s20 = s00, s21 = s00, s22 = s00, s30 = s00, s31 = s00, s32 = s00;
    for (Index r = 0; r < k; ++r, wide += tileRows, narrow += tileCols) {
        const __m256d w0 = _mm256_loadu_pd(wide), w1 = _mm256_loadu_pd(wide + 4), w2 = _mm256_loadu_pd(wide + 8);
        __m256d v = _mm256_broadcast_sd(narrow);
        s00 = _mm256_fmadd_pd(w0, v, s00);
        s01 = _mm256_fmadd_pd(w1, v, s01);
        s02 = _mm256_fmadd_pd(w2, v, s02);
        v = _mm256_broadcast_sd(narrow + 1);
        s10 = _mm256_fmadd_pd(w0, v, s10);
        s11 = _mm256_fmadd_pd(w1, v, s11);
        s12 = _mm256_fmadd_pd(w2, v, s12);
        v = _mm256_broadcast_sd(narrow + 2);
        s20 = _mm256_fmadd_pd(w0, v, s20);
        s21 = _mm256_fmadd_pd(w1, v, s21);
        s22 = _mm256_fmadd_pd(w2, v, s22);
        v = _mm256_broadcast_sd(narrow + 3);
        s30 = _mm256_fmadd_pd(w0, v, s30);
        s31 = _mm256_fmadd_pd(w1, v, s31);
        s32 = _mm256_fmadd_pd(w2, v, s32);
    }
    const __m256d sums[tileCols][3] = {{s00, s01, s02}, {s10, s11, s12}, {s20, s21, s22}, {s30, s31, s32}};
    for (Index j = 0; j < tileCols; ++j)
        for (Index i = 0; i < 3; ++i)
            _mm256_storeu_pd(C + j * ld + 4 * i, _mm256_add_pd(_mm256_loadu_pd(C + j * ld + 4 * i), sums[j][i]));
}
#endif

Tile tileFor(Isa isa)
{
#if defined(__x86_64__)
    if (isa >= Isa::Avx2)
        return tileAvx2;
#endif
    (void)isa;
    return tileBaseline;
}

/// Columns [j0, j0 + width) of the rows, widened, times the weights if there are any; zeros beyond d.
template <class T>
void pack(const std::function<const T *(Index)> &row, Index begin, Index count, const double *weights, Index j0,
          Index width, Index d, double *out)
{
    const Index have = std::clamp<Index>(d - j0, 0, width);
    for (Index r = 0; r < count; ++r, out += width) {
        const T *v = row(begin + r) + j0;
        const double c = weights ? weights[begin + r] : 1;
        for (Index j = 0; j < have; ++j)
            out[j] = c * static_cast<double>(v[j]);
        std::fill(out + have, out + width, 0.0);
    }
}

} // namespace

template <class T>
bool RankUpdate::operator()(const std::function<const T *(Index)> &row, Index rows, std::span<const double> c, Index d,
                            double *C, Index ld) const
{
    const Tile tile = tileFor(isa);
    const auto widePanels = static_cast<int>((d + tileRows - 1) / tileRows);
    const auto narrowPanels = static_cast<int>((d + tileCols - 1) / tileCols);
    // Several packed blocks per round, so that starting the threads costs nothing beside the work.
    const Index blocks = std::clamp<Index>((Index(1) << 22) / (depth * d), 1, 16);
    PageBuffer wideBuffer(static_cast<std::size_t>(blocks * depth * widePanels * tileRows) * sizeof(double));
    PageBuffer narrowBuffer(static_cast<std::size_t>(blocks * depth * narrowPanels * tileCols) * sizeof(double));
    auto *wide = static_cast<double *>(wideBuffer.data());
    auto *narrow = static_cast<double *>(narrowBuffer.data());

    for (Index begin = 0; begin < rows; begin += blocks * depth) {
        const Index taken = std::min(blocks * depth, rows - begin);
        const auto rounds = static_cast<int>((taken + depth - 1) / depth);
        const auto sizeOf = [&](int block) { return std::min(depth, taken - block * depth); };
        const auto wideAt = [&](int block, Index panel) {
            return wide + (block * widePanels + panel) * depth * tileRows;
        };
        const auto narrowAt = [&](int block, Index panel) {
            return narrow + (block * narrowPanels + panel) * depth * tileCols;
        };

        // A task packs the narrow panels that its wide one covers, too.
        parallelChunks(threads, rounds * widePanels, [&](int task, int) {
            const int block = task / widePanels;
            const Index panel = task % widePanels;
            const Index first = begin + block * depth;
            pack<T>(row, first, sizeOf(block), nullptr, panel * tileRows, tileRows, d, wideAt(block, panel));
            for (Index p = 3 * panel; p < std::min<Index>(3 * panel + 3, narrowPanels); ++p)
                pack<T>(row, first, sizeOf(block), c.data(), p * tileCols, tileCols, d, narrowAt(block, p));
        });
        // Long columns of tiles first: the panels at the bottom have the most.
        parallelChunks(threads, widePanels, [&](int task, int) {
            const Index panel = widePanels - 1 - task;
            const Index i0 = panel * tileRows;
            const Index lastNarrow = std::min<Index>(3 * panel + 2, narrowPanels - 1);
            double edge[tileRows * tileCols];
            for (int block = 0; block < rounds && !stop.stop_requested(); ++block) {
                for (Index p = 0; p <= lastNarrow; ++p) {
                    const Index j0 = p * tileCols;
                    if (i0 + tileRows <= d && j0 + tileCols <= d) {
                        tile(wideAt(block, panel), narrowAt(block, p), sizeOf(block), C + j0 * ld + i0, ld);
                        continue;
                    }
                    std::fill(std::begin(edge), std::end(edge), 0.0);
                    tile(wideAt(block, panel), narrowAt(block, p), sizeOf(block), edge, tileRows);
                    for (Index j = 0; j < std::min(tileCols, d - j0); ++j)
                        for (Index i = 0; i < std::min(tileRows, d - i0); ++i)
                            C[(j0 + j) * ld + i0 + i] += edge[j * tileRows + i];
                }
            }
        });
        if (stop.stop_requested())
            return false;
        if (report)
            report(static_cast<double>(begin + taken) / static_cast<double>(rows));
    }
    return true;
}

template bool RankUpdate::operator()<float>(const std::function<const float *(Index)> &, Index, std::span<const double>,
                                            Index, double *, Index) const;
template bool RankUpdate::operator()<double>(const std::function<const double *(Index)> &, Index,
                                             std::span<const double>, Index, double *, Index) const;

} // namespace appa
