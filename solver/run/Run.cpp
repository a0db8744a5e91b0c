#include "run/Run.h"

#include "base/Clock.h"
#include "base/Failure.h"
#include "run/Checkpoint.h"
#include "run/Labels.h"
#include "run/Stalling.h"

#include <algorithm>
#include <utility>

namespace appa {

Run::Run(ProblemPtr problem, Engine engine) : m_problem(std::move(problem)), m_engine(std::move(engine)) { }

Run::~Run() = default;

Result<std::unique_ptr<Run>> Run::make(ProblemPtr problem, const MethodInfo *method, RunSpec spec, StopRules stop,
                                       int measuresPerPass)
{
    Result<Engine> engine = Engine::create(problem, spec, method);
    if (!engine)
        return engine.error();
    std::unique_ptr<Run> run(new Run(std::move(problem), std::move(engine).value()));
    run->m_spec = std::move(spec);
    run->m_spec.method = run->method();
    run->m_spec.inner = run->inner();
    run->m_stop = stop;
    run->m_measuresPerPass = std::max(0, measuresPerPass);
    run->addCheckpoint(std::make_shared<Checkpoint>(run->m_engine.clone(), 0.0, std::size_t(0)));
    return run;
}

Result<std::unique_ptr<Run>> Run::create(ProblemPtr problem, RunSpec spec, StopRules stop, int measuresPerPass)
{
    return make(std::move(problem), nullptr, std::move(spec), stop, measuresPerPass);
}

Result<std::unique_ptr<Run>> Run::create(ProblemPtr problem, const MethodInfo &method, RunSpec spec, StopRules stop,
                                         int measuresPerPass)
{
    return make(std::move(problem), &method, std::move(spec), stop, measuresPerPass);
}

Result<std::unique_ptr<Run>> Run::restore(ProblemPtr problem, RunSpec spec, StopRules stop, int measuresPerPass,
                                          Trace history, RunStatus status, std::string message)
{
    Result<std::unique_ptr<Run>> made = create(std::move(problem), std::move(spec), stop, measuresPerPass);
    if (!made || history.points.empty())
        return made;
    Run &run = *made.value();
    const TracePoint &last = history.points.back();
    run.m_status = status == RunStatus::Finished || status == RunStatus::Diverged ? status : RunStatus::Paused;
    run.m_message = std::move(message);
    run.m_started = true;
    run.m_seconds = last.seconds;
    run.m_measuredAccesses = last.cost.accesses;
    run.m_catchUpTo = last.cost.ticks;
    std::erase_if(history.events, [&](const RunEvent &e) { return e.at.ticks > run.m_catchUpTo; });
    run.m_trace = std::move(history);
    return made;
}

bool Run::advance(Slice &slice)
{
    if (catchingUp()) {
        settle(slice);
        return m_status != RunStatus::Failed;
    }
    const std::string why =
        failureOf("go on with stage " + std::to_string(stage() + 1), [&] { advanceUnguarded(slice); });
    if (!why.empty()) {
        // What was measured before is still taken in.
        m_due.reset();
        m_ending = {RunStatus::Failed, why};
        m_status = RunStatus::Running;
        finishIfSettled();
    }
    return m_status == RunStatus::Running;
}

void Run::advanceUnguarded(Slice &slice)
{
    collect();
    if (m_status == RunStatus::Finished || m_status == RunStatus::Diverged || m_status == RunStatus::Failed)
        return;
    if (!m_ending && !m_due) {
        if (auto rule = ruleThatHolds())
            m_ending = {RunStatus::Finished, std::move(*rule)};
    }
    m_status = RunStatus::Running;
    if (!m_started)
        record(true);
    if (m_due && m_pending.empty())
        recordDue();
    finishIfSettled();
    if (m_status != RunStatus::Running || m_due || m_ending || !learnt())
        return;
    handle(work(slice));
    if (m_due && m_pending.empty())
        recordDue();
    finishIfSettled();
}

/// Whether the method knows of its problem what it has to; sees to it that it will. The constants are the problem's, as
/// its row norms are, so what they cost is not the run's.
bool Run::learnt()
{
    const Knowledge missing = m_engine.missing();
    if (missing == Knowledge::Nothing) {
        m_learning.reset();
        return true;
    }
    if (!m_executor)
        return m_problem->learn(missing);
    if (m_learning && m_learning->job->done()) {
        // It failed, or was cancelled, or was of a method before this one.
        const auto ended = std::exchange(m_learning, nullptr);
        if (const std::string &why = ended->job->failure(); !why.empty()) {
            fail(why);
            return false;
        }
    }
    if (!m_learning) {
        auto job = std::make_shared<LearnJob>(m_problem, missing);
        auto learning = std::make_shared<Learning>(job);
        m_executor(std::move(job));
        m_learning = std::move(learning);
    }
    return false;
}

std::string Run::warning() const
{
    std::string noticed = m_engine.current().warning();
    return noticed.empty() ? stallingAdvice(m_trace, *m_problem, m_engine.info(), m_engine.inner(), asked()) : noticed;
}

bool Run::learning() const
{
    return m_learning && !m_learning->job->done() && m_engine.missing() != Knowledge::Nothing;
}

/// The method's own work, and nothing else, is on the clock.
Method::State Run::work(Slice &slice)
{
    const auto begin = Slice::Clock::now();
    Method::State state = Method::State::More;
    if (m_measuresPerPass == 0 && m_stop.passes <= 0) {
        state = m_engine.advance(slice);
    } else {
        while (state == Method::State::More && slice.next()) {
            Slice one = Slice::ticks(1);
            state = m_engine.advance(one);
            if (measureHere())
                break;
        }
    }
    m_seconds += secondsSince(begin);
    return state;
}

/// A pure function of the accesses, so that it is at the same tick however the work is sliced.
bool Run::measureHere() const
{
    const Cost cost = m_engine.cost();
    if (m_stop.passes > 0 && stage() >= m_allowed
        && static_cast<double>(cost.accesses) >= m_stop.passes * static_cast<double>(m_problem->n()))
        return true;
    if (m_measuresPerPass == 0)
        return false;
    const Index n = m_problem->n();
    return cost.accesses * m_measuresPerPass / n > m_measuredAccesses * m_measuresPerPass / n;
}

void Run::handle(Method::State state)
{
    switch (state) {
    case Method::State::More:
        if (m_engine.midStage() && (m_measuresPerPass > 0 || m_stop.passes > 0) && measureHere())
            m_due = false;
        break;
    case Method::State::StageEnd:
        m_due = true;
        break;
    case Method::State::Done: {
        std::string why = m_engine.current().message();
        m_ending = {RunStatus::Finished, why.empty() ? "The method has nothing left to do." : std::move(why)};
        m_due = true;
        return;
    }
    case Method::State::Failed: {
        std::string why = m_engine.current().message();
        m_ending = {RunStatus::Failed,
                    why.empty() ? "The method failed in stage " + std::to_string(stage() + 1) + "." : std::move(why)};
        return;
    }
    }
    if (auto rule = ruleThatHolds()) {
        m_ending = {RunStatus::Finished, std::move(*rule)};
        if (!m_due && m_engine.midStage())
            m_due = false;
    }
}

std::optional<std::string> Run::ruleThatHolds() const
{
    if (stage() < m_allowed)
        return std::nullopt;
    if (m_stop.stages > 0 && stage() >= m_stop.stages)
        return std::to_string(m_stop.stages) + (m_stop.stages == 1 ? " stage done." : " stages done.");
    if (m_stop.passes > 0
        && static_cast<double>(cost().accesses) >= m_stop.passes * static_cast<double>(m_problem->n()))
        return shortNumber(m_stop.passes) + " passes done.";
    if (m_stop.seconds > 0 && m_seconds >= m_stop.seconds)
        return shortNumber(m_stop.seconds) + " seconds of work done.";
    return std::nullopt;
}

/// At once, whatever is outstanding; a step back leads out of it.
void Run::fail(std::string why)
{
    m_catchUpTo = -1;
    m_learning.reset();
    endAt(nullptr, RunStatus::Failed, std::move(why));
}

void Run::finishIfSettled()
{
    if (!m_ending || m_due || !m_pending.empty() || m_status != RunStatus::Running)
        return;
    m_status = m_ending->status;
    m_message = std::move(m_ending->message);
    m_ending.reset();
    if (const std::string noticed = warning(); m_status == RunStatus::Finished && !noticed.empty())
        m_message += " " + noticed;
}

void Run::stepStage()
{
    Slice unlimited = Slice::ticks(std::numeric_limits<Index>::max());
    catchUpFully();
    allowStage();
    if (m_status == RunStatus::Finished && !m_engine.ended())
        m_status = RunStatus::Paused;
    const Index goal = stage() + 1;
    while (stage() < goal) {
        Slice slice = Slice::ticks(std::numeric_limits<Index>::max());
        if (!advance(slice))
            return;
        if (waiting())
            wait(Slice::Clock::time_point::max());
    }
    while (!m_pending.empty() || m_due) {
        wait(Slice::Clock::time_point::max());
        settle(unlimited);
    }
    pause();
}

void Run::pause()
{
    if (m_status == RunStatus::Running)
        m_status = RunStatus::Paused;
}

bool Run::waiting() const
{
    return learning() || measurementMissing();
}

bool Run::measurementMissing() const
{
    return (m_due || m_ending) && !m_pending.empty() && m_pending.front().ticket
        && !m_pending.front().ticket->job->done();
}

bool Run::canSettle() const
{
    if (catchingUp())
        return !learning();
    return !m_pending.empty() ? !m_pending.front().ticket || m_pending.front().ticket->job->done() : m_due.has_value();
}

bool Run::settle(Slice &slice)
{
    const std::string why = failureOf("go on with the run", [&] {
        collect();
        if (catchingUp() && !catchUp(slice))
            return;
        if (m_due && m_pending.empty())
            recordDue();
        if (m_ending && !m_due && m_pending.empty()
            && (m_status == RunStatus::Running || m_status == RunStatus::Paused)) {
            m_status = RunStatus::Running;
            finishIfSettled();
        }
    });
    if (!why.empty())
        fail(why);
    return m_pending.empty() && !catchingUp();
}

void Run::wait(Slice::Clock::time_point moment)
{
    if (learning())
        m_learning->job->waitUntil(moment);
    else if (!m_pending.empty() && m_pending.front().ticket)
        m_pending.front().ticket->job->waitUntil(moment);
}

std::optional<Error> Run::change(const std::string &key, const ParamValue &value)
{
    collect();
    return commit(m_engine.plan(key, value));
}

std::optional<Error> Run::switchMethod(const std::string &method, const std::string &inner)
{
    collect();
    return commit(m_engine.planSwitch(method, inner));
}

std::optional<Error> Run::commit(const Result<std::optional<RunEvent>> &planned)
{
    if (!planned)
        return planned.error();
    if (!planned.value())
        return std::nullopt;
    if (m_status == RunStatus::Failed)
        return Error{Error::Kind::Usage, "The run has failed: step back or start a new one before changing it."};
    if (catchingUp())
        return Error{Error::Kind::Usage, "The run is still being rebuilt: change it when it is there."};
    std::optional<Error> error;
    const std::string why = failureOf("make this change", [&] { error = apply(*planned.value()); });
    if (why.empty())
        return error;
    // It may be half made.
    fail(why);
    return Error{Error::Kind::Data, why};
}

std::optional<Error> Run::apply(RunEvent event)
{
    // A point always comes before the events of its place.
    if (!m_started)
        record(true);
    if (m_due) {
        const bool stageEnd = *m_due;
        m_due.reset();
        record(stageEnd);
    }
    event.midStage = m_engine.midStage() && !m_engine.ended();
    if (event.midStage) {
        m_engine.endStage();
        record(true, true);
    }
    event.at = cost();
    event.stage = stage();
    const auto begin = Slice::Clock::now();
    if (auto error = m_engine.apply(event))
        return error;
    m_seconds += secondsSince(begin);
    event.seconds = m_seconds;
    m_trace.events.push_back(std::move(event));
    m_ending.reset();
    m_message.clear();
    if (m_status == RunStatus::Finished || m_status == RunStatus::Diverged)
        m_status = RunStatus::Paused;
    return std::nullopt;
}

void Run::setStopRules(const StopRules &stop)
{
    m_stop = stop;
    if (m_ending && m_ending->status == RunStatus::Finished && !m_engine.ended())
        m_ending.reset();
    if (m_status == RunStatus::Finished && !m_engine.ended() && !ruleThatHolds()) {
        m_status = RunStatus::Paused;
        m_message.clear();
    }
}

Run::News Run::takeNews()
{
    return std::exchange(m_news, News{m_trace.points.size(), m_trace.events.size()});
}

} // namespace appa
