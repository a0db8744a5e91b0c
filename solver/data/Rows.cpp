#include "data/Rows.h"

#include "data/Random.h"

#include <algorithm>
#include <cstring>
#include <numeric>

namespace appa {

namespace {

template <class T>
bool select(const DenseMatrix<T> &A, std::span<const Index> rows, Features &to, const ProgressRange &range)
{
    const auto count = static_cast<Index>(rows.size());
    DenseMatrix<T> B(count, A.cols());
    const Index block = std::max<Index>(1, (Index{1} << 18) / std::max<Index>(1, A.cols()));
    const bool done = forEach((count + block - 1) / block, range, [&](Index k) {
        for (Index i = k * block; i < std::min(count, (k + 1) * block); ++i)
            std::memcpy(B.row(i), A.row(rows[static_cast<std::size_t>(i)]),
                        static_cast<std::size_t>(A.cols()) * sizeof(T));
    });
    to = std::move(B);
    return done;
}

template <class T>
bool select(const SparseMatrix<T> &A, std::span<const Index> rows, Features &to, const ProgressRange &range)
{
    std::vector<Index> starts = {0};
    starts.reserve(rows.size() + 1);
    for (const Index i : rows)
        starts.push_back(starts.back() + static_cast<Index>(A.row(i).size()));
    std::vector<typename SparseMatrix<T>::Entry> entries(static_cast<std::size_t>(starts.back()));
    constexpr Index block = 4096;
    const auto count = static_cast<Index>(rows.size());
    const bool done = forEach((count + block - 1) / block, range, [&](Index k) {
        for (Index i = k * block; i < std::min(count, (k + 1) * block); ++i) {
            const auto row = A.row(rows[static_cast<std::size_t>(i)]);
            std::copy(row.begin(), row.end(), entries.begin() + starts[static_cast<std::size_t>(i)]);
        }
    });
    to = SparseMatrix<T>(A.cols(), std::move(starts), std::move(entries));
    return done;
}

template <class T> void shift(SparseMatrix<T> &A, Index base, Index cols)
{
    if (base != 0)
        for (auto &e : A.entries())
            e.column -= static_cast<std::uint32_t>(base);
    A.setCols(cols);
}

template <class T> DenseMatrix<T> dense(const SparseMatrix<T> &A)
{
    DenseMatrix<T> B(A.rows(), A.cols());
    for (Index i = 0; i < A.rows(); ++i)
        for (const auto &e : A.row(i))
            B.row(i)[e.column] = e.value;
    return B;
}

template <class T> DenseMatrix<T> widened(const DenseMatrix<T> &A, Index cols)
{
    DenseMatrix<T> B(A.rows(), cols);
    for (Index i = 0; i < A.rows(); ++i)
        std::memcpy(B.row(i), A.row(i), static_cast<std::size_t>(A.cols()) * sizeof(T));
    return B;
}

} // namespace

bool selectRows(const Samples &from, std::span<const Index> rows, Samples &to, const ProgressRange &range)
{
    to.targets.clear();
    to.targets.reserve(rows.size());
    for (const Index i : rows)
        to.targets.push_back(from.targets[static_cast<std::size_t>(i)]);
    return std::visit([&](const auto &A) { return select(A, rows, to.features, range); }, from.features);
}

std::vector<Index> randomRows(Index n, Index count, std::uint64_t seed)
{
    std::vector<Index> order(static_cast<std::size_t>(n));
    std::iota(order.begin(), order.end(), Index{0});
    Random random(seed, 7);
    // Only the first `count` places of Fisher and Yates are needed.
    for (Index k = 0; k < count; ++k) {
        const auto other = k + static_cast<Index>(random.below(static_cast<std::uint64_t>(n - k)));
        std::swap(order[static_cast<std::size_t>(k)], order[static_cast<std::size_t>(other)]);
    }
    order.resize(static_cast<std::size_t>(count));
    std::sort(order.begin(), order.end());
    return order;
}

void shiftColumns(Features &features, Index base, Index cols)
{
    if (auto *A = std::get_if<SparseMatrix<float>>(&features))
        shift(*A, base, cols);
    else if (auto *B = std::get_if<SparseMatrix<double>>(&features))
        shift(*B, base, cols);
}

void widen(Features &features, Index cols)
{
    if (colsOf(features) == cols)
        return;
    if (isSparse(features))
        shiftColumns(features, 0, cols);
    else if (auto *A = std::get_if<DenseMatrix<float>>(&features))
        features = widened(*A, cols);
    else if (auto *B = std::get_if<DenseMatrix<double>>(&features))
        features = widened(*B, cols);
}

Features densified(const Features &features)
{
    if (const auto *A = std::get_if<SparseMatrix<float>>(&features))
        return dense(*A);
    return dense(std::get<SparseMatrix<double>>(features));
}

double bytesOfRows(const Features &features, Index count)
{
    const auto rows = static_cast<double>(std::max<Index>(1, rowsOf(features)));
    return static_cast<double>(bytesOf(features)) * static_cast<double>(count) / rows;
}

Features noRows(const Features &like)
{
    return std::visit(
        [](const auto &A) -> Features {
            using M = std::decay_t<decltype(A)>;
            if constexpr (M::isSparse)
                return M(A.cols(), {0}, {});
            else
                return M(0, A.cols());
        },
        like);
}

} // namespace appa
