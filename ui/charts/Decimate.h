#pragma once

#include "charts/Axis.h"

#include <QList>
#include <QPointF>
#include <QRectF>

#include <span>

namespace appa::ui {

/// The part of a curve (x not decreasing, all finite) inside `x`, thinned to at most four points per column: first, lowest,
/// highest, last, in their order. Drawn, it looks the same. Cut at the range's ends by interpolation.
QList<QPointF> decimate(std::span<const QPointF> points, const Range &x, int columns);

/// The pieces of a polyline inside a rectangle: for targets that do not clip (SVG).
QList<QList<QPointF>> clipPolyline(const QList<QPointF> &line, const QRectF &rect);

} // namespace appa::ui
