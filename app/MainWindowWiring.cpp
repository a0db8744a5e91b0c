// Which signal goes where.
#include "MainWindow.h"

#include "Actions.h"
#include "CommandText.h"
#include "Documents.h"
#include "StatusLine.h"

#include "charts/CurvesView.h"
#include "charts/LandscapeView.h"
#include "data/Catalogue.h"
#include "form/LogSlider.h"
#include "form/ParamField.h"
#include "form/ParamForm.h"
#include "panels/MethodPanel.h"
#include "panels/NowPanel.h"
#include "panels/ProblemPanel.h"
#include "runs/RunTable.h"
#include "shell/MessageBar.h"
#include "views/CompareView.h"
#include "views/CurvesFeed.h"
#include "views/LogView.h"
#include "views/StageFeed.h"
#include "views/TheoryView.h"

#include <QAbstractItemView>
#include <QApplication>
#include <QClipboard>
#include <QComboBox>
#include <QEvent>
#include <QFileInfo>
#include <QPointer>
#include <QTabWidget>

#include <algorithm>

#include <utility>

namespace appa {

using namespace ui;

namespace {

QString ridgeOffer()
{
    return MainWindow::tr("Add a ridge of 1e−5");
}

/// Gives the focus back to where it was when a list closes, however that happens, and hides the panel again that was
/// shown for it; then its work is done.
class FocusBack final : public QObject
{
public:
    FocusBack(QWidget *before, QWidget *list, QAction *shown) : QObject(list), m_before(before), m_shown(shown)
    {
        list->installEventFilter(this);
    }

