// The run that is looked at, what shows it, and how fast the runs go.
#include "MainWindow.h"

#include "Actions.h"
#include "Documents.h"
#include "StatusLine.h"

#include "panels/MethodPanel.h"
#include "panels/NowPanel.h"
#include "runs/RunTable.h"
#include "shell/MessageBar.h"
#include "views/CurvesFeed.h"
#include "views/StageFeed.h"
#include "views/TheoryView.h"

#include <QComboBox>
#include <QTabWidget>

#include <algorithm>

namespace appa {

using namespace ui;

void MainWindow::setCurrentRun(RunId id)
{
    if (m_table->currentRun() != id) {
        m_table->setCurrentRun(id);
        if (m_table->currentRun() == id) // which called this
            return;
    }
    const bool other = id != m_current;
    m_current = id;
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

} // namespace appa
