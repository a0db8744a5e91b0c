#pragma once

#include <QList>
#include <QPointF>
#include <QRectF>

#include <optional>
#include <span>
#include <vector>

namespace appa::ui {

/// Finds room for labels in a plot. A grid of small cells knows where curves run, and the sums of its rectangles from
/// the corner (a summed-area table) tell for any place at once how much of it they cross.
class LabelPlacer final
{
public:
    explicit LabelPlacer(const QRectF &area);

    /// A curve (pixels, x not decreasing, may leave the area) or the symbol of a mark. Before the first label.
    void block(const QList<QPointF> &line);
    void block(const QRectF &symbol);

    /// The part of a place that curves cross; infinite where it leaves the area or lies on a label.
    double covered(const QRectF &place);

    /// Takes the first place that is free, or else the one covered least if that is at most `allowed`. A label stays
    /// where it was `last` while that is about as good: it does not jump from frame to frame.
    std::optional<std::size_t> take(std::span<const QRectF> places, double allowed, std::optional<std::size_t> last);

private:
    void cross(int column, double top, double bottom);
    void sum();
    int columnOf(double x) const;
    int rowOf(double y) const;

    QRectF m_area;
    int m_columns;
    int m_rows;
    /// By columns. First the changes down a column: +1 where a line enters, -1 below where it leaves. Then, summed, the
    /// number of crossed cells above and to the left.
    std::vector<int> m_cells;
    bool m_summed = false;
    std::vector<QRectF> m_taken;
};

} // namespace appa::ui
