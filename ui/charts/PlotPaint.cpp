// How a plot gets onto the screen: the lines at rest into a picture, the live ones into the chart, the rest over it.
#include "charts/Decimate.h"
#include "charts/PlotView.h"

#include <QChart>
#include <QLineSeries>
#include <QPainter>
#include <QValueAxis>

#include <algorithm>
#include <chrono>
#include <cmath>

namespace appa::ui {

namespace {

// A stroke 1.4 px wide costs about 0.7 us. More than this is first drawn coarsely.
constexpr qsizetype strokesAtOnce = 8000;
constexpr int coarseStrokes = 4000;
constexpr double bakeSliceMs = 5;
constexpr std::ptrdiff_t linesAtOnce = 12; ///< more lines at rest are thinned later, in portions

double millisecondsSince(std::chrono::steady_clock::time_point begun)
{
    return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begun).count();
}

QPixmap blank(const QSizeF &size, qreal ratio)
{
    QPixmap picture((size * ratio).toSize());
    picture.setDevicePixelRatio(ratio);
    picture.fill(Qt::transparent);
    return picture;
}

} // namespace

void PlotView::layoutChart()
{
    m_margins = m_painter.margins(m_content, m_series, size(), m_sharedLeft, m_sharedRight);
    const PlotFrame f = frame();
    if (chart()->plotArea() != f.plot)
        chart()->setPlotArea(f.plot);
    m_xAxis->setRange(f.x.lo, f.x.hi);
    m_yAxis->setRange(f.y.lo, f.y.hi);
}

void PlotView::updateLine(std::size_t i, const PlotFrame &f)
{
    const PlotSeries &s = m_series[i];
    Line &line = *m_lines[i];
    line.dirty = false;
    line.outline =
        s.visible ? PlotPainter::outline(f, s, std::max(50, static_cast<int>(f.plot.width()))) : QList<QPointF>();
    if (!s.live || !s.isSolid()) { // ours to draw
        if (line.series)
            line.series->clear();
        return;
    }
    if (!line.series) {
        line.series = new QLineSeries;
        chart()->addSeries(line.series);
        line.series->attachAxis(m_xAxis);
        line.series->attachAxis(m_yAxis);
    }
    const QPen pen(s.colour, s.width, Qt::SolidLine, Qt::SquareCap);
    if (line.series->pen() != pen)
        line.series->setPen(pen);
    QList<QPointF> positions = line.outline;
    for (QPointF &q : positions)
        q = f.unmap(q);
    line.series->replace(positions);
}

void PlotView::flush()
{
    m_sync.stop();
    if (!m_dirty)
        return;
    m_dirty = false;
    const QRectF before = frame().plot;
    layoutChart();
    const PlotFrame f = frame();
    if (f.plot != before) {
        m_backgroundDirty = true;
        for (auto &line : m_lines)
            line->dirty = true;
    }
    const bool many =
        std::count_if(m_series.begin(), m_series.end(), [](const PlotSeries &s) { return !s.live && s.visible; })
        > linesAtOnce;
    for (std::size_t i = 0; i < m_series.size(); ++i) {
        if (m_lines[i]->dirty && (!many || m_series[i].live || !m_series[i].visible))
            updateLine(i, f);
    }
    if (m_backgroundDirty) {
        m_backgroundDirty = false;
        bakeLines();
        m_ground = QPixmap();
    }
    redraw();
}

void PlotView::bakeLines()
{
    const PlotFrame f = frame();
    m_bakeTimer.stop();
    m_baking = QPixmap();
    qsizetype total = 0;
    int lines = 0;
    bool later = false;
    for (std::size_t i = 0; i < m_series.size(); ++i) {
        if (m_series[i].live || !m_series[i].visible)
            continue;
        total += m_lines[i]->outline.size();
        later = later || m_lines[i]->dirty;
        ++lines;
    }
    later = later || total > strokesAtOnce;
    const bool sameFrame =
        m_bakedFrame.plot == f.plot && m_bakedFrame.x == f.x && m_bakedFrame.y == f.y && !m_baked.isNull();
    if (!later || !sameFrame) {
        m_baked = blank(f.plot.size(), devicePixelRatioF());
        m_bakedFrame = f;
        QPainter p(&m_baked);
        p.setRenderHint(QPainter::Antialiasing, true);
        p.translate(-f.plot.topLeft());
        for (std::size_t i = 0; i < m_series.size(); ++i) {
            const PlotSeries &s = m_series[i];
            if (s.live || !s.visible)
                continue;
            if (!later) {
                PlotPainter::stroke(p, f, s, m_lines[i]->outline);
                continue;
            }
            // Hairlines are several times cheaper.
            p.setPen(QPen(s.colour, 1));
            const QList<QPointF> coarse = PlotPainter::outline(f, s, std::max(25, coarseStrokes / (4 * lines)));
            for (const PlotPainter::Piece &piece : PlotPainter::pieces(f, s, coarse))
                p.drawLines(strokes(piece.line, piece.dash));
        }
    }
    if (later) {
        m_bakeNext = 0;
        m_bakeTimer.start(sameFrame ? 0 : 80);
    }
}

