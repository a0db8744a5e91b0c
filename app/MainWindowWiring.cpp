// Which signal goes where.
#include "MainWindow.h"

#include "Actions.h"
#include "Documents.h"

#include "charts/CurvesView.h"
#include "charts/LandscapeView.h"
#include "data/Catalogue.h"
#include "dialogs/FileQuestion.h"
#include "panels/MethodPanel.h"
#include "panels/ProblemPanel.h"
#include "runs/RunTable.h"
#include "shell/MessageBar.h"
#include "views/CurvesFeed.h"
#include "views/LogView.h"
#include "views/StageFeed.h"

#include <QFileInfo>
#include <QTabWidget>

namespace appa {

using namespace ui;

QString MainWindow::ridgeOffer()
{
    return tr("Add a ridge of 1e−5");
}

void MainWindow::connectController()
{
    RunController *c = m_controller.get();
    connect(c, &RunController::problemChanged, this, &MainWindow::problemChanged);
    const auto showLoading = [this] {
        m_problemPanel->setLoading(m_controller->isLoading() || m_documents->isReading() || m_downloader);
        refreshActions();
    };
    connect(c, &RunController::loadingChanged, this, showLoading);
    connect(c, &RunController::loadProgressed, m_problemPanel, &ProblemPanel::setProgress);
    const auto keepProblem = [this] {
        m_problemPanel->setProblem(m_controller->problem().get()); // what is shown is what is in effect
        startWhenLoaded(false);
    };
    connect(c, &RunController::loadingCancelled, this, keepProblem);
    connect(c, &RunController::loadFailed, this, [this, keepProblem](const QString &sentence) {
        keepProblem();
        const DataRecipe recipe = m_controller->loader().spec().recipe;
        const QString path = QString::fromStdString(recipe.source);
        if (m_controller->loader().error().remedies.empty() || !QFileInfo(path).isFile())
            m_messages->say(Level::Error, sentence);
        else // the dialog reads it in the same way, and has a button for each
            m_messages->offer(Level::Error, sentence, tr("Read it otherwise …"),
                              [this, path, recipe] { openData(path, &recipe); });
        if (!m_controller->problem() && recipe != defaultRecipe())
            loadFirstProblem();
    });
    connect(c, &RunController::said, this, [this](Level level, int id, const QString &sentence) {
        m_messages->say(level, sentence, id > 0 ? untilItGoesOn(id) : nullptr);
    });
    connect(c, &RunController::logged, this, [this](Level level, int id, const QString &sentence) {
        const RunRecord *run = m_controller->model().find(id);
        m_log->append(level, run ? run->name : QString(), run ? run->colour : 0, sentence);
    });
    connect(c, &RunController::runUpdated, this, [this](int id) {
        if (id == m_current)
            refreshCurrent();
        else
            refreshActions(); // it may be selected
        m_messages->review();
    });
    connect(c, &RunController::referenceChanged, this, &MainWindow::refreshCurrent);
    connect(&c->reference(), &Reference::optimumChanged, this, [this](const ProblemStatePtr &problem) {
        if (problem != m_feed->shownProblem() || !problem->optimum || problem->spec.ridge != 0
            || (problem->optimum->attained && !problem->optimum->restsOnRounding))
            return;
        m_messages->offer(Level::Warning, problem->optimumNote, ridgeOffer(), [this, spec = problem->spec]() mutable {
            spec.ridge = 1e-5;
            m_controller->setProblem(spec);
        });
    });
    connect(c, &RunController::undoChanged, this, [this] {
        refreshActions();
        m_messages->withdraw(tr("Undo")); // it is done, or is no longer the last
    });
    connect(&c->model(), &QAbstractItemModel::rowsRemoved, this, [this] {
        if (m_current > 0 && !m_controller->model().find(m_current))
            setCurrentRun(m_table->currentRun());
        refreshActions();
        m_messages->review();
        fitTable();
    });
    connect(&c->model(), &QAbstractItemModel::rowsInserted, this, [this] {
        refreshActions();
        fitTable();
    });

    Documents *d = m_documents;
    connect(d, &Documents::readingChanged, this, showLoading);
    connect(d, &Documents::progressed, m_problemPanel, &ProblemPanel::setProgress);
    connect(d, &Documents::failed, this, [this](const QString &sentence) {
        tell(Level::Error, sentence);
        if (!m_controller->problem() && !m_controller->isLoading())
            loadFirstProblem();
    });
    connect(d, &Documents::saved, this, [this](const QString &path, qsizetype others) {
        QString what = tr("Saved to %1.").arg(path);
        if (others > 0)
            what += u' '
                + (others == 1 ? tr("The run of another problem is not in there.")
                               : tr("The %1 runs of other problems are not in there.").arg(others));
        tell(Level::Info, what);
    });
    connect(d, &Documents::overtaken, this,
            [this](const QString &path, const QDateTime &when, const std::function<void()> &overwrite) {
                askToOverwrite(this, path, when, overwrite, [this] { m_actions->saveAs->trigger(); });
            });
    connect(d, &Documents::opened, this, [this](const QString &path, const QString &warning, int chosen) {
        if (chosen > 0)
            setCurrentRun(chosen);
        m_curves->fit();
        m_log->append(Level::Info, {}, 0, tr("Opened %1.").arg(path));
        if (!warning.isEmpty())
            tell(Level::Warning, warning);
    });
    connect(d, &Documents::foundLeftOvers, this, [this](const QStringList &paths, const QString &when) {
        m_messages->offer(
            Level::Info, tr("Work that was not saved (last seen %1) can be restored.").arg(when), tr("Restore"),
            [this, paths] { openFiles(paths); }, tr("Discard"), [this, paths] { m_documents->discard(paths); });
    });
    connect(d, &Documents::recentChanged, this, &MainWindow::refreshSources);
}

void MainWindow::connectPanels()
{
    RunController *c = m_controller.get();
    connect(m_problemPanel, &ProblemPanel::specEdited, c, [c](const ProblemSpec &spec) { c->setProblem(spec); });
    connect(m_problemPanel, &ProblemPanel::cancelRequested, this, [this] {
        m_controller->cancelLoading();
        m_documents->cancel();
    });
    connect(m_problemPanel, &ProblemPanel::openRequested, m_actions->open, &QAction::trigger);
    connect(m_problemPanel, &ProblemPanel::fileRequested, this, [this](const QString &path) { openData(path); });
    connect(m_problemPanel, &ProblemPanel::downloadRequested, this, &MainWindow::download);
    connect(m_methodPanel, &MethodPanel::methodPicked, this, [this](const QString &method, const QString &inner) {
        m_controller->switchMethod(m_current, method.toStdString(), inner.toStdString());
        refreshCurrent();
    });
    connect(m_methodPanel, &MethodPanel::paramEdited, c, &RunController::change);
    connect(m_methodPanel, &MethodPanel::restartRequested, m_actions->restart, &QAction::trigger);
    connect(m_table, &RunTable::currentRunChanged, this, &MainWindow::setCurrentRun);
    connect(m_table, &RunTable::selectedRunsChanged, this, &MainWindow::refreshActions);
    connect(m_curves, &CurvesView::runActivated, this, &MainWindow::setCurrentRun);
    connect(m_stageFeed, &StageFeed::landscapeChanged, this, [this](bool there) {
        if (there)
            m_tabs->setTabVisible(m_tabs->indexOf(m_landscape), true);
    });
    // Later: it may be gone for a moment only, while a run is made anew.
    const auto leaveLandscape = [this] {
        if (m_stageFeed->hasLandscape())
            return;
        if (m_tabs->currentWidget() == m_landscape)
            m_tabs->setCurrentWidget(m_curves);
        m_tabs->setTabVisible(m_tabs->indexOf(m_landscape), false);
    };
    connect(m_stageFeed, &StageFeed::landscapeChanged, this, leaveLandscape, Qt::QueuedConnection);
    connect(m_tabs, &QTabWidget::currentChanged, this, &MainWindow::refreshTheory);
    m_theoryPause.setSingleShot(true);
    m_theoryPause.setInterval(250);
    connect(&m_theoryPause, &QTimer::timeout, this, &MainWindow::refreshTheory);
}

void MainWindow::tell(Level level, const QString &sentence)
{
    m_messages->say(level, sentence);
    m_log->append(level, {}, 0, sentence);
}

} // namespace appa
