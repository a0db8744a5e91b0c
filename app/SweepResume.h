#pragma once

#include "CliSweep.h"
#include "run/SweepResults.h"

#include <optional>

namespace appa::cli {

/// The problem becomes that of the study in `folder`, with the options that were given in the place of its own.
std::optional<Error> takeProblem(const SweepContext &study, const std::string &folder, SweepArguments &arguments);

/// A study that is in the folder says itself what it is about, as far as the options do not: its problem, its part of
/// the grid (--task), and the grid, which what is given can only make larger.
std::optional<Error> takeFromFolder(SweepArguments &arguments, SweepPlan &plan);

} // namespace appa::cli
