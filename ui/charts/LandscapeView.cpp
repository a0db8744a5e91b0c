#include "charts/LandscapeView.h"

#include "charts/Axis.h"
#include "charts/ContourImage.h"
#include "theme/Format.h"

#include <QFontMetricsF>
#include <QMouseEvent>
#include <QPainter>
#include <QPainterPath>
#include <QThreadPool>
#include <QTimer>
#include <QWheelEvent>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>

namespace appa::ui {

namespace {

constexpr qsizetype drawnIterates = 4000;

/// A picture being made in the background. The worker knows only this; the view asks whether it is done.
struct Job
{
    std::atomic<bool> cancelled{false};
    std::atomic<bool> done{false};
    LandscapeView::Function f;
    QRectF rect;
    QSize pixels;
    qreal ratio = 1;
    std::optional<double> fOpt;
    Theme theme;
    int columns = 0;
    int rows = 0;
    // results, valid once done
    QImage image;
    double lowest = 0;

    void run()
    {
        const FunctionGrid grid = sampleFunction(f, rect, columns, rows, cancelled);
        if (!cancelled) {
            lowest = smallestValue(grid);
            image = contourImage(grid, fOpt ? std::min(*fOpt, lowest) : lowest, pixels, theme, cancelled);
            image.setDevicePixelRatio(ratio);
        }
        done = true;
    }
};

} // namespace

struct LandscapeView::Private
{
    explicit Private(LandscapeView *view) : q(view) { }

    LandscapeView *q;
    Theme theme = Theme::light();
    Function f;
    std::optional<double> fOpt;
    std::optional<QPointF> optimum;
    std::vector<LandscapePath> paths;
    int current = -1;
    bool fitted = true;
    QRectF view{-2, -2, 4, 4}; ///< of the plane; y upwards
    std::shared_ptr<Job> job;
    bool fineNext = false;
    QImage image;
    QRectF imageRect; ///< what the image shows
    QTimer poll;
    QTimer settle;
    bool panning = false;
    QPointF grabbed;

