#include "Documents.h"

#include "run/Autosave.h"

#include <QDateTime>
#include <QFileInfo>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QSettings>

#include <algorithm>
#include <cmath>
#include <utility>

namespace appa {

using namespace ui;

namespace {

constexpr int autosaveMs = 4000;
constexpr int mostRecent = 10;

QByteArray viewText(const std::vector<const RunRecord *> &runs, RunId chosen, Index rows)
{
    QJsonArray looks;
    for (const RunRecord *run : runs) {
        QJsonObject look{{QStringLiteral("colour"), run->colour},
                         {QStringLiteral("visible"), run->visible},
                         {QStringLiteral("stopped"), run->stopped}};
        if (run->id == chosen)
            look.insert(QStringLiteral("chosen"), true);
        looks.append(look);
    }
    return QJsonDocument(
               QJsonObject{{QStringLiteral("rows"), static_cast<qint64>(rows)}, {QStringLiteral("runs"), looks}})
        .toJson(QJsonDocument::Compact);
}

struct Saving
{
    bool isSaved = false;          ///< or else there is somebody else's work
    std::optional<FileMark> there; ///< what is there now
};

/// `over`: what may be replaced; empty: anything that is a session.
Result<Saving> saveOver(const std::optional<FileMark> &over, const std::string &path, const Session &session)
{
    const std::string text = sessionText(session); // may take long: what is there is looked at after it
    if (auto error = whyNotReplaced(path))
        return *error;
    if (const auto there = markOf(path); over && there && there != over)
        return Saving{.isSaved = false, .there = there};
    if (auto error = writeAtomically(path, text))
        return *error;
    return Saving{.isSaved = true, .there = markOf(path)};
}

} // namespace

Documents::Documents(RunController &controller, QObject *parent) : QObject(parent), m_controller(controller)
{
    m_autosave.setInterval(autosaveMs);
    connect(&m_autosave, &QTimer::timeout, this, &Documents::autosaveNow);
    m_autosave.start();
    connect(&m_reading, &Background::busyChanged, this, &Documents::readingChanged);
    connect(&m_reading, &Background::progressed, this, &Documents::progressed);
}

Documents::~Documents()
{
    m_autosaving.finish();
}

bool Documents::isSession(const QString &path)
{
    return path.endsWith(QLatin1String(".appa"), Qt::CaseInsensitive) || isSessionFile(path.toStdString());
}

Documents::Mark Documents::markOf(const ProblemStatePtr &problem) const
{
    Mark mark;
    for (const auto &run : m_controller.model().runs()) {
        if (run->problem != problem || !run->isWorthKeeping())
            continue;
        const Trace &trace = run->trace;
        const TracePoint last = trace.points.empty() ? TracePoint{} : trace.points.back();
        mark.push_back({.id = run->id,
                        .name = run->name,
                        .points = trace.points.size(),
                        .events = trace.events.size(),
                        .ticks = last.cost.ticks,
                        .loss = std::isfinite(last.loss) ? last.loss : 0}); // what is not a number equals nothing
    }
    return mark;
}

Session Documents::sessionOf(const Document &document) const
{
    const ProblemStatePtr shared = document.problem.lock();
    const ProblemState &problem = *shared;
    Session session = document.known;
    session.data = problem.spec.recipe;
    session.loss = problem.spec.loss;
    session.ridge = problem.spec.ridge;
    if (problem.problem) {
        const Dataset &data = problem.problem->data();
        session.dataName = data.name;
        session.dataHash = data.hash;
        session.rows = problem.problem->n();
        session.columns = problem.problem->d();
        session.provenance = data.provenance;
    }
    if (problem.optimum && problem.optimum->known) {
        session.fOpt = problem.optimum->value;
        session.fOptFloor = problem.optimum->floor;
    }
    std::vector<const RunRecord *> runs;
    for (const auto &run : m_controller.model().runs()) {
        if (run->problem.get() != &problem)
            continue;
        runs.push_back(run.get());
        session.runs.push_back({.name = run->name.toStdString(),
                                .spec = run->spec,
                                .stop = run->stop,
                                .measuresPerPass = run->measuresPerPass,
                                .status = run->status == RunStatus::Running ? RunStatus::Paused : run->status,
                                .message = run->message.toStdString(),
                                .method = run->method,
                                .inner = run->inner,
                                .trace = run->trace});
    }
    session.view = viewText(runs, m_chosen, problem.rows()).toStdString();
    return session;
}

Documents::Document &Documents::documentOf(const ProblemStatePtr &problem)
{
    const auto isIts = [&problem](const Document &document) { return document.problem.lock() == problem; };
    if (const auto known = std::ranges::find_if(m_documents, isIts); known != m_documents.end())
        return *known;
    const QString autosave = freeAutosave();
    Document &document = m_documents.emplace_back();
    document.problem = problem;
    document.autosave = autosave;
    return document;
}

/// Numbers of processes come again: what an earlier one left behind under this one's is not to be written over.
QString Documents::freeAutosave() const
{
    QString autosave;
    int number = 0;
    do
        autosave = QString::fromStdString(autosavePath(++number));
    while (!autosave.isEmpty()
           && (QFileInfo::exists(autosave)
               || std::ranges::find(m_documents, autosave, &Document::autosave) != m_documents.end()));
    return autosave;
}

QString Documents::path() const
{
    for (const Document &document : m_documents)
        if (const ProblemStatePtr problem = document.problem.lock(); problem && problem == shown())
            return document.path;
    return {};
}

QString Documents::suggestedPath() const
{
    if (const QString known = path(); !known.isEmpty() || !shown())
        return known;
    const ProblemState &problem = *shown();
    const QString name = problem.problem ? QString::fromStdString(problem.problem->data().name)
                                         : QString::fromStdString(problem.spec.recipe.source);
    // "mnist-6k" of itself, "sea.csv", "gaussians-2d:n=400".
    QString stem = QFileInfo(name.section(u':', 0, 0)).completeBaseName();
    return (stem.isEmpty() ? QStringLiteral("session") : stem) + QStringLiteral(".appa");
}

std::optional<FileMark> Documents::known(const QString &path) const
{
    const auto document = std::ranges::find(m_documents, path, &Document::path);
    return document == m_documents.end() ? std::nullopt : document->file;
}

void Documents::write(const ProblemStatePtr &problem, const QString &path, const std::optional<FileMark> &theirs)
{
    if (!problem)
        return;
    m_writing.finish(); // the older one must not be the last to arrive
    m_writing.start([session = std::make_shared<Session>(sessionOf(documentOf(problem))), path,
                     over = theirs ? theirs : known(path)](
                        const Progress &) { return saveOver(over, path.toStdString(), *session); },
                    [this, path, problem, mark = markOf(problem)](const Result<Saving> &saving) {
                        if (!saving) {
                            emit failed(QString::fromStdString(saving.error().message));
                            return;
                        }
                        const std::optional<FileMark> &there = saving.value().there;
                        if (!saving.value().isSaved) {
                            emit overtaken(path, QDateTime::fromSecsSinceEpoch(there->written.first),
                                           [this, path, problem, there] { write(problem, path, there); });
                            return;
                        }
                        for (Document &other : m_documents)
                            if (other.path == path) { // no longer in there
                                other.path.clear();
                                other.saved.clear();
                            }
                        Document &document = documentOf(problem);
                        document.path = path;
                        document.file = there;
                        document.saved = mark;
                        addRecent(path);
                        emit saved(path, std::ranges::count_if(m_controller.model().runs(), [&](const auto &run) {
                                       return run->problem != problem;
                                   }));
                    });
}

/// Of the work that is neither saved nor autosaved as it is now. Copies that are no longer needed are removed.
std::vector<Documents::Copy> Documents::dueCopies()
{
    for (const auto &run : m_controller.model().runs())
        if (run->isWorthKeeping())
            documentOf(run->problem);
    std::vector<Copy> due;
    for (Document &document : m_documents) {
        const ProblemStatePtr problem = document.problem.lock();
        Mark mark = problem ? markOf(problem) : Mark();
        if (mark.empty() || mark == document.saved) {
            if (!document.autosaved.empty())
                QFile::remove(document.autosave);
            document.autosaved.clear();
            discard(std::exchange(document.leftOvers, {}));
        } else if (mark == document.autosaved) {
            discard(std::exchange(document.leftOvers, {}));
        } else {
            if (document.autosave.isEmpty())
                document.autosave = freeAutosave();
            if (document.autosave.isEmpty())
                noteAutosaveError(document,
                                  tr("there is no folder for it: neither $XDG_STATE_HOME nor ~/.local/state "
                                     "can be written to."));
            else
                due.push_back({document.autosave, std::move(mark), sessionOf(document)});
        }
    }
    std::erase_if(m_documents, [](const Document &document) { return document.problem.expired(); });
    return due;
}

void Documents::noteCopied(const Copy &copy, const std::optional<Error> &error)
{
    const auto document = std::ranges::find(m_documents, copy.path, &Document::autosave);
    if (document == m_documents.end())
        return;
    noteAutosaveError(*document, error ? QString::fromStdString(error->message) : QString());
    if (error)
        return;
    document->autosaved = copy.mark;
    discard(std::exchange(document->leftOvers, {}));
}

void Documents::noteAutosaveError(Document &document, const QString &why)
{
    if (std::exchange(document.autosaveError, why) == why || why.isEmpty())
        return;
    const QString sentence = tr("Autosave failed: %1 Save your work yourself (Ctrl+S).").arg(why);
    emit m_controller.logged(Level::Warning, 0, sentence);
    emit m_controller.said(Level::Warning, 0, sentence);
}

void Documents::autosaveNow()
{
    if (m_autosaving.busy()) // the next one takes what this one misses
        return;
    auto due = std::make_shared<std::vector<Copy>>(dueCopies());
    if (due->empty())
        return;
    m_autosaving.start(
        [due](const Progress &) -> Result<std::vector<std::optional<Error>>> {
            std::vector<std::optional<Error>> errors;
            for (const Copy &copy : *due)
                errors.push_back(writeSession(copy.path.toStdString(), copy.session, Replace::Anything));
            return errors;
        },
        [this, due](const Result<std::vector<std::optional<Error>>> &errors) {
            for (std::size_t i = 0; i < due->size(); ++i)
                noteCopied((*due)[i], errors ? errors.value()[i] : errors.error());
        });
}

ProblemStatePtr Documents::finish()
{
    m_writing.finish();
    m_autosaving.finish();
    autosaveNow();
    m_autosaving.finish();
    for (const Document &document : m_documents) {
        ProblemStatePtr problem = document.problem.lock();
        if (const Mark mark = problem ? markOf(problem) : Mark();
            !mark.empty() && mark != document.saved && mark != document.autosaved)
            return problem;
    }
    m_autosave.stop();
    return nullptr;
}

void Documents::lookForLeftOvers()
{
    const std::vector<LeftOver> all = leftOverAutosaves();
    if (all.empty())
        return;
    // Those of the process that ended last; the newest is opened last, and thus shown.
    QStringList paths;
    for (const LeftOver &one : all)
        if (one.pid == all.front().pid)
            paths.prepend(QString::fromStdString(one.path));
    const QDateTime when = QDateTime::fromSecsSinceEpoch(all.front().savedAt);
    emit foundLeftOvers(paths, QLocale().toString(when, QLocale::ShortFormat));
}

void Documents::discard(const QStringList &leftOvers)
{
    for (const QString &path : leftOvers)
        QFile::remove(path);
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
