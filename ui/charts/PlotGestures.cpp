// The mouse on a plot: what it asks for is signalled, never done here.
#include "charts/PlotView.h"

#include <QContextMenuEvent>
#include <QHelpEvent>
#include <QMouseEvent>
#include <QToolTip>
#include <QWheelEvent>

#include <algorithm>
#include <cmath>
#include <limits>

namespace appa::ui {

namespace {

constexpr double clickSlop = 6;

Range zoomed(const Range &r, double about, double factor)
{
    return {about + (r.lo - about) * factor, about + (r.hi - about) * factor};
}

} // namespace

int PlotView::legendAt(const QPointF &pixel) const
{
    for (const LegendHit &hit : m_legend) {
        if (hit.rect.contains(pixel))
            return hit.id;
    }
    return -1;
}

int PlotView::seriesAt(const QPointF &pixel) const
{
    const PlotFrame f = frame();
    if (!f.plot.contains(pixel))
        return -1;
    int best = -1;
    double nearest = clickSlop;
    for (const PlotSeries &s : m_series) {
        if (!s.visible || s.points.empty())
            continue;
        const double from = std::max(s.from, f.unmap(pixel - QPointF(clickSlop, 0)).x());
        const double to = f.unmap(pixel + QPointF(clickSlop, 0)).x();
        const auto before = [](const QPointF &p, double v) { return p.x() < v; };
        auto it = std::lower_bound(s.points.begin(), s.points.end(), from, before);
        if (it != s.points.begin())
            --it;
        for (; it + 1 < s.points.end() && it->x() <= to; ++it) {
            const QPointF a = f.map(*it);
            const QPointF d = f.map(*(it + 1)) - a;
            const double length2 = QPointF::dotProduct(d, d);
            const double t = length2 > 0 ? std::clamp(QPointF::dotProduct(pixel - a, d) / length2, 0.0, 1.0) : 0.0;
            const QPointF off = pixel - (a + t * d);
            const double distance = std::hypot(off.x(), off.y());
            if (distance < nearest) {
                nearest = distance;
                best = s.id;
            }
        }
    }
    return best;
}

PlotView::Axis PlotView::axesAt(const QPointF &pixel) const
{
    const PlotFrame f = frame();
    if (f.plot.contains(pixel))
        return Both;
    if (pixel.x() < f.plot.left() && pixel.y() >= f.plot.top())
        return YOnly;
    if (pixel.y() > f.plot.bottom())
        return XOnly;
    return NoAxis;
}

void PlotView::mousePressEvent(QMouseEvent *event)
{
    event->accept();
    if (parentWidget())
        parentWidget()->setFocus(Qt::MouseFocusReason);
    m_pressedLegend = event->button() == Qt::LeftButton ? legendAt(event->position()) : -1;
    m_dragFrom = m_dragTo = event->position();
    m_gestureStarted = false;
    if (m_pressedLegend >= 0 || axesAt(event->position()) == NoAxis)
        return;
    const bool pan = event->button() == Qt::MiddleButton
        || (event->button() == Qt::LeftButton && event->modifiers() & (Qt::ControlModifier | Qt::AltModifier));
    if (pan) {
        m_drag = Drag::Pan;
        m_panX = m_content.x;
        m_panY = m_content.y;
        viewport()->setCursor(Qt::ClosedHandCursor);
    } else if (event->button() == Qt::LeftButton && axesAt(event->position()) == Both) {
        if (event->modifiers() & Qt::ShiftModifier)
            emit cursorRequested(frame().unmap(event->position()).x());
        else
            m_drag = Drag::Zoom;
    }
}

void PlotView::mouseMoveEvent(QMouseEvent *event)
{
    event->accept();
    const PlotFrame f = frame();
    m_dragTo = event->position();
    if (m_drag == Drag::Pan) {
        const QPointF delta = m_dragTo - m_dragFrom;
        const double dx = -delta.x() / f.plot.width() * m_panX.span();
        const double dy = delta.y() / f.plot.height() * m_panY.span();
        const bool first = !m_gestureStarted;
        m_gestureStarted = true;
        emit viewRequested({m_panX.lo + dx, m_panX.hi + dx}, {m_panY.lo + dy, m_panY.hi + dy}, first);
        return;
    }
    if (m_drag == Drag::Zoom)
        viewport()->update();
    viewport()->setCursor(legendAt(m_dragTo) >= 0         ? Qt::PointingHandCursor
                              : f.plot.contains(m_dragTo) ? Qt::CrossCursor
                                                          : Qt::ArrowCursor);
    if (f.plot.contains(m_dragTo))
        emit hovered(f.unmap(m_dragTo).x(), m_dragTo);
    else
        emit hoverLeft();
}

void PlotView::finishZoomDrag(const QPointF &to)
{
    const PlotFrame f = frame();
    const QRectF band = QRectF(m_dragFrom, to).normalized() & f.plot;
    const bool wide = band.width() > clickSlop;
    const bool tall = band.height() > clickSlop;
    if (!wide && !tall) {
        const int id = seriesAt(to);
        if (id >= 0)
            emit seriesClicked(id);
        return;
    }
    // A flat or a narrow rectangle means one axis only.
    const QPointF lo = f.unmap(band.bottomLeft());
    const QPointF hi = f.unmap(band.topRight());
    emit viewRequested(wide ? Range{lo.x(), hi.x()} : m_content.x, tall ? Range{lo.y(), hi.y()} : m_content.y, true);
}

void PlotView::mouseReleaseEvent(QMouseEvent *event)
{
    event->accept();
    const Drag drag = std::exchange(m_drag, Drag::None);
    if (m_pressedLegend >= 0) {
        if (legendAt(event->position()) == m_pressedLegend)
            emit legendClicked(m_pressedLegend);
        m_pressedLegend = -1;
        return;
    }
    if (drag == Drag::Zoom && event->button() == Qt::LeftButton)
        finishZoomDrag(event->position());
    if (drag == Drag::Pan)
        viewport()->setCursor(Qt::CrossCursor);
    viewport()->update();
}

void PlotView::mouseDoubleClickEvent(QMouseEvent *event)
{
    event->accept();
    m_drag = Drag::None;
    m_pressedLegend = -1;
    if (event->button() != Qt::LeftButton)
        return;
    const int entry = legendAt(event->position());
    if (entry >= 0) {
        emit legendDoubleClicked(entry);
        return;
    }
    const int id = seriesAt(event->position());
    if (id >= 0)
        emit seriesDoubleClicked(id, frame().unmap(event->position()).x());
    else if (axesAt(event->position()) != NoAxis)
        emit fitRequested();
}

void PlotView::wheelEvent(QWheelEvent *event)
{
    const int axes = axesAt(event->position());
    // With Alt, Qt turns a vertical wheel into a horizontal one.
    const QPoint angle = event->angleDelta();
    const int delta = angle.y() != 0 ? angle.y() : angle.x();
    if (axes == NoAxis || delta == 0) {
        event->ignore();
        return;
    }
    event->accept();
    const double factor = std::pow(0.8, delta / 120.0);
    const QPointF about = frame().unmap(event->position());
    const bool x = (axes & XOnly) && !(event->modifiers() & Qt::ShiftModifier);
    const bool y = (axes & YOnly) && !(event->modifiers() & Qt::ControlModifier);
    // Notches in quick succession are one step of the history.
    const bool first = !m_gesture.isActive();
    m_gesture.start();
    emit viewRequested(x ? zoomed(m_content.x, about.x(), factor) : m_content.x,
                       y ? zoomed(m_content.y, about.y(), factor) : m_content.y, first);
}

void PlotView::leaveEvent(QEvent *event)
{
    emit hoverLeft();
    QChartView::leaveEvent(event);
}

void PlotView::contextMenuEvent(QContextMenuEvent *event)
{
    event->ignore(); // the owner's
}

bool PlotView::event(QEvent *event)
{
    if (event->type() == QEvent::ToolTip) {
        const auto *help = static_cast<QHelpEvent *>(event);
        if (legendAt(help->pos()) >= 0)
            QToolTip::showText(help->globalPos(), tr("Click to hide or show, double-click to show it alone"), this);
        else
            QToolTip::hideText();
        return true;
    }
    return QChartView::event(event);
}

} // namespace appa::ui
