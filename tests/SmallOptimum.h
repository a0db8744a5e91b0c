#pragma once

#include "problem/Problem.h"

#include <Eigen/Dense>

#include <cmath>

namespace appa::testing {

/// argmin F + (extra/2)|x|^2 of a small problem by damped Newton steps on a differenced Hessian: slow, plain, and
/// independent of every solver under test.
inline Vector smallMinimizer(const Problem &problem, double extra = 0)
{
    const Index d = problem.dim();
    Vector x = Vector::Zero(d), grad(d), plus(d), minus(d);
    const auto value = [&](const Vector &at) { return problem.objective(at) + 0.5 * extra * at.squaredNorm(); };
    for (int k = 0; k < 60; ++k) {
        problem.gradient(x, grad);
        grad += extra * x;
        if (grad.norm() < 1e-15)
            break;
        Eigen::MatrixXd H(d, d);
        for (Index j = 0; j < d; ++j) {
            Vector at = x;
            at[j] += 1e-5;
            problem.gradient(at, plus);
            at[j] -= 2e-5;
            problem.gradient(at, minus);
            H.col(j) = (plus - minus) / 2e-5;
        }
        H = (0.5 * (H + H.transpose())).eval();
        H.diagonal().array() += extra + 1e-14;
        const Vector step = H.completeOrthogonalDecomposition().solve(grad);
        double t = 1;
        while (t > 1e-10 && !(value(x - t * step) <= value(x) + 1e-15))
            t *= 0.5;
        x -= t * step;
    }
    return x;
}

/// |A'y| and the like need the rows: A as a plain matrix.
inline Eigen::MatrixXd plainMatrix(const Problem &problem)
{
    Eigen::MatrixXd A = Eigen::MatrixXd::Zero(problem.n(), problem.d());
    std::visit(
        [&](const auto &features) {
            for (Index i = 0; i < features.rows(); ++i) {
                if constexpr (std::decay_t<decltype(features)>::isSparse) {
                    for (const auto &e : features.row(i))
                        A(i, static_cast<Index>(e.column)) = static_cast<double>(e.value);
                } else {
                    for (Index j = 0; j < features.cols(); ++j)
                        A(i, j) = static_cast<double>(features.row(i)[j]);
                }
            }
        },
        problem.data().train.features);
    return A;
}

} // namespace appa::testing
