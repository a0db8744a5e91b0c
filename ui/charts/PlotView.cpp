#include "charts/PlotView.h"

#include "charts/Decimate.h"

#include <QChart>
#include <QGraphicsLayout>
#include <QLegend>
#include <QLineSeries>
#include <QPainter>
#include <QToolTip>
#include <QValueAxis>

#include <algorithm>
#include <chrono>
#include <cmath>

namespace appa::ui {

namespace {

// Qt Charts paints about 1.5 us per point: so many points per plot keep a full repaint (two plots) within a frame.
constexpr int coarseBudget = 5000;
constexpr int fineBudget = 40000;

} // namespace

struct PlotView::Line
{
    QLineSeries *series = nullptr; ///< owned by the chart it is in
    bool live = false;
    bool dirty = true; ///< points or range changed
};

PlotView::PlotView(QWidget *parent) : QChartView(parent), m_painter(Theme::light()), m_settledScene(std::make_unique<QGraphicsScene>())
{
    setFrameShape(QFrame::NoFrame);
    setRenderHint(QPainter::Antialiasing);
    setMouseTracking(true);
    viewport()->setMouseTracking(true);
    setCacheMode(QGraphicsView::CacheBackground);
    setViewportUpdateMode(QGraphicsView::FullViewportUpdate);
    setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    setVerticalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    setFocusPolicy(Qt::NoFocus);

    m_live = makeLayer();
    QChart *stock = chart();
    setChart(m_live.chart);
    delete stock;
    m_settled = makeLayer();
    m_settledScene->addItem(m_settled.chart);

    m_sync.setSingleShot(true);
    m_sync.setInterval(0);
    connect(&m_sync, &QTimer::timeout, this, &PlotView::flush);
    m_refine.setSingleShot(true);
    m_refine.setInterval(120);
    connect(&m_refine, &QTimer::timeout, this, [this] {
        m_coarse = false;
        for (auto &line : m_lines)
            line->dirty = true;
        touch(true);
    });
}

PlotView::~PlotView() = default;

PlotView::Layer PlotView::makeLayer()
{
    Layer layer;
    layer.chart = new QChart;
    layer.chart->legend()->hide();
    layer.chart->setMargins({});
    layer.chart->layout()->setContentsMargins(0, 0, 0, 0);
    layer.chart->setBackgroundVisible(false);
    layer.chart->setPlotAreaBackgroundVisible(false);
    layer.chart->setAnimationOptions(QChart::NoAnimation);
    layer.x = new QValueAxis;
    layer.y = new QValueAxis;
    for (QValueAxis *axis : {layer.x, layer.y})
        axis->setVisible(false);
    layer.chart->addAxis(layer.x, Qt::AlignBottom);
    layer.chart->addAxis(layer.y, Qt::AlignLeft);
    return layer;
}

void PlotView::touch(bool background)
{
    m_dirty = true;
    m_backgroundDirty = m_backgroundDirty || background;
    if (!m_sync.isActive())
        m_sync.start();
}

void PlotView::setTheme(const Theme &theme)
{
    m_painter = PlotPainter(theme);
    touch(true);
}

void PlotView::setContent(const PlotContent &content)
{
    const bool sameRanges = content.x == m_content.x && content.y == m_content.y;
    const bool sameAxes = sameRanges && content.xScale.log == m_content.xScale.log && content.yScale.log == m_content.yScale.log
                          && content.xLabel == m_content.xLabel && content.yLabel == m_content.yLabel
                          && content.showXAxis == m_content.showXAxis;
    m_content = content;
    if (!sameRanges) {
        for (auto &line : m_lines)
            line->dirty = true;
    }
    touch(!sameAxes);
}

void PlotView::setRanges(const Range &x, const Range &y)
{
    if (x == m_content.x && y == m_content.y)
        return;
    m_content.x = x;
    m_content.y = y;
    for (auto &line : m_lines)
        line->dirty = true;
    touch(true);
}

PlotView::Line *PlotView::find(int id)
{
    for (std::size_t i = 0; i < m_series.size(); ++i) {
        if (m_series[i].id == id)
            return m_lines[i].get();
    }
    return nullptr;
}

const PlotSeries *PlotView::series(int id) const
{
    const auto it = std::find_if(m_series.begin(), m_series.end(), [id](const PlotSeries &s) { return s.id == id; });
    return it == m_series.end() ? nullptr : &*it;
}

void PlotView::setSeries(PlotSeries series)
{
    const auto it = std::find_if(m_series.begin(), m_series.end(), [&](const PlotSeries &s) { return s.id == series.id; });
    if (it == m_series.end()) {
        m_series.push_back(std::move(series));
        m_lines.push_back(std::make_unique<Line>());
    } else {
        Line &line = *m_lines[static_cast<std::size_t>(it - m_series.begin())];
        line.dirty = true;
        *it = std::move(series);
    }
    touch(true);
}

void PlotView::appendPoints(int id, std::size_t keep, std::span<const QPointF> points)
{
    const auto it = std::find_if(m_series.begin(), m_series.end(), [id](const PlotSeries &s) { return s.id == id; });
    if (it == m_series.end())
        return;
    it->points.resize(std::min(keep, it->points.size()));
    it->points.insert(it->points.end(), points.begin(), points.end());
    m_lines[static_cast<std::size_t>(it - m_series.begin())]->dirty = true;
    touch(!it->live);
}

void PlotView::setLook(const PlotSeries &look)
{
    const auto it = std::find_if(m_series.begin(), m_series.end(), [&](const PlotSeries &s) { return s.id == look.id; });
    if (it == m_series.end())
        return;
    if (it->name == look.name && it->colour == look.colour && it->dash == look.dash && it->width == look.width
        && it->visible == look.visible && it->live == look.live)
        return;
    it->name = look.name;
    it->colour = look.colour;
    it->dash = look.dash;
    it->width = look.width;
    it->visible = look.visible;
    it->live = look.live;
    m_lines[static_cast<std::size_t>(it - m_series.begin())]->dirty = true;
    touch(true);
}

void PlotView::setValue(int id, const QString &value)
{
    const auto it = std::find_if(m_series.begin(), m_series.end(), [id](const PlotSeries &s) { return s.id == id; });
    if (it == m_series.end() || it->value == value)
        return;
    it->value = value;
    viewport()->update();
}

void PlotView::removeSeries(int id)
{
    const auto it = std::find_if(m_series.begin(), m_series.end(), [id](const PlotSeries &s) { return s.id == id; });
    if (it == m_series.end())
        return;
    const auto line = m_lines.begin() + (it - m_series.begin());
    delete (*line)->series;
    m_lines.erase(line);
    m_series.erase(it);
    touch(true);
}

void PlotView::clearSeries()
{
    for (auto &line : m_lines)
        delete line->series;
    m_lines.clear();
    m_series.clear();
    touch(true);
}

PlotMargins PlotView::ownMargins() const
{
    return m_painter.margins(m_content, m_series, size());
}

void PlotView::setSharedMargins(double left, double right)
{
    if (left == m_sharedLeft && right == m_sharedRight)
        return;
    m_sharedLeft = left;
    m_sharedRight = right;
    touch(true);
}

void PlotView::setCrosshair(std::optional<double> x, std::vector<PointMark> dots)
{
    m_crosshair = x;
    m_dots = std::move(dots);
    viewport()->update();
}

void PlotView::setHoverLabel(const QString &text)
{
    if (text == m_content.hoverLabel)
        return;
    m_content.hoverLabel = text;
    viewport()->update();
}

void PlotView::setOverlayText(const QString &text)
{
    if (text == m_overlay)
        return;
    m_overlay = text;
    viewport()->update();
}

PlotFrame PlotView::frame() const
{
    return PlotPainter::frame(m_content, QRectF(QPointF(), QSizeF(size())), m_margins);
}

QList<QPointF> PlotView::drawnPoints(int id) const
{
    for (std::size_t i = 0; i < m_series.size(); ++i) {
        if (m_series[i].id == id && m_lines[i]->series)
            return m_lines[i]->series->points();
    }
    return {};
}

int PlotView::columnsPerLine() const
{
    const auto visible = std::count_if(m_series.begin(), m_series.end(), [](const PlotSeries &s) { return s.visible; });
    const int budget = (m_coarse ? coarseBudget : fineBudget) / (2 * std::max(1, static_cast<int>(visible)));
    return std::clamp(budget, 40, std::max(40, static_cast<int>(frame().plot.width())));
}

void PlotView::attach(Line &line, bool live)
{
    const Layer &to = live ? m_live : m_settled;
    if (line.series && line.live == live)
        return;
    delete line.series;
    line.series = new QLineSeries;
    line.live = live;
    to.chart->addSeries(line.series);
    line.series->attachAxis(to.x);
    line.series->attachAxis(to.y);
}

void PlotView::applyRanges(const Layer &layer)
{
    const PlotFrame f = frame();
    layer.x->setRange(f.x.lo, f.x.hi);
    layer.y->setRange(f.y.lo, f.y.hi);
}

void PlotView::layoutChart()
{
    PlotMargins m = ownMargins();
    m.left = std::max(m.left, m_sharedLeft);
    m.right = std::max(m.right, m_sharedRight);
    m_margins = m;
    const QRectF plot = frame().plot;
    const QRectF all{QPointF(), QSizeF(size())};
    for (const Layer &layer : {m_live, m_settled}) {
        if (layer.chart->size() != all.size())
            layer.chart->resize(all.size());
        if (layer.chart->plotArea() != plot)
            layer.chart->setPlotArea(plot);
    }
    m_settledScene->setSceneRect(all);
}

void PlotView::flush()
{
    m_sync.stop();
    if (!m_dirty)
        return;
    m_dirty = false;
    const QRectF before = frame().plot;
    layoutChart();
    if (frame().plot != before)
        m_backgroundDirty = true;
    applyRanges(m_live);
    applyRanges(m_settled);
    const PlotFrame f = frame();
    const int columns = columnsPerLine();
    for (std::size_t i = 0; i < m_series.size(); ++i) {
        const PlotSeries &s = m_series[i];
        Line &line = *m_lines[i];
        if (!line.dirty)
            continue;
        line.dirty = false;
        attach(line, s.live);
        QPen pen(s.colour, s.width);
        pen.setJoinStyle(Qt::RoundJoin);
        pen.setCapStyle(s.dash.isEmpty() ? Qt::RoundCap : Qt::FlatCap);
        if (!s.dash.isEmpty())
            pen.setDashPattern(s.dash);
        if (line.series->pen() != pen)
            line.series->setPen(pen);
        line.series->replace(s.visible ? decimate(s.points, f.x, columns) : QList<QPointF>());
    }
    if (m_backgroundDirty) {
        m_backgroundDirty = false;
        resetCachedContent();
    }
    viewport()->update();
}

void PlotView::drawBackground(QPainter *painter, const QRectF &)
{
    const PlotFrame f = frame();
    m_painter.background(*painter, f, m_content);
    m_painter.bands(*painter, f, m_series);
    painter->save();
    painter->setRenderHint(QPainter::Antialiasing, true);
    m_settledScene->render(painter, f.outer, f.outer, Qt::IgnoreAspectRatio);
    painter->restore();
}

void PlotView::drawForeground(QPainter *painter, const QRectF &)
{
    const PlotFrame f = frame();
    m_painter.foreground(*painter, f, m_content, m_series);
    m_legend = m_painter.titleRow(*painter, f, m_content, m_series);
    m_painter.cursors(*painter, f, m_content);
    const Theme &theme = m_painter.theme();
    if (m_crosshair && f.x.contains(*m_crosshair)) {
        const double x = std::floor(f.map({*m_crosshair, f.y.lo}).x()) + 0.5;
        painter->setRenderHint(QPainter::Antialiasing, false);
        painter->setPen(QPen(theme.crosshair, 1));
        painter->drawLine(QPointF(x, f.plot.top()), QPointF(x, f.plot.bottom()));
        painter->setRenderHint(QPainter::Antialiasing, true);
        for (const PointMark &dot : m_dots) {
            const QPointF at = f.map(dot.at);
            if (!f.plot.contains(at))
                continue;
            painter->setPen(QPen(theme.plot, 1.5));
            painter->setBrush(dot.colour);
            painter->drawEllipse(at, 4, 4);
        }
    }
    if (m_drag == Drag::Zoom) {
        const QRectF band = QRectF(m_dragFrom, m_dragTo).normalized() & f.plot;
        QColor fill = theme.accent;
        fill.setAlphaF(0.15F);
        painter->setRenderHint(QPainter::Antialiasing, false);
        painter->setPen(QPen(theme.accent, 1));
        painter->setBrush(fill);
        painter->drawRect(band);
    }
    if (!m_overlay.isEmpty()) {
        painter->setFont(theme.font(TextRole::Small));
        const QFontMetricsF m(painter->font());
        const QRectF box(f.plot.right() - m.horizontalAdvance(m_overlay) - 20, f.plot.bottom() - m.height() - 12,
                         m.horizontalAdvance(m_overlay) + 12, m.height() + 4);
        painter->setPen(Qt::NoPen);
        QColor ground = theme.panel;
        ground.setAlphaF(0.9F);
        painter->setBrush(ground);
        painter->drawRoundedRect(box, 3, 3);
        painter->setPen(theme.textMuted);
        painter->drawText(box, Qt::AlignCenter, m_overlay);
    }
}

void PlotView::paintFigure(QPainter &painter, const QRectF &outer) const
{
    PlotMargins m = m_painter.margins(m_content, m_series, outer.size());
    const PlotFrame f = PlotPainter::frame(m_content, outer, m);
    m_painter.background(painter, f, m_content);
    m_painter.bands(painter, f, m_series);
    m_painter.lines(painter, f, m_series);
    m_painter.foreground(painter, f, m_content, m_series);
    m_painter.titleRow(painter, f, m_content, m_series);
}

void PlotView::paintEvent(QPaintEvent *event)
{
    const auto begun = std::chrono::steady_clock::now();
    QChartView::paintEvent(event);
    emit painted(std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begun).count());
}

void PlotView::resizeEvent(QResizeEvent *event)
{
    QChartView::resizeEvent(event);
    for (auto &line : m_lines)
        line->dirty = true;
    m_dirty = true;
    m_backgroundDirty = true;
    flush();
}

} // namespace appa::ui
