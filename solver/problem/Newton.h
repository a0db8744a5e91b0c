#pragma once

#include "problem/Problem.h"

#include <optional>

namespace appa {

/// What Newton's method on f(x) = F(x) + (lambda/2)|x - s|^2 arrived at.
struct NewtonResult
{
    Vector x;
    Vector step;      ///< the one that would come next
    double value = 0; ///< f(x)
    double gradientNorm = 0;
    double decrement = 0;   ///< nu^2 = g'H^-1 g at x: f(x) - f_opt is about half of it
    double marginStep = 0;  ///< the largest change of a margin that a further step would make; 0 for squared loss
    double missed = 0;      ///< the most that the decrement can miss: with a ridge r'H^-1 r <= |r|^2/(lambda + gamma);
                            ///< without one 0 if direct, else what `flatCurvature` leaves of it
    double floor = 0;       ///< rounding in f(x), see `roundingFloor`
    bool converged = false; ///< the decrement has come down to the rounding
    bool direct = false;    ///< preconditioned by a Cholesky factor (by the diagonal otherwise)
    int iterations = 0;
    int factorizations = 0;
    int products = 0; ///< of the Hessian with a vector: passes over the data
};

/// Newton's method with an exact line search. Each step solves (H + rho P) p = -g by conjugate gradients with exact
/// products, preconditioned by P: the Cholesky factor of the Hessian at this or an earlier point, or, when that is too
/// large to form, its diagonal. For squared loss this is a Cholesky solve with refinement. `direct`: which of the two,
/// instead of what `mayFactor` says. nullopt when cancelled.
std::optional<NewtonResult> minimize(const Problem &problem, double lambda, const Vector &s, const Progress &progress,
                                     std::optional<bool> direct = std::nullopt);

/// Below this, a difference of two values of F near x means nothing:
/// 2 eps (|F(x)| + sqrt(sum_i (phi_i'(m_i) sum_j |a_ij x_j|)^2)), eps = 2^-52: the sum's rounding, and that of the
/// margins (see `absoluteMargins`). No scaling of the columns changes it.
double roundingFloor(double value, std::span<const double> derivatives, std::span<const double> absolute);

/// May a d x d Hessian be formed and factored? Memory, and n d^2 against a few minutes.
bool mayFactor(const Problem &problem);

} // namespace appa
