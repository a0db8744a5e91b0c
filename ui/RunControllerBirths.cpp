// How runs come to be: new, from a session, afresh, or as a fork of another.
#include "RunController.h"

#include <algorithm>

namespace appa::ui {

RunId RunController::create(RunSpec spec, const StopRules &stop)
{
    if (!m_problem || !m_problem->problem)
        return 0;
    const MethodInfo *info = findMethod(spec.method);
    if (!info)
        return 0;
    if (spec.inner.empty() && !info->inners.empty())
        spec.inner = info->inners.front();
    RunRecord run;
    run.id = m_model.nextId();
    run.name = tr("run %1").arg(++m_named);
    run.colour = m_model.freeColour(spec.method, m_problem);
    run.problem = m_problem;
    run.method = spec.method;
    run.inner = spec.inner;
    run.effective = spec.params;
    run.stop = stop;
    run.spec = std::move(spec);
    const RunId id = run.id;
    m_model.insert(m_model.rowCount(), std::move(run));
    prepare(id);
    return id;
}

RunId RunController::restore(RunRecord record, std::unique_ptr<Run> run)
{
    record.id = m_model.nextId();
    record.engine = run ? m_nextEngine++ : 0;
    record.live = run != nullptr;
    const RunId id = record.id;
    ++m_named;
    m_model.insert(m_model.rowCount(), std::move(record));
    if (run) {
        m_runner->add(engineOf(id), std::move(run));
        introduce(*m_model.find(id));
    }
    return id;
}

void RunController::introduce(const RunRecord &run)
{
    if (const auto &optimum = run.problem->optimum; optimum && optimum->known)
        m_runner->setOptimum(run.engine, optimum->value);
    m_runner->setStagesPerSecond(run.engine, m_rate);
    wake();
}

void RunController::prepare(RunId id)
{
    const RunRecord *run = m_model.find(id);
    if (!run || !run->problem || !run->problem->problem)
        return;
    Build &build = m_builds[id];
    const bool ended = run->hasEnded(); // in its first stage, which is taken back: with other settings it waits
    if (ended)
        build.resume = build.step = false;
    // What it may have done with the settings before is no part of its course.
    m_runner->remove(run->engine);
    m_model.edit(id, [&](RunRecord &r) {
        r.live = false;
        r.engine = 0;
        if (ended)
            r.status = RunStatus::Ready;
    });
    if (!build.work)
        build.work = std::make_unique<Background>();
    build.work->start(
        [problem = run->problem->problem, spec = run->spec, stop = run->stop,
         measures = run->measuresPerPass](const Progress &) {
            // Memory that does not suffice for it is one of its errors.
            return Run::create(problem, spec, stop, measures);
        },
        [this, id](Result<std::unique_ptr<Run>> made) {
            const Build &todo = m_builds[id];
            const RunRecord *record = m_model.find(id);
            if (!record)
                return;
            if (!made) {
                const QString why = QString::fromStdString(made.error().message);
                m_model.edit(id, [&](RunRecord &r) {
                    r.status = RunStatus::Failed;
                    r.message = why;
                });
                emit logged(Level::Error, id, why);
                emit said(Level::Error, id, why);
                emit runUpdated(id);
                return;
            }
            const RunId engine = m_nextEngine++;
            m_runner->add(engine, std::move(made).value());
            m_model.edit(id, [&](RunRecord &r) {
                r.live = true;
                r.engine = engine;
            });
            introduce(*record);
            m_runner->setStopRules(engine, record->stop); // they may have changed meanwhile
            if (todo.resume)
                m_runner->resume(engine);
            if (todo.step)
                m_runner->stepStage(engine);
        });
}

RunId RunController::restart(RunId id)
{
    const RunRecord *old = m_model.find(id);
    if (!old || !old->problem || !old->problem->problem)
        return 0;
    RunRecord run;
    run.id = m_model.nextId();
    run.name = old->name;
    run.colour = old->colour;
    run.visible = old->visible;
    run.problem = old->problem;
    run.stop = old->stop;
    run.measuresPerPass = old->measuresPerPass;
    run.spec = old->spec;
    run.spec.method = old->method;
    run.spec.inner = old->inner;
    run.spec.params = wanted(*old);
    for (const auto &[key, value] : old->pending.values()) {
        if (key == "seed")
            run.spec.seed = static_cast<std::uint64_t>(std::get<double>(value));
        else
            run.spec.params.set(key, value);
    }
    run.method = run.spec.method;
    run.inner = run.spec.inner;
    run.effective = run.spec.params;
    const int row = m_model.rowOf(id);
    const bool kept = old->isWorthKeeping();
    const RunId fresh = run.id;
    putAside({&id, 1});
    if (kept)
        m_removed.back().replacedBy = fresh;
    m_model.insert(row, std::move(run));
    emit logged(Level::Info, fresh, tr("Restarted."));
    m_builds[fresh].resume = true;
    prepare(fresh);
    return fresh;
}

RunId RunController::fork(RunId id, std::optional<Index> stage)
{
    const RunRecord *parent = m_model.find(id);
    if (!parent || !parent->live)
        return 0;
    claim(id);
    RunRecord run;
    run.id = m_model.nextId();
    run.name = tr("run %1").arg(++m_named);
    run.colour = m_model.freeColour(parent->method, parent->problem);
    run.problem = parent->problem;
    run.spec = parent->spec;
    run.stop = parent->stop;
    run.measuresPerPass = parent->measuresPerPass;
    run.method = parent->method;
    run.inner = parent->inner;
    run.effective = parent->effective;
    run.status = RunStatus::Paused;
    run.forkedFrom = id;
    run.unborn = parent->hasStarted();
    run.forkedAt = stage.value_or(parent->reached());
    run.sharedEvents = static_cast<std::size_t>(std::ranges::count_if(
        parent->trace.events, [&](const RunEvent &event) { return event.stage <= run.forkedAt; }));
    for (const StageRow &row : parent->stages)
        if (row.stage <= run.forkedAt)
            run.stages.push_back(row);
    if (run.stages.size() == parent->stages.size())
        run.lastCentre = parent->lastCentre;
    const QString what = tr("Forked from %1 at stage %2.").arg(parent->name).arg(run.forkedAt);
    const RunId fresh = run.id;
    const RunId engine = run.engine = m_nextEngine++;
    run.live = true;
    m_model.insert(m_model.rowOf(id) + 1, std::move(run));
    m_runner->fork(parent->engine, engine, stage);
    introduce(*m_model.find(fresh));
    emit logged(Level::Info, fresh, what);
    return fresh;
}

} // namespace appa::ui
