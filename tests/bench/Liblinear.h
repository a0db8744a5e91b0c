#pragma once

#include "data/Dataset.h"
#include "problem/Problem.h"

#include <linear.h>

#include <vector>

namespace appa::bench {

/// A data set in the layout of liblinear, and calls of its solvers (no bias term).
class LiblinearData
{
public:
    explicit LiblinearData(const Dataset &data);

    /// Trains and reports the processor time of the call alone.
    Vector solve(int solver, double C, double eps, double &seconds) const;
    /// Processor time of one pass of a dual solver.
    double passSeconds(int solver, double C) const;

private:
    Index m_cols;
    std::vector<feature_node> m_nodes;
    mutable std::vector<feature_node *> m_rows;
    mutable std::vector<double> m_targets;
};

/// Processor seconds of a single-threaded Gram matrix and Cholesky solve of a squared problem.
double directSeconds(const Problem &problem);

} // namespace appa::bench
