#include "data/FourierFeatures.h"

#include "data/Random.h"
#include "kernels/Kernels.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <numbers>
#include <type_traits>

#if defined(__x86_64__)
#include <immintrin.h>
#define APPA_AVX2 __attribute__((target("avx2,fma")))
#endif

namespace appa {

namespace {

constexpr Index width = 16;

// Adding and subtracting this rounds a double below 2^51 to a whole number whose parity is the sum's lowest bit.
constexpr double rounder = 0x1.8p52;
constexpr double invPi = 1 / std::numbers::pi;
// pi in two parts: k * piHigh is exact for |k| < 2^20.
constexpr double piHigh = 0x1.921fb544p+1;
constexpr double piLow = 0x1.0b4611a626331p-33;

// sin(r) = r + r^3 (s3 + r^2 (s5 + ...)): Taylor to r^13, off by 7e-10 at pi/2, far below half an ulp of float.
constexpr float s3 = -1.0f / 6, s5 = 1.0f / 120, s7 = -1.0f / 5040, s9 = 1.0f / 362880, s11 = -1.0f / 39916800,
                s13 = 1.0f / 6227020800.0f;

/// cos(t) = sin(t + pi/2) = (-1)^k sin(r) with r = t + pi/2 - k pi in [-pi/2, pi/2]: relatively accurate at the zeros
/// too.
inline float cosine(double t)
{
    // t/pi + 1/2 rounded; t + pi/2 - k pi = t - (k - 1/2) pi, and k - 1/2 is exact.
    const double shifted = (t * invPi + 0.5) + rounder;
    const double h = (shifted - rounder) - 0.5;
    const double r = (t - h * piHigh) - h * piLow;
    const auto x = static_cast<float>(r);
    const float q = x * x;
    const float p = s3 + q * (s5 + q * (s7 + q * (s9 + q * (s11 + q * s13))));
    const float s = x + x * q * p;
    const auto odd = static_cast<std::uint32_t>(std::bit_cast<std::uint64_t>(shifted) & 1) << 31;
    return std::bit_cast<float>(std::bit_cast<std::uint32_t>(s) ^ odd);
}

template <class T> void finishPanel(const T *sums, const double *phases, double scale, T *out, Index count)
{
    for (Index j = 0; j < count; ++j) {
        const double t = static_cast<double>(sums[j]) + phases[j];
        if constexpr (std::is_same_v<T, float>)
            out[j] = static_cast<float>(scale) * cosine(t);
        else
            out[j] = scale * std::cos(t);
    }
}

/// sums = W_panel x for one dense row.
template <class T> void panelSums(const T *x, const float *panel, Index inputs, T *sums)
{
    T acc[width] = {};
    for (Index k = 0; k < inputs; ++k) {
        const float *w = panel + k * width;
        for (Index j = 0; j < width; ++j)
            acc[j] += x[k] * static_cast<T>(w[j]);
    }
    std::copy(acc, acc + width, sums);
}

template <class T, class Entry> void panelSums(std::span<const Entry> row, const float *panel, T *sums)
{
    T acc[width] = {};
    for (const Entry &e : row) {
        const float *w = panel + static_cast<Index>(e.column) * width;
        for (Index j = 0; j < width; ++j)
            acc[j] += e.value * static_cast<T>(w[j]);
    }
    std::copy(acc, acc + width, sums);
}

/// Two dense float rows at once on 128-bit vectors, which every x86-64 and ARMv8 has.
using Four = float __attribute__((vector_size(16), aligned(4)));

void panelSums2(const float *const rows[2], const float *panel, Index inputs, float sums[2][width])
{
    using Acc = float __attribute__((vector_size(16)));
    Acc a0{}, a1{}, a2{}, a3{}, b0{}, b1{}, b2{}, b3{};
    for (Index k = 0; k < inputs; ++k) {
        const auto *w = reinterpret_cast<const Four *>(panel + k * width);
        const Acc w0 = w[0], w1 = w[1], w2 = w[2], w3 = w[3];
        const float x = rows[0][k], y = rows[1][k];
        a0 += x * w0;
        a1 += x * w1;
        a2 += x * w2;
        a3 += x * w3;
        b0 += y * w0;
        b1 += y * w1;
        b2 += y * w2;
        b3 += y * w3;
    }
    const Acc all[2][4] = {{a0, a1, a2, a3}, {b0, b1, b2, b3}};
    std::memcpy(sums, all, sizeof all);
}

#if defined(APPA_AVX2)

APPA_AVX2 inline __m128 cosine4(__m256d t)
{
    const __m256d magic = _mm256_set1_pd(rounder);
    const __m256d half = _mm256_set1_pd(0.5);
    const __m256d shifted = _mm256_add_pd(_mm256_fmadd_pd(t, _mm256_set1_pd(invPi), half), magic);
    const __m256d h = _mm256_sub_pd(_mm256_sub_pd(shifted, magic), half);
    __m256d r = _mm256_fnmadd_pd(h, _mm256_set1_pd(piHigh), t);
    r = _mm256_fnmadd_pd(h, _mm256_set1_pd(piLow), r);
    const __m128 x = _mm256_cvtpd_ps(r);
    const __m128 q = _mm_mul_ps(x, x);
    __m128 p = _mm_fmadd_ps(q, _mm_set1_ps(s13), _mm_set1_ps(s11));
    p = _mm_fmadd_ps(q, p, _mm_set1_ps(s9));
    p = _mm_fmadd_ps(q, p, _mm_set1_ps(s7));
    p = _mm_fmadd_ps(q, p, _mm_set1_ps(s5));
    p = _mm_fmadd_ps(q, p, _mm_set1_ps(s3));
    const __m128 s = _mm_fmadd_ps(_mm_mul_ps(x, q), p, x);
    // The parity bits of the four 64-bit lanes, moved to the sign bits of four 32-bit lanes.
    const __m256i bits = _mm256_slli_epi64(_mm256_castpd_si256(shifted), 31);
    const __m256i packed = _mm256_permutevar8x32_epi32(bits, _mm256_setr_epi32(0, 2, 4, 6, 0, 2, 4, 6));
    const __m128 sign = _mm_and_ps(_mm_castsi128_ps(_mm256_castsi256_si128(packed)), _mm_set1_ps(-0.0f));
    return _mm_xor_ps(s, sign);
}

APPA_AVX2 inline __m256 cosine8(__m256 sums, const double *phases, float scale)
{
    const __m256d low = _mm256_add_pd(_mm256_cvtps_pd(_mm256_castps256_ps128(sums)), _mm256_loadu_pd(phases));
    const __m256d high = _mm256_add_pd(_mm256_cvtps_pd(_mm256_extractf128_ps(sums, 1)), _mm256_loadu_pd(phases + 4));
    return _mm256_mul_ps(_mm256_set_m128(cosine4(high), cosine4(low)), _mm256_set1_ps(scale));
}

/// Six rows against a panel: 12 accumulators, 2 weights and a broadcast fill the 16 registers.
APPA_AVX2 void panel6(const float *const rows[6], const float *panel, Index inputs, const double *phases, float scale,
                      float out[6][width])
{
    __m256 a[6], b[6];
    for (int r = 0; r < 6; ++r)
        a[r] = b[r] = _mm256_setzero_ps();
    const float *r0 = rows[0], *r1 = rows[1], *r2 = rows[2], *r3 = rows[3], *r4 = rows[4], *r5 = rows[5];
    for (Index k = 0; k < inputs; ++k) {
        const __m256 w0 = _mm256_loadu_ps(panel + k * width), w1 = _mm256_loadu_ps(panel + k * width + 8);
        __m256 x = _mm256_broadcast_ss(r0 + k);
        a[0] = _mm256_fmadd_ps(x, w0, a[0]);
        b[0] = _mm256_fmadd_ps(x, w1, b[0]);
        x = _mm256_broadcast_ss(r1 + k);
        a[1] = _mm256_fmadd_ps(x, w0, a[1]);
        b[1] = _mm256_fmadd_ps(x, w1, b[1]);
        x = _mm256_broadcast_ss(r2 + k);
        a[2] = _mm256_fmadd_ps(x, w0, a[2]);
        b[2] = _mm256_fmadd_ps(x, w1, b[2]);
        x = _mm256_broadcast_ss(r3 + k);
        a[3] = _mm256_fmadd_ps(x, w0, a[3]);
        b[3] = _mm256_fmadd_ps(x, w1, b[3]);
        x = _mm256_broadcast_ss(r4 + k);
        a[4] = _mm256_fmadd_ps(x, w0, a[4]);
        b[4] = _mm256_fmadd_ps(x, w1, b[4]);
        x = _mm256_broadcast_ss(r5 + k);
        a[5] = _mm256_fmadd_ps(x, w0, a[5]);
        b[5] = _mm256_fmadd_ps(x, w1, b[5]);
    }
    for (int r = 0; r < 6; ++r) {
        _mm256_storeu_ps(out[r], cosine8(a[r], phases, scale));
        _mm256_storeu_ps(out[r] + 8, cosine8(b[r], phases + 8, scale));
    }
}

#endif

bool useAvx2(bool allowed)
{
#if defined(APPA_AVX2)
    return allowed && detectedIsa() >= Isa::Avx2;
#else
    return allowed && false;
#endif
}

/// What one block of rows needs.
template <class T> struct Block
{
    Index first;
    Index last;
    const float *panel;
    const double *phases;
    Index inputs;
    Index column; ///< first feature of the panel
    Index count;  ///< features of the panel that exist
    double scale;
    DenseMatrix<T> &out;
};

template <class Matrix, class T> void plainPanel(const Matrix &A, const Block<T> &b, Index first)
{
    T sums[width];
    for (Index i = first; i < b.last; ++i) {
        if constexpr (Matrix::isSparse)
            panelSums<T>(A.row(i), b.panel, sums);
        else
            panelSums<T>(A.row(i), b.panel, b.inputs, sums);
        finishPanel(sums, b.phases, b.scale, b.out.row(i) + b.column, b.count);
    }
}

void floatPanel(const DenseMatrix<float> &A, const Block<float> &b, bool avx2)
{
    const auto bytes = static_cast<std::size_t>(b.count) * sizeof(float);
#if defined(APPA_AVX2)
    if (avx2) {
        for (Index i = b.first; i < b.last; i += 6) {
            // The last rows are repeated: their results are thrown away, and every row goes through the same code.
            const float *rows[6];
            for (Index r = 0; r < 6; ++r)
                rows[r] = A.row(std::min(i + r, b.last - 1));
            float out[6][width];
            panel6(rows, b.panel, b.inputs, b.phases, static_cast<float>(b.scale), out);
            for (Index r = 0; r < std::min<Index>(6, b.last - i); ++r)
                std::memcpy(b.out.row(i + r) + b.column, out[r], bytes);
        }
        return;
    }
#else
    (void)avx2;
    (void)bytes;
#endif
    for (Index i = b.first; i < b.last; i += 2) {
        const float *rows[2] = {A.row(i), A.row(std::min(i + 1, b.last - 1))};
        float sums[2][width];
        panelSums2(rows, b.panel, b.inputs, sums);
        for (Index r = 0; r < std::min<Index>(2, b.last - i); ++r)
            finishPanel(sums[r], b.phases, b.scale, b.out.row(i + r) + b.column, b.count);
    }
}

} // namespace

float fastCosine(double t)
{
    return cosine(t);
}

double FourierFeatures::bytes(Index inputs, Index count)
{
    return 4.0 * static_cast<double>(inputs) * static_cast<double>((count + width - 1) / width * width);
}

FourierFeatures::FourierFeatures(Index inputs, Options options)
    : m_inputs(inputs), m_panels((options.count + width - 1) / width), m_options(options),
      m_weights(static_cast<std::size_t>(bytes(inputs, options.count))),
      m_phases(static_cast<std::size_t>(m_panels * width))
{
}

template <class Matrix>
bool FourierFeatures::map(const Matrix &A, DenseMatrix<typename Matrix::Scalar> &out, const ProgressRange &range) const
{
    using T = typename Matrix::Scalar;
    const Index D = m_options.count, rows = A.rows();
    const double scale = std::sqrt(2 / static_cast<double>(D));
    const bool avx2 = useAvx2(m_options.allowAvx2);
    // About 1e9 floating-point operations a block, 10 to 40 ms.
    const double perRow =
        2 * static_cast<double>(A.nonZeros()) / static_cast<double>(std::max<Index>(1, rows)) * static_cast<double>(D);
    const double speed = avx2 && std::is_same_v<Matrix, DenseMatrix<float>> ? 1e9 : 1e8;
    const Index block = 6 * std::clamp<Index>(static_cast<Index>(speed / (perRow + 1) / 6), 1, 16);
    return forEach((rows + block - 1) / block, range,
                   [&](Index k) {
                       for (Index p = 0; p < m_panels; ++p) {
                           const Block<T> b{.first = k * block,
                                            .last = std::min(rows, (k + 1) * block),
                                            .panel =
                                                static_cast<const float *>(m_weights.data()) + p * m_inputs * width,
                                            .phases = m_phases.data() + p * width,
                                            .inputs = m_inputs,
                                            .column = p * width,
                                            .count = std::min(width, D - p * width),
                                            .scale = scale,
                                            .out = out};
                           if constexpr (std::is_same_v<Matrix, DenseMatrix<float>>)
                               floatPanel(A, b, avx2);
                           else
                               plainPanel(A, b, b.first);
                       }
                   },
                   m_options.threads);
}

bool FourierFeatures::draw(const ProgressRange &range)
{
    auto *weights = static_cast<float *>(m_weights.data());
    return forEach(
        m_panels, range,
        [&](Index p) {
            for (Index j = 0; j < std::min(width, m_options.count - p * width); ++j) {
                // A stream per feature: the first D features are the same whatever D is.
                Random random(m_options.seed, static_cast<std::uint64_t>(p * width + j) + 1000);
                float *w = weights + p * m_inputs * width + j;
                for (Index k = 0; k < m_inputs; ++k)
                    w[k * width] = static_cast<float>(random.normal() / m_options.bandwidth);
                m_phases[static_cast<std::size_t>(p * width + j)] = 2 * std::numbers::pi * random.uniform();
            }
        },
        m_options.threads);
}

template bool FourierFeatures::map(const DenseMatrix<float> &, DenseMatrix<float> &, const ProgressRange &) const;
template bool FourierFeatures::map(const DenseMatrix<double> &, DenseMatrix<double> &, const ProgressRange &) const;
template bool FourierFeatures::map(const SparseMatrix<float> &, DenseMatrix<float> &, const ProgressRange &) const;
template bool FourierFeatures::map(const SparseMatrix<double> &, DenseMatrix<double> &, const ProgressRange &) const;

} // namespace appa
