#include "run/Replay.h"

#include "base/Text.h"
#include "run/Labels.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <utility>

namespace appa {

namespace {

/// The same bits, or both not a number.
bool same(double a, double b)
{
    return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b) || (std::isnan(a) && std::isnan(b));
}

std::string firstDifference(const TracePoint &recorded, const TracePoint &now)
{
    const auto counts = [](const char *what, Index a, Index b) {
        return a == b ? std::string()
                      : std::string(what) + " " + std::to_string(a) + " recorded, " + std::to_string(b) + " now";
    };
    const auto numbers = [](const char *what, double a, double b) {
        return same(a, b) ? std::string()
                          : std::string(what) + " " + numberText(a, 17) + " recorded, " + numberText(b, 17) + " now";
    };
    for (std::string text :
         {counts("stage", recorded.stage, now.stage), counts("ticks", recorded.cost.ticks, now.cost.ticks),
          counts("steps", recorded.cost.steps, now.cost.steps),
          counts("accesses", recorded.cost.accesses, now.cost.accesses),
          counts("accesses of full gradients", recorded.cost.fullAccesses, now.cost.fullAccesses),
          numbers("loss", recorded.loss, now.loss), numbers("test error", recorded.testError, now.testError),
          numbers("gap", recorded.gap, now.gap), numbers("lambda", recorded.lambda, now.lambda)}) {
        if (!text.empty())
            return text;
    }
    return {};
}

class Replayer
{
public:
    Replayer(Engine engine, const Trace &recorded, const Progress &progress)
        : m_engine(std::move(engine)), m_recorded(recorded), m_progress(progress)
    {
    }

    Result<ReplayReport> run()
    {
        for (const TracePoint &point : m_recorded.points) {
            if (!advanceTo(point.cost.ticks))
                return m_cancelled ? Result<ReplayReport>(Error{Error::Kind::Cancelled, "The replay was cancelled."})
                                   : m_report;
            // An interrupted stage was counted just before its point was made.
            const RunEvent *next = nextEvent();
            if (point.stageEnd && next && next->at.ticks == point.cost.ticks)
                m_engine.endStage();
            compare(point);
            if (!m_report.identical)
                return m_report;
            m_progress(static_cast<double>(++m_report.points) / static_cast<double>(m_recorded.points.size()),
                       "replaying");
        }
        return m_report;
    }

private:
    const RunEvent *nextEvent() const
    {
        return m_report.events < m_recorded.events.size() ? &m_recorded.events[m_report.events] : nullptr;
    }

    void differ(std::string what)
    {
        m_report.identical = false;
        m_report.difference = std::move(what);
    }

    /// To the tick, with all changes before it. False if it cannot be reached.
    bool advanceTo(Index ticks)
    {
        while (m_engine.ticks() < ticks) {
            const RunEvent *next = nextEvent();
            if (next && next->at.ticks <= m_engine.ticks()) {
                if (auto error = m_engine.apply(*next)) {
                    differ("the change \"" + next->label + "\" cannot be made: " + error->message);
                    return false;
                }
                ++m_report.events;
                continue;
            }
            if (m_engine.ended()) {
                differ("the method ends at tick " + std::to_string(m_engine.ticks()) + ", the recorded run went on");
                return false;
            }
            if (!m_engine.problem()->learn(m_engine.missing(), m_progress)) {
                m_cancelled = true;
                return false;
            }
            const Index goal = next ? std::min(next->at.ticks, ticks) : ticks;
            Slice slice(Slice::Clock::now() + std::chrono::milliseconds(20), goal - m_engine.ticks());
            m_engine.advance(slice);
            if (m_progress.cancelled()) {
                m_cancelled = true;
                return false;
            }
        }
        return true;
    }

    void compare(const TracePoint &point)
    {
        TracePoint now = point;
        now.stage = m_engine.stage();
        now.cost = m_engine.cost();
        now.lambda = m_engine.lambda();
        // A lambda that decreases by itself: older programs wrote at a stage's end the next stage's, newer ones the one
        // that the stage used. A session that was saved again, or a run that was gone on with, has points of both.
        if (const ParamSet next = m_engine.current().effective(); point.stageEnd && next.contains("lambda")
            && !next.isAuto("lambda") && same(point.lambda, next.real("lambda")))
            now.lambda = point.lambda;
        // Points that were interrupted too often to be measured have no values to compare.
        if (!std::isnan(point.loss)) {
            Vector x;
            m_engine.current().point(x);
            const auto dual = m_engine.current().dual();
            const Measurement measured = m_engine.problem()->measure(x, dual ? &*dual : nullptr);
            now.loss = measured.loss;
            now.testError = measured.testError;
            now.gap = measured.gap.value_or(unknown);
        }
        if (std::string what = firstDifference(point, now); !what.empty())
            differ("stage " + std::to_string(point.stage) + ", tick " + std::to_string(point.cost.ticks) + ": " + what);
    }

    Engine m_engine;
    const Trace &m_recorded;
    const Progress &m_progress;
    ReplayReport m_report;
    bool m_cancelled = false;
};

} // namespace

Result<ReplayReport> replay(const ProblemPtr &problem, const RunSpec &spec, const Trace &recorded,
                            const Progress &progress)
{
    Result<Engine> engine = Engine::create(problem, spec);
    if (!engine)
        return engine.error();
    return Replayer(std::move(engine).value(), recorded, progress).run();
}

} // namespace appa
