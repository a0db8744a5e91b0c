#pragma once

#include "charts/SweepPoint.h"
#include "theme/Theme.h"

#include <QRectF>
#include <QString>

#include <vector>

class QPainter;

namespace appa::ui {

/// A painted cell, for hover and double-click.
struct HeatCell
{
    QRectF rect;
    int method = 0;
    double lambda = 0;
    int stage = 0;
    QString text;
};

/// One map per method side by side: lambda across, stage upwards, the quantity as colour on a scale common to all;
/// cells that diverged or did not reach the target hatched. Returns where the cells are.
std::vector<HeatCell> paintHeatMaps(QPainter &p, const QRectF &outer, const SweepData &data, const Theme &theme);

} // namespace appa::ui
