#pragma once

#include "charts/Axis.h"

#include <QLineF>
#include <QList>
#include <QPointF>
#include <QRectF>

#include <span>

namespace appa::ui {

/// The part of a curve (x not decreasing, all finite) inside `x`, thinned to at most four points per column: first,
/// lowest, highest, last, in their order. Drawn, it looks the same. Cut at the range's ends by interpolation.
QList<QPointF> decimate(std::span<const QPointF> points, const Range &x, int columns);

/// Leaves out points of a line (x not decreasing, in pixels) whose absence moves it by at most about `tolerance`: a
/// smooth curve of thousands of points becomes a hundred.
QList<QPointF> simplify(const QList<QPointF> &line, double tolerance);

/// A line kept between two heights: what lies beyond runs along the edge, what lies between is as it was. A run that
/// blows up leaves a linear frame by 10^20 pixels, and a dash every few of them would take all memory.
QList<QPointF> between(const QList<QPointF> &line, double top, double bottom);

/// A line (x not decreasing) up to `x` and from there on; both have the place where it is cut.
std::pair<QList<QPointF>, QList<QPointF>> cutAcross(const QList<QPointF> &line, double x);

/// The strokes of a dashed line (all segments if `dash` is empty; lengths in pixels). Separate straight strokes are
/// drawn tens of times faster than one wide polyline.
QList<QLineF> strokes(const QList<QPointF> &line, const QList<qreal> &dash);

/// The pieces of a polyline inside a rectangle: for targets that do not clip (SVG).
QList<QList<QPointF>> clipPolyline(const QList<QPointF> &line, const QRectF &rect);

} // namespace appa::ui
