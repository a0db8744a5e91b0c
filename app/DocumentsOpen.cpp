// Sessions coming in: read in the background, one after the other.
#include "Documents.h"

#include "SharedPast.h"

#include "problem/MakeProblem.h"
#include "problem/ProblemLoader.h"
#include "run/Autosave.h"

#include <QFileInfo>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>

#include <algorithm>
#include <cmath>
#include <tuple>

namespace appa {

using namespace ui;

namespace {

/// How many of a run's changes an earlier run of the session has too: a fork's past, which is marked once.
std::size_t sharedWithEarlier(const RunRecord &run, const RunModel &model)
{
    std::size_t most = 0;
    for (const auto &other : model.runs())
        if (other->problem == run.problem)
            most = std::max(most, sharedPast(run.spec, run.trace, other->spec, other->trace));
    return most;
}

/// Is this run of a file the one that is in the window, at the same place?
bool isSame(const RunRecord &run, const SavedRun &saved)
{
    const auto placeOf = [](const Trace &trace) {
        const TracePoint last = trace.points.empty() ? TracePoint{} : trace.points.back();
        // Equal losses, or none at all: what is not a number equals nothing.
        return std::tuple(trace.points.size(), trace.events.size(), last.cost.ticks,
                          std::isfinite(last.loss) ? last.loss : 0);
    };
    return run.name.toStdString() == saved.name && run.method == saved.method && run.inner == saved.inner
        && run.spec.method == saved.spec.method && run.spec.inner == saved.spec.inner
        && run.spec.params == saved.spec.params && run.spec.seed == saved.spec.seed
        && placeOf(run.trace) == placeOf(saved.trace);
}

} // namespace

struct Documents::Opened
{
    std::optional<FileMark> file; ///< from before it was read: what is written later is not in here
    Session session;
    ProblemStatePtr problem;
    std::vector<std::unique_ptr<Run>> runs; ///< null where there is nothing to go on with
    QString warning;
};

void Documents::openSession(const QString &path)
{
    m_toRead.append(path);
    if (!m_reading.busy())
        readNext();
}

void Documents::cancel()
{
    m_toRead.clear();
    m_reading.cancel();
}

void Documents::readNext()
{
    if (m_toRead.isEmpty())
        return;
    const QString path = m_toRead.takeFirst();
    struct Here
    {
        ProblemStatePtr state;
        std::uint64_t dataHash = 0; ///< also of data that is not here
    };
    std::vector<Here> here; // the problems of the window
    const auto add = [&](const ProblemStatePtr &state) {
        if (state && std::ranges::find(here, state, &Here::state) == here.end())
            here.push_back({state, state->problem ? state->problem->data().hash : documentOf(state).known.dataHash});
    };
    add(m_controller.problem());
    for (const auto &run : m_controller.model().runs())
        add(run->problem);
    m_reading.start(
        [path, here](const Progress &progress) -> Result<std::shared_ptr<Opened>> {
            auto out = std::make_shared<Opened>();
            out->file = appa::markOf(path.toStdString());
            auto read = readSession(path.toStdString());
            if (!read.ok())
                return read.error();
            out->session = std::move(read).value();
            Session &session = out->session;
            const DataRecipe recipe = locatedBeside(session.data, path.toStdString());
            auto state = std::make_shared<ProblemState>();
            state->spec = {recipe, session.loss, session.ridge};
            state->title = titleOf(state->spec);
            DatasetPtr data;
            const auto withData = std::ranges::find_if(here, [&](const Here &other) {
                return other.state->problem && other.dataHash == session.dataHash && other.state->spec.recipe == recipe;
            });
            if (withData != here.end()) {
                data = withData->state->problem->dataPtr();
            } else if (auto loaded = loadDataset(recipe, progress); loaded.ok()) {
                data = std::move(loaded).value();
            } else {
                out->warning = QString::fromStdString(loaded.error().message);
            }
            if (data) {
                if (const std::string mismatch = dataMismatch(session, *data); !mismatch.empty()) {
                    out->warning = tr("%1: its curves are shown, but new runs would not be comparable with them.")
                                       .arg(QString::fromStdString(mismatch));
                    data.reset();
                }
            }
            if (data) {
                if (auto made = makeProblem(data, session.loss, session.ridge); made.ok()) {
                    state->title = titleOf(state->spec, data.get());
                    state->problem = std::move(made).value();
                } else {
                    out->warning = QString::fromStdString(made.error().message);
                }
            }
            const auto same = std::ranges::find_if(here, [&](const Here &other) {
                const ProblemPtr &theirs = other.state->problem;
                return other.state->spec == state->spec && !theirs == !state->problem
                    && (state->problem ? theirs->dataPtr() == state->problem->dataPtr()
                                       : other.dataHash == session.dataHash);
            });
            if (same != here.end())
                state = same->state; // the runs join those that are there
            else if (session.fOpt && !state->problem) {
                state->optimum = Optimum{};
                state->optimum->value = *session.fOpt;
                state->optimum->floor = session.fOptFloor;
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
        [this, path](const Result<std::shared_ptr<Opened>> &opened) {
            if (opened.ok()) {
                finishOpening(path, std::move(*opened.value()));
            } else {
                // Also what was thrown comes as an error, memory that does not suffice for one; it names no file.
                const QString why = QString::fromStdString(opened.error().message);
                emit failed(why.contains(path) ? why : tr("%1 was not opened: %2").arg(path, why));
            }
            readNext();
        });
}

void Documents::finishOpening(const QString &path, Opened opened)
{
    m_controller.cancelLoading(); // what was asked for last is what is shown
    const QJsonObject view = QJsonDocument::fromJson(QByteArray::fromStdString(opened.session.view)).object();
    if (!opened.problem->problem)
        opened.problem->knownRows = std::max<Index>(1, opened.session.rows);
    const auto isIts = [&](const auto &run) { return run->problem == opened.problem; };
    if (std::ranges::none_of(m_controller.model().runs(), isIts) && opened.problem != m_controller.problem())
        m_controller.adoptProblem(opened.problem);
    else if (opened.problem != m_controller.problem())
        m_controller.showProblem(opened.problem);
    std::vector<RunId> present;
    for (const auto &run : m_controller.model().runs())
        if (isIts(run))
            present.push_back(run->id);
    const bool joins = !markOf(opened.problem).empty();
    const QJsonArray looks = view.value(QStringLiteral("runs")).toArray();
    RunId chosen = 0; // the first, unless the file names one
    bool isNew = false;
    for (std::size_t i = 0; i < opened.session.runs.size(); ++i) {
        SavedRun &saved = opened.session.runs[i];
        const QJsonObject look = looks.at(static_cast<qsizetype>(i)).toObject();
        const auto noteChosen = [&](RunId id) {
            if (chosen == 0 || look.value(QStringLiteral("chosen")).toBool())
                chosen = id;
        };
        const auto there = std::ranges::find_if(present, [&](RunId id) {
            const RunRecord *run = m_controller.model().find(id);
            return run && run->isWorthKeeping() && isSame(*run, saved);
        });
        if (there != present.end()) {
            noteChosen(*there);
            continue;
        }
        isNew = true;
        RunRecord run;
        run.name = QString::fromStdString(saved.name);
        run.colour = std::max(0,
                              look.value(QStringLiteral("colour"))
                                  .toInt(m_controller.model().freeColour(saved.spec.method, opened.problem)));
        run.visible = look.value(QStringLiteral("visible")).toBool(true);
        run.stopped = look.value(QStringLiteral("stopped")).toBool();
        run.problem = opened.problem;
        run.spec = std::move(saved.spec);
        run.stop = saved.stop;
        run.measuresPerPass = saved.measuresPerPass;
        run.status = saved.status;
        run.message = QString::fromStdString(saved.message);
        run.method = saved.method;
        run.inner = saved.inner;
        run.trace = std::move(saved.trace);
        run.effective = RunController::wanted(run);
        if (!run.trace.points.empty()) {
            const TracePoint &last = run.trace.points.back();
            run.stage = last.stage;
            run.cost = last.cost;
            run.seconds = last.seconds;
            // Unless it was changed since, the stage's: "auto" is a number there. One that decreases by itself may be
            // lower by now; without the data the run goes no further, and a run that does tells itself.
            const bool changed = std::ranges::any_of(run.trace.events, [&](const RunEvent &event) {
                return event.at.ticks >= last.cost.ticks
                    && (event.kind == RunEvent::Kind::Method || event.key == "lambda");
            });
            if (!changed && last.lambda == last.lambda)
                run.effective.set("lambda", last.lambda);
        }
        run.sharedEvents = sharedWithEarlier(run, m_controller.model());
        noteChosen(m_controller.restore(std::move(run), std::move(opened.runs[i])));
    }
    if (isNew && !joins && present.size() == 1)
        m_controller.remove(present.front()); // made for the problem while it had no runs yet
    Document &document = documentOf(opened.problem);
    if (!opened.problem->problem) {
        opened.session.runs.clear();
        document.known = std::move(opened.session);
    }
    if (QFileInfo(path).absolutePath() == QFileInfo(QString::fromStdString(stateFolder())).absoluteFilePath()) {
        document.leftOvers.append(path);
        autosaveNow();
    } else {
        if (!joins) { // else what is saved next is more than this file's, and belongs to another one
            document.path = path;
            document.saved = markOf(opened.problem);
        }
        if (document.path == path) // all of it is here, then, also where it joins what was
            document.file = opened.file;
        addRecent(path);
    }
    emit this->opened(path, opened.warning, chosen);
    if (chosen > 0 && !isNew)
        emit m_controller.said(Level::Info, 0, tr("These runs are open already."));
}

} // namespace appa
