#include "Documents.h"

#include "problem/ProblemLoader.h"
#include "run/Autosave.h"

#include <QDateTime>
#include <QFileInfo>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QSettings>

#include <algorithm>

namespace appa {

using namespace ui;

namespace {

constexpr int autosaveMs = 4000;
constexpr int mostRecent = 10;

QByteArray viewText(const std::vector<const RunRecord *> &runs, Index rows)
{
    QJsonArray looks;
    for (const RunRecord *run : runs)
        looks.append(QJsonObject{{QStringLiteral("colour"), run->colour}, {QStringLiteral("visible"), run->visible}});
    return QJsonDocument(
               QJsonObject{{QStringLiteral("rows"), static_cast<qint64>(rows)}, {QStringLiteral("runs"), looks}})
        .toJson(QJsonDocument::Compact);
}

/// How many of a run's changes an earlier run of the session has too: a fork's past, which is marked once.
std::size_t sharedWithEarlier(const RunRecord &run, const RunModel &model)
{
    std::size_t most = 0;
    const auto same = [](const RunEvent &a, const RunEvent &b) {
        return a.at.ticks == b.at.ticks && a.label == b.label;
    };
    for (const auto &other : model.runs()) {
        if (other->problem != run.problem || other->spec.seed != run.spec.seed || other->spec.method != run.spec.method)
            continue;
        const auto [mine, theirs] = std::ranges::mismatch(run.trace.events, other->trace.events, same);
        most = std::max(most, static_cast<std::size_t>(mine - run.trace.events.begin()));
    }
    return most;
}

} // namespace

struct Documents::Opened
{
    Session session;
    ProblemStatePtr problem;
    std::vector<std::unique_ptr<Run>> runs; ///< null where there is nothing to go on with
    QString warning;
    QString error;
};

Documents::Documents(RunController &controller, QObject *parent) : QObject(parent), m_controller(controller)
{
    m_autosave.setInterval(autosaveMs);
    connect(&m_autosave, &QTimer::timeout, this, [this] {
        if (m_changed && !m_autosaving.busy())
            autosaveNow();
    });
    m_autosave.start();
    connect(&controller.model(), &RunModel::traceChanged, this, [this] { m_changed = true; });
    connect(&controller.model(), &RunModel::edited, this, [this] { m_changed = true; });
    connect(&controller.model(), &QAbstractItemModel::rowsRemoved, this, [this] { m_changed = true; });
}

Documents::~Documents() = default;

bool Documents::isSession(const QString &path)
{
    return path.endsWith(QLatin1String(".appa"), Qt::CaseInsensitive);
}

Session Documents::snapshot() const
{
    const ProblemStatePtr problem = m_shown ? m_shown : m_controller.problem();
    Session session;
    if (!problem)
        return session;
    session.data = problem->spec.recipe;
    session.loss = problem->spec.loss;
    session.ridge = problem->spec.ridge;
    if (problem->problem) {
        session.dataName = problem->problem->data().name;
        session.dataHash = problem->problem->data().hash;
        session.rows = problem->problem->n();
        session.columns = problem->problem->d();
        session.provenance = problem->problem->data().provenance;
    }
    if (problem->optimum && problem->optimum->attained) {
        session.fOpt = problem->optimum->value;
        session.fOptFloor = problem->optimum->floor;
    }
    std::vector<const RunRecord *> runs;
    for (const auto &run : m_controller.model().runs()) {
        if (run->problem != problem)
            continue;
        runs.push_back(run.get());
        session.runs.push_back({.name = run->name.toStdString(),
                                .spec = run->spec,
                                .stop = run->stop,
                                .measuresPerPass = 0,
                                .status = run->status == RunStatus::Running ? RunStatus::Paused : run->status,
                                .message = run->message.toStdString(),
                                .method = run->method,
                                .inner = run->inner,
                                .trace = run->trace});
    }
    session.view = viewText(runs, problem->rows()).toStdString();
    return session;
}

void Documents::save(const QString &path)
{
    m_writing.start([session = std::make_shared<Session>(snapshot()),
                     path](const Progress &) { return writeSession(path.toStdString(), *session); },
                    [this, path](const std::optional<Error> &error) {
                        if (error) {
                            emit failed(QString::fromStdString(error->message));
                            return;
                        }
                        m_path = path;
                        addRecent(path);
                        emit saved(path);
                    });
}

void Documents::autosaveNow()
{
    const bool anything =
        std::ranges::any_of(m_controller.model().runs(), [](const auto &run) { return run->hasStarted(); });
    const std::string path = autosavePath();
    if (!anything || path.empty())
        return;
    m_changed = false;
    m_autosaving.start([session = std::make_shared<Session>(snapshot()),
                        path](const Progress &) { return writeSession(path, *session, Replace::Anything); },
                       [this](const std::optional<Error> &error) {
                           if (error)
                               emit m_controller.logged(Level::Warning, 0,
                                                        tr("Autosave: %1").arg(QString::fromStdString(error->message)));
                       });
}

void Documents::removeAutosave()
{
    m_autosave.stop();
    if (const std::string path = autosavePath(); !path.empty())
        QFile::remove(QString::fromStdString(path));
}

void Documents::lookForLeftOvers()
{
    const std::vector<LeftOver> all = leftOverAutosaves();
    if (all.empty())
        return;
    const QDateTime when = QDateTime::fromSecsSinceEpoch(all.front().savedAt);
    emit foundLeftOver(QString::fromStdString(all.front().path), QLocale().toString(when, QLocale::ShortFormat));
}

void Documents::discard(const QString &leftOver)
{
    QFile::remove(leftOver);
}

void Documents::openSession(const QString &path)
{
    const ProblemStatePtr here = m_controller.problem();
    m_reading.start(
        [path, here](const Progress &progress) {
            auto out = std::make_shared<Opened>();
            auto read = readSession(path.toStdString());
            if (!read.ok()) {
                out->error = QString::fromStdString(read.error().message);
                return out;
            }
            out->session = std::move(read).value();
            Session &session = out->session;
            const DataRecipe recipe = locatedBeside(session.data, path.toStdString());
            auto state = std::make_shared<ProblemState>();
            state->spec = {recipe, session.loss, session.ridge};
            state->title = titleOf(state->spec);
            DatasetPtr data;
            if (here && here->problem && here->problem->data().hash == session.dataHash
                && here->spec.recipe == recipe) {
                data = here->problem->dataPtr();
            } else if (auto loaded = loadDataset(recipe, progress); loaded.ok()) {
                data = std::move(loaded).value();
            } else {
                out->warning = QString::fromStdString(loaded.error().message);
            }
            if (data) {
                if (const std::string mismatch = dataMismatch(session, *data); !mismatch.empty()) {
                    out->warning = QString::fromStdString(mismatch);
                    data.reset();
                }
            }
            if (data) {
                auto loss = makeLoss(session.loss, data->train.rows(), data->classes());
                if (loss.ok()) {
                    state->title = titleOf(state->spec, data.get());
                    state->problem = std::make_shared<const Problem>(data, loss.value(), session.ridge);
                } else {
                    out->warning = QString::fromStdString(loss.error().message);
                }
            }
            if (here && here->problem && state->problem && here->spec == state->spec
                && here->problem->dataPtr() == state->problem->dataPtr())
                state = here; // the same problem: the runs join those that are there
            else if (session.fOpt && !state->problem) {
                state->optimum = Optimum{};
                state->optimum->value = *session.fOpt;
            }
            out->problem = state;
            for (const SavedRun &saved : session.runs) {
                out->runs.emplace_back();
                const bool over = saved.status == RunStatus::Failed;
                if (!state->problem || over)
                    continue;
                auto made = Run::restore(state->problem, saved.spec, saved.stop, saved.measuresPerPass, saved.trace,
                                         saved.status, saved.message);
                if (made.ok())
                    out->runs.back() = std::move(made).value();
                else
                    out->warning = QString::fromStdString(made.error().message);
            }
            return out;
        },
        [this, path](const std::shared_ptr<Opened> &opened) { finishOpening(path, std::move(*opened)); });
}

void Documents::finishOpening(const QString &path, Opened opened)
{
    if (!opened.error.isEmpty()) {
        emit failed(opened.error);
        return;
    }
    const QJsonObject view = QJsonDocument::fromJson(QByteArray::fromStdString(opened.session.view)).object();
    if (!opened.problem->problem)
        opened.problem->knownRows = std::max<Index>(1, opened.session.rows);
    std::vector<RunId> idle; // made for the problem while it had no runs yet
    if (opened.problem != m_controller.problem()) {
        m_controller.adoptProblem(opened.problem);
        for (const auto &run : m_controller.model().runs())
            if (run->problem == opened.problem && !run->hasStarted())
                idle.push_back(run->id);
    }
    const QJsonArray looks = view.value(QStringLiteral("runs")).toArray();
    RunId first = 0;
    for (std::size_t i = 0; i < opened.session.runs.size(); ++i) {
        SavedRun &saved = opened.session.runs[i];
        const QJsonObject look = looks.at(static_cast<qsizetype>(i)).toObject();
        RunRecord run;
        run.name = QString::fromStdString(saved.name);
        run.colour = look.value(QStringLiteral("colour")).toInt(m_controller.model().freeColour());
        run.visible = look.value(QStringLiteral("visible")).toBool(true);
        run.problem = opened.problem;
        run.spec = std::move(saved.spec);
        run.stop = saved.stop;
        run.status = saved.status;
        run.message = QString::fromStdString(saved.message);
        run.method = saved.method;
        run.inner = saved.inner;
        run.effective = run.spec.params;
        run.trace = std::move(saved.trace);
        if (!run.trace.points.empty()) {
            const TracePoint &last = run.trace.points.back();
            run.stage = last.stage;
            run.cost = last.cost;
            run.seconds = last.seconds;
            if (last.lambda == last.lambda)
                run.effective.set("lambda", last.lambda);
        }
        run.sharedEvents = sharedWithEarlier(run, m_controller.model());
        const RunId id = m_controller.restore(std::move(run), std::move(opened.runs[i]));
        first = first > 0 ? first : id;
    }
    if (first > 0)
        for (const RunId id : idle)
            m_controller.remove(id);
    const bool recovered =
        QFileInfo(path).absolutePath() == QFileInfo(QString::fromStdString(autosavePath())).absolutePath();
    if (recovered) {
        m_changed = true;
        autosaveNow();
        QFile::remove(path);
    } else {
        m_path = path;
        addRecent(path);
    }
    emit this->opened(path, opened.warning, first);
}

QStringList Documents::recentFiles() const
{
    QStringList files = QSettings().value(QStringLiteral("recentFiles")).toStringList();
    files.removeIf([](const QString &path) { return !QFileInfo::exists(path); });
    return files;
}

void Documents::addRecent(const QString &path)
{
    QStringList files = QSettings().value(QStringLiteral("recentFiles")).toStringList();
    const QString absolute = QFileInfo(path).absoluteFilePath();
    files.removeAll(absolute);
    files.prepend(absolute);
    QSettings().setValue(QStringLiteral("recentFiles"), files.mid(0, mostRecent));
    emit recentChanged();
}

} // namespace appa
