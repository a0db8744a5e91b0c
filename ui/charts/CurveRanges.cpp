// The part of the plane that shows all of the curves, and moves seldom.
#include "charts/CurveMapping.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace appa::ui {

namespace {

/// Where a run that goes on will end: at the pace of its stages so far. The first stage often costs more (a dual is
/// made), so it is left out.
double plannedEnd(const Curve &curve, const CurvesOptions &options)
{
    const TracePoint &last = curve.points.back();
    const double at = xValue(curve, last, options);
    const auto first = std::ranges::find_if(curve.points, [](const TracePoint &p) { return p.stage >= 1; });
    const auto done = static_cast<double>(last.stage);
    const auto before = static_cast<double>(first->stage);
    const double pace = done > before ? (at - xValue(curve, *first, options)) / (done - before) : at / done;
    return at + pace * (curve.plannedStages - done);
}

/// A run that is nearly exact at once (a direct solve beside others that iterate) would leave decades in which nothing
/// was measured, and flatten all curves for them. Where they are four or more, above runs that are at the resolution of
/// F and no more than the others: the lowest decade above them, and room to see where the line goes. Else -infinity.
double endAboveTheGap(const CurvesData &data, const std::vector<MappedCurve> &mapped)
{
    constexpr std::size_t gap = 4;
    constexpr std::size_t nearTheFloor = 3;
    constexpr double none = -std::numeric_limits<double>::infinity();
    if (!showsExcess(data))
        return none;
    std::bitset<64> all;
    for (std::size_t i = 0; i < data.curves.size() && i < mapped.size(); ++i)
        if (belongs(data.curves[i]))
            all |= mapped[i].decades;
    // Up to `last` there is one group, from `next` on the rest.
    std::size_t last = 0, next = 0;
    while (last < all.size() && !all[last])
        ++last;
    for (next = last + 1; next < all.size() && next - last <= gap; ++next)
        if (all[next])
            last = next;
    while (next < all.size() && !all[next])
        ++next;
    const AxisScale scale = yScaleOf(data, CurvePanel::Loss);
    if (next >= all.size() || last > MappedCurve::decadeOf(scale.position(scale.floor)) + nearTheFloor)
        return none;
    std::size_t beneath = 0, others = 0;
    for (std::size_t i = 0; i < data.curves.size() && i < mapped.size(); ++i) {
        const Curve &c = data.curves[i];
        if (!belongs(c) || mapped[i].points.empty())
            continue;
        if ((mapped[i].decades << (all.size() - 1 - last)).any())
            ++beneath;
        else if (c.status != RunStatus::Diverged && mapped[i].points.size() > 2) // it goes somewhere
            ++others;
    }
    return others >= beneath ? static_cast<int>(next) + MappedCurve::lowestDecade - 0.5 : none;
}

/// Whether room is kept for what a run still has to do. Of a million stages the first thousands would be a line at the
/// left edge: there the axis grows with the run until its end is near.
bool keepsRoom(const Curve &curve)
{
    const auto done = static_cast<double>(curve.points.back().stage);
    return curve.plannedStages > done && curve.plannedStages <= std::max(200.0, 2 * done);
}

} // namespace

