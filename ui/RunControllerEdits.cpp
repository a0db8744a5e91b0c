// What the user changes in a run, and how the Runner's news reach the model.
#include "RunController.h"

#include "form/ParamText.h"
#include "theme/Format.h"

#include <algorithm>
#include <cmath>

namespace appa::ui {

namespace {

constexpr int idleAfterMs = 2000; ///< with nothing running the timer stops: an idle window costs nothing
constexpr int undoDepth = 20;

/// What is set of a parameter that waits for a restart; nullopt: it does not wait.
std::optional<ParamValue> setUntilRestart(const RunRecord &run, const std::string &key)
{
    if (key == "seed")
        return static_cast<double>(run.spec.seed);
    const MethodInfo *info = findMethod(run.method);
    if (!info)
        return std::nullopt;
    const std::vector<ParamSpec> specs = paramsOf(*info, run.inner);
    const auto spec = std::ranges::find(specs, key, &ParamSpec::key);
    if (spec == specs.end() || spec->change != ParamSpec::Change::Restart)
        return std::nullopt;
    const ParamSet params = RunController::wanted(run);
    const auto at = params.values().find(key);
    return at == params.values().end() ? spec->defaultValue : at->second;
}

/// What a switch of methods keeps: what both know; lambda only where it means the same to both.
ParamSet carriedOver(const ParamSet &params, const MethodInfo *from, const MethodInfo &to, const std::string &inner)
{
    ParamSet kept;
    for (const ParamSpec &spec : paramsOf(to, inner))
        if (const auto at = params.values().find(spec.key);
            at != params.values().end() && (spec.key != "lambda" || (from && from->lambda == to.lambda)))
            kept.set(spec.key, at->second);
    return kept;
}

} // namespace

void RunController::change(RunId id, const QString &name, const ParamValue &value)
{
    const RunRecord *run = m_model.find(id);
    if (!run)
        return;
    claim(id);
    const std::string key = name.toStdString();
    // The methods' own "stages" is a word: their stage rule.
    if (const double *stages = std::get_if<double>(&value); stages && key == "stages") {
        StopRules stop = run->stop;
        stop.stages = static_cast<Index>(*stages);
        m_model.edit(id, [&](RunRecord &r) { r.stop = stop; });
        m_runner->setStopRules(run->engine, stop);
        if (run->hasStarted())
            emit logged(Level::Info, id,
                        stop.stages > 0 ? tr("Stops after stage %1.").arg(stop.stages)
                                        : tr("Stops only when told to."));
        wake();
    } else if (!run->hasStarted() && !run->unborn) {
        // Nothing has happened yet: it simply starts differently.
        m_model.edit(id, [&](RunRecord &r) {
            if (key == "seed")
                r.spec.seed = static_cast<std::uint64_t>(std::get<double>(value));
            else
                r.spec.params.set(key, value);
            r.effective.set(key, value);
        });
        prepare(id);
    } else if (const auto now = setUntilRestart(*run, key)) {
        m_model.edit(id, [&](RunRecord &r) {
            ParamSet pending;
            for (const auto &[other, waiting] : r.pending.values())
                if (other != key)
                    pending.set(other, waiting);
            if (value != *now) // changed back, it does not wait
                pending.set(key, value);
            r.pending = std::move(pending);
        });
    } else {
        m_model.edit(id, [](RunRecord &r) { r.done = false; }); // its answer tells
        m_runner->change(run->engine, key, value);
        wake();
    }
    emit runUpdated(id);
}

void RunController::switchMethod(RunId id, const std::string &method, const std::string &inner)
{
    const RunRecord *run = m_model.find(id);
    const MethodInfo *info = findMethod(method);
    if (!run || !info || (run->method == method && run->inner == inner))
        return;
    claim(id);
    if (run->hasStarted() || run->unborn) {
        m_model.edit(id, [](RunRecord &r) { r.done = false; }); // its answer tells
        m_runner->switchMethod(run->engine, method, inner);
        wake();
        return;
    }
    m_model.edit(id, [&](RunRecord &r) {
        r.spec.params = r.effective = carriedOver(r.spec.params, findMethod(r.method), *info, inner);
        r.spec.method = r.method = method;
        r.spec.inner = r.inner = inner;
    });
    prepare(id);
    emit runUpdated(id);
}

void RunController::setStagesPerSecond(double rate)
{
    m_rate = rate;
    for (const auto &run : m_model.runs())
        if (run->live)
            m_runner->setStagesPerSecond(run->engine, rate);
    wake();
}

int RunController::remove(std::span<const RunId> ids)
{
    for (const RunId id : ids)
        if (const RunRecord *run = m_model.find(id); run && run->isWorthKeeping())
            emit logged(Level::Info, id, tr("Deleted."));
    return putAside(ids);
}

int RunController::putAside(std::span<const RunId> ids)
{
    const int batch = m_removed.empty() ? 1 : m_removed.back().batch + 1;
    int kept = 0;
    for (const RunId id : ids) {
        const int row = m_model.rowOf(id);
        if (row < 0)
            continue;
        if (m_model.find(id)->isWorthKeeping()) {
            m_runner->pause(engineOf(id));
            m_removed.push_back({m_model.take(id), row, batch, 0});
            ++kept;
        } else {
            dismiss(id);
        }
    }
    wake();
    if (kept > 0) {
        for (; batch - m_removed.front().batch >= undoDepth; m_removed.pop_front())
            m_runner->remove(m_removed.front().run.engine);
        emit undoChanged();
    }
    return kept;
}

void RunController::dismiss(RunId id)
{
    m_builds.erase(id);
    m_runner->remove(engineOf(id));
    m_model.take(id);
}

RunId RunController::undo()
{
    RunId first = 0;
    if (m_removed.empty())
        return first;
    std::vector<RunId> replacements;
    for (const int batch = m_removed.back().batch; !m_removed.empty() && m_removed.back().batch == batch;) {
        Removed last = std::move(m_removed.back());
        m_removed.pop_back();
        if (const RunRecord *replacement = m_model.find(last.replacedBy)) {
            if (replacement->hasStarted())
                replacements.push_back(last.replacedBy);
            else
                dismiss(last.replacedBy);
        }
        if (last.run.status == RunStatus::Running)
            last.run.status = RunStatus::Paused;
        const RunId id = last.run.id;
        m_model.insert(last.row, std::move(last.run));
        introduce(*m_model.find(id));
        emit logged(Level::Info, id, tr("Brought back."));
        first = id;
    }
    // Computed, and perhaps for long: it can be had back, after all that was deleted on purpose.
    for (const RunId id : replacements) {
        emit logged(Level::Info, id, tr("Taken back with its restart."));
        m_runner->pause(engineOf(id));
        const int row = m_model.rowOf(id);
        m_removed.push_front({m_model.take(id), row, m_removed.empty() ? 1 : m_removed.front().batch - 1, 0});
    }
    emit undoChanged();
    return first;
}

void RunController::claim(RunId id)
{
    for (Removed &removed : m_removed)
        if (removed.replacedBy == id)
            removed.replacedBy = 0;
}

ParamSet RunController::wanted(const RunRecord &run)
{
    ParamSet params = run.spec.params;
    for (const RunEvent &event : run.trace.events) {
        if (event.kind == RunEvent::Kind::Params) {
            params.set(event.key, event.to);
            continue;
        }
        const auto *fromId = std::get_if<std::string>(&event.from);
        const auto *toId = std::get_if<std::string>(&event.to);
        const MethodInfo *from = fromId ? findMethod(*fromId) : nullptr;
        if (const MethodInfo *to = toId ? findMethod(*toId) : nullptr)
            params = carriedOver(params, from, *to, event.inner);
    }
    return params;
}

std::optional<double> RunController::theoryRate(const RunRecord &run)
{
    const MethodInfo *info = findMethod(run.method);
    if (!info || !run.problem || !run.problem->problem || !run.problem->constants)
        return std::nullopt;
    // Kaczmarz's bounds are for Ax = b; without a solution the excess ends at a level above 0.
    const auto &optimum = run.problem->optimum;
    const bool projects = run.method == "kaczmarz" || run.method == "accelerated-kaczmarz";
    if (projects && optimum && optimum->value > std::max(optimum->floor, optimum->certificate))
        return std::nullopt;
    const auto rate = info->ratePerPass ? info->ratePerPass : info->ratePerStage;
    const auto factor =
        rate ? rate(*run.problem->problem, *run.problem->constants, run.effective) : std::optional<double>();
    if (!factor || info->ratePerPass)
        return factor;
    // What a stage takes is measured, from where the present settings began.
    const auto points = pointsSinceLastChange(run.trace);
    if (points.empty() || points.back().stage == points.front().stage)
        return std::nullopt;
    const double passes = passesOf(run, points.back().cost) - passesOf(run, points.front().cost);
    return std::pow(*factor, static_cast<double>(points.back().stage - points.front().stage) / passes);
}

QString RunController::theoryCondition(const RunRecord &run)
{
    QStringList conditions;
    const auto &values = run.effective.values();
    const auto rule = values.find("stages");
    const MethodInfo *info = findMethod(run.method);
    if (info && info->family == MethodFamily::Reduction && rule != values.end()
        && rule->second == ParamValue(std::string("fixed")))
        conditions << tr("if each stage is solved well enough");
    if (run.problem && run.problem->constants && run.problem->constants->muIsLocal)
        conditions << tr("near the optimum");
    return conditions.join(QStringLiteral(", "));
}

void RunController::take()
{
    const std::vector<RunUpdate> updates = m_runner->take();
    for (const RunUpdate &update : updates) {
        const auto at = std::ranges::find(m_model.runs(), update.id, [](const auto &run) { return run->engine; });
        if (at == m_model.runs().end()) { // removed: it may come back by undo, so its last words count
            const auto gone = std::ranges::find(m_removed, update.id, [](const Removed &r) { return r.run.engine; });
            if (gone != m_removed.end()) {
                RunModel aside;
                const RunId id = gone->run.id;
                aside.insert(0, std::move(gone->run));
                aside.apply(update);
                gone->run = aside.take(id);
            }
            continue;
        }
        const RunRecord &run = **at;
        const Before before{run.status, run.isWorthKeeping() || run.forkedFrom > 0,
                            std::min(run.trace.events.size(), update.keepEvents)};
        if (!m_model.apply(update))
            continue;
        if (run.hasStarted())
            m_builds.erase(run.id);
        note(run, update, before);
        emit runUpdated(run.id);
    }
    if (!updates.empty()) {
        m_sinceCommand.start();
        emit tookOutbox();
    } else if (m_sinceCommand.elapsed() > idleAfterMs && m_runner->idle()
               && std::ranges::none_of(m_builds,
                                       [](const auto &b) { return b.second.work && b.second.work->busy(); })) {
        m_timer.stop();
    }
}

void RunController::note(const RunRecord &run, const RunUpdate &update, const Before &before)
{
    // Also the one whose first stage, or all of it, was over before anybody looked.
    const bool begun = !before.started && run.isWorthKeeping();
    const bool wasRunning = before.status == RunStatus::Running || begun;
    if (before.status != RunStatus::Running && (run.isRunning() || begun)) {
        const QString solver = run.inner.empty() ? QString() : tr(" with %1").arg(innerLabel(run.inner));
        emit logged(Level::Info, run.id,
                    tr("Runs from stage %1: %2%3, %4, seed %5.")
                        .arg(formatCount(begun ? 0 : run.stage), methodLabel(run.method), solver,
                             lambdaText(lambdaMeaning(run.method), formatPower(run.effective.real("lambda"))),
                             QString::number(run.spec.seed)));
    }
    // A fork's past is its parent's, and is told there.
    for (std::size_t i = std::max(run.sharedEvents, before.events); i < run.trace.events.size(); ++i) {
        const RunEvent &event = run.trace.events[i];
        emit logged(Level::Info, run.id,
                    tr("Stage %1, step %2: %3")
                        .arg(event.stage)
                        .arg(formatCount(event.at.steps), prettyText(QString::fromStdString(event.label))));
    }
    const QString message = QString::fromStdString(update.message);
    if (update.status == RunStatus::Diverged && before.status != RunStatus::Diverged) {
        emit logged(Level::Warning, run.id, tr("Diverged: %1").arg(message));
        emit said(Level::Warning, run.id, tr("%1 diverged: %2").arg(run.name, message));
    } else if (update.status == RunStatus::Failed) {
        emit logged(Level::Error, run.id, message);
        emit said(Level::Error, run.id, QStringLiteral("%1: %2").arg(run.name, message));
    } else if (update.status == RunStatus::Finished && wasRunning) {
        emit logged(Level::Info, run.id, message.isEmpty() ? tr("Finished.") : tr("Finished: %1").arg(message));
    } else if (!message.isEmpty() && update.status != RunStatus::Finished && update.status != RunStatus::Diverged) {
        emit logged(Level::Warning, run.id, message);
        emit said(Level::Warning, run.id, QStringLiteral("%1: %2").arg(run.name, message));
    }
}

} // namespace appa::ui
