#pragma once

#include "CliSweep.h"
#include "Terminal.h"
#include "base/Progress.h"
#include "problem/Problem.h"

namespace appa::cli {

/// Is there to be a progress line?
bool wantsLine(const SweepArguments &arguments);
/// Shows progress there; Ctrl-C cancels.
Progress progressOn(ProgressLine &line);
/// The problem that the arguments, or the study they go on with, describe.
Result<ProblemPtr> loadProblem(const SweepArguments &arguments);

/// Joins the studies of --merge into --out. The exit code.
int mergeParts(SweepArguments arguments);

} // namespace appa::cli