    bool eventFilter(QObject *list, QEvent *event) override
    {
        if (event->type() == QEvent::Hide) {
            list->removeEventFilter(this);
            deleteLater();
            if (m_shown)
                m_shown->setChecked(false);
            if (m_before)
                m_before->setFocus(Qt::OtherFocusReason);
        }
        return false;
    }

private:
    QPointer<QWidget> m_before;
    QPointer<QAction> m_shown; ///< what shows the panel; null: it was there
};

} // namespace

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

void MainWindow::connectRunActions()
{
    RunController *c = m_controller.get();
    Actions &a = *m_actions;
    connect(a.run, &QAction::triggered, this, [this, c] {
        if (!c->problem())
            return startWhenLoaded(!m_startsWhenLoaded);
        if (!c->model().find(m_current))
            ensureRun();
        const RunRecord *current = c->model().find(m_current);
        const bool pause = current && current->isRunning();
        const bool ended = current && current->hasEnded();
        const QList<RunId> chosen = chosenRuns();
        for (const RunId id : chosen) {
            // Of several those that are at their end go on only if the current one does so too.
            const RunRecord *run = c->model().find(id);
            const bool goesOn = !run->hasEnded() || (ended && run->status == RunStatus::Finished && !run->done);
            if (pause)
                c->pause(id);
            else if (id == m_current || goesOn)
                c->resume(id);
        }
    });
    connect(a.variant, &QAction::triggered, this, [this] {
        QAction *shown = m_actions->panel->isChecked() ? nullptr : m_actions->panel;
        m_actions->panel->setChecked(true);
        QComboBox *box = m_methodPanel->methodBox();
        QWidget *before = QApplication::focusWidget();
        box->setFocus(Qt::ShortcutFocusReason);
        box->showPopup();
        // The arrows are not to go on through the variants once one is chosen, or none.
        if (before && before != box)
            new FocusBack(before, box->view()->window(), shown);
    });
    connect(a.step, &QAction::triggered, this, [this, c] { c->stepStage(m_current); });
    connect(a.back, &QAction::triggered, this, [this, c] { c->stepBack(m_current); });
    connect(a.stop, &QAction::triggered, this, [this, c] {
        for (const RunId id : chosenRuns())
            if (const RunRecord *run = c->model().find(id); run && run->isRunning())
                c->stop(id);
    });
    connect(a.pauseAll, &QAction::triggered, c, &RunController::pauseAll);
    connect(a.restart, &QAction::triggered, this, [this, c] {
        if (const RunId fresh = c->restart(m_current))
            setCurrentRun(fresh);
    });
    connect(a.newRun, &QAction::triggered, this, [this, c] {
        const RunRecord *run = c->model().find(m_current);
        RunSpec spec;
        StopRules stop;
        if (run) {
            spec = {run->method, run->inner, RunController::wanted(*run), run->spec.seed};
            stop.stages = run->stop.stages;
        }
        if (const RunId fresh = c->create(spec, stop))
            setCurrentRun(fresh);
    });
    connect(a.fork, &QAction::triggered, this, [this, c] {
        if (const RunId fresh = c->fork(m_current)) {
            setCurrentRun(fresh);
            m_messages->say(Level::Info,
                            tr("Forked: change something, then press Space. Same point, same random stream."),
                            untilItGoesOn(fresh));
        }
    });
    connect(a.rename, &QAction::triggered, this, [this] {
        const QModelIndex index = m_table->currentIndex();
        m_actions->presentation->setChecked(false);
        m_actions->table->setChecked(true); // where the name is written
        m_table->setFocus();
        m_table->edit(index.siblingAtColumn(RunModel::Name));
    });
    connect(a.hide, &QAction::triggered, this, [this, c] {
        for (const RunId id : chosenRuns())
            if (const RunRecord *run = c->model().find(id))
                c->model().setVisible(id, !run->visible);
    });
    connect(a.solo, &QAction::triggered, this, [this, c] { c->model().solo(m_current); });
    connect(a.showAll, &QAction::triggered, this, [c] {
        for (const auto &run : c->model().runs())
            c->model().setVisible(run->id, true);
    });
    connect(a.compare, &QAction::triggered, this, [this, c] {
        const QList<RunId> chosen = m_table->selectedRuns();
        RunId left = m_current;
        RunId right = m_current;
        if (chosen.size() >= 2) {
            left = chosen[0];
            right = chosen[1];
        } else {
            for (const auto &run : c->model().runs())
                if (run->id != m_current)
                    right = run->id;
        }
        compareView().compare(left, right);
        compareView().show();
        compareView().raise();
    });
    connect(a.remove, &QAction::triggered, this, [this, c] {
        const QList<RunId> chosen = chosenRuns();
        const int kept = c->remove(chosen);
        if (!c->model().find(m_current)) {
            ensureRun();
            m_standIn = m_current;
        }
        if (kept > 0)
            m_messages->offerBriefly(chosen.size() == 1 ? tr("One run deleted.")
                                                        : tr("%1 runs deleted.").arg(chosen.size()),
                                     tr("Undo"), [this] { m_actions->undo->trigger(); });
    });
    connect(a.undo, &QAction::triggered, this, [this, c] {
        if (const RunId back = c->undo()) {
            setCurrentRun(back);
            if (const RunRecord *run = c->model().find(std::exchange(m_standIn, 0)); run && !run->isWorthKeeping())
                c->remove(run->id);
        } else {
            m_messages->say(Level::Info,
                            tr("Nothing to undo: undo brings back deleted runs. Changes are part of a run's history; "
                               "Back (,) goes before them."));
        }
    });
    const auto go = [this](int by) {
        const QModelIndex next = m_table->model()->index(m_table->currentIndex().row() + by, 0);
        if (next.isValid())
            m_table->setCurrentRun(next.data(RunModel::IdRole).toInt());
    };
    connect(a.selectAll, &QAction::triggered, m_table, &RunTable::selectAll);
    connect(a.nextRun, &QAction::triggered, this, [go] { go(1); });
    connect(a.previousRun, &QAction::triggered, this, [go] { go(-1); });
    connect(a.lambdaUp, &QAction::triggered, this, [this] { stepLambda(1); });
    connect(a.lambdaDown, &QAction::triggered, this, [this] { stepLambda(-1); });
    connect(a.lambdaDecadeUp, &QAction::triggered, this, [this] { stepLambda(10); });
    connect(a.lambdaDecadeDown, &QAction::triggered, this, [this] { stepLambda(-10); });
    connect(a.copyCommand, &QAction::triggered, this, [this] {
        if (const RunRecord *run = m_controller->model().find(m_current)) {
            QApplication::clipboard()->setText(commandText(*run));
            m_messages->say(Level::Info, tr("The command line of %1 is on the clipboard.").arg(run->name));
        }
    });
    connect(m_speed, &QComboBox::activated, this, [this] { setSpeed(m_speed->currentData().toDouble()); });
    const auto speedStep = [this](int by) {
        const int at = std::clamp(m_speed->currentIndex() + by, 0, m_speed->count() - 1);
        setSpeed(m_speed->itemData(at).toDouble());
    };
    connect(a.slower, &QAction::triggered, this, [speedStep] { speedStep(1); });
    connect(a.faster, &QAction::triggered, this, [speedStep] { speedStep(-1); });
}

std::function<bool()> MainWindow::untilItGoesOn(RunId id) const
{
    const RunRecord *run = m_controller->model().find(id);
    const bool wasRunning = run && run->isRunning();
    const bool hadEnded = run && run->hasEnded();
    const bool wasChosen = id == m_current;
    return [this, id, wasRunning, hadEnded, wasChosen] {
        const RunRecord *now = m_controller->model().find(id);
        return now && (!now->isRunning() || wasRunning) && (now->hasEnded() || !hadEnded)
            && (id == m_current || !wasChosen);
    };
}

void MainWindow::tell(Level level, const QString &sentence)
{
    m_messages->say(level, sentence);
    m_log->append(level, {}, 0, sentence);
}

void MainWindow::setSpeed(double stagesPerSecond)
{
    lendSpeed(stagesPerSecond);
    m_ownSpeed = m_controller->stagesPerSecond();
    remember();
}

void MainWindow::lendSpeed(double stagesPerSecond)
{
    int at = 0; // the fastest that is not faster than asked for
    for (int i = 1; i < m_speed->count() && stagesPerSecond > 0; ++i) {
        at = i;
        if (m_speed->itemData(i).toDouble() <= stagesPerSecond)
            break;
    }
    m_speed->setCurrentIndex(at);
    m_controller->setStagesPerSecond(m_speed->itemData(at).toDouble());
}

void MainWindow::setCurrentRun(RunId id)
{
    const bool other = id != m_current;
    m_current = id;
    if (m_table->currentRun() != id)
        m_table->setCurrentRun(id);
    const ProblemStatePtr before = m_feed->shownProblem();
    m_feed->setCurrentRun(id);
    if (m_feed->shownProblem() != before) {
        setChartOptions();
        m_messages->withdraw(ridgeOffer());
    }
    m_stageFeed->setCurrentRun(id);
    m_status->setCurrentRun(id);
    m_documents->setShown(m_feed->shownProblem(), id);
    const RunRecord *run = m_controller->model().find(id);
    if (run && run->problem) {
        setWindowTitle(tr("%1 – APPA Lab").arg(run->problem->title));
        // The run decides which problem the panel edits and new runs are made for; without its data it has none to
        // give.
        if (run->problem->problem && run->problem != m_controller->problem())
            m_controller->showProblem(run->problem);
    }
    refreshCurrent();
    m_messages->review();
    if (run && other)
        m_controller->reference().want(run->problem);
}

QList<RunId> MainWindow::chosenRuns() const
{
    if (!m_controller->model().find(m_current))
        return {};
    const QList<RunId> selected = m_table->selectedRuns();
    return selected.contains(m_current) ? selected : QList<RunId>{m_current};
}

void MainWindow::refreshCurrent()
{
    const RunRecord *run = m_controller->model().find(m_current);
    m_methodPanel->setRun(run);
    m_now->setRun(run);
    refreshActions();
    if (!m_theoryPause.isActive())
        m_theoryPause.start();
}

void MainWindow::refreshTheory()
{
    if (m_tabs->currentWidget() == m_theory)
        m_theory->showFor(m_feed->shownProblem().get(), m_controller->model().find(m_current));
}

void MainWindow::refreshActions()
{
    const RunRecord *run = m_controller->model().find(m_current);
    Actions &a = *m_actions;
    a.setRunning((run && run->isRunning()) || m_startsWhenLoaded);
    a.run->setEnabled(m_controller->problem() || m_controller->isLoading());
    a.newRun->setEnabled(m_controller->problem() && m_controller->problem()->problem);
    const auto isRunning = [this](RunId id) {
        const RunRecord *one = m_controller->model().find(id);
        return one && one->isRunning();
    };
    a.stop->setEnabled(std::ranges::any_of(chosenRuns(), isRunning));
    a.step->setEnabled(m_controller->canGoOn(m_current) && run->status != RunStatus::Diverged
                       && run->status != RunStatus::Failed);
    a.back->setEnabled(run && run->live && run->hasStarted());
    a.fork->setEnabled(run && run->live && run->hasStarted());
    a.restart->setEnabled(run && run->problem->problem && (run->isWorthKeeping() || run->status == RunStatus::Failed));
    for (QAction *action : {a.rename, a.hide, a.solo, a.remove, a.copyCommand})
        action->setEnabled(run != nullptr);
    a.compare->setEnabled(m_controller->model().rowCount() > 1);
    a.save->setEnabled(run != nullptr);
    a.saveAs->setEnabled(run != nullptr);
}

void MainWindow::stepLambda(int tenths)
{
    for (const ParamSpec &spec : m_methodPanel->form()->specs())
        if (ParamField *field = m_methodPanel->form()->field(QString::fromStdString(spec.key));
            field && field->slider()) {
            field->stepBy(tenths);
            return;
        }
}

} // namespace appa
