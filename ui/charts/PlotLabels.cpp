#include "charts/PlotLabels.h"

#include "charts/Decimate.h"
#include "charts/LabelPlacer.h"
#include "charts/PlotPainter.h"

#include <algorithm>
#include <cmath>

namespace appa::ui {

namespace {

constexpr double off = 6;          ///< pixels from what a label names: more than a cell of the placer
constexpr double mergeWithin = 48; ///< pixels
constexpr double headPadding = 4;
constexpr double padding = 8;
constexpr double eventPadding = 18; ///< with its dot

constexpr double mustShow = 1;   ///< the place covered least, if none is free
constexpr double mayTouch = 0.1; ///< a curve at its corner; left out if more is covered

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

bool isEnd(const PointMark &mark)
{
    return mark.kind == PointMark::Kind::Diverged || mark.kind == PointMark::Kind::Failed;
}

double distance(const QRectF &rect, const QPointF &point)
{
    return std::hypot(std::max({rect.left() - point.x(), point.x() - rect.right(), 0.0}),
                      std::max({rect.top() - point.y(), point.y() - rect.bottom(), 0.0}));
}

/// Points along a line, from its end back.
QList<QPointF> walkBack(const QList<QList<QPointF>> &pieces, double step)
{
    QList<QPointF> stops;
    for (auto piece = pieces.crbegin(); piece != pieces.crend(); ++piece) {
        double ahead = 0; // to the next stop
        for (qsizetype i = piece->size() - 1; i > 0; --i) {
            const QPointF a = (*piece)[i];
            const QPointF way = (*piece)[i - 1] - a;
            const double length = std::hypot(way.x(), way.y());
            for (; ahead < length; ahead += step)
                stops.append(a + way * (ahead / length));
            ahead -= length;
        }
    }
    return stops;
}

class Placing final
{
public:
    Placing(const PlotFrame &frame, const PlotContent &content, std::span<const PlotSeries> series, const Theme &theme,
            std::span<const PlotLabel> last)
        : f(frame), m_content(content), m_series(series), m_theme(theme), m_last(last),
          m_theory(theoryPieces(content, frame)), m_metrics(theme.font(TextRole::Small)), m_height(m_metrics.height()),
          m_placer(frame.plot.adjusted(2, 1, -2, -1))
    {
    }

    void block(std::span<const QList<QPointF>> outlines)
    {
        for (const QList<QPointF> &line : outlines)
            m_placer.block(line);
        for (const QList<QPointF> &piece : m_theory)
            m_placer.block(piece);
        for (const PointMark &mark : m_content.marks) {
            if (const auto place = placeOfMark(mark, m_series, f))
                m_placer.block(QRectF(place->at - QPointF(4, 4), QSizeF(8, 8)));
        }
    }

    void heads(bool current)
    {
        if (!m_content.endLabels)
            return;
        for (const PlotSeries &s : m_series) {
            if (s.current != current)
                continue;
            const double y = endHeight(s, f.x, f.y);
            const double w = m_metrics.horizontalAdvance(s.name) + headPadding;
            if (!std::isfinite(y) || endsAtMargin(s, f, m_metrics))
                continue;
            const QPointF end = f.map({s.points.back().x(), y});
            const double h = m_height;
            std::vector<QRectF> places;
            for (const double rows : {0.0, -0.6, 0.6, -1.2, 1.2})
                places.emplace_back(end.x() + off, end.y() + (rows - 0.5) * h, w, h);
            places.emplace_back(end.x() - off - w, end.y() - off - h, w, h);
            places.emplace_back(end.x() - off - w, end.y() + off, w, h);
            add({.kind = PlotLabel::Kind::Head, .id = s.id, .text = s.name, .ink = s.colour}, places,
                current ? mustShow : 0);
        }
    }

    void theory()
    {
        if (m_theory.isEmpty() || m_content.theoryLabel.isEmpty())
            return;
        const double w = m_metrics.horizontalAdvance(m_content.theoryLabel) + padding;
        std::vector<QRectF> places;
        const auto stops = walkBack(m_theory, std::max(24.0, w / 4));
        for (int row = 0; row < 6; ++row) { // sooner farther away than over a curve
            const double away = off + row * m_height;
            for (const QPointF &stop : stops)
                // A bound has the curve below: above it first.
                for (const double top : {stop.y() - away - m_height, stop.y() + away})
                    for (const double left : {stop.x() + off, stop.x() - off - w})
                        places.emplace_back(left, top, w, m_height);
        }
        std::ranges::stable_partition(places, [this](const QRectF &place) {
            return !hasReferenceLine(place.top() - m_height / 2, place.bottom() + m_height / 2);
        });
        add({.kind = PlotLabel::Kind::Theory,
             .text = m_content.theoryLabel,
             .ink = m_content.theoryColour.isValid() ? m_content.theoryColour : m_theme.text},
            places, mustShow);
    }

