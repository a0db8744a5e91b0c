// The marks over the curves: reference lines, stage ticks, theory, events, ends, and their labels.
#include "charts/PlotPainter.h"

#include <QFontMetricsF>
#include <QPainter>
#include <QPainterPath>

#include <algorithm>
#include <cmath>

namespace appa::ui {

namespace {

double crisp(double v)
{
    return std::floor(v) + 0.5;
}

/// The name of a curve in the right margin, beside its end.
struct EndLabel
{
    double wish; ///< its top, beside the curve
    double place;
    const PlotSeries *series;
};

/// Labels beside each other without overlap. One far from its curve says nothing: where it is crowded, some go (never
/// the current run's); the legend and the readout have them all.
void spread(std::vector<EndLabel> &labels, double height, double top, double bottom)
{
    std::ranges::stable_sort(labels, {}, &EndLabel::wish);
    for (;;) {
        std::vector<double> wishes;
        for (const EndLabel &label : labels)
            wishes.push_back(label.wish);
        const std::vector<double> places = spreadLabels(wishes, height, top, bottom);
        std::size_t worst = labels.size();
        double farthest = 2.2 * height;
        for (std::size_t i = 0; i < labels.size(); ++i) {
            labels[i].place = places[i];
            const double off = std::abs(places[i] - wishes[i]) / (labels[i].series->current ? 1000.0 : 1.0);
            if (off > farthest) {
                farthest = off;
                worst = i;
            }
        }
        if (worst == labels.size())
            return;
        labels.erase(labels.begin() + static_cast<std::ptrdiff_t>(worst));
    }
}

/// Text on a ground that keeps it readable over curves.
void plate(QPainter &p, const QRectF &rect, const QString &text, const QColor &ink, QColor ground)
{
    ground.setAlphaF(0.82F);
    p.setPen(Qt::NoPen);
    p.setBrush(ground);
    p.drawRoundedRect(rect, 3, 3);
    p.setPen(ink);
    p.drawText(rect, Qt::AlignCenter, text);
}

} // namespace

std::vector<PlotLabel> PlotPainter::foreground(QPainter &p, const PlotFrame &f, const PlotContent &content,
                                               std::span<const PlotSeries> series,
                                               std::span<const QList<QPointF>> outlines,
                                               std::span<const PlotLabel> last) const
{
    p.save();
    p.setFont(m_theme.font(TextRole::Small));
    // All lines first: a label lies on none of its neighbours'.
    guideLines(p, f, content);
    stageTicks(p, f, content);
    p.setRenderHint(QPainter::Antialiasing, true);
    for (const PointMark &mark : content.marks) {
        if (const auto place = placeOfMark(mark, series, f))
            pointMark(p, mark, *place);
    }
    std::vector<PlotLabel> labels = placeLabels(f, content, series, outlines, m_theme, last);
    for (const PlotLabel &label : labels) {
        if (label.kind == PlotLabel::Kind::Event)
            eventPlate(p, label);
        else
            plate(p, label.rect, label.text, label.ink, m_theme.plot);
    }
    if (content.endLabels)
        marginLabels(p, f, series);
    if (!content.emptyText.isEmpty()) {
        p.setFont(m_theme.font(TextRole::Body));
        p.setPen(m_theme.textMuted);
        p.drawText(f.plot.adjusted(16, 0, -16, 0), Qt::AlignCenter | Qt::TextWordWrap, content.emptyText);
    }
    p.restore();
    return labels;
}

/// Reference lines across, the moments of events downwards, and what theory predicts.
void PlotPainter::guideLines(QPainter &p, const PlotFrame &f, const PlotContent &content) const
{
    const auto dashed = [&](const QColor &ink, double width, const QList<qreal> &dash) {
        QPen pen(ink, width);
        pen.setCapStyle(Qt::FlatCap);
        pen.setDashPattern(dash);
        p.setPen(pen);
    };
    p.setRenderHint(QPainter::Antialiasing, false);
    for (const RefLine &line : content.refLines) {
        if (!f.y.contains(line.y))
            continue;
        const double y = crisp(f.map({f.x.lo, line.y}).y());
        dashed(line.colour.isValid() ? line.colour : m_theme.textMuted, 1,
               line.dotted ? QList<qreal>{1, 3} : QList<qreal>{5, 4});
        p.drawLine(QPointF(f.plot.left(), y), QPointF(f.plot.right(), y));
    }
    dashed(m_theme.accent, 1, {2, 3});
    for (const EventMark &event : content.events) {
        if (!f.x.contains(event.x))
            continue;
        const double x = crisp(f.map({event.x, f.y.lo}).x());
        p.drawLine(QPointF(x, f.plot.top()), QPointF(x, f.plot.bottom()));
    }
    p.setRenderHint(QPainter::Antialiasing, true);
    dashed(content.theoryColour.isValid() ? content.theoryColour : m_theme.text, 1.3, {1.5, 3});
    for (const QList<QPointF> &piece : theoryPieces(content, f))
        p.drawPolyline(piece.data(), static_cast<int>(piece.size()));
}

void PlotPainter::stageTicks(QPainter &p, const PlotFrame &f, const PlotContent &content) const
{
    p.setRenderHint(QPainter::Antialiasing, false);
    p.setPen(QPen(m_theme.textMuted, 1));
    // Ticks closer than 5 px say nothing: every 2nd, 5th, 10th .. stage then.
    double last = -1e9;
    for (const double at : content.stageTicks) {
        if (!f.x.contains(at))
            continue;
        const double x = crisp(f.map({at, f.y.lo}).x());
        if (x - last < 5)
            continue;
        last = x;
        p.drawLine(QPointF(x, f.plot.bottom() - 5), QPointF(x, f.plot.bottom()));
    }
}

void PlotPainter::eventPlate(QPainter &p, const PlotLabel &label) const
{
    QColor ground = m_theme.isDark ? m_theme.selection : QColor(0xe8f0fd);
    ground.setAlphaF(0.94F);
    p.setPen(Qt::NoPen);
    p.setBrush(ground);
    p.drawRoundedRect(label.rect, 3, 3);
    p.setBrush(label.ink);
    p.drawEllipse(label.dot(), 3, 3);
    p.setPen(m_theme.text);
    const bool dotFirst = label.dot().x() < label.rect.center().x();
    p.drawText(dotFirst ? label.rect.adjusted(14, 0, -2, 0) : label.rect.adjusted(2, 0, -14, 0),
               (dotFirst ? Qt::AlignLeft : Qt::AlignRight) | Qt::AlignVCenter, label.text);
}

void PlotPainter::pointMark(QPainter &p, const PointMark &mark, const MarkPlace &place) const
{
    const QPointF at = place.at;
    const QColor ink = mark.colour.isValid() ? mark.colour : m_theme.danger;
    const auto dot = [&](double radius) {
        p.setPen(QPen(m_theme.plot, 1.5));
        p.setBrush(ink);
        p.drawEllipse(at, radius, radius);
    };
    switch (mark.kind) {
    case PointMark::Kind::Diverged:
    case PointMark::Kind::Failed:
    case PointMark::Kind::Beyond:
        p.setPen(QPen(place.above ? ink : m_theme.danger, 2.2, Qt::SolidLine, Qt::RoundCap));
        if (place.above) { // an arrow: the curve goes on beyond the frame
            p.drawLine(at + QPointF(0, 5), at + QPointF(0, -5));
            p.drawLine(at + QPointF(-4, -1), at + QPointF(0, -5));
            p.drawLine(at + QPointF(4, -1), at + QPointF(0, -5));
        } else if (mark.kind == PointMark::Kind::Beyond) {
            dot(4);
        } else {
            p.drawLine(at + QPointF(-4, -4), at + QPointF(4, 4));
            p.drawLine(at + QPointF(-4, 4), at + QPointF(4, -4));
        }
        break;
    case PointMark::Kind::Beneath:
        p.setPen(QPen(ink, 2.2, Qt::SolidLine, Qt::RoundCap));
        p.drawLine(at + QPointF(0, -5), at + QPointF(0, 5));
        p.drawLine(at + QPointF(-4, 1), at + QPointF(0, 5));
        p.drawLine(at + QPointF(4, 1), at + QPointF(0, 5));
        break;
    case PointMark::Kind::Best:
        dot(5.5);
        break;
    case PointMark::Kind::Dot:
        dot(4);
        break;
    }
}

void PlotPainter::marginLabels(QPainter &p, const PlotFrame &f, std::span<const PlotSeries> series) const
{
    const QFontMetricsF m(p.font());
    std::vector<EndLabel> labels;
    for (const PlotSeries &s : series) {
        const double at = endHeight(s, f.x, f.y);
        if (!std::isfinite(at) || !endsAtMargin(s, f, m))
            continue;
        const double y = f.map({f.x.hi, at}).y() - m.height() / 2;
        labels.push_back({y, y, &s});
    }
    spread(labels, m.height(), f.plot.top() - m.height() / 2, f.plot.bottom() - m.height() / 2);
    const double left = f.plot.right() + 10;
    const double width = f.outer.right() - left - 4;
    for (const EndLabel &label : labels) {
        const PlotSeries &s = *label.series;
        const double middle = label.place + m.height() / 2;
        const double wish = label.wish + m.height() / 2;
        if (std::abs(middle - wish) > 3) {
            QColor leader = s.colour;
            leader.setAlphaF(0.6F);
            p.setPen(QPen(leader, 1));
            p.drawLine(QPointF(f.plot.right() + 1.5, wish), QPointF(left - 2, middle));
        }
        p.setPen(s.colour);
        p.drawText(QRectF(left, label.place, width, m.height()), Qt::AlignLeft | Qt::AlignVCenter,
                   m.elidedText(s.name, Qt::ElideMiddle, width));
    }
}

} // namespace appa::ui
