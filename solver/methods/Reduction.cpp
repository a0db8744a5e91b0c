#include "methods/Reduction.h"

#include "methods/CommonParams.h"

#include <algorithm>
#include <cmath>

namespace appa {

namespace {

constexpr double smallestLambda = 1e-12;

} // namespace

Reduction::Reduction(ProblemPtr problem, std::string_view inner, const std::vector<ParamSpec> &specs,
                     const ParamSet &params, AutomaticLambda automaticLambda)
    : m_problem(std::move(problem)), m_automaticLambda(automaticLambda)
{
    const InnerInfo &info = *findInner(inner);
    m_params = params::completed(params::joined(specs, info.params), params);
    trustLambda();
    m_inner = info.make(m_problem, m_params);
}

Reduction::Reduction(const Reduction &o)
    : Method(o), m_x(o.m_x), m_problem(o.m_problem), m_automaticLambda(o.m_automaticLambda),
      m_inner(o.m_inner->clone()), m_params(o.m_params), m_lambda(o.m_lambda), m_highest(o.m_highest), m_wait(o.m_wait),
      m_patience(o.m_patience), m_mu(o.m_mu), m_stream(o.m_stream), m_cost(o.m_cost), m_phase(o.m_phase),
      m_sub(o.m_sub), m_from(o.m_from), m_begun(o.m_begun), m_hasPair(o.m_hasPair), m_reverted(o.m_reverted),
      m_stage(o.m_stage), m_nextCheck(o.m_nextCheck), m_stageAccesses(o.m_stageAccesses),
      m_certifiedStages(o.m_certifiedStages), m_uncertified(o.m_uncertified), m_value(o.m_value),
      m_evaluation(o.m_evaluation), m_scratch(o.m_scratch), m_scratchDual(o.m_scratchDual), m_last(o.m_last)
{
}

double Reduction::resolvedLambda() const
{
    return m_params.isAuto("lambda") ? m_automaticLambda(*m_problem) : m_params.real("lambda");
}

Knowledge Reduction::needs() const
{
    return std::max(m_inner->needs(), wantsMu() ? params::knowledgeForMu(m_params, *m_problem) : Knowledge::Nothing);
}

void Reduction::resolveMu()
{
    m_mu = params::resolvedMu(m_params, *m_problem);
}

void Reduction::start(const Handover &from, std::uint64_t streamBase)
{
    m_stream = IndexStream(m_problem->n(), params::orderOf(m_params, automaticOrder()), streamBase);
    m_cost = {};
    m_from = from;
    m_x = from.x;
    m_begun = false;
    m_hasPair = false;
    m_stage = from.stage;
    m_phase = Phase::Idle;
    m_value.reset();
    restarted();
}

void Reduction::retune(const ParamSet &changes)
{
    Handover from = handover();
    if (from.x != m_x)
        m_value.reset();
    m_x = from.x;
    m_stage = from.stage;
    m_from = std::move(from);
    m_begun = false;
    m_phase = Phase::Idle;

    const ParamSet before = m_params;
    m_params = params::overlaid(m_params, changes);
    m_stream.setOrder(params::orderOf(m_params, automaticOrder()));
    const auto changed = [&](const char *key) {
        const auto was = before.values().find(key);
        const auto is = m_params.values().find(key);
        return is != m_params.values().end() && (was == before.values().end() || was->second != is->second);
    };
    // A lambda that has been decreased by itself stays where it is until the user sets another.
    if (changed("lambda"))
        trustLambda();
    if (changed("mu"))
        m_mu.reset();
    m_inner->retune(m_params);
    restarted();
}

Method::State Reduction::advance(Slice &slice)
{
    while (slice.next()) {
        // A part of the stage's first tick: before it a change finds the last stage's end, wherever the slices lie.
        if (m_phase == Phase::Idle)
            beginStage();
        ++m_cost.ticks;
        bool ended = false;
        switch (m_phase) {
        case Phase::Start:
            if (m_evaluation.tick(*m_problem, m_cost)) {
                m_value = m_evaluation.value();
                m_phase = Phase::Solving;
            }
            break;
        case Phase::Checking:
            ended = checkTick();
            break;
        default:
            ended = solveTick();
        }
        if (ended)
            return m_inner->failed() ? State::Failed : State::StageEnd;
    }
    return State::More;
}

void Reduction::beginStage()
{
    if (wantsMu())
        resolveMu();
    m_stream.beginStage(m_stage);
    m_stageAccesses = m_cost.accesses;
    m_reverted = false;
    m_hasPair = true;
    m_sub.lambda = m_lambda;
    nextCentre(m_sub.centre);
    if (!m_begun) {
        m_inner->begin(m_sub, m_from);
        m_from = {};
        m_begun = true;
    } else if (!(keepsDual() && m_inner->recentre(m_sub))) {
        Handover at;
        at.x = m_x;
        m_inner->begin(m_sub, at);
    }
    stageBegun();
    m_nextCheck = certified() ? m_problem->n() : params::stepsPerStage(m_params, m_problem->n());
    m_phase = Phase::Solving;
    m_last = {.stage = m_stage,
              .lambda = m_lambda,
              .centre = m_sub.centre,
              .asked = {},
              .reached = {},
              .gap = {},
              .accesses = 0};
    if ((certified() || decreases()) && !m_value) {
        m_phase = Phase::Start;
        m_evaluation.begin(*m_problem, m_x, nullptr, false);
    }
}

bool Reduction::solveTick()
{
    m_inner->tick(std::max<Index>(1, m_nextCheck - m_inner->steps()), m_stream, m_cost);
    if (m_inner->steps() == 0)
        stageBegun();
    if (!m_inner->finished() && (m_inner->exact() || m_inner->steps() < m_nextCheck))
        return false;
    if (decreases() || (certified() && !m_inner->finished())) {
        beginCheck();
        return false;
    }
    candidate(m_scratch);
    endStage(m_scratch, std::nullopt);
    return true;
}

void Reduction::beginCheck()
{
    m_phase = Phase::Checking;
    candidate(m_scratch);
    const bool dual = candidateDual(m_scratchDual);
    m_evaluation.begin(*m_problem, m_scratch, dual ? &m_scratchDual : nullptr, !dual && !m_inner->finished());
}

Reduction::Check Reduction::checked() const
{
    const Vector &x = m_evaluation.x();
    Check check;
    check.value = m_evaluation.value();
    check.f = check.value + 0.5 * m_sub.lambda * (x - m_sub.centre).squaredNorm();
    check.fStart = *m_value + 0.5 * m_sub.lambda * (m_x - m_sub.centre).squaredNorm();
    // A mu that is only the Hessian's at the optimum proves nothing elsewhere.
    const double convexity = params::muIsLocal(m_params, *m_problem) ? m_problem->ridge() : mu();
    if (m_evaluation.hasDual())
        check.gap = m_evaluation.gap();
    else if (m_inner->finished())
        check.gap = 0;
    else
        check.gap = (m_evaluation.gradient() + m_sub.lambda * (x - m_sub.centre)).squaredNorm()
            / (2 * (m_sub.lambda + convexity));
    check.gained = gained(check);
    return check;
}

void Reduction::noteCheck(const Check &check)
{
    m_last.gap = check.gap;
    if (certified())
        m_last.asked = asked();
    if (check.gap > 0)
        m_last.reached = 1 + check.gained / check.gap;
}

bool Reduction::checkTick()
{
    if (!m_evaluation.tick(*m_problem, m_cost))
        return false;
    const Check check = checked();
    noteCheck(check);
    const bool accepted = (asked() - 1) * check.gap <= check.gained;
    if (certified() && !m_inner->finished() && !accepted && check.gap > 1e-15 * std::max(1.0, std::abs(check.f))) {
        const double budget = m_params.real("max-passes") * static_cast<double>(m_problem->n());
        if (static_cast<double>(m_inner->steps()) < budget) {
            m_nextCheck = m_inner->steps() + std::max(m_problem->n(), m_inner->steps() / 4);
            m_phase = Phase::Solving;
            return false;
        }
        ++m_uncertified;
    }
    // lambda is too small for such stages if one that was not solved made F larger (by more than rounding does), or
    // f_s, which is what a certified stage looks at.
    const auto isRise = [&](double rise) {
        return !(rise <= 1e-13 * std::max(1.0, std::abs(*m_value))) && !(check.gap < rise);
    };
    const bool failed =
        decreases() && (isRise(check.value - *m_value) || (certified() && isRise(check.f - check.fStart)));
    // A certified oracle never returns anything worse than it was given.
    if (failed || (certified() && !(check.f <= check.fStart))) {
        m_reverted = true;
        endStage(m_x, m_value);
        if (failed) {
            changeLambda(std::min(m_highest, m_lambda * m_params.real("decrease-factor")));
            m_wait = m_patience;
            m_patience *= 2;
        }
        return true;
    }
    const bool solved = check.gap <= m_params.real("decrease-threshold") * (*m_value - check.value);
    endStage(m_evaluation.x(), check.value);
    if (m_wait > 0)
        --m_wait;
    else if (decreases() && solved)
        changeLambda(std::max(std::min(smallestLambda, 1e-8 * m_highest), m_lambda / m_params.real("decrease-factor")));
    return true;
}

void Reduction::changeLambda(double lambda)
{
    if (lambda == m_lambda)
        return;
    m_lambda = lambda;
    m_from = handover();
    m_begun = false;
    restarted();
}

void Reduction::trustLambda()
{
    m_lambda = m_highest = resolvedLambda();
    m_wait = 0;
    m_patience = 8;
}

void Reduction::endStage(const Vector &x, std::optional<double> value)
{
    m_last.accesses = m_cost.accesses - m_stageAccesses;
    stageEnds(x);
    if (&x != &m_x)
        m_x = x;
    m_value = value;
    ++m_stage;
    m_certifiedStages += certified();
    m_phase = Phase::Idle;
}

std::string Reduction::warning() const
{
    if (m_uncertified == 0)
        return {};
    return std::to_string(m_uncertified) + " of " + std::to_string(m_certifiedStages)
        + " certified stages ended at max-passes without their certificate. "
        + (std::isinf(asked()) ? "Without a mu > 0 there is none: give a ridge, or mu itself."
                               : "A larger max-passes, or a larger lambda, would let them reach it.");
}

void Reduction::point(Vector &out) const
{
    if (m_phase == Phase::Idle || !worked())
        out = m_x;
    else
        candidate(out);
}

std::optional<Problem::DualPoint> Reduction::dual() const
{
    Problem::DualPoint dual;
    if (!m_hasPair || m_reverted || !worked() || !candidateDual(dual.y))
        return std::nullopt;
    dual.lambdaT = m_sub.lambdaT(m_problem->ridge());
    return dual;
}

Handover Reduction::handover() const
{
    Handover h = m_begun ? m_inner->handover() : m_from;
    point(h.x);
    // A stage that was begun and is left in the middle has used its random stream.
    h.stage = m_phase != Phase::Idle && worked() ? m_stage + 1 : m_stage;
    return h;
}

ParamSet Reduction::effective() const
{
    ParamSet all = params::overlaid(m_params, m_inner->effective());
    params::resolveOrder(all, automaticOrder());
    all.set("lambda", m_lambda);
    if (m_mu)
        all.set("mu", *m_mu);
    return all;
}

std::size_t Reduction::stateBytes() const
{
    const Index numbers = m_x.size() + m_sub.centre.size() + m_scratch.size() + m_scratchDual.size()
        + m_last.centre.size() + m_from.x.size() + m_from.aty.size() + (m_from.y ? m_from.y->size() : 0);
    return sizeof *this + m_inner->stateBytes() + m_evaluation.bytes()
        + static_cast<std::size_t>(numbers) * sizeof(double)
        + (m_stream.order() == IndexStream::Order::Permutation ? static_cast<std::size_t>(m_problem->n()) * 4 : 0);
}

std::vector<ParamSpec> reductionParams(ParamSpec lambda)
{
    return {std::move(lambda), params::stageRule(), params::passes(),         params::maxPasses(),        params::mu(),
            params::order(),   params::decrease(),  params::decreaseFactor(), params::decreaseThreshold()};
}

} // namespace appa
