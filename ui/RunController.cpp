#include "RunController.h"

#include "form/ParamText.h"
#include "theme/Format.h"

namespace appa::ui {

namespace {

constexpr int frameMs = 16;

/// Why the problem has not the loss that was asked for.
QString otherLossText(const ProblemState &problem)
{
    const Dataset &data = problem.problem->data();
    const QString targets = data.kind == TargetKind::Real ? RunController::tr("real targets")
        : data.kind == TargetKind::Binary                 ? RunController::tr("two classes")
                                                          : RunController::tr("%1 classes").arg(data.classes());
    return RunController::tr("%1 has %2: the loss is now %3.")
        .arg(partsOf(problem.spec, &data).front(), targets, lossLabel(problem.spec.loss).toLower());
}

} // namespace

const std::vector<ParamSpec> &runParams()
{
    static const std::vector<ParamSpec> specs{
        {.key = "stages",
         .label = "Stop after stages",
         .help = "The run ends by itself after this many stages; 0: it goes on until you stop it.",
         .type = ParamSpec::Type::Integer,
         .defaultValue = 20.0,
         .min = 0,
         .max = 1e6,
         .choices = {}},
        {.key = "seed",
         .label = "Seed",
         .help = "Of the run's random choices. The same seed, data and parameters give the same curve, bit for bit.",
         .type = ParamSpec::Type::Integer,
         .defaultValue = 1.0,
         .min = 0,
         .max = 9007199254740992.0,
         .change = ParamSpec::Change::Restart,
         .choices = {}},
    };
    return specs;
}

RunController::RunController(QObject *parent, int threads)
    : QObject(parent), m_runner(std::make_unique<Runner>(threads))
{
    m_timer.setInterval(frameMs);
    m_timer.setTimerType(Qt::PreciseTimer);
    connect(&m_timer, &QTimer::timeout, this, &RunController::take);
    // The answer to a command does not wait for the next frame.
    m_runner->setAnswered([this] { QMetaObject::invokeMethod(this, &RunController::take, Qt::QueuedConnection); });
    connect(&m_loader, &ProblemLoader::progressed, this, &RunController::loadProgressed);
    connect(&m_loader, &ProblemLoader::busyChanged, this, &RunController::loadingChanged);
    connect(&m_loader, &ProblemLoader::failed, this, [this](const QString &sentence) {
        emit logged(Level::Error, 0, sentence);
        emit loadFailed(sentence);
    });
    connect(&m_loader, &ProblemLoader::loaded, this, [this](const ProblemStatePtr &problem) {
        if (const ProblemStatePtr known = knownAs(*problem)) {
            showProblem(known);
            m_reference.tell(known);
            m_reference.want(known);
        } else {
            adoptProblem(problem);
        }
        if (problem->spec.loss == m_loader.spec().loss)
            return;
        const QString sentence = otherLossText(*problem);
        emit logged(Level::Info, 0, sentence);
        emit said(Level::Info, 0, sentence);
    });
    connect(&m_reference, &Reference::progressed, this, &RunController::referenceProgressed);
    connect(&m_reference, &Reference::optimumChanged, this, [this](const ProblemStatePtr &problem) {
        if (problem->optimum) {
            emit logged(Level::Info, 0,
                        tr("F_opt = %1, certified to %2. %3")
                            .arg(QString::number(problem->optimum->value, 'g', 12),
                                 formatNumber(problem->optimum->certificate, 2),
                                 prettyText(QString::fromStdString(problem->optimum->message))));
            if (problem->optimum->known)
                for (const auto &run : m_model.runs())
                    if (run->problem == problem && run->live)
                        m_runner->setOptimum(run->engine, problem->optimum->value);
        }
        m_model.problemChanged(problem.get());
        emit referenceChanged();
    });
    connect(&m_model, &RunModel::edited, this, [this](int id, const QString &before) {
        claim(id);
        emit logged(Level::Info, id, tr("Was “%1” before.").arg(before));
        emit runUpdated(id);
    });
    connect(&m_reference, &Reference::constantsFound, this, &RunController::referenceChanged);
    connect(&m_reference, &Reference::floorFound, this, &RunController::referenceChanged);
}

RunController::~RunController() = default;

void RunController::setProblem(const ProblemSpec &spec, LossIs loss)
{
    m_loader.load(spec, m_problem, loss);
}

void RunController::cancelLoading()
{
    if (!m_loader.busy())
        return;
    m_loader.cancel();
    emit logged(Level::Info, 0, tr("Loading cancelled."));
    emit loadingCancelled();
}

void RunController::adoptProblem(const ProblemStatePtr &problem)
{
    if (problem->problem) {
        const Problem &p = *problem->problem;
        emit logged(Level::Info, 0,
                    tr("Problem: %1; n = %2, d = %3.").arg(problem->title, formatCount(p.n()), formatCount(p.d())));
        m_reference.study(problem);
    }
    showProblem(problem);
}

ProblemStatePtr RunController::knownAs(const ProblemState &problem) const
{
    const auto isSame = [&](const ProblemStatePtr &other) {
        return other && other->problem && other->spec == problem.spec
            && other->problem->data().hash == problem.problem->data().hash;
    };
    if (isSame(m_problem))
        return m_problem;
    for (const auto &run : m_model.runs())
        if (isSame(run->problem))
            return run->problem;
    for (const Removed &removed : m_removed) // undo brings them back
        if (isSame(removed.run.problem))
            return removed.run.problem;
    return nullptr;
}

void RunController::showProblem(const ProblemStatePtr &problem)
{
    m_problem = problem;
    emit problemChanged();
}

bool RunController::isBeingMade(RunId id) const
{
    const auto build = m_builds.find(id);
    return build != m_builds.end() && build->second.work && build->second.work->busy();
}

bool RunController::canGoOn(RunId id) const
{
    const RunRecord *run = m_model.find(id);
    return run && (run->live || isBeingMade(id));
}

RunId RunController::engineOf(RunId id) const
{
    const RunRecord *run = m_model.find(id);
    return run ? run->engine : 0;
}

void RunController::resume(RunId id)
{
    const RunRecord *run = m_model.find(id);
    if (!run)
        return;
    claim(id);
    m_model.edit(id, [](RunRecord &r) { r.stopped = false; });
    if (isBeingMade(id)) {
        m_builds[id].resume = true;
        return;
    }
    if (!run->live) {
        emit said(Level::Warning, id,
                  run->status == RunStatus::Failed
                      ? tr("%1 cannot run: %2").arg(run->name, run->message)
                      : tr("%1 cannot go on: its data is not here, only its curves are.").arg(run->name));
        return;
    }
    const bool broken = run->status == RunStatus::Diverged || run->status == RunStatus::Failed;
    const bool solved = run->status == RunStatus::Finished && run->done;
    if (broken || solved)
        emit said(Level::Info, id,
                  (run->hasStarted() ? tr("%1 has ended. Restart it (Ctrl+R), step back (,) or make a new run (N).")
                                     : tr("%1 has ended. Change it, restart it (Ctrl+R) or make a new run (N)."))
                      .arg(run->name));
    if (broken)
        return;
    if (!solved && run->stop.stages > 0 && run->reached() >= run->stop.stages) {
        // At its end by the rule, which was not raised since: on for as long again.
        StopRules stop = run->stop;
        stop.stages = run->reached() + 20;
        m_model.edit(id, [&](RunRecord &r) { r.stop = stop; });
        emit logged(Level::Info, id, tr("Goes on to stage %1.").arg(stop.stages));
        m_runner->setStopRules(engineOf(id), stop);
    }
    if (!run->hasStarted())
        m_builds[id].resume = true;
    m_runner->resume(engineOf(id));
    wake();
}

void RunController::pause(RunId id)
{
    if (const RunRecord *run = m_model.find(id); run && run->isRunning())
        emit logged(Level::Info, id, tr("Paused in stage %1.").arg(run->stage + 1));
    hold(id);
}

void RunController::hold(RunId id)
{
    if (const auto build = m_builds.find(id); build != m_builds.end())
        build->second.resume = build->second.step = false;
    m_runner->pause(engineOf(id));
    wake();
}

void RunController::toggle(RunId id)
{
    const RunRecord *run = m_model.find(id);
    if (!run)
        return;
    if (run->isRunning())
        pause(id);
    else
        resume(id);
}

void RunController::stepStage(RunId id)
{
    const RunRecord *run = m_model.find(id);
    if (!run)
        return;
    claim(id);
    m_model.edit(id, [](RunRecord &r) { r.stopped = false; });
    if (isBeingMade(id)) {
        m_builds[id].step = true;
        return;
    }
    if (!run->live)
        return;
    if (!run->done && run->stop.stages > 0 && run->reached() >= run->stop.stages) {
        StopRules stop = run->stop;
        stop.stages = run->reached() + 1;
        m_model.edit(id, [&](RunRecord &r) { r.stop = stop; });
        m_runner->setStopRules(engineOf(id), stop);
    }
    if (!run->hasStarted())
        m_builds[id].step = true;
    m_runner->stepStage(engineOf(id));
    wake();
}

void RunController::stepBack(RunId id)
{
    const RunRecord *run = m_model.find(id);
    if (!run || run->trace.points.empty())
        return;
    // In the middle of a stage, back is that stage's beginning.
    const bool inside = run->cost.ticks > run->trace.points.back().cost.ticks || !run->trace.points.back().stageEnd;
    stepBackTo(id, inside ? run->reached() : run->reached() - 1);
}

void RunController::stepBackTo(RunId id, Index stage)
{
    const RunRecord *run = m_model.find(id);
    if (!run || !run->live || stage < 0)
        return;
    claim(id);
    m_runner->stepBack(engineOf(id), stage);
    emit logged(Level::Info, id, tr("Back to the end of stage %1.").arg(stage));
    wake();
}

void RunController::stop(RunId id)
{
    const RunRecord *run = m_model.find(id);
    if (!run)
        return;
    hold(id);
    m_model.edit(id, [](RunRecord &r) { r.stopped = true; });
    emit logged(Level::Info, id, tr("Stopped."));
}

void RunController::pauseAll()
{
    for (const auto &run : m_model.runs())
        if (run->isRunning())
            pause(run->id);
}

void RunController::wake()
{
    m_sinceCommand.start();
    if (!m_timer.isActive())
        m_timer.start();
}

} // namespace appa::ui
