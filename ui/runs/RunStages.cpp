#include "runs/RunStages.h"

#include <algorithm>
#include <cmath>

namespace appa::ui {

void addUnreported(RunRecord &run, std::size_t fromPoint)
{
    const auto &points = run.trace.points;
    std::size_t before = fromPoint; // the end of the stage before
    while (before > 0 && !points[before - 1].stageEnd)
        --before;
    const TracePoint *last = before > 0 ? &points[before - 1] : nullptr;
    for (std::size_t i = fromPoint; i < points.size(); ++i) {
        const TracePoint &end = points[i];
        if (!end.stageEnd)
            continue;
        const auto at = std::ranges::lower_bound(run.stages, end.stage, {}, &StageRow::stage);
        if (end.stage > 0 && last && end.stage > last->stage && (at == run.stages.end() || at->stage != end.stage)) {
            StageRow row;
            row.stage = end.stage;
            row.lambda = end.lambda;
            row.movement = unknown;
            row.accesses = end.cost.accesses - last->cost.accesses;
            row.rows = static_cast<double>(run.n());
            row.reported = false;
            if (std::isfinite(end.gap))
                row.gap = end.gap;
            run.stages.insert(at, row);
        }
        last = &end;
    }
}

namespace {

void cutPath(RunRecord &run, Index tick)
{
    const auto kept = static_cast<std::size_t>(std::ranges::upper_bound(run.pathTicks, tick) - run.pathTicks.begin());
    if (kept == run.path.size())
        return;
    run.pathTicks.resize(kept);
    run.path.resize(kept);
    ++run.takenBack;
}

/// The rows after `stage` go, and their centres with them. (Of a fork's past only the rows are there.)
void forgetAfter(RunRecord &run, Index stage)
{
    const auto after = std::ranges::upper_bound(run.stages, stage, {}, &StageRow::stage);
    if (after == run.stages.end())
        return;
    const auto centres = static_cast<std::size_t>(
        std::count_if(after, run.stages.end(), [](const StageRow &row) { return row.centred; }));
    run.stages.erase(after, run.stages.end());
    run.centres.resize(run.centres.size() - std::min(run.centres.size(), centres));
    ++run.takenBack;
}

/// What was done after `stage` is taken back.
void stepBack(RunRecord &run, Index stage)
{
    if (run.stages.empty() || run.stages.back().stage <= stage)
        return;
    forgetAfter(run, stage);
    run.lastCentre.resize(0);
}

/// The way goes on by one iterate per tick up to the update's; after a step back it ends where the run does. Of several
/// updates in one the iterates that were taken back meanwhile are the last; of very many the first are missing.
void mergePath(RunRecord &run, const RunUpdate &update)
{
    const Index now = update.cost.ticks;
    const Index before = run.pathTicks.empty() ? 0 : run.pathTicks.back();
    cutPath(run, run.lastPoint() ? std::max(now, run.lastPoint()->cost.ticks) : now);
    const Index fresh = std::ssize(update.path);
    Index surplus = before + fresh - now; // of those that are the same once more: no work was done in between
    Index tick = std::max(before, now - fresh);
    if (run.path.empty() && fresh > 0 && tick == 0 && update.path.front().size() == 2) {
        run.path.emplace_back(0, 0); // where every run starts
        run.pathTicks.push_back(0);
    }
    for (const Vector &x : update.path) {
        if (x.size() != 2)
            return;
        const QPointF at(x[0], x[1]);
        if (surplus > 0 && !run.path.empty() && run.path.back() == at) {
            --surplus;
            continue;
        }
        if (++tick > now)
            return;
        run.path.push_back(at);
        run.pathTicks.push_back(tick);
    }
}

} // namespace

void truncatePoints(RunRecord &run, std::size_t keep)
{
    if (run.trace.points.size() <= keep)
        return;
    run.trace.points.resize(keep);
    const TracePoint *last = run.lastPoint();
    stepBack(run, last ? last->stage : 0);
    cutPath(run, last ? last->cost.ticks : -1);
}

void markStageEnds(RunRecord &run, std::size_t fromPoint)
{
    const auto &points = run.trace.points;
    const Index known = fromPoint > 0 ? points[fromPoint - 1].cost.ticks : -1;
    while (!run.ends.empty() && (run.ends.back() >= run.path.size() || run.pathTicks[run.ends.back()] > known))
        run.ends.pop_back();
    for (std::size_t i = fromPoint; i < points.size(); ++i) {
        const auto at = std::ranges::lower_bound(run.pathTicks, points[i].cost.ticks);
        if (points[i].stage == 0 || !points[i].stageEnd || at == run.pathTicks.end() || *at != points[i].cost.ticks)
            continue;
        const auto index = static_cast<std::size_t>(at - run.pathTicks.begin());
        if (run.ends.empty() || run.ends.back() < index)
            run.ends.push_back(index);
    }
}

void mergeStages(RunRecord &run, const RunUpdate &update)
{
    // While a run is repeated up to its last point its engine lags behind: nothing is taken back by that.
    stepBack(run, run.lastPoint() ? std::max(update.stage, run.lastPoint()->stage) : update.stage);
    mergePath(run, update);
    for (const StageReport &report : update.reports) {
        if (report.stage >= update.stage)
            continue; // taken back meanwhile
        forgetAfter(run, report.stage);
        const bool known = run.lastCentre.size() == report.centre.size() && report.centre.size() > 0;
        run.stages.push_back(makeStageRow(report, known ? &run.lastCentre : nullptr, static_cast<double>(run.n())));
        run.lastCentre = report.centre;
        if (report.centre.size() == 2)
            run.centres.emplace_back(report.centre[0], report.centre[1]);
    }
    // A fixed stage proves nothing itself; the gap measured at its end does, and may come later.
    constexpr std::ptrdiff_t latest = 256; // of a method without a gap, not all are asked again
    const auto last = run.stages.rbegin() + std::min<std::ptrdiff_t>(latest, std::ssize(run.stages));
    for (auto row = run.stages.rbegin(); row != last && !row->gap; ++row) {
        const auto &points = run.trace.points;
        const auto end = std::ranges::lower_bound(points, row->stage, {}, &TracePoint::stage);
        if (end != points.end() && end->stage == row->stage && std::isfinite(end->gap))
            row->gap = end->gap;
    }
}

} // namespace appa::ui
