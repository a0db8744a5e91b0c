#pragma once

#include "methods/Inner.h"

#include <Eigen/Core>

#include <vector>

namespace appa {

using Matrix = Eigen::MatrixXd;

/// H = sum_i B_i (x) a_i a_i' in ticks of some rows and columns, lower triangle only. `curvatures` as a RowRecord keeps
/// them: B_i = phi_i'' for scalar losses, w (diag(pi) - pi pi') for softmax. Counts accesses.
class GramPass
{
public:
    void begin(const Problem &problem, Matrix &H); ///< O(1): H is filled, and zeroed where need be, in ticks
    bool tick(const Problem &problem, const std::vector<double> &curvatures, Matrix &H, Cost &cost);

private:
    Index m_zeroed = 0; ///< sparse rows: columns of H
    Index m_row = 0;
    Index m_panel = 0; ///< dense rows: the first column of the current panel of the current pair of classes
    int m_k = 0;       ///< the current block of H
    int m_l = 0;
};

/// H + shift I = L L', tile by tile in ticks.
class TiledCholesky
{
public:
    void begin(Index dim, double shift);
    /// Reads the lower triangle of H, which must not change meanwhile. True when there is nothing left to do.
    bool tick(const Matrix &H);
    bool failed() const { return m_failed; } ///< not positive definite, or not finite
    double shift() const { return m_shift; }
    void solve(Vector &b) const;
    /// The same in ticks; `done` counts from 0. True when b is the solution.
    bool solveTick(Vector &b, Index &done) const;
    std::size_t bytes() const { return static_cast<std::size_t>(m_L.size()) * sizeof(double); }

private:
    static constexpr Index tile = 64;

    Matrix m_L;
    double m_shift = 0;
    Index m_row = 0; ///< first row and column of the next tile
    Index m_column = 0;
    bool m_failed = false;
};

} // namespace appa
