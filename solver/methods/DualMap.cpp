#include "methods/DualMap.h"

#include "kernels/Kernels.h"

#include <algorithm>
#include <cmath>

namespace appa {

namespace {

/// The root of an increasing h with h(1) > 0, to a relative 1e-8: 0 if h > 0 all the way down.
template <class H> double bracketedRoot(H &&h, double atOne)
{
    double high = 1, atHigh = atOne;
    double low = 1, atLow = atOne;
    while (!(atLow <= 0)) {
        high = low, atHigh = atLow;
        low *= 1.0 / 16;
        if (low < 1e-30)
            return 0;
        atLow = h(low);
    }
    // Illinois: false position that halves the stale end's value; bisection while an end is infinite.
    for (int k = 0; k < 100 && high - low > 1e-8 * high; ++k) {
        double t = std::isfinite(atLow) && std::isfinite(atHigh) ? (low * atHigh - high * atLow) / (atHigh - atLow)
                                                                 : 0.5 * (low + high);
        if (!(t > low && t < high))
            t = 0.5 * (low + high);
        const double value = h(t);
        if (value == 0)
            return t;
        if (value < 0) {
            low = t, atLow = value;
            atHigh *= 0.5;
        } else {
            high = t, atHigh = value;
            atLow *= 0.5;
        }
    }
    return low;
}

/// Calls f(rows, first) on blocks of four rows and g(i) on the rest.
template <class Four, class One> void inFours(Index first, Index count, Four &&four, One &&one)
{
    Index i = first;
    for (; i + 4 <= first + count; i += 4)
        four(i);
    for (; i < first + count; ++i)
        one(i);
}

} // namespace

double dualScale(const Problem &problem, const Vector &y, const Vector &aty, const Vector &sT, double lambdaT)
{
    const auto b = problem.targets();
    const double quadratic = aty.squaredNorm() / lambdaT;
    const double linear = sT.dot(aty);
    return std::visit(
        [&](const auto &loss) -> double {
            using Loss = std::decay_t<decltype(loss)>;
            if constexpr (std::is_same_v<Loss, SquaredLoss>) {
                // g(theta y) = (theta^2/2)(|y|^2/w + |A'y|^2/lambda) + theta (b.y - s.A'y)
                double by = 0;
                for (Index i = 0; i < y.size(); ++i)
                    by += b[static_cast<std::size_t>(i)] * y[i];
                const double curvature = y.squaredNorm() / loss.w + quadratic;
                return curvature > 0 ? std::clamp((linear - by) / curvature, 0.0, 1.0) : 0.0;
            } else if constexpr (Loss::hasDual) {
                const auto slope = [&](double theta) {
                    double sum = theta * quadratic - linear;
                    for (Index i = 0; i < y.size(); ++i)
                        if (y[i] != 0)
                            sum += y[i] * loss.conjugateDerivative(theta * y[i], b[static_cast<std::size_t>(i)]);
                    return sum;
                };
                const double atOne = slope(1);
                return atOne <= 0 ? 1 : bracketedRoot(slope, atOne);
            } else {
                return 0;
            }
        },
        problem.loss());
}

double dualObjective(const Problem &problem, const Vector &y, const Vector &aty, const Vector &sT, double lambdaT)
{
    const auto b = problem.targets();
    const double sum = std::visit(
        [&](const auto &loss) -> double {
            double total = 0;
            if constexpr (std::decay_t<decltype(loss)>::hasDual)
                for (Index i = 0; i < y.size(); ++i)
                    total += loss.conjugate(y[i], b[static_cast<std::size_t>(i)]);
            return total;
        },
        problem.loss());
    return sum + aty.squaredNorm() / (2 * lambdaT) - sT.dot(aty);
}

void mapRows(const Problem &problem, const Vector &x, Index first, Index count, Vector &y, Vector &aty)
{
    const double *b = problem.targets().data();
    dispatch(problem, [&](const auto &A, const auto &loss) {
        using Matrix = std::decay_t<decltype(A)>;
        if constexpr (std::decay_t<decltype(loss)>::hasDual) {
            const auto one = [&](Index i) {
                y[i] = loss.derivative(rowDot(A, i, x.data()), b[i]);
                rowAxpy(A, i, y[i], aty.data());
            };
            if constexpr (Matrix::isSparse) {
                for (Index i = first; i < first + count; ++i)
                    one(i);
            } else {
                const auto &kernels = denseKernels<typename Matrix::Scalar>();
                inFours(
                    first, count,
                    [&](Index i) {
                        const typename Matrix::Scalar *const rows[4] = {A.row(i), A.row(i + 1), A.row(i + 2),
                                                                        A.row(i + 3)};
                        double m[4];
                        kernels.margin4(rows, x.data(), A.cols(), m);
                        for (Index k = 0; k < 4; ++k)
                            m[k] = y[i + k] = loss.derivative(m[k], b[i + k]);
                        kernels.axpy4(m, rows, aty.data(), A.cols());
                    },
                    one);
            }
        }
    });
}

void sumRows(const Problem &problem, const Vector &y, Index first, Index count, Vector &aty)
{
    std::visit(
        [&](const auto &A) {
            using Matrix = std::decay_t<decltype(A)>;
            const auto one = [&](Index i) { rowAxpy(A, i, y[i], aty.data()); };
            if constexpr (Matrix::isSparse) {
                for (Index i = first; i < first + count; ++i)
                    one(i);
            } else {
                const auto &kernels = denseKernels<typename Matrix::Scalar>();
                inFours(
                    first, count,
                    [&](Index i) {
                        const typename Matrix::Scalar *const rows[4] = {A.row(i), A.row(i + 1), A.row(i + 2),
                                                                        A.row(i + 3)};
                        kernels.axpy4(&y[i], rows, aty.data(), A.cols());
                    },
                    one);
            }
        },
        problem.data().train.features);
}

} // namespace appa
