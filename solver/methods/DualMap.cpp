#include "methods/DualMap.h"

#include "kernels/Kernels.h"

namespace appa {

namespace {

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
                        kernels.margin4(rows, 4 * A.cols(), x.data(), A.cols(), m);
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
