#pragma once

#include "problem/Problem.h"

#include <span>
#include <vector>

namespace appa {

/// The second derivative of F (without its ridge) at given margins: A' diag(phi''_i) A, or softmax's K x K blocks of
/// it.
class Hessian
{
public:
    explicit Hessian(const Problem &problem) : m_problem(problem) { }

    void moveTo(std::span<const double> margins);
    /// out = H v; false when cancelled.
    bool apply(const Vector &v, Vector &out, int threads, const std::stop_token &stop) const;
    /// Row weights of a Gram matrix that stands for H in every output: phi''_i, or the mean of p_k (1 - p_k) over the
    /// classes.
    std::vector<double> rowWeights() const;
    /// The diagonal of A' diag(rowWeights) A.
    bool diagonal(std::span<const double> weights, Vector &out, const std::stop_token &stop) const;

private:
    const Problem &m_problem;
    std::vector<double> m_state; ///< phi''_i; softmax: p_ik
};

/// dF_i/dm: the derivative of each row's loss, n x K.
void lossDerivatives(const Problem &problem, std::span<const double> margins, std::vector<double> &out);
/// First and second derivative in t of sum_i phi_i(m_i + t p_i).
struct LineDerivatives
{
    double first = 0;
    double second = 0;
};
LineDerivatives lineDerivatives(const Problem &problem, std::span<const double> margins, std::span<const double> step,
                                double t);

} // namespace appa
