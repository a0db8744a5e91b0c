#pragma once

/// Inlined whatever the compiler thinks of it: so that a loop compiled for processors with fused products gets them in
/// what it calls, too, and so that GCC does not drop a function that only prefetches.
#define APPA_ALWAYS_INLINE __attribute__((always_inline)) inline
