#include "data/Scaling.h"

#include "base/Text.h"
#include "data/Bytes.h"
#include "data/Finish.h"
#include "data/Memory.h"
#include "data/Rows.h"

#include <algorithm>
#include <cmath>

namespace appa {

namespace {

template <class T> void scaleRow(DenseMatrix<T> &A, Index i, double factor)
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

/// Row i by factor(i). False when cancelled.
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

template <class T> double largestOf(const DenseMatrix<T> &A, Index i)
{
    double largest = 0;
    for (Index j = 0; j < A.cols(); ++j)
        largest = std::max(largest, std::abs(static_cast<double>(A.row(i)[j])));
    return largest;
}

template <class T> double largestOf(const SparseMatrix<T> &A, Index i)
{
    double largest = 0;
    for (const auto &e : A.row(i))
        largest = std::max(largest, std::abs(static_cast<double>(e.value)));
    return largest;
}

/// A power of two that brings numbers up to `largest` to where their squares are good ones; 1 where they are already,
/// which leaves every bit as it is.
double scaleFor(double largest)
{
    const bool isGood = largest == 0 || (largest > 1e-100 && largest < 1e100);
    return isGood ? 1 : std::ldexp(1.0, std::clamp(-std::ilogb(largest), -1000, 1000));
}

/// The norm of row i, whatever the size of its numbers; `q` is its square, where that is a good one.
template <class M> double normOf(const M &A, Index i, double q)
{
    if (q > 1e-200 && q < 1e200)
        return std::sqrt(q);
    const double scale = scaleFor(largestOf(A, i));
    double sum = 0;
    const auto add = [&](auto value) {
        const double v = scale * static_cast<double>(value);
        sum += v * v;
    };
    if constexpr (M::isSparse)
        for (const auto &e : A.row(i))
            add(e.value);
    else
        std::for_each(A.row(i), A.row(i) + A.cols(), add);
    return std::sqrt(sum) / scale;
}

std::optional<Error> rowNorms(const Features &features, std::vector<double> &norms, const ProgressRange &range)
{
    if (!squaredRowNorms(features, norms, range))
        return cancelledError();
    for (std::size_t i = 0; i < norms.size(); ++i) {
        norms[i] = std::visit([&](const auto &A) { return normOf(A, static_cast<Index>(i), norms[i]); }, features);
        if (!std::isfinite(norms[i]))
            return Error{Error::Kind::Data,
                         "Row " + std::to_string(i + 1)
                             + " has numbers so large that it has no norm. Give them in other units."};
    }
    return std::nullopt;
}

/// Mean and standard deviation (about it, in a second pass) of the columns, each times its scale.
struct ColumnStatistics
{
    std::vector<double> scale;
    std::vector<double> mean;
    std::vector<double> deviation;

    explicit ColumnStatistics(std::size_t columns) : scale(columns, 1), mean(columns, 0), deviation(columns, 0) { }

    /// Rounding leaves a trace of deviation on a constant column.
    bool varies(std::size_t j) const { return deviation[j] > 1e-12 * std::abs(mean[j]); }
};

template <class T> bool statistics(const DenseMatrix<T> &A, ColumnStatistics &out, const ProgressRange &range)
{
    const Index cols = A.cols();
    constexpr Index width = 64;
    const auto n = static_cast<double>(A.rows());
    return forEach((cols + width - 1) / width, range, [&](Index k) {
        const Index first = k * width, last = std::min(cols, first + width);
        double scale[width], mean[width], largest[width] = {}, sum[width] = {}, squares[width] = {};
        std::fill(scale, scale + width, 1.0);
        const auto forEntries = [&](auto &&f) {
            for (Index i = 0; i < A.rows() && !range.cancelled(); ++i)
                for (Index j = first; j < last; ++j)
                    f(j - first, scale[j - first] * static_cast<double>(A.row(i)[j]));
        };
        forEntries([&](Index j, double v) { largest[j] = std::max(largest[j], std::abs(v)); });
        std::transform(largest, largest + width, scale, scaleFor);
        forEntries([&](Index j, double v) { sum[j] += v; });
        std::transform(sum, sum + width, mean, [&](double total) { return total / n; });
        forEntries([&](Index j, double v) { squares[j] += (v - mean[j]) * (v - mean[j]); });
        for (Index j = first; j < last; ++j) {
            const auto c = static_cast<std::size_t>(j);
            out.scale[c] = scale[j - first];
            out.mean[c] = mean[j - first];
            out.deviation[c] = std::sqrt(squares[j - first] / n);
        }
    });
}

template <class T> bool statistics(const SparseMatrix<T> &A, ColumnStatistics &out, const ProgressRange &range)
{
    const auto n = static_cast<double>(A.rows());
    std::vector<double> counts(out.mean.size(), 0), largest(out.mean.size(), 0);
    const auto forEntries = [&](auto &&f) {
        for (Index i = 0; i < A.rows(); ++i) {
            if (i % 1024 == 0 && range.cancelled())
                return false;
            for (const auto &e : A.row(i))
                f(e.column, out.scale[e.column] * static_cast<double>(e.value));
        }
        return true;
    };
    if (!forEntries([&](std::uint32_t j, double v) { largest[j] = std::max(largest[j], std::abs(v)); }))
        return false;
    std::ranges::transform(largest, out.scale.begin(), scaleFor);
    const bool done = forEntries([&](std::uint32_t j, double v) {
                          out.mean[j] += v / n;
                          counts[j] += 1;
                      })
        && forEntries([&](std::uint32_t j, double v) {
                          const double delta = v - out.mean[j];
                          out.deviation[j] += delta * delta / n;
                      });
    for (std::size_t j = 0; j < counts.size(); ++j)
        out.deviation[j] = std::sqrt(out.deviation[j] + (n - counts[j]) / n * out.mean[j] * out.mean[j]);
    return done;
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
                            e.value = static_cast<T>(s.scale[e.column] * static_cast<double>(e.value)
                                                     / s.deviation[e.column]);
                        }
                    } else {
                        for (Index j = 0; j < A.cols(); ++j) {
                            const auto c = static_cast<std::size_t>(j);
                            A.row(i)[j] = static_cast<T>((s.scale[c] * static_cast<double>(A.row(i)[j]) - s.mean[c])
                                                         / s.deviation[c]);
                        }
                    }
                }
            },
            features);
    });
}

