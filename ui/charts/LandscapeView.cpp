#include "charts/LandscapeView.h"

#include "charts/ContourImage.h"
#include "charts/LandscapeViewPrivate.h"

#include <QKeyEvent>
#include <QMouseEvent>
#include <QThreadPool>
#include <QWheelEvent>

#include <algorithm>
#include <cmath>

namespace appa::ui {

void LandscapeView::Private::Job::run()
{
    const FunctionGrid grid = sampleFunction(f, rect, columns, rows, cancelled);
    if (!cancelled) {
        lowest = smallestValue(grid);
        image = contourImage(grid, fOpt ? std::min(*fOpt, lowest) : lowest, pixels, theme, cancelled);
        image.setDevicePixelRatio(ratio);
    }
    done = true;
}

LandscapeView::LandscapeView(QWidget *parent) : QWidget(parent), d(std::make_unique<Private>(this))
{
    setFocusPolicy(Qt::StrongFocus);
    setMinimumSize(240, 180);
    setAccessibleName(tr("Landscape of the objective in two dimensions"));
    d->poll.setInterval(15);
    connect(&d->poll, &QTimer::timeout, this, [this] {
        if (!d->job || !d->job->done)
            return;
        const std::shared_ptr<Private::Job> job = std::exchange(d->job, nullptr);
        d->poll.stop();
        d->image = job->image;
        d->imageRect = job->rect;
        update();
        if (d->fineNext)
            d->start(true);
        else
            emit contoursReady();
    });
    d->settle.setSingleShot(true);
    d->settle.setInterval(60);
    connect(&d->settle, &QTimer::timeout, this, [this] { d->start(false); });
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
    const QRectF p = plot();
    if (!f || p.width() < 8 || p.height() < 8)
        return;
    // A coarse picture at once, then the fine one.
    const double cell = fine ? 5 : 20;
    job = std::make_shared<Job>();
    job->f = f;
    job->rect = view;
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
    settle.start();
    q->update();
}

bool LandscapeView::Private::fitView()
{
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
    const QRectF p = plot();
    const double aspect = p.width() / std::max(1.0, p.height());
    const double width = std::max({box.width() * 1.4, box.height() * 1.4 * aspect, 1e-3});
    // Kept while everything is inside and it is not much too large: the picture behind costs a recomputation.
    const QRectF inner =
        view.adjusted(view.width() * 0.05, view.height() * 0.05, -view.width() * 0.05, -view.height() * 0.05);
    if (inner.contains(box) && view.width() < 2 * width)
        return false;
    setCentreAndWidth(box.center(), width);
    return true;
}

void LandscapeView::Private::moveBy(const QPointF &way)
{
    view.translate(way);
    fitted = false;
    changed();
}

void LandscapeView::Private::zoom(const QPointF &about, double factor)
{
    const double width = std::clamp(view.width() * factor, 1e-9, 1e9);
    const double f = width / view.width();
    view = QRectF(about.x() + (view.left() - about.x()) * f, about.y() + (view.top() - about.y()) * f, width,
                  view.height() * f);
    fitted = false;
    changed();
}

void LandscapeView::setTheme(const Theme &theme)
{
    d->theme = theme;
    d->changed();
}

void LandscapeView::setFunction(Function f, std::optional<double> fOpt)
{
    d->f = std::move(f);
    d->centreValue.reset();
    d->fOpt = fOpt;
    d->optimum.reset();
    d->image = {};
    d->fitted = true;
    d->setCentreAndWidth({0, 0}, 4);
    d->fitView();
    d->changed();
}

void LandscapeView::setOptimum(std::optional<QPointF> x, std::optional<double> fOpt)
{
    d->optimum = x;
    d->fOpt = fOpt;
    if (d->fitted)
        d->fitView();
    d->changed();
}

void LandscapeView::setPath(LandscapePath path)
{
    if (LandscapePath *known = d->find(path.runId))
        *known = std::move(path);
    else
        d->paths.push_back(std::move(path));
    if (d->fitted && d->fitView())
        d->settle.start();
    update();
}

void LandscapeView::appendPath(int runId, const std::vector<QPointF> &iterates, std::optional<QPointF> centre,
                               double lambda, bool stageEnd)
{
    LandscapePath *path = d->find(runId);
    if (!path)
        return;
    path->iterates.insert(path->iterates.end(), iterates.begin(), iterates.end());
    if (centre && (path->centres.empty() || path->centres.back() != *centre))
        path->centres.push_back(*centre);
    path->lambda = lambda;
    if (stageEnd && !path->iterates.empty())
        path->stageEnds.push_back(path->iterates.size() - 1);
    if (d->fitted && d->fitView())
        d->settle.start();
    update();
}

void LandscapeView::setPathVisible(int runId, bool visible)
{
    if (LandscapePath *path = d->find(runId))
        path->visible = visible;
    update();
}

void LandscapeView::removePath(int runId)
{
    std::erase_if(d->paths, [runId](const LandscapePath &p) { return p.runId == runId; });
    update();
}

void LandscapeView::clearPaths()
{
    d->paths.clear();
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
    return d->view;
}

void LandscapeView::fit()
{
    d->fitted = true;
    d->view = {};
    d->fitView();
    d->changed();
}

void LandscapeView::resizeEvent(QResizeEvent *event)
{
    QWidget::resizeEvent(event);
    d->setCentreAndWidth(d->view.center(), d->view.width());
    d->changed();
}

void LandscapeView::mousePressEvent(QMouseEvent *event)
{
    d->panning = true;
    d->grabbed = d->unmap(event->position());
}

void LandscapeView::mouseMoveEvent(QMouseEvent *event)
{
    if (d->panning)
        d->moveBy(d->grabbed - d->unmap(event->position()));
}

void LandscapeView::mouseReleaseEvent(QMouseEvent *)
{
    d->panning = false;
}

void LandscapeView::mouseDoubleClickEvent(QMouseEvent *)
{
    fit();
}

void LandscapeView::wheelEvent(QWheelEvent *event)
{
    d->zoom(d->unmap(event->position()), std::pow(0.8, event->angleDelta().y() / 120.0));
    event->accept();
}

void LandscapeView::keyPressEvent(QKeyEvent *event)
{
    const double dx = 0.1 * d->view.width();
    const double dy = 0.1 * d->view.height();
    switch (event->key()) {
    case Qt::Key_Left:
        return d->moveBy({-dx, 0});
    case Qt::Key_Right:
        return d->moveBy({dx, 0});
    case Qt::Key_Up:
        return d->moveBy({0, dy});
    case Qt::Key_Down:
        return d->moveBy({0, -dy});
    case Qt::Key_Plus:
    case Qt::Key_Equal:
        return d->zoom(d->view.center(), 0.8);
    case Qt::Key_Minus:
        return d->zoom(d->view.center(), 1.25);
    case Qt::Key_Home:
        return fit();
    default:
        QWidget::keyPressEvent(event);
    }
}

bool LandscapeView::event(QEvent *event)
{
    // Home is the curves' everywhere else in the window.
    if (event->type() == QEvent::ShortcutOverride && static_cast<QKeyEvent *>(event)->key() == Qt::Key_Home)
        event->accept();
    return QWidget::event(event);
}

} // namespace appa::ui
