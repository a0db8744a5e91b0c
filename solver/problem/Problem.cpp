#include "problem/Problem.h"

#include "base/Parallel.h"
#include "kernels/Kernels.h"
#include "problem/RowChunks.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <type_traits>

namespace appa {

namespace {

/// f(i, m) for the rows of [begin, end): m = a_i.x, or the K margins where x has K blocks.
template <class Matrix, class F> void eachMargin(const Matrix &A, const Vector &x, Index begin, Index end, F &&f)
{
    Index i = begin;
    if constexpr (!Matrix::isSparse) {
        static const auto &kernels = denseKernels<typename Matrix::Scalar>();
        // Four streams a quarter of the rows apart: neighbouring short rows would cut the hardware's read-ahead short.
        const Index quarter = (end - begin) / 4;
        for (; i < begin + quarter; ++i) {
            const std::array rows = {A.row(i), A.row(i + quarter), A.row(i + 2 * quarter), A.row(i + 3 * quarter)};
            std::array<double, 4> m;
            kernels.margin4(rows.data(), A.cols(), x.data(), A.cols(), m.data());
            for (Index k = 0; k < 4; ++k)
                f(i + k * quarter, m[static_cast<std::size_t>(k)]);
        }
        i = begin + 4 * quarter;
    }
    for (; i < end; ++i)
        f(i, rowDot(A, i, x.data()));
}

template <class Matrix> void rowMargins(const Matrix &A, Index i, const Vector &x, std::span<double> out)
{
    for (std::size_t k = 0; k < out.size(); ++k)
        out[k] = rowDot(A, i, x.data() + static_cast<Index>(k) * A.cols());
}

void allMargins(const Features &features, const Vector &x, int outputs, std::vector<double> &out, int threads,
                const std::stop_token &stop = {})
{
    const RowChunks chunks(rowsOf(features));
    const auto K = static_cast<std::size_t>(outputs);
    // About 2^21 multiplications, a millisecond or so: a multiple of 4, so that the rows meet the same kernels.
    const Index perRow = std::max<Index>(1, nonZerosOf(features) / std::max<Index>(1, chunks.rows)) * outputs;
    const Index rowsPerLook = std::max<Index>(4, (Index{1} << 21) / perRow / 4 * 4);
    out.resize(static_cast<std::size_t>(chunks.rows) * K);
    std::visit(
        [&](const auto &A) {
            parallelChunks(threads, chunks.count, [&](int c, int) {
                // The chunks grow with the data; how soon a stop is seen must not.
                const Index end = chunks.end(c);
                for (Index from = chunks.begin(c), to; from < end && !stop.stop_requested(); from = to) {
                    to = std::min(end, from + rowsPerLook);
                    if (K == 1)
                        eachMargin(A, x, from, to, [&](Index i, double m) { out[static_cast<std::size_t>(i)] = m; });
                    else
                        for (Index i = from; i < to; ++i)
                            rowMargins(A, i, x, std::span(out).subspan(static_cast<std::size_t>(i) * K, K));
                }
            });
        },
        features);
}

/// sum over the rows of term(i), in the one order that every function of this file uses.
template <class Term> double sumOverRows(Index n, Term &&term)
{
    const RowChunks chunks(n);
    CompensatedSum total;
    for (int c = 0; c < chunks.count; ++c) {
        CompensatedSum part;
        for (Index i = chunks.begin(c); i < chunks.end(c); ++i)
            part.add(term(static_cast<std::size_t>(i)));
        total.add(part);
    }
    return total.value();
}

/// The gradient of one chunk's losses, added to grad; returns the losses' sum.
template <class Matrix, class Loss>
CompensatedSum chunkGradient(const Matrix &A, const Loss &loss, std::span<const double> b, const Vector &x, Index begin,
                             Index end, Vector &grad)
{
    CompensatedSum sum;
    if constexpr (isScalarLoss<Loss>) {
        Index i = begin;
        if constexpr (!Matrix::isSparse) {
            static const auto &kernels = denseKernels<typename Matrix::Scalar>();
            for (; i + 4 <= end; i += 4) {
                const std::array rows = {A.row(i), A.row(i + 1), A.row(i + 2), A.row(i + 3)};
                std::array<double, 4> m;
                kernels.margin4(rows.data(), 4 * A.cols(), x.data(), A.cols(), m.data());
                for (std::size_t k = 0; k < 4; ++k) {
                    const double bk = b[static_cast<std::size_t>(i) + k];
                    sum.add(loss.value(m[k], bk));
                    m[k] = loss.derivative(m[k], bk);
                }
                kernels.axpy4(m.data(), rows.data(), grad.data(), A.cols());
            }
        }
        for (; i < end; ++i) {
            const double bi = b[static_cast<std::size_t>(i)];
            const double m = rowDot(A, i, x.data());
            sum.add(loss.value(m, bi));
            rowAxpy(A, i, loss.derivative(m, bi), grad.data());
        }
    } else {
        std::vector<double> m(static_cast<std::size_t>(loss.classes));
        for (Index i = begin; i < end; ++i) {
            const double bi = b[static_cast<std::size_t>(i)];
            rowMargins(A, i, x, m);
            sum.add(loss.value(m, bi));
            loss.derivative(m, bi, m);
            for (std::size_t k = 0; k < m.size(); ++k)
                rowAxpy(A, i, m[k], grad.data() + static_cast<Index>(k) * A.cols());
        }
    }
    return sum;
}

double errorOf(const Samples &samples, TargetKind kind, std::span<const double> margins, int outputs)
{
    if (samples.rows() == 0)
        return std::numeric_limits<double>::quiet_NaN();
    const auto K = static_cast<std::size_t>(outputs);
    const double sum = sumOverRows(samples.rows(), [&](std::size_t i) {
        const double b = samples.targets[i];
        if (kind == TargetKind::Real)
            return (margins[i] - b) * (margins[i] - b);
        if (kind == TargetKind::Binary)
            return (margins[i] >= 0) == (b > 0) ? 0.0 : 1.0;
        const auto row = margins.subspan(i * K, K);
        return std::max_element(row.begin(), row.end()) - row.begin() == static_cast<std::ptrdiff_t>(b) ? 0.0 : 1.0;
    });
    return sum / static_cast<double>(samples.rows());
}

} // namespace

double Constants::kappaAt(double lambda) const
{
    return lambda > 0 ? std::ceil(L * R * R / lambda) : std::numeric_limits<double>::infinity();
}

Problem::Problem(DatasetPtr data, AnyLoss loss, double ridge)
    : m_data(std::move(data)), m_loss(loss), m_ridge(ridge),
      m_outputs(std::visit(
          [](const auto &l) {
              if constexpr (isScalarLoss<std::decay_t<decltype(l)>>)
                  return 1;
              else
                  return l.classes;
          },
          loss)),
      m_L(std::visit([](const auto &l) { return l.curvature(); }, loss)), m_R(0)
{
    for (const double q : m_data->train.squaredNorms) {
        m_R = std::max(m_R, q);
        m_meanSquaredNorm += q / static_cast<double>(m_data->train.squaredNorms.size());
    }
    m_R = std::sqrt(m_R);
    if (hasDual()) {
        const auto &targets = m_data->train.targets;
        const auto &norms = m_data->train.squaredNorms;
        m_rowScalars.reserve(targets.size());
        useHugePages(m_rowScalars.data(), targets.size() * sizeof(RowScalars));
        for (std::size_t i = 0; i < targets.size(); ++i)
            m_rowScalars.push_back({targets[i], norms[i]});
    }
}

std::string Problem::whyNot(const Dataset &data, const AnyLoss &loss, double ridge)
{
    if (!(ridge >= 0) || !std::isfinite(ridge))
        return "The ridge must be a number that is not negative.";
    if (data.train.rows() == 0 || data.train.cols() == 0)
        return "The data set '" + data.name + "' has no training rows.";
    return std::visit(
        [&](const auto &l) -> std::string {
            using Loss = std::decay_t<decltype(l)>;
            const std::string label(l.label);
            if constexpr (!isScalarLoss<Loss>) {
                if (data.kind != TargetKind::Classes)
                    return label + " needs class labels, and the targets of '" + data.name + "' are "
                        + (data.kind == TargetKind::Binary ? "-1 and +1: take the logistic loss, or keep the classes."
                                                           : "real numbers: take the squared loss.");
                if (l.classes != data.classes())
                    return label + " was set up for " + std::to_string(l.classes) + " classes, and '" + data.name
                        + "' has " + std::to_string(data.classes()) + ".";
            } else {
                if (data.kind == TargetKind::Classes)
                    return label + " needs two classes or real targets, and '" + data.name + "' has "
                        + std::to_string(data.classes())
                        + " classes: choose which of them are positive, or take softmax.";
                if (data.kind == TargetKind::Real && !Loss::isQuadratic)
                    return label + " needs labels -1 and +1, and the targets of '" + data.name
                        + "' are real numbers: take the squared loss.";
            }
            return {};
        },
        loss);
}

bool Problem::hasDual() const
{
    return std::visit([](const auto &l) { return l.hasDual; }, m_loss);
}

bool Problem::isQuadratic() const
{
    return std::visit([](const auto &l) { return l.isQuadratic; }, m_loss);
}

void Problem::margins(const Vector &x, std::vector<double> &out, int threads, const std::stop_token &stop) const
{
    allMargins(m_data->train.features, x, m_outputs, out, threads, stop);
}

double Problem::objectiveAt(std::span<const double> margins, const Vector &x) const
{
    const auto b = targets();
    const double sum = std::visit(
        [&](const auto &loss) {
            return sumOverRows(n(), [&](std::size_t i) {
                if constexpr (isScalarLoss<std::decay_t<decltype(loss)>>) {
                    return loss.value(margins[i], b[i]);
                } else {
                    const auto K = static_cast<std::size_t>(loss.classes);
                    return loss.value(margins.subspan(i * K, K), b[i]);
                }
            });
        },
        m_loss);
    return sum + 0.5 * m_ridge * x.squaredNorm();
}

double Problem::objective(const Vector &x, int threads) const
{
    std::vector<double> m;
    margins(x, m, threads);
    return objectiveAt(m, x);
}

double Problem::gradient(const Vector &x, Vector &grad, int threads) const
{
    const RowChunks chunks(n());
    threads = std::clamp(threads, 1, chunks.count);
    std::vector<Vector> parts(static_cast<std::size_t>(threads), Vector::Zero(dim()));
    std::vector<CompensatedSum> sums(parts.size());
    CompensatedSum total;
    grad = m_ridge * x;
    dispatch(*this, [&](const auto &A, const auto &loss) {
        orderedChunks(
            threads, chunks.count,
            [&](int c, int worker) {
                Vector &part = parts[static_cast<std::size_t>(worker)];
                part.setZero();
                sums[static_cast<std::size_t>(worker)] =
                    chunkGradient(A, loss, targets(), x, chunks.begin(c), chunks.end(c), part);
            },
            [&](int, int worker) {
                grad += parts[static_cast<std::size_t>(worker)];
                total.add(sums[static_cast<std::size_t>(worker)]);
            });
    });
    return total.value() + 0.5 * m_ridge * x.squaredNorm();
}

double Problem::testError(const Vector &x, int threads) const
{
    std::vector<double> m;
    allMargins(m_data->test.features, x, m_outputs, m, threads);
    return errorOf(m_data->test, m_data->kind, m, m_outputs);
}

Measurement Problem::measure(const Vector &x, const DualPoint *dual, int threads, const std::stop_token &stop) const
{
    Measurement result;
    std::vector<double> m;
    allMargins(m_data->test.features, x, m_outputs, m, threads, stop);
    if (stop.stop_requested())
        return result;
    result.testError = errorOf(m_data->test, m_data->kind, m, m_outputs);
    allMargins(m_data->train.features, x, m_outputs, m, threads, stop);
    if (stop.stop_requested())
        return result;
    result.loss = objectiveAt(m, x);
    if (!dual)
        return result;
    const auto b = targets();
    std::visit(
        [&](const auto &loss) {
            if constexpr (std::decay_t<decltype(loss)>::hasDual)
                result.gap = sumOverRows(
                    n(), [&](std::size_t i) { return loss.fenchelYoung(m[i], dual->y[static_cast<Index>(i)], b[i]); });
        },
        m_loss);
    return result;
}

} // namespace appa
