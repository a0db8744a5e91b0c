#pragma once

#include <Eigen/Core>

#include <functional>
#include <stop_token>

namespace appa {

/// L L' = S for a symmetric positive definite S of which the lower triangle is given; blocked, multi-threaded, the same
/// bits for any number of threads, and stoppable within a few milliseconds.
class Cholesky
{
public:
    enum class Outcome { Done, NotPositive, Stopped };

    Cholesky() = default;
    /// The pivot to take in column j where `found` is what elimination left of S_jj; NotPositive if that is not
    /// positive.
    using Pivot = std::function<double(Eigen::Index j, double found)>;
    /// Takes the matrix over.
    Outcome factor(Eigen::MatrixXd S, const Pivot &pivot, int threads, const std::stop_token &stop);

    void solveInPlace(Eigen::Ref<Eigen::VectorXd> b) const; ///< b <- S^-1 b

private:
    Eigen::MatrixXd m_L;
};

} // namespace appa
