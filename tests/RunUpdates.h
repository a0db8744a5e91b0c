#pragma once

#include "runs/RunModel.h"

/// What a Runner would say, for models without one.
namespace appa::testing {

inline ui::RunRecord record(ui::RunModel &model, const QString &name)
{
    ui::RunRecord run;
    run.id = model.nextId();
    run.engine = 100 + run.id;
    run.name = name;
    run.method = run.spec.method = "sdca";
    run.problem = std::make_shared<ui::ProblemState>();
    run.colour = model.freeColour("sdca", run.problem);
    run.problem->knownRows = 10;
    return run;
}

inline TracePoint point(Index stage, double loss)
{
    TracePoint p;
    p.stage = stage;
    p.cost.accesses = 10 * stage;
    p.cost.ticks = stage;
    p.loss = loss;
    p.testError = loss / 2;
    return p;
}

inline RunUpdate update(RunId engine, Index stage, std::size_t keep, std::vector<TracePoint> points)
{
    RunUpdate u;
    u.id = engine;
    u.status = RunStatus::Running;
    u.method = "sdca";
    u.effective.set("lambda", 1e-3);
    u.stage = stage;
    u.cost.accesses = 10 * stage;
    u.keepPoints = keep;
    u.points = std::move(points);
    return u;
}

inline StageReport report(Index stage, Vector centre)
{
    StageReport r;
    r.stage = stage;
    r.lambda = 1;
    r.centre = std::move(centre);
    return r;
}

} // namespace appa::testing
