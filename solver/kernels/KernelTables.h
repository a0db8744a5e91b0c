#pragma once

#include "kernels/Kernels.h"

namespace appa {

/// Defined for x86-64 only; to be called only where detectedIsa() allows it.
template <class T> const DenseKernels<T> &avx2Kernels();
template <class T> const DenseKernels<T> &avx512Kernels();

} // namespace appa
