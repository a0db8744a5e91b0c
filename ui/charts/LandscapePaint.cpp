// The landscape as it is drawn: contours, paths, the proximal centre, axes.
#include "charts/Axis.h"
#include "charts/LandscapeViewPrivate.h"

#include <QPainter>
#include <QPainterPath>

#include <cmath>

namespace appa::ui {

namespace {

constexpr qsizetype drawnIterates = 4000;

} // namespace

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

double LandscapeView::Private::valueAtCentre(const QPointF &centre)
{
    if (!centreValue || centreValue->first != centre)
        centreValue = {centre, f(centre.x(), centre.y())};
    return centreValue->second;
}

void LandscapeView::Private::drawCentre(QPainter &p, const LandscapePath &path)
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
        const double drop = valueAtCentre(path.centres.back()) - *fOpt;
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

} // namespace appa::ui
