#pragma once

#include "charts/PlotContent.h"
#include "charts/PlotPainter.h"

#include <QChartView>
#include <QPixmap>
#include <QTimer>

#include <memory>
#include <span>

class QLineSeries;
class QValueAxis;

namespace appa::ui {

/// One plot on Qt Charts. The chart draws the lines on hidden axes in position space; grid, labels and marks are
/// painted by PlotPainter over the chart's plot area. Lines at rest are drawn once into a picture (at once coarsely,
/// then finely in small portions of time), so a new point costs only what is live; all of it is kept as a picture until
/// something changes, so a frame without news costs a copy. Dashed lines are drawn by us too: a wide dashed polyline
/// costs Qt 40 ms. It keeps no view state of its own: gestures are signalled, the owner sets the
/// ranges.
class PlotView final : public QChartView
{
    Q_OBJECT

public:
    enum Axis { NoAxis = 0, XOnly = 1, YOnly = 2, Both = 3 };

    explicit PlotView(QWidget *parent = nullptr);
    ~PlotView() override;

    void setTheme(const Theme &theme);
    const Theme &theme() const { return m_painter.theme(); }

    /// Axes, texts and marks. Cheap when only marks or texts differ.
    void setContent(const PlotContent &content);
    const PlotContent &content() const { return m_content; }
    void setRanges(const Range &x, const Range &y);

    /// Adds a line or replaces it.
    void setSeries(PlotSeries series);
    /// Truncates to `keep` points and appends: only this line is thinned again.
    void appendPoints(int id, std::size_t keep, std::span<const QPointF> points);
    /// Name, colour, dash, width, visibility, live; not the points.
    void setLook(const PlotSeries &look);
    void setValue(int id, const QString &value);
    void removeSeries(int id);
    void clearSeries();
    const PlotSeries *series(int id) const;
    const std::vector<PlotSeries> &allSeries() const { return m_series; }

    /// Stacked plots: at least these margins. nullopt: its own.
    PlotMargins ownMargins() const;
    void setSharedMargins(double left, double right);

    /// Vertical line at a position, with dots on the lines; nullopt: none.
    void setCrosshair(std::optional<double> x, std::vector<PointMark> dots = {}, const QString &label = {});
    const QString &crosshairLabel() const { return m_crosshairLabel; }
    std::optional<double> crosshair() const { return m_crosshair; }
    const std::vector<PointMark> &crosshairDots() const { return m_dots; }
    void setReadLabel(const QString &text);
    void setOverlayText(const QString &text); ///< frame counter, top right of the plot

    PlotFrame frame() const;
    /// Brings chart and caches up to date now; otherwise that happens before the next frame.
    void flush();
    /// What the chart draws for a line (after thinning), for tests.
    QList<QPointF> drawnPoints(int id) const;
    /// The labels within the newest picture.
    const std::vector<PlotLabel> &labels() const { return m_labels; }
    const std::vector<LegendHit> &legend() const { return m_legend; }

    QSize sizeHint() const override { return {640, 320}; }
    QSize minimumSizeHint() const override { return {240, 90}; }

signals:
    void hovered(double xPosition, QPointF pixel);
    void hoverLeft();
    /// A gesture asks for these ranges; `first` starts a new step of the zoom history.
    void viewRequested(appa::ui::Range x, appa::ui::Range y, bool first);
    void fitRequested();
    void cursorRequested(double xPosition);
    void legendClicked(int id);
    void legendDoubleClicked(int id);
    void seriesClicked(int id);
    void seriesDoubleClicked(int id, double xPosition);
    void painted(double milliseconds); ///< a frame, and what painting it cost

protected:
    void drawBackground(QPainter *painter, const QRectF &rect) override;
    void drawForeground(QPainter *painter, const QRectF &rect) override;
    void paintEvent(QPaintEvent *event) override;
    void resizeEvent(QResizeEvent *event) override;
    void mousePressEvent(QMouseEvent *event) override;
    void mouseMoveEvent(QMouseEvent *event) override;
    void mouseReleaseEvent(QMouseEvent *event) override;
    void mouseDoubleClickEvent(QMouseEvent *event) override;
    void wheelEvent(QWheelEvent *event) override;
    void leaveEvent(QEvent *event) override;
    void contextMenuEvent(QContextMenuEvent *event) override;
    bool event(QEvent *event) override;

private:
    struct Line
    {
        QLineSeries *series = nullptr; ///< owned by the chart; holds points while the line is live
        QList<QPointF> outline;        ///< pixels, thinned
        bool dirty = true;             ///< points, look or range changed
    };
    enum class Drag { None, Zoom, Pan };

    void touch(bool background);
    void redraw(); ///< the picture is out of date
    void drawPicture();
    void drawOver(QPainter &painter) const;
    void layoutChart();
    void updateLine(std::size_t i, const PlotFrame &frame);
    void bakeLines();
    void bakeMore();
    int legendAt(const QPointF &pixel) const;
    int seriesAt(const QPointF &pixel) const;
    Axis axesAt(const QPointF &pixel) const;
    void finishZoomDrag(const QPointF &to);

    PlotPainter m_painter;
    PlotContent m_content;
    std::vector<PlotSeries> m_series;
    std::vector<std::unique_ptr<Line>> m_lines; ///< parallel to m_series
    QValueAxis *m_xAxis;
    QValueAxis *m_yAxis;
    QPixmap m_picture; ///< all but crosshair, zoom band and frame counter; null: out of date
    QPixmap m_ground;  ///< grid, bands and the lines at rest; null: out of date
    QPixmap m_baked;   ///< the lines at rest, size of the plot area
    QPixmap m_baking;
    std::size_t m_bakeNext = 0;
    PlotFrame m_bakedFrame; ///< what m_baked shows
    PlotMargins m_margins;
    double m_sharedLeft = 0;
    double m_sharedRight = 0;
    std::optional<double> m_crosshair;
    std::vector<PointMark> m_dots;
    QString m_crosshairLabel; ///< on the x axis, where this plot has one
    QString m_overlay;
    std::vector<PlotLabel> m_labels; ///< they stay where they were while they can
    std::vector<LegendHit> m_legend;
    QTimer m_sync;
    QTimer m_bakeTimer;
    QTimer m_gesture; ///< runs while wheel notches belong together
    bool m_dirty = true;
    bool m_backgroundDirty = true;

    Drag m_drag = Drag::None;
    QPointF m_dragFrom;
    QPointF m_dragTo;
    Range m_panX;
    Range m_panY;
    bool m_gestureStarted = false;
    int m_pressedLegend = -1;
};

} // namespace appa::ui
