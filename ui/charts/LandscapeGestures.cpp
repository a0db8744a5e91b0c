// The mouse and the keys on the landscape: the same as on the charts.
#include "charts/LandscapeViewPrivate.h"

#include <QKeyEvent>
#include <QMouseEvent>
#include <QWheelEvent>

#include <cmath>

namespace appa::ui {

namespace {

constexpr double clickSlop = 6;
constexpr std::size_t historyLimit = 100;

} // namespace

void LandscapeView::Private::setView(const QPointF &centre, double width, bool remember)
{
    if (remember) {
        history.push_back(view);
        if (history.size() > historyLimit)
            history.erase(history.begin());
    }
    view = {centre, std::clamp(width, 1e-9, 1e9), false};
    changed();
}

void LandscapeView::Private::zoom(const QPointF &about, double factor, bool remember)
{
    setView(about + (view.centre - about) * factor, view.width * factor, remember);
}

/// The whole band is in view: the axes have one scale.
void LandscapeView::Private::zoomInto(const QRectF &band)
{
    const PlotFrame f = frame();
    const double part = std::max(band.width() / f.plot.width(), band.height() / f.plot.height());
    setView(f.unmap(band.center()), view.width * part, true);
}

int LandscapeView::Private::legendAt(const QPointF &pixel) const
{
    const auto hit = std::ranges::find_if(legend, [&](const LegendHit &h) { return h.rect.contains(pixel); });
    return hit == legend.end() ? -1 : hit->id;
}

void LandscapeView::fit()
{
    if (!d->view.fitted)
        d->history.push_back(d->view);
    d->view.fitted = true;
    d->view.width = 1e9; // nothing to hold on to
    d->fitView();
    d->changed();
}

void LandscapeView::undoZoom()
{
    if (d->history.empty())
        return;
    d->view = d->history.back();
    d->history.pop_back();
    if (d->view.fitted)
        d->fitView();
    d->changed();
}

void LandscapeView::mousePressEvent(QMouseEvent *event)
{
    const PlotFrame f = d->frame();
    d->dragFrom = d->dragTo = event->position();
    d->pressedLegend = event->button() == Qt::LeftButton ? d->legendAt(event->position()) : -1;
    if (d->pressedLegend >= 0 || !f.plot.contains(event->position()))
        return;
    const bool pan = event->button() == Qt::MiddleButton
        || (event->button() == Qt::LeftButton && event->modifiers() & (Qt::ControlModifier | Qt::AltModifier));
    if (pan) {
        d->drag = Private::Drag::Pan;
        d->grabbed = f.unmap(event->position());
        d->moved = false;
        setCursor(Qt::ClosedHandCursor);
    } else if (event->button() == Qt::LeftButton) {
        d->drag = Private::Drag::Zoom;
    }
}

void LandscapeView::mouseMoveEvent(QMouseEvent *event)
{
    const PlotFrame f = d->frame();
    d->dragTo = event->position();
    if (d->drag == Private::Drag::Pan)
        return d->setView(d->view.centre + d->grabbed - f.unmap(d->dragTo), d->view.width,
                          !std::exchange(d->moved, true));
    if (d->drag == Private::Drag::Zoom)
        update();
    setCursor(d->legendAt(d->dragTo) >= 0              ? Qt::PointingHandCursor
                  : d->f && f.plot.contains(d->dragTo) ? Qt::CrossCursor
                                                       : Qt::ArrowCursor);
}

void LandscapeView::mouseReleaseEvent(QMouseEvent *event)
{
    const Private::Drag drag = std::exchange(d->drag, Private::Drag::None);
    const int entry = std::exchange(d->pressedLegend, -1);
    if (entry >= 0 && d->legendAt(event->position()) == entry) {
        const LandscapePath *path = d->find(entry);
        const bool visible = path && !path->visible;
        setPathVisible(entry, visible);
        emit visibilityChanged(entry, visible);
    }
    const QRectF band = QRectF(d->dragFrom, event->position()).normalized() & d->frame().plot;
    if (drag == Private::Drag::Zoom && std::max(band.width(), band.height()) > clickSlop)
        d->zoomInto(band);
    if (drag == Private::Drag::Pan)
        setCursor(Qt::CrossCursor);
    update();
}

void LandscapeView::mouseDoubleClickEvent(QMouseEvent *event)
{
    d->drag = Private::Drag::None;
    if (event->button() == Qt::LeftButton && d->frame().plot.contains(event->position()))
        fit();
}

void LandscapeView::wheelEvent(QWheelEvent *event)
{
    // With Alt, Qt turns a vertical wheel into a horizontal one.
    const QPoint angle = event->angleDelta();
    const int delta = angle.y() != 0 ? angle.y() : angle.x();
    const bool first = !d->gesture.isActive(); // notches in quick succession are one step of the history
    d->gesture.start();
    d->zoom(d->frame().unmap(event->position()), std::pow(0.8, delta / 120.0), first);
    event->accept();
}

void LandscapeView::keyPressEvent(QKeyEvent *event)
{
    const PlotFrame f = d->frame();
    const auto move = [&](double dx, double dy) {
        d->setView(d->view.centre + QPointF(dx * f.x.span(), dy * f.y.span()), d->view.width, true);
    };
    switch (event->key()) {
    case Qt::Key_Left:
        return move(-0.1, 0);
    case Qt::Key_Right:
        return move(0.1, 0);
    case Qt::Key_Up:
        return move(0, 0.1);
    case Qt::Key_Down:
        return move(0, -0.1);
    case Qt::Key_Plus:
    case Qt::Key_Equal:
        return d->zoom(d->view.centre, 0.8, true);
    case Qt::Key_Minus:
        return d->zoom(d->view.centre, 1.25, true);
    case Qt::Key_Home:
        return fit();
    case Qt::Key_Backspace:
        return undoZoom();
    default:
        QWidget::keyPressEvent(event);
    }
}

bool LandscapeView::event(QEvent *event)
{
    // Home and Backspace are the curves' everywhere else in the window.
    if (event->type() == QEvent::ShortcutOverride) {
        const int key = static_cast<QKeyEvent *>(event)->key();
        if (key == Qt::Key_Home || key == Qt::Key_Backspace)
            event->accept();
    }
    return QWidget::event(event);
}

} // namespace appa::ui
