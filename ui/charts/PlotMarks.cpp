// The marks over the curves: reference lines, stage ticks, theory, events, ends.
#include "charts/Decimate.h"
#include "charts/PlotPainter.h"

#include <QFontMetricsF>
#include <QPainter>
#include <QPainterPath>

#include <algorithm>
#include <cmath>

namespace appa::ui {

namespace {

constexpr double mergeWithin = 48;   ///< pixels
constexpr double currentWidth = 1.9; ///< the current run is drawn wider than this

double crisp(double v)
{
    return std::floor(v) + 0.5;
}

/// The name of a curve beside its end.
struct EndLabel
{
    double wish; ///< its top, beside the curve
    double place;
    const PlotSeries *series;
};

/// Labels beside each other without overlap. One far from its curve says nothing: where it is crowded, some go (never
/// the current run's, which is drawn wider); the legend and the readout have them all.
void placeLabels(std::vector<EndLabel> &labels, double height, double top, double bottom)
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
            const double off =
                std::abs(places[i] - wishes[i]) / (labels[i].series->width > currentWidth ? 1000.0 : 1.0);
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

/// Moves a label to the left until it lies on no other.
void avoid(QRectF &rect, const std::vector<QRectF> &taken)
{
    for (bool moved = true; moved;) {
        moved = false;
        for (const QRectF &other : taken) {
            if (other.intersects(rect)) {
                rect.moveRight(other.left() - 8);
                moved = true;
            }
        }
    }
}

/// The words of several changes of one thing: "λ 10⁻³ → 10⁻⁴" and "λ 10⁻⁴ → 10⁻⁵" are "λ 10⁻³ → 10⁻⁵".
QString joined(const QString &first, const QString &last)
{
    static const QString arrow = QStringLiteral(" → ");
    return first.contains(arrow) && last.contains(arrow) ? first.section(arrow, 0, 0) + arrow + last.section(arrow, -1)
                                                         : last;
}

/// Where the line of a mark leaves the frame upwards for good; the mark's own place if it does not.
QPointF leavingPoint(const PointMark &mark, std::span<const PlotSeries> series, const PlotFrame &f)
{
    if (mark.seriesId < 0 || mark.at.y() <= f.y.hi)
        return mark.at;
    const auto s =
        std::find_if(series.begin(), series.end(), [&](const PlotSeries &c) { return c.id == mark.seriesId; });
    if (s == series.end() || s->points.empty())
        return mark.at;
    auto it = s->points.end() - 1;
    while (it != s->points.begin() && it->y() > f.y.hi)
        --it;
    if (it->y() > f.y.hi || it + 1 == s->points.end())
        return *it;
    const QPointF a = *it;
    const QPointF b = *(it + 1);
    const double t = (f.y.hi - a.y()) / (b.y() - a.y());
    return {a.x() + t * (b.x() - a.x()), b.y()};
}

} // namespace

void PlotPainter::foreground(QPainter &p, const PlotFrame &f, const PlotContent &content,
                             std::span<const PlotSeries> series) const
{
    p.save();
    p.setFont(m_theme.font(TextRole::Small));
    std::vector<QRectF> taken;
    refLines(p, f, content, taken);
    if (content.theory.size() > 1) {
        QPen pen(m_theme.text, 1.3);
        pen.setCapStyle(Qt::FlatCap);
        pen.setDashPattern({1.5, 3});
        p.setPen(pen);
        p.setRenderHint(QPainter::Antialiasing, true);
        QList<QPointF> line = decimate(content.theory, f.x, 400);
        for (QPointF &q : line)
            q = f.map(q);
        const QList<QList<QPointF>> pieces = clipPolyline(line, f.plot);
        for (const QList<QPointF> &piece : pieces)
            p.drawPolyline(piece.data(), static_cast<int>(piece.size()));
        if (!pieces.isEmpty() && !content.theoryLabel.isEmpty()) {
            const QFontMetricsF m(p.font());
            const QPointF end = pieces.last().last();
            const double w = m.horizontalAdvance(content.theoryLabel) + 8;
            // Above and to the right of it: a bound has the curve below.
            const bool leaves = end.y() > f.plot.bottom() - m.height() && end.x() + w + 10 < f.plot.right();
            QRectF rect(leaves ? end.x() + 6 : std::min(end.x() - w - 4, f.plot.right() - w - 4),
                        std::clamp(end.y() - m.height() - 8, f.plot.top() + 2, f.plot.bottom() - m.height() - 2), w,
                        m.height());
            if (!leaves)
                avoid(rect, taken);
            taken.push_back(rect);
            plate(p, rect, content.theoryLabel, m_theme.text, m_theme.plot);
        }
    }
    if (!content.stageTicks.empty()) {
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
    pointMarks(p, f, content, series, taken);
    eventMarks(p, f, content, taken);
    if (content.endLabels)
        endLabels(p, f, series, taken);
    if (!content.emptyText.isEmpty()) {
        p.setFont(m_theme.font(TextRole::Body));
        p.setPen(m_theme.textMuted);
        p.drawText(f.plot.adjusted(16, 0, -16, 0), Qt::AlignCenter | Qt::TextWordWrap, content.emptyText);
    }
    p.restore();
}

void PlotPainter::refLines(QPainter &p, const PlotFrame &f, const PlotContent &content,
                           std::vector<QRectF> &taken) const
{
    const QFontMetricsF m(p.font());
    for (const RefLine &line : content.refLines) {
        if (!f.y.contains(line.y))
            continue;
        const double y = crisp(f.map({f.x.lo, line.y}).y());
        const QColor ink = line.colour.isValid() ? line.colour : m_theme.textMuted;
        QPen pen(ink, 1);
        pen.setCapStyle(Qt::FlatCap);
        pen.setDashPattern(line.dotted ? QList<qreal>{1, 3} : QList<qreal>{5, 4});
        p.setPen(pen);
        p.setRenderHint(QPainter::Antialiasing, false);
        p.drawLine(QPointF(f.plot.left(), y), QPointF(f.plot.right(), y));
        if (line.label.isEmpty())
            continue;
        p.setRenderHint(QPainter::Antialiasing, true);
        const double w = m.horizontalAdvance(line.label) + 8;
        // Above the line, or below where there is no room. Curves fall: a line they cross has room at its right end,
        // one they end on at its left.
        const double top = y - m.height() - 1 < f.plot.top() ? y + 1 : y - m.height() - 1;
        QRectF rect(line.dotted ? f.plot.left() + 6 : f.plot.right() - w - 6, top, w, m.height());
        avoid(rect, taken);
        if (rect.left() < f.plot.left())
            continue;
        taken.push_back(rect);
        plate(p, rect, line.label, ink, m_theme.plot);
    }
}

void PlotPainter::eventMarks(QPainter &p, const PlotFrame &f, const PlotContent &content,
                             std::vector<QRectF> &taken) const
{
    const QFontMetricsF m(p.font());
    const double h = m.height() + 4;
    const int rowLimit = std::max(1, static_cast<int>(f.plot.height() * 0.45 / (h + 3)));
    for (std::size_t i = 0; i < content.events.size(); ++i) {
        EventMark e = content.events[i];
        if (!f.x.contains(e.x))
            continue;
        const double x = crisp(f.map({e.x, f.y.lo}).x());
        QPen pen(m_theme.accent, 1);
        pen.setCapStyle(Qt::FlatCap);
        pen.setDashPattern({2, 3});
        p.setPen(pen);
        p.setRenderHint(QPainter::Antialiasing, false);
        p.drawLine(QPointF(x, f.plot.top()), QPointF(x, f.plot.bottom()));
        if (e.label.isEmpty())
            continue;
        // A dragged slider leaves many changes close together: their lines are drawn, their label is one.
        double end = x;
        for (; i + 1 < content.events.size(); ++i) {
            const EventMark &next = content.events[i + 1];
            const double at = crisp(f.map({next.x, f.y.lo}).x());
            if (next.key != e.key || e.key.isEmpty() || next.colour != e.colour || at - end > mergeWithin)
                break;
            end = at;
            p.drawLine(QPointF(at, f.plot.top()), QPointF(at, f.plot.bottom()));
            e.label = joined(e.label, next.label);
        }
        p.setRenderHint(QPainter::Antialiasing, true);
        const double w = m.horizontalAdvance(e.label) + 18;
        const bool flip = x + w + 2 > f.plot.right();
        QRectF rect(flip ? x - w - 3 : x + 3, f.plot.top() + 4, w, h);
        const auto blocked = [&] {
            return std::any_of(taken.begin(), taken.end(),
                               [&](const QRectF &t) { return t.adjusted(-3, -1, 3, 1).intersects(rect); });
        };
        int row = 0;
        while (blocked() && ++row < rowLimit)
            rect.translate(0, h + 3);
        if (row >= rowLimit || rect.left() < f.plot.left())
            continue; // its line stays; the log has the words
        taken.push_back(rect);
        QColor ground = m_theme.isDark ? m_theme.selection : QColor(0xe8f0fd);
        ground.setAlphaF(0.94F);
        p.setPen(Qt::NoPen);
        p.setBrush(ground);
        p.drawRoundedRect(rect, 3, 3);
        p.setBrush(e.colour.isValid() ? e.colour : m_theme.accent);
        p.drawEllipse(QPointF(rect.left() + 8, rect.center().y()), 3, 3);
        p.setPen(m_theme.text);
        p.drawText(rect.adjusted(14, 0, -2, 0), Qt::AlignLeft | Qt::AlignVCenter, e.label);
    }
}

void PlotPainter::pointMarks(QPainter &p, const PlotFrame &f, const PlotContent &content,
                             std::span<const PlotSeries> series, std::vector<QRectF> &taken) const
{
    const QFontMetricsF m(p.font());
    p.setRenderHint(QPainter::Antialiasing, true);
    for (const PointMark &mark : content.marks) {
        const QPointF end = leavingPoint(mark, series, f);
        if (!f.x.contains(end.x()))
            continue;
        QPointF at = f.map(end) + QPointF(mark.shift, 0);
        const bool above = at.y() < f.plot.top();
        const bool below = at.y() > f.plot.bottom();
        const bool isBeyond = mark.kind == PointMark::Kind::Beyond;
        if ((above || below) && mark.kind != PointMark::Kind::Diverged && !(isBeyond && above))
            continue;
        at.setY(std::clamp(at.y(), f.plot.top() + 7, f.plot.bottom() - 7));
        const QColor ink = mark.colour.isValid() ? mark.colour : m_theme.danger;
        switch (mark.kind) {
        case PointMark::Kind::Diverged:
        case PointMark::Kind::Failed:
        case PointMark::Kind::Beyond: {
            p.setPen(QPen(above ? ink : m_theme.danger, 2.2, Qt::SolidLine, Qt::RoundCap));
            if (isBeyond && !above) {
                p.setPen(QPen(m_theme.plot, 1.5));
                p.setBrush(ink);
                p.drawEllipse(at, 4, 4);
            } else if (above) { // an arrow: the curve goes on beyond the frame
                p.drawLine(at + QPointF(0, 5), at + QPointF(0, -5));
                p.drawLine(at + QPointF(-4, -1), at + QPointF(0, -5));
                p.drawLine(at + QPointF(4, -1), at + QPointF(0, -5));
            } else {
                p.drawLine(at + QPointF(-4, -4), at + QPointF(4, 4));
                p.drawLine(at + QPointF(-4, 4), at + QPointF(4, -4));
            }
            break;
        }
        case PointMark::Kind::Best:
            p.setPen(QPen(m_theme.plot, 1.5));
            p.setBrush(ink);
            p.drawEllipse(at, 5.5, 5.5);
            break;
        case PointMark::Kind::Dot:
            p.setPen(QPen(m_theme.plot, 1.5));
            p.setBrush(ink);
            p.drawEllipse(at, 4, 4);
            break;
        }
        if (mark.text.isEmpty() || (isBeyond && !above))
            continue;
        const double w = m.horizontalAdvance(mark.text) + 8;
        QRectF rect(at.x() + 8, at.y() - m.height() / 2, w, m.height());
        if (rect.right() > f.plot.right())
            rect.moveRight(at.x() - 8);
        if (above && mark.seriesId < 0)
            rect.moveTopLeft({std::clamp(at.x() - w / 2, f.plot.left() + 2, f.plot.right() - w - 2), at.y() + 10});
        if (mark.kind == PointMark::Kind::Best)
            rect.moveTopLeft({std::clamp(at.x() - w / 2, f.plot.left() + 2, f.plot.right() - w - 2), at.y() + 8});
        if (rect.bottom() > f.plot.bottom())
            rect.moveBottom(at.y() - 8);
        for (int tries = 0; tries < 12; ++tries) {
            const auto hit =
                std::find_if(taken.begin(), taken.end(), [&](const QRectF &t) { return t.intersects(rect); });
            if (hit == taken.end())
                break;
            rect.moveTop(hit->bottom() + 1);
        }
        if (rect.bottom() > f.plot.bottom())
            continue;
        taken.push_back(rect);
        plate(p, rect, mark.text, mark.kind == PointMark::Kind::Best ? ink : m_theme.danger, m_theme.plot);
    }
}

void PlotPainter::endLabels(QPainter &p, const PlotFrame &f, std::span<const PlotSeries> series,
                            const std::vector<QRectF> &taken) const
{
    const QFontMetricsF m(p.font());
    // A curve that ends within the plot has its label at its head, where there is room; the others at the margin.
    const auto headOf = [&](const PlotSeries &s, double y) {
        return QRectF(f.map(s.points.back()).x() + 6, y, m.horizontalAdvance(s.name) + 4, m.height());
    };
    std::vector<EndLabel> atHead;
    std::vector<EndLabel> atMargin;
    for (const PlotSeries &s : series) {
        const double at = endHeight(s, f.x, f.y);
        if (!std::isfinite(at))
            continue;
        const double y = f.map({f.x.hi, at}).y() - m.height() / 2;
        (headOf(s, y).right() <= f.plot.right() ? atHead : atMargin).push_back({y, y, &s});
    }
    const double top = f.plot.top() - m.height() / 2;
    const double bottom = f.plot.bottom() - m.height() / 2;
    p.setRenderHint(QPainter::Antialiasing, true);
    placeLabels(atHead, m.height(), top, bottom);
    for (const EndLabel &label : atHead) {
        const PlotSeries &s = *label.series;
        const QRectF head = headOf(s, label.place);
        const bool room = f.plot.contains(head) && std::abs(label.place - label.wish) < m.height()
            && std::ranges::none_of(taken, [&](const QRectF &t) { return t.intersects(head); });
        if (room || s.width > currentWidth)
            plate(p, head, s.name, s.colour, m_theme.plot);
    }
    placeLabels(atMargin, m.height(), top, bottom);
    const double left = f.plot.right() + 10;
    const double width = f.outer.right() - left - 4;
    for (const EndLabel &label : atMargin) {
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
