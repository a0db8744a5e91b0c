#include "data/Transforms.h"

#include "base/Text.h"
#include "data/Bytes.h"
#include "data/Finish.h"
#include "data/FourierFeatures.h"
#include "data/Memory.h"
#include "data/Rows.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace appa {

namespace {

using Failure = std::optional<Error>;

ProgressRange part(const ProgressRange &range, double from, double to)
{
    const double width = range.to - range.from;
    return {range.progress, range.from + width * from, range.from + width * to, range.what};
}

/// Calls f(first, last) for blocks of rows of about half a megabyte.
template <class F> bool forRowBlocks(Index rows, Index nonZeros, const ProgressRange &range, F &&f)
{
    const Index perRow = nonZeros / std::max<Index>(1, rows) + 1;
    const Index block = std::max<Index>(1, (Index{1} << 17) / perRow);
    return forEach((rows + block - 1) / block, range, [&](Index k) { f(k * block, std::min(rows, (k + 1) * block)); });
}

template <class F> bool forRowBlocks(const Features &features, const ProgressRange &range, F &&f)
{
    return forRowBlocks(rowsOf(features), nonZerosOf(features), range, f);
}

/// Scales row i by factor(i), both parts alike.
template <class T, class F> void scaleRow(DenseMatrix<T> &A, Index i, F factor)
{
    for (Index j = 0; j < A.cols(); ++j)
        A.row(i)[j] = static_cast<T>(static_cast<double>(A.row(i)[j]) * factor);
}

template <class T> void scaleRow(SparseMatrix<T> &A, Index i, double factor)
{
    const auto starts = A.starts();
    const auto k = static_cast<std::size_t>(i);
    for (Index e = starts[k]; e < starts[k + 1]; ++e) {
        T &value = A.entries()[static_cast<std::size_t>(e)].value;
        value = static_cast<T>(static_cast<double>(value) * factor);
    }
}

bool scaleRows(Features &features, const ProgressRange &range, const std::function<double(Index)> &factor)
{
    return forRowBlocks(features, range, [&](Index first, Index last) {
        std::visit(
            [&](auto &A) {
                for (Index i = first; i < last; ++i)
                    scaleRow(A, i, factor(i));
            },
            features);
    });
}

Failure meanNorm(Dataset &data, const ProgressRange &range)
{
    std::vector<double> norms;
    if (!squaredRowNorms(data.train.features, norms, part(range, 0, 0.2)))
        return cancelledError();
    double sum = 0;
    for (const double q : norms)
        sum += std::sqrt(q);
    const double mean = sum / static_cast<double>(norms.size());
    if (!(mean > 0))
        return Error{Error::Kind::Data,
                     "All training rows are zero, so they have no mean norm to divide by. Leave this transform out."};
    const auto factor = [&](Index) { return 1 / mean; };
    if (!scaleRows(data.train.features, part(range, 0.2, 0.8), factor)
        || !scaleRows(data.test.features, part(range, 0.8, 1), factor))
        return cancelledError();
    data.provenance.push_back({"divide by the mean row norm", "mean norm " + numberText(mean)});
    return std::nullopt;
}

Failure normalizeRows(Dataset &data, const ProgressRange &range)
{
    Index zero = 0;
    const auto normalize = [&](Features &features, const ProgressRange &r) {
        std::vector<double> norms;
        if (!squaredRowNorms(features, norms, part(r, 0, 0.3)))
            return false;
        zero += std::count(norms.begin(), norms.end(), 0.0);
        return scaleRows(features, part(r, 0.3, 1), [&](Index i) {
            const double q = norms[static_cast<std::size_t>(i)];
            return q > 0 ? 1 / std::sqrt(q) : 1;
        });
    };
    if (!normalize(data.train.features, part(range, 0, 0.8)) || !normalize(data.test.features, part(range, 0.8, 1)))
        return cancelledError();
    data.provenance.push_back(
        {"normalize each row", zero > 0 ? std::to_string(zero) + " zero rows left as they are" : "every norm is 1"});
    return std::nullopt;
}

/// Mean and standard deviation of the columns, by Welford's update for dense rows in order (few columns: one thread is
/// enough).
struct ColumnStatistics
{
    std::vector<double> mean;
    std::vector<double> deviation;
};

template <class T> bool statistics(const DenseMatrix<T> &A, ColumnStatistics &out, const ProgressRange &range)
{
    const Index cols = A.cols();
    constexpr Index width = 64;
    const auto n = static_cast<double>(A.rows());
    return forEach((cols + width - 1) / width, range, [&](Index k) {
        const Index first = k * width, last = std::min(cols, first + width);
        double sum[width] = {};
        for (Index i = 0; i < A.rows() && !range.cancelled(); ++i)
            for (Index j = first; j < last; ++j)
                sum[j - first] += static_cast<double>(A.row(i)[j]);
        double squares[width] = {};
        for (Index j = first; j < last; ++j)
            out.mean[static_cast<std::size_t>(j)] = sum[j - first] / n;
        for (Index i = 0; i < A.rows() && !range.cancelled(); ++i)
            for (Index j = first; j < last; ++j) {
                const double delta = static_cast<double>(A.row(i)[j]) - out.mean[static_cast<std::size_t>(j)];
                squares[j - first] += delta * delta;
            }
        for (Index j = first; j < last; ++j)
            out.deviation[static_cast<std::size_t>(j)] = std::sqrt(squares[j - first] / n);
    });
}

template <class T> bool statistics(const SparseMatrix<T> &A, ColumnStatistics &out, const ProgressRange &range)
{
    const auto n = static_cast<double>(A.rows());
    std::vector<double> counts(out.mean.size(), 0);
    for (Index i = 0; i < A.rows(); ++i) {
        if (i % 1024 == 0 && range.cancelled())
            return false;
        for (const auto &e : A.row(i)) {
            out.mean[e.column] += static_cast<double>(e.value) / n;
            counts[e.column] += 1;
        }
    }
    for (Index i = 0; i < A.rows(); ++i) {
        if (i % 1024 == 0 && range.cancelled())
            return false;
        for (const auto &e : A.row(i)) {
            const double delta = static_cast<double>(e.value) - out.mean[e.column];
            out.deviation[e.column] += delta * delta / n;
        }
    }
    for (std::size_t j = 0; j < counts.size(); ++j)
        out.deviation[j] = std::sqrt(out.deviation[j] + (n - counts[j]) / n * out.mean[j] * out.mean[j]);
    return true;
}

bool standardize(Features &features, const ColumnStatistics &s, const ProgressRange &range)
{
    return forRowBlocks(features, range, [&](Index first, Index last) {
        std::visit(
            [&](auto &A) {
                using M = std::decay_t<decltype(A)>;
                using T = typename M::Scalar;
                for (Index i = first; i < last; ++i) {
                    if constexpr (M::isSparse) {
                        const auto k = static_cast<std::size_t>(i);
                        for (Index at = A.starts()[k]; at < A.starts()[k + 1]; ++at) {
                            auto &e = A.entries()[static_cast<std::size_t>(at)];
                            e.value = static_cast<T>(static_cast<double>(e.value) / s.deviation[e.column]);
                        }
                    } else {
                        for (Index j = 0; j < A.cols(); ++j) {
                            const auto c = static_cast<std::size_t>(j);
                            A.row(i)[j] =
                                static_cast<T>((static_cast<double>(A.row(i)[j]) - s.mean[c]) / s.deviation[c]);
                        }
                    }
                }
            },
            features);
    });
}

Failure standardizeColumns(Dataset &data, const ProgressRange &range)
{
    const auto cols = static_cast<std::size_t>(data.train.cols());
    if (auto error = refuseMemory(24 * static_cast<double>(cols), "the columns' means and deviations"))
        return error;
    ColumnStatistics s{std::vector<double>(cols, 0), std::vector<double>(cols, 0)};
    const bool done =
        std::visit([&](const auto &A) { return statistics(A, s, part(range, 0, 0.4)); }, data.train.features);
    if (!done || range.cancelled())
        return cancelledError();
    Index constant = 0;
    for (std::size_t j = 0; j < cols; ++j) {
        // Rounding leaves a trace of deviation on a constant column.
        if (!(s.deviation[j] > 1e-12 * std::abs(s.mean[j]))) {
            s.deviation[j] = 1;
            ++constant;
        }
    }
    if (!standardize(data.train.features, s, part(range, 0.4, 0.9))
        || !standardize(data.test.features, s, part(range, 0.9, 1)))
        return cancelledError();
    const bool sparse = isSparse(data.train.features);
    std::string detail = sparse ? "divided by their standard deviation, not centred: sparse rows stay sparse"
                                : "mean 0, standard deviation 1 over the training rows";
    if (constant > 0)
        detail += "; " + std::to_string(constant) + " constant columns " + (sparse ? "left as they are" : "become 0");
    data.provenance.push_back({"standardize columns", detail});
    return std::nullopt;
}

template <class T> bool appendOne(const DenseMatrix<T> &A, Features &out, const ProgressRange &range)
{
    DenseMatrix<T> B(A.rows(), A.cols() + 1);
    const bool done = forRowBlocks(A.rows(), A.nonZeros(), range, [&](Index first, Index last) {
        for (Index i = first; i < last; ++i) {
            std::copy(A.row(i), A.row(i) + A.cols(), B.row(i));
            B.row(i)[A.cols()] = 1;
        }
    });
    out = std::move(B);
    return done;
}

template <class T> bool appendOne(const SparseMatrix<T> &A, Features &out, const ProgressRange &range)
{
    using Entry = typename SparseMatrix<T>::Entry;
    std::vector<Index> starts(A.starts().begin(), A.starts().end());
    for (std::size_t i = 0; i < starts.size(); ++i)
        starts[i] += static_cast<Index>(i);
    std::vector<Entry> entries(static_cast<std::size_t>(starts.back()));
    const bool done = forRowBlocks(A.rows(), A.nonZeros(), range, [&](Index first, Index last) {
        for (Index i = first; i < last; ++i) {
            const auto row = A.row(i);
            const auto end = std::copy(row.begin(), row.end(), entries.begin() + starts[static_cast<std::size_t>(i)]);
            *end = {static_cast<std::uint32_t>(A.cols()), T(1)};
        }
    });
    out = SparseMatrix<T>(A.cols() + 1, std::move(starts), std::move(entries));
    return done;
}

Failure affine(Dataset &data, const ProgressRange &range)
{
    const auto bytes = static_cast<double>(bytesOf(data.train.features) + bytesOf(data.test.features));
    if (auto error = refuseMemory(bytes * 1.1, "the rows with one more column"))
        return error;
    for (Samples *samples : {&data.train, &data.test}) {
        Features wider;
        if (!std::visit([&](const auto &A) { return appendOne(A, wider, range); }, samples->features))
            return cancelledError();
        samples->features = std::move(wider);
    }
    if (!data.columnNames.empty())
        data.columnNames.push_back("1");
    data.provenance.push_back(
        {"append an affine feature", "column " + std::to_string(data.train.cols()) + " is 1 in every row"});
    return std::nullopt;
}

/// A phase w.x is known to its size times the precision of the features. Where that is no longer small beside a turn of
/// the cosine, the features are noise.
Failure refusePhases(const Dataset &data, double bandwidth, bool isSingle, const ProgressRange &range)
{
    const double most = isSingle ? 0x1p20 : 0x1p48;
    double longest = 0;
    for (const Samples *samples : {&data.train, &data.test}) {
        std::vector<double> norms;
        if (!squaredRowNorms(samples->features, norms, range))
            return cancelledError();
        for (const double q : norms)
            longest = std::max(longest, std::sqrt(q));
    }
    if (longest <= most * bandwidth)
        return std::nullopt;
    return Error{Error::Kind::Data,
                 "Random Fourier features with a bandwidth of " + numberText(bandwidth)
                     + " would be noise: the longest row, of norm " + numberText(longest, 3)
                     + ", gives angles that cannot be computed in " + (isSingle ? "single" : "double")
                     + " precision. Expected a bandwidth about as large as the distances between rows: scale the data "
                       "first (by their mean norm, or columns), or choose a larger bandwidth."};
}

Failure fourierFeatures(Dataset &data, const Transform &t, const ProgressRange &range)
{
    const Index D = t.count > 0 ? t.count : std::max<Index>(1, data.train.rows() / 5);
    if (!FourierFeatures::takes(t.bandwidth))
        return Error{Error::Kind::Usage,
                     "The bandwidth of the Fourier features must be " + std::string(FourierFeatures::bandwidths)
                         + ", not " + numberText(t.bandwidth) + "."};
    const bool isSingle = std::visit(
        [](const auto &A) { return sizeof(typename std::decay_t<decltype(A)>::Scalar) == 4; }, data.train.features);
    if (auto error = refusePhases(data, t.bandwidth, isSingle, part(range, 0, 0)))
        return error;
    const double rows = static_cast<double>(data.train.rows() + data.test.rows());
    const double bytes = rows * static_cast<double>(D) * (isSingle ? 4 : 8);
    const std::string name = std::to_string(D) + " random Fourier features of "
        + std::to_string(data.train.rows() + data.test.rows()) + " rows";
    if (auto error = refuseMemory(bytes + FourierFeatures::bytes(data.train.cols(), D), name))
        return error;
    FourierFeatures map(data.train.cols(), {.count = D, .bandwidth = t.bandwidth, .seed = t.seed});
    if (!map.draw(part(range, 0, 0.05)))
        return cancelledError();
    const double share = static_cast<double>(data.train.rows()) / std::max(1.0, rows);
    const auto apply = [&](Features &features, const ProgressRange &r) {
        return std::visit(
            [&](const auto &A) {
                using T = typename std::decay_t<decltype(A)>::Scalar;
                DenseMatrix<T> out(A.rows(), D);
                if (!map.map(A, out, r))
                    return false;
                features = std::move(out);
                return true;
            },
            features);
    };
    if (!apply(data.train.features, part(range, 0.05, 0.05 + 0.95 * share))
        || !apply(data.test.features, part(range, 0.05 + 0.95 * share, 1)))
        return cancelledError();
    data.columnNames.clear();
    data.provenance.push_back({"random Fourier features",
                               "D = " + std::to_string(D) + ", bandwidth " + numberText(t.bandwidth) + ", seed "
                                   + std::to_string(t.seed) + ", " + bytesText(bytes)});
    return std::nullopt;
}

Failure takeRows(Dataset &data, const Transform &t, const ProgressRange &range)
{
    const Index n = data.train.rows(), count = std::min(t.count, n);
    if (t.count < 1)
        return Error{Error::Kind::Usage, "The number of rows to take must be at least 1."};
    const bool random = t.kind == Transform::Kind::RandomRows;
    std::string detail =
        std::to_string(count) + " of " + std::to_string(n) + (random ? ", seed " + std::to_string(t.seed) : "");
    if (count < n) {
        if (auto error = refuseMemory(bytesOfRows(data.train.features, count), "the chosen rows"))
            return error;
        std::vector<Index> rows(static_cast<std::size_t>(count));
        std::iota(rows.begin(), rows.end(), Index{0});
        if (random)
            rows = randomRows(n, count, t.seed);
        Samples chosen;
        if (!selectRows(data.train, rows, chosen, range))
            return cancelledError();
        data.train = std::move(chosen);
    } else if (t.count > n) {
        detail += ": there are no more than that";
    }
    data.provenance.push_back({random ? "take random training rows" : "take the first training rows", detail});
    return std::nullopt;
}

} // namespace

