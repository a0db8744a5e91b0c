#include "run/Engine.h"

#include "methods/Lookup.h"
#include "run/Labels.h"

#include <algorithm>
#include <utility>

namespace appa {

namespace {

Error usage(std::string message)
{
    return {Error::Kind::Usage, std::move(message)};
}

std::string reasonAgainst(const Problem &problem, const MethodInfo &info, const std::string &inner)
{
    // A method outside the registry answers for itself.
    if (findMethod(info.id) != &info)
        return info.whyNot ? info.whyNot(problem) : std::string();
    return whyNot(problem, info.id, inner);
}

} // namespace

Result<Engine> Engine::create(ProblemPtr problem, const RunSpec &spec, const MethodInfo *unlisted)
{
    const auto found = unlisted ? Result<const MethodInfo *>(unlisted) : methodNamed(spec.method);
    if (!found)
        return found.error();
    const MethodInfo *const info = found.value();
    Result<std::string> inner = innerNamed(*info, spec.inner);
    if (!inner)
        return inner.error();
    if (std::string reason = reasonAgainst(*problem, *info, inner.value()); !reason.empty())
        return usage(std::move(reason));

    ParamSet params(paramsOf(*info, inner.value()));
    for (const auto &[key, value] : spec.params.values()) {
        const auto known = paramNamed(*info, inner.value(), key);
        if (!known)
            return known.error();
        if (std::string reason = checkParam(known.value(), value); !reason.empty())
            return usage(std::move(reason));
        params.set(key, value);
    }

    Engine engine;
    engine.m_problem = std::move(problem);
    engine.m_info = info;
    engine.m_inner = std::move(inner).value();
    engine.m_params = std::move(params);
    engine.m_base = IndexStream::baseOf(spec.seed);
    engine.m_method = info->make(engine.m_problem, engine.m_inner, engine.m_params);
    Handover origin;
    origin.x = Vector::Zero(engine.m_problem->dim());
    engine.m_method->start(origin, engine.m_base);
    return engine;
}

Engine Engine::clone() const
{
    Engine copy;
    copy.m_problem = m_problem;
    copy.m_info = m_info;
    copy.m_inner = m_inner;
    copy.m_params = m_params;
    copy.m_base = m_base;
    copy.m_method = m_method->clone();
    copy.m_state = m_state;
    copy.m_before = m_before;
    copy.m_stage = m_stage;
    copy.m_boundary = m_boundary;
    return copy;
}

Method::State Engine::advance(Slice &slice)
{
    if (ended())
        return m_state;
    m_state = m_method->advance(slice);
    if (m_state == Method::State::StageEnd)
        ++m_stage, m_boundary = ticks();
    else if (m_state == Method::State::Done)
        endStage();
    return m_state;
}

void Engine::endStage()
{
    if (midStage())
        ++m_stage, m_boundary = ticks();
}

Cost Engine::cost() const
{
    Cost total = m_before;
    total += m_method->cost();
    return total;
}

double Engine::lambda() const
{
    // After a stage the one that it used: a lambda that decreases by itself is the next one's already.
    if (m_state == Method::State::StageEnd)
        if (const double used = m_method->lastStage().lambda; used > 0)
            return used;
    const ParamSet effective = m_method->effective();
    return effective.contains("lambda") && !effective.isAuto("lambda") ? effective.real("lambda") : unknown;
}

Result<std::optional<RunEvent>> Engine::plan(const std::string &key, const ParamValue &value) const
{
    if (key == "method" || key == "inner") {
        const std::string *word = std::get_if<std::string>(&value);
        if (!word)
            return usage("\"" + key + "\" needs a name.");
        return key == "method" ? planSwitch(*word, "") : planSwitch(m_info->id, *word);
    }
    const auto named = paramNamed(*m_info, m_inner, key);
    if (!named)
        return named.error();
    const ParamSpec *const spec = &named.value();
    if (std::string reason = checkParam(*spec, value); !reason.empty())
        return usage(std::move(reason));
    const auto present = m_params.values().find(key);
    if (present != m_params.values().end() && present->second == value)
        return std::optional<RunEvent>();
    if (spec->change == ParamSpec::Change::Restart)
        return usage("\"" + key + "\" cannot change while a run goes on: start a new run with " + key + " = "
                     + formatParam(value) + ".");
    RunEvent event;
    event.kind = RunEvent::Kind::Params;
    event.key = key;
    event.from = present != m_params.values().end() ? present->second : spec->defaultValue;
    event.to = value;
    event.label = changeLabel(*spec, m_params.isAuto(key) ? m_method->effective().values() : m_params.values(), value);
    return std::optional(std::move(event));
}

Result<std::optional<RunEvent>> Engine::planSwitch(const std::string &method, const std::string &inner) const
{
    const auto found = method == m_info->id ? Result<const MethodInfo *>(m_info) : methodNamed(method);
    if (!found)
        return found.error();
    const MethodInfo *const next = found.value();
    Result<std::string> resolved = innerNamed(*next, inner);
    if (!resolved)
        return resolved.error();
    // The same inner solver goes on inside the new reduction where it can.
    if (inner.empty() && std::ranges::find(next->inners, m_inner) != next->inners.end()
        && reasonAgainst(*m_problem, *next, m_inner).empty())
        resolved = m_inner;
    if (std::string reason = reasonAgainst(*m_problem, *next, resolved.value()); !reason.empty())
        return usage(std::move(reason));
    if (next == m_info && resolved.value() == m_inner)
        return std::optional<RunEvent>();
    RunEvent event;
    event.kind = RunEvent::Kind::Method;
    event.key = "method";
    event.from = m_info->id;
    event.to = next->id;
    event.inner = resolved.value();
    event.label = switchLabel(*m_info, m_inner, *next, resolved.value());
    return std::optional(std::move(event));
}

std::optional<Error> Engine::apply(const RunEvent &event)
{
    if (event.kind == RunEvent::Kind::Params) {
        const auto checked = plan(event.key, event.to);
        if (!checked)
            return checked.error();
        endStage();
        m_params.set(event.key, event.to);
        m_method->retune(m_params);
        m_state = Method::State::More;
        return std::nullopt;
    }
    const std::string *id = std::get_if<std::string>(&event.to);
    const auto checked = planSwitch(id ? *id : std::string(), event.inner);
    if (!checked)
        return checked.error();
    endStage();

    const MethodInfo *next = *id == m_info->id ? m_info : findMethod(*id);
    const std::vector<ParamSpec> specs = paramsOf(*next, event.inner);
    const bool sameLambda = next->lambda == m_info->lambda;
    ParamSet params(specs);
    for (const ParamSpec &spec : specs) {
        const auto held = m_params.values().find(spec.key);
        if (held == m_params.values().end() || (spec.key == "lambda" && !sameLambda))
            continue;
        if (checkParam(spec, held->second).empty())
            params.set(spec.key, held->second);
    }
    Handover handover = m_method->handover();
    handover.stage = m_stage;
    m_before = cost();
    m_method = next->make(m_problem, event.inner, params);
    m_method->start(handover, m_base);
    m_info = next;
    m_inner = event.inner;
    m_params = std::move(params);
    m_state = Method::State::More;
    m_boundary = ticks();
    return std::nullopt;
}

} // namespace appa
