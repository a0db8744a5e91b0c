#include "charts/ContourImage.h"

#include "charts/ColourRamp.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace appa::ui {

namespace {

// Perceptually even ramps of one family of hues, dark to light, after the manner of viridis but quieter so that curves
// stand out; the low end (good) is the saturated one.
constexpr std::array<QRgb, 6> onDark = {0xff2f7f9e, 0xff28658a, 0xff234e73, 0xff1f3a59, 0xff1b2a41, 0xff181f2d};
constexpr std::array<QRgb, 6> onLight = {0xff5fa8c7, 0xff86bdd6, 0xffa9d0e3, 0xffc7e0ed, 0xffdfedf5, 0xfff2f8fb};

} // namespace

QColor mapColour(double t, const Theme &theme)
{
    return rampColour(theme.isDark ? onDark : onLight, t);
}

double FunctionGrid::at(double column, double row) const
{
    column = std::clamp(column, 0.0, columns - 1.0);
    row = std::clamp(row, 0.0, rows - 1.0);
    const int c = std::min(static_cast<int>(column), columns - 2);
    const int r = std::min(static_cast<int>(row), rows - 2);
    const double u = column - c;
    const double v = row - r;
    const auto value = [&](int cc, int rr) {
        return values[static_cast<std::size_t>(rr) * static_cast<std::size_t>(columns) + static_cast<std::size_t>(cc)];
    };
    return (1 - v) * ((1 - u) * value(c, r) + u * value(c + 1, r))
        + v * ((1 - u) * value(c, r + 1) + u * value(c + 1, r + 1));
}

FunctionGrid sampleFunction(const std::function<double(double, double)> &f, const QRectF &rect, int columns, int rows,
                            const std::atomic<bool> &cancelled)
{
    FunctionGrid grid{rect, columns, rows, {}};
    grid.values.reserve(static_cast<std::size_t>(columns) * static_cast<std::size_t>(rows));
    for (int r = 0; r < rows; ++r) {
        for (int c = 0; c < columns; ++c) {
            if (cancelled)
                return {};
            grid.values.push_back(
                f(rect.left() + rect.width() * c / (columns - 1), rect.top() + rect.height() * r / (rows - 1)));
        }
    }
    return grid;
}

ContourScale contourScale(const FunctionGrid &grid, const QRectF &part, std::optional<double> fOpt)
{
    double lowest = std::numeric_limits<double>::infinity();
    double highest = -lowest;
    for (std::size_t i = 0; i < grid.values.size(); ++i) {
        const auto columns = static_cast<std::size_t>(grid.columns);
        const double x = grid.rect.left() + grid.rect.width() * static_cast<double>(i % columns) / (grid.columns - 1);
        const double y = grid.rect.top() + grid.rect.height() * static_cast<double>(i / columns) / (grid.rows - 1);
        if (!std::isfinite(grid.values[i]) || x < part.left() || x > part.right() || y < part.top()
            || y > part.bottom())
            continue;
        lowest = std::min(lowest, grid.values[i]);
        highest = std::max(highest, grid.values[i]);
    }
    const double base = fOpt ? std::min(*fOpt, lowest) : lowest;
    const double rise = highest - base;
    if (!(rise > 0) || !std::isfinite(rise))
        return {std::isfinite(base) ? base : 0, 0};
    return {base, std::ceil(std::log10(rise) * levelsPerDecade) / levelsPerDecade};
}

QColor levelColour(int level, const Theme &theme)
{
    return mapColour((level + 0.5) / contourLevels, theme);
}

QImage contourImage(const FunctionGrid &grid, const ContourScale &scale, const QSize &pixels, const Theme &theme,
                    const std::atomic<bool> &cancelled)
{
    QImage image(pixels, QImage::Format_RGB32);
    image.fill(theme.plot);
    if (grid.values.empty() || pixels.isEmpty())
        return image;
    constexpr int levels = contourLevels;
    const auto levelAt = [&](int x, int y) {
        const double v = grid.at((x + 0.5) / pixels.width() * (grid.columns - 1),
                                 (1 - (y + 0.5) / pixels.height()) * (grid.rows - 1))
            - scale.base;
        if (!std::isfinite(v))
            return levels;
        const double below = (scale.top - std::log10(std::max(v, 1e-300))) * levelsPerDecade;
        return std::clamp(levels - 1 - static_cast<int>(std::min(std::floor(below), 1e6)), 0, levels - 1);
    };
    std::array<QRgb, levels + 1> fill{};
    std::array<QRgb, levels + 1> edge{};
    for (int k = 0; k < levels; ++k) {
        const QColor c = levelColour(k, theme);
        fill[static_cast<std::size_t>(k)] = c.rgb();
        edge[static_cast<std::size_t>(k)] = (theme.isDark ? c.lighter(128) : c.darker(112)).rgb();
    }
    fill[levels] = edge[levels] = theme.separator.rgb();
    std::vector<int> above(static_cast<std::size_t>(pixels.width()), -1);
    for (int y = 0; y < pixels.height(); ++y) {
        if (cancelled)
            return {};
        auto *line = reinterpret_cast<QRgb *>(image.scanLine(y));
        int before = -1;
        for (int x = 0; x < pixels.width(); ++x) {
            const int level = levelAt(x, y);
            int &up = above[static_cast<std::size_t>(x)];
            const bool border = (before >= 0 && before != level) || (up >= 0 && up != level);
            line[x] = border ? edge[static_cast<std::size_t>(level)] : fill[static_cast<std::size_t>(level)];
            before = level;
            up = level;
        }
    }
    return image;
}

} // namespace appa::ui
