#include "data/Dataset.h"

#include "base/Mix.h"
#include "data/Finish.h"
#include "data/Parallel.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <span>

namespace appa {

namespace {

template <class T> double squaredNorm(const T *a, Index d)
{
    double s0 = 0, s1 = 0, s2 = 0, s3 = 0;
    Index j = 0;
    for (; j + 4 <= d; j += 4) {
        const auto a0 = static_cast<double>(a[j]), a1 = static_cast<double>(a[j + 1]);
        const auto a2 = static_cast<double>(a[j + 2]), a3 = static_cast<double>(a[j + 3]);
        s0 += a0 * a0;
        s1 += a1 * a1;
        s2 += a2 * a2;
        s3 += a3 * a3;
    }
    for (; j < d; ++j)
        s0 += static_cast<double>(a[j]) * static_cast<double>(a[j]);
    return (s0 + s1) + (s2 + s3);
}

template <class T> double squaredNorm(const DenseMatrix<T> &A, Index i)
{
    return squaredNorm(A.row(i), A.cols());
}

template <class T> double squaredNorm(const SparseMatrix<T> &A, Index i)
{
    double s = 0;
    for (const auto &e : A.row(i))
        s += static_cast<double>(e.value) * static_cast<double>(e.value);
    return s;
}

/// Rows whose numbers make up about half a megabyte: a fraction of a millisecond.
Index rowsPerBlock(const Features &features)
{
    const Index rows = std::max<Index>(1, rowsOf(features));
    const Index perRow = nonZerosOf(features) / rows + 1;
    return std::clamp<Index>((Index{1} << 17) / perRow, 1, rows);
}

Index blockCount(Index rows, Index perBlock)
{
    return (rows + perBlock - 1) / perBlock;
}

/// Four lanes of multiply and mix over 64-bit words.
class Hasher
{
public:
    void word(std::uint64_t w)
    {
        std::uint64_t &lane = m_lanes[m_count++ & 3];
        lane = (lane ^ w) * 0x9FB21C651E98DF25ull;
        lane ^= lane >> 32;
    }
    void doubles(std::span<const double> values)
    {
        for (const double v : values)
            word(std::bit_cast<std::uint64_t>(v));
    }
    template <class T> void numbers(const T *p, std::size_t count)
    {
        const std::size_t bytes = count * sizeof(T);
        const char *c = reinterpret_cast<const char *>(p);
        std::size_t at = 0;
        for (; at + 8 <= bytes; at += 8) {
            std::uint64_t w;
            std::memcpy(&w, c + at, 8);
            word(w);
        }
        if (at < bytes) {
            std::uint64_t w = 0;
            std::memcpy(&w, c + at, bytes - at);
            word(w);
        }
    }
    std::uint64_t result() const
    {
        std::uint64_t h = mix64(m_count);
        for (const std::uint64_t lane : m_lanes)
            h = mix64(h ^ lane) + 0x9E3779B97F4A7C15ull;
        return mix64(h);
    }

private:
    std::uint64_t m_lanes[4] = {0x243F6A8885A308D3ull, 0x13198A2E03707344ull, 0xA4093822299F31D0ull,
                                0x082EFA98EC4E6C89ull};
    std::uint64_t m_count = 0;
};

template <class T> void hashRow(Hasher &hasher, const DenseMatrix<T> &A, Index i)
{
    hasher.numbers(A.row(i), static_cast<std::size_t>(A.cols()));
}

template <class T> void hashRow(Hasher &hasher, const SparseMatrix<T> &A, Index i)
{
    const auto row = A.row(i);
    hasher.word(row.size());
    for (const auto &e : row) {
        // Field by field: an entry may have padding.
        if constexpr (sizeof(T) == 4) {
            hasher.word((static_cast<std::uint64_t>(e.column) << 32) | std::bit_cast<std::uint32_t>(e.value));
        } else {
            hasher.word(e.column);
            hasher.word(std::bit_cast<std::uint64_t>(e.value));
        }
    }
}

/// The hash of one part: its blocks of rows are hashed side by side, then joined in order.
bool hashPart(const Samples &part, Hasher &out, const ProgressRange &range)
{
    const Index rows = part.rows();
    const Index block = rowsPerBlock(part.features);
    std::vector<std::uint64_t> blocks(static_cast<std::size_t>(blockCount(rows, block)));
    const bool done = forEach(static_cast<Index>(blocks.size()), range, [&](Index k) {
        Hasher hasher;
        std::visit(
            [&](const auto &A) {
                for (Index i = k * block; i < std::min(rows, (k + 1) * block); ++i)
                    hashRow(hasher, A, i);
            },
            part.features);
        blocks[static_cast<std::size_t>(k)] = hasher.result();
    });
    out.word(static_cast<std::uint64_t>(part.features.index()));
    out.word(static_cast<std::uint64_t>(rows));
    out.word(static_cast<std::uint64_t>(part.cols()));
    for (const std::uint64_t h : blocks)
        out.word(h);
    out.doubles(part.targets);
    return done;
}

} // namespace

bool squaredRowNorms(const Features &features, std::vector<double> &norms, const ProgressRange &range)
{
    const Index rows = rowsOf(features);
    const Index block = rowsPerBlock(features);
    norms.assign(static_cast<std::size_t>(rows), 0);
    return forEach(blockCount(rows, block), range, [&](Index k) {
        std::visit(
            [&](const auto &A) {
                for (Index i = k * block; i < std::min(rows, (k + 1) * block); ++i)
                    norms[static_cast<std::size_t>(i)] = squaredNorm(A, i);
            },
            features);
    });
}

std::string Dataset::columnName(Index j) const
{
    const auto k = static_cast<std::size_t>(j);
    return k < columnNames.size() ? columnNames[k] : "feature " + std::to_string(j + 1);
}

std::vector<double> squaredRowNorms(const Features &features)
{
    std::vector<double> norms;
    squaredRowNorms(features, norms, {.progress = {}, .what = {}});
    return norms;
}

std::uint64_t hashOf(const Samples &train, const Samples &test)
{
    Hasher hasher;
    hashPart(train, hasher, {.progress = {}, .what = {}});
    hashPart(test, hasher, {.progress = {}, .what = {}});
    return hasher.result();
}

DatasetPtr finish(Dataset data)
{
    return finish(std::move(data), Progress{});
}

DatasetPtr finish(Dataset data, const Progress &progress)
{
    constexpr std::string_view what = "Checking the numbers";
    Hasher hasher;
    const bool done = squaredRowNorms(data.train.features, data.train.squaredNorms, {progress, 0.90, 0.94, what})
        && squaredRowNorms(data.test.features, data.test.squaredNorms, {progress, 0.94, 0.95, what})
        && hashPart(data.train, hasher, {progress, 0.95, 0.99, what})
        && hashPart(data.test, hasher, {progress, 0.99, 1, what});
    if (!done)
        return nullptr;
    data.hash = hasher.result();
    return std::make_shared<const Dataset>(std::move(data));
}

} // namespace appa
