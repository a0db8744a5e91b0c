// Going back in a run, and branching off from it: checkpoints, catching up, forks.

#include "run/Checkpoint.h"

#include <algorithm>
#include <utility>

namespace appa {

void Run::stepBack(Index stage)
{
    beginStepBack(stage);
    catchUpFully();
}

void Run::catchUpFully()
{
    Slice unlimited = Slice::ticks(std::numeric_limits<Index>::max());
    while (catchingUp() && m_status != RunStatus::Failed) {
        settle(unlimited);
        if (learning())
            wait(Slice::Clock::time_point::max());
    }
}

void Run::beginStepBack(Index stage)
{
    collect();
    // The latest stage end that is not beyond `stage`, among the points measured and those still being measured.
    const auto fits = [stage](const TracePoint &p) { return p.stageEnd && p.stage <= stage; };
    const TracePoint *target = nullptr;
    std::size_t keptPending = 0;
    for (std::size_t k = m_pending.size(); k > 0 && !target; --k) {
        if (fits(m_pending[k - 1].point))
            target = &m_pending[k - 1].point, keptPending = k;
    }
    std::size_t keptPoints = m_trace.points.size();
    for (; !target && keptPoints > 0; --keptPoints) {
        if (fits(m_trace.points[keptPoints - 1])) {
            target = &m_trace.points[keptPoints - 1];
            break;
        }
    }
    if (!target)
        return;
    const TracePoint place = *target;
    // Before anything is dropped: there may be no memory for it.
    const auto nearest = std::find_if(m_checkpoints.rbegin(), m_checkpoints.rend() - 1,
                                      [&](const CheckpointPtr &c) { return c->engine.ticks() <= place.cost.ticks; });
    m_engine = (*nearest)->engine.clone();
    m_caughtEvents = (*nearest)->events;
    m_pending.resize(keptPending);
    const auto later = std::ranges::find_if(
        m_trace.events, [&](const RunEvent &e) { return e.at.ticks > place.cost.ticks || e.stage > place.stage; });
    truncate(keptPoints, static_cast<std::size_t>(later - m_trace.events.begin()));

    dropCheckpointsAfter(place.cost.ticks);
    m_seconds = place.seconds;
    m_measuredAccesses = place.cost.accesses;
    m_lastGood.reset();
    m_due.reset();
    m_ending.reset();
    m_message.clear();
    m_allowed = 0;
    m_status = RunStatus::Paused;
    m_catchUpTo = place.cost.ticks;
}

void Run::returnToLastPoint()
{
    if (m_trace.points.empty() || !m_lastGood || !m_pending.empty())
        return;
    const Index ticks = m_trace.points.back().cost.ticks;
    if (m_engine.ticks() == ticks || m_lastGood->engine.ticks() != ticks)
        return;
    returnTo(*m_lastGood);
    m_due.reset();
    m_ending.reset();
}

/// To a place shortly before: later points and events go, the changes made at that very place are made again.
void Run::returnTo(const Checkpoint &place)
{
    const Index ticks = place.engine.ticks();
    const auto points = std::ranges::find_if(m_trace.points, [&](const TracePoint &p) { return p.cost.ticks > ticks; });
    const auto events = std::ranges::find_if(m_trace.events, [&](const RunEvent &e) { return e.at.ticks > ticks; });
    truncate(static_cast<std::size_t>(points - m_trace.points.begin()),
             static_cast<std::size_t>(events - m_trace.events.begin()));
    dropCheckpointsAfter(ticks);
    m_engine = place.engine.clone();
    for (std::size_t k = place.events; k < m_trace.events.size(); ++k)
        m_engine.apply(m_trace.events[k]);
    m_seconds = place.seconds;
    m_measuredAccesses = m_engine.cost().accesses;
}

/// Repeats what is already in the trace, without measuring it and without the clock.
bool Run::catchUp(Slice &slice)
{
    while (true) {
        const bool more = m_caughtEvents < m_trace.events.size();
        const RunEvent *next = more ? &m_trace.events[m_caughtEvents] : nullptr;
        if (next && next->at.ticks <= m_engine.ticks()) {
            if (auto error = m_engine.apply(*next))
                return fail("The recorded change \"" + next->label + "\" cannot be repeated: " + error->message), true;
            ++m_caughtEvents;
            continue;
        }
        const Index goal = next ? std::min(next->at.ticks, m_catchUpTo) : m_catchUpTo;
        const Index before = m_engine.ticks();
        if (before >= goal)
            break;
        if (m_engine.ended())
            return fail("The recorded run cannot be repeated: the method ends earlier now."), true;
        if (!learnt())
            return false;
        Slice part(slice.until(), goal - before);
        if (m_engine.advance(part) == Method::State::StageEnd)
            addCheckpoint(std::make_shared<Checkpoint>(m_engine.clone(), 0.0, m_caughtEvents));
        if (m_engine.ticks() == before && !m_engine.ended() && slice.until() <= Slice::Clock::now())
            return false;
    }
    m_catchUpTo = -1;
    m_lastGood = std::make_shared<Checkpoint>(m_engine.clone(), m_seconds, m_trace.events.size());
    return true;
}

std::unique_ptr<Run> Run::fork(std::optional<Index> stage) const
{
    std::unique_ptr<Run> copy(new Run(m_problem, m_engine.clone()));
    copy->m_spec = m_spec;
    copy->m_stop = m_stop;
    copy->m_measuresPerPass = m_measuresPerPass;
    copy->m_status = m_status == RunStatus::Running ? RunStatus::Paused : m_status;
    copy->m_message = m_message;
    copy->m_ending = m_ending;
    copy->m_trace = m_trace;
    copy->m_seconds = m_seconds;
    copy->m_fOpt = m_fOpt;
    copy->m_executor = m_executor;
    copy->m_learning = m_learning;
    copy->m_pending = m_pending;
    copy->m_due = m_due;
    copy->m_started = m_started;
    copy->m_measuredAccesses = m_measuredAccesses;
    copy->m_lastGood = m_lastGood;
    copy->m_checkpoints = m_checkpoints;
    copy->m_checkpointBytes = m_checkpointBytes;
    copy->m_checkpointBudget = m_checkpointBudget;
    copy->m_keepEvery = m_keepEvery;
    copy->m_catchUpTo = m_catchUpTo;
    copy->m_caughtEvents = m_caughtEvents;
    if (stage)
        copy->stepBack(*stage);
    return copy;
}

void Run::truncate(std::size_t points, std::size_t events)
{
    m_trace.points.resize(std::min(points, m_trace.points.size()));
    m_trace.events.resize(std::min(events, m_trace.events.size()));
    m_news.points = std::min(m_news.points, m_trace.points.size());
    m_news.events = std::min(m_news.events, m_trace.events.size());
}

void Run::addCheckpoint(CheckpointPtr checkpoint)
{
    // The first one is always there; a stage 0 point would only repeat it.
    if (!m_checkpoints.empty() && checkpoint->engine.ticks() == m_checkpoints.back()->engine.ticks()
        && checkpoint->events == m_checkpoints.back()->events)
        return;
    if (!m_checkpoints.empty() && checkpoint->engine.stage() % m_keepEvery != 0)
        return;
    m_checkpointBytes += checkpoint->bytes;
    m_checkpoints.push_back(std::move(checkpoint));
    thin();
}

void Run::dropCheckpointsAfter(Index ticks)
{
    while (m_checkpoints.size() > 1 && m_checkpoints.back()->engine.ticks() > ticks) {
        m_checkpointBytes -= m_checkpoints.back()->bytes;
        m_checkpoints.pop_back();
    }
}

void Run::setCheckpointBudget(std::size_t bytes)
{
    m_checkpointBudget = bytes;
    thin();
}

void Run::thin()
{
    while (m_checkpointBytes > m_checkpointBudget && m_checkpoints.size() > 1) {
        m_keepEvery *= 2;
        std::erase_if(m_checkpoints, [&](const CheckpointPtr &c) {
            const bool drop = c != m_checkpoints.front() && c->engine.stage() % m_keepEvery != 0;
            m_checkpointBytes -= drop ? c->bytes : 0;
            return drop;
        });
    }
}

} // namespace appa
