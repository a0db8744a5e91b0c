#include "charts/Decimate.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace appa::ui {

namespace {

QPointF crossing(const QPointF &a, const QPointF &b, double x)
{
    const double t = (x - a.x()) / (b.x() - a.x());
    return {x, a.y() + t * (b.y() - a.y())};
}

void push(QList<QPointF> &out, const QPointF &p)
{
    if (out.isEmpty() || out.last() != p)
        out.append(p);
}

} // namespace

QList<QPointF> decimate(std::span<const QPointF> points, const Range &x, int columns)
{
    QList<QPointF> out;
    if (points.empty() || !x.valid() || columns < 1)
        return out;
    const auto before = [](const QPointF &p, double v) { return p.x() < v; };
    const auto begin = std::lower_bound(points.begin(), points.end(), x.lo, before);
    const auto end = std::upper_bound(begin, points.end(), x.hi, [](double v, const QPointF &p) { return v < p.x(); });
    const auto count = end - begin;

    if (begin != points.begin() && begin != points.end() && begin->x() > x.lo)
        push(out, crossing(*(begin - 1), *begin, x.lo));
    if (count <= 2 * static_cast<std::ptrdiff_t>(columns)) {
        for (auto it = begin; it != end; ++it)
            push(out, *it);
    } else {
        const double perColumn = x.span() / columns;
        const auto columnOf = [&](const QPointF &p) { return static_cast<int>((p.x() - x.lo) / perColumn); };
        out.reserve(4 * columns + 2);
        for (auto it = begin; it != end;) {
            const int column = columnOf(*it);
            auto low = it;
            auto high = it;
            auto next = it;
            for (; next != end && columnOf(*next) == column; ++next) {
                if (next->y() < low->y())
                    low = next;
                if (next->y() > high->y())
                    high = next;
            }
            push(out, *it);
            push(out, *std::min(low, high));
            push(out, *std::max(low, high));
            push(out, *(next - 1));
            it = next;
        }
    }
    if (end != points.end() && end != points.begin() && (end - 1)->x() < x.hi)
        push(out, crossing(*(end - 1), *end, x.hi));
    return out;
}

QList<QPointF> simplify(const QList<QPointF> &line, double tolerance)
{
    if (line.size() < 3)
        return line;
    QList<QPointF> out;
    out.reserve(line.size());
    out.append(line.first());
    constexpr double infinity = std::numeric_limits<double>::infinity();
    // From the anchor, all slopes in [lo, hi] pass every skipped point within the tolerance.
    QPointF anchor = line.first();
    double lo = -infinity;
    double hi = infinity;
    for (qsizetype i = 1; i < line.size(); ++i) {
        const QPointF &p = line[i];
        double dx = p.x() - anchor.x();
        const bool fits = dx > 0 ? (p.y() - anchor.y()) / dx >= lo && (p.y() - anchor.y()) / dx <= hi
                                 : std::abs(p.y() - anchor.y()) <= tolerance;
        if (!fits) {
            if (out.last() != line[i - 1])
                out.append(line[i - 1]);
            anchor = line[i - 1];
            lo = -infinity;
            hi = infinity;
            dx = p.x() - anchor.x();
            if (dx <= 0 && std::abs(p.y() - anchor.y()) > tolerance) {
                out.append(p);
                anchor = p;
            }
        }
        if (dx > 0) {
            lo = std::max(lo, (p.y() - tolerance - anchor.y()) / dx);
            hi = std::min(hi, (p.y() + tolerance - anchor.y()) / dx);
        }
    }
    if (out.last() != line.last())
        out.append(line.last());
    return out;
}

QList<QPointF> between(const QList<QPointF> &line, double top, double bottom)
{
    QList<QPointF> out;
    out.reserve(line.size());
    for (qsizetype i = 0; i < line.size(); ++i) {
        const QPointF b = line[i];
        if (i > 0) {
            const QPointF a = line[i - 1];
            // The edge nearer to where the segment comes from is crossed first.
            const bool down = b.y() > a.y();
            for (const double edge : {down ? top : bottom, down ? bottom : top}) {
                if ((a.y() < edge) != (b.y() < edge) && a.y() != edge && b.y() != edge)
                    out.append({a.x() + (edge - a.y()) / (b.y() - a.y()) * (b.x() - a.x()), edge});
            }
        }
        out.append({b.x(), std::clamp(b.y(), top, bottom)});
    }
    return out;
}

std::pair<QList<QPointF>, QList<QPointF>> cutAcross(const QList<QPointF> &line, double x)
{
    const auto next =
        std::upper_bound(line.begin(), line.end(), x, [](double at, const QPointF &p) { return at < p.x(); });
    if (next == line.begin())
        return {{}, line};
    if (next == line.end())
        return {line, {}};
    const QPointF a = *(next - 1), b = *next;
    const QPointF cut = a + (x - a.x()) / (b.x() - a.x()) * (b - a);
    QList<QPointF> first(line.begin(), next), second{cut};
    first.append(cut);
    second.append(QList<QPointF>(next, line.end()));
    return {std::move(first), std::move(second)};
}

QList<QLineF> strokes(const QList<QPointF> &line, const QList<qreal> &dash)
{
    QList<QLineF> out;
    out.reserve(line.size());
    qsizetype k = 0; // even: drawn, odd: left out
    double left = dash.isEmpty() ? 0 : dash.first();
    for (qsizetype i = 1; i < line.size(); ++i) {
        const QPointF a = line[i - 1];
        const QPointF b = line[i];
        if (dash.isEmpty()) {
            out.append(QLineF(a, b));
            continue;
        }
        const double length = std::hypot(b.x() - a.x(), b.y() - a.y());
        if (length <= 0)
            continue;
        const QPointF unit = (b - a) / length;
        for (double done = 0; done < length;) {
            const double step = std::min(left, length - done);
            if (k % 2 == 0)
                out.append(QLineF(a + unit * done, a + unit * (done + step)));
            done += step;
            left -= step;
            if (left <= 1e-9) {
                k = (k + 1) % dash.size();
                left = std::max(0.1, dash[k]);
            }
        }
    }
    return out;
}

QList<QList<QPointF>> clipPolyline(const QList<QPointF> &line, const QRectF &rect)
{
    QList<QList<QPointF>> pieces;
    QList<QPointF> current;
    const auto finish = [&] {
        if (current.size() > 1)
            pieces.append(current);
        current.clear();
    };
    for (qsizetype i = 1; i < line.size(); ++i) {
        const QPointF a = line[i - 1];
        const QPointF d = line[i] - a;
        // Liang-Barsky: the parameters at which the segment enters and leaves.
        double t0 = 0;
        double t1 = 1;
        bool inside = true;
        const std::array<std::pair<double, double>, 4> edges = {{{-d.x(), a.x() - rect.left()},
                                                                 {d.x(), rect.right() - a.x()},
                                                                 {-d.y(), a.y() - rect.top()},
                                                                 {d.y(), rect.bottom() - a.y()}}};
        for (const auto &[p, q] : edges) {
            if (p == 0) {
                inside = inside && q >= 0;
            } else if (p < 0) {
                t0 = std::max(t0, q / p);
            } else {
                t1 = std::min(t1, q / p);
            }
        }
        if (!inside || t0 > t1) {
            finish();
            continue;
        }
        const QPointF from = a + t0 * d;
        if (current.isEmpty() || current.last() != from) {
            finish();
            current.append(from);
        }
        current.append(a + t1 * d);
        if (t1 < 1)
            finish();
    }
    finish();
    return pieces;
}

} // namespace appa::ui
