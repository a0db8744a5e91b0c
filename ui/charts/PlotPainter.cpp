#include "charts/PlotPainter.h"

#include "charts/Decimate.h"

#include <QFontMetricsF>
#include <QPainter>
#include <QPainterPath>
#include <QPolygonF>

#include <algorithm>
#include <cmath>
#include <limits>

namespace appa::ui {

namespace {

constexpr double tickLabelGap = 8;
constexpr double beyond = 64; ///< pixels: so far above and below its frame a line is drawn

/// On the pixel grid: 1-px lines stay sharp on every device pixel ratio.
double crisp(double v)
{
    return std::floor(v) + 0.5;
}

QPen hairline(const QColor &colour, Qt::PenStyle style = Qt::SolidLine)
{
    QPen pen(colour, 1, style);
    pen.setCapStyle(Qt::FlatCap);
    return pen;
}

double yTickPixels(const QFontMetricsF &m)
{
    return m.height() * 1.7;
}

double xTickPixels(const QFontMetricsF &m, const PlotContent &c)
{
    return m.horizontalAdvance(c.xScale.log ? QStringLiteral("0.005") : QStringLiteral("10 000")) + 28;
}

/// The part of an area below (side 1) or above (-1) a height, after Sutherland and Hodgman.
QPolygonF cutAt(const QPolygonF &area, double height, double side)
{
    QPolygonF part;
    for (qsizetype i = 0; i < area.size(); ++i) {
        const QPointF a = area[i];
        const QPointF b = area[(i + 1) % area.size()];
        const double from = side * (a.y() - height);
        const double to = side * (b.y() - height);
        if (from >= 0)
            part << a;
        if ((from < 0) != (to < 0))
            part << QPointF(a.x() + from / (from - to) * (b.x() - a.x()), height);
    }
    return part;
}

} // namespace

double endHeight(const PlotSeries &series, const Range &x, const Range &y)
{
    constexpr double none = std::numeric_limits<double>::quiet_NaN();
    const auto &pts = series.points;
    if (!series.visible || pts.empty() || pts.front().x() > x.hi || pts.back().x() < x.lo)
        return none;
    double at = pts.back().y();
    if (pts.back().x() > x.hi) {
        const auto next =
            std::upper_bound(pts.begin(), pts.end(), x.hi, [](double v, const QPointF &p) { return v < p.x(); });
        const QPointF b = *next;
        const QPointF a = next == pts.begin() ? b : *(next - 1);
        at = b.x() > a.x() ? a.y() + (x.hi - a.x()) / (b.x() - a.x()) * (b.y() - a.y()) : a.y();
    }
    return y.contains(at) ? at : none;
}

std::vector<double> spreadLabels(std::vector<double> wishes, double spacing, double top, double bottom)
{
    // Clusters of touching labels take the mean of their wishes; merging until none overlap is least-squares optimal.
    struct Cluster
    {
        double sum; ///< of the wished positions of its first label
        double count;
        double first; ///< position of its first label
    };
    std::vector<Cluster> clusters;
    for (std::size_t i = 0; i < wishes.size(); ++i) {
        clusters.push_back({wishes[i], 1, wishes[i]});
        const auto place = [&](Cluster &c) {
            const double last = std::max(top, bottom - spacing * (c.count - 1));
            c.first = std::clamp(c.sum / c.count, top, last);
        };
        place(clusters.back());
        while (clusters.size() > 1) {
            Cluster &b = clusters.back();
            Cluster &a = clusters[clusters.size() - 2];
            if (a.first + a.count * spacing <= b.first + 1e-9)
                break;
            a.sum += b.sum - b.count * a.count * spacing;
            a.count += b.count;
            clusters.pop_back();
            place(clusters.back());
        }
    }
    std::size_t i = 0;
    for (const Cluster &c : clusters) {
        for (int k = 0; k < static_cast<int>(c.count); ++k)
            wishes[i++] = c.first + k * spacing;
    }
    return wishes;
}

double PlotPainter::smallWidth(const QString &text) const
{
    const auto known = m_widths.constFind(text);
    if (known != m_widths.cend())
        return *known;
    if (m_widths.size() > 2000) // values come and go
        m_widths.clear();
    const double width = QFontMetricsF(m_theme.font(TextRole::Small)).horizontalAdvance(text);
    m_widths.insert(text, width);
    return width;
}

PlotMargins PlotPainter::margins(const PlotContent &content, std::span<const PlotSeries> series, const QSizeF &size,
                                 double left, double right) const
{
    const QFontMetricsF small(m_theme.font(TextRole::Small));
    const QFontMetricsF title(m_theme.font(TextRole::Title));
    PlotMargins m;
    double label = smallWidth(QStringLiteral("0.00"));
    // The plot's height follows from the margins: a taller one may have longer labels (5×10⁻² between decades).
    for (const double height : {0.75 * size.height(), size.height()})
        for (const Tick &t : makeTicks(content.yScale, content.y, std::max(40.0, height), yTickPixels(small)))
            label = std::max(label, smallWidth(t.label));
    m.left =
        m_theme.space(1) + (content.yLabel.isEmpty() ? 0 : small.height() + m_theme.space(0.5)) + label + tickLabelGap;
    m.right = m_theme.space(2);
    if (content.endLabels) {
        double widest = 0;
        for (const PlotSeries &s : series) {
            if (s.visible && !s.points.empty())
                widest = std::max(widest, smallWidth(s.name));
        }
        const double limit = std::min(size.width() * 0.2, 190 * m_theme.scale);
        if (widest > 0)
            m.right = std::min(widest, limit) + m_theme.space(2);
    }
    // A whole number of grid units, so that a longer label seldom moves the plot.
    const double unit = m_theme.space(2);
    m.left = std::max(left, std::ceil(m.left / unit) * unit);
    m.right = std::max(right, std::ceil(m.right / unit) * unit);
    const int rows = legendRows(content, series, size.width() - m.left - m_theme.space(1));
    m.top =
        m_theme.space(0.75) + title.height() + (rows - 1) * (small.height() + m_theme.space(0.5)) + m_theme.space(0.75);
    m.bottom = content.showXAxis
        ? small.height() + tickLabelGap + (content.xLabel.isEmpty() ? 0 : small.height() + 2) + m_theme.space(0.5)
        : m_theme.space(0.75);
    return m;
}

PlotFrame PlotPainter::frame(const PlotContent &content, const QRectF &outer, const PlotMargins &m)
{
    PlotFrame f;
    f.outer = outer;
    f.x = content.x.valid() ? content.x : Range{};
    f.y = content.y.valid() ? content.y : Range{};
    f.plot = QRectF(QPointF(std::floor(outer.left() + m.left), std::floor(outer.top() + m.top)),
                    QPointF(std::floor(outer.right() - m.right), std::floor(outer.bottom() - m.bottom)));
    if (f.plot.width() < 20)
        f.plot.setWidth(20);
    if (f.plot.height() < 20)
        f.plot.setHeight(20);
    f.title = QRectF(f.plot.left(), outer.top(), outer.right() - f.plot.left(), f.plot.top() - outer.top());
    return f;
}

void PlotPainter::background(QPainter &p, const PlotFrame &f, const PlotContent &content) const
{
    p.save();
    p.setRenderHint(QPainter::Antialiasing, false);
    p.fillRect(f.outer, m_theme.window);
    p.fillRect(f.plot, m_theme.plot);

    const QFont smallFont = m_theme.font(TextRole::Small);
    const QFontMetricsF small(smallFont);
    const std::vector<Tick> xs = makeTicks(content.xScale, f.x, f.plot.width(), xTickPixels(small, content));
    const std::vector<Tick> ys = makeTicks(content.yScale, f.y, f.plot.height(), yTickPixels(small));

    const auto vertical = [&](const Tick &t) {
        const double x = crisp(f.map({t.position, f.y.lo}).x());
        p.drawLine(QPointF(x, f.plot.top()), QPointF(x, f.plot.bottom()));
    };
    const auto horizontal = [&](const Tick &t) {
        const double y = crisp(f.map({f.x.lo, t.position}).y());
        p.drawLine(QPointF(f.plot.left(), y), QPointF(f.plot.right(), y));
    };
    for (const bool major : {false, true}) {
        p.setPen(hairline(major ? m_theme.grid : m_theme.gridMinor));
        for (const Tick &t : xs) {
            if (t.label.isEmpty() != major)
                vertical(t);
        }
        for (const Tick &t : ys) {
            if (t.label.isEmpty() != major)
                horizontal(t);
        }
    }
    p.setPen(hairline(m_theme.frame));
    p.setBrush(Qt::NoBrush);
    p.drawRect(QRectF(crisp(f.plot.left()), crisp(f.plot.top()), f.plot.width(), f.plot.height()));

    p.setRenderHint(QPainter::Antialiasing, true);
    p.setFont(smallFont);
    p.setPen(m_theme.textMuted);
    for (const Tick &t : ys) {
        if (t.label.isEmpty())
            continue;
        const double y = f.map({f.x.lo, t.position}).y();
        const double top = std::clamp(y - small.height() / 2, f.plot.top() - small.height() / 2,
                                      f.plot.bottom() - small.height() * 0.6);
        p.drawText(QRectF(f.outer.left(), top, f.plot.left() - f.outer.left() - tickLabelGap, small.height()),
                   Qt::AlignRight | Qt::AlignVCenter, t.label);
    }
    if (content.showXAxis) {
        for (const Tick &t : xs) {
            if (t.label.isEmpty())
                continue;
            const double x = f.map({t.position, f.y.lo}).x();
            const double w = small.horizontalAdvance(t.label) + 2;
            const double left = std::clamp(x - w / 2, f.outer.left(), f.outer.right() - w);
            p.drawText(QRectF(left, f.plot.bottom() + tickLabelGap * 0.75, w, small.height()), Qt::AlignCenter,
                       t.label);
        }
        p.drawText(QRectF(f.plot.left(), f.plot.bottom() + tickLabelGap * 0.75 + small.height() + 1, f.plot.width(),
                          small.height()),
                   Qt::AlignCenter, content.xLabel);
    }
    if (!content.yLabel.isEmpty()) {
        p.save();
        p.translate(f.outer.left() + m_theme.space(1), f.plot.center().y());
        p.rotate(-90);
        // Longer than the plot is high, it may reach into the title's row, but not beyond the plot's own place.
        const double below = f.outer.bottom() - f.plot.center().y();
        const double above = f.plot.center().y() - f.outer.top();
        const double width = small.horizontalAdvance(content.yLabel) + 2;
        const double from = std::clamp(-width / 2, -below, std::max(-below, above - width));
        // A part of a formula, or one that touches the next plot's, says less than the title alone.
        if (width + m_theme.space(1) <= below + above)
            p.drawText(QRectF(from, 0, width, small.height()), Qt::AlignCenter, content.yLabel);
        p.restore();
    }
    p.restore();
}

void PlotPainter::bands(QPainter &p, const PlotFrame &f, std::span<const PlotSeries> series) const
{
    p.save();
    p.setClipRect(f.plot);
    p.setRenderHint(QPainter::Antialiasing, true);
    p.setPen(Qt::NoPen);
    for (const PlotSeries &s : series) {
        if (!s.visible || s.upper.size() < 2)
            continue;
        QPolygonF area;
        for (const QPointF &q : s.upper)
            area << f.map(q);
        for (auto it = s.lower.rbegin(); it != s.lower.rend(); ++it)
            area << f.map(*it);
        area = cutAt(cutAt(area, f.plot.top(), 1), f.plot.bottom(), -1); // SVG does not clip
        QColor fill = s.colour;
        fill.setAlphaF(m_theme.isDark ? 0.20F : 0.16F);
        p.setBrush(fill);
        p.drawPolygon(area);
    }
    p.restore();
}

QList<QPointF> PlotPainter::outline(const PlotFrame &f, const PlotSeries &s, int columns)
{
    QList<QPointF> line = decimate(s.points, f.x, columns);
    for (QPointF &q : line)
        q = f.map(q);
    if (s.from > f.x.lo)
        line = cutAcross(line, f.map({s.from, f.y.lo}).x()).second;
    return simplify(between(line, f.plot.top() - beyond, f.plot.bottom() + beyond), 0.2);
}

std::vector<QList<QPointF>> PlotPainter::outlines(const PlotFrame &f, std::span<const PlotSeries> series)
{
    std::vector<QList<QPointF>> lines;
    for (const PlotSeries &s : series)
        lines.push_back(s.visible ? outline(f, s, std::max(50, static_cast<int>(f.plot.width()))) : QList<QPointF>());
    return lines;
}

std::vector<PlotPainter::Piece> PlotPainter::pieces(const PlotFrame &f, const PlotSeries &s,
                                                    const QList<QPointF> &outline)
{
    std::vector<Piece> pieces;
    QList<QPointF> rest = outline;
    for (const DashBefore &before : s.before) {
        auto [first, second] = cutAcross(rest, f.map({before.until, f.y.lo}).x());
        if (first.size() > 1)
            pieces.push_back({std::move(first), before.dash});
        rest = std::move(second);
    }
    pieces.push_back({std::move(rest), s.dash});
    return pieces;
}

void PlotPainter::stroke(QPainter &p, const PlotFrame &f, const PlotSeries &s, const QList<QPointF> &outline)
{
    for (Piece &piece : pieces(f, s, outline)) {
        for (qreal &d : piece.dash)
            d *= s.width;
        // Square caps close the joints of a solid line; round ones would leave the fast path of the raster engine.
        p.setPen(QPen(s.colour, s.width, Qt::SolidLine, piece.dash.isEmpty() ? Qt::SquareCap : Qt::FlatCap));
        p.drawLines(strokes(piece.line, piece.dash));
    }
}

void PlotPainter::lines(QPainter &p, const PlotFrame &f, std::span<const PlotSeries> series,
                        std::span<const QList<QPointF>> outlines) const
{
    p.save();
    p.setRenderHint(QPainter::Antialiasing, true);
    p.setBrush(Qt::NoBrush);
    for (std::size_t i = 0; i < series.size(); ++i) {
        const PlotSeries &s = series[i];
        for (const Piece &part : pieces(f, s, outlines[i])) {
            QPen pen(s.colour, s.width);
            pen.setJoinStyle(Qt::RoundJoin);
            pen.setCapStyle(part.dash.isEmpty() ? Qt::RoundCap : Qt::FlatCap);
            if (!part.dash.isEmpty())
                pen.setDashPattern(part.dash);
            p.setPen(pen);
            for (const QList<QPointF> &piece : clipPolyline(part.line, f.plot))
                p.drawPolyline(piece.data(), static_cast<int>(piece.size()));
        }
    }
    p.restore();
}

void PlotPainter::axisFlag(QPainter &p, const PlotFrame &f, double x, const QString &label) const
{
    if (label.isEmpty())
        return;
    p.save();
    p.setRenderHint(QPainter::Antialiasing, true);
    p.setFont(m_theme.font(TextRole::Small));
    const QFontMetricsF small(p.font());
    const double width = small.horizontalAdvance(label) + m_theme.space(1.5);
    const double left = std::clamp(f.map({x, f.y.lo}).x() - width / 2, f.outer.left(), f.outer.right() - width);
    const QRectF flag(left, f.plot.bottom() + tickLabelGap * 0.75 - 2, width, small.height() + 4);
    p.setPen(Qt::NoPen);
    p.setBrush(m_theme.text);
    p.drawRoundedRect(flag, 3, 3);
    p.setPen(m_theme.window);
    p.drawText(flag, Qt::AlignCenter, label);
    p.restore();
}

void PlotPainter::cursors(QPainter &p, const PlotFrame &f, const PlotContent &content) const
{
    p.save();
    const QFontMetricsF small(m_theme.font(TextRole::Small));
    p.setFont(m_theme.font(TextRole::Small));
    for (const PlotCursor &c : content.cursors) {
        if (!f.x.contains(c.x))
            continue;
        const double x = crisp(f.map({c.x, f.y.lo}).x());
        p.setRenderHint(QPainter::Antialiasing, false);
        p.setPen(hairline(m_theme.text));
        p.drawLine(QPointF(x, f.plot.top()), QPointF(x, f.plot.bottom()));
        p.setRenderHint(QPainter::Antialiasing, true);
        const QRectF flag(x - small.height() / 2, f.plot.bottom() - small.height() - 1, small.height(), small.height());
        p.setPen(Qt::NoPen);
        p.setBrush(m_theme.text);
        p.drawRoundedRect(flag, 3, 3);
        p.setPen(m_theme.window);
        p.drawText(flag, Qt::AlignCenter, c.label);
    }
    p.restore();
}

} // namespace appa::ui