/// The columns that vary by so little beside their mean that the rounding of single precision shows: fewer than a
/// thousand of its steps to a deviation.
std::vector<std::string> blurredColumns(const Dataset &data, const ColumnStatistics &s)
{
    const bool isSingle = std::visit(
        [](const auto &A) { return sizeof(typename std::decay_t<decltype(A)>::Scalar) == 4; }, data.train.features);
    std::vector<std::string> names;
    for (std::size_t j = 0; isSingle && j < s.mean.size(); ++j)
        if (s.varies(j) && s.deviation[j] < 1000 * 0x1p-24 * std::abs(s.mean[j]))
            names.push_back(printable(data.columnName(static_cast<Index>(j))));
    return names;
}

} // namespace

std::optional<Error> divideByMeanNorm(Dataset &data, const ProgressRange &range)
{
    std::vector<double> norms;
    if (auto error = rowNorms(data.train.features, norms, range.part(0, 0.2)))
        return error;
    double sum = 0;
    for (const double norm : norms)
        sum += norm;
    const double mean = sum / static_cast<double>(norms.size());
    if (!(mean > 0))
        return Error{Error::Kind::Data,
                     "All training rows are zero, so they have no mean norm to divide by. Leave this transform out."};
    const auto factor = [&](Index) { return 1 / mean; };
    if (!scaleRows(data.train.features, range.part(0.2, 0.8), factor)
        || !scaleRows(data.test.features, range.part(0.8, 1), factor))
        return cancelledError();
    data.provenance.push_back({"divide by the mean row norm", "mean norm " + numberText(mean)});
    return std::nullopt;
}

std::optional<Error> normalizeRows(Dataset &data, const ProgressRange &range)
{
    Index zero = 0;
    const auto normalize = [&](Features &features, const ProgressRange &r) -> std::optional<Error> {
        std::vector<double> norms;
        if (auto error = rowNorms(features, norms, r.part(0, 0.3)))
            return error;
        zero += std::count(norms.begin(), norms.end(), 0.0);
        const auto factor = [&](Index i) {
            const double norm = norms[static_cast<std::size_t>(i)];
            return norm > 0 ? 1 / norm : 1;
        };
        return scaleRows(features, r.part(0.3, 1), factor) ? std::nullopt : std::optional(cancelledError());
    };
    if (auto error = normalize(data.train.features, range.part(0, 0.8)))
        return error;
    if (auto error = normalize(data.test.features, range.part(0.8, 1)))
        return error;
    data.provenance.push_back(
        {"normalize each row", zero > 0 ? std::to_string(zero) + " zero rows left as they are" : "every norm is 1"});
    return std::nullopt;
}

std::optional<Error> standardizeColumns(Dataset &data, const ProgressRange &range)
{
    const auto cols = static_cast<std::size_t>(data.train.cols());
    if (auto error = refuseMemory(40 * static_cast<double>(cols), "the columns' means and deviations"))
        return error;
    ColumnStatistics s(cols);
    const bool done =
        std::visit([&](const auto &A) { return statistics(A, s, range.part(0, 0.4)); }, data.train.features);
    if (!done || range.cancelled())
        return cancelledError();
    const std::vector<std::string> blurred = blurredColumns(data, s);
    const bool sparse = isSparse(data.train.features);
    Index constant = 0;
    for (std::size_t j = 0; j < cols; ++j) {
        if (s.varies(j))
            continue;
        s.deviation[j] = 1;
        if (sparse)
            s.scale[j] = 1;
        ++constant;
    }
    if (!standardize(data.train.features, s, range.part(0.4, 0.9))
        || !standardize(data.test.features, s, range.part(0.9, 1)))
        return cancelledError();
    std::string detail = sparse ? "divided by their standard deviation, not centred: sparse rows stay sparse"
                                : "mean 0, standard deviation 1 over the training rows";
    if (constant > 0)
        detail += "; " + std::to_string(constant) + " constant columns " + (sparse ? "left as they are" : "become 0");
    ProvenanceStep step{"standardize columns", detail};
    if (!blurred.empty()) {
        constexpr std::size_t most = 5;
        const std::vector<std::string> some(
            blurred.begin(), blurred.begin() + static_cast<std::ptrdiff_t>(std::min(most, blurred.size())));
        step.notice = joined(some) + (blurred.size() > most ? " and others" : "")
            + (blurred.size() == 1 ? ": this column varies" : ": these columns vary")
            + " so little beside the mean that single precision keeps few digits of it. Load in double precision, or "
              "take an offset off in the file.";
        step.remedies = {Remedy::DoublePrecision};
        step.detail += "; single precision keeps few digits of " + joined(some);
    }
    data.provenance.push_back(std::move(step));
    return std::nullopt;
}

} // namespace appa
