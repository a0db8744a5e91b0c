#pragma once

#include "methods/Registry.h"

#include <limits>
#include <new>
#include <stdexcept>

/// A method that is not in the registry, whose every move a test decides: x grows by `step` a tick, a stage has eight
/// ticks.
namespace appa::fake {

struct Plan
{
    Index failAtTick = -1;
    Index doneAtTick = -1;
    Index nanAtTick = -1;
    Index hugeAtTick = -1;
    Index throwAtTick = -1;
    Index noCloneAtTick = -1; ///< a copy made there throws
    bool throwOnRetune = false;
    Index warnFromTick = -1;
};

class Method final : public appa::Method
{
public:
    Method(ProblemPtr problem, const ParamSet &params, Plan plan)
        : m_problem(std::move(problem)), m_params(params), m_plan(plan)
    {
    }
    std::unique_ptr<appa::Method> clone() const override
    {
        if (m_cost.ticks == m_plan.noCloneAtTick)
            throw std::bad_alloc();
        return std::make_unique<Method>(*this);
    }
    void start(const Handover &from, std::uint64_t base) override
    {
        m_x = from.x;
        m_stage = from.stage;
        m_stream = IndexStream(m_problem->n(), IndexStream::Order::Random, base);
    }
    State advance(Slice &slice) override
    {
        while (slice.next()) {
            if (m_inStage == 0)
                m_stream.beginStage(m_stage);
            ++m_cost.ticks, ++m_cost.steps;
            m_cost.accesses += m_problem->n() / 8;
            m_x[m_cost.ticks % m_x.size()] += m_params.real("lambda") * (m_stream.uniform() - 0.25);
            if (m_cost.ticks == m_plan.nanAtTick)
                m_x[0] = std::numeric_limits<double>::quiet_NaN();
            if (m_cost.ticks == m_plan.hugeAtTick)
                m_x[0] = 1e30;
            if (m_cost.ticks == m_plan.throwAtTick)
                throw std::runtime_error("the plan says so");
            if (m_cost.ticks == m_plan.failAtTick)
                return State::Failed;
            if (m_cost.ticks == m_plan.doneAtTick)
                return State::Done;
            if (++m_inStage == 8) {
                m_inStage = 0;
                ++m_stage;
                return State::StageEnd;
            }
        }
        return State::More;
    }
    void retune(const ParamSet &params) override
    {
        if (m_plan.throwOnRetune)
            throw std::bad_alloc();
        m_params = params;
        if (m_inStage > 0)
            m_inStage = 0, ++m_stage;
    }
    void point(Vector &out) const override { out = m_x; }
    Handover handover() const override
    {
        Handover h;
        h.x = m_x;
        h.stage = m_stage;
        return h;
    }
    Cost cost() const override { return m_cost; }
    ParamSet effective() const override { return m_params; }
    std::string message() const override { return "The plan says so."; }
    std::string warning() const override
    {
        return m_plan.warnFromTick >= 0 && m_cost.ticks >= m_plan.warnFromTick ? "Beware." : "";
    }
    std::size_t stateBytes() const override { return sizeof *this + static_cast<std::size_t>(m_x.size()) * 8; }

private:
    ProblemPtr m_problem;
    ParamSet m_params;
    Plan m_plan;
    IndexStream m_stream;
    Vector m_x;
    Cost m_cost;
    Index m_stage = 0;
    int m_inStage = 0;
};

inline MethodInfo info(Plan plan = {})
{
    MethodInfo info;
    info.id = "fake";
    info.label = "Fake";
    info.lambda = LambdaMeaning::StepSize;
    info.params = {{.key = "lambda",
                    .label = "λ (step)",
                    .help = {},
                    .defaultValue = 0.01,
                    .min = 0,
                    .max = 10,
                    .scale = ParamSpec::Scale::Log,
                    .choices = {}},
                   {.key = "depth",
                    .label = "depth",
                    .help = {},
                    .type = ParamSpec::Type::Integer,
                    .defaultValue = 3.0,
                    .min = 1,
                    .max = 9,
                    .change = ParamSpec::Change::Restart,
                    .choices = {}}};
    info.make = [plan](const ProblemPtr &problem, std::string_view, const ParamSet &params) {
        return std::make_unique<Method>(problem, params, plan);
    };
    return info;
}

} // namespace appa::fake
