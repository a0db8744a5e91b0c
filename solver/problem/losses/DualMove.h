#pragma once

namespace appa {

/// What the exact maximizer of the dual along y_i does to y_i.
struct DualMove
{
    double delta; ///< what y_i gets
    double y;     ///< y_i then, in the conjugate's domain
};

} // namespace appa
