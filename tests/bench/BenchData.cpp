#include "BenchData.h"

#include "base/Mix.h"
#include "kernels/Kernels.h"

#include <algorithm>
#include <cmath>
#include <ctime>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace appa::bench {

namespace {

#if defined(__x86_64__)
/// The floor: every byte loaded once, in order, into registers.
__attribute__((target("avx2"))) double readAvx2(const char *p, std::size_t bytes)
{
    __m256i s0 = _mm256_setzero_si256(), s1 = s0, s2 = s0, s3 = s0;
    for (std::size_t k = 0; k + 128 <= bytes; k += 128) {
        const auto *v = reinterpret_cast<const __m256i *>(p + k);
        s0 = _mm256_xor_si256(s0, _mm256_loadu_si256(v));
        s1 = _mm256_xor_si256(s1, _mm256_loadu_si256(v + 1));
        s2 = _mm256_xor_si256(s2, _mm256_loadu_si256(v + 2));
        s3 = _mm256_xor_si256(s3, _mm256_loadu_si256(v + 3));
    }
    const __m256i s = _mm256_xor_si256(_mm256_xor_si256(s0, s1), _mm256_xor_si256(s2, s3));
    return static_cast<double>(_mm256_extract_epi64(s, 0) ^ _mm256_extract_epi64(s, 3));
}
#endif

double readBaseline(const char *p, std::size_t bytes)
{
    std::uint64_t s[4] = {};
    for (std::size_t k = 0; k + 32 <= bytes; k += 32)
        for (std::size_t j = 0; j < 4; ++j)
            s[j] ^= reinterpret_cast<const std::uint64_t *>(p + k)[j];
    return static_cast<double>(s[0] ^ s[1] ^ s[2] ^ s[3]);
}

} // namespace

double plainRead(const void *data, std::size_t bytes)
{
#if defined(__x86_64__)
    if (detectedIsa() >= Isa::Avx2)
        return readAvx2(static_cast<const char *>(data), bytes);
#endif
    return readBaseline(static_cast<const char *>(data), bytes);
}

double plainRead(const Problem &problem)
{
    return std::visit(
        [](const auto &A) {
            if constexpr (std::decay_t<decltype(A)>::isSparse)
                return plainRead(A.row(0).data(), static_cast<std::size_t>(A.nonZeros()) * sizeof(A.row(0)[0]));
            else
                return plainRead(A.row(0), A.bytes());
        },
        problem.data().train.features);
}

DatasetPtr blobs(Index n, Index d)
{
    Dataset data;
    data.name = "blobs";
    data.classNames = {"-1", "+1"};
    DenseMatrix<float> A(n, d);
    std::uint64_t state = 1;
    const auto draw = [&] {
        state = state * 6364136223846793005ull + 1442695040888963407ull;
        return static_cast<double>(state >> 11) * 0x1p-53 - 0.5;
    };
    std::vector<double> sines, cosines;
    for (Index j = 0; j < d; ++j) {
        sines.push_back(std::sin(static_cast<double>(j)));
        cosines.push_back(std::cos(3.0 * static_cast<double>(j)));
    }
    for (Index i = 0; i < n; ++i) {
        const double a = draw(), b = draw();
        for (Index j = 0; j < d; ++j) {
            const auto k = static_cast<std::size_t>(j);
            A.row(i)[j] =
                static_cast<float>((a * sines[k] + b * cosines[k] + 0.3 * draw()) / std::sqrt(static_cast<double>(d)));
        }
        data.train.targets.push_back(a + draw() > 0 ? 1 : -1);
    }
    data.train.features = std::move(A);
    data.test.features = DenseMatrix<float>(0, d);
    return finish(std::move(data));
}

DatasetPtr scattered(Index n, Index d, Index perRow)
{
    using Matrix = SparseMatrix<float>;
    Dataset data;
    data.name = "scattered";
    data.classNames = {"-1", "+1"};
    std::vector<Index> starts = {0};
    std::vector<Matrix::Entry> entries;
    entries.reserve(static_cast<std::size_t>(n * perRow)); // growing step by step would take twice the memory
    std::uint64_t state = 1;
    std::vector<std::uint32_t> columns;
    for (Index i = 0; i < n; ++i) {
        columns.clear();
        for (Index k = 0; k < perRow; ++k)
            columns.push_back(static_cast<std::uint32_t>(mix64(++state) % static_cast<std::uint64_t>(d)));
        std::sort(columns.begin(), columns.end());
        columns.erase(std::unique(columns.begin(), columns.end()), columns.end());
        const float value = 1 / std::sqrt(static_cast<float>(perRow));
        for (const std::uint32_t column : columns)
            entries.push_back({column, mix64(++state) & 1 ? value : -value});
        starts.push_back(static_cast<Index>(entries.size()));
        data.train.targets.push_back(mix64(++state) & 1 ? 1 : -1);
    }
    data.train.features = Matrix(d, std::move(starts), std::move(entries));
    data.test.features = Matrix(d, {0}, {});
    return finish(std::move(data));
}

ProblemPtr problemOf(const DatasetPtr &data, const char *loss, double ridge)
{
    return std::make_shared<const Problem>(data, makeLoss(loss, data->train.rows(), 1).value(), ridge);
}

double threadSeconds()
{
    timespec t{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

} // namespace appa::bench
