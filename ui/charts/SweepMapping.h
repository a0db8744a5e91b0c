#pragma once

#include "charts/PlotContent.h"
#include "charts/SweepPoint.h"
#include "theme/Theme.h"

#include <vector>

namespace appa::ui {

/// A run's value in the units shown: NaN if it is not there yet, +inf if it diverged or never reached the target.
double sweepValue(const SweepData &data, const SweepPoint &point, int stage);
double sweepValue(const SweepData &data, const SweepPoint &point); ///< at the stage chosen

/// What the quantity is in effect: Excess falls back to Loss without F_opt.
SweepQuantity effectiveQuantity(const SweepData &data);
QString quantityName(const SweepData &data);
int lastStage(const SweepData &data);
QString stagesText(std::int64_t count); ///< "1 stage", "20 stages"

/// All seeds of one method at one lambda.
struct SweepCell
{
    int method = 0;
    double lambda = 0;
    int seeds = 0;
    int diverged = 0;
    double median = 0; ///< +inf if at least half diverged
    double lower = 0;  ///< quartiles
    double upper = 0;
};
/// By method, then by lambda.
std::vector<SweepCell> sweepCells(const SweepData &data, int stage);
std::vector<SweepCell> sweepCells(const SweepData &data);

struct SweepPlot
{
    PlotContent content;
    std::vector<PlotSeries> series; ///< id: index of the method
};
/// The log-log plot, ranges included.
SweepPlot sweepPlot(const SweepData &data, const Theme &theme);

QColor sweepColour(const SweepData &data, int method, const Theme &theme);

} // namespace appa::ui
