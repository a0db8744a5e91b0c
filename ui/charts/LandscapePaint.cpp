// The landscape as it is drawn: contours, paths, the proximal centre, axes, and the keys to all of it.
#include "charts/Axis.h"
#include "charts/LandscapeViewPrivate.h"
#include "theme/Format.h"

#include <QFontMetricsF>
#include <QPainter>
#include <QPainterPath>

#include <cmath>

namespace appa::ui {

namespace {

constexpr std::size_t drawnPoints = 4000; ///< of a line
constexpr std::size_t drawnSigns = 500;
constexpr double tickLength = 4;

/// Of very many every so many, counted from the first: a picture takes no longer the longer a run lasts.
std::size_t strideOf(std::size_t count, std::size_t drawn)
{
    return std::max<std::size_t>(1, count / drawn);
}

} // namespace

const LandscapePath *LandscapeView::Private::currentPath() const
{
    const auto it = std::ranges::find_if(paths, [this](const LandscapePath &p) { return p.runId == current; });
    return it == paths.end() || !it->visible ? nullptr : &*it;
}

// ---- the keys

std::vector<std::pair<LandscapeView::Private::Sign, QString>> LandscapeView::Private::signs() const
{
    std::vector<std::pair<Sign, QString>> out;
    const bool anyPath =
        std::ranges::any_of(paths, [](const LandscapePath &p) { return p.visible && !p.iterates.empty(); });
    if (anyPath) {
        out.emplace_back(Sign::Start, LandscapeView::tr("start"));
        out.emplace_back(Sign::StageEnd, LandscapeView::tr("end of a stage"));
        out.emplace_back(Sign::End, LandscapeView::tr("now"));
    }
    if (const LandscapePath *path = currentPath(); path && !path->centres.empty()) {
        out.emplace_back(Sign::Centre, LandscapeView::tr("proximal centre s (dotted: its way)"));
        if (fOpt && path->lambda > 0)
            out.emplace_back(Sign::Reach, LandscapeView::tr("reach of a stage"));
    }
    if (optimum)
        out.emplace_back(Sign::Optimum, LandscapeView::tr("optimum x*"));
    return out;
}

std::vector<std::pair<int, double>> LandscapeView::Private::keyPlaces(double width) const
{
    const QFontMetricsF m(theme.font(TextRole::Small));
    std::vector<std::pair<int, double>> places;
    int row = 0;
    double x = 0;
    for (const auto &[sign, name] : signs()) {
        const double w = theme.space(2.75) + m.horizontalAdvance(name);
        if (x > 0 && x + w > width) {
            ++row;
            x = 0;
        }
        places.emplace_back(row, x);
        x += w + theme.space(2);
    }
    return places;
}

void LandscapeView::Private::drawSign(QPainter &p, Sign sign, const QPointF &at, const QColor &colour) const
{
    const double r = theme.scale;
    const auto disc = [&](const QColor &fill, const QColor &rim, double width, double radius) {
        p.setPen(QPen(rim, width));
        p.setBrush(fill);
        p.drawEllipse(at, radius, radius);
    };
    switch (sign) {
    case Sign::Start:
        disc(theme.plot, colour, 2, 4.5 * r);
        break;
    case Sign::StageEnd:
        disc(colour, theme.plot, 1.2, 3.5 * r);
        break;
    case Sign::End:
        disc(colour, theme.plot, 1.2, 5.5 * r);
        break;
    case Sign::Centre: {
        const QPointF diamond[] = {at + QPointF(0, -8 * r), at + QPointF(8 * r, 0), at + QPointF(0, 8 * r),
                                   at + QPointF(-8 * r, 0)};
        // Hollow: in the end the last point and the optimum lie within.
        p.setBrush(Qt::NoBrush);
        for (const QPen &pen : {QPen(theme.plot, 4), QPen(theme.text, 1.8)}) {
            p.setPen(pen);
            p.drawPolygon(diamond, 4);
        }
        break;
    }
    case Sign::Reach: {
        QPen ring(theme.text, 1.3);
        ring.setDashPattern({3, 2.5});
        p.setPen(ring);
        p.setBrush(Qt::NoBrush);
        p.drawEllipse(at, 5.5 * r, 5.5 * r);
        break;
    }
    case Sign::Optimum:
        for (const QPen &pen : {QPen(theme.plot, 4.2), QPen(theme.text, 1.8)}) {
            p.setPen(pen);
            p.drawLine(at + QPointF(-6 * r, 0), at + QPointF(6 * r, 0));
            p.drawLine(at + QPointF(0, -6 * r), at + QPointF(0, 6 * r));
        }
        break;
    }
}

void LandscapeView::Private::drawKey(QPainter &p, const PlotFrame &f) const
{
    const auto all = signs();
    const auto places = keyPlaces(f.plot.width());
    p.setFont(theme.font(TextRole::Small));
    const QFontMetricsF m(p.font());
    const double step = m.height() + theme.space(0.25);
    const double rows = places.empty() ? 0 : places.back().first + 1;
    const double top = f.plot.top() - theme.space(0.75) - rows * step;
    for (std::size_t i = 0; i < all.size(); ++i) {
        const QPointF left(f.plot.left() + places[i].second, top + places[i].first * step);
        drawSign(p, all[i].first, left + QPointF(theme.space(1.1), m.height() / 2), theme.textMuted);
        p.setPen(theme.textMuted);
        p.drawText(QRectF(left.x() + theme.space(2.75), left.y(), m.horizontalAdvance(all[i].second) + 1, m.height()),
                   Qt::AlignLeft | Qt::AlignVCenter, all[i].second);
    }
}

/// Beside the plot: a bar of the contours' colours, its numbers, its name.
double LandscapeView::Private::barMargin() const
{
    const QFontMetricsF m(theme.font(TextRole::Small));
    return theme.space(1) + theme.space(1.5) + theme.space(0.5) + m.horizontalAdvance(QStringLiteral("10⁻¹⁰"))
        + m.height() + theme.space(0.75);
}

void LandscapeView::Private::drawBar(QPainter &p, const PlotFrame &f) const
{
    if (surroundings.image.isNull())
        return;
    p.setFont(theme.font(TextRole::Small));
    const QFontMetricsF m(p.font());
    const QRectF bar(f.plot.right() + theme.space(1), f.plot.top(), theme.space(1.5), f.plot.height());
    const auto height = [&](double level) { return bar.bottom() - level / contourLevels * bar.height(); };
    for (int k = 0; k < contourLevels; ++k)
        p.fillRect(QRectF(bar.left(), height(k + 1), bar.width(), height(k) - height(k + 1)), levelColour(k, theme));
    p.setBrush(Qt::NoBrush);
    p.setPen(QPen(theme.frame, 1));
    p.drawRect(bar);
    p.setPen(theme.textMuted);
    for (int k = 0; k <= contourLevels; ++k) {
        const double power = scale.top - static_cast<double>(contourLevels - k) / levelsPerDecade;
        if (std::abs(power - std::round(power)) > 1e-6)
            continue;
        p.drawLine(QPointF(bar.right(), height(k)), QPointF(bar.right() + tickLength, height(k)));
        p.drawText(QRectF(bar.right() + theme.space(0.5) + 2, height(k) - m.height() / 2, 200, m.height()),
                   Qt::AlignLeft | Qt::AlignVCenter, powerOfTen(static_cast<int>(std::round(power))));
    }
    p.save();
    p.translate(f.outer.right() - m.height() - theme.space(0.25), bar.center().y());
    p.rotate(-90);
    p.drawText(QRectF(-bar.height() / 2, 0, bar.height(), m.height()), Qt::AlignCenter,
               fOpt ? QStringLiteral("F(x) − F_opt") : QStringLiteral("F(x) − min F"));
    p.restore();
}

// ---- the picture

void LandscapeView::Private::drawContours(QPainter &p, const PlotFrame &f) const
{
    // Beyond what is computed F is higher still.
    p.fillRect(f.plot, levelColour(contourLevels - 1, theme));
    for (const Picture *each : {&surroundings, &picture}) {
        if (each->image.isNull())
            continue;
        const QPointF a = f.map(each->rect.topLeft()); // smallest y of the plane: lowest on the screen
        const QPointF b = f.map(each->rect.bottomRight());
        p.drawImage(QRectF(QPointF(a.x(), b.y()), QPointF(b.x(), a.y())), each->image);
    }
}

void LandscapeView::Private::drawPath(QPainter &p, const PlotFrame &f, const LandscapePath &path) const
{
    if (path.iterates.empty())
        return;
    QPolygonF line;
    for (std::size_t i = 0; i < path.iterates.size(); i += strideOf(path.iterates.size(), drawnPoints)) {
        const QPointF &x = path.iterates[i];
        if (std::isfinite(x.x()) && std::isfinite(x.y()))
            line << f.map(x);
    }
    line << f.map(path.iterates.back());
    // A halo in the ground's colour keeps the path apart from the contours and from other paths.
    QColor halo = theme.plot;
    halo.setAlphaF(0.75F);
    const double width = (path.runId == current ? 2.0 : 1.5) * std::max(1.0, theme.scale);
    p.setBrush(Qt::NoBrush);
    p.setPen(QPen(halo, width + 2.5, Qt::SolidLine, Qt::RoundCap, Qt::RoundJoin));
    p.drawPolyline(line);
    p.setPen(QPen(path.colour, width, Qt::SolidLine, Qt::RoundCap, Qt::RoundJoin));
    p.drawPolyline(line);
    for (std::size_t k = 0; k < path.stageEnds.size(); k += strideOf(path.stageEnds.size(), drawnSigns)) {
        if (const std::size_t i = path.stageEnds[k]; i < path.iterates.size())
            drawSign(p, Sign::StageEnd, f.map(path.iterates[i]), path.colour);
    }
    drawSign(p, Sign::Start, f.map(path.iterates.front()), path.colour);
    drawSign(p, Sign::End, f.map(path.iterates.back()), path.colour);
}

double LandscapeView::Private::valueAtCentre(const QPointF &centre)
{
    if (!centreValue || centreValue->first != centre)
        centreValue = {centre, f(centre.x(), centre.y())};
    return centreValue->second;
}

void LandscapeView::Private::drawCentre(QPainter &p, const PlotFrame &at, const LandscapePath &path)
{
    if (path.centres.empty())
        return;
    QPolygonF trail;
    for (std::size_t k = 0; k < path.centres.size(); k += strideOf(path.centres.size(), drawnPoints))
        trail << at.map(path.centres[k]);
    trail << at.map(path.centres.back());
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
            const double r = std::sqrt(2 * drop / path.lambda) * pixelsPerUnit(at);
            QPen ring(theme.text, 1.3);
            ring.setDashPattern({5, 4});
            p.setPen(ring);
            if (r < 20000)
                p.drawEllipse(s, r, r);
        }
    }
    drawSign(p, Sign::Centre, s, theme.text);
}

