#pragma once

#include "FakeMethod.h"
#include "ReferenceProblems.h"

#include "run/Run.h"

#include <QTest>

#include <bit>
#include <cmath>

/// Driving runs tick by tick, and comparing what came of it.
namespace appa::testing {

using RunPtr = std::unique_ptr<Run>;

inline RunPtr made(Result<RunPtr> result)
{
    if (!result)
        qFatal("%s", result.error().message.c_str());
    return std::move(result).value();
}

inline RunPtr fakeRun(const MethodInfo &info, StopRules stop = {}, int measuresPerPass = 0)
{
    return made(Run::create(reference::sq(), info, {.method = "fake", .inner = {}, .params = {}, .seed = 7}, stop,
                            measuresPerPass));
}

/// Drives a run to its end in slices of the given numbers of ticks, over and over.
inline void finish(Run &run, std::vector<Index> slices = {1000000})
{
    for (std::size_t k = 0;; ++k) {
        Slice slice = Slice::ticks(slices[k % slices.size()]);
        if (!run.advance(slice))
            return;
        if (run.waiting())
            run.wait(Slice::Clock::time_point::max());
    }
}

/// Advances to exactly that tick.
inline void advanceTo(Run &run, Index tick)
{
    while (run.cost().ticks < tick) {
        Slice slice = Slice::ticks(tick - run.cost().ticks);
        QVERIFY(run.advance(slice));
        if (run.waiting())
            run.wait(Slice::Clock::time_point::max());
    }
}

inline bool sameBits(double a, double b)
{
    return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b) || (std::isnan(a) && std::isnan(b));
}

/// "" if two traces are the same in all but the seconds.
inline QString difference(const Trace &a, const Trace &b)
{
    if (a.points.size() != b.points.size())
        return QString("%1 points, %2 points").arg(a.points.size()).arg(b.points.size());
    for (std::size_t k = 0; k < a.points.size(); ++k) {
        const TracePoint &p = a.points[k];
        const TracePoint &q = b.points[k];
        if (p.stage != q.stage || !(p.cost == q.cost) || p.stageEnd != q.stageEnd || !sameBits(p.loss, q.loss)
            || !sameBits(p.testError, q.testError) || !sameBits(p.gap, q.gap) || !sameBits(p.lambda, q.lambda))
            return QString("point %1: stage %2 tick %3 loss %4, stage %5 tick %6 loss %7")
                .arg(k)
                .arg(p.stage)
                .arg(p.cost.ticks)
                .arg(p.loss, 0, 'g', 17)
                .arg(q.stage)
                .arg(q.cost.ticks)
                .arg(q.loss, 0, 'g', 17);
    }
    if (a.events.size() != b.events.size())
        return QString("%1 events, %2 events").arg(a.events.size()).arg(b.events.size());
    for (std::size_t k = 0; k < a.events.size(); ++k) {
        if (!(a.events[k].at == b.events[k].at) || a.events[k].stage != b.events[k].stage
            || a.events[k].label != b.events[k].label)
            return QString("event %1").arg(k);
    }
    return {};
}

#define COMPARE_TRACES(a, b) QCOMPARE(difference(a, b), QString())

inline Vector pointOf(const Run &run)
{
    Vector x;
    run.point(x);
    return x;
}

/// Another value of a live parameter than the present one, if the method has one.
inline bool changeSomething(Run &run, int round)
{
    const MethodInfo *info = findMethod(run.method());
    const double factor = round % 2 ? 0.1 : 7;
    for (const ParamSpec &spec : paramsOf(*info, run.inner())) {
        if (spec.change != ParamSpec::Change::Live || spec.type != ParamSpec::Type::Real)
            continue;
        const double now = run.effective().real(spec.key);
        const double value = std::clamp(now * factor, spec.min, spec.max);
        if (value != now && !run.change(spec.key, value))
            return true;
    }
    return false;
}

} // namespace appa::testing
