#pragma once

#include "CliSweep.h"
#include "base/Progress.h"
#include "run/SweepSummary.h"

#include <string>

namespace appa::cli {

/// "1 run", "12 runs"
std::string runsText(std::size_t count);
/// The command that makes the study of `plan` about `problem`, its PROBLEM options.
std::string commandOf(const SweepPlan &plan, const std::string &problem);

/// ls(lambda) where it is to be drawn: over the grid, or for the curves shown. False if it was interrupted.
bool addFloors(SweepTable &table, const Problem &problem, const SweepArguments &arguments, const Progress &progress);
/// The files of a study whose results are there: summary, floors, figure, curves; its table on standard output.
int writeFiles(const SweepTable &table, const SweepArguments &arguments, const std::string &command);
/// The exit code of a study that is written: runs that failed are told, and are made again by --resume.
int verdictOn(const SweepTable &table);

} // namespace appa::cli
