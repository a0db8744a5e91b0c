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

/// The levels of a picture: `contourLevels` of them, four to a decade, the highest ending at 10^top above `base`. All
/// that lies nearer to the base is the innermost level.
struct ContourScale
{
    double base = 0; ///< F_opt, or the lowest value seen
    double top = 0;
};
constexpr int contourLevels = 16;
constexpr int levelsPerDecade = 4;

/// For the values within a part of the grid, rounded so that the levels stay where they are while the view moves.
ContourScale contourScale(const FunctionGrid &grid, const QRectF &part, std::optional<double> fOpt);
QColor levelColour(int level, const Theme &theme);

/// Filled contours of F, with a line at each level's edge.
QImage contourImage(const FunctionGrid &grid, const ContourScale &scale, const QSize &pixels, const Theme &theme,
                    const std::atomic<bool> &cancelled);

/// Colours from low to high for maps; `t` in [0, 1].
QColor mapColour(double t, const Theme &theme);

} // namespace appa::ui