    QRectF plot() const
    {
        const QFontMetricsF m(theme.font(TextRole::Small));
        return QRectF(theme.space(2) + m.horizontalAdvance(QStringLiteral("−0.000")), theme.space(1.5), 0, 0)
            .adjusted(0, 0, q->width() - theme.space(4) - m.horizontalAdvance(QStringLiteral("−0.000")),
                      q->height() - theme.space(3) - m.height());
    }
    double pixelsPerUnit() const { return plot().width() / view.width(); }
    QPointF map(const QPointF &x) const
    {
        const QRectF p = plot();
        return {p.left() + (x.x() - view.left()) * pixelsPerUnit(),
                p.bottom() - (x.y() - view.top()) * pixelsPerUnit()};
    }
    QPointF unmap(const QPointF &pixel) const
    {
        const QRectF p = plot();
        return {view.left() + (pixel.x() - p.left()) / pixelsPerUnit(),
                view.top() + (p.bottom() - pixel.y()) / pixelsPerUnit()};
    }
    void setCentreAndWidth(const QPointF &centre, double width)
    {
        const QRectF p = plot();
        const double height = width * p.height() / std::max(1.0, p.width());
        view = QRectF(centre.x() - width / 2, centre.y() - height / 2, width, height);
    }
    LandscapePath *find(int id)
    {
        const auto it =
            std::find_if(paths.begin(), paths.end(), [id](const LandscapePath &p) { return p.runId == id; });
        return it == paths.end() ? nullptr : &*it;
    }
    bool fitView();
    void start(bool fine);
    void changed();
    void drawPath(QPainter &p, const LandscapePath &path) const;
    void drawCentre(QPainter &p, const LandscapePath &path) const;
    void drawAxes(QPainter &p) const;
};

LandscapeView::LandscapeView(QWidget *parent) : QWidget(parent), d(std::make_unique<Private>(this))
{
    setMouseTracking(true);
    setMinimumSize(240, 180);
    setAccessibleName(tr("Landscape of the objective in two dimensions"));
    d->poll.setInterval(15);
    connect(&d->poll, &QTimer::timeout, this, [this] {
        if (!d->job || !d->job->done)
            return;
        const std::shared_ptr<Job> job = std::exchange(d->job, nullptr);
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

void LandscapeView::setTheme(const Theme &theme)
{
    d->theme = theme;
    d->changed();
}

void LandscapeView::setFunction(Function f, std::optional<double> fOpt)
{
    d->f = std::move(f);
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

void LandscapeView::Private::drawPath(QPainter &p, const LandscapePath &path) const
{
    if (path.iterates.empty())
        return;
    const auto count = static_cast<qsizetype>(path.iterates.size());
    const qsizetype stride = std::max<qsizetype>(1, count / drawnIterates);
    QPolygonF line;
    for (qsizetype i = 0; i < count; i += stride) {
        const QPointF &x = path.iterates[static_cast<std::size_t>(i)];
        if (std::isfinite(x.x()) && std::isfinite(x.y()))
            line << map(x);
    }
    line << map(path.iterates.back());
    // A halo in the ground's colour keeps the path apart from the contours and from other paths.
    QColor halo = theme.plot;
    halo.setAlphaF(0.75F);
    const double width = path.runId == current ? 2.0 : 1.5;
    p.setPen(QPen(halo, width + 2.5, Qt::SolidLine, Qt::RoundCap, Qt::RoundJoin));
    p.drawPolyline(line);
    p.setPen(QPen(path.colour, width, Qt::SolidLine, Qt::RoundCap, Qt::RoundJoin));
    p.drawPolyline(line);
    p.setPen(QPen(theme.plot, 1.2));
    p.setBrush(path.colour);
    for (const std::size_t i : path.stageEnds) {
        if (i < path.iterates.size())
            p.drawEllipse(map(path.iterates[i]), 3.5, 3.5);
    }
    p.drawEllipse(map(path.iterates.back()), 5, 5);
    p.setFont(theme.font(TextRole::Small));
    const QFontMetricsF m(p.font());
    const QPointF end = map(path.iterates.back());
    const QRectF rect(end.x() - m.horizontalAdvance(path.name) - 15, end.y() + 7, m.horizontalAdvance(path.name) + 8,
                      m.height());
    p.setPen(Qt::NoPen);
    p.setBrush(halo);
    p.drawRoundedRect(rect, 3, 3);
    p.setPen(theme.isDark ? path.colour.lighter(115) : path.colour.darker(115));
    p.drawText(rect, Qt::AlignCenter, path.name);
}

void LandscapeView::Private::drawCentre(QPainter &p, const LandscapePath &path) const
{
    if (path.centres.empty())
        return;
    QPolygonF trail;
    for (const QPointF &s : path.centres)
        trail << map(s);
    QPen faint(theme.text, 1);
    faint.setDashPattern({2, 3});
    p.setPen(faint);
    p.setBrush(Qt::NoBrush);
    p.drawPolyline(trail);
    const QPointF s = trail.last();
    // f_{s,lambda}'s minimizer lies where (lambda/2)|x-s|^2 <= F(s) - F_opt: the circle shrinks as lambda grows and as
    // s improves.
    if (f && path.lambda > 0 && fOpt) {
        const double drop = f(path.centres.back().x(), path.centres.back().y()) - *fOpt;
        if (drop > 0) {
            const double r = std::sqrt(2 * drop / path.lambda) * pixelsPerUnit();
            QPen ring(theme.text, 1.3);
            ring.setDashPattern({5, 4});
            p.setPen(ring);
            if (r < 20000)
                p.drawEllipse(s, r, r);
        }
    }
    QPainterPath diamond;
    diamond.moveTo(s + QPointF(0, -7));
    diamond.lineTo(s + QPointF(7, 0));
    diamond.lineTo(s + QPointF(0, 7));
    diamond.lineTo(s + QPointF(-7, 0));
    diamond.closeSubpath();
    p.setPen(QPen(theme.plot, 1.5));
    p.setBrush(theme.text);
    p.drawPath(diamond);
    const QFontMetricsF m(theme.font(TextRole::Strong));
    p.setFont(theme.font(TextRole::Strong));
    p.setPen(theme.text);
    p.drawText(s + QPointF(-4 - m.horizontalAdvance(QStringLiteral("s")) - 6, -6), QStringLiteral("s"));
}

void LandscapeView::Private::drawAxes(QPainter &p) const
{
    const QRectF area = plot();
    p.setFont(theme.font(TextRole::Small));
    const QFontMetricsF m(p.font());
    p.setPen(theme.textMuted);
    for (const Tick &t :
         makeTicks({}, {view.left(), view.right()}, area.width(), m.horizontalAdvance(QStringLiteral("−0.000")) + 24)) {
        const double x = map({t.position, view.top()}).x();
        p.drawText(QRectF(x - 40, area.bottom() + 6, 80, m.height()), Qt::AlignCenter, t.label);
        p.drawLine(QPointF(x, area.bottom()), QPointF(x, area.bottom() + 4));
    }
    for (const Tick &t : makeTicks({}, {view.top(), view.bottom()}, area.height(), m.height() * 2.2)) {
        const double y = map({view.left(), t.position}).y();
        p.drawText(QRectF(0, y - m.height() / 2, area.left() - 8, m.height()), Qt::AlignRight | Qt::AlignVCenter,
                   t.label);
        p.drawLine(QPointF(area.left() - 4, y), QPointF(area.left(), y));
    }
    p.setBrush(Qt::NoBrush);
    p.setPen(QPen(theme.frame, 1));
    p.drawRect(area.adjusted(0.5, 0.5, -0.5, -0.5));
}

void LandscapeView::paintEvent(QPaintEvent *)
{
    QPainter p(this);
    p.fillRect(rect(), d->theme.window);
    const QRectF area = d->plot();
    if (!d->f) {
        p.setFont(d->theme.font(TextRole::Body));
        p.setPen(d->theme.textMuted);
        p.drawText(rect().adjusted(24, 0, -24, 0), Qt::AlignCenter | Qt::TextWordWrap,
                   tr("The landscape needs a problem with two features, such as the data set gaussians-2d."));
        return;
    }
    p.fillRect(area, d->theme.plot);
    p.save();
    p.setClipRect(area);
    p.setRenderHints(QPainter::Antialiasing | QPainter::SmoothPixmapTransform);
    if (!d->image.isNull()) {
        const QPointF a = d->map(d->imageRect.topLeft()); // smallest y of the plane: lowest on the screen
        const QPointF b = d->map(d->imageRect.bottomRight());
        p.drawImage(QRectF(QPointF(a.x(), b.y()), QPointF(b.x(), a.y())), d->image);
    }
    for (const LandscapePath &path : d->paths) {
        if (path.visible)
            d->drawPath(p, path);
    }
    if (d->optimum) {
        const QPointF o = d->map(*d->optimum);
        p.setPen(QPen(d->theme.text, 1.8, Qt::SolidLine, Qt::RoundCap));
        p.drawLine(o + QPointF(-6, 0), o + QPointF(6, 0));
        p.drawLine(o + QPointF(0, -6), o + QPointF(0, 6));
        p.setFont(d->theme.font(TextRole::Small));
        p.drawText(o + QPointF(9, -7), QStringLiteral("x*"));
    }
    for (const LandscapePath &path : d->paths) {
        if (path.visible && path.runId == d->current)
            d->drawCentre(p, path);
    }
    p.restore();
    p.setRenderHint(QPainter::Antialiasing, true);
    d->drawAxes(p);
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
    if (d->panning) {
        d->view.translate(d->grabbed - d->unmap(event->position()));
        d->fitted = false;
        d->changed();
        return;
    }
    if (!d->f || !d->plot().contains(event->position())) {
        emit hovered({});
        return;
    }
    const QPointF x = d->unmap(event->position());
    emit hovered(QStringLiteral("x = (%1, %2)   F = %3")
                     .arg(formatNumber(x.x(), 3), formatNumber(x.y(), 3), formatNumber(d->f(x.x(), x.y()), 4)));
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
    const double factor = std::pow(0.8, event->angleDelta().y() / 120.0);
    const QPointF about = d->unmap(event->position());
    const double width = std::clamp(d->view.width() * factor, 1e-9, 1e9);
    const double f = width / d->view.width();
    d->view = QRectF(about.x() + (d->view.left() - about.x()) * f, about.y() + (d->view.top() - about.y()) * f, width,
                     d->view.height() * f);
    d->fitted = false;
    d->changed();
    event->accept();
}

void LandscapeView::leaveEvent(QEvent *)
{
    emit hovered({});
}

} // namespace appa::ui
