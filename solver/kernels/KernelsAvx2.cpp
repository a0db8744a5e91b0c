#include "kernels/KernelTables.h"

#if defined(__x86_64__)

#include <immintrin.h>

#include <algorithm>
#include <iterator>
#include <type_traits>

// Every function here is compiled for AVX2 and FMA whatever the flags of the build are.
#define APPA_AVX2 __attribute__((target("avx2,fma")))
#define APPA_AVX2_INLINE __attribute__((target("avx2,fma"), always_inline)) inline
#define APPA_AVX2_LAMBDA __attribute__((target("avx2,fma"), always_inline))

namespace appa {

namespace {

APPA_AVX2_INLINE __m256d load4(const float *a)
{
    return _mm256_cvtps_pd(_mm_loadu_ps(a));
}
APPA_AVX2_INLINE __m256d load4(const double *a)
{
    return _mm256_loadu_pd(a);
}

/// The lanes below `count` of 4, zeros above; reads no further than `count`.
APPA_AVX2_INLINE __m256i maskOf(Index count)
{
    return _mm256_cmpgt_epi64(_mm256_set1_epi64x(count), _mm256_setr_epi64x(0, 1, 2, 3));
}
APPA_AVX2_INLINE __m256d loadTail(const double *a, Index count)
{
    return _mm256_maskload_pd(a, maskOf(count));
}
APPA_AVX2_INLINE __m256d loadTail(const float *a, Index count)
{
    const __m128i mask = _mm_cmpgt_epi32(_mm_set1_epi32(static_cast<int>(count)), _mm_setr_epi32(0, 1, 2, 3));
    return _mm256_cvtps_pd(_mm_maskload_ps(a, mask));
}

APPA_AVX2_INLINE double sum(__m256d v)
{
    const __m128d s = _mm_add_pd(_mm256_castpd256_pd128(v), _mm256_extractf128_pd(v, 1));
    return _mm_cvtsd_f64(_mm_add_sd(s, _mm_unpackhi_pd(s, s)));
}

/// The sums of four vectors at once.
APPA_AVX2_INLINE __m256d sums(__m256d v0, __m256d v1, __m256d v2, __m256d v3)
{
    const __m256d h01 = _mm256_hadd_pd(v0, v1);
    const __m256d h23 = _mm256_hadd_pd(v2, v3);
    return _mm256_add_pd(_mm256_permute2f128_pd(h01, h23, 0x20), _mm256_permute2f128_pd(h01, h23, 0x31));
}

/// Calls work(j) for sixteen columns after the other, as far as they go, and before each of them ask(), as often as
/// there are lines in a row; returns where it ended. (`next` is a copy: behind a pointer every store to x might have
/// changed it.)
template <class T, Index count, class Work>
APPA_AVX2_INLINE Index sweepByPieces(Ahead<T, count> next, Index d, const Work &work)
{
    constexpr Index line = Ahead<T, count>::line;
    Index begin = 0; // of what is asked for, in columns
    const auto ask = [&](Index offset) APPA_AVX2_LAMBDA {
        if (offset == next.turn) {
            std::copy(std::begin(next.following), std::end(next.following), next.far[0]);
            begin = offset;
        }
        for (Index r = 0; r < count; ++r)
            _mm_prefetch(next.far[0][r] + (offset - begin), _MM_HINT_T1);
    };
    Index j = 0;
    for (; j + 16 <= d; j += 16) {
        for (Index k = 0; k < 16; k += line)
            ask(j + k);
        work(j);
    }
    for (Index l = j / line; l < next.lines; ++l)
        ask(l * line);
    return j;
}

/// The same with the rows in `parts` parts, asked for in turn.
template <Index parts, bool inTwoSteps, class T, Index count, class Work>
APPA_AVX2_INLINE Index sweepInParts(const Ahead<T, count> &next, Index d, const Work &work)
{
    constexpr Index line = Ahead<T, count>::line, asks = 16 / line;
    constexpr auto cache = inTwoSteps ? _MM_HINT_T1 : _MM_HINT_T0;
    const auto ask = [&](Index part, Index begin, Index offset) APPA_AVX2_LAMBDA {
        for (Index r = 0; r < count; ++r) {
            _mm_prefetch(next.far[part][r] + begin, cache);
            if constexpr (inTwoSteps)
                _mm_prefetch(next.following[r] + offset, _MM_HINT_T0);
        }
    };
    Index j = 0, begin = 0;
    // As many lines as there are parts, unrolled: whose turn it is costs nothing.
    for (; j + 16 * parts <= d; begin += 16)
#pragma GCC unroll 10
        for (Index p = 0; p < parts; ++p, j += 16) {
            for (Index k = 0; k < asks; ++k)
                ask((p * asks + k) % parts, begin + (p * asks + k) / parts * line, j + k * line);
            work(j);
        }
    Index l = j / line;
    const auto askOn = [&]() APPA_AVX2_LAMBDA {
        ask(l % parts, l / parts * line, l * line);
        ++l;
    };
    for (; j + 16 <= d; j += 16) {
        for (Index k = 0; k < asks; ++k)
            askOn();
        work(j);
    }
    while (l < next.lines)
        askOn();
    return j;
}

template <class T, Index count, class Work>
APPA_AVX2_INLINE Index sweepAsking(const Ahead<T, count> &next, Index d, const Work &work)
{
    using Ahead = Ahead<T, count>;
    if (next.asking == Asking::ByPieces)
        return sweepByPieces(next, d, work);
    if (next.asking == Asking::InTwoSteps)
        return sweepInParts<Ahead::partsInTwoSteps, true>(next, d, work);
    return next.parts == Ahead::partsOfShort ? sweepInParts<Ahead::partsOfShort, false>(next, d, work)
                                             : sweepInParts<Ahead::partsOfLong, false>(next, d, work);
}

/// a.x; with `ahead`, a line of `next` is asked for while a line of `a` is used.
template <class T, bool ahead>
APPA_AVX2_INLINE double dotOf(const T *a, const Ahead<T, 1> *next, const double *x, Index d)
{
    (void)next;
    __m256d s0 = _mm256_setzero_pd(), s1 = s0, s2 = s0, s3 = s0;
    const auto four = [&](Index j, __m256d &sum)
                          APPA_AVX2_LAMBDA { sum = _mm256_fmadd_pd(load4(a + j), _mm256_loadu_pd(x + j), sum); };
    const auto sixteen = [&](Index j) APPA_AVX2_LAMBDA {
        four(j, s0);
        four(j + 4, s1);
        four(j + 8, s2);
        four(j + 12, s3);
    };
    Index j = 0;
    if constexpr (ahead)
        j = sweepAsking(*next, d, sixteen);
    for (; j + 16 <= d; j += 16)
        sixteen(j);
    for (; j + 4 <= d; j += 4)
        four(j, s0);
    if (j < d)
        s1 = _mm256_fmadd_pd(loadTail(a + j, d - j), loadTail(x + j, d - j), s1);
    return sum(_mm256_add_pd(_mm256_add_pd(s0, s1), _mm256_add_pd(s2, s3)));
}

template <class T> APPA_AVX2 double dot(const T *a, const double *x, Index d)
{
    return dotOf<T, false>(a, nullptr, x, d);
}

template <class T> APPA_AVX2 double dotAhead(const T *a, const Ahead<T, 1> &next, const double *x, Index d)
{
    return dotOf<T, true>(a, &next, x, d);
}

template <class T> APPA_AVX2 void axpy(double alpha, const T *a, double *x, Index d)
{
    const __m256d c = _mm256_set1_pd(alpha);
    Index j = 0;
    for (; j + 8 <= d; j += 8) {
        _mm256_storeu_pd(x + j, _mm256_fmadd_pd(c, load4(a + j), _mm256_loadu_pd(x + j)));
        _mm256_storeu_pd(x + j + 4, _mm256_fmadd_pd(c, load4(a + j + 4), _mm256_loadu_pd(x + j + 4)));
    }
    for (; j + 4 <= d; j += 4)
        _mm256_storeu_pd(x + j, _mm256_fmadd_pd(c, load4(a + j), _mm256_loadu_pd(x + j)));
    if (j < d)
        _mm256_maskstore_pd(x + j, maskOf(d - j), _mm256_fmadd_pd(c, loadTail(a + j, d - j), loadTail(x + j, d - j)));
}

/// dot2, or with a writable x: x += alpha_0 previous_0 + alpha_1 previous_1 on the way. Each sum has two accumulators,
/// so that no addition waits for the one before it.
template <class T, class X, bool ahead>
APPA_AVX2_INLINE Two<double> pairSweep(Two<double> alpha, Two<const T *> previous, Two<const T *> rows,
                                       const Ahead<T, 2> *next, X *x, Index d, double *gram)
{
    constexpr bool update = !std::is_const_v<X>;
    (void)alpha, (void)previous, (void)next;
    const __m256d c0 = _mm256_set1_pd(alpha.first), c1 = _mm256_set1_pd(alpha.second);
    struct Sums
    {
        __m256d m0, m1, gram;
    };
    const __m256d zero = _mm256_setzero_pd();
    Sums even = {zero, zero, zero}, odd = even;
    const auto add = [&](Sums &s, __m256d v0, __m256d v1, __m256d xj) APPA_AVX2_LAMBDA {
        s.m0 = _mm256_fmadd_pd(v0, xj, s.m0);
        s.m1 = _mm256_fmadd_pd(v1, xj, s.m1);
        s.gram = _mm256_fmadd_pd(v0, v1, s.gram);
    };
    const auto columns = [&](Sums &s, Index k) APPA_AVX2_LAMBDA {
        __m256d xj = _mm256_loadu_pd(x + k);
        if constexpr (update) {
            xj = _mm256_fmadd_pd(load4(previous.first + k), c0, xj);
            xj = _mm256_fmadd_pd(load4(previous.second + k), c1, xj);
            _mm256_storeu_pd(x + k, xj);
        }
        add(s, load4(rows.first + k), load4(rows.second + k), xj);
    };
    const auto eight = [&](Index k) APPA_AVX2_LAMBDA {
        columns(even, k);
        columns(odd, k + 4);
    };
    Index j = 0;
    if constexpr (ahead)
        j = sweepAsking(*next, d, [&](Index k) APPA_AVX2_LAMBDA {
            eight(k);
            eight(k + 8);
        });
    for (; j + 8 <= d; j += 8)
        eight(j);
    if (j + 4 <= d) {
        columns(even, j);
        j += 4;
    }
    if (const Index r = d - j; r > 0) {
        __m256d xj = loadTail(x + j, r);
        if constexpr (update) {
            xj = _mm256_fmadd_pd(loadTail(previous.first + j, r), c0, xj);
            xj = _mm256_fmadd_pd(loadTail(previous.second + j, r), c1, xj);
            _mm256_maskstore_pd(x + j, maskOf(r), xj);
        }
        add(odd, loadTail(rows.first + j, r), loadTail(rows.second + j, r), xj);
    }
    *gram = sum(_mm256_add_pd(even.gram, odd.gram));
    return {sum(_mm256_add_pd(even.m0, odd.m0)), sum(_mm256_add_pd(even.m1, odd.m1))};
}

template <class T>
APPA_AVX2 Two<double> dot2(Two<const T *> rows, const Ahead<T, 2> *next, const double *x, Index d, double *gram)
{
    return next ? pairSweep<T, const double, true>({}, {}, rows, next, x, d, gram)
                : pairSweep<T, const double, false>({}, {}, rows, next, x, d, gram);
}

template <class T>
APPA_AVX2 Two<double> axpyDot2(Two<double> alpha, Two<const T *> previous, Two<const T *> rows, const Ahead<T, 2> *next,
                               double *x, Index d, double *gram)
{
    return next ? pairSweep<T, double, true>(alpha, previous, rows, next, x, d, gram)
                : pairSweep<T, double, false>(alpha, previous, rows, next, x, d, gram);
}

template <class T> APPA_AVX2 void margin4(const T *const rows[4], Index ahead, const double *x, Index d, double dots[4])
{
    // Not so far that it is pushed out again before its turn.
    ahead = std::min(ahead, Index(1) << 14);
    const T *a0 = rows[0], *a1 = rows[1], *a2 = rows[2], *a3 = rows[3];
    __m256d m0 = _mm256_setzero_pd(), m1 = m0, m2 = m0, m3 = m0, n0 = m0, n1 = m0, n2 = m0, n3 = m0;
    Index j = 0;
    for (; j + 8 <= d; j += 8) {
        if (ahead != 0 && (sizeof(T) == 8 || j % 16 == 0)) {
            _mm_prefetch(a0 + j + ahead, _MM_HINT_T1);
            _mm_prefetch(a1 + j + ahead, _MM_HINT_T1);
            _mm_prefetch(a2 + j + ahead, _MM_HINT_T1);
            _mm_prefetch(a3 + j + ahead, _MM_HINT_T1);
        }
        const __m256d x0 = _mm256_loadu_pd(x + j), x1 = _mm256_loadu_pd(x + j + 4);
        m0 = _mm256_fmadd_pd(load4(a0 + j), x0, m0);
        m1 = _mm256_fmadd_pd(load4(a1 + j), x0, m1);
        m2 = _mm256_fmadd_pd(load4(a2 + j), x0, m2);
        m3 = _mm256_fmadd_pd(load4(a3 + j), x0, m3);
        n0 = _mm256_fmadd_pd(load4(a0 + j + 4), x1, n0);
        n1 = _mm256_fmadd_pd(load4(a1 + j + 4), x1, n1);
        n2 = _mm256_fmadd_pd(load4(a2 + j + 4), x1, n2);
        n3 = _mm256_fmadd_pd(load4(a3 + j + 4), x1, n3);
    }
    for (; j < d; j += 4) {
        const Index r = d - j;
        const __m256d xj = r >= 4 ? _mm256_loadu_pd(x + j) : loadTail(x + j, r);
        m0 = _mm256_fmadd_pd(r >= 4 ? load4(a0 + j) : loadTail(a0 + j, r), xj, m0);
        m1 = _mm256_fmadd_pd(r >= 4 ? load4(a1 + j) : loadTail(a1 + j, r), xj, m1);
        m2 = _mm256_fmadd_pd(r >= 4 ? load4(a2 + j) : loadTail(a2 + j, r), xj, m2);
        m3 = _mm256_fmadd_pd(r >= 4 ? load4(a3 + j) : loadTail(a3 + j, r), xj, m3);
    }
    _mm256_storeu_pd(dots,
                     sums(_mm256_add_pd(m0, n0), _mm256_add_pd(m1, n1), _mm256_add_pd(m2, n2), _mm256_add_pd(m3, n3)));
}

template <class T> APPA_AVX2 void axpy4(const double alpha[4], const T *const rows[4], double *x, Index d)
{
    const T *a0 = rows[0], *a1 = rows[1], *a2 = rows[2], *a3 = rows[3];
    const __m256d c0 = _mm256_set1_pd(alpha[0]), c1 = _mm256_set1_pd(alpha[1]);
    const __m256d c2 = _mm256_set1_pd(alpha[2]), c3 = _mm256_set1_pd(alpha[3]);
    const auto updated = [&](__m256d xj, __m256d v0, __m256d v1, __m256d v2, __m256d v3) APPA_AVX2_LAMBDA {
        return _mm256_fmadd_pd(v3, c3, _mm256_fmadd_pd(v2, c2, _mm256_fmadd_pd(v1, c1, _mm256_fmadd_pd(v0, c0, xj))));
    };
    Index j = 0;
    for (; j + 8 <= d; j += 8) {
        const __m256d u0 = updated(_mm256_loadu_pd(x + j), load4(a0 + j), load4(a1 + j), load4(a2 + j), load4(a3 + j));
        const __m256d u1 = updated(_mm256_loadu_pd(x + j + 4), load4(a0 + j + 4), load4(a1 + j + 4), load4(a2 + j + 4),
                                   load4(a3 + j + 4));
        _mm256_storeu_pd(x + j, u0);
        _mm256_storeu_pd(x + j + 4, u1);
    }
    for (; j + 4 <= d; j += 4)
        _mm256_storeu_pd(x + j,
                         updated(_mm256_loadu_pd(x + j), load4(a0 + j), load4(a1 + j), load4(a2 + j), load4(a3 + j)));
    if (const Index r = d - j; r > 0)
        _mm256_maskstore_pd(x + j, maskOf(r),
                            updated(loadTail(x + j, r), loadTail(a0 + j, r), loadTail(a1 + j, r), loadTail(a2 + j, r),
                                    loadTail(a3 + j, r)));
}

template <class T>
APPA_AVX2 void affineStep(double c, double alpha, const T *a, double beta, const double *g, double *x, Index d)
{
    const __m256d vc = _mm256_set1_pd(c), va = _mm256_set1_pd(alpha), vb = _mm256_set1_pd(beta);
    Index j = 0;
    for (; j + 4 <= d; j += 4) {
        const __m256d step = _mm256_fmadd_pd(va, load4(a + j), _mm256_mul_pd(vb, _mm256_loadu_pd(g + j)));
        _mm256_storeu_pd(x + j, _mm256_fmadd_pd(vc, _mm256_loadu_pd(x + j), step));
    }
    if (const Index r = d - j; r > 0) {
        const __m256d step = _mm256_fmadd_pd(va, loadTail(a + j, r), _mm256_mul_pd(vb, loadTail(g + j, r)));
        _mm256_maskstore_pd(x + j, maskOf(r), _mm256_fmadd_pd(vc, loadTail(x + j, r), step));
    }
}

template <class T>
constexpr DenseKernels<T> table = {dot<T>,      dotAhead<T>, axpy<T>,  dot2<T>,
                                   axpyDot2<T>, margin4<T>,  axpy4<T>, affineStep<T>};

} // namespace

template <> const DenseKernels<float> &avx2Kernels<float>()
{
    return table<float>;
}

template <> const DenseKernels<double> &avx2Kernels<double>()
{
    return table<double>;
}

} // namespace appa

#endif
