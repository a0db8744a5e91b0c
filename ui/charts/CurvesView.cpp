#include "charts/CurvesView.h"

#include "charts/PlotView.h"
#include "theme/Format.h"

#include <QKeyEvent>
#include <QTimer>
#include <QVBoxLayout>

#include <algorithm>
#include <cmath>
#include <limits>

namespace appa::ui {

namespace {

constexpr std::size_t historyLimit = 100;

/// What is shown of the plane; an axis that is `fitted` goes along with the data.
struct ViewState
{
    Range x{0, 20};
    std::array<Range, 2> y{Range{-3, 0}, Range{0, 0.5}};
    bool fittedX = true;
    std::array<bool, 2> fittedY{true, true};
};

/// Keeps a gesture from leaving the numbers a chart can draw.
Range sane(const Range &wanted, const Range &previous)
{
    const double scale = std::max({1e-12, std::abs(wanted.lo), std::abs(wanted.hi)});
    const bool ok =
        wanted.valid() && wanted.span() > 1e-9 * scale && wanted.span() < 1e15 && std::abs(wanted.hi) < 1e15;
    return ok ? wanted : previous;
}

} // namespace

struct CurvesView::Private
{
    explicit Private(CurvesView *view) : q(view) { }

    CurvesView *q;
    Theme theme = Theme::light();
    std::array<PlotView *, 2> plots{};
    std::array<std::vector<MappedCurve>, 2> mapped; ///< parallel to the curves
    ViewState view;
    std::vector<ViewState> history;
    int current = -1;
    std::optional<double> hover;                  ///< position
    std::array<std::optional<double>, 2> cursors; ///< in units of the x axis
    QTimer sync;
    QTimer repaint;
    FrameClock clock;
    FrameClock::Clock::time_point overlayAt;
    bool ranges = true; ///< ranges or contents may have changed
    bool looks = true;  ///< names, colours, visibility

    std::vector<Curve> &curves() { return q->m_data.curves; }
    Curve *find(int id)
    {
        const auto it = std::find_if(curves().begin(), curves().end(), [id](const Curve &c) { return c.runId == id; });
        return it == curves().end() ? nullptr : &*it;
    }
    std::size_t indexOf(const Curve &c) { return static_cast<std::size_t>(&c - curves().data()); }

