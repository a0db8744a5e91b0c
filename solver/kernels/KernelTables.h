#pragma once

#include "kernels/Kernels.h"

namespace appa {

/// One prefetch per cache line of a row.
template <class T> inline void prefetchBytes(const T *a, Index d)
{
    const char *p = reinterpret_cast<const char *>(a);
    const Index bytes = d * static_cast<Index>(sizeof(T));
    for (Index b = 0; b < bytes; b += 64)
        __builtin_prefetch(p + b, 0, 2);
}

/// Defined for x86-64 only; to be called only where detectedIsa() allows it.
template <class T> const DenseKernels<T> &avx2Kernels();

} // namespace appa
