#pragma once

#include "methods/Method.h"

namespace appa {

/// g_{s,lambda}(y) = sum phi_i*(y_i) + |A'y|^2/(2 lambda) - s.A'y.
double dualObjective(const Problem &problem, const Vector &y, const Vector &aty, const Vector &sT, double lambdaT);

/// Rows first .. first + count of y_hat(x)_i = phi_i'(a_i.x), with A'y summed on the way: the O(nd) map, a tick at a
/// time.
void mapRows(const Problem &problem, const Vector &x, Index first, Index count, Vector &y, Vector &aty);
/// The same rows of A'y alone, for a y that is there.
void sumRows(const Problem &problem, const Vector &y, Index first, Index count, Vector &aty);

} // namespace appa
