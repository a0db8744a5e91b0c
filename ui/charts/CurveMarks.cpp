// Arrows at the edges of a panel: where a curve comes from beyond the frame, or ends there.
#include "charts/CurveMapping.h"

#include "theme/Format.h"

#include <QCoreApplication>

#include <algorithm>

namespace appa::ui {

void markStartAbove(PlotContent &content, const CurvesData &data, const std::vector<MappedCurve> &mapped)
{
    // Of those that come from above the last to enter: to its right none of them is in the way of the words.
    std::optional<PointMark> last;
    for (std::size_t i = 0; i < data.curves.size() && i < mapped.size(); ++i) {
        const std::vector<QPointF> &points = mapped[i].points;
        if (!belongs(data.curves[i]) || points.empty() || points.front().y() <= content.y.hi)
            continue;
        const auto inside = std::ranges::find_if(points, [&](const QPointF &p) { return p.y() <= content.y.hi; });
        if (inside == points.end())
            continue;
        const QPointF a = *(inside - 1);
        const double part = (a.y() - content.y.hi) / (a.y() - inside->y());
        const double x = a.x() + part * (inside->x() - a.x());
        if (!last || x > last->at.x()) {
            const QString value = formatFixed(content.yScale.value(points.front().y()), 3);
            last = {PointMark::Kind::Beyond,
                    {x, points.front().y()},
                    QCoreApplication::translate("Curves", "%1 at the start").arg(value),
                    data.curves[i].colour,
                    9};
        }
    }
    if (last)
        content.marks.push_back(*last);
}

void markEndsBelow(PlotContent &content, const CurvesData &data, const std::vector<MappedCurve> &mapped)
{
    for (std::size_t i = 0; i < data.curves.size() && i < mapped.size(); ++i) {
        const std::vector<QPointF> &points = mapped[i].points;
        const Curve &curve = data.curves[i];
        if (!belongs(curve) || points.empty() || points.back().y() >= content.y.lo)
            continue;
        const auto inside =
            std::find_if(points.rbegin(), points.rend(), [&](const QPointF &p) { return p.y() >= content.y.lo; });
        const QPointF b = inside == points.rbegin() ? points.back() : *(inside - 1);
        const QPointF a = inside == points.rend() ? b : *inside;
        const double part = a.y() > b.y() ? (a.y() - content.y.lo) / (a.y() - b.y()) : 0;
        content.marks.push_back(
            {PointMark::Kind::Beneath,
             {a.x() + part * (b.x() - a.x()), points.back().y()},
             QStringLiteral("%1: %2").arg(curve.name, endText(curve, mapped[i], CurvePanel::Loss, data)),
             curve.colour,
             6});
    }
}

} // namespace appa::ui