void LandscapeView::Private::drawAxes(QPainter &p, const PlotFrame &f) const
{
    const QRectF &area = f.plot;
    p.setFont(theme.font(TextRole::Small));
    const QFontMetricsF m(p.font());
    p.setPen(theme.textMuted);
    for (const Tick &t : makeTicks({}, f.x, area.width(), m.horizontalAdvance(QStringLiteral("−0.000")) + 24)) {
        const double x = f.map({t.position, f.y.lo}).x();
        p.drawText(QRectF(x - 60, area.bottom() + 6, 120, m.height()), Qt::AlignCenter, t.label);
        p.drawLine(QPointF(x, area.bottom()), QPointF(x, area.bottom() + tickLength));
    }
    for (const Tick &t : makeTicks({}, f.y, area.height(), m.height() * 2.6)) {
        const double y = f.map({f.x.lo, t.position}).y();
        p.drawText(QRectF(0, y - m.height() / 2, area.left() - 8, m.height()), Qt::AlignRight | Qt::AlignVCenter,
                   t.label);
        p.drawLine(QPointF(area.left() - tickLength, y), QPointF(area.left(), y));
    }
    p.drawText(QRectF(area.left(), area.bottom() + 7 + m.height(), area.width(), m.height()), Qt::AlignCenter, xName);
    p.save();
    p.translate(f.outer.left() + theme.space(1), area.center().y());
    p.rotate(-90);
    p.drawText(QRectF(-area.height(), 0, 2 * area.height(), m.height()), Qt::AlignCenter, yName);
    p.restore();
    p.setBrush(Qt::NoBrush);
    p.setPen(QPen(theme.frame, 1));
    p.drawRect(area.adjusted(0.5, 0.5, -0.5, -0.5));
}