void PlotView::bakeMore()
{
    const auto begun = std::chrono::steady_clock::now();
    const PlotFrame f = frame();
    if (m_bakeNext == 0) {
        m_baking = blank(m_baked.deviceIndependentSize(), m_baked.devicePixelRatio());
    }
    {
        QPainter p(&m_baking);
        p.setRenderHint(QPainter::Antialiasing, true);
        p.translate(-f.plot.topLeft());
        for (; m_bakeNext < m_series.size() && millisecondsSince(begun) < bakeSliceMs; ++m_bakeNext) {
            if (m_series[m_bakeNext].live)
                continue;
            if (m_lines[m_bakeNext]->dirty)
                updateLine(m_bakeNext, f);
            if (m_series[m_bakeNext].visible)
                PlotPainter::stroke(p, f, m_series[m_bakeNext], m_lines[m_bakeNext]->outline);
        }
    }
    if (m_bakeNext < m_series.size()) {
        m_bakeTimer.start(1);
        return;
    }
    m_baked = std::exchange(m_baking, QPixmap());
    m_ground = QPixmap();
    redraw();
}

void PlotView::drawPicture()
{
    const QSizeF size = viewport()->size();
    const qreal ratio = devicePixelRatioF();
    if (m_ground.isNull() || m_ground.size() != (size * ratio).toSize()) {
        m_ground = blank(size, ratio);
        QPainter p(&m_ground);
        p.setRenderHint(QPainter::Antialiasing, true);
        const PlotFrame f = frame();
        m_painter.background(p, f, m_content);
        m_painter.bands(p, f, m_series);
        p.drawPixmap(f.plot.topLeft(), m_baked);
    }
    m_picture = m_ground;
    QPainter p(&m_picture);
    p.setRenderHint(QPainter::Antialiasing, true);
    render(&p, QRectF(QPointF(), size), viewport()->rect());
}

void PlotView::drawBackground(QPainter *, const QRectF &)
{
    // It is in the picture already.
}

void PlotView::drawForeground(QPainter *painter, const QRectF &)
{
    const PlotFrame f = frame();
    painter->save();
    painter->setClipRect(f.plot);
    for (std::size_t i = 0; i < m_series.size(); ++i) {
        if (m_series[i].live && !m_series[i].isSolid())
            PlotPainter::stroke(*painter, f, m_series[i], m_lines[i]->outline);
    }
    painter->restore();
    std::vector<QList<QPointF>> outlines;
    for (const auto &line : m_lines)
        outlines.push_back(line->outline);
    m_labels = m_painter.foreground(*painter, f, m_content, m_series, outlines, m_labels);
    m_legend = m_painter.titleRow(*painter, f, m_content, m_series);
    m_painter.cursors(*painter, f, m_content);
}

/// What changes with the mouse or the clock, over the picture.
void PlotView::drawOver(QPainter &painter) const
{
    const PlotFrame f = frame();
    const Theme &theme = m_painter.theme();
    if (m_crosshair && f.x.contains(*m_crosshair)) {
        const double x = std::floor(f.map({*m_crosshair, f.y.lo}).x()) + 0.5;
        painter.setRenderHint(QPainter::Antialiasing, false);
        painter.setPen(QPen(theme.crosshair, 1));
        painter.drawLine(QPointF(x, f.plot.top()), QPointF(x, f.plot.bottom()));
        painter.setRenderHint(QPainter::Antialiasing, true);
        for (const PointMark &dot : m_dots) {
            const QPointF at = f.map(dot.at);
            if (!f.plot.contains(at))
                continue;
            painter.setPen(QPen(theme.plot, 1.5));
            painter.setBrush(dot.colour);
            painter.drawEllipse(at, 4, 4);
        }
        if (m_content.showXAxis)
            m_painter.axisFlag(painter, f, *m_crosshair, m_crosshairLabel);
    }
    if (m_drag == Drag::Zoom) {
        const QRectF band = QRectF(m_dragFrom, m_dragTo).normalized() & f.plot;
        QColor fill = theme.accent;
        fill.setAlphaF(0.15F);
        painter.setRenderHint(QPainter::Antialiasing, false);
        painter.setPen(QPen(theme.accent, 1));
        painter.setBrush(fill);
        painter.drawRect(band);
    }
    if (!m_overlay.isEmpty()) {
        painter.setFont(theme.font(TextRole::Small));
        const QFontMetricsF m(painter.font());
        const QRectF box(f.plot.right() - m.horizontalAdvance(m_overlay) - 20, f.plot.bottom() - m.height() - 12,
                         m.horizontalAdvance(m_overlay) + 12, m.height() + 4);
        painter.setPen(Qt::NoPen);
        QColor ground = theme.panel;
        ground.setAlphaF(0.9F);
        painter.setBrush(ground);
        painter.drawRoundedRect(box, 3, 3);
        painter.setPen(theme.textMuted);
        painter.drawText(box, Qt::AlignCenter, m_overlay);
    }
}

void PlotView::paintEvent(QPaintEvent *)
{
    const auto begun = std::chrono::steady_clock::now();
    if (m_picture.isNull() || m_picture.size() != viewport()->size() * devicePixelRatioF())
        drawPicture();
    QPainter p(viewport());
    p.drawPixmap(0, 0, m_picture);
    p.setRenderHint(QPainter::Antialiasing, true);
    drawOver(p);
    emit painted(millisecondsSince(begun));
}

} // namespace appa::ui
