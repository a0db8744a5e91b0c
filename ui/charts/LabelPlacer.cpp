#include "charts/LabelPlacer.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace appa::ui {

namespace {

constexpr double cell = 4;      ///< pixels
constexpr double penMargin = 1; ///< half the width of a line
constexpr double labelGap = 3;  ///< between labels side by side
constexpr double labelRowGap = 1;

} // namespace

LabelPlacer::LabelPlacer(const QRectF &area)
    : m_area(area), m_columns(static_cast<int>(area.width() / cell) + 1),
      m_rows(static_cast<int>(area.height() / cell) + 1),
      m_cells(static_cast<std::size_t>(m_columns + 1) * static_cast<std::size_t>(m_rows + 1))
{
}

int LabelPlacer::columnOf(double x) const
{
    return static_cast<int>(std::clamp(std::floor((x - m_area.left()) / cell), 0.0, m_columns - 1.0));
}

int LabelPlacer::rowOf(double y) const
{
    return static_cast<int>(std::clamp(std::floor((y - m_area.top()) / cell), 0.0, m_rows - 1.0));
}

void LabelPlacer::cross(int column, double top, double bottom)
{
    if (bottom < m_area.top() || top > m_area.bottom())
        return;
    int *cells = m_cells.data() + static_cast<std::ptrdiff_t>(column) * (m_rows + 1);
    ++cells[rowOf(top)];
    --cells[rowOf(bottom) + 1];
}

void LabelPlacer::block(const QList<QPointF> &line)
{
    if (line.isEmpty())
        return;
    // A line is connected: within a column it crosses everything between its lowest and its highest point there.
    int column = columnOf(line.front().x());
    double top = line.front().y();
    double bottom = top;
    const auto reach = [&](double y) {
        top = std::min(top, y);
        bottom = std::max(bottom, y);
    };
    for (qsizetype i = 1; i < line.size(); ++i) {
        const QPointF a = line[i - 1];
        const QPointF b = line[i];
        for (const int to = columnOf(b.x()); column < to; ++column) {
            const double edge = m_area.left() + (column + 1) * cell;
            const double y = a.y() + (edge - a.x()) / (b.x() - a.x()) * (b.y() - a.y());
            reach(y);
            cross(column, top - penMargin, bottom + penMargin);
            top = bottom = y;
        }
        reach(b.y());
    }
    cross(column, top - penMargin, bottom + penMargin);
}

void LabelPlacer::block(const QRectF &symbol)
{
    for (int column = columnOf(symbol.left()); column <= columnOf(symbol.right()); ++column)
        cross(column, symbol.top(), symbol.bottom());
}

void LabelPlacer::sum()
{
    m_summed = true;
    const int stride = m_rows + 1;
    std::vector<int> sums(m_cells.size(), 0); // row 0 and column 0: nothing yet
    for (int column = 0; column < m_columns; ++column) {
        const int *cells = m_cells.data() + static_cast<std::ptrdiff_t>(column) * stride;
        const int *before = sums.data() + static_cast<std::ptrdiff_t>(column) * stride;
        int *now = sums.data() + static_cast<std::ptrdiff_t>(column + 1) * stride;
        int lines = 0;
        int crossed = 0;
        for (int row = 0; row < m_rows; ++row) {
            lines += cells[row];
            crossed += lines > 0 ? 1 : 0;
            now[row + 1] = before[row + 1] + crossed;
        }
    }
    m_cells = std::move(sums);
}

double LabelPlacer::covered(const QRectF &place)
{
    if (!m_area.contains(place) || std::ranges::any_of(m_taken, [&](const QRectF &t) { return t.intersects(place); }))
        return std::numeric_limits<double>::infinity();
    if (!m_summed)
        sum();
    const int left = columnOf(place.left());
    const int right = columnOf(place.right()) + 1;
    const int top = rowOf(place.top());
    const int bottom = rowOf(place.bottom()) + 1;
    const auto at = [&](int column, int row) {
        return m_cells[static_cast<std::size_t>(column) * static_cast<std::size_t>(m_rows + 1)
                       + static_cast<std::size_t>(row)];
    };
    const int crossed = at(right, bottom) - at(left, bottom) - at(right, top) + at(left, top);
    return static_cast<double>(crossed) / ((right - left) * (bottom - top));
}

std::optional<std::size_t> LabelPlacer::take(std::span<const QRectF> places, double allowed,
                                             std::optional<std::size_t> last)
{
    std::size_t best = places.size();
    double least = std::numeric_limits<double>::infinity();
    for (std::size_t i = 0; i < places.size() && least > 0; ++i) {
        if (const double part = covered(places[i]); part < least) {
            least = part;
            best = i;
        }
    }
    if (best == places.size() || least > allowed)
        return std::nullopt;
    if (last && *last < places.size() && covered(places[*last]) <= std::min(allowed, 2 * least))
        best = *last;
    m_taken.push_back(places[best].adjusted(-labelGap, -labelRowGap, labelGap, labelRowGap));
    return best;
}

} // namespace appa::ui
