#pragma once

#include "methods/DualScale.h"
#include "methods/Inner.h"

namespace appa {

/// What the solvers on the dual share: they minimize g_{s,lambda}(y) = sum phi_i*(y_i) + |A'y|^2/(2 lambda) - s.A'y,
/// with x = x_hat(y) = s - A'y/lambda (s and lambda with the ridge folded in, so lambda + gamma > 0).
///
/// The dual they begin with, by "dual-start": a carried y, rescaled to theta y (line-search), kept (paper) or dropped
/// (zero); without one y_hat(x) is made in ticks (one access per row) and scaled in the same way. When lambda~ falls by
/// more than 10^4, the rounding of A'y = lambda~(s~ - x) would be magnified as much: A'y is then summed anew in ticks.
/// The line search is cut into ticks, too, where there are many rows; it touches none of them.
class DualSolver : public InnerSolver
{
public:
    void begin(const Subproblem &sub, const Handover &from) final;
    bool recentre(const Subproblem &sub) final;
    void tick(Index maxSteps, IndexStream &stream, Cost &cost) final;
    void retune(const ParamSet &params) override;

    Index steps() const final { return m_steps; }
    void point(Vector &out) const final;
    bool dual(Vector &y) const final;
    Handover handover() const final;
    ParamSet effective() const override;
    std::size_t stateBytes() const override;

protected:
    enum class DualStart { LineSearch, Zero, Paper };

    DualSolver(ProblemPtr problem, const ParamSet &params);

    const Problem &problem() const { return *m_problem; }
    double lambdaT() const { return m_lambdaT; }
    const Vector &centreT() const { return m_sT; }

    /// y and x = x_hat(y) have been set: restart momentum and the like from there. `x0`: the primal point so far.
    virtual void restart(const Vector & /*x0*/) { }
    /// Up to `count` steps in one tick (a full pass of checking may take the place of steps); returns the steps taken.
    virtual Index work(Index count, IndexStream &stream, Cost &cost) = 0;
    /// Brings m_y up to date with the solver's own form of it, and m_x to x_hat(m_y).
    virtual void settle() { }
    /// Whether `currentPoint` is x_hat(y).
    virtual bool pointIsDual() const { return true; }
    virtual void currentPoint(Vector &x) const { x = m_x; }
    virtual void currentDual(Vector &y) const { y = m_y; }
    virtual void currentAty(Vector &aty) const { aty = m_lambdaT * (m_sT - m_x); }

    Vector m_x;
    Vector m_y;

private:
    enum class Phase { Mapping, Summing, Scaling, Ready };

    void beginScale();
    void finishScale(double theta);

    ProblemPtr m_problem;
    DualStart m_start = DualStart::LineSearch;
    Index m_rowsPerTick = 4;
    double m_lambdaT = 0;
    Vector m_sT;
    Index m_steps = 0;

    Phase m_phase = Phase::Ready;
    Index m_row = 0; ///< the map's next row
    Vector m_aty;    ///< its sum so far; A'y while it is being scaled
    Handover m_from; ///< what it starts from
    DualScale m_scale;
};

/// Why the dual solvers cannot run on this problem, "" if they can.
std::string whyNoDual(const Problem &problem, std::string_view label);

} // namespace appa
