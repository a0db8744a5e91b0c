#pragma once

#include "Bench.h"

namespace appa::bench {

void runKernels(const Options &options);
void runDirect(const Options &options);
void runPasses(const Options &options);
void runGrowth(const Options &options);
void runPeers(const Options &options);
void runLarge(const Options &options);
void runLoading(const Options &options);

} // namespace appa::bench
