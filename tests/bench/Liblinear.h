#pragma once

#include "data/Dataset.h"
#include "problem/Problem.h"

#include <linear.h>

#include <limits>
#include <vector>

namespace appa::bench {

/// A data set in the layout of liblinear, and calls of its solvers (no bias term).
class LiblinearData
{
public:
    explicit LiblinearData(const Dataset &data);

    /// Trains and reports the processor time of the call alone.
    Vector solve(int solver, double C, double eps, double &seconds) const;
    /// A short and a long call of a dual solver. Their difference leaves out what is done once; of each the fastest of
    /// several is kept, so that a slow short call does not pass for fast passes.
    struct Calls
    {
        double few = std::numeric_limits<double>::infinity();
        double many = std::numeric_limits<double>::infinity();
        int passes = 0; ///< the long one has more

        double secondsPerPass() const { return passes > 0 ? (many - few) / passes : few; }
    };
    void time(int solver, double C, Calls &best) const;

private:
    Index m_cols;
    std::vector<feature_node> m_nodes;
    mutable std::vector<feature_node *> m_rows;
    mutable std::vector<double> m_targets;
};

/// Processor seconds of a single-threaded Gram matrix and Cholesky solve of a squared problem.
double directSeconds(const Problem &problem);

} // namespace appa::bench
