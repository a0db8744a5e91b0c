#include "kernels/KernelTables.h"

#include <cstdlib>

namespace appa {

namespace {

// Plain C++: what any x86-64 runs. Independent partial sums let the compiler use SSE2 and hide the additions' latency.

template <class T> double dot(const T *a, const double *x, Index d)
{
    double s[4] = {};
    Index j = 0;
    for (; j + 4 <= d; j += 4)
        for (int k = 0; k < 4; ++k)
            s[k] += static_cast<double>(a[j + k]) * x[j + k];
    for (; j < d; ++j)
        s[0] += static_cast<double>(a[j]) * x[j];
    return (s[0] + s[1]) + (s[2] + s[3]);
}

/// One prefetch per cache line of a row.
template <class T> __attribute__((always_inline)) inline void prefetchBytes(const T *a, Index d)
{
    const char *p = reinterpret_cast<const char *>(a);
    const Index bytes = d * static_cast<Index>(sizeof(T));
    for (Index b = 0; b < bytes; b += 64)
        __builtin_prefetch(p + b, 0, 2);
}

template <class T> double dotAhead(const T *a, const T *next, const double *x, Index d)
{
    prefetchBytes(next, d);
    return dot(a, x, d);
}

template <class T> void axpy(double alpha, const T *a, double *x, Index d)
{
    for (Index j = 0; j < d; ++j)
        x[j] += alpha * static_cast<double>(a[j]);
}

template <class T, bool withGram>
void dots4(const T *const rows[4], const double *x, Index d, double dots[4], double *gram)
{
    const T *a0 = rows[0], *a1 = rows[1], *a2 = rows[2], *a3 = rows[3];
    double m[4] = {};
    double g[6] = {};
    for (Index j = 0; j < d; ++j) {
        const auto v0 = static_cast<double>(a0[j]);
        const auto v1 = static_cast<double>(a1[j]);
        const auto v2 = static_cast<double>(a2[j]);
        const auto v3 = static_cast<double>(a3[j]);
        m[0] += v0 * x[j];
        m[1] += v1 * x[j];
        m[2] += v2 * x[j];
        m[3] += v3 * x[j];
        if constexpr (withGram) {
            g[0] += v0 * v1;
            g[1] += v0 * v2;
            g[2] += v0 * v3;
            g[3] += v1 * v2;
            g[4] += v1 * v3;
            g[5] += v2 * v3;
        }
    }
    for (int k = 0; k < 4; ++k)
        dots[k] = m[k];
    if constexpr (withGram)
        for (int k = 0; k < 6; ++k)
            gram[k] = g[k];
}

template <class T>
void dot4(const T *const rows[4], const Ahead<T> *next, const double *x, Index d, double dots[4], double gram[6])
{
    if (next) {
        for (const T *row : next->rows)
            prefetchBytes(row, d);
        for (const void *scalar : next->scalars)
            if (scalar)
                __builtin_prefetch(scalar);
    }
    dots4<T, true>(rows, x, d, dots, gram);
}

template <class T> void margin4(const T *const rows[4], Index /*ahead*/, const double *x, Index d, double dots[4])
{
    dots4<T, false>(rows, x, d, dots, nullptr);
}

template <class T> void axpy4(const double alpha[4], const T *const rows[4], double *x, Index d)
{
    const T *a0 = rows[0], *a1 = rows[1], *a2 = rows[2], *a3 = rows[3];
    const double c0 = alpha[0], c1 = alpha[1], c2 = alpha[2], c3 = alpha[3];
    for (Index j = 0; j < d; ++j)
        x[j] = (((x[j] + c0 * static_cast<double>(a0[j])) + c1 * static_cast<double>(a1[j]))
                + c2 * static_cast<double>(a2[j]))
            + c3 * static_cast<double>(a3[j]);
}

template <class T>
void axpyDot4(const double alpha[4], const T *const previous[4], const T *const rows[4], const Ahead<T> *next,
              double *x, Index d, double dots[4], double gram[6])
{
    axpy4(alpha, previous, x, d);
    dot4(rows, next, x, d, dots, gram);
}

template <class T> void affineStep(double c, double alpha, const T *a, double beta, const double *g, double *x, Index d)
{
    for (Index j = 0; j < d; ++j)
        x[j] = c * x[j] + (alpha * static_cast<double>(a[j]) + beta * g[j]);
}

template <class T>
constexpr DenseKernels<T> baseline = {dot<T>,      dotAhead<T>, axpy<T>,  dot4<T>,
                                      axpyDot4<T>, margin4<T>,  axpy4<T>, affineStep<T>};

} // namespace

Isa detectedIsa()
{
    static const Isa isa = [] {
        const char *wish = std::getenv("APPA_ISA");
        if (wish && std::string_view(wish) == "baseline")
            return Isa::Baseline;
#if defined(__x86_64__)
        if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
            return Isa::Avx2;
#endif
        return Isa::Baseline;
    }();
    return isa;
}

std::string_view nameOf(Isa isa)
{
    return isa == Isa::Avx2 ? "AVX2 + FMA" : "baseline";
}

template <class T> const DenseKernels<T> &denseKernels(Isa isa)
{
#if defined(__x86_64__)
    if (isa == Isa::Avx2)
        return avx2Kernels<T>();
#endif
    (void)isa;
    return baseline<T>;
}

template <class T> const DenseKernels<T> &denseKernels()
{
    return denseKernels<T>(detectedIsa());
}

template const DenseKernels<float> &denseKernels<float>(Isa);
template const DenseKernels<double> &denseKernels<double>(Isa);
template const DenseKernels<float> &denseKernels<float>();
template const DenseKernels<double> &denseKernels<double>();

} // namespace appa
