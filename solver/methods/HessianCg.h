#pragma once

#include "methods/PrimalRows.h"

#include <vector>

namespace appa {

/// (H + shift I) p = b in ticks, by conjugate gradients with the diagonal as preconditioner. H is the Hessian of F's
/// data part, `curvatures` as a RowRecord keeps them. Each product is a pass, counted.
class HessianCg
{
public:
    struct Options
    {
        double tolerance; ///< of the residual, in the preconditioner's norm, relative to that of b
        int most;         ///< products
    };
    enum class State { More, Found, Indefinite };

    void begin(const Problem &problem, Vector b, double shift, const Options &options);
    /// Where a later direction has no positive curvature, what was found before it is the solution.
    State tick(const Problem &problem, const std::vector<double> &curvatures, Cost &cost);
    const Vector &solution() const { return m_p; }
    std::size_t bytes() const
    {
        return static_cast<std::size_t>(m_diagonal.size() + m_p.size() + m_r.size() + m_q.size() + m_Hq.size())
            * sizeof(double);
    }

private:
    bool diagonalTick(const Problem &problem, const std::vector<double> &curvatures, Cost &cost);
    void beginIterating(const Problem &problem);
    State step(const Problem &problem);

    double m_shift = 0;
    Options m_options = {};
    Index m_row = 0;          ///< of the diagonal
    bool m_iterating = false; ///< the diagonal is there
    Vector m_diagonal;
    HessianPass m_pass;
    Vector m_p;
    Vector m_r;
    Vector m_q; ///< the search direction, and H times it
    Vector m_Hq;
    double m_rz = 0;
    double m_rzStop = 0;
    int m_left = 0;
};

} // namespace appa
