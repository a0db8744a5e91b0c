#pragma once

#include "runs/RunRecord.h"

namespace appa::ui {

/// A step back: the points after the first `keep` go, and the stages and the way after them. The run may have gone on
/// in the same update, so that where it is now tells nothing of it.
void truncatePoints(RunRecord &run, std::size_t keep);

/// Takes the update's stage reports in and, in the plane, the way itself.
void mergeStages(RunRecord &run, const RunUpdate &update);

/// Rows for the stages nobody reported: those of a session, and those that a change cut short. Their ends are in the
/// trace, from `fromPoint` on: λ, gap and cost. Where the centre was and what accuracy was asked for is not.
void addUnreported(RunRecord &run, std::size_t fromPoint);

/// Where in the plane's path the stages ended, by the ticks of the trace's points from `fromPoint` on.
void markStageEnds(RunRecord &run, std::size_t fromPoint);

} // namespace appa::ui
