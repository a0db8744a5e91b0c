#pragma once

#include "kernels/Kernels.h"
#include "methods/IndexStream.h"
#include "problem/Problem.h"

namespace appa {

/// The change of x that the last two rows of a series of steps still owe: x += sum_k alpha_k a_k. It is made
/// while the next two are read, so a series that goes on where another ended pays nothing for the cut.
struct OwedUpdate
{
    Two<double> alpha = {};
    Two<Index> rows = {};
    bool any = false;

    /// x with the update made: the same bits as if the series had gone on.
    void payTo(const Problem &problem, Vector &x) const;
};

/// `count` SDCA steps on g_{s,lambda} in the stream's order: y_i += delta, x -= delta a_i/lambda, delta the exact
/// maximizer along the coordinate. Dense rows are taken in pairs from the first step on, with the same iterates as one
/// by one up to rounding; before and after the call x lacks what is in `owed`.
void sdcaSteps(const Problem &problem, double lambdaT, Vector &x, Vector &y, Index count, IndexStream &stream,
               OwedUpdate &owed);

} // namespace appa
