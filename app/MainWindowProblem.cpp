// Problems and files coming in: the first one, drops, the open dialog.
#include "MainWindow.h"

#include "Actions.h"
#include "Documents.h"
#include "Download.h"
#include "LessonWiring.h"
#include "SensitivityWiring.h"

#include "charts/CurvesView.h"
#include "data/Catalogue.h"
#include "dialogs/FileQuestion.h"
#include "dialogs/OpenDialog.h"
#include "lessons/LessonPlayer.h"
#include "methods/DefaultMethod.h"
#include "panels/ProblemPanel.h"
#include "runs/RunTable.h"
#include "shell/MessageBar.h"
#include "views/CurvesFeed.h"

#include <QDragEnterEvent>
#include <QFileInfo>
#include <QMimeData>
#include <QTabWidget>

#include <algorithm>

namespace appa {

using namespace ui;

void MainWindow::begin(const QStringList &files)
{
    // A session brings its own; of a data file it is not known yet whether it will be opened.
    if (std::ranges::none_of(files, Documents::isSession))
        loadFirstProblem();
    offerUnfinishedStudies(*this);
    m_documents->lookForLeftOvers(); // its offer comes back after what the files give cause to say
    openFiles(files);
}

void MainWindow::loadFirstProblem()
{
    ProblemSpec spec;
    spec.recipe = defaultRecipe();
    m_problemPanel->setSpec(spec);
    m_controller->setProblem(spec);
}

void MainWindow::problemChanged()
{
    const ProblemStatePtr problem = m_controller->problem();
    m_problemPanel->setProblem(problem.get());
    const RunRecord *current = m_controller->model().find(m_current);
    if (current && current->problem == problem) { // chosen with its run
        refreshActions();
        return;
    }
    if (const std::string &source = problem->spec.recipe.source;
        !isNamed(source) && QFileInfo(QString::fromStdString(source)).isFile())
        m_documents->addRecent(QString::fromStdString(source));
    // Runs that never began belong to the problem that is no longer chosen.
    std::vector<RunId> idle;
    for (const auto &run : m_controller->model().runs())
        if (run->problem != problem && !run->isWorthKeeping() && !run->isRunning() && run->status != RunStatus::Failed)
            idle.push_back(run->id);
    RunSpec spec;
    StopRules stop;
    if (current && !m_lessons->hasMade(m_current)) { // a lesson's settings are not the user's choice
        spec = {current->method, current->inner, {}, current->spec.seed};
        stop.stages = current->stop.stages;
    }
    const bool leaves = current && current->isWorthKeeping();
    ensureRun(spec, stop);
    for (const RunId id : idle)
        m_controller->remove(id);
    if (leaves && !m_lessons->lesson())
        m_messages->say(Level::Info,
                        tr("Another problem: its runs have charts of their own. Choose a run in the table to go back."),
                        untilItGoesOn(m_current));
    setChartOptions();
    if (m_startsWhenLoaded) {
        startWhenLoaded(false);
        m_controller->resume(m_current);
    }
    refreshActions();
}

/// Whoever presses Space while the first data is still coming need not watch for it and press again.
void MainWindow::startWhenLoaded(bool starts)
{
    if (starts == m_startsWhenLoaded)
        return;
    m_startsWhenLoaded = starts;
    if (starts)
        m_messages->say(Level::Info, tr("Starts when the data is here. Space takes it back."),
                        [this] { return m_startsWhenLoaded; });
    else
        m_messages->review();
    refreshActions();
}

void MainWindow::ensureRun(RunSpec spec, const StopRules &stop)
{
    const ProblemStatePtr problem = m_controller->problem();
    if (!problem || !problem->problem)
        return;
    const RunRecord *current = m_controller->model().find(m_current);
    if (current && current->problem == problem)
        return;
    for (const auto &run : m_controller->model().runs())
        if (run->problem == problem) {
            setCurrentRun(run->id);
            return;
        }
    if (!whyNot(*problem->problem, spec.method, spec.inner).empty()) {
        spec = {};
        spec.method = defaultMethodFor(*problem->problem).id;
    }
    if (const RunId fresh = m_controller->create(spec, stop))
        setCurrentRun(fresh);
}

void MainWindow::openFiles(const QStringList &files)
{
    if (!files.isEmpty())
        m_messages->forget(); // what was said of those before
    for (const QString &path : files) {
        if (Documents::isSession(path))
            m_documents->openSession(path);
        else if (isLesson(path))
            openLesson(*this, *m_lessons, path);
        else
            openData(path);
    }
}

void MainWindow::openData(const QString &path, const DataRecipe *as)
{
    // Else a file called like a data set of the catalogue would be taken for that, and a session could be opened in
    // this folder only.
    auto *dialog = new OpenDialog(QFileInfo(path).absoluteFilePath(), m_theme, this);
    if (as)
        dialog->setRecipe(*as);
    connect(dialog, &OpenDialog::chosen, this, [this](const DataRecipe &recipe) {
        ProblemSpec spec = m_controller->problem() ? m_controller->problem()->spec : ProblemSpec{};
        spec.recipe = recipe;
        m_problemPanel->setSpec(spec);
        m_controller->setProblem(spec);
    });
    dialog->show();
}

void MainWindow::download(const QString &name)
{
    const std::optional<DownloadPlan> plan = downloadPlan(name);
    if (!plan)
        return;
    if (m_downloader) {
        m_messages->say(Level::Info, tr("A download is under way."));
        return;
    }
    m_downloader = new Downloader(this);
    connect(m_downloader, &Downloader::progressed, m_problemPanel, &ProblemPanel::setProgress);
    connect(m_problemPanel, &ProblemPanel::cancelRequested, m_downloader, &Downloader::cancel);
    connect(m_downloader, &Downloader::finished, this, [this, name](bool ok, const QString &message) {
        m_downloader->deleteLater();
        m_downloader = nullptr;
        m_problemPanel->setLoading(m_controller->isLoading() || m_documents->isReading());
        m_messages->say(ok ? Level::Info : Level::Warning, message);
        emit m_controller->logged(ok ? Level::Info : Level::Warning, 0, message);
        if (!ok)
            return;
        refreshSources();
        ProblemSpec spec = m_controller->problem() ? m_controller->problem()->spec : ProblemSpec{};
        spec.recipe = defaultRecipe(name.toStdString());
        m_controller->setProblem(spec);
    });
    m_problemPanel->setLoading(true);
    m_problemPanel->setProgress(0, tr("Downloading %1").arg(name));
    m_downloader->start(*plan, QString::fromStdString(downloadFolder(name.toStdString())));
}

void MainWindow::askForFile()
{
    ask(this,
        {.title = tr("Open data, a session or a lesson"),
         // LIBSVM's files, for one, have no ending.
         .filter = tr("Data, sessions and lessons (*);;Tables (*.csv *.tsv *.csv.gz *.tsv.gz);;"
                      "Sessions (*.appa);;Lessons (*.md)"),
         .folderKey = QStringLiteral("openFolder"),
         .mode = QFileDialog::ExistingFile,
         .size = {m_theme.space(112), m_theme.space(68)}}, // all columns can be read
        [this](const QString &path) { openFiles({path}); });
}

void MainWindow::dragEnterEvent(QDragEnterEvent *event)
{
    for (const QUrl &url : event->mimeData()->urls())
        if (url.isLocalFile())
            event->acceptProposedAction();
}

void MainWindow::dropEvent(QDropEvent *event)
{
    QStringList files;
    for (const QUrl &url : event->mimeData()->urls())
        if (url.isLocalFile())
            files << url.toLocalFile();
    event->acceptProposedAction();
    openFiles(files);
}

} // namespace appa
