#include "problem/Hessian.h"

#include "base/Parallel.h"
#include "kernels/Kernels.h"
#include "problem/Products.h"
#include "problem/RowChunks.h"

#include <algorithm>
#include <type_traits>

namespace appa {

namespace {

/// p_k = softmax(m)_k
void probabilities(std::span<const double> m, std::span<double> p)
{
    const double top = *std::max_element(m.begin(), m.end());
    double sum = 0;
    for (std::size_t k = 0; k < m.size(); ++k)
        sum += p[k] = std::exp(m[k] - top);
    for (double &pk : p)
        pk /= sum;
}

} // namespace

void Hessian::moveTo(std::span<const double> margins)
{
    m_state.resize(margins.size());
    const auto b = m_problem.targets();
    std::visit(
        [&](const auto &loss) {
            if constexpr (isScalarLoss<decltype(loss)>) {
                for (std::size_t i = 0; i < margins.size(); ++i)
                    m_state[i] = loss.secondDerivative(margins[i], b[i]);
            } else {
                const auto K = static_cast<std::size_t>(loss.classes);
                for (std::size_t i = 0; i < margins.size(); i += K)
                    probabilities(margins.subspan(i, K), std::span(m_state).subspan(i, K));
            }
        },
        m_problem.loss());
}

bool Hessian::apply(const Vector &v, Vector &out, int threads, const std::stop_token &stop) const
{
    const Features &features = m_problem.data().train.features;
    if (m_problem.outputs() == 1)
        return weightedProduct(features, m_state, v, out, threads, stop);

    // Row i adds w (p_k u_k - p_k sum_l p_l u_l) a_i to block k, with u = V a_i.
    const RowChunks chunks(m_problem.n());
    const auto K = static_cast<std::size_t>(m_problem.outputs());
    const double w = 1 / static_cast<double>(m_problem.n());
    threads = std::clamp(threads, 1, chunks.count);
    std::vector<Vector> parts(static_cast<std::size_t>(threads), Vector::Zero(v.size()));
    out.setZero(v.size());
    std::visit(
        [&](const auto &A) {
            orderedChunks(
                threads, chunks.count,
                [&](int c, int worker) {
                    Vector &part = parts[static_cast<std::size_t>(worker)];
                    part.setZero();
                    std::vector<double> u(K);
                    for (Index i = chunks.begin(c); i < chunks.end(c) && !stop.stop_requested(); ++i) {
                        const auto p = std::span(m_state).subspan(static_cast<std::size_t>(i) * K, K);
                        double mean = 0;
                        for (std::size_t k = 0; k < K; ++k) {
                            u[k] = rowDot(A, i, v.data() + static_cast<Index>(k) * A.cols());
                            mean += p[k] * u[k];
                        }
                        for (std::size_t k = 0; k < K; ++k)
                            rowAxpy(A, i, w * p[k] * (u[k] - mean), part.data() + static_cast<Index>(k) * A.cols());
                    }
                },
                [&](int, int worker) { out += parts[static_cast<std::size_t>(worker)]; });
        },
        features);
    return !stop.stop_requested();
}

std::vector<double> Hessian::rowWeights() const
{
    const auto K = static_cast<std::size_t>(m_problem.outputs());
    if (K == 1)
        return m_state;
    std::vector<double> weights(m_state.size() / K);
    const double w = 1 / static_cast<double>(weights.size());
    for (std::size_t i = 0; i < weights.size(); ++i) {
        double sum = 0;
        for (std::size_t k = 0; k < K; ++k)
            sum += m_state[i * K + k] * (1 - m_state[i * K + k]);
        weights[i] = w * sum / static_cast<double>(K);
    }
    return weights;
}

bool Hessian::diagonal(std::span<const double> weights, Vector &out, const std::stop_token &stop) const
{
    out.setZero(m_problem.d());
    return std::visit(
        [&](const auto &A) {
            for (Index i = 0; i < A.rows(); ++i) {
                if (i % 64 == 0 && stop.stop_requested())
                    return false;
                const double c = weights[static_cast<std::size_t>(i)];
                if constexpr (std::decay_t<decltype(A)>::isSparse) {
                    for (const auto &e : A.row(i))
                        out[e.column] += c * static_cast<double>(e.value) * static_cast<double>(e.value);
                } else {
                    const auto *a = A.row(i);
                    for (Index j = 0; j < A.cols(); ++j)
                        out[j] += c * static_cast<double>(a[j]) * static_cast<double>(a[j]);
                }
            }
            return true;
        },
        m_problem.data().train.features);
}

void lossDerivatives(const Problem &problem, std::span<const double> margins, std::vector<double> &out)
{
    out.resize(margins.size());
    const auto b = problem.targets();
    std::visit(
        [&](const auto &loss) {
            if constexpr (isScalarLoss<decltype(loss)>) {
                for (std::size_t i = 0; i < margins.size(); ++i)
                    out[i] = loss.derivative(margins[i], b[i]);
            } else {
                const auto K = static_cast<std::size_t>(loss.classes);
                for (std::size_t i = 0; i < b.size(); ++i)
                    loss.derivative(margins.subspan(i * K, K), b[i], std::span(out).subspan(i * K, K));
            }
        },
        problem.loss());
}

LineDerivatives lineDerivatives(const Problem &problem, std::span<const double> margins, std::span<const double> step,
                                double t)
{
    const auto b = problem.targets();
    CompensatedSum first, second;
    std::visit(
        [&](const auto &loss) {
            if constexpr (isScalarLoss<decltype(loss)>) {
                for (std::size_t i = 0; i < margins.size(); ++i) {
                    const double m = margins[i] + t * step[i];
                    first.add(loss.derivative(m, b[i]) * step[i]);
                    second.add(loss.secondDerivative(m, b[i]) * step[i] * step[i]);
                }
            } else {
                const auto K = static_cast<std::size_t>(loss.classes);
                std::vector<double> m(K), c(K);
                for (std::size_t i = 0; i < b.size(); ++i) {
                    for (std::size_t k = 0; k < K; ++k)
                        m[k] = margins[i * K + k] + t * step[i * K + k];
                    loss.derivative(m, b[i], c);
                    probabilities(m, m);
                    double mean = 0, square = 0;
                    for (std::size_t k = 0; k < K; ++k) {
                        const double u = step[i * K + k];
                        first.add(c[k] * u);
                        mean += m[k] * u;
                        square += m[k] * u * u;
                    }
                    second.add(loss.w * std::max(0.0, square - mean * mean));
                }
            }
        },
        problem.loss());
    return {first.value(), second.value()};
}

} // namespace appa
