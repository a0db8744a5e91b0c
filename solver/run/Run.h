#pragma once

#include "methods/Registry.h"
#include "run/Trace.h"

#include <cstdint>
#include <deque>
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

/// When a run ends by itself; 0 or empty: never for that reason.
struct StopRules
{
    Index stages = 20;
    double passes = 0;
    double seconds = 0;
    double excessBelow = 0;
    double gapBelow = 0;
};

enum class RunStatus { Ready, Running, Paused, Finished, Diverged, Failed };

/// A steppable session of one method on one problem: deterministic, and without a thread of its own.
/// The Runner drives it in slices; the command line and the tests may drive it directly.
class Run
{
public:
    /// Measures beside the solver when given; otherwise in line (the clock stops meanwhile).
    static Result<std::unique_ptr<Run>> create(ProblemPtr problem, RunSpec spec, StopRules stop = {}, int measuresPerPass = 0);

    RunStatus status() const { return m_status; }
    const std::string &message() const { return m_message; } ///< why it finished, diverged or failed
    const Trace &trace() const { return m_trace; }
    const RunSpec &spec() const { return m_spec; }           ///< as it was created
    const Problem &problem() const { return *m_problem; }
    std::string method() const { return m_method; }          ///< in effect now
    std::string inner() const { return m_inner; }
    ParamSet effective() const;                              ///< in effect now, "auto" resolved
    Index stage() const { return m_stage; }
    Cost cost() const;
    double seconds() const { return m_seconds; }
    void point(Vector &out) const;
    StageReport lastStage() const;

    /// Works for one slice. Returns true while there is more to do.
    bool advance(Slice &slice);
    /// Works to the end of the current stage.
    void stepStage();
    /// Back to the end of stage `stage`: from the nearest checkpoint, the rest replayed. Later points and events are dropped.
    void stepBack(Index stage);
    /// Another run that has this one's history up to `stage` (nullopt: now) and goes on with the same random stream.
    std::unique_ptr<Run> fork(std::optional<Index> stage = std::nullopt) const;

    /// A live change, now: logged with its tick. An error changes nothing.
    std::optional<Error> change(const std::string &key, const ParamValue &value);
    std::optional<Error> switchMethod(const std::string &method, const std::string &inner);
    void setStopRules(const StopRules &stop);
    void setOptimum(double fOpt); ///< for `excessBelow`

private:
    Run() = default;

    ProblemPtr m_problem;
    RunSpec m_spec;
    StopRules m_stop;
    RunStatus m_status = RunStatus::Ready;
    std::string m_message;
    std::string m_method;
    std::string m_inner;
    Trace m_trace;
    Index m_stage = 0;
    double m_seconds = 0;
};

} // namespace appa
