#pragma once

#include "base/Params.h"
#include "methods/IndexStream.h"
#include "problem/Problem.h"

#include <chrono>
#include <limits>
#include <memory>
#include <optional>
#include <string>

namespace appa {

/// What has been spent. A tick is one indivisible unit of work (a few rows, a factorization's panel): between any two
/// ticks a method can be paused, changed, copied. Ticks depend on the problem alone, so they locate an event exactly.
struct Cost
{
    Index ticks = 0;
    Index steps = 0;        ///< coordinate, stochastic or full gradient steps taken
    Index accesses = 0;     ///< touches of one phi_i, full passes included; n of them are a pass
    Index fullAccesses = 0; ///< those of the accesses that SVRG-like full gradients made

    Cost &operator+=(const Cost &o)
    {
        ticks += o.ticks, steps += o.steps, accesses += o.accesses, fullAccesses += o.fullAccesses;
        return *this;
    }
    bool operator==(const Cost &) const = default;
};

/// How long a method may work before it returns: until a moment, or a number of ticks, whichever is first.
/// Where it is cut has no influence on the iterates.
class Slice
{
public:
    using Clock = std::chrono::steady_clock;

    explicit Slice(Clock::time_point until, Index ticks = std::numeric_limits<Index>::max())
        : m_until(until), m_ticks(ticks)
    {
    }
    static Slice ticks(Index count) { return Slice(Clock::time_point::max(), count); }
    static Slice milliseconds(double ms)
    {
        return Slice(Clock::now()
                     + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double, std::milli>(ms)));
    }
    Clock::time_point until() const { return m_until; }
    /// Ask before each tick.
    bool next()
    {
        if (m_ticks <= 0 || (m_until != Clock::time_point::max() && Clock::now() >= m_until))
            return false;
        --m_ticks;
        return true;
    }

private:
    Clock::time_point m_until;
    Index m_ticks;
};

/// What one method hands to the next (or to itself after a change): the point, and the dual where there is one.
struct Handover
{
    Vector x;                ///< the reported point
    std::optional<Vector> y; ///< a dual point
    Vector aty;              ///< A'y, known without a pass: lambda~ (s~ - x)
    double lambdaT = 0;      ///< that lambda~: A'y is known to about 1e-16 lambda~ |x|
    Index stage = 0;         ///< the index of the next stage (it selects the random stream)
};

/// The anatomy of the last stage, for the window's tab.
struct StageReport
{
    Index stage = 0;
    double lambda = 0;
    Vector centre;                 ///< s (for d = 2 the landscape draws it)
    std::optional<double> asked;   ///< the decrease-to-gap ratio c the oracle had to reach
    std::optional<double> reached; ///< what it reached, certified
    std::optional<double> gap;     ///< the certified gap at the stage's end
    Index accesses = 0;            ///< spent in this stage
};

/// A solver that can be advanced a tick at a time, changed between ticks, and copied: a copy is a checkpoint.
class Method
{
public:
    enum class State { More, StageEnd, Done, Failed };

    virtual ~Method() = default;
    virtual std::unique_ptr<Method> clone() const = 0;

    /// What must be known of the problem before the next `advance`, or that call computes it itself, however long it
    /// takes. The numbers are the problem's own, so when they were learnt has no influence on the iterates.
    virtual Knowledge needs() const { return Knowledge::Nothing; }
    /// Begins at `from.x`. Cheap (O(n+d)): longer preparations are ticks of `advance`.
    virtual void start(const Handover &from, std::uint64_t streamBase) = 0;
    /// Works until the slice or the stage ends: one question to the slice per tick, and the call that does a stage's
    /// last tick is the one that returns StageEnd. After StageEnd the next call begins a new stage.
    virtual State advance(Slice &slice) = 0;
    /// Live parameters changed: ends the stage, the reported point becomes the centre. O(n+d).
    virtual void retune(const ParamSet &params) = 0;

    /// The reported point; never changes the state, however often it is asked.
    virtual void point(Vector &out) const = 0;
    /// The dual that belongs to the reported point, if there is one.
    virtual std::optional<Problem::DualPoint> dual() const { return std::nullopt; }
    /// What another method can go on from, at once.
    virtual Handover handover() const = 0;

    virtual Cost cost() const = 0;          ///< since `start`
    virtual ParamSet effective() const = 0; ///< the parameters in effect, "auto" resolved to numbers
    virtual StageReport lastStage() const { return {}; }
    virtual std::string message() const { return {}; } ///< why Failed or Done
    virtual std::string warning() const { return {}; } ///< what the user should know though it goes on
    virtual std::size_t stateBytes() const = 0;        ///< what a checkpoint takes
};

} // namespace appa
