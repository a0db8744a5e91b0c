// What part of the plane the curves show: options of the axes, zoom and its history, follow, the keys.
#include "charts/CurvesViewPrivate.h"

#include <QKeyEvent>

#include <cmath>
#include <limits>

namespace appa::ui {

namespace {

constexpr std::size_t historyLimit = 100;

/// Keeps a gesture from leaving the numbers a chart can draw.
Range sane(const Range &wanted, const Range &previous)
{
    const double scale = std::max({1e-12, std::abs(wanted.lo), std::abs(wanted.hi)});
    const bool ok =
        wanted.valid() && wanted.span() > 1e-9 * scale && wanted.span() < 1e15 && std::abs(wanted.hi) < 1e15;
    return ok ? wanted : previous;
}

} // namespace

void CurvesView::setOptions(const CurvesOptions &options)
{
    if (options == m_data.options)
        return;
    const CurvesOptions old = std::exchange(m_data.options, options);
    if (old.xAxis != options.xAxis || old.logX != options.logX
        || old.countFullGradients != options.countFullGradients) {
        d->view.fittedX = true;
        d->history.clear();
        if (old.xAxis != options.xAxis)
            clearCursors();
    }
    if (old.logLoss != options.logLoss || old.forceLoss != options.forceLoss) {
        d->view.fittedY[0] = true;
        d->history.clear();
    }
    if (old.logTestError != options.logTestError) {
        d->view.fittedY[1] = true;
        d->history.clear();
    }
    d->remapAll();
    emit zoomChanged(!d->history.empty());
}

void CurvesView::setFollow(bool follow)
{
    m_follow = follow;
    d->ranges = true;
    d->later();
}

bool CurvesView::isFitted() const
{
    return d->view.fittedX && d->view.fittedY[0] && d->view.fittedY[1];
}

void CurvesView::copyPart(FigureOptions &figure) const
{
    const auto copy = [](const AxisScale &scale, const Range &shown, std::optional<double> &from,
                         std::optional<double> &to) {
        from = scale.value(shown.lo);
        to = scale.value(shown.hi);
    };
    const Private::ViewState &view = d->view;
    if (!view.fittedX)
        copy(xScaleOf(m_data), view.x, figure.xMin, figure.xMax);
    if (!view.fittedY[0])
        copy(yScaleOf(m_data, CurvePanel::Loss), view.y[0], figure.yMin, figure.yMax);
    if (!view.fittedY[1])
        copy(yScaleOf(m_data, CurvePanel::TestError), view.y[1], figure.errorMin, figure.errorMax);
}

void CurvesView::Private::setView(const ViewState &state, bool remember)
{
    if (remember) {
        history.push_back(view);
        if (history.size() > historyLimit)
            history.erase(history.begin());
    }
    view = state;
    ranges = true;
    later();
    emit q->zoomChanged(!history.empty());
}

void CurvesView::Private::request(int panel, const Range &x, const Range &y, bool first)
{
    const auto p = static_cast<std::size_t>(panel);
    ViewState next = view;
    next.x = sane(x, view.x);
    next.y[p] = sane(y, view.y[p]);
    next.fittedX = view.fittedX && next.x == view.x;
    next.fittedY[p] = view.fittedY[p] && next.y[p] == view.y[p];
    if (next.x == view.x && next.y[p] == view.y[p])
        return;
    setView(next, first);
}

void CurvesView::fit()
{
    d->anew = d->ranges = true;
    d->later();
    if (isFitted())
        return;
    Private::ViewState next = d->view;
    next.fittedX = true;
    next.fittedY = {true, true};
    d->setView(next, true);
}

void CurvesView::undoZoom()
{
    if (d->history.empty())
        return;
    const Private::ViewState last = d->history.back();
    d->history.pop_back();
    d->setView(last, false);
}

void CurvesView::zoomBy(double factor)
{
    const Range x = d->view.x;
    const double about = d->hover.value_or(0.5 * (x.lo + x.hi));
    d->request(0, {about + (x.lo - about) * factor, about + (x.hi - about) * factor}, d->view.y[0], true);
}

void CurvesView::Private::fitRanges()
{
    const bool keeps = !std::exchange(anew, false);
    const auto previous = [keeps](const Range &range) { return keeps ? range : Range{1, 0}; };
    if (view.fittedX)
        view.x = fitX(q->m_data, mapped[0], previous(view.x));
    for (std::size_t p = 0; p < 2; ++p) {
        if (view.fittedY[p])
            view.y[p] = fitY(q->m_data, static_cast<CurvePanel>(p), mapped[p], previous(view.y[p]));
    }
}

void CurvesView::Private::followLive()
{
    if (view.fittedX || !q->m_follow)
        return;
    double newest = -std::numeric_limits<double>::infinity();
    for (std::size_t i = 0; i < curves().size(); ++i) {
        if (curves()[i].visible && curves()[i].status == RunStatus::Running && !mapped[0][i].points.empty())
            newest = std::max(newest, mapped[0][i].points.back().x());
    }
    // Only if the run was in view: someone looking at the past is left alone. Steps of a fifth, so the axis rests
    // between.
    const double span = view.x.span();
    if (newest > view.x.hi && newest < view.x.hi + 0.5 * span) {
        const double shift = newest - view.x.hi + 0.2 * span;
        view.x = {view.x.lo + shift, view.x.hi + shift};
    }
}

void CurvesView::keyPressEvent(QKeyEvent *event)
{
    const auto pan = [this](double dx, double dy) {
        const Range x = d->view.x;
        const Range y = d->view.y[0];
        d->request(0, {x.lo + dx * x.span(), x.hi + dx * x.span()}, {y.lo + dy * y.span(), y.hi + dy * y.span()}, true);
    };
    const auto along = [&](double direction) {
        if (!d->moving || d->hover)
            return pan(0.1 * direction, 0);
        const AxisScale scale = xScaleOf(m_data);
        const Range x = d->view.x;
        const double from = scale.position(*placedCursor(*d->moving));
        // To the next measured point; where they lie dense, so far that it can be seen.
        double step = (event->modifiers() & Qt::ShiftModifier ? 0.1 : 0.01) * x.span();
        double to = from;
        for (; step <= x.span() && (to - from) * direction <= 1e-9 * x.span(); step *= 1.5)
            to = d->snapped(std::clamp(from + direction * step, x.lo, x.hi));
        placeCursor(*d->moving, scale.value(to));
    };
    if (event->modifiers() & (Qt::ControlModifier | Qt::AltModifier)) {
        QWidget::keyPressEvent(event);
        return;
    }
    switch (event->key()) {
    case Qt::Key_Home:
        fit();
        break;
    case Qt::Key_Backspace:
        undoZoom();
        break;
    case Qt::Key_Plus:
    case Qt::Key_Equal:
        zoomBy(0.8);
        break;
    case Qt::Key_Minus:
        zoomBy(1.25);
        break;
    case Qt::Key_Left:
        along(-1);
        break;
    case Qt::Key_Right:
        along(1);
        break;
    case Qt::Key_Up:
        pan(0, 0.1);
        break;
    case Qt::Key_Down:
        pan(0, -0.1);
        break;
    case Qt::Key_Escape:
        if (!d->cursors[0] && !d->cursors[1]) {
            QWidget::keyPressEvent(event);
            return;
        }
        clearCursors();
        break;
    default:
        QWidget::keyPressEvent(event);
        return;
    }
    event->accept();
}

} // namespace appa::ui
