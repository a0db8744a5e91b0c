#include "problem/Products.h"

#include "base/Parallel.h"
#include "kernels/Kernels.h"
#include "kernels/RankUpdate.h"
#include "problem/RowChunks.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <thread>

namespace appa {

namespace {

/// out = sum over the chunks of accumulate(begin, end, part), parts added in order.
template <class Accumulate>
bool reduceOverRows(Index n, Index d, Vector &out, int threads, const std::stop_token &stop, Accumulate &&accumulate)
{
    const RowChunks chunks(n);
    std::vector<Vector> parts(static_cast<std::size_t>(std::clamp(threads, 1, std::max(1, chunks.count))),
                              Vector::Zero(d));
    out.setZero(d);
    orderedChunks(
        static_cast<int>(parts.size()), chunks.count,
        [&](int c, int worker) {
            if (stop.stop_requested())
                return;
            Vector &part = parts[static_cast<std::size_t>(worker)];
            part.setZero();
            accumulate(chunks.begin(c), chunks.end(c), part.data());
        },
        [&](int, int worker) { out += parts[static_cast<std::size_t>(worker)]; });
    return !stop.stop_requested();
}

/// out += sum of c_i a_i over the rows: `one(i)` is c_i, `four(i, rows)` the four from i.
template <class Matrix, class One, class Four>
void addRows(const Matrix &A, Index begin, Index end, double *out, One &&one, Four &&four)
{
    Index i = begin;
    if constexpr (!Matrix::isSparse) {
        static const auto &kernels = denseKernels<typename Matrix::Scalar>();
        for (; i + 4 <= end; i += 4) {
            const std::array rows = {A.row(i), A.row(i + 1), A.row(i + 2), A.row(i + 3)};
            const std::array<double, 4> alpha = four(i, rows);
            kernels.axpy4(alpha.data(), rows.data(), out, A.cols());
        }
    }
    for (; i < end; ++i)
        rowAxpy(A, i, one(i), out);
}

template <class T>
bool gramOf(const DenseMatrix<T> &A, std::span<const double> c, Eigen::MatrixXd &C, int threads,
            const Progress &progress, std::string_view what)
{
    RankUpdate update{.threads = threads, .stop = progress.stop, .report = [&](double f) { progress(f, what); }};
    return update.operator()<T>([&](Index i) { return A.row(i); }, A.rows(), c, A.cols(), C.data(), C.rows());
}

template <class T>
bool gramOf(const SparseMatrix<T> &A, std::span<const double> c, Eigen::MatrixXd &C, int threads,
            const Progress &progress, std::string_view)
{
    // Each task owns a band of C's columns, chosen so that the bands hold about the same number of entries of A.
    const int bands = static_cast<int>(std::clamp<Index>(A.cols() / 32, 1, 64));
    std::vector<Index> perColumn(static_cast<std::size_t>(A.cols()) + 1);
    for (Index i = 0; i < A.rows(); ++i)
        for (const auto &e : A.row(i))
            ++perColumn[e.column + 1];
    for (std::size_t j = 1; j < perColumn.size(); ++j)
        perColumn[j] += perColumn[j - 1];
    const auto bound = [&](int band) {
        return band == bands
            ? A.cols()
            : std::lower_bound(perColumn.begin(), perColumn.end() - 1, A.nonZeros() * band / bands) - perColumn.begin();
    };
    parallelChunks(threads, bands, [&](int band, int) {
        const Index lo = band == 0 ? 0 : bound(band), hi = bound(band + 1);
        for (Index i = 0; i < A.rows(); ++i) {
            if ((i & 255) == 0 && progress.cancelled())
                return;
            const auto row = A.row(i);
            const double ci = c.empty() ? 1 : c[static_cast<std::size_t>(i)];
            auto e = std::lower_bound(row.begin(), row.end(), lo,
                                      [](const auto &entry, Index j) { return entry.column < j; });
            for (; e != row.end() && e->column < hi; ++e) {
                double *column = C.data() + e->column * C.rows();
                const double scaled = ci * static_cast<double>(e->value);
                for (auto f = e; f != row.end(); ++f)
                    column[f->column] += scaled * static_cast<double>(f->value);
            }
        }
    });
    return !progress.cancelled();
}

/// |a_i| . x
template <class Matrix> double absoluteDot(const Matrix &A, Index i, const double *x)
{
    if constexpr (Matrix::isSparse) {
        double sum = 0;
        for (const auto &e : A.row(i))
            sum += std::abs(static_cast<double>(e.value)) * x[e.column];
        return sum;
    } else {
        constexpr Index lanes = 8; // sums of their own, for the compiler to add side by side
        const auto *a = A.row(i);
        std::array<double, lanes> sums{};
        Index j = 0;
        for (; j + lanes <= A.cols(); j += lanes)
            for (Index l = 0; l < lanes; ++l)
                sums[static_cast<std::size_t>(l)] += std::abs(static_cast<double>(a[j + l])) * x[j + l];
        for (; j < A.cols(); ++j)
            sums[0] += std::abs(static_cast<double>(a[j])) * x[j];
        return std::accumulate(sums.begin(), sums.end(), 0.0);
    }
}

} // namespace

int passThreads()
{
    return std::clamp(static_cast<int>(std::thread::hardware_concurrency()), 1, 32);
}

bool weightedProduct(const Features &features, std::span<const double> c, const Vector &v, Vector &out, int threads,
                     const std::stop_token &stop)
{
    return std::visit(
        [&](const auto &A) {
            using Matrix = std::decay_t<decltype(A)>;
            const auto weight = [&](Index i) { return c.empty() ? 1.0 : c[static_cast<std::size_t>(i)]; };
            return reduceOverRows(A.rows(), A.cols(), out, threads, stop, [&](Index begin, Index end, double *part) {
                addRows(
                    A, begin, end, part, [&](Index i) { return weight(i) * rowDot(A, i, v.data()); },
                    [&](Index i, const auto &rows) {
                        std::array<double, 4> m;
                        denseKernels<typename Matrix::Scalar>().margin4(rows.data(), 4 * A.cols(), v.data(), A.cols(),
                                                                        m.data());
                        for (Index k = 0; k < 4; ++k)
                            m[static_cast<std::size_t>(k)] *= weight(i + k);
                        return m;
                    });
            });
        },
        features);
}

bool transposedProduct(const Features &features, std::span<const double> c, Vector &out, int threads,
                       const std::stop_token &stop)
{
    return std::visit(
        [&](const auto &A) {
            return reduceOverRows(A.rows(), A.cols(), out, threads, stop, [&](Index begin, Index end, double *part) {
                addRows(
                    A, begin, end, part, [&](Index i) { return c[static_cast<std::size_t>(i)]; },
                    [&](Index i, const auto &) {
                        const auto k = static_cast<std::size_t>(i);
                        return std::array{c[k], c[k + 1], c[k + 2], c[k + 3]};
                    });
            });
        },
        features);
}

void absoluteMargins(const Problem &problem, const Vector &x, std::vector<double> &out, int threads,
                     const std::stop_token &stop)
{
    const RowChunks chunks(problem.n());
    const Index K = problem.outputs();
    const Vector weights = x.cwiseAbs();
    out.resize(static_cast<std::size_t>(problem.n() * K));
    std::visit(
        [&](const auto &A) {
            parallelChunks(threads, chunks.count, [&](int c, int) {
                for (Index i = chunks.begin(c); i < chunks.end(c) && !stop.stop_requested(); ++i)
                    for (Index k = 0; k < K; ++k)
                        out[static_cast<std::size_t>(i * K + k)] = absoluteDot(A, i, weights.data() + k * A.cols());
            });
        },
        problem.data().train.features);
}

bool weightedGram(const Features &features, std::span<const double> c, Eigen::MatrixXd &C, int threads,
                  const Progress &progress, std::string_view what)
{
    C.setZero(colsOf(features), colsOf(features));
    return std::visit([&](const auto &A) { return gramOf(A, c, C, threads, progress, what); }, features);
}

} // namespace appa
