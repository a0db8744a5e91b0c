#pragma once

#include "charts/Axis.h"

#include <QColor>
#include <QList>
#include <QPointF>
#include <QRectF>
#include <QString>

#include <algorithm>
#include <limits>
#include <optional>
#include <vector>

namespace appa::ui {

/// A part of a line that is drawn otherwise than its end.
struct DashBefore
{
    double until = 0; ///< x
    QList<qreal> dash;

    bool operator==(const DashBefore &) const = default;
};

/// One line of a plot. Points are positions (see AxisScale), finite, x not decreasing.
struct PlotSeries
{
    int id = 0;
    QString name;
    QColor colour;
    QList<qreal> dash;
    std::vector<DashBefore> before; ///< in order
    double from =
        std::numeric_limits<double>::lowest(); ///< x; up to there another line is the same, and drawn for both
    double width = 1.4;
    bool visible = true;
    bool live = false; ///< still growing: drawn by the live chart, the others from a cached picture
    bool diverged = false;
    bool current = false; ///< the run that the keys act on: named wherever there is any room
    std::vector<QPointF> points;
    std::vector<QPointF> upper; ///< with `lower`: a band behind the line, same x
    std::vector<QPointF> lower;
    QString value; ///< beside its name in the title row

    bool isSolid() const
    {
        return dash.isEmpty() && std::ranges::all_of(before, [](const DashBefore &b) { return b.dash.isEmpty(); });
    }
};

struct RefLine
{
    double y = 0;
    QString label;
    QColor colour;
    bool dotted = false;

    bool operator==(const RefLine &) const = default;
};

struct EventMark
{
    double x = 0;
    QString label; ///< "λ 10⁻³ → 10⁻⁵"
    QString key;   ///< what changed: marks of one key that lie close together share a label
    QColor colour; ///< of the run it belongs to

    bool operator==(const EventMark &) const = default;
};

struct PointMark
{
    enum class Kind {
        Diverged,
        Failed,
        Best,
        Dot,
        Beyond,  ///< a dot that is wanted also where it lies above the frame: then an arrow at the edge
        Beneath, ///< an arrow at the lower edge; nothing if it lies in the frame
    };

    Kind kind = Kind::Dot;
    QPointF at;
    QString text;
    QColor colour;
    double shift = 0;  ///< pixels to the right: marks at one place side by side
    int seriesId = -1; ///< Diverged: the line it ends; the mark goes to where that leaves the frame

    bool operator==(const PointMark &) const = default;
};

/// A vertical cursor the user placed.
struct PlotCursor
{
    double x = 0;
    QString label; ///< "A", "B"

    bool operator==(const PlotCursor &) const = default;
};

/// Everything about a plot but its lines: axes, texts, marks. Values only, shared by the window and the figures.
struct PlotContent
{
    QString title;
    QString subtitle; ///< muted, after the title: "loss until F_opt is known"
    QString notice;   ///< in the warning colour: "3 values at the floor"
    QString xLabel;
    QString yLabel;
    QString readLabel; ///< in the title row before the values, what they are: "A → B: 3 passes"
    AxisScale xScale;
    AxisScale yScale;
    Range x;
    Range y;
    bool showXAxis = true; ///< false: the plot below has the labels
    bool endLabels = true;
    int legendRows = 2; ///< at most; what has no room is counted; 0: no legend
    std::vector<RefLine> refLines;
    std::vector<EventMark> events;
    std::vector<double> stageTicks;
    std::vector<PointMark> marks;
    std::vector<QPointF> theory;
    QString theoryLabel;
    QColor theoryColour;
    std::vector<PlotCursor> cursors;
    QString emptyText; ///< in the middle while there is nothing to draw

    bool operator==(const PlotContent &) const = default;
};

/// Where things are. `plot` is the plot area itself.
struct PlotFrame
{
    QRectF outer;
    QRectF title;
    QRectF plot;
    Range x;
    Range y;

    QPointF map(const QPointF &position) const
    {
        return {plot.left() + (position.x() - x.lo) / x.span() * plot.width(),
                plot.bottom() - (position.y() - y.lo) / y.span() * plot.height()};
    }
    QPointF unmap(const QPointF &pixel) const
    {
        return {x.lo + (pixel.x() - plot.left()) / plot.width() * x.span(),
                y.lo + (plot.bottom() - pixel.y()) / plot.height() * y.span()};
    }
};

} // namespace appa::ui
