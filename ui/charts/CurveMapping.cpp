#include "charts/CurveMapping.h"

#include "theme/Format.h"

#include <QCoreApplication>

#include <algorithm>
#include <cmath>
#include <limits>

namespace appa::ui {

namespace {

QString text(const char *source)
{
    return QCoreApplication::translate("Curves", source);
}

double accessesOf(const Cost &cost, const CurvesOptions &options)
{
    return static_cast<double>(cost.accesses - (options.countFullGradients ? 0 : cost.fullAccesses));
}

TracePoint placeOf(const RunEvent &event)
{
    TracePoint at;
    at.stage = event.stage;
    at.cost = event.at;
    at.seconds = event.seconds;
    at.stageEnd = false;
    return at;
}

/// Without a floor from F_opt: as far down as double precision lets a difference go.
constexpr double defaultFloor = 1e-16;

} // namespace

bool belongs(const Curve &curve)
{
    return curve.visible && !curve.points.empty();
}

CurveEvent::CurveEvent(const RunEvent &event)
    : at(placeOf(event)), label(prettyText(QString::fromStdString(event.label))), key(QString::fromStdString(event.key))
{
}

std::vector<FamilySwitch> familySwitches(const Trace &trace)
{
    std::vector<FamilySwitch> switches;
    for (const RunEvent &event : trace.events) {
        const auto *from = std::get_if<std::string>(&event.from), *to = std::get_if<std::string>(&event.to);
        if (event.kind != RunEvent::Kind::Method || !from || !to)
            continue;
        const MethodInfo *before = findMethod(*from), *after = findMethod(*to);
        if (before && after && before->family != after->family)
            switches.push_back({placeOf(event), before->family});
    }
    return switches;
}

double xValue(const Curve &curve, const Cost &cost, Index stage, double seconds, const CurvesOptions &options)
{
    switch (options.xAxis) {
    case XAxis::Passes:
        return accessesOf(cost, options) / std::max(1.0, curve.rows);
    case XAxis::Stages:
        return static_cast<double>(stage);
    case XAxis::Accesses:
        return accessesOf(cost, options);
    case XAxis::Seconds:
        return seconds;
    }
    return 0;
}

double xValue(const Curve &curve, const TracePoint &point, const CurvesOptions &options)
{
    if (options.xAxis == XAxis::Stages && !point.stageEnd) {
        // Inside a stage: spread over it by the accesses made since its beginning, against the stage before (or a
        // pass).
        const auto at = std::upper_bound(curve.points.begin(), curve.points.end(), point.cost.ticks,
                                         [](Index ticks, const TracePoint &p) { return ticks < p.cost.ticks; });
        const TracePoint *begin = nullptr;
        const TracePoint *before = nullptr;
        for (auto it = at; it != curve.points.begin() && !before;) {
            --it;
            if (!it->stageEnd || it->stage > point.stage)
                continue;
            (begin ? before : begin) = &*it;
        }
        if (begin) {
            const double done = static_cast<double>(point.cost.accesses - begin->cost.accesses);
            const double whole =
                before ? static_cast<double>(begin->cost.accesses - before->cost.accesses) : curve.rows;
            return static_cast<double>(begin->stage) + (whole > 0 ? std::min(0.99, done / whole) : 0);
        }
    }
    return xValue(curve, point.cost, point.stage, point.seconds, options);
}

double yValue(const TracePoint &point, CurvePanel panel, const CurvesData &data)
{
    if (panel == CurvePanel::TestError)
        return point.testError;
    return showsExcess(data) ? point.loss - data.optimum->value : point.loss;
}

AxisScale xScaleOf(const CurvesData &data)
{
    AxisScale scale{.log = data.options.logX, .counts = data.options.xAxis == XAxis::Stages};
    if (!scale.log)
        return scale;
    // x = 0 has no place on a log axis: the start is drawn half a step before the first measured point.
    double smallest = std::numeric_limits<double>::infinity();
    for (const Curve &c : data.curves) {
        for (const TracePoint &p : c.points) {
            const double x = xValue(c, p, data.options);
            if (x > 0) {
                smallest = std::min(smallest, x);
                break;
            }
        }
    }
    scale.floor = std::isfinite(smallest) ? smallest / 2 : 0.5;
    return scale;
}

AxisScale yScaleOf(const CurvesData &data, CurvePanel panel)
{
    if (panel == CurvePanel::TestError)
        return {data.options.logTestError, 1e-6};
    const double floor = showsExcess(data) && data.optimum->floor > 0 ? data.optimum->floor : defaultFloor;
    return {data.options.logLoss, floor};
}

void mapCurve(MappedCurve &mapped, const Curve &curve, CurvePanel panel, const CurvesData &data)
{
    const AxisScale sx = xScaleOf(data);
    const AxisScale sy = yScaleOf(data, panel);
    for (; mapped.seen < curve.points.size(); ++mapped.seen) {
        const TracePoint &p = curve.points[mapped.seen];
        const double value = yValue(p, panel, data);
        double x = sx.position(xValue(curve, p, data.options));
        const double y = sy.position(value);
        if (!std::isfinite(x) || !std::isfinite(y)) {
            mapped.cut += std::isinf(value) || (std::isnan(value) && panel == CurvePanel::Loss) ? 1 : 0;
            continue;
        }
        if (sy.clamps(value))
            ++mapped.clamped;
        if (!mapped.points.empty())
            x = std::max(x, mapped.points.back().x()); // seconds may stand still; never go back
        mapped.least = std::min(mapped.least, value);
        mapped.lowest = std::min(mapped.lowest, y);
        mapped.highest = std::max(mapped.highest, y);
        if (p.stage >= 1)
            mapped.highestTrained = std::max(mapped.highestTrained, y);
        if (sy.log)
            mapped.decades.set(MappedCurve::decadeOf(y));
        mapped.points.emplace_back(x, y);
        mapped.index.push_back(static_cast<std::uint32_t>(mapped.seen));
    }
}

bool showsTestError(const CurvesData &data, const std::vector<MappedCurve> &loss,
                    const std::vector<MappedCurve> &testError)
{
    const auto measured = [](const MappedCurve &m) { return !m.points.empty() || m.cut > 0; };
    return std::ranges::any_of(testError, measured)
        || (std::ranges::none_of(loss, measured) && data.options.hasTestSet);
}

QString withoutTestSet(const QString &subtitle)
{
    const QString reason = text("no test set: no test error");
    return subtitle.isEmpty() ? reason : subtitle + QStringLiteral(" · ") + reason;
}

std::size_t pointsOfAnother(const Curve &curve, const CurvesData &data)
{
    const bool sameSeconds = data.options.xAxis == XAxis::Seconds;
    const auto same = [&](const TracePoint &a, const TracePoint &b) {
        return a.cost.ticks == b.cost.ticks && a.stage == b.stage && a.cost.accesses == b.cost.accesses
            && a.loss == b.loss && (!sameSeconds || a.seconds == b.seconds);
    };
    std::ptrdiff_t most = 0;
    for (const Curve &other : data.curves) {
        if (&other == &curve)
            break;
        if (belongs(other) && other.rows == curve.rows)
            most = std::max(most, std::ranges::mismatch(curve.points, other.points, same).in1 - curve.points.begin());
    }
    return static_cast<std::size_t>(most);
}

PlotSeries seriesLook(const Curve &curve, const CurvesData &data, bool current, double scale)
{
    PlotSeries s;
    s.id = curve.runId;
    s.name = curve.name;
    s.colour = curve.colour;
    s.dash = Theme::dash(curve.family);
    for (const FamilySwitch &change : curve.switches)
        s.before.push_back(
            {xScaleOf(data).position(xValue(curve, change.at, data.options)), Theme::dash(change.before)});
    // A line that is the same to its end is drawn, too: there is nothing else of it.
    if (const std::size_t shared = pointsOfAnother(curve, data); shared > 1 && shared < curve.points.size())
        s.from = xScaleOf(data).position(xValue(curve, curve.points[shared - 1], data.options));
    s.width = (current ? 2.0 : 1.4) * std::max(1.0, scale);
    s.visible = curve.visible;
    s.live = curve.status == RunStatus::Running;
    s.diverged = curve.status == RunStatus::Diverged;
    s.current = current;
    return s;
}

QString axisName(XAxis axis, bool countFullGradients)
{
    const QString without = countFullGradients ? QString() : text(", full gradients not counted");
    switch (axis) {
    case XAxis::Passes:
        return text("passes over the data") + without;
    case XAxis::Stages:
        return text("stages");
    case XAxis::Accesses:
        return text("accesses to one φᵢ") + without;
    case XAxis::Seconds:
        return text("seconds of the solver's own work");
    }
    return {};
}

QString valueText(double value, CurvePanel panel, const CurvesData &data)
{
    if (panel == CurvePanel::Loss) {
        // As the table and the figures of the run say it: below the resolution of F the digits mean nothing.
        if (showsExcess(data) && data.optimum->floor > 0 && value <= data.optimum->floor
            && !isBelowOptimum(value, data.optimum->certificate, data.optimum->floor))
            return QStringLiteral("≤ %1").arg(formatNumber(data.optimum->floor, 2));
        return formatNumber(value, 3);
    }
    return std::abs(value) < 100 ? formatFixed(value, 4) : formatNumber(value, 5); // of a regression, it may be large
}

QString endText(const Curve &curve, const MappedCurve &mapped, CurvePanel panel, const CurvesData &data)
{
    if (mapped.index.empty())
        return {};
    return curve.status == RunStatus::Diverged
        ? text("diverged")
        : valueText(yValue(curve.points[mapped.index.back()], panel, data), panel, data);
}

QString formatX(double value, XAxis axis)
{
    switch (axis) {
    case XAxis::Passes:
        return text("%1 passes").arg(formatFixed(value, value < 100 ? 2 : 1));
    case XAxis::Stages:
        return text("stage %1").arg(formatFixed(value, 1));
    case XAxis::Accesses:
        return text("%1 accesses").arg(formatCount(std::llround(value)));
    case XAxis::Seconds:
        return formatSeconds(value);
    }
    return {};
}

namespace {

void addFloors(PlotContent &content, const CurvesData &data, const Theme &theme)
{
    const bool excess = showsExcess(data);
    for (const FloorLine &floor : data.floors) {
        const double value = excess ? floor.value - data.optimum->value : floor.value;
        const double at = content.yScale.position(value);
        if (!std::isfinite(at))
            continue;
        const QString label =
            floor.label.isEmpty() ? text("ridge floor, λ = %1").arg(formatPower(floor.lambda)) : floor.label;
        content.refLines.push_back({at, label, floor.colour.isValid() ? floor.colour : theme.textMuted, false});
    }
    if (excess && content.yScale.log && data.optimum->floor > 0)
        content.refLines.push_back({std::log10(data.optimum->floor),
                                    text("resolution of F %1").arg(formatPower(data.optimum->floor, 2)),
                                    theme.textMuted, true});
}

void addEvents(PlotContent &content, const CurvesData &data)
{
    for (const Curve &c : data.curves) {
        if (!belongs(c))
            continue;
        for (const CurveEvent &e : c.events) {
            const double x = content.xScale.position(xValue(c, e.at, data.options));
            if (std::isfinite(x))
                content.events.push_back({x, e.label, e.key, c.colour});
        }
    }
    std::stable_sort(content.events.begin(), content.events.end(),
                     [](const EventMark &a, const EventMark &b) { return a.x < b.x; });
}

void addTheory(PlotContent &content, const CurvesData &data, const std::vector<MappedCurve> &mapped)
{
    if (!data.theory || !showsExcess(data) || !(data.theory->excess > 0) || !(data.theory->ratePerPass > 0))
        return;
    const TheoryLine &theory = *data.theory;
    const auto curve =
        std::find_if(data.curves.begin(), data.curves.end(), [&](const Curve &c) { return c.runId == theory.runId; });
    if (curve == data.curves.end() || !belongs(*curve))
        return;
    // The prediction is per pass; on other axes the run's own pace since its start converts.
    const TracePoint &last = curve->points.back();
    CurvesOptions passes = data.options;
    passes.xAxis = XAxis::Passes;
    passes.countFullGradients = true;
    const double lastPasses = xValue(*curve, last, passes);
    const double pace = data.options.xAxis == XAxis::Passes && data.options.countFullGradients ? 1.0
        : lastPasses > 0 ? xValue(*curve, last, data.options) / lastPasses
                         : 0.0;
    if (!(pace > 0))
        return;
    double far = 4 * std::max(1.0, lastPasses);
    for (const MappedCurve &m : mapped) {
        if (!m.points.empty())
            far = std::max(far, content.xScale.value(m.points.back().x()) / pace * 4);
    }
    constexpr int steps = 300;
    for (int i = 0; i <= steps; ++i) {
        const double p = theory.passes + (far - theory.passes) * i / steps;
        const double x = content.xScale.position(p * pace);
        const double value = theory.excess * std::pow(theory.ratePerPass, p - theory.passes);
        if (content.yScale.clamps(value) || !std::isfinite(value))
            break;
        content.theory.emplace_back(x, content.yScale.position(value));
    }
    content.theoryColour = curve->colour;
    content.theoryLabel = std::ranges::count_if(data.curves, belongs) > 1 ? text("theory for %1").arg(curve->name)
                                                                          : text("predicted by theory");
    if (!theory.condition.isEmpty())
        content.theoryLabel += QStringLiteral(", ") + theory.condition;
}

} // namespace

PlotContent panelContent(const CurvesData &data, CurvePanel panel, const std::vector<MappedCurve> &mapped,
                         const Theme &theme, int currentRun)
{
    PlotContent c;
    c.xScale = xScaleOf(data);
    c.yScale = yScaleOf(data, panel);
    c.xLabel = axisName(data.options.xAxis, data.options.countFullGradients);
    if (panel == CurvePanel::TestError) {
        c.title = data.options.testErrorLabel.isEmpty() ? text("Test error") : data.options.testErrorLabel;
    } else if (showsExcess(data)) {
        c.title = text("Excess training loss");
        c.yLabel = data.optimum->attained ? QStringLiteral("F(x) − F_opt") : QStringLiteral("F(x) − inf F");
    } else {
        c.title = text("Training loss");
        c.yLabel = QStringLiteral("F(x)");
        c.subtitle = data.options.forceLoss        ? QString()
            : data.optimum && !data.optimum->known ? text("F_opt is not attained: no excess to show")
            : data.optimumNote.isEmpty()           ? text("until F_opt is known")
                                                   : data.optimumNote;
    }
    std::size_t cut = 0;
    std::size_t clamped = 0;
    QStringList below; // the minimum
    const bool several = std::ranges::count_if(data.curves, belongs) > 1;
    const auto ended = [&](const Curve &curve, const QString &how) {
        return several ? QStringLiteral("%1 %2").arg(curve.name, how) : how;
    };
    bool any = false;
    for (std::size_t i = 0; i < data.curves.size() && i < mapped.size(); ++i) {
        const Curve &curve = data.curves[i];
        if (!belongs(curve))
            continue;
        cut += mapped[i].cut;
        clamped += mapped[i].clamped;
        if (panel == CurvePanel::Loss && showsExcess(data)
            && isBelowOptimum(mapped[i].least, data.optimum->certificate, data.optimum->floor))
            below << curve.name;
        if (mapped[i].points.empty())
            continue;
        any = true;
        if (mapped[i].points.size() == 1) // no line yet
            c.marks.push_back({PointMark::Kind::Dot, mapped[i].points.front(), {}, curve.colour});
        if (curve.status == RunStatus::Diverged)
            c.marks.push_back({PointMark::Kind::Diverged, mapped[i].points.back(), ended(curve, text("diverged")),
                               curve.colour, 0, curve.runId});
        else if (curve.status == RunStatus::Failed)
            c.marks.push_back(
                {PointMark::Kind::Failed, mapped[i].points.back(), ended(curve, text("failed")), curve.colour});
        if (curve.runId == currentRun) {
            for (std::size_t k = 0; k < mapped[i].points.size(); ++k) {
                const TracePoint &p = curve.points[mapped[i].index[k]];
                if (p.stageEnd && p.stage > 0)
                    c.stageTicks.push_back(mapped[i].points[k].x());
            }
        }
    }
    if (!below.isEmpty())
        c.notice = below.size() == 1 ? text("%1 is below F_opt: that is not the minimum").arg(below.front())
                                     : text("%1 runs are below F_opt: that is not the minimum").arg(below.size());
    else if (cut > 0)
        c.notice = cut == 1 ? text("1 non-finite value left out") : text("%1 non-finite values left out").arg(cut);
    else if (clamped > 0 && panel == CurvePanel::Loss)
        c.notice = clamped == 1
            ? text("1 value drawn at the floor")
            : text("%1 values drawn at the floor").arg(formatCount(static_cast<std::int64_t>(clamped)));
    else if (clamped > 0)
        c.notice = clamped == 1 ? text("1 zero drawn at the floor") : text("%1 zeros drawn at the floor").arg(clamped);
    if (!any)
        c.emptyText = panel == CurvePanel::Loss
            ? (data.emptyNote.isEmpty() ? text("Press Space to run, or F6 for a lesson") : data.emptyNote)
            : std::ranges::any_of(data.curves, belongs) ? text("No test error was measured")
                                                        : QString();
    addEvents(c, data);
    if (panel == CurvePanel::Loss) {
        if (any)
            addFloors(c, data, theme);
        addTheory(c, data, mapped);
    } else {
        for (EventMark &e : c.events)
            e.label.clear(); // the words are in the chart above
    }
    return c;
}

} // namespace appa::ui
