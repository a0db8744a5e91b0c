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

void mergeStages(RunRecord &run, const RunUpdate &update)
{
    if (!run.stages.empty() && run.stages.back().stage > update.stage) { // stepped back
        const auto after = std::ranges::upper_bound(run.stages, update.stage, {}, &StageRow::stage);
        const auto gone = static_cast<std::size_t>(std::count_if(after, run.stages.end(), [](const StageRow &row) {
            return row.reported; // the others have no centre
        }));
        run.stages.erase(after, run.stages.end());
        run.lastCentre.resize(0);
        run.centres.resize(run.centres.size() - std::min(run.centres.size(), gone));
        run.ends.resize(run.ends.size() - std::min(run.ends.size(), gone));
        run.path.resize(std::min(run.path.size(), run.ends.empty() ? std::size_t(0) : run.ends.back() + 1));
    }
    for (const Vector &x : update.path)
        if (x.size() == 2)
            run.path.emplace_back(x[0], x[1]);
    for (const StageReport &report : update.reports) {
        if (report.stage >= update.stage)
            continue; // taken back meanwhile
        while (!run.stages.empty() && run.stages.back().stage > report.stage)
            run.stages.pop_back();
        const bool known = run.lastCentre.size() == report.centre.size() && report.centre.size() > 0;
        run.stages.push_back(makeStageRow(report, known ? &run.lastCentre : nullptr, static_cast<double>(run.n())));
        run.lastCentre = report.centre;
        if (report.centre.size() == 2)
            run.centres.emplace_back(report.centre[0], report.centre[1]);
    }
    if (!update.reports.empty() && !run.path.empty())
        run.ends.push_back(run.path.size() - 1);
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
