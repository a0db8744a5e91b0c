#include "sweep/SweepController.h"

#include <QDateTime>
#include <QDir>
#include <QRegularExpression>
#include <QStandardPaths>

namespace appa::ui {

namespace {

constexpr int pollMilliseconds = 50;

} // namespace

SweepController::SweepController(QObject *parent) : QObject(parent), m_studies(defaultStudiesFolder())
{
    m_timer.setInterval(pollMilliseconds);
    connect(&m_timer, &QTimer::timeout, this, &SweepController::poll);
}

SweepController::~SweepController() = default;

QString SweepController::defaultStudiesFolder()
{
    return QStandardPaths::writableLocation(QStandardPaths::AppDataLocation) + QStringLiteral("/studies");
}

void SweepController::setProblem(const ProblemPtr &problem, const QString &options)
{
    m_problemOptions = options;
    if (m_problem == problem)
        return;
    m_problem = problem;
    m_optimum.reset();
    m_floors.clear();
}

SweepContext SweepController::currentContext() const
{
    SweepContext context = contextOf(*m_problem);
    context.problem = m_problemOptions.toStdString();
    if (m_optimum) {
        context.optimumNote = m_optimum->message;
        if (m_optimum->known) {
            context.fOpt = m_optimum->value;
            context.floor = m_optimum->floor;
        }
    }
    return context;
}

bool SweepController::isOfCurrentProblem() const
{
    return m_problem && hasStudy() && m_table.context().sameProblem(contextOf(*m_problem));
}

void SweepController::setOptimum(const std::optional<Optimum> &optimum)
{
    m_optimum = optimum;
    if (!optimum || !isOfCurrentProblem() || m_table.hasOptimum())
        return;
    const SweepContext context = currentContext();
    m_table.setContext(context);
    if (m_disk) {
        if (const auto error = m_disk->setContext(context))
            emit failed(QString::fromStdString(error->message));
    }
    emit studyChanged();
}

void SweepController::setFloors(const std::map<double, double> &floors)
{
    if (floors == m_floors)
        return;
    m_floors = floors;
    if (isOfCurrentProblem()) {
        for (const auto &[lambda, value] : m_floors)
            m_table.setFloor(lambda, value);
        emit studyChanged();
    }
}

QString SweepController::newFolder() const
{
    if (m_studies.isEmpty())
        return {};
    const SweepContext context = contextOf(*m_problem);
    QString name = QString::fromStdString(context.dataset + "-" + context.loss);
    name.replace(QRegularExpression(QStringLiteral("[^A-Za-z0-9._-]+")), QStringLiteral("-"));
    const QString base = m_studies + QLatin1Char('/') + name.left(80) + QLatin1Char('-')
        + QDateTime::currentDateTime().toString(QStringLiteral("yyyy-MM-dd-HHmmss"));
    QString folder = base;
    for (int k = 2; QDir(folder).exists(); ++k)
        folder = base + QStringLiteral("-%1").arg(k);
    return folder;
}

QString SweepController::start(const SweepPlan &plan, int jobs)
{
    if (!m_problem)
        return tr("There is no problem yet: load a data set first.");
    if (const std::string why = plan.whyNot(*m_problem); !why.empty())
        return QString::fromStdString(why);
    m_sweep.reset();
    m_disk.reset();
    return launch(plan, jobs, newFolder(), SweepFolder::Mode::New);
}

/// Another study; what is asked of it (the target, what counts as a pass) stays as the window shows it.
void SweepController::show(SweepTable table)
{
    table.setTarget(m_table.target());
    table.setCountFullGradients(m_table.countsFullGradients());
    m_table = std::move(table);
    if (isOfCurrentProblem()) {
        for (const auto &[lambda, value] : m_floors)
            m_table.setFloor(lambda, value);
    }
}

QString SweepController::launch(const SweepPlan &plan, int jobs, const QString &folder, SweepFolder::Mode mode)
{
    SweepContext context = currentContext();
    if (!folder.isEmpty()) {
        auto opened = SweepFolder::open(folder.toStdString(), plan, context, mode);
        if (!opened)
            return QString::fromStdString(opened.error().message);
        m_disk = std::move(opened).value();
        context = m_disk->context();
    }
    m_folder = folder;
    show(SweepTable(plan, context));
    m_sweep = std::make_unique<Sweep>(m_problem, plan,
                                      Sweep::Options{.jobs = jobs, .cases = {}, .folder = m_disk, .wake = {}});
    for (SweepResult &result : m_sweep->take())
        m_table.add(std::move(result));
    emit studyChanged();
    m_sweep->start();
    m_progress = m_sweep->progress();
    m_timer.start();
    emit stateChanged();
    emit progressed();
    return {};
}

QString SweepController::open(const QString &folder)
{
    if (isActive())
        return tr("A study is under way: another one can be shown when it has ended.");
    auto study = readStudy(folder.toStdString());
    if (!study)
        return QString::fromStdString(study.error().message);
    m_sweep.reset();
    m_disk.reset();
    m_timer.stop();
    m_folder = folder;
    show(SweepTable(std::move(study).value()));
    m_progress = {};
    m_progress.runs = m_table.plan().size();
    m_progress.done = m_table.size();
    m_progress.fraction = static_cast<double>(m_progress.done) / static_cast<double>(m_progress.runs);
    m_progress.state = m_progress.done == m_progress.runs ? SweepState::Finished : SweepState::Cancelled;
    emit studyChanged();
    emit stateChanged();
    emit progressed();
    return {};
}

bool SweepController::canContinue() const
{
    return !isActive() && !m_folder.isEmpty() && isOfCurrentProblem() && m_table.size() < m_table.plan().size();
}

QString SweepController::continueStudy(int jobs)
{
    if (!canContinue())
        return tr("This study is about another problem: load its data set to go on with it.");
    m_sweep.reset(); // its folder is locked until the workers are out
    m_disk.reset();
    const SweepPlan plan = m_table.plan();
    return launch(plan, jobs, m_folder, SweepFolder::Mode::Resume);
}

bool SweepController::isActive() const
{
    return m_sweep && (m_progress.state == SweepState::Running || m_progress.state == SweepState::Paused);
}

void SweepController::pause()
{
    if (m_sweep)
        m_sweep->pause();
    poll();
}

void SweepController::resume()
{
    if (m_sweep)
        m_sweep->resume();
    poll();
}

void SweepController::cancel()
{
    if (m_sweep)
        m_sweep->cancel();
    poll();
}

void SweepController::poll()
{
    if (!m_sweep)
        return;
    // The state first: what it says is finished has been taken below.
    const SweepState before = m_progress.state;
    m_progress = m_sweep->progress();
    for (SweepResult &result : m_sweep->take()) {
        m_table.add(result);
        emit resultAdded(result);
    }
    emit progressed();
    if (!isActive())
        m_timer.stop();
    if (m_progress.state != before) {
        if (m_progress.state == SweepState::Failed)
            emit failed(QString::fromStdString(m_progress.message));
        emit stateChanged();
    }
}

} // namespace appa::ui
