#include "kernels/KernelTables.h"

#if defined(__x86_64__)

#include <immintrin.h>

#include <algorithm>
#include <iterator>
#include <type_traits>

// Every function here is compiled for AVX2 and FMA whatever the flags of the build are.
#define APPA_WIDE_TARGET "avx2,fma"
#define APPA_WIDE_INLINE __attribute__((target(APPA_WIDE_TARGET), always_inline)) inline

namespace appa {

namespace {

struct Eight
{
    __m256d low, high;
};

APPA_WIDE_INLINE Eight eightOf(double value)
{
    return {_mm256_set1_pd(value), _mm256_set1_pd(value)};
}
APPA_WIDE_INLINE Eight eightZeros()
{
    return {_mm256_setzero_pd(), _mm256_setzero_pd()};
}
APPA_WIDE_INLINE Eight load8(const float *a)
{
    return {_mm256_cvtps_pd(_mm_loadu_ps(a)), _mm256_cvtps_pd(_mm_loadu_ps(a + 4))};
}
APPA_WIDE_INLINE Eight load8(const double *a)
{
    return {_mm256_loadu_pd(a), _mm256_loadu_pd(a + 4)};
}
APPA_WIDE_INLINE void store8(double *a, Eight v)
{
    _mm256_storeu_pd(a, v.low);
    _mm256_storeu_pd(a + 4, v.high);
}
APPA_WIDE_INLINE Eight multiply(Eight a, Eight b)
{
    return {_mm256_mul_pd(a.low, b.low), _mm256_mul_pd(a.high, b.high)};
}
/// a b + c
APPA_WIDE_INLINE Eight multiplyAdd(Eight a, Eight b, Eight c)
{
    return {_mm256_fmadd_pd(a.low, b.low, c.low), _mm256_fmadd_pd(a.high, b.high, c.high)};
}
APPA_WIDE_INLINE __m256d low(Eight v)
{
    return v.low;
}
APPA_WIDE_INLINE __m256d high(Eight v)
{
    return v.high;
}

#include "kernels/WideKernels.inc"

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
