#pragma once

#include "base/Parallel.h"
#include "methods/Method.h"

namespace appa {

/// F at a point by a full pass in ticks, and on the way what certifies it: the Fenchel-Young gap of (x, y), or F's
/// gradient.
class Evaluation
{
public:
    /// With y: the gap; `withGradient`: the gradient. `x` and `y` are copied.
    void begin(const Problem &problem, const Vector &x, const Vector *y, bool withGradient);
    /// The next rows; true when all are done. Each row is an access.
    bool tick(const Problem &problem, Cost &cost);

    const Vector &x() const { return m_x; }
    bool hasDual() const { return m_hasDual; }
    double value() const { return m_value; }          ///< F(x)
    double gap() const { return m_gap.value(); }      ///< sum phi_i(a_i.x) + phi_i*(y_i) - y_i a_i.x
    const Vector &gradient() const { return m_grad; } ///< of F
    std::size_t bytes() const
    {
        return static_cast<std::size_t>(m_x.size() + m_y.size() + m_grad.size()) * sizeof(double);
    }

private:
    Vector m_x;
    Vector m_y;
    Vector m_grad;
    bool m_hasDual = false;
    bool m_withGradient = false;
    Index m_row = 0;
    CompensatedSum m_sum;
    CompensatedSum m_gap;
    double m_value = 0;
    std::vector<double> m_margins; ///< of one row, softmax only
};

} // namespace appa
