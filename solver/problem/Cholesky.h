#pragma once

#include <Eigen/Core>

#include <optional>
#include <stop_token>

namespace appa {

/// L L' = S for a symmetric positive definite S of which the lower triangle is given; blocked, multi-threaded, the same
/// bits for any number of threads, and stoppable within a few milliseconds.
class Cholesky
{
public:
    enum class Outcome { Done, NotPositive, Stopped };

    Cholesky() = default;
    /// Takes the matrix over. A pivot below `threshold` is NotPositive.
    Outcome factor(Eigen::MatrixXd S, double threshold, int threads, const std::stop_token &stop);

    void solveInPlace(Eigen::Ref<Eigen::VectorXd> b) const; ///< b <- S^-1 b

private:
    Eigen::MatrixXd m_L;
};

} // namespace appa
