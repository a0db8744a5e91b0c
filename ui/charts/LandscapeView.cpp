#include "charts/LandscapeView.h"

#include "charts/ContourImage.h"
#include "charts/LandscapeViewPrivate.h"

#include <QThreadPool>

#include <algorithm>
#include <cmath>

namespace appa::ui {

void LandscapeView::Private::Job::run()
{
    const FunctionGrid grid = sampleFunction(f, rect, columns, rows, cancelled);
    if (!cancelled) {
        if (!scale)
            scale = contourScale(grid, view, fOpt);
        image = contourImage(grid, *scale, pixels, theme, cancelled);
        image.setDevicePixelRatio(ratio);
    }
    done = true;
}

LandscapeView::LandscapeView(QWidget *parent) : QWidget(parent), d(std::make_unique<Private>(this))
{
    setFocusPolicy(Qt::StrongFocus);
    setMinimumSize(240, 140);
    setAccessibleName(tr("Landscape of the objective in two dimensions"));
    d->poll.setInterval(15);
    connect(&d->poll, &QTimer::timeout, this, [this] {
        if (!d->job || !d->job->done)
            return;
        const std::shared_ptr<Private::Job> job = std::exchange(d->job, nullptr);
        d->poll.stop();
        (d->fineNext ? d->surroundings : d->picture) = {job->image, job->rect};
        d->scale = *job->scale;
        update();
        if (d->fineNext) {
            d->picture = {}; // of other levels
            d->start(true);
        } else if (!d->settle.isActive()) { // else the view has changed meanwhile: another one follows
            emit contoursReady();
        }
    });
    d->settle.setSingleShot(true);
    d->settle.setInterval(60);
    connect(&d->settle, &QTimer::timeout, this, [this] { d->start(false); });
    d->gesture.setSingleShot(true);
    d->gesture.setInterval(250);
    setMouseTracking(true);
}

LandscapeView::~LandscapeView()
{
    if (d->job)
        d->job->cancelled = true;
}

void LandscapeView::Private::start(bool fine)
{
    if (job)
        job->cancelled = true;
    job.reset();
    fineNext = false;
    const PlotFrame at = frame();
    const QRectF &p = at.plot;
    if (!f || p.width() < 8 || p.height() < 8)
        return;
    // At once a coarse picture that reaches beyond the view, then the fine one.
    job = std::make_shared<Job>();
    job->f = f;
    job->view = rectOf(at);
    job->rect = job->view;
    if (fine)
        job->scale = scale;
    else
        job->rect.adjust(-at.x.span() / 2, -at.y.span() / 2, at.x.span() / 2, at.y.span() / 2);
    const double cell = fine ? 5 : 14; // the coarse one's are twice as wide on the screen
    job->ratio = q->devicePixelRatioF();
    job->pixels = (p.size() * job->ratio).toSize();
    job->fOpt = fOpt;
    job->theme = theme;
    job->columns = std::max(4, static_cast<int>(p.width() / cell));
    job->rows = std::max(4, static_cast<int>(p.height() / cell));
    fineNext = !fine;
    QThreadPool::globalInstance()->start([work = job] { work->run(); });
    poll.start();
}

void LandscapeView::Private::changed()
{
    if (!settle.isActive()) // pictures come while a gesture goes on, too
        settle.start();
    q->update();
}

PlotContent LandscapeView::Private::content() const
{
    PlotContent c;
    c.title = LandscapeView::tr("Landscape of F");
    if (!fOpt)
        c.subtitle = LandscapeView::tr("above its lowest value in view, until F_opt is known");
    c.xLabel = xName;
    c.yLabel = yName;
    c.endLabels = false;
    const double height = view.width * q->height() / std::max(1, q->width());
    c.x = {view.centre.x() - view.width / 2, view.centre.x() + view.width / 2};
    c.y = {view.centre.y() - height / 2, view.centre.y() + height / 2};
    return c;
}

/// For the title row: a run without a path (read from a session) has no entry.
std::vector<PlotSeries> LandscapeView::Private::legendSeries() const
{
    std::vector<PlotSeries> out;
    for (const LandscapePath &path : paths) {
        PlotSeries s;
        s.id = path.runId;
        s.name = path.name;
        s.colour = path.colour;
        s.visible = path.visible;
        if (!path.visible)
            s.value = LandscapeView::tr("hidden");
        if (!path.iterates.empty())
            s.points.push_back(path.iterates.front());
        out.push_back(std::move(s));
    }
    return out;
}

PlotFrame LandscapeView::Private::frame() const
{
    const PlotContent c = content();
    PlotMargins m = painter.margins(c, legendSeries(), q->size(), 0, barMargin());
    const auto places = keyPlaces(q->width() - m.left - m.right);
    const QFontMetricsF small(theme.font(TextRole::Small));
    if (!places.empty())
        m.top += (places.back().first + 1) * (small.height() + theme.space(0.25)) + theme.space(0.25);
    PlotFrame out = PlotPainter::frame(c, q->rect(), m);
    const double height = out.x.span() * out.plot.height() / out.plot.width();
    out.y = {view.centre.y() - height / 2, view.centre.y() + height / 2};
    return out;
}

QRectF LandscapeView::Private::roomOf(const PlotFrame &f)
{
    const double dx = 0.05 * f.x.span();
    const double dy = 0.05 * f.y.span();
    return rectOf(f).adjusted(dx, dy, -dx, -dy);
}

bool LandscapeView::Private::fitView()
{
    otherPaths = false;
    QRectF box;
    bool any = false;
    const auto include = [&](const QPointF &x) {
        if (!std::isfinite(x.x()) || !std::isfinite(x.y()))
            return;
        if (!any)
            box = QRectF(x, QSizeF(0, 0));
        box.setLeft(std::min(box.left(), x.x()));
        box.setRight(std::max(box.right(), x.x()));
        box.setTop(std::min(box.top(), x.y()));
        box.setBottom(std::max(box.bottom(), x.y()));
        any = true;
    };
    if (optimum)
        include(*optimum);
    for (const LandscapePath &path : paths) {
        if (!path.visible)
            continue;
        for (const QPointF &x : path.iterates)
            include(x);
        for (const QPointF &s : path.centres)
            include(s);
    }
    include({0, 0});
    const PlotFrame at = frame();
    const double aspect = at.plot.width() / at.plot.height();
    const double width = std::max({box.width() * 1.4, box.height() * 1.4 * aspect, 1e-3});
    // Kept while everything is inside and it is not much too large: the picture behind costs a recomputation.
    if (roomOf(at).contains(box) && at.x.span() < 2 * width)
        return false;
    view.centre = box.center();
    view.width = width;
    return true;
}

void LandscapeView::setTheme(const Theme &theme)
{
    if (theme.isDark != d->theme.isDark)
        d->surroundings = d->picture = {}; // in the colours of the other
    d->theme = theme;
    d->painter = PlotPainter(theme);
    d->changed();
}

void LandscapeView::setAxisNames(const QString &x, const QString &y)
{
    d->xName = x;
    d->yName = y;
    update();
}

void LandscapeView::setFunction(Function f, std::optional<double> fOpt)
{
    d->f = std::move(f);
    d->centreValue.reset();
    d->fOpt = fOpt;
    d->optimum.reset();
    d->surroundings = d->picture = {};
    d->view = {};
    d->history.clear();
    d->fitView();
    d->changed();
}

void LandscapeView::setOptimum(std::optional<QPointF> x, std::optional<double> fOpt)
{
    d->optimum = x;
    d->fOpt = fOpt;
    if (d->view.fitted)
        d->fitView();
    d->changed();
}

void LandscapeView::setPath(LandscapePath path)
{
    if (LandscapePath *known = d->find(path.runId))
        *known = std::move(path);
    else
        d->paths.push_back(std::move(path));
    if (d->view.fitted && d->fitView())
        d->changed();
    update();
}

void LandscapeView::appendPath(int runId, std::span<const QPointF> iterates, std::span<const QPointF> centres,
                               double lambda, std::span<const std::size_t> stageEnds)
{
    LandscapePath *path = d->find(runId);
    if (!path)
        return;
    path->iterates.insert(path->iterates.end(), iterates.begin(), iterates.end());
    path->centres.insert(path->centres.end(), centres.begin(), centres.end());
    path->lambda = lambda;
    path->stageEnds.insert(path->stageEnds.end(), stageEnds.begin(), stageEnds.end());
    // What is new needs another view only where it leaves this one: the rest of the path is not asked again.
    const auto leaves = [room = Private::roomOf(d->frame())](const QPointF &x) { return !room.contains(x); };
    const bool grows = path->visible && (std::ranges::any_of(iterates, leaves) || std::ranges::any_of(centres, leaves));
    if (d->view.fitted && (grows || d->otherPaths) && d->fitView())
        d->changed();
    update();
}

void LandscapeView::setPathVisible(int runId, bool visible)
{
    if (LandscapePath *path = d->find(runId))
        path->visible = visible;
    d->otherPaths = true;
    update();
}

void LandscapeView::removePath(int runId)
{
    std::erase_if(d->paths, [runId](const LandscapePath &p) { return p.runId == runId; });
    d->otherPaths = true;
    update();
}

void LandscapeView::clearPaths()
{
    d->paths.clear();
    d->otherPaths = true;
    update();
}

void LandscapeView::setCurrentRun(int runId)
{
    d->current = runId;
    update();
}

bool LandscapeView::isComputing() const
{
    return d->job != nullptr || d->settle.isActive();
}

QRectF LandscapeView::viewRect() const
{
    return Private::rectOf(d->frame());
}

QRectF LandscapeView::plotRect() const
{
    return d->frame().plot;
}

QPointF LandscapeView::pixelOf(const QPointF &x) const
{
    return d->frame().map(x);
}

const std::vector<LegendHit> &LandscapeView::legend() const
{
    return d->legend;
}

void LandscapeView::resizeEvent(QResizeEvent *event)
{
    QWidget::resizeEvent(event);
    if (d->view.fitted)
        d->fitView(); // the plot has another shape: what was inside may not be
    d->changed();
}

} // namespace appa::ui