std::string describe(const Transform &t)
{
    switch (t.kind) {
    case Transform::Kind::MeanNorm:
        return "divide by the mean row norm";
    case Transform::Kind::NormalizeRows:
        return "normalize each row";
    case Transform::Kind::StandardizeColumns:
        return "standardize columns";
    case Transform::Kind::Affine:
        return "append an affine feature";
    case Transform::Kind::FourierFeatures:
        return "random Fourier features, D = " + (t.count > 0 ? std::to_string(t.count) : std::string("n/5"))
            + ", bandwidth " + numberText(t.bandwidth);
    case Transform::Kind::FirstRows:
        return "take the first " + std::to_string(t.count) + " training rows";
    case Transform::Kind::RandomRows:
        return "take " + std::to_string(t.count) + " random training rows";
    }
    return {};
}

std::optional<Error> applyTransform(Dataset &data, const Transform &transform, const ProgressRange &range)
{
    switch (transform.kind) {
    case Transform::Kind::MeanNorm:
        return meanNorm(data, range);
    case Transform::Kind::NormalizeRows:
        return normalizeRows(data, range);
    case Transform::Kind::StandardizeColumns:
        return standardizeColumns(data, range);
    case Transform::Kind::Affine:
        return affine(data, range);
    case Transform::Kind::FourierFeatures:
        return fourierFeatures(data, transform, range);
    case Transform::Kind::FirstRows:
    case Transform::Kind::RandomRows:
        return takeRows(data, transform, range);
    }
    return std::nullopt;
}

} // namespace appa
