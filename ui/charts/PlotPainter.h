#pragma once

#include "charts/PlotContent.h"
#include "charts/PlotLabels.h"
#include "theme/Theme.h"

#include <QHash>

#include <span>

class QPainter;

namespace appa::ui {

/// Pixels a plot needs around its plot area; stacked plots share the larger left and right ones so that they line up.
struct PlotMargins
{
    double left = 0;
    double right = 0;
    double top = 0;
    double bottom = 0;
};

/// A legend entry as it was painted.
struct LegendHit
{
    int id = 0;
    QRectF rect;
};

/// Paints everything of a plot but the lines of a live chart: the same for window, PNG, SVG and PDF.
class PlotPainter final
{
public:
    explicit PlotPainter(Theme theme) : m_theme(std::move(theme)) { }

    /// `size`: of the whole plot, so that ticks and legend rows can be counted; `left`, `right`: at least these.
    PlotMargins margins(const PlotContent &content, std::span<const PlotSeries> series, const QSizeF &size,
                        double left = 0, double right = 0) const;
    static PlotFrame frame(const PlotContent &content, const QRectF &outer, const PlotMargins &margins);

    /// Ground, grid, axes and their labels.
    void background(QPainter &p, const PlotFrame &frame, const PlotContent &content) const;
    void bands(QPainter &p, const PlotFrame &frame, std::span<const PlotSeries> series) const;
    /// The pixels of a line as it is to be drawn: thinned, and cut at the range's ends.
    static QList<QPointF> outline(const PlotFrame &frame, const PlotSeries &series, int columns);
    /// Of every line, as wide as the plot is; nothing for a hidden one.
    static std::vector<QList<QPointF>> outlines(const PlotFrame &frame, std::span<const PlotSeries> series);
    /// One line on a screen, fast; the caller clips.
    static void stroke(QPainter &p, const PlotFrame &frame, const PlotSeries &series, const QList<QPointF> &outline);
    /// An outline cut where the dash changes.
    struct Piece
    {
        QList<QPointF> line;
        QList<qreal> dash; ///< in widths of the line
    };
    static std::vector<Piece> pieces(const PlotFrame &frame, const PlotSeries &series, const QList<QPointF> &outline);
    /// The lines themselves, clipped to the plot: for figures.
    void lines(QPainter &p, const PlotFrame &frame, std::span<const PlotSeries> series,
               std::span<const QList<QPointF>> outlines) const;
    /// Reference lines, stage ticks, theory, events, marks, end labels. Returns the labels within the plot; `last`:
    /// those of the frame before.
    std::vector<PlotLabel> foreground(QPainter &p, const PlotFrame &frame, const PlotContent &content,
                                      std::span<const PlotSeries> series, std::span<const QList<QPointF>> outlines,
                                      std::span<const PlotLabel> last = {}) const;
    /// Title, notices, and the legend with its values.
    std::vector<LegendHit> titleRow(QPainter &p, const PlotFrame &frame, const PlotContent &content,
                                    std::span<const PlotSeries> series) const;
    /// What the crosshair stands at, on the x axis.
    void axisFlag(QPainter &p, const PlotFrame &frame, double x, const QString &label) const;
    void cursors(QPainter &p, const PlotFrame &frame, const PlotContent &content) const;

    const Theme &theme() const { return m_theme; }

private:
    void guideLines(QPainter &p, const PlotFrame &frame, const PlotContent &content) const;
    void stageTicks(QPainter &p, const PlotFrame &frame, const PlotContent &content) const;
    void pointMark(QPainter &p, const PointMark &mark, const MarkPlace &place) const;
    void eventPlate(QPainter &p, const PlotLabel &label) const;
    void marginLabels(QPainter &p, const PlotFrame &frame, std::span<const PlotSeries> series) const;
    double smallWidth(const QString &text) const;
    double legendEntryWidth(const PlotSeries &series) const;
    int neededRows(const PlotContent &content, std::span<const PlotSeries> series, double width) const; ///< for all
    int legendRows(const PlotContent &content, std::span<const PlotSeries> series, double width) const;

    Theme m_theme;
    mutable QHash<QString, double> m_widths; ///< measuring text costs more than drawing it
};

/// Where a curve's label belongs: its y where it ends or leaves the range to the right, NaN if it is not in view.
double endHeight(const PlotSeries &series, const Range &x, const Range &y);

/// Moves intervals of one height apart with the least displacement that keeps their order and stays in [top, bottom].
/// Wishes must be sorted.
std::vector<double> spreadLabels(std::vector<double> wishes, double spacing, double top, double bottom);

} // namespace appa::ui