void LandscapeView::paintEvent(QPaintEvent *)
{
    QPainter p(this);
    p.fillRect(rect(), d->theme.window);
    if (!d->f) {
        d->legend.clear();
        p.setFont(d->theme.font(TextRole::Body));
        p.setPen(d->theme.textMuted);
        p.drawText(rect().adjusted(24, 0, -24, 0), Qt::AlignCenter | Qt::TextWordWrap,
                   tr("The landscape needs a problem with two features, such as the data set gaussians-2d."));
        return;
    }
    const PlotFrame f = d->frame();
    p.save();
    p.setClipRect(f.plot);
    p.setRenderHints(QPainter::Antialiasing | QPainter::SmoothPixmapTransform);
    d->drawContours(p, f);
    for (const LandscapePath &path : d->paths) {
        if (path.visible)
            d->drawPath(p, f, path);
    }
    if (const LandscapePath *path = d->currentPath())
        d->drawCentre(p, f, *path);
    if (d->optimum)
        d->drawSign(p, Private::Sign::Optimum, f.map(*d->optimum), d->theme.text);
    if (d->drag == Private::Drag::Zoom) {
        QColor fill = d->theme.accent;
        fill.setAlphaF(0.15F);
        p.setPen(QPen(d->theme.accent, 1));
        p.setBrush(fill);
        p.drawRect(QRectF(d->dragFrom, d->dragTo).normalized() & f.plot);
    }
    p.restore();
    p.setRenderHint(QPainter::Antialiasing, true);
    d->drawAxes(p, f);
    d->drawBar(p, f);
    d->drawKey(p, f);
    d->legend = d->painter.titleRow(p, f, d->content(), d->legendSeries());
}

} // namespace appa::ui
