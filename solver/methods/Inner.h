#pragma once

#include "methods/Method.h"

namespace appa {

/// f(x) = F(x) + (lambda/2)|x - centre|^2: what a stage of a reduction asks its inner solver to minimize.
/// lambda = 0: F itself (the solver runs alone).
struct Subproblem
{
    double lambda = 0;
    Vector centre;

    // With the ridge gamma folded in: f = sum phi_i + (lambdaT/2)|x - sT|^2 + const.
    double lambdaT(double gamma) const { return lambda + gamma; }
    Vector centreT(double gamma) const
    {
        return lambda + gamma > 0 ? Vector(centre * (lambda / (lambda + gamma))) : centre;
    }
};

/// Minimizes a Subproblem a tick at a time. The solvers that stand alone are the same objects under a trivial outer
/// loop.
class InnerSolver
{
public:
    virtual ~InnerSolver() = default;
    virtual std::unique_ptr<InnerSolver> clone() const = 0;

    /// A new subproblem from `from` (its dual is used, rescaled by the line search, where the solver has one and the
    /// hand-over brings one). O(n+d); a dual made from a primal point, or a full gradient, are ticks.
    virtual void begin(const Subproblem &sub, const Handover &from) = 0;
    /// The same lambda or another, a new centre, the dual kept exactly as it is (theta = 1): x = sT - A'y/lambdaT in
    /// O(n+d). false: the solver has no dual to keep; call `begin`.
    virtual bool recentre(const Subproblem &) { return false; }
    /// What must be known of the problem before the next tick; see Method.
    virtual Knowledge needs() const { return Knowledge::Nothing; }
    /// One tick, at most `maxSteps` steps of it.
    virtual void tick(Index maxSteps, IndexStream &stream, Cost &cost) = 0;
    virtual void retune(const ParamSet &params) = 0;

    virtual Index steps() const = 0;                ///< since `begin`; a full-gradient iteration counts n
    virtual bool finished() const { return false; } ///< it has nothing left to do (exact solves)
    virtual bool failed() const { return false; }   ///< finished, but not with a solution: the message says why
    virtual bool exact() const { return false; }    ///< it ends a stage by finishing, not after a number of steps
    virtual void point(Vector &out) const = 0;      ///< the current x
    /// y with x = sT - A'y/lambdaT, x being `point`; false if there is none (or none yet).
    virtual bool dual(Vector &) const { return false; }
    virtual Handover handover() const = 0;  ///< x, y, A'y
    virtual ParamSet effective() const = 0; ///< its own parameters, "auto" resolved
    virtual std::size_t stateBytes() const = 0;
    virtual std::string message() const { return {}; } ///< why it finished
    virtual std::string warning() const { return {}; } ///< see Method
};

/// Rows per tick: about 2^18 multiplications (some 50 microseconds), a multiple of 4, at most a 16th of a pass. Depends
/// on the problem alone.
Index rowsPerTick(const Problem &problem);

} // namespace appa
