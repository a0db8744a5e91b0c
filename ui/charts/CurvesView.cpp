#include "charts/CurvesView.h"

#include "charts/CurvesViewPrivate.h"
#include "theme/Format.h"

#include <QVBoxLayout>

#include <algorithm>

namespace appa::ui {

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
        connect(plot, &PlotView::hovered, this, [this, i](double x, const QPointF &pixel) {
            d->hover = x;
            d->mouse = {static_cast<std::size_t>(i), pixel};
            d->updateValues();
        });
        connect(plot, &PlotView::hoverLeft, this, [this] {
            d->hover.reset();
            d->mouse.reset();
            d->updateValues();
        });
        connect(plot, &PlotView::viewRequested, this,
                [this, i](const Range &x, const Range &y, bool first) { d->request(i, x, y, first); });
        connect(plot, &PlotView::fitRequested, this, &CurvesView::fit);
        connect(plot, &PlotView::cursorRequested, this, [this](double position) {
            // The first click places A, the second B, a third begins again.
            if (d->cursors[0] && d->cursors[1])
                d->cursors = {};
            d->placeNearest(d->cursors[0] ? 1 : 0, position);
        });
        connect(plot, &PlotView::legendClicked, this, [this](int id) { d->toggle(id); });
        connect(plot, &PlotView::legendDoubleClicked, this, [this](int id) { d->solo(id); });
        connect(plot, &PlotView::seriesClicked, this, &CurvesView::runActivated);
        connect(plot, &PlotView::painted, this, [this, i](double ms) {
            if (d->repaint.isActive())
                i == 0 ? d->clock.frame(ms) : d->clock.addCost(ms);
        });
    }
    d->addCursorActions();
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
            const QString text = tr("frames over 60 s: 99 % within %1 ms, longest %2 ms, painting %3 ms")
                                     .arg(formatFixed(s.p99, 1), formatFixed(s.max, 1), formatFixed(s.paint, 1));
            d->plots[0]->setOverlayText(d->showsTest() ? QString() : text);
            d->plots[1]->setOverlayText(text);
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
    d->ranges = d->looks = true;
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
        PlotSeries s = seriesLook(curves()[i], q->m_data, curves()[i].runId == current, theme.scale);
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
    // Other curves: neither a zoom into the old ones nor the room they needed is of any use to them.
    d->view.fittedX = true;
    d->view.fittedY = {true, true};
    d->anew = true;
    d->history.clear();
    d->remapAll();
    emit zoomChanged(false);
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
    if (!cut && keepEvents >= c->events.size() && points.empty() && events.empty() && c->status == status)
        return;
    const bool begins = c->points.size() < 2 && m_data.options.logX;
    c->points.resize(std::min(keepPoints, c->points.size()));
    c->points.insert(c->points.end(), points.begin(), points.end());
    c->events.erase(c->events.begin() + static_cast<std::ptrdiff_t>(std::min(keepEvents, c->events.size())),
                    c->events.end());
    c->events.insert(c->events.end(), events.begin(), events.end());
    if (c->status != status || cut) // what others share with it may have changed
        d->looks = true;
    c->status = status;
    if (!d->looks && !points.empty() && m_data.curves.size() > 1) // a fork parts from its parent as it goes on
        d->showLook(*c);
    if (begins)
        d->remapAll();
    else if (cut)
        d->remap(d->indexOf(*c));
    d->ranges = true;
    d->later();
}