    void marks(bool ends)
    {
        for (std::size_t i = 0; i < m_content.marks.size(); ++i) {
            const PointMark &mark = m_content.marks[i];
            const auto place = placeOfMark(mark, m_series, f);
            const bool named = !mark.text.isEmpty() && place && (mark.kind != PointMark::Kind::Beyond || place->above);
            if (isEnd(mark) != ends || !named)
                continue;
            const QPointF at = place->at;
            const double w = m_metrics.horizontalAdvance(mark.text) + padding;
            const double h = m_height;
            const double middle = std::max(f.plot.left() + 2, std::min(at.x() - w / 2, f.plot.right() - w - 2));
            const double beside = std::clamp(at.y() - h / 2, f.plot.top() + 2, f.plot.bottom() - h - 2);
            const QRectF right(at.x() + 8, beside, w, h);
            const QRectF left(at.x() - 8 - w, beside, w, h);
            const QRectF below(middle, at.y() + 10, w, h);
            const QRectF above(middle, at.y() - 10 - h, w, h);
            const bool best = mark.kind == PointMark::Kind::Best;
            // The lowest point of a curve has its word below. That of an arrow at the edge is read with it.
            std::vector<QRectF> places{right, left};
            places.insert(best ? places.begin() : places.end(), {below, above});
            if (mark.kind != PointMark::Kind::Beyond && mark.kind != PointMark::Kind::Beneath) {
                for (const QRectF &row : {below, above})
                    for (const double side : {1.0, -1.0})
                        places.push_back(row.translated(side * (w / 2 + 4), 0));
                // Farther away it would name the lowest point of whichever curve is there; the table has all of them.
                for (int row = 1; row <= 3 && !best; ++row)
                    places.push_back(below.translated(0, row * (h + 2)));
            }
            // Nearer to another mark it would be read as that one's: a method's best is not where another diverged.
            std::erase_if(places, [&](const QRectF &place) {
                return std::ranges::any_of(m_content.marks, [&](const PointMark &other) {
                    const auto there = placeOfMark(other, m_series, f);
                    return there && distance(place, there->at) < distance(place, at);
                });
            });
            add({.kind = PlotLabel::Kind::Mark,
                 .id = static_cast<int>(i),
                 .text = mark.text,
                 .ink = isEnd(mark) ? m_theme.danger : mark.colour},
                places, ends ? mustShow : mayTouch);
        }
    }

    void events()
    {
        const double h = m_height + 4;
        const int rows = std::max(1, static_cast<int>(f.plot.height() * 0.7 / (h + 3)));
        for (std::size_t i = 0; i < m_content.events.size(); ++i) {
            const EventMark &first = m_content.events[i];
            if (!f.x.contains(first.x) || first.label.isEmpty())
                continue;
            PlotLabel label{.kind = PlotLabel::Kind::Event,
                            .id = static_cast<int>(i),
                            .text = first.label,
                            .ink = first.colour.isValid() ? first.colour : m_theme.accent};
            const double x = f.map({first.x, f.y.lo}).x();
            label.lineX = x;
            // A dragged slider leaves many changes close together: their lines are drawn, their label is one.
            double end = x;
            for (; i + 1 < m_content.events.size(); ++i) {
                const EventMark &next = m_content.events[i + 1];
                const double at = f.map({next.x, f.y.lo}).x();
                if (next.key != first.key || first.key.isEmpty() || next.colour != first.colour
                    || at - end > mergeWithin)
                    break;
                end = at;
                label.text = joined(label.text, next.label);
            }
            const double w = m_metrics.horizontalAdvance(label.text) + eventPadding;
            std::vector<QRectF> places;
            for (int row = 0; row < rows; ++row) {
                const double top = f.plot.top() + 4 + row * (h + 3);
                places.emplace_back(x + 3, top, w, h);
                places.emplace_back(x - 3 - w, top, w, h);
            }
            add(std::move(label), places, mayTouch);
        }
    }

