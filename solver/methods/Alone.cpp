#include "methods/Alone.h"

#include "methods/CommonParams.h"

#include <algorithm>

namespace appa {

namespace {

class Alone final : public Method
{
public:
    Alone(ProblemPtr problem, const AloneSpec &spec, const ParamSet &params)
        : m_problem(std::move(problem)), m_meaning(spec.lambda), m_order(spec.order),
          m_params(params::completed(spec.params, params))
    {
        m_lambda = ridgeWeight();
        m_inner = spec.make(m_problem, innerParams());
    }
    Alone(const Alone &o)
        : m_problem(o.m_problem), m_meaning(o.m_meaning), m_order(o.m_order), m_params(o.m_params),
          m_inner(o.m_inner->clone()), m_stream(o.m_stream), m_cost(o.m_cost), m_lambda(o.m_lambda),
          m_origin(o.m_origin), m_stage(o.m_stage), m_stageStart(o.m_stageStart), m_stageAccesses(o.m_stageAccesses),
          m_inStage(o.m_inStage), m_fresh(o.m_fresh), m_last(o.m_last)
    {
    }
    std::unique_ptr<Method> clone() const override { return std::make_unique<Alone>(*this); }

    Knowledge needs() const override { return m_inner->needs(); }

    void start(const Handover &from, std::uint64_t streamBase) override
    {
        m_stream = IndexStream(m_problem->n(), params::orderOf(m_params, m_order), streamBase);
        m_cost = {};
        m_stage = from.stage;
        m_inStage = false;
        beginAt(from);
    }

    State advance(Slice &slice) override
    {
        if (!m_inStage) {
            m_stream.beginStage(m_stage);
            m_stageStart = m_inner->steps();
            m_stageAccesses = m_cost.accesses;
            m_inStage = true;
        }
        const Index stageSteps = params::stepsPerStage(m_params, m_problem->n());
        while (!m_inner->finished()) {
            const Index left = stageSteps - (m_inner->steps() - m_stageStart);
            if (left <= 0)
                return endStage(), State::StageEnd;
            if (!slice.next())
                return State::More;
            m_inner->tick(left, m_stream, m_cost);
            ++m_cost.ticks;
            if (m_fresh && (m_inner->steps() > 0 || m_inner->finished())) {
                m_fresh = false;
                m_origin = {};
            }
        }
        endStage();
        return m_inner->failed() ? State::Failed : State::Done;
    }

    void retune(const ParamSet &changes) override
    {
        const Handover from = handover();
        m_params = params::overlaid(m_params, changes);
        m_stream.setOrder(params::orderOf(m_params, m_order));
        m_stage = from.stage;
        m_inStage = false;
        m_inner->retune(innerParams());
        if (const double lambda = ridgeWeight(); lambda != m_lambda) {
            m_lambda = lambda;
            beginAt(from);
        }
    }

    void point(Vector &out) const override
    {
        if (m_fresh)
            out = m_origin.x;
        else
            m_inner->point(out);
    }

    std::optional<Problem::DualPoint> dual() const override
    {
        Problem::DualPoint dual;
        if (m_fresh || !m_inner->dual(dual.y))
            return std::nullopt;
        dual.lambdaT = m_lambda + m_problem->ridge();
        return dual;
    }

    Handover handover() const override
    {
        // Before the first step what was handed over, as it was: a lambda that is drawn down and up again would leave
        // little of a dual that is scaled at each halt.
        Handover h = m_fresh ? m_origin : m_inner->handover();
        // A stage that was begun and is left in the middle has used its random stream.
        h.stage = m_inStage && m_inner->steps() > m_stageStart ? m_stage + 1 : m_stage;
        return h;
    }

    Cost cost() const override { return m_cost; }

    ParamSet effective() const override
    {
        ParamSet all = params::overlaid(m_params, m_inner->effective());
        params::resolveOrder(all, m_order);
        if (m_meaning == LambdaMeaning::RidgeWeight)
            all.set("lambda", m_lambda);
        if (m_meaning != LambdaMeaning::StepSize)
            return all;
        ParamSet named;
        for (const auto &[key, value] : all.values())
            if (key != "step" && !(key == "lambda" && all.contains("step")))
                named.set(key, value);
        if (all.contains("step"))
            named.set("lambda", all.values().find("step")->second);
        return named;
    }

    StageReport lastStage() const override { return m_last; }
    std::string message() const override { return m_inner->message(); }
    std::string warning() const override { return m_inner->warning(); }
    std::size_t stateBytes() const override
    {
        const Index numbers = m_origin.x.size() + m_origin.aty.size() + (m_origin.y ? m_origin.y->size() : 0);
        return sizeof *this + m_inner->stateBytes()
            + static_cast<std::size_t>(numbers + m_last.centre.size()) * sizeof(double)
            + (m_stream.order() == IndexStream::Order::Permutation ? static_cast<std::size_t>(m_problem->n()) * 4 : 0);
    }

private:
    double ridgeWeight() const
    {
        if (m_meaning != LambdaMeaning::RidgeWeight)
            return 0;
        return m_params.isAuto("lambda") ? params::autoRidgeWeight(*m_problem) : m_params.real("lambda");
    }

    ParamSet innerParams() const
    {
        ParamSet own = m_params;
        if (m_meaning == LambdaMeaning::StepSize)
            own.set("step", m_params.values().find("lambda")->second);
        return own;
    }

    void beginAt(const Handover &from)
    {
        m_origin = from;
        m_fresh = true;
        m_inner->begin({.lambda = m_lambda, .centre = Vector::Zero(m_problem->dim())}, m_origin);
    }

    void endStage()
    {
        m_last.stage = m_stage;
        m_last.lambda = m_meaning == LambdaMeaning::RidgeWeight ? m_lambda : effective().real("lambda");
        m_last.accesses = m_cost.accesses - m_stageAccesses;
        ++m_stage;
        m_inStage = false;
    }

    ProblemPtr m_problem;
    LambdaMeaning m_meaning;
    IndexStream::Order m_order; ///< what "auto" means
    ParamSet m_params;
    std::unique_ptr<InnerSolver> m_inner;
    IndexStream m_stream;
    Cost m_cost;
    double m_lambda = 0; ///< of the subproblem
    Handover m_origin;   ///< what it begins with; reported until the first step
    Index m_stage = 0;
    Index m_stageStart = 0; ///< the solver's steps when the stage began
    Index m_stageAccesses = 0;
    bool m_inStage = false;
    bool m_fresh = true;
    StageReport m_last;
};

} // namespace

std::vector<ParamSpec> aloneParams(std::optional<ParamSpec> lambda, const std::vector<ParamSpec> &own)
{
    std::vector<ParamSpec> specs;
    if (lambda)
        specs.push_back(std::move(*lambda));
    specs = params::joined(std::move(specs), {params::passes(), params::order()});
    for (const ParamSpec &spec : own)
        if (spec.key != "step")
            specs = params::joined(std::move(specs), {spec});
    return specs;
}

std::unique_ptr<Method> makeAlone(const ProblemPtr &problem, const AloneSpec &spec, const ParamSet &params)
{
    return std::make_unique<Alone>(problem, spec, params);
}

} // namespace appa
