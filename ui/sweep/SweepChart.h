#pragma once

#include "charts/FigureExport.h"
#include "charts/SweepPoint.h"
#include "run/SweepSummary.h"

namespace appa::ui {

SweepQuantity quantityOf(SweepMeasure measure);

/// A run of a study as the charts take it. Its method is named by the variant's id, so that one method may appear
/// with several settings.
SweepPoint chartPoint(const SweepTable &table, const SweepResult &result);
/// Everything the chart shows, and the values it is shown in.
SweepData chartData(const SweepTable &table, SweepMeasure measure, Index stage);
/// The runs of a study that a point of the chart stands for; none if it belongs to another study.
std::optional<SweepCase> caseOf(const SweepPlan &plan, const SweepPoint &point);

/// "mnist-6k, logistic loss, ridge 10⁻⁵": what the study is about.
QString problemTitle(const SweepContext &context);
/// What stands beside the figure: data set, loss, stages and seeds.
FigureText figureText(const SweepTable &table);

} // namespace appa::ui
