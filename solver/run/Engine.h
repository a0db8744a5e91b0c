#pragma once

#include "methods/Registry.h"
#include "run/Trace.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

namespace appa {

/// How a run is set up; with the data's recipe it is all a replay needs.
struct RunSpec
{
    std::string method = "dual-appa";
    std::string inner; ///< "": the method's default
    ParamSet params;   ///< keys left out have their defaults
    std::uint64_t seed = 1;
};

/// The deterministic heart of a run: the method under way, what it has cost, the stages counted, the changes applied.
/// It neither measures nor looks at a clock; a copy of it is a checkpoint.
class Engine
{
public:
    /// `unlisted`: a method that is not in the registry.
    static Result<Engine> create(ProblemPtr problem, const RunSpec &spec, const MethodInfo *unlisted = nullptr);
    Engine(Engine &&) = default;
    Engine &operator=(Engine &&) = default;
    Engine clone() const;

    /// Works until the slice or the stage ends. Done and Failed stay until the next event.
    Method::State advance(Slice &slice);
    /// The event that setting `key` now would be: nullopt if it changes nothing, an error if it cannot be.
    Result<std::optional<RunEvent>> plan(const std::string &key, const ParamValue &value) const;
    Result<std::optional<RunEvent>> planSwitch(const std::string &method, const std::string &inner) const;
    /// Does what the event says, at this tick. A stage under way counts as a stage (see `endStage`).
    std::optional<Error> apply(const RunEvent &event);
    /// Counts an unfinished stage as one, before it is interrupted.
    void endStage();

    const ProblemPtr &problem() const { return m_problem; }
    const Method &current() const { return *m_method; }
    const MethodInfo &info() const { return *m_info; }
    const std::string &inner() const { return m_inner; }
    const ParamSet &asked() const { return m_params; } ///< as set, "auto" not resolved
    Index stage() const { return m_stage; }
    Cost cost() const;
    Index ticks() const { return m_before.ticks + m_method->cost().ticks; }
    bool midStage() const { return ticks() > m_boundary; }
    bool ended() const { return m_state == Method::State::Done || m_state == Method::State::Failed; }
    double lambda() const; ///< see TracePoint; NaN for a method without one, or before it is found
    /// What must be known of the problem before `advance`, or that call computes it, however long it takes.
    Knowledge missing() const
    {
        const Knowledge needed = m_method->needs();
        return m_problem->knows(needed) ? Knowledge::Nothing : needed;
    }

private:
    Engine() = default;

    ProblemPtr m_problem;
    const MethodInfo *m_info = nullptr;
    std::string m_inner;
    ParamSet m_params;
    std::uint64_t m_base = 0;
    std::unique_ptr<Method> m_method;
    Method::State m_state = Method::State::More;
    Cost m_before;        ///< of the methods before this one
    Index m_stage = 0;    ///< completed, or interrupted
    Index m_boundary = 0; ///< the tick where the present stage began
};

} // namespace appa