Range fitX(const CurvesData &data, const std::vector<MappedCurve> &loss, const Range &previous)
{
    const AxisScale scale = xScaleOf(data);
    double lo = std::numeric_limits<double>::infinity();
    double hi = -lo;
    for (std::size_t i = 0; i < data.curves.size() && i < loss.size(); ++i) {
        const Curve &c = data.curves[i];
        if (!belongs(c) || loss[i].points.empty())
            continue;
        lo = std::min(lo, loss[i].points.front().x());
        hi = std::max(hi, loss[i].points.back().x());
        const double done = static_cast<double>(c.points.back().stage);
        const bool going = c.status == RunStatus::Running || c.status == RunStatus::Paused;
        // One stage tells little of the pace: the first often costs more.
        const bool early = going && keepsRoom(c) && done <= 1;
        if (going && keepsRoom(c) && !early) {
            hi = std::max(hi, scale.position(plannedEnd(c, data.options)));
        } else if (early && (data.options.xAxis == XAxis::Stages || data.options.xAxis == XAxis::Passes)) {
            hi = std::max(hi, scale.position(c.plannedStages));
        }
    }
    if (!(hi >= lo))
        return scale.log ? Range{-1, 1} : Range{0, 20};
    if (scale.log)
        return {lo, std::max(hi, lo + 0.3)};
    const auto isRunning = [](const Curve &c) { return belongs(c) && c.status == RunStatus::Running; };
    const bool planned =
        std::ranges::all_of(data.curves, [&](const Curve &c) { return !isRunning(c) || keepsRoom(c); });
    if (!std::ranges::any_of(data.curves, isRunning))
        return hi > lo ? Range{lo, hi} : Range{lo, lo + 1}; // at rest the curves fill the width
    if (planned && data.options.xAxis != XAxis::Seconds) {
        // The end is known well: the axis need not jump when it is reached. Small corrections can wait.
        const bool near = previous.lo == lo && previous.hi >= hi && previous.hi < hi + 0.04 * (hi - lo);
        return near ? previous : Range{lo, std::max(hi, lo + 1)};
    }
    return steppedRange(scale, lo, hi, previous, true);
}

Range fitY(const CurvesData &data, CurvePanel panel, const std::vector<MappedCurve> &mapped, const Range &previous)
{
    const AxisScale scale = yScaleOf(data, panel);
    double lo = std::numeric_limits<double>::infinity();
    double hi = -lo;
    double start = hi;
    double trained = hi;
    for (std::size_t i = 0; i < data.curves.size() && i < mapped.size(); ++i) {
        if (belongs(data.curves[i]) && !mapped[i].points.empty())
            start = std::max(start, mapped[i].points.front().y());
    }
    for (std::size_t i = 0; i < data.curves.size() && i < mapped.size(); ++i) {
        const Curve &c = data.curves[i];
        if (!belongs(c) || mapped[i].points.empty())
            continue;
        // A run that blows up leaves the frame at its top instead of squeezing all others into a strip.
        const bool diverged = c.status == RunStatus::Diverged;
        const double cap =
            scale.log ? start + (diverged ? 0.3 : 2.0) : start + (diverged ? 0.02 : 2.0) * std::abs(start);
        lo = std::min(lo, mapped[i].lowest);
        hi = std::max(hi, std::min(mapped[i].highest, cap));
        trained = std::max(trained, std::min(mapped[i].highestTrained, cap));
    }
    if (panel == CurvePanel::Loss && scale.log)
        lo = std::max(lo, endAboveTheGap(data, mapped));
    if (lo > hi)
        return panel == CurvePanel::TestError ? Range{0, 0.5} : scale.log ? Range{-3, 0} : Range{0, 1};
    if (panel == CurvePanel::Loss) {
        const bool excess = showsExcess(data);
        const double reach = scale.log ? 1.0 : 0.1 * (hi - lo);
        for (const FloorLine &floor : data.floors) {
            const double at = scale.position(excess ? floor.value - data.optimum->value : floor.value);
            if (std::isfinite(at) && at > lo - reach && at < hi)
                lo = std::min(lo, at);
        }
    }
    // The excess ends at zero. An error that falls by a third or more, or may still do so, is seen against zero; one
    // that hardly changes would be a line at the top.
    const bool zero = !scale.log
        && (panel == CurvePanel::Loss ? showsExcess(data) : lo >= 0 && (lo < 2.0 / 3.0 * hi || !(trained > 0)));
    // What an untrained model gets wrong says little: where it would squeeze all that follows, it stays above the
    // frame.
    if (panel == CurvePanel::TestError && !scale.log && trained > 0 && hi > 2 * trained)
        hi = 1.1 * trained;
    return steppedRange(scale, lo, hi, previous, zero);
}

} // namespace appa::ui
