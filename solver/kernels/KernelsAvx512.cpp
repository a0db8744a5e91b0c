#include "kernels/KernelTables.h"

#if defined(__x86_64__)

#include <immintrin.h>

#include <algorithm>
#include <iterator>
#include <type_traits>

// Every function here is compiled for AVX-512 whatever the flags of the build are.
#define APPA_WIDE_TARGET "avx512f,avx2,fma"
#define APPA_WIDE_INLINE __attribute__((target(APPA_WIDE_TARGET), always_inline)) inline

namespace appa {

namespace {

using Eight = __m512d;

APPA_WIDE_INLINE Eight eightOf(double value)
{
    return _mm512_set1_pd(value);
}
APPA_WIDE_INLINE Eight eightZeros()
{
    return _mm512_setzero_pd();
}
APPA_WIDE_INLINE Eight load8(const float *a)
{
    return _mm512_cvtps_pd(_mm256_loadu_ps(a));
}
APPA_WIDE_INLINE Eight load8(const double *a)
{
    return _mm512_loadu_pd(a);
}
APPA_WIDE_INLINE void store8(double *a, Eight v)
{
    _mm512_storeu_pd(a, v);
}
APPA_WIDE_INLINE Eight multiply(Eight a, Eight b)
{
    return _mm512_mul_pd(a, b);
}
/// a b + c
APPA_WIDE_INLINE Eight multiplyAdd(Eight a, Eight b, Eight c)
{
    return _mm512_fmadd_pd(a, b, c);
}
// (GCC 12 warns of its own _mm512_castpd512_pd256 and _mm512_extractf64x4_pd.)
APPA_WIDE_INLINE __m256d low(Eight v)
{
    return __builtin_shufflevector(v, v, 0, 1, 2, 3);
}
APPA_WIDE_INLINE __m256d high(Eight v)
{
    return __builtin_shufflevector(v, v, 4, 5, 6, 7);
}

#include "kernels/WideKernels.inc"

} // namespace

template <> const DenseKernels<float> &avx512Kernels<float>()
{
    return table<float>;
}

template <> const DenseKernels<double> &avx512Kernels<double>()
{
    return table<double>;
}

} // namespace appa

#endif