void CurvesView::setCurveLook(int runId, const QString &name, const QColor &colour, MethodFamily family,
                              std::vector<FamilySwitch> switches)
{
    Curve *c = d->find(runId);
    if (c && (c->name != name || c->colour != colour || c->family != family || c->switches != switches)) {
        c->name = name;
        c->colour = colour;
        c->family = family;
        c->switches = std::move(switches);
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
    if (Curve *c = d->find(runId); c && c->plannedStages != stages) {
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
    d->ranges = d->looks = true;
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
    if (m_data.optimum == optimum)
        return;
    const bool was = showsExcess(m_data);
    m_data.optimum = optimum;
    if (was != showsExcess(m_data)) {
        // Another quantity: a zoom into the old one means nothing in the new one.
        d->view.fittedY[0] = true;
        d->anew = true;
        d->history.clear();
        emit zoomChanged(false);
    }
    d->remapAll();
}

void CurvesView::setEmptyNote(const QString &note)
{
    if (m_data.emptyNote == note)
        return;
    m_data.emptyNote = note;
    d->ranges = true;
    d->later();
}

void CurvesView::setTestErrorWanted(bool wanted)
{
    d->testWanted = wanted;
    d->ranges = true;
    d->later();
}

void CurvesView::setOptimumNote(const QString &note)
{
    if (m_data.optimumNote == note)
        return;
    m_data.optimumNote = note;
    d->ranges = true;
    d->later();
}

void CurvesView::setFloors(std::vector<FloorLine> floors)
{
    if (m_data.floors == floors)
        return;
    m_data.floors = std::move(floors);
    d->ranges = true;
    d->later();
}

void CurvesView::setTheory(std::optional<TheoryLine> theory)
{
    if (m_data.theory == theory)
        return;
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

void CurvesView::setFrameCounterVisible(bool visible)
{
    if (visible == d->repaint.isActive())
        return;
    d->clock.reset();
    if (visible) {
        d->repaint.start();
    } else {
        d->repaint.stop();
        for (PlotView *plot : d->plots)
            plot->setOverlayText({});
    }
}

FrameClock::Statistics CurvesView::frameStatistics() const
{
    return d->clock.statistics();
}

void CurvesView::Private::showLook(const Curve &c)
{
    const PlotSeries look = seriesLook(c, q->m_data, c.runId == current, theme.scale);
    for (PlotView *plot : plots)
        plot->setLook(look);
}

void CurvesView::Private::refresh()
{
    sync.stop();
    for (std::size_t i = 0; i < curves().size(); ++i)
        mapNew(i);
    if (looks) {
        looks = false;
        for (const Curve &c : curves())
            showLook(c);
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
        const bool test = testShown = showsTest();
        plots[1]->setVisible(test);
        for (int panel = 0; panel < (test ? 2 : 1); ++panel) {
            const auto p = static_cast<std::size_t>(panel);
            PlotContent content = panelContent(q->m_data, static_cast<CurvePanel>(panel), mapped[p], theme, current);
            content.x = view.x;
            content.y = view.y[p];
            content.showXAxis = panel == (test ? 1 : 0);
            // The lines have their names at their ends too; where it is low they need the room.
            content.legendRows = test && isLow() ? 1 : content.legendRows;
            if (!hasTest())
                content.subtitle = withoutTestSet(content.subtitle);
            content.cursors = marks;
            if (panel == 1)
                markStartAbove(content, q->m_data, mapped[p]);
            else if (view.fittedY[p])
                markEndsBelow(content, q->m_data, mapped[p]);
            plots[p]->setContent(content);
        }
        // The axis may have moved under a mouse that rests: what is read is what is under it now.
        if (hover && mouse)
            hover = plots[mouse->first]->frame().unmap(mouse->second).x();
    }
    updateValues();
    const PlotMargins a = plots[0]->ownMargins();
    const PlotMargins b = plots[showsTest() ? 1 : 0]->ownMargins();
    for (PlotView *plot : plots) {
        plot->setSharedMargins(std::max(a.left, b.left), std::max(a.right, b.right));
        plot->flush();
    }
}

void CurvesView::flush()
{
    if (d->sync.isActive())
        d->refresh();
    for (PlotView *plot : d->plots)
        plot->flush();
}

PlotView *CurvesView::plot(CurvePanel panel) const
{
    return d->plots[static_cast<std::size_t>(panel)];
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