    void referenceLines()
    {
        for (std::size_t i = 0; i < m_content.refLines.size(); ++i) {
            const RefLine &line = m_content.refLines[i];
            if (!f.y.contains(line.y) || line.label.isEmpty())
                continue;
            const double y = f.map({f.x.lo, line.y}).y();
            const double w = m_metrics.horizontalAdvance(line.label) + padding;
            const double room = f.plot.width() - w - 12;
            // A label between two lines would name either.
            const double clear = 1.5 * m_height;
            const bool above = !hasReferenceLine(y - clear, y, y);
            const bool below = !hasReferenceLine(y, y + clear, y);
            std::vector<QRectF> places;
            // Curves fall: a line they cross has room at its right end, one they end on at its left.
            for (const double part : {1.0, 0.0, 0.75, 0.5, 0.25}) {
                const double left = f.plot.left() + 6 + (line.dotted ? 1 - part : part) * room;
                if (above)
                    places.emplace_back(left, y - m_height - 1, w, m_height);
                if (below)
                    places.emplace_back(left, y + 1, w, m_height);
            }
            add({.kind = PlotLabel::Kind::Reference,
                 .id = static_cast<int>(i),
                 .text = line.label,
                 .ink = line.colour.isValid() ? line.colour : m_theme.textMuted},
                places, mayTouch);
        }
    }

    std::vector<PlotLabel> placed() && { return std::move(m_placed); }

private:
    /// Between two heights, other than at `own`: lines that lie on one another are one, and their labels are all of it.
    bool hasReferenceLine(double top, double bottom, std::optional<double> own = std::nullopt) const
    {
        return std::ranges::any_of(m_content.refLines, [&](const RefLine &line) {
            const double y = f.map({f.x.lo, line.y}).y();
            return y >= top && y <= bottom && !(own && std::abs(y - *own) < 1);
        });
    }

    void add(PlotLabel label, std::span<const QRectF> places, double allowed)
    {
        const auto before =
            std::ranges::find_if(m_last, [&](const PlotLabel &l) { return l.kind == label.kind && l.id == label.id; });
        const auto choice =
            m_placer.take(places, allowed, before == m_last.end() ? std::nullopt : std::optional(before->choice));
        if (!choice)
            return;
        label.choice = *choice;
        label.rect = places[*choice];
        m_placed.push_back(std::move(label));
    }

    const PlotFrame &f;
    const PlotContent &m_content;
    std::span<const PlotSeries> m_series;
    const Theme &m_theme;
    std::span<const PlotLabel> m_last;
    QList<QList<QPointF>> m_theory;
    QFontMetricsF m_metrics;
    double m_height;
    LabelPlacer m_placer;
    std::vector<PlotLabel> m_placed;
};

} // namespace

std::optional<MarkPlace> placeOfMark(const PointMark &mark, std::span<const PlotSeries> series, const PlotFrame &f)
{
    const QPointF end = leavingPoint(mark, series, f);
    if (!f.x.contains(end.x()))
        return std::nullopt;
    QPointF at = f.map(end) + QPointF(mark.shift, 0);
    const bool above = at.y() < f.plot.top();
    const bool below = at.y() > f.plot.bottom();
    const bool isBeneath = mark.kind == PointMark::Kind::Beneath;
    const bool wantedBeyond = mark.kind == PointMark::Kind::Diverged || (mark.kind == PointMark::Kind::Beyond && above)
        || (isBeneath && below);
    if ((above || below || isBeneath) && !wantedBeyond)
        return std::nullopt;
    at.setY(std::clamp(at.y(), f.plot.top() + 7, f.plot.bottom() - 7));
    if (mark.shift != 0) // beside the others, but not into the axis
        at.setX(std::clamp(at.x(), f.plot.left() + 5, f.plot.right() - 5));
    return MarkPlace{at, above, below};
}

QList<QList<QPointF>> theoryPieces(const PlotContent &content, const PlotFrame &f)
{
    QList<QPointF> line = decimate(content.theory, f.x, 400);
    for (QPointF &q : line)
        q = f.map(q);
    return clipPolyline(line, f.plot);
}

bool endsAtMargin(const PlotSeries &s, const PlotFrame &f, const QFontMetricsF &metrics)
{
    return f.map(s.points.back()).x() + off + metrics.horizontalAdvance(s.name) + headPadding > f.plot.right();
}

std::vector<PlotLabel> placeLabels(const PlotFrame &f, const PlotContent &content, std::span<const PlotSeries> series,
                                   std::span<const QList<QPointF>> outlines, const Theme &theme,
                                   std::span<const PlotLabel> last)
{
    Placing placing(f, content, series, theme, last);
    placing.block(outlines);
    placing.heads(true);
    placing.theory();
    placing.marks(true);
    placing.events();
    placing.referenceLines();
    placing.marks(false);
    placing.heads(false);
    return std::move(placing).placed();
}

} // namespace appa::ui
