#include "RunChanges.h"

#include <algorithm>
#include <chrono>

namespace appa::cli {

namespace {

/// Why the run, now that `change` is due, is not where it was to be made: its tick is not one of its stage. Only
/// the run itself can tell.
std::optional<Error> misplaced(const PlannedChange &change, const Run &run)
{
    const Index ticks = run.cost().ticks;
    const Index stage = run.stage();
    // A stage is over at its last tick, and where the change before this one ended it.
    if (change.tick == PlannedChange::atTheEnd
        || (change.tick == ticks && (stage + 1 == change.stage || stage == change.stage)))
        return std::nullopt;
    const std::vector<TracePoint> &points = run.trace().points;
    const auto end = std::ranges::find_if(
        points, [&](const TracePoint &p) { return p.stageEnd && p.stage > 0 && p.cost.ticks >= change.tick; });
    const Index found = end != points.end() ? end->stage : stage + 1;
    return Error{
        Error::Kind::Usage,
        "--at " + std::to_string(change.stage) + "@" + std::to_string(change.tick) + ":" + change.key + ": "
            + (change.tick > ticks
                   ? "stage " + std::to_string(stage) + " ends before that, at tick " + std::to_string(ticks) + "."
                   : "tick " + std::to_string(change.tick) + " lies in stage " + std::to_string(found) + ".")};
}

} // namespace

Index RunChanges::ticksToNext(const Run &run) const
{
    if (!anyLeft() || m_changes[m_next].tick == PlannedChange::atTheEnd)
        return std::numeric_limits<Index>::max();
    return std::max<Index>(0, m_changes[m_next].tick - run.cost().ticks);
}

std::optional<Error> RunChanges::apply(Run &run)
{
    while (anyLeft() && (m_changes[m_next].stage <= run.stage() || ticksToNext(run) == 0)) {
        // What this stage's values decide (a rule, divergence) is decided first, however fast they are measured.
        settle(run);
        if (run.status() == RunStatus::Finished || run.status() == RunStatus::Diverged
            || run.status() == RunStatus::Failed)
            return std::nullopt;
        const PlannedChange &change = m_changes[m_next++];
        if (auto error = misplaced(change, run))
            return error;
        if (auto error = run.change(change.key, change.value))
            return error;
    }
    return std::nullopt;
}

std::optional<Error> RunChanges::unreached(const Run &run) const
{
    const bool due = anyLeft() && m_changes[m_next].stage <= run.stage();
    return due ? misplaced(m_changes[m_next], run) : std::nullopt;
}

void settle(Run &run)
{
    Slice slice = Slice::ticks(0);
    while (!run.settle(slice))
        run.wait(Slice::Clock::now() + std::chrono::seconds(1));
}

} // namespace appa::cli