    void later()
    {
        if (!sync.isActive())
            sync.start();
    }
    void remapAll();
    void remap(std::size_t i);
    void mapNew(std::size_t i);
    void fitRanges();
    void followLive();
    void updateValues();
    void refresh();
    void setView(const ViewState &state, bool remember);
    void request(int panel, const Range &x, const Range &y, bool first);
    const QPointF *nearest(int panel, std::size_t i, double x, std::size_t *index = nullptr) const;
    QString valueText(int panel, double value) const;
    void toggle(int id);
    void solo(int id);
};

CurvesView::CurvesView(QWidget *parent) : QWidget(parent), d(std::make_unique<Private>(this))
{
    setFocusPolicy(Qt::StrongFocus);
    setAccessibleName(tr("Curves: training loss and test error of the runs"));
    auto *layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    for (int i = 0; i < 2; ++i) {
        auto *plot = new PlotView(this);
        d->plots[static_cast<std::size_t>(i)] = plot;
        layout->addWidget(plot, i == 0 ? 57 : 43);
        connect(plot, &PlotView::hovered, this, [this](double x, const QPointF &) {
            d->hover = x;
            d->updateValues();
        });
        connect(plot, &PlotView::hoverLeft, this, [this] {
            d->hover.reset();
            d->updateValues();
        });
        connect(plot, &PlotView::viewRequested, this,
                [this, i](const Range &x, const Range &y, bool first) { d->request(i, x, y, first); });
        connect(plot, &PlotView::fitRequested, this, &CurvesView::fit);
        connect(plot, &PlotView::cursorRequested, this, [this](double position) {
            // The first click places A, the second B, a third begins again.
            const double x = xScaleOf(m_data).value(position);
            if (d->cursors[0] && d->cursors[1])
                d->cursors = {};
            placeCursor(d->cursors[0] ? 1 : 0, x);
        });
        connect(plot, &PlotView::legendClicked, this, [this](int id) { d->toggle(id); });
        connect(plot, &PlotView::legendDoubleClicked, this, [this](int id) { d->solo(id); });
        connect(plot, &PlotView::seriesClicked, this, &CurvesView::runActivated);
        connect(plot, &PlotView::painted, this, [this, i](double ms) {
            if (d->repaint.isActive())
                i == 0 ? d->clock.frame(ms) : d->clock.addCost(ms);
        });
    }
    d->sync.setSingleShot(true);
    d->sync.setInterval(0);
    connect(&d->sync, &QTimer::timeout, this, [this] { d->refresh(); });
    d->repaint.setInterval(16);
    d->repaint.setTimerType(Qt::PreciseTimer);
    connect(&d->repaint, &QTimer::timeout, this, [this] {
        const auto now = FrameClock::Clock::now();
        if (now - d->overlayAt > std::chrono::milliseconds(250)) {
            d->overlayAt = now;
            const FrameClock::Statistics s = d->clock.statistics();
            d->plots[1]->setOverlayText(
                tr("frames over 60 s: 99 % within %1 ms, longest %2 ms, painting %3 ms")
                    .arg(formatFixed(s.p99, 1), formatFixed(s.max, 1), formatFixed(s.paint, 1)));
        }
        for (PlotView *plot : d->plots)
            plot->viewport()->update();
    });
    setTheme(d->theme);
}

CurvesView::~CurvesView() = default;

void CurvesView::setTheme(const Theme &theme)
{
    d->theme = theme;
    for (PlotView *plot : d->plots)
        plot->setTheme(theme);
    d->ranges = true;
    d->later();
}

// ---- data

void CurvesView::Private::mapNew(std::size_t i)
{
    for (int panel = 0; panel < 2; ++panel) {
        auto &maps = mapped[static_cast<std::size_t>(panel)];
        MappedCurve &m = maps[i];
        const std::size_t before = m.points.size();
        mapCurve(m, curves()[i], static_cast<CurvePanel>(panel), q->m_data);
        if (m.points.size() > before)
            plots[static_cast<std::size_t>(panel)]->appendPoints(curves()[i].runId, before,
                                                                 std::span(m.points).subspan(before));
    }
}

void CurvesView::Private::remap(std::size_t i)
{
    for (int panel = 0; panel < 2; ++panel) {
        MappedCurve &m = mapped[static_cast<std::size_t>(panel)][i];
        m = {};
        mapCurve(m, curves()[i], static_cast<CurvePanel>(panel), q->m_data);
        PlotSeries s = seriesLook(curves()[i], curves()[i].runId == current);
        s.points = m.points;
        plots[static_cast<std::size_t>(panel)]->setSeries(std::move(s));
    }
}

void CurvesView::Private::remapAll()
{
    for (auto &m : mapped)
        m.assign(curves().size(), {});
    for (std::size_t i = 0; i < curves().size(); ++i)
        remap(i);
    ranges = looks = true;
    later();
}

void CurvesView::setData(CurvesData data)
{
    m_data = std::move(data);
    for (PlotView *plot : d->plots)
        plot->clearSeries();
    d->remapAll();
}

void CurvesView::setCurve(Curve curve)
{
    const bool firstPoints = m_data.options.logX; // the floor of a log x axis depends on all curves
    if (Curve *known = d->find(curve.runId)) {
        *known = std::move(curve);
        d->remap(d->indexOf(*known));
    } else {
        m_data.curves.push_back(std::move(curve));
        for (auto &m : d->mapped)
            m.emplace_back();
        d->remap(m_data.curves.size() - 1);
    }
    if (firstPoints)
        d->remapAll();
    d->ranges = d->looks = true;
    d->later();
}

void CurvesView::updateCurve(int runId, RunStatus status, std::size_t keepPoints, std::span<const TracePoint> points,
                             std::size_t keepEvents, std::span<const RunEvent> events)
{
    Curve *c = d->find(runId);
    if (!c)
        return;
    const bool cut = keepPoints < c->points.size();
    const bool begins = c->points.size() < 2 && m_data.options.logX;
    c->points.resize(std::min(keepPoints, c->points.size()));
    c->points.insert(c->points.end(), points.begin(), points.end());
    c->events.resize(std::min(keepEvents, c->events.size()));
    c->events.insert(c->events.end(), events.begin(), events.end());
    if (c->status != status) {
        c->status = status;
        d->looks = true;
    }
    if (begins)
        d->remapAll();
    else if (cut)
        d->remap(d->indexOf(*c));
    d->ranges = true;
    d->later();
}

void CurvesView::setCurveLook(int runId, const QString &name, const QColor &colour, MethodFamily family)
{
    if (Curve *c = d->find(runId)) {
        c->name = name;
        c->colour = colour;
        c->family = family;
        d->looks = d->ranges = true;
        d->later();
    }
}

void CurvesView::setCurveVisible(int runId, bool visible)
{
    Curve *c = d->find(runId);
    if (c && c->visible != visible) {
        c->visible = visible;
        d->looks = d->ranges = true;
        d->later();
    }
}

void CurvesView::setPlannedStages(int runId, double stages)
{
    if (Curve *c = d->find(runId)) {
        c->plannedStages = stages;
        d->ranges = true;
        d->later();
    }
}

void CurvesView::removeCurve(int runId)
{
    Curve *c = d->find(runId);
    if (!c)
        return;
    const auto i = static_cast<std::ptrdiff_t>(d->indexOf(*c));
    m_data.curves.erase(m_data.curves.begin() + i);
    for (auto &m : d->mapped)
        m.erase(m.begin() + i);
    for (PlotView *plot : d->plots)
        plot->removeSeries(runId);
    d->ranges = true;
    d->later();
}

void CurvesView::clear()
{
    m_data.curves.clear();
    for (auto &m : d->mapped)
        m.clear();
    for (PlotView *plot : d->plots)
        plot->clearSeries();
    d->ranges = true;
    d->later();
}

void CurvesView::setOptimum(std::optional<OptimumLine> optimum)
{
    const bool was = showsExcess(m_data);
    m_data.optimum = optimum;
    if (was != showsExcess(m_data)) {
        // Another quantity: a zoom into the old one means nothing in the new one.
        d->view.fittedY[0] = true;
        d->history.clear();
    }
    d->remapAll();
}

void CurvesView::setOptimumNote(const QString &note)
{
    m_data.optimumNote = note;
    d->ranges = true;
    d->later();
}

void CurvesView::setFloors(std::vector<FloorLine> floors)
{
    m_data.floors = std::move(floors);
    d->ranges = true;
    d->later();
}

void CurvesView::setTheory(std::optional<TheoryLine> theory)
{
    m_data.theory = std::move(theory);
    d->ranges = true;
    d->later();
}

void CurvesView::setCurrentRun(int runId)
{
    if (d->current == runId)
        return;
    d->current = runId;
    d->looks = d->ranges = true;
    d->later();
}

// ---- view

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
    emit zoomChanged(isFitted(), !d->history.empty());
}

