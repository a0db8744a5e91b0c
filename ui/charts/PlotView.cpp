#include "charts/PlotView.h"

#include <QChart>
#include <QGraphicsLayout>
#include <QLegend>
#include <QLineSeries>
#include <QValueAxis>

#include <algorithm>

namespace appa::ui {

PlotView::PlotView(QWidget *parent) : QChartView(parent), m_painter(Theme::light())
{
    setFrameShape(QFrame::NoFrame);
    setRenderHint(QPainter::Antialiasing);
    setMouseTracking(true);
    viewport()->setMouseTracking(true);
    setViewportUpdateMode(QGraphicsView::FullViewportUpdate);
    setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    setVerticalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    setFocusPolicy(Qt::NoFocus);

    QChart *c = chart();
    c->legend()->hide();
    c->setMargins({});
    c->layout()->setContentsMargins(0, 0, 0, 0);
    c->setBackgroundVisible(false);
    c->setPlotAreaBackgroundVisible(false);
    c->setAnimationOptions(QChart::NoAnimation);
    m_xAxis = new QValueAxis;
    m_yAxis = new QValueAxis;
    for (QValueAxis *axis : {m_xAxis, m_yAxis})
        axis->setVisible(false);
    c->addAxis(m_xAxis, Qt::AlignBottom);
    c->addAxis(m_yAxis, Qt::AlignLeft);

    m_sync.setSingleShot(true);
    m_sync.setInterval(0);
    connect(&m_sync, &QTimer::timeout, this, &PlotView::flush);
    m_bakeTimer.setSingleShot(true);
    connect(&m_bakeTimer, &QTimer::timeout, this, &PlotView::bakeMore);
    m_gesture.setSingleShot(true);
    m_gesture.setInterval(250);
}

PlotView::~PlotView() = default;

void PlotView::touch(bool background)
{
    m_dirty = true;
    m_backgroundDirty = m_backgroundDirty || background;
    if (!m_sync.isActive())
        m_sync.start();
}

void PlotView::redraw()
{
    m_picture = QPixmap();
    viewport()->update();
}

void PlotView::setTheme(const Theme &theme)
{
    m_painter = PlotPainter(theme);
    touch(true);
}

void PlotView::setContent(const PlotContent &content)
{
    const bool sameRanges = content.x == m_content.x && content.y == m_content.y;
    const bool sameAxes = sameRanges && content.xScale.log == m_content.xScale.log
        && content.yScale.log == m_content.yScale.log && content.xLabel == m_content.xLabel
        && content.yLabel == m_content.yLabel && content.showXAxis == m_content.showXAxis;
    if (content == m_content)
        return;
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

const PlotSeries *PlotView::series(int id) const
{
    const auto it = std::find_if(m_series.begin(), m_series.end(), [id](const PlotSeries &s) { return s.id == id; });
    return it == m_series.end() ? nullptr : &*it;
}

void PlotView::setSeries(PlotSeries series)
{
    const auto it =
        std::find_if(m_series.begin(), m_series.end(), [&](const PlotSeries &s) { return s.id == series.id; });
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
    const auto it =
        std::find_if(m_series.begin(), m_series.end(), [&](const PlotSeries &s) { return s.id == look.id; });
    if (it == m_series.end())
        return;
    if (it->name == look.name && it->colour == look.colour && it->dash == look.dash && it->before == look.before
        && it->from == look.from && it->width == look.width && it->visible == look.visible && it->live == look.live
        && it->diverged == look.diverged && it->current == look.current)
        return;
    it->name = look.name;
    it->colour = look.colour;
    it->dash = look.dash;
    it->before = look.before;
    it->from = look.from;
    it->width = look.width;
    it->visible = look.visible;
    it->live = look.live;
    it->diverged = look.diverged;
    it->current = look.current;
    m_lines[static_cast<std::size_t>(it - m_series.begin())]->dirty = true;
    touch(true);
}

void PlotView::setValue(int id, const QString &value)
{
    const auto it = std::find_if(m_series.begin(), m_series.end(), [id](const PlotSeries &s) { return s.id == id; });
    if (it == m_series.end() || it->value == value)
        return;
    it->value = value;
    redraw();
}

void PlotView::removeSeries(int id)
{
    const auto it = std::find_if(m_series.begin(), m_series.end(), [id](const PlotSeries &s) { return s.id == id; });
    if (it == m_series.end())
        return;
    const auto line = m_lines.begin() + (it - m_series.begin());
    if ((*line)->series)
        chart()->removeSeries((*line)->series);
    delete (*line)->series;
    m_lines.erase(line);
    m_series.erase(it);
    touch(true);
}

void PlotView::clearSeries()
{
    chart()->removeAllSeries();
    m_lines.clear();
    m_series.clear();
    m_labels.clear();
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

void PlotView::setCrosshair(std::optional<double> x, std::vector<PointMark> dots, const QString &label)
{
    m_crosshair = x;
    m_dots = std::move(dots);
    m_crosshairLabel = label;
    viewport()->update();
}

void PlotView::setReadLabel(const QString &text)
{
    if (text == m_content.readLabel)
        return;
    m_content.readLabel = text;
    touch(false); // the legend may need another row
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
        if (m_series[i].id == id)
            return m_lines[i]->outline;
    }
    return {};
}

void PlotView::resizeEvent(QResizeEvent *event)
{
    QChartView::resizeEvent(event);
    for (auto &line : m_lines)
        line->dirty = true;
    m_labels.clear();
    m_dirty = true;
    m_backgroundDirty = true;
    flush();
    QTimer::singleShot(0, this, &PlotView::redraw); // the chart may lay itself out only now
}

} // namespace appa::ui
