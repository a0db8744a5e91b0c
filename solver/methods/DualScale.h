#pragma once

#include "methods/Method.h"

namespace appa {

/// theta = argmin over [0, 1] of g_{s,lambda}(theta y), with A'y known: closed form for the squared loss, for the
/// others the root of g's derivative along y, each of its values a sweep over y. The sweeps are cut into ticks.
class DualScale
{
public:
    /// `sT` and `lambdaT` have the ridge folded in. O(n+d).
    void begin(const Problem &problem, const Vector &y, const Vector &aty, const Vector &sT, double lambdaT);
    /// Some thousand terms, the same y as before; true when theta is there.
    bool tick(const Problem &problem, const Vector &y);
    double theta() const { return m_theta; }

private:
    enum class Phase { AtOne, Bracketing, Narrowing, Done };
    enum class End { Neither, Low, High };

    void next(double slope);
    void narrow();
    void evaluateAt(double t);
    void finish(double theta);

    Phase m_phase = Phase::Done;
    double m_theta = 1;     ///< where the slope is wanted, in the end the answer
    double m_quadratic = 0; ///< |A'y|^2/lambda
    double m_linear = 0;    ///< s.A'y
    Index m_row = 0;
    double m_sum = 0; ///< of the slope at m_theta, so far
    double m_low = 1, m_atLow = 0;
    double m_high = 1, m_atHigh = 0;
    End m_moved = End::Neither; ///< the end that the last value replaced
    int m_steps = 0;
};

/// The same at one go.
double dualScale(const Problem &problem, const Vector &y, const Vector &aty, const Vector &sT, double lambdaT);

} // namespace appa