void CurvesView::setFollow(bool follow)
{
    m_follow = follow;
    d->ranges = true;
    d->later();
}

void CurvesView::setFrameCounterVisible(bool visible)
{
    if (visible == d->repaint.isActive())
        return;
    d->clock.reset();
    if (visible) {
        d->repaint.start();
    } else {
        d->repaint.stop();
        d->plots[1]->setOverlayText({});
    }
}

FrameClock::Statistics CurvesView::frameStatistics() const
{
    return d->clock.statistics();
}

void CurvesView::placeCursor(int which, std::optional<double> xValue)
{
    d->cursors[which == 0 ? 0 : 1] = xValue;
    d->ranges = true;
    d->later();
    emit cursorsChanged();
}

std::optional<double> CurvesView::placedCursor(int which) const
{
    return d->cursors[which == 0 ? 0 : 1];
}

void CurvesView::clearCursors()
{
    d->cursors = {};
    d->ranges = true;
    d->later();
    emit cursorsChanged();
}

bool CurvesView::isFitted() const
{
    return d->view.fittedX && d->view.fittedY[0] && d->view.fittedY[1];
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
    emit q->zoomChanged(q->isFitted(), !history.empty());
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
    if (isFitted())
        return;
    ViewState next = d->view;
    next.fittedX = true;
    next.fittedY = {true, true};
    next.y = {Range{1, 0}, Range{1, 0}}; // nothing to hold on to
    d->setView(next, true);
}

