#include "data/Transforms.h"

#include "base/Text.h"
#include "data/Bytes.h"
#include "data/Finish.h"
#include "data/FourierFeatures.h"
#include "data/Memory.h"
#include "data/Rows.h"
#include "data/Scaling.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace appa {

namespace {

using Failure = std::optional<Error>;

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
    if (auto error = refusePhases(data, t.bandwidth, isSingle, range.part(0, 0)))
        return error;
    const double rows = static_cast<double>(data.train.rows() + data.test.rows());
    const double bytes = rows * static_cast<double>(D) * (isSingle ? 4 : 8);
    const std::string name = std::to_string(D) + " random Fourier features of "
        + std::to_string(data.train.rows() + data.test.rows()) + " rows";
    if (auto error = refuseMemory(bytes + FourierFeatures::bytes(data.train.cols(), D), name))
        return error;
    FourierFeatures map(data.train.cols(), {.count = D, .bandwidth = t.bandwidth, .seed = t.seed});
    if (!map.draw(range.part(0, 0.05)))
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
    if (!apply(data.train.features, range.part(0.05, 0.05 + 0.95 * share))
        || !apply(data.test.features, range.part(0.05 + 0.95 * share, 1)))
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
        return divideByMeanNorm(data, range);
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
