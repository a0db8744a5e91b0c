#pragma once

#include "methods/IndexStream.h"
#include "problem/Problem.h"

namespace appa {

/// `count` SDCA steps on g_{s,lambda} in the stream's order: y_i += delta, x -= delta a_i/lambda, delta the exact
/// maximizer along the coordinate. The rows are taken in fours from the first step on (dense), with the same iterates
/// as one by one up to rounding.
void sdcaSteps(const Problem &problem, double lambdaT, Vector &x, Vector &y, Index count, IndexStream &stream);

} // namespace appa
