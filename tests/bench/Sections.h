#pragma once

#include "Bench.h"

namespace appa::bench {

void runKernels(const Options &options);
void runDirect(const Options &options);

} // namespace appa::bench