void CurvesView::undoZoom()
{
    if (d->history.empty())
        return;
    const ViewState last = d->history.back();
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
    if (view.fittedX)
        view.x = fitX(q->m_data, mapped[0], view.x);
    for (std::size_t p = 0; p < 2; ++p) {
        if (view.fittedY[p])
            view.y[p] = fitY(q->m_data, static_cast<CurvePanel>(p), mapped[p], view.y[p]);
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

const QPointF *CurvesView::Private::nearest(int panel, std::size_t i, double x, std::size_t *index) const
{
    const MappedCurve &m = mapped[static_cast<std::size_t>(panel)][i];
    if (m.points.empty())
        return nullptr;
    const double slack = view.x.span() * 0.01;
    if (x < m.points.front().x() - slack || x > m.points.back().x() + slack)
        return nullptr;
    auto it =
        std::lower_bound(m.points.begin(), m.points.end(), x, [](const QPointF &p, double v) { return p.x() < v; });
    if (it == m.points.end() || (it != m.points.begin() && x - (it - 1)->x() < it->x() - x))
        --it;
    if (index)
        *index = m.index[static_cast<std::size_t>(it - m.points.begin())];
    return &*it;
}

QString CurvesView::Private::valueText(int panel, double value) const
{
    return panel == 0 ? formatNumber(value, 3) : formatFixed(value, 4);
}

void CurvesView::Private::updateValues()
{
    const AxisScale scale = xScaleOf(q->m_data);
    const bool both = cursors[0] && cursors[1];
    QString label;
    if (both) {
        const double delta = *cursors[1] - *cursors[0];
        label = QStringLiteral("A → B: ")
            + (q->m_data.options.xAxis == XAxis::Stages ? tr("%1 stages").arg(formatFixed(delta, 1))
                                                        : formatX(delta, q->m_data.options.xAxis));
    } else if (hover) {
        label = tr("at %1").arg(formatX(scale.value(*hover), q->m_data.options.xAxis));
    }
    for (int panel = 0; panel < 2; ++panel) {
        PlotView *plot = plots[static_cast<std::size_t>(panel)];
        const bool ratio = panel == 0 && q->m_data.options.logLoss;
        std::vector<PointMark> dots;
        for (std::size_t i = 0; i < curves().size(); ++i) {
            const Curve &c = curves()[i];
            const auto valueAt = [&](double position, bool dot) {
                std::size_t k = 0;
                const QPointF *p = c.visible ? nearest(panel, i, position, &k) : nullptr;
                if (!p)
                    return std::numeric_limits<double>::quiet_NaN();
                if (dot)
                    dots.push_back({PointMark::Kind::Dot, *p, {}, c.colour});
                return yValue(c.points[k], static_cast<CurvePanel>(panel), q->m_data);
            };
            QString value;
            if (both) {
                const double a = valueAt(scale.position(*cursors[0]), false);
                const double b = valueAt(scale.position(*cursors[1]), false);
                if (std::isfinite(a) && std::isfinite(b))
                    value = ratio ? QStringLiteral("× ") + formatNumber(b / a, 3)
                                  : (b >= a ? QStringLiteral("+") : QString()) + formatFixed(b - a, 4);
            } else if (!hover) {
                const auto &m = mapped[static_cast<std::size_t>(panel)][i];
                if (!m.index.empty())
                    value =
                        valueText(panel, yValue(c.points[m.index.back()], static_cast<CurvePanel>(panel), q->m_data));
            }
            if (hover) {
                const double v = valueAt(*hover, true);
                if (!both)
                    value = valueText(panel, v);
            }
            plot->setValue(c.runId, value);
        }
        plot->setHoverLabel(label);
        plot->setCrosshair(hover, std::move(dots));
    }
}

void CurvesView::Private::refresh()
{
    sync.stop();
    for (std::size_t i = 0; i < curves().size(); ++i)
        mapNew(i);
    if (looks) {
        looks = false;
        for (const Curve &c : curves()) {
            for (PlotView *plot : plots)
                plot->setLook(seriesLook(c, c.runId == current));
        }
    }
    if (ranges) {
        ranges = false;
        fitRanges();
        followLive();
        std::vector<PlotCursor> marks;
        const AxisScale scale = xScaleOf(q->m_data);
        for (std::size_t k = 0; k < 2; ++k) {
            if (cursors[k])
                marks.push_back({scale.position(*cursors[k]), k == 0 ? QStringLiteral("A") : QStringLiteral("B")});
        }
        for (int panel = 0; panel < 2; ++panel) {
            const auto p = static_cast<std::size_t>(panel);
            PlotContent content = panelContent(q->m_data, static_cast<CurvePanel>(panel), mapped[p], theme, current);
            content.x = view.x;
            content.y = view.y[p];
            content.showXAxis = panel == 1;
            content.cursors = marks;
            plots[p]->setContent(content);
        }
    }
    updateValues();
    const PlotMargins a = plots[0]->ownMargins();
    const PlotMargins b = plots[1]->ownMargins();
    for (PlotView *plot : plots) {
        plot->setSharedMargins(std::max(a.left, b.left), std::max(a.right, b.right));
        plot->flush();
    }
}

void CurvesView::flush()
{
    d->refresh();
}

PlotView *CurvesView::plot(CurvePanel panel) const
{
    return d->plots[static_cast<std::size_t>(panel)];
}

std::vector<CurvesView::Reading> CurvesView::readingsAt(double xAt) const
{
    std::vector<Reading> out;
    const double position = xScaleOf(m_data).position(xAt);
    for (std::size_t i = 0; i < m_data.curves.size() && i < d->mapped[0].size(); ++i) {
        const Curve &c = m_data.curves[i];
        std::size_t k = 0;
        if (!c.visible || !d->nearest(0, i, position, &k))
            continue;
        const TracePoint &p = c.points[k];
        out.push_back({c.runId, xValue(c, p, m_data.options), p.loss,
                       m_data.optimum && m_data.optimum->attained ? p.loss - m_data.optimum->value : unknown,
                       p.testError});
    }
    return out;
}

void CurvesView::Private::toggle(int id)
{
    if (Curve *c = find(id)) {
        q->setCurveVisible(id, !c->visible);
        emit q->visibilityChanged(id, c->visible);
    }
}

void CurvesView::Private::solo(int id)
{
    // The first click of the double-click has already toggled it: "alone" means that no other is visible.
    const bool alone =
        std::none_of(curves().begin(), curves().end(), [id](const Curve &c) { return c.runId != id && c.visible; });
    for (const Curve &c : curves()) {
        const bool want = alone || c.runId == id;
        if (c.visible == want)
            continue;
        q->setCurveVisible(c.runId, want);
        emit q->visibilityChanged(c.runId, want);
    }
}

void CurvesView::keyPressEvent(QKeyEvent *event)
{
    const auto pan = [this](double dx, double dy) {
        const Range x = d->view.x;
        const Range y = d->view.y[0];
        d->request(0, {x.lo + dx * x.span(), x.hi + dx * x.span()}, {y.lo + dy * y.span(), y.hi + dy * y.span()}, true);
    };
    const auto place = [this](int which) {
        if (d->hover)
            placeCursor(which, xScaleOf(m_data).value(*d->hover));
    };
    if (event->modifiers() & (Qt::ControlModifier | Qt::AltModifier)) {
        QWidget::keyPressEvent(event);
        return;
    }
    switch (event->key()) {
    case Qt::Key_F:
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
        pan(-0.1, 0);
        break;
    case Qt::Key_Right:
        pan(0.1, 0);
        break;
    case Qt::Key_Up:
        pan(0, 0.1);
        break;
    case Qt::Key_Down:
        pan(0, -0.1);
        break;
    case Qt::Key_A:
        place(0);
        break;
    case Qt::Key_B:
        place(1);
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

void CurvesView::resizeEvent(QResizeEvent *event)
{
    QWidget::resizeEvent(event);
    d->ranges = true;
    d->later();
}

void CurvesView::hideEvent(QHideEvent *event)
{
    d->clock.reset();
    QWidget::hideEvent(event);
}

} // namespace appa::ui
