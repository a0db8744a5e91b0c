#pragma once

#include "problem/Optimum.h"
#include "run/Run.h"
#include "runs/RunRecord.h"

#include <optional>
#include <string>

namespace appa::cli {

/// A run's result for people; `wanted`: the optimum was to be computed.
std::string summaryText(const Run &run, const std::optional<Optimum> &optimum, bool wanted);
/// The same for programs; `problem`: what the run's problem is made from.
std::string summaryJson(const Run &run, const ui::ProblemSpec &problem, const std::optional<Optimum> &optimum);
/// What is shown while it goes on: "stage 7/20  F 0.0123457  excess 1.2e-4  test 0.107  λ 1e-4".
std::string progressText(const TracePoint &point, Index stages, std::optional<double> fOpt);

} // namespace appa::cli
