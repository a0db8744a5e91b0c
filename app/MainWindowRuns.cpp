// What the actions do to the runs.
#include "MainWindow.h"

#include "Actions.h"
#include "CommandText.h"

#include "form/LogSlider.h"
#include "form/ParamField.h"
#include "form/ParamForm.h"
#include "panels/MethodPanel.h"
#include "runs/RunTable.h"
#include "shell/MessageBar.h"
#include "views/CompareView.h"

#include <QAbstractItemView>
#include <QApplication>
#include <QClipboard>
#include <QComboBox>
#include <QEvent>
#include <QPointer>

#include <algorithm>
#include <utility>

namespace appa {

using namespace ui;

namespace {

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
        QComboBox *box = m_methodPanel->methodBox();
        QAction *shown = box->isVisible() ? nullptr : m_actions->panel; // a presentation has it always
        if (shown)
            shown->setChecked(true);
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

QList<RunId> MainWindow::chosenRuns() const
{
    if (!m_controller->model().find(m_current))
        return {};
    const QList<RunId> selected = m_table->selectedRuns();
    return selected.contains(m_current) ? selected : QList<RunId>{m_current};
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
