#include "kernels/KernelTables.h"

#include <unistd.h>

#if defined(__x86_64__)
#include <cpuid.h>
#endif

#include <algorithm>
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

/// Calls work(j, end) for a line of columns after the other and meanwhile asks for a line of what is ahead.
template <class T, Index count, class Work>
__attribute__((always_inline)) inline void sweepLines(const Ahead<T, count> &next, Index d, const Work &work)
{
    constexpr Index line = Ahead<T, count>::line;
    for (Index l = 0; l < next.lines; ++l) {
        for (Index r = 0; r < count; ++r) {
            for (Index p = 0; p < next.pieceCount; ++p)
                __builtin_prefetch(reinterpret_cast<const T *>(next.pieces[p].at(l * line, r)));
            if (next.pieceCount == 0)
                __builtin_prefetch(next.far[l % next.parts][r] + l / next.parts * line);
        }
        work(std::min(l * line, d), std::min((l + 1) * line, d));
    }
}

template <class T> double dotAhead(const T *a, const Ahead<T, 1> &next, const double *x, Index d)
{
    double s[4] = {};
    sweepLines(next, d, [&](Index j, Index end) {
        for (; j + 4 <= end; j += 4)
            for (int k = 0; k < 4; ++k)
                s[k] += static_cast<double>(a[j + k]) * x[j + k];
        for (; j < end; ++j)
            s[0] += static_cast<double>(a[j]) * x[j];
    });
    return (s[0] + s[1]) + (s[2] + s[3]);
}

template <class T> void axpy(double alpha, const T *a, double *x, Index d)
{
    for (Index j = 0; j < d; ++j)
        x[j] += alpha * static_cast<double>(a[j]);
}

template <class T> void margin4(const T *const rows[4], Index /*ahead*/, const double *x, Index d, double dots[4])
{
    const T *a0 = rows[0], *a1 = rows[1], *a2 = rows[2], *a3 = rows[3];
    double m[4] = {};
    for (Index j = 0; j < d; ++j) {
        m[0] += static_cast<double>(a0[j]) * x[j];
        m[1] += static_cast<double>(a1[j]) * x[j];
        m[2] += static_cast<double>(a2[j]) * x[j];
        m[3] += static_cast<double>(a3[j]) * x[j];
    }
    for (int k = 0; k < 4; ++k)
        dots[k] = m[k];
}

template <class T>
Two<double> dot2(Two<const T *> rows, const Ahead<T, 2> *next, const double *x, Index d, double *product)
{
    const T *a0 = rows.first, *a1 = rows.second;
    double m0[2] = {}, m1[2] = {}, gram[2] = {};
    const auto add = [&](Index j, int k) {
        const auto v0 = static_cast<double>(a0[j]), v1 = static_cast<double>(a1[j]);
        m0[k] += v0 * x[j];
        m1[k] += v1 * x[j];
        gram[k] += v0 * v1;
    };
    const auto addAll = [&](Index j, Index end) {
        for (; j + 2 <= end; j += 2) {
            add(j, 0);
            add(j + 1, 1);
        }
        if (j < end)
            add(j, 0);
    };
    if (next)
        sweepLines(*next, d, addAll);
    else
        addAll(0, d);
    *product = gram[0] + gram[1];
    return {m0[0] + m0[1], m1[0] + m1[1]};
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
Two<double> axpyDot2(Two<double> alpha, Two<const T *> previous, Two<const T *> rows, const Ahead<T, 2> *next,
                     double *x, Index d, double *gram)
{
    axpy(alpha.first, previous.first, x, d);
    axpy(alpha.second, previous.second, x, d);
    return dot2(rows, next, x, d, gram);
}

template <class T> void affineStep(double c, double alpha, const T *a, double beta, const double *g, double *x, Index d)
{
    for (Index j = 0; j < d; ++j)
        x[j] = c * x[j] + (alpha * static_cast<double>(a[j]) + beta * g[j]);
}

template <class T>
constexpr DenseKernels<T> baseline = {dot<T>,      dotAhead<T>, axpy<T>,  dot2<T>,
                                      axpyDot2<T>, margin4<T>,  axpy4<T>, affineStep<T>};

} // namespace

Isa detectedIsa()
{
    static const Isa isa = [] {
        Isa has = Isa::Baseline, suits = has;
#if defined(__x86_64__)
        if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) {
            has = __builtin_cpu_supports("avx512f") ? Isa::Avx512 : Isa::Avx2;
            suits = thisProcessor().isZen5() ? has : Isa::Avx2;
        }
#endif
        const char *name = std::getenv("APPA_ISA");
        const std::string_view wish = name ? name : "";
        return wish == "baseline" ? Isa::Baseline
            : wish == "avx2"      ? std::min(has, Isa::Avx2)
            : wish == "avx512"    ? has
                                  : suits;
    }();
    return isa;
}

const Processor &thisProcessor()
{
    static const Processor processor = [] {
        Processor p;
#if defined(__x86_64__)
        p.intel = __builtin_cpu_is("intel");
        unsigned version = 0, b, c, d;
        if (__get_cpuid(1, &version, &b, &c, &d))
            p.family = static_cast<int>((version >> 8 & 0xF) + (version >> 20 & 0xFF));
#endif
#if defined(_SC_LEVEL2_CACHE_SIZE)
        p.secondCache = static_cast<Index>(sysconf(_SC_LEVEL2_CACHE_SIZE));
#endif
        return p;
    }();
    return processor;
}

Asking askingFor(Index rowBytes, Index count, const Processor &processor)
{
    if (processor.intel)
        return Asking::Staggered;
    if (processor.isZen5())
        return count > 1 || rowBytes > 4096 ? Asking::Repeatedly : Asking::Staggered;
    if (count > 1 && rowBytes <= 4096)
        return Asking::InTwoSteps;
    if (processor.secondCache >= 1 << 20) // AMD's Zen 4: several rows at once gain nothing
        return Asking::ByPieces;
    return count > 1 && rowBytes > 65536 ? Asking::ByPieces : Asking::Staggered;
}

std::string_view nameOf(Isa isa)
{
    switch (isa) {
    case Isa::Baseline:
        return "baseline";
    case Isa::Avx2:
        return "AVX2 + FMA";
    case Isa::Avx512:
        break;
    }
    return "AVX-512";
}

template <class T> const DenseKernels<T> &denseKernels(Isa isa)
{
#if defined(__x86_64__)
    if (isa == Isa::Avx512)
        return avx512Kernels<T>();
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
