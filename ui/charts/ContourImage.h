#pragma once

#include "theme/Theme.h"

#include <QImage>
#include <QRectF>

#include <atomic>
#include <functional>
#include <optional>
#include <vector>

namespace appa::ui {

/// F on a regular grid over a rectangle of the plane, row by row from the bottom.
struct FunctionGrid
{
    QRectF rect;
    int columns = 0;
    int rows = 0;
    std::vector<double> values;

    double at(double column, double row) const; ///< bilinear, in grid units
};

/// Stops early (and returns an empty grid) when `cancelled` becomes true.
FunctionGrid sampleFunction(const std::function<double(double, double)> &f, const QRectF &rect, int columns, int rows,
                            const std::atomic<bool> &cancelled);

/// The smallest value on the grid, +inf if there is none.
double smallestValue(const FunctionGrid &grid);

/// Filled contours of F - fOpt at logarithmic levels, with a line at each level's edge.
QImage contourImage(const FunctionGrid &grid, double fOpt, const QSize &pixels, const Theme &theme,
                    const std::atomic<bool> &cancelled);

/// Colours from low to high for maps; `t` in [0, 1].
QColor mapColour(double t, const Theme &theme);

} // namespace appa::ui
