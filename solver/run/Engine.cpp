#include "run/Engine.h"

#include "run/Labels.h"

#include <algorithm>
#include <utility>

namespace appa {

namespace {

Error usage(std::string message)
{
    return {Error::Kind::Usage, std::move(message)};
}

const ParamSpec *findSpec(const std::vector<ParamSpec> &specs, std::string_view key)
{
    const auto it = std::ranges::find(specs, key, &ParamSpec::key);
    return it == specs.end() ? nullptr : &*it;
}

std::string keysOf(const std::vector<ParamSpec> &specs)
{
    std::string list;
    for (const ParamSpec &spec : specs)
        list += (list.empty() ? "" : ", ") + spec.key;
    return list.empty() ? "none" : list;
}

/// The inner solver meant by `inner`: the method's default for "".
Result<std::string> resolveInner(const MethodInfo &info, const std::string &inner)
{
    if (info.inners.empty()) {
        if (inner.empty())
            return std::string();
        return usage(info.label + " stands alone and takes no inner solver.");
    }
    if (inner.empty())
        return info.inners.front();
    if (std::ranges::find(info.inners, inner) != info.inners.end())
        return inner;
    std::string list;
    for (const std::string &id : info.inners)
        list += (list.empty() ? "" : ", ") + id;
    return usage("\"" + inner + "\" is not an inner solver of " + info.label + ": choose one of " + list + ".");
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
    const MethodInfo *info = unlisted ? unlisted : findMethod(spec.method);
    if (!info)
        return usage("There is no method \"" + spec.method + "\".");
    Result<std::string> inner = resolveInner(*info, spec.inner);
    if (!inner)
        return inner.error();
    if (std::string reason = reasonAgainst(*problem, *info, inner.value()); !reason.empty())
        return usage(std::move(reason));

    const std::vector<ParamSpec> specs = paramsOf(*info, inner.value());
    ParamSet params(specs);
    for (const auto &[key, value] : spec.params.values()) {
        const ParamSpec *known = findSpec(specs, key);
        if (!known)
            return usage(info->label + " has no parameter \"" + key + "\"; it has " + keysOf(specs) + ".");
        if (std::string reason = checkParam(*known, value); !reason.empty())
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
    const std::vector<ParamSpec> specs = paramsOf(*m_info, m_inner);
    const ParamSpec *spec = findSpec(specs, key);
    if (!spec)
        return usage(m_info->label + " has no parameter \"" + key + "\"; it has " + keysOf(specs) + ".");
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
    const MethodInfo *next = method == m_info->id ? m_info : findMethod(method);
    if (!next)
        return usage("There is no method \"" + method + "\".");
    Result<std::string> resolved = resolveInner(*next, inner);
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
