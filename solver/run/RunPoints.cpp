// Where a run is measured, and what the measurements make of it.

#include "run/Checkpoint.h"
#include "run/Labels.h"

#include <cmath>
#include <utility>

namespace appa {

namespace {

/// Beyond this multiple of the first loss a run has diverged.
constexpr double divergenceFactor = 1e6;

} // namespace

void Run::recordDue()
{
    const bool stageEnd = *m_due;
    m_due.reset();
    const TracePoint *last = m_trace.points.empty() ? nullptr : &m_trace.points.back();
    // A method that is done at once, or a rule that holds where it was just measured, needs no second point there.
    if (last && last->cost.ticks == m_engine.ticks() && last->stage == stage())
        return;
    record(stageEnd);
}

void Run::record(bool stageEnd, bool mayStayUnmeasured)
{
    Pending entry;
    entry.point = {.stage = stage(),
                   .cost = cost(),
                   .seconds = m_seconds,
                   .loss = unknown,
                   .testError = unknown,
                   .gap = unknown,
                   .lambda = m_engine.lambda(),
                   .stageEnd = stageEnd};
    entry.events = m_trace.events.size();
    entry.state = std::make_shared<Checkpoint>(m_engine.clone(), m_seconds, m_trace.events.size());
    if (stageEnd)
        addCheckpoint(entry.state);
    m_started = true;
    m_measuredAccesses = entry.point.cost.accesses;

    // Dragging a parameter interrupts more stages than can be measured; those points have their place but no value.
    if (mayStayUnmeasured && m_executor && m_pending.size() >= 2) {
        m_pending.push_back(std::move(entry));
        return;
    }
    Vector x;
    m_engine.current().point(x);
    auto job = std::make_shared<MeasureJob>(m_problem, std::move(x), m_engine.current().dual());
    entry.ticket = std::make_shared<Ticket>(job);
    if (m_executor) {
        m_executor(std::move(job));
        m_pending.push_back(std::move(entry));
    } else {
        job->perform();
        m_pending.push_back(std::move(entry));
        collect();
    }
}

void Run::collect()
{
    while (!m_pending.empty() && (!m_pending.front().ticket || m_pending.front().ticket->job->done())) {
        Pending entry = std::move(m_pending.front());
        m_pending.pop_front();
        if (entry.ticket) {
            if (const std::string &why = entry.ticket->job->failure(); !why.empty())
                return fail(why);
            const Measurement &measured = entry.ticket->job->result();
            entry.point.loss = measured.loss;
            entry.point.testError = measured.testError;
            entry.point.gap = measured.gap.value_or(unknown);
        }
        judge(entry);
    }
}

/// Takes a measured point into the trace and lets its values act.
void Run::judge(const Pending &measured)
{
    const TracePoint &point = measured.point;
    // What the user did after this place outranks a rule or a verdict on it: the next point is judged.
    const bool overtaken = m_trace.events.size() != measured.events;
    const std::string where =
        point.stageEnd ? "after stage " + std::to_string(point.stage) : "in stage " + std::to_string(point.stage + 1);
    if (measured.ticket && !std::isfinite(point.loss)) {
        if (m_trace.points.empty())
            endAt(measured.state, RunStatus::Failed, "The loss at the starting point is not finite.");
        else if (!overtaken)
            endAt(m_lastGood, RunStatus::Diverged,
                  "The loss " + where + " is not finite. Here is the last finite point.");
        return;
    }
    m_trace.points.push_back(point);
    if (!measured.ticket)
        return;
    m_lastGood = measured.state;
    if (overtaken)
        return;
    const double first = m_trace.points.front().loss;
    if (point.loss > divergenceFactor * (first > 0 ? first : 1)) {
        endAt(measured.state, RunStatus::Diverged,
              "The loss " + where + " is " + shortNumber(point.loss) + ", more than a million times the first one.");
    } else if (point.stage < m_allowed) {
        return;
    } else if (m_stop.gapBelow > 0 && point.gap <= m_stop.gapBelow) {
        endAt(measured.state, RunStatus::Finished,
              "The gap is below " + shortNumber(m_stop.gapBelow) + " " + where + ".");
    } else if (m_stop.excessBelow > 0 && m_fOpt && point.loss - *m_fOpt <= m_stop.excessBelow) {
        endAt(measured.state, RunStatus::Finished,
              "The excess loss is below " + shortNumber(m_stop.excessBelow) + " " + where + ".");
    }
}

void Run::endAt(const CheckpointPtr &place, RunStatus status, std::string message)
{
    // The solver went on meanwhile: that work is undone, as if it had waited for the measurement.
    if (place && place->engine.ticks() != m_engine.ticks())
        returnTo(*place);
    m_pending.clear();
    m_due.reset();
    m_ending.reset();
    m_status = status;
    m_message = std::move(message);
}

} // namespace appa
