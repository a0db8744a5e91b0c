// What keys, panels and undo do to which run, also in the moments between two answers of the Runner.
#include "Actions.h"
#include "Documents.h"
#include "StatusLine.h"
#include "WindowTest.h"

#include "charts/LandscapeView.h"
#include "form/LogSlider.h"
#include "panels/ProblemPanel.h"
#include "problem/Reference.h"
#include "runs/RunTable.h"
#include "shell/MessageBar.h"
#include "views/LogView.h"

#include <QFile>
#include <QLineEdit>
#include <QPushButton>
#include <QSignalSpy>
#include <QTabBar>
#include <QTabWidget>
#include <QToolButton>

using namespace appa;
using namespace appa::ui;

class TestRuns : public WindowTest
{
    Q_OBJECT

    MessageBar &messages() { return m_window->messages(); }
    /// What the Runner tells of a run that was opened, before its first stage is recomputed.
    void recomputing(RunId id)
    {
        const RunRecord &known = run(id);
        RunUpdate update;
        update.id = known.engine;
        update.status = known.status;
        update.method = known.method;
        update.inner = known.inner;
        update.effective = known.effective;
        update.seconds = known.seconds;
        update.catchingUp = true;
        update.keepPoints = known.trace.points.size();
        update.keepEvents = known.trace.events.size();
        controller().model().apply(update);
    }
    bool undoOffered() { return messages().isVisible() && messages().actionButton()->isVisible(); }

private slots:
    void init() { openWindow(); }
    void cleanup() { closeWindow(); }

    void spaceActsOnTheRunShownWhateverItsProblem()
    {
        const RunId first = stepped();
        load(otherProblem());
        const RunId other = m_window->currentRun();
        controller().change(first, QStringLiteral("stages"), 0.0);
        m_window->table().setCurrentRun(first);
        QCOMPARE(m_window->currentRun(), first);
        press(Qt::Key_Space);
        QTRY_COMPARE(run(first).status, RunStatus::Running);
        QCOMPARE(m_window->currentRun(), first);
        press(Qt::Key_Space);
        QTRY_COMPARE(run(first).status, RunStatus::Paused);
        QCOMPARE(run(other).status, RunStatus::Ready);
    }

    void theProblemIsThatOfTheRunChosen()
    {
        const RunId first = stepped();
        const ProblemStatePtr small = run(first).problem;
        load(otherProblem());
        const RunId second = stepped();
        const ProblemStatePtr other = run(second).problem;
        const std::size_t runs = controller().model().runs().size();
        QSignalSpy edited(&m_window->problemPanel(), &ProblemPanel::specEdited);
        m_window->problemPanel().ridgeField()->stepBy(1); // waits, and is forgotten with the problem it was made to
        m_window->table().setCurrentRun(first);
        QCOMPARE(controller().problem(), small);
        QCOMPARE(m_window->problemPanel().spec(), smallProblem());
        press(Qt::Key_N);
        QVERIFY(m_window->currentRun() != first);
        QCOMPARE(current().problem, small);
        m_window->table().setCurrentRun(second); // the new run never began: it stays all the same
        QCOMPARE(m_window->problemPanel().spec(), otherProblem());
        QCOMPARE(controller().problem(), other);
        QCOMPARE(controller().model().runs().size(), runs + 1);
        QVERIFY(!edited.wait(500));
    }

    void aRunWithoutItsDataLeavesTheProblemAsItIs()
    {
        const ProblemStatePtr problem = controller().problem();
        RunRecord gone;
        gone.problem = std::make_shared<ProblemState>();
        gone.problem->spec = otherProblem();
        gone.problem->knownRows = 1;
        const RunId id = controller().restore(std::move(gone), nullptr);
        m_window->setCurrentRun(id);
        QCOMPARE(m_window->currentRun(), id);
        QCOMPARE(controller().problem(), problem);
        QCOMPARE(m_window->problemPanel().spec(), smallProblem());
    }

    void aProblemThatIsMadeAgainIsTheOneThatIsThere()
    {
        const RunId first = stepped();
        const ProblemStatePtr small = run(first).problem;
        load(otherProblem());
        QVERIFY(controller().problem() != small);
        load(smallProblem());
        QCOMPARE(controller().problem(), small);
        press(Qt::Key_N);
        QVERIFY(m_window->currentRun() != first);
        QCOMPARE(run(m_window->currentRun()).problem, small);
        // So it is where only a run that can be had back still has it.
        load(otherProblem());
        const ProblemStatePtr other = controller().problem();
        const RunId third = stepped();
        load(smallProblem());
        m_window->table().setCurrentRun(third);
        m_window->actions().remove->trigger();
        load(smallProblem());
        load(otherProblem());
        QCOMPARE(controller().problem(), other);
    }

    void theOfferOfARidgeBelongsToItsProblem()
    {
        const RunId first = stepped();
        ProblemSpec separable;
        separable.recipe.source = "gaussians-2d:n=40,separation=50,seed=1";
        separable.loss = "logistic";
        load(separable);
        const auto offered = [this] { return messages().text().contains(QStringLiteral("separated")); };
        QTRY_VERIFY(offered());
        m_window->setCurrentRun(first);
        QVERIFY(!offered());
        load(separable);
        QTRY_VERIFY(offered());
        messages().hide(); // answered: what is found out later is no reason to say it again
        emit controller().referenceChanged();
        QVERIFY(!offered());
        load(smallProblem());
        load(separable);
        QTRY_VERIFY(offered());
        messages().actionButton()->click();
        separable.ridge = 1e-5;
        QTRY_VERIFY(controller().problem()->spec == separable);
    }

    void deletingARunStaysWithTheRunsBesideIt()
    {
        const RunId first = stepped();
        press(Qt::Key_N);
        const RunId second = stepped();
        load(otherProblem());
        m_window->table().setCurrentRun(first);
        m_window->actions().remove->trigger();
        QCOMPARE(m_window->currentRun(), second);
    }

    void deletesWithUndo()
    {
        const RunId id = m_window->currentRun();
        press(Qt::Key_Period);
        QTRY_COMPARE(run(id).trace.points.size(), std::size_t(2));
        m_window->table().setCurrentRun(id);
        m_window->actions().remove->trigger();
        QVERIFY(!controller().model().find(id));
        QVERIFY(m_window->currentRun() > 0); // there is always something to run
        m_window->actions().undo->trigger();
        QTRY_VERIFY(controller().model().find(id));
        QCOMPARE(run(id).trace.points.size(), std::size_t(2));
        QCOMPARE(m_window->currentRun(), id);
        QVERIFY(drawn(id) > 0);
        QCOMPARE(controller().model().rowCount(), 1); // what stood in for it is gone
    }

    void spaceRunsAndPausesAllThatIsSelected()
    {
        press(Qt::Key_N);
        press(Qt::Key_N);
        for (const auto &one : controller().model().runs())
            controller().change(one->id, QStringLiteral("stages"), 1e6);
        m_window->curves().setFocus();
        press(Qt::Key_A, Qt::ControlModifier);
        QCOMPARE(m_window->table().selectedRuns().size(), 3);
        const auto all = [this](RunStatus status) {
            return std::ranges::all_of(controller().model().runs(),
                                       [status](const auto &one) { return one->status == status; });
        };
        press(Qt::Key_Space);
        QTRY_VERIFY(all(RunStatus::Running));
        press(Qt::Key_Space);
        QTRY_VERIFY(all(RunStatus::Paused));
        m_window->table().setCurrentRun(m_window->table().selectedRuns().front());
        m_window->table().clearSelection(); // the current one all the same
        press(Qt::Key_Space);
        QTRY_VERIFY(current().isRunning());
        QVERIFY(!all(RunStatus::Running));
        press(Qt::Key_Space);
        QTRY_VERIFY(all(RunStatus::Paused));
    }

    void stopEndsWhateverOfTheSelectedRuns()
    {
        const RunId rests = stepped();
        press(Qt::Key_N);
        const RunId runs = m_window->currentRun();
        controller().change(runs, QStringLiteral("stages"), 0.0);
        m_window->setCurrentRun(rests);
        controller().resume(runs);
        QTRY_COMPARE(run(runs).status, RunStatus::Running);
        QVERIFY(!m_window->actions().stop->isEnabled());
        m_window->table().selectAll();
        QCOMPARE(m_window->currentRun(), rests);
        QVERIFY(m_window->actions().stop->isEnabled());
        m_window->actions().stop->trigger();
        QTRY_COMPARE(run(runs).status, RunStatus::Paused);
        QVERIFY(run(runs).stopped);
        QTRY_VERIFY(!m_window->actions().stop->isEnabled());
    }

    void theGapIsThatOfTheMethodInEffect()
    {
        const RunId id = stepped();
        QVERIFY(std::isfinite(gapOf(run(id))));
        const QString ofStage = gapLabel(run(id));
        controller().switchMethod(id, "sdca", "");
        QTRY_COMPARE(run(id).method, std::string("sdca"));
        QVERIFY(std::isnan(gapOf(run(id)))); // what was measured belongs to the stage before
        QVERIFY(gapLabel(run(id)) != ofStage);
        stepped();
        QVERIFY(std::isfinite(gapOf(run(id))));
        controller().switchMethod(id, "svrg", "");
        QTRY_COMPARE(run(id).method, std::string("svrg"));
        QVERIFY(std::isnan(gapOf(run(id))));
    }

    void vChoosesTheVariant()
    {
        QVERIFY(QTest::qWaitForWindowActive(m_window.get()));
        m_window->table().setFocus();
        press(Qt::Key_V);
        QTRY_VERIFY(QApplication::activePopupWidget());
        QTest::keyClicks(QApplication::focusWidget(), QStringLiteral("SDCA"));
        QTest::keyClick(QApplication::focusWidget(), Qt::Key_Return);
        QTRY_COMPARE(current().method, std::string("sdca"));
        QCOMPARE(QApplication::focusWidget(), &m_window->table());
        // A panel that was shown for it alone goes again: in a presentation the charts keep their place.
        m_window->actions().panel->setChecked(false);
        press(Qt::Key_V);
        QTRY_VERIFY(QApplication::activePopupWidget());
        QTest::keyClick(QApplication::focusWidget(), Qt::Key_Up);
        QTest::keyClick(QApplication::focusWidget(), Qt::Key_Return);
        QTRY_VERIFY(current().method != "sdca");
        QVERIFY(!m_window->actions().panel->isChecked());
    }

    void aPresentationSaysWhichVariantRunsAndChangesItInPlace()
    {
        QVERIFY(QTest::qWaitForWindowActive(m_window.get()));
        m_window->actions().panel->setChecked(true);
        m_window->actions().presentation->setChecked(true);
        QComboBox *box = m_window->methodPanel().methodBox();
        QVERIFY(box->isVisible());
        QVERIFY(!m_window->methodPanel().innerBox()->isVisible());
        QTRY_COMPARE(box->fontMetrics().elidedText(box->currentText(), Qt::ElideMiddle, box->width()),
                     box->currentText());
        const QPoint charts = m_window->curves().mapTo(m_window.get(), QPoint());
        press(Qt::Key_V);
        QTRY_VERIFY(QApplication::activePopupWidget());
        QCoreApplication::processEvents();
        QCOMPARE(m_window->curves().mapTo(m_window.get(), QPoint()), charts);
        QTest::keyClicks(QApplication::focusWidget(), QStringLiteral("SDCA"));
        QTest::keyClick(QApplication::focusWidget(), Qt::Key_Return);
        QTRY_COMPARE(current().method, std::string("sdca"));
        m_window->actions().presentation->setChecked(false);
        QVERIFY(m_window->actions().panel->isChecked());
    }

    void aListOfVariantsClosedWithoutAChoiceGivesTheFocusBackAtOnce()
    {
        QVERIFY(QTest::qWaitForWindowActive(m_window.get()));
        m_window->table().setFocus();
        press(Qt::Key_V);
        QTRY_VERIFY(QApplication::activePopupWidget());
        QTest::keyClick(QApplication::focusWidget(), Qt::Key_Escape);
        QTRY_VERIFY(!QApplication::activePopupWidget());
        QCOMPARE(QApplication::focusWidget(), &m_window->table());
        QComboBox *box = m_window->methodPanel().methodBox();
        box->setFocus();
        pickMethod("sdca"); // by the mouse: the focus is where that put it
        QTRY_COMPARE(current().method, std::string("sdca"));
        QCOMPARE(QApplication::focusWidget(), box);
    }

    void withoutDataAndRunsTheKeysDoNothing()
    {
        auto gone = std::make_shared<ProblemState>();
        gone->spec = otherProblem();
        controller().adoptProblem(gone);
        controller().remove(m_window->currentRun());
        QVERIFY(!controller().model().find(m_window->currentRun()));
        m_window->actions().run->trigger();
        m_window->actions().stop->setEnabled(true);
        m_window->actions().stop->trigger();
        QCOMPARE(controller().model().rowCount(), 0);
    }

    void aForkSteppedBackIntoItsPastMarksAndLogsItsOwnChanges()
    {
        const RunId parent = stepped();
        controller().change(parent, QStringLiteral("lambda"), 0.5);
        QTRY_COMPARE(run(parent).trace.events.size(), std::size_t(1));
        stepped();
        press(Qt::Key_F);
        const RunId child = m_window->currentRun();
        QTRY_COMPARE(run(child).trace.events.size(), std::size_t(1));
        controller().stepBack(child);
        QTRY_COMPARE(run(child).stage, Index(1));
        controller().stepBack(child);
        QTRY_COMPARE(run(child).stage, Index(0));
        QTRY_COMPARE(run(child).trace.events.size(), std::size_t(0));
        stepped();
        controller().change(child, QStringLiteral("lambda"), 0.25);
        QTRY_COMPARE(run(child).trace.events.size(), std::size_t(1));
        m_window->curves().flush();
        const auto &curves = m_window->curves().data().curves;
        QCOMPARE(std::ranges::find(curves, child, &Curve::runId)->events.size(), std::size_t(1));
        QVERIFY2(m_window->log().text().contains(QStringLiteral("0.25")), qPrintable(m_window->log().text()));
    }

    void backTakesOneStageOfARunThatIsBeingRecomputed()
    {
        for (int stage = 1; stage < 4; ++stage)
            stepped();
        const RunId id = stepped();
        recomputing(id);
        press(Qt::Key_Comma);
        QTRY_COMPARE(run(id).stage, Index(3));
        QCOMPARE(run(id).trace.points.size(), std::size_t(4));
    }

    void spaceGoesOnWithAFinishedRunThatIsBeingRecomputed()
    {
        const RunId id = m_window->currentRun();
        press(Qt::Key_Space);
        QTRY_COMPARE_WITH_TIMEOUT(run(id).status, RunStatus::Finished, 20000);
        const Index end = run(id).stage;
        recomputing(id);
        press(Qt::Key_Space);
        QTRY_COMPARE_WITH_TIMEOUT(run(id).stage, end + 20, 20000);
    }

    void aForkOfARunThatIsBeingRecomputedHasAllOfItsPast()
    {
        const RunId parent = stepped();
        controller().change(parent, QStringLiteral("lambda"), 0.5);
        QTRY_COMPARE(run(parent).trace.events.size(), std::size_t(1));
        stepped();
        recomputing(parent);
        press(Qt::Key_F);
        QCOMPARE(current().forkedFrom, parent);
        QCOMPARE(current().forkedAt, Index(2));
        QCOMPARE(current().sharedEvents, std::size_t(1));
        QCOMPARE(current().stages.size(), std::size_t(2));
    }

    void aForkThatIsChangedAtOnceKeepsItsPast_data()
    {
        QTest::addColumn<bool>("switched");
        QTest::newRow("parameter") << false;
        QTest::newRow("method") << true;
    }
    void aForkThatIsChangedAtOnceKeepsItsPast()
    {
        QFETCH(bool, switched);
        stepped();
        const RunId parent = stepped();
        const RunId child = controller().fork(parent);
        if (switched)
            controller().switchMethod(child, "svrg", "");
        else
            controller().change(child, QStringLiteral("lambda"), 0.5);
        QTRY_COMPARE(run(child).trace.events.size(), std::size_t(1));
        QCOMPARE(run(child).stage, Index(2));
        QCOMPARE(run(child).trace.points.size(), run(parent).trace.points.size());
        QCOMPARE(run(child).trace.points[1].loss, run(parent).trace.points[1].loss);
    }

    void aCurveHasTheNameAndTheDashOfItsMethod()
    {
        const RunId id = m_window->currentRun();
        const auto curve = [&] {
            m_window->curves().flush();
            return *std::ranges::find(m_window->curves().data().curves, id, &Curve::runId);
        };
        QCOMPARE(curve().name, QStringLiteral("run 1")); // there is no other method
        const RunId other = controller().create({});
        QCOMPARE(curve().name, QStringLiteral("run 1"));
        pickMethod("svrg"); // before it began
        QTRY_COMPARE(curve().name, QStringLiteral("run 1, SVRG"));
        QCOMPARE(curve().family, MethodFamily::Stochastic);
        QTRY_VERIFY(run(id).live);
        stepped();
        pickMethod("gd");
        QTRY_COMPARE(curve().family, MethodFamily::FullGradient);
        controller().model().setData(controller().model().index(0, RunModel::Name), QStringLiteral("mine"));
        QCOMPARE(curve().name, QStringLiteral("mine"));
        controller().model().setData(controller().model().index(0, RunModel::Name), QStringLiteral("run 1"));
        controller().remove(other);
        QCOMPARE(curve().name, QStringLiteral("run 1"));
    }

    void undoGoesToTheRunItBringsBack()
    {
        const RunId first = stepped();
        press(Qt::Key_N);
        const RunId second = stepped();
        m_window->table().setCurrentRun(first);
        m_window->actions().remove->trigger();
        QCOMPARE(m_window->currentRun(), second);
        m_window->actions().undo->trigger();
        QCOMPARE(m_window->currentRun(), first);
        QCOMPARE(m_window->table().selectedRuns(), QList<RunId>{first});
        m_window->actions().restart->trigger();
        QTRY_VERIFY(m_window->currentRun() != first);
        m_window->actions().undo->trigger();
        QCOMPARE(m_window->currentRun(), first);
    }

    void undoRightAfterARestartTakesItBack()
    {
        const RunId first = stepped();
        m_window->actions().restart->trigger();
        const RunId second = m_window->currentRun();
        QVERIFY(second != first);
        QTRY_COMPARE(run(second).status, RunStatus::Finished); // by itself
        m_window->actions().undo->trigger();
        QCOMPARE(m_window->currentRun(), first);
        QVERIFY(!controller().model().find(second));
        m_window->actions().restart->trigger();
        m_window->actions().undo->trigger();
        QCOMPARE(m_window->currentRun(), first); // not the one that was taken back before
        m_window->actions().undo->trigger();     // its numbers are not lost
        QCOMPARE(m_window->currentRun(), second);
        QCOMPARE(run(second).status, RunStatus::Finished);
        QVERIFY(controller().model().find(first));
    }

    void undoOfARestartKeepsWhatCameOfIt()
    {
        const RunId first = stepped();
        m_window->actions().restart->trigger();
        QTRY_VERIFY(m_window->currentRun() != first);
        const RunId second = stepped();
        m_window->actions().undo->trigger();
        QCOMPARE(m_window->currentRun(), first);
        QVERIFY(controller().model().find(second));
        QVERIFY(run(second).trace.points.back().stage > 0);
    }

    void theLogTellsWhatWasDone()
    {
        const RunId id = stepped();
        controller().model().setData(controller().model().index(0, RunModel::Name), QStringLiteral("mine"));
        controller().change(id, QStringLiteral("stages"), 1e6);
        controller().resume(id);
        QTRY_COMPARE(run(id).status, RunStatus::Running);
        controller().pause(id);
        QTRY_COMPARE(run(id).status, RunStatus::Paused);
        m_window->actions().remove->trigger();
        m_window->actions().undo->trigger();
        m_window->documents().openSession(QStringLiteral("/nonexistent/a.appa"));
        QTRY_VERIFY(messages().text().contains(QStringLiteral("/nonexistent/a.appa")));
        const QString log = m_window->log().text();
        for (const char *said : {"Was “run 1” before", "Stops after stage 1000000", "Paused in stage", "Deleted",
                                 "Brought back", "/nonexistent/a.appa"})
            QVERIFY2(log.contains(QString::fromUtf8(said)), said);
    }

    void aMessageLeavesTheRunsInSightAndTheFocusWhereItIs()
    {
        QVERIFY(QTest::qWaitForWindowActive(m_window.get()));
        m_window->table().setFocus();
        stepped();
        m_window->actions().remove->trigger(); // offers Undo
        QVERIFY(undoOffered());
        QCOMPARE(QApplication::focusWidget(), &m_window->table());
        const QRect bar(messages().mapTo(m_window.get(), QPoint()), messages().size());
        const QRect runs(m_window->table().mapTo(m_window.get(), QPoint()), m_window->table().size());
        QVERIFY(!bar.intersects(runs));
        messages().actionButton()->setFocus(Qt::TabFocusReason); // reached by Tab only, and left again when it goes
        QTRY_COMPARE(QApplication::focusWidget(), messages().actionButton());
        QTest::keyClick(messages().actionButton(), Qt::Key_Space);
        QVERIFY(!messages().isVisible());
        QCOMPARE(QApplication::focusWidget(), &m_window->table());
    }

    void aMessageCoversNothingThatIsRead_data()
    {
        QTest::addColumn<int>("words");
        QTest::newRow("in the row of the tabs") << 3;
        QTest::newRow("below the page") << 60;
    }
    void aMessageCoversNothingThatIsRead()
    {
        QFETCH(const int, words);
        m_window->setWindowState(Qt::WindowNoState);
        m_window->resize(1400, 800);
        QCoreApplication::processEvents();
        const auto place = [this](QWidget &widget) {
            return QRect(widget.mapTo(m_window.get(), QPoint()), widget.size());
        };
        const QRect page = place(m_window->curves());
        const QRect runs = place(m_window->table());
        messages().say(Level::Warning, QStringLiteral("Words ").repeated(words));
        QCoreApplication::processEvents();
        QVERIFY(messages().isVisible());
        QVERIFY(!place(messages()).intersects(place(m_window->curves())));
        QVERIFY(!place(messages()).intersects(place(m_window->table())));
        QCOMPARE(place(m_window->curves()) == page, words == 3);
        QCOMPARE(place(m_window->table()), runs);
        const QRect tabs = place(*m_window->tabs().tabBar());
        const QRect all(tabs.topLeft(),
                        m_window->tabs().tabBar()->tabRect(m_window->tabs().count() - 1).bottomRight()
                            + tabs.topLeft());
        QVERIFY(!place(messages()).intersects(all));
        messages().hide();
        QCoreApplication::processEvents();
        QCOMPARE(place(m_window->curves()), page);
    }

    void adviceGoesWhenItIsFollowed()
    {
        stepped();
        press(Qt::Key_F);
        const RunId child = m_window->currentRun();
        QVERIFY(messages().text().startsWith(QStringLiteral("Forked")));
        QTRY_VERIFY(run(child).live);
        QTRY_COMPARE(run(child).stage, Index(1));
        controller().change(child, QStringLiteral("stages"), 1e6);
        QVERIFY(messages().text().startsWith(QStringLiteral("Forked")));
        press(Qt::Key_Space);
        QTRY_VERIFY(run(child).isRunning());
        QTRY_VERIFY(!messages().isVisible());
    }

    void whatIsSaidOfARunGoesWithIt_data()
    {
        QTest::addColumn<QString>("how");
        for (const char *how : {"restarted", "deleted", "stepped back", "another chosen"})
            QTest::newRow(how) << QString::fromLatin1(how);
    }
    void whatIsSaidOfARunGoesWithIt()
    {
        QFETCH(const QString, how);
        const RunId other = m_window->currentRun();
        press(Qt::Key_N);
        pickMethod("gd");
        controller().change(m_window->currentRun(), QStringLiteral("lambda"), 1e6);
        QTRY_VERIFY(current().live && current().method == "gd");
        const auto warned = [this] { return messages().text().contains(QStringLiteral("diverged")); };
        press(Qt::Key_Space);
        QTRY_COMPARE(current().status, RunStatus::Diverged);
        QTRY_VERIFY(warned());
        emit controller().runUpdated(current().id); // nothing new
        QVERIFY(warned());
        if (how == QLatin1String("restarted"))
            controller().restart(current().id);
        else if (how == QLatin1String("deleted"))
            controller().remove(current().id);
        else if (how == QLatin1String("stepped back"))
            controller().stepBack(current().id);
        else
            m_window->setCurrentRun(other);
        QTRY_VERIFY(!messages().text().contains(QStringLiteral("run 2 diverged")));
    }

    void theOfferToUndoGoesWithWhatItIsFor()
    {
        stepped();
        m_window->actions().remove->trigger();
        QVERIFY(undoOffered());
        m_window->actions().undo->trigger(); // by its key, say
        QVERIFY(!messages().isVisible());
        m_window->actions().remove->trigger();
        messages().say(Level::Warning, QStringLiteral("Something else."));
        messages().findChild<QToolButton *>()->click();
        QVERIFY(!messages().isVisible()); // Ctrl+Z is there all the time
    }

    void anOfferComesBackAfterWhatIsSaidMeanwhile()
    {
        int answered = 0;
        messages().offer(Level::Info, QStringLiteral("Work can be restored."), QStringLiteral("Restore"),
                         [&] { ++answered; });
        messages().say(Level::Warning, QStringLiteral("Something else."));
        QCOMPARE(messages().text(), QStringLiteral("Something else."));
        messages().findChild<QToolButton *>()->click(); // closed
        QCOMPARE(messages().text(), QStringLiteral("Work can be restored."));
        messages().say(Level::Warning, QStringLiteral("Something else."));
        messages().withdraw(QStringLiteral("Undo"));
        messages().findChild<QToolButton *>()->click();
        messages().actionButton()->click();
        QCOMPARE(answered, 1);
        QVERIFY(!messages().isVisible());
        messages().offer(Level::Info, QStringLiteral("Work can be restored."), QStringLiteral("Restore"), [] {});
        messages().say(Level::Warning, QStringLiteral("Something else."));
        messages().withdraw(QStringLiteral("Restore")); // no longer true
        messages().findChild<QToolButton *>()->click();
        QVERIFY(!messages().isVisible());
    }

    void aForkKnowsTheStagesOfItsPast()
    {
        stepped();
        const RunId parent = stepped();
        press(Qt::Key_F);
        const RunId child = m_window->currentRun();
        QVERIFY(child != parent);
        QTRY_COMPARE(run(child).stage, Index(2));
        QCOMPARE(run(child).stages.size(), std::size_t(2));
        QVERIFY(run(child).stages[1].reported);
        stepped();
        QCOMPARE(run(child).stages.size(), std::size_t(3));
        QVERIFY(std::isfinite(run(child).stages[2].movement));
    }

    void whoeverCancelsALoadingThePanelShowsWhatIsInEffect()
    {
        ProblemSpec slow = smallProblem();
        slow.recipe.source = "ill-conditioned:n=200000,d=200";
        m_window->problemPanel().setSpec(slow);
        controller().setProblem(slow);
        QVERIFY(controller().isLoading());
        m_window->findChild<QToolButton *>(QStringLiteral("statusCancel"))->click();
        QVERIFY(!controller().isLoading());
        QCOMPARE(m_window->problemPanel().spec(), smallProblem());
    }

    void nothingAsksToRunWhileTheDataIsLoading()
    {
        const auto *status = m_window->findChild<StatusLine *>();
        QVERIFY(status->text().contains(QStringLiteral("Press Space")));
        QCOMPARE(m_window->curves().data().emptyNote, QString());
        controller().setProblem(otherProblem());
        QVERIFY(controller().isLoading());
        QVERIFY2(!status->text().contains(QStringLiteral("Press Space")), qPrintable(status->text()));
        QVERIFY(!m_window->curves().data().emptyNote.isEmpty());
        QTRY_VERIFY(!controller().isLoading());
        QTRY_VERIFY(status->text().contains(QStringLiteral("Press Space")));
        QCOMPARE(m_window->curves().data().emptyNote, QString());
    }

    void aDeletionOfSeveralIsUndoneAsOne()
    {
        QList<RunId> ids{stepped()};
        for (int i = 0; i < 2; ++i) {
            press(Qt::Key_N);
            ids << stepped();
        }
        m_window->table().selectAll();
        QCOMPARE(m_window->table().selectedRuns().size(), 3);
        m_window->actions().remove->trigger();
        QVERIFY(undoOffered());
        messages().actionButton()->click();
        QCOMPARE(controller().model().runs()[0]->id, ids[0]);
        QCOMPARE(controller().model().runs()[1]->id, ids[1]);
        QCOMPARE(controller().model().runs()[2]->id, ids[2]);
        QVERIFY(!controller().canUndo());
        QVERIFY(!undoOffered());
    }

    void undoIsOfferedOnlyForWhatItWouldBringBack()
    {
        const RunId id = stepped();
        press(Qt::Key_N); // never begun: deleting it is not worth a word, whatever was deleted before
        m_window->actions().remove->trigger();
        QVERIFY(!undoOffered());
        QCOMPARE(m_window->currentRun(), id); // selected now, so that Delete acts on it
        m_window->actions().remove->trigger();
        QVERIFY(undoOffered());
        m_window->actions().undo->trigger();
        QVERIFY(!undoOffered());
        m_window->table().setCurrentRun(id);
        press(Qt::Key_N);
        stepped();
        m_window->actions().remove->trigger();
        QVERIFY(undoOffered());
        m_window->table().setCurrentRun(id);
        m_window->actions().restart->trigger(); // from now on undo is about this
        QVERIFY(!undoOffered());
    }

    void aChangeRightAfterRunDoesNotStopIt_data()
    {
        QTest::addColumn<QString>("what");
        for (const char *what : {"lambda", "method", "stages", "lambda, step", "lambda, pause"})
            QTest::newRow(what) << QString::fromLatin1(what);
    }
    void aChangeRightAfterRunDoesNotStopIt()
    {
        QFETCH(QString, what);
        const RunId id = m_window->currentRun();
        const RunId engine = run(id).engine;
        const bool step = what.endsWith(QLatin1String("step"));
        const bool pause = what.endsWith(QLatin1String("pause"));
        // All before the Runner's first answer.
        if (step)
            controller().stepStage(id);
        else
            controller().resume(id);
        if (what.startsWith(QLatin1String("lambda")))
            controller().change(id, QStringLiteral("lambda"), 0.125);
        else
            controller().switchMethod(id, "sdca", {});
        if (what == QLatin1String("stages"))
            controller().change(id, QStringLiteral("stages"), 3.0); // while it is being made anew
        if (pause)
            controller().pause(id);
        QTRY_VERIFY(run(id).live && run(id).engine != engine);
        if (pause) {
            const RunId other = controller().create({});
            controller().resume(other);
            QTRY_COMPARE_WITH_TIMEOUT(run(other).status, RunStatus::Finished, 20000);
            QCOMPARE(run(id).status, RunStatus::Ready);
            return;
        }
        if (step)
            QTRY_COMPARE(run(id).stage, Index(1));
        else
            QTRY_COMPARE_WITH_TIMEOUT(run(id).status, RunStatus::Finished, 20000);
        if (what == QLatin1String("stages"))
            QCOMPARE(run(id).stage, Index(3));
        QVERIFY(run(id).trace.events.empty()); // it began so
        if (what.startsWith(QLatin1String("lambda")))
            QCOMPARE(run(id).trace.points.back().lambda, 0.125);
        else
            QCOMPARE(run(id).spec.method, std::string("sdca"));
    }

    void aRunSteppedBackToItsBeginningWaitsWhenItIsChanged()
    {
        const RunId id = m_window->currentRun();
        controller().resume(id);
        QTRY_COMPARE_WITH_TIMEOUT(run(id).status, RunStatus::Finished, 20000);
        controller().stepBackTo(id, 0);
        QTRY_VERIFY(!run(id).hasStarted());
        const RunId engine = run(id).engine;
        controller().change(id, QStringLiteral("lambda"), 0.125);
        QTRY_VERIFY(run(id).live && run(id).engine != engine);
        const RunId other = controller().create({});
        controller().resume(other);
        QTRY_COMPARE_WITH_TIMEOUT(run(other).status, RunStatus::Finished, 20000);
        QCOMPARE(run(id).status, RunStatus::Ready);
    }

    void runsThatComeBackKeepToTheSpeed_data()
    {
        QTest::addColumn<bool>("undone");
        QTest::newRow("undone") << true;
        QTest::newRow("restored") << false;
    }
    void runsThatComeBackKeepToTheSpeed()
    {
        QFETCH(bool, undone);
        RunId id = stepped();
        if (undone) {
            controller().remove(id);
            controller().setStagesPerSecond(1e-3);
            controller().undo();
        } else {
            controller().setStagesPerSecond(1e-3);
            RunRecord record = run(id);
            auto made =
                Run::restore(record.problem->problem, record.spec, record.stop, 0, record.trace, record.status, {});
            QVERIFY(made.ok());
            id = controller().restore(std::move(record), std::move(made).value());
        }
        controller().resume(id);
        QTRY_COMPARE(run(id).stage, Index(2));
        // While another one goes all the way, this one waits for its next stage.
        RunController other;
        other.adoptProblem(controller().problem());
        const RunId whole = other.create({}, {.stages = 200});
        other.resume(whole);
        QTRY_COMPARE_WITH_TIMEOUT(other.model().find(whole)->status, RunStatus::Finished, 20000);
        QVERIFY(run(id).isRunning());
        QCOMPARE(run(id).stage, Index(2));
    }

    void aRunThatCouldNotBeMadeSaysWhy()
    {
        RunSpec spec;
        spec.params.set("lambda", -1.0);
        const RunId id = controller().create(spec);
        QTRY_COMPARE(run(id).status, RunStatus::Failed);
        messages().hide();
        controller().resume(id);
        QVERIFY2(messages().text().contains(run(id).message), qPrintable(messages().text()));
        controller().change(id, QStringLiteral("lambda"), 1.0);
        QTRY_VERIFY(run(id).live); // put right, but nobody asked it to run
        QTRY_COMPARE(run(id).status, RunStatus::Ready);
    }

    void editsBelongToTheRunTheyWereMadeIn()
    {
        const RunId first = m_window->currentRun();
        press(Qt::Key_N);
        const RunId second = m_window->currentRun();
        QTRY_VERIFY(current().live);
        controller().change(second, QStringLiteral("lambda"), 16.0);
        m_window->setCurrentRun(first);
        lambda()->lineEdit()->setText(QStringLiteral("2"));
        lambda()->lineEdit()->setModified(true);
        emit lambda()->lineEdit()->editingFinished();
        lambda()->stepBy(10); // the second of two within a moment waits in the form
        QCOMPARE(std::get<double>(lambda()->value()), 20.0);
        m_window->setCurrentRun(second);
        QCOMPARE(std::get<double>(lambda()->value()), 16.0);
        QCOMPARE(run(first).spec.params.real("lambda"), 20.0);
        QCOMPARE(run(second).spec.params.real("lambda"), 16.0);
    }

    void aReferenceThatWasGivenUpComesBackWhenItIsWanted()
    {
        QTRY_VERIFY(controller().problem()->optimum && controller().problem()->constants);
        const auto fresh = [this] {
            auto state = std::make_shared<ProblemState>();
            state->spec = smallProblem();
            state->problem = controller().problem()->problem;
            return state;
        };
        const ProblemStatePtr a = fresh();
        const ProblemStatePtr b = fresh();
        Reference reference;
        QSignalSpy found(&reference, &Reference::optimumChanged);
        reference.study(a);
        QCOMPARE(reference.solved(), a);
        const QString computing = a->optimumNote;
        reference.cancel();
        QVERIFY(!reference.solved());
        QCOMPARE(found.count(), 2); // begun, given up
        QVERIFY(a->optimumNote != computing);
        reference.study(a);
        reference.study(b); // what is shown goes first
        QCOMPARE(reference.solved(), b);
        QVERIFY(a->optimumNote != computing);
        reference.want(a);
        QCOMPARE(reference.solved(), b);
        QTRY_VERIFY(b->optimum && b->constants);
        QTRY_VERIFY(a->optimum && a->constants);
        QVERIFY(!reference.busy());
    }

    void theFloorsOfAStudyComeBesideThoseOfTheCurves()
    {
        auto state = std::make_shared<ProblemState>();
        state->spec = smallProblem();
        state->problem = controller().problem()->problem;
        Reference reference;
        reference.wantFloors(Reference::FloorsOf::Study, state, {1e-3, 1e-2, 1e-1, 1});
        reference.wantFloors(Reference::FloorsOf::Curves, state, {5, 6});
        reference.wantFloors(Reference::FloorsOf::Curves, state, {7, 1e-1}); // 6 is no longer
        QTRY_COMPARE(state->floors.size(), std::size_t(5));
        QVERIFY(!state->floors.contains(5) && !state->floors.contains(6));
    }

    void aRunWithoutFOptHasItComputedWhenItIsShown()
    {
        const ProblemStatePtr problem = controller().problem();
        QTRY_VERIFY(problem->optimum && problem->constants);
        const RunId first = m_window->currentRun();
        press(Qt::Key_N);
        problem->optimum.reset();
        controller().reference().study(problem);
        controller().reference().cancel();
        QVERIFY(!problem->optimum);
        m_window->setCurrentRun(first);
        QTRY_VERIFY(problem->optimum);
    }

    void theAxisSaysWhatThisProblemsTestErrorIs()
    {
        const RunId regression = stepped();
        const QString label = m_window->curves().options().testErrorLabel;
        QVERIFY(!label.isEmpty());
        ProblemSpec classes = smallProblem();
        classes.recipe.source = "gaussians-2d";
        classes.loss = "logistic";
        load(classes);
        QCOMPARE(m_window->curves().options().testErrorLabel, QString());
        m_window->setCurrentRun(regression);
        QCOMPARE(m_window->curves().options().testErrorLabel, label);
    }

    void aNewNameIsShownEverywhereAtOnce()
    {
        stepped();
        const auto *status = m_window->findChild<StatusLine *>();
        QVERIFY(status);
        controller().model().setData(controller().model().index(0, RunModel::Name), QStringLiteral("my run"));
        QVERIFY2(status->text().startsWith(QStringLiteral("my run")), qPrintable(status->text()));
    }

    void theLastMeasurementIsNotAStageBeyondTheRule()
    {
        const RunId id = m_window->currentRun();
        auto *status = m_window->findChild<StatusLine *>();
        QVERIFY(status);
        const auto said = [&](Index stage) {
            controller().model().edit(id, [stage](RunRecord &r) {
                r.status = RunStatus::Running;
                r.stop.stages = 40;
                r.stage = stage;
            });
            status->setCurrentRun(id);
            return status->text();
        };
        QVERIFY2(said(39).contains(QStringLiteral("stage 40 of 40")), qPrintable(status->text()));
        QVERIFY2(said(40).endsWith(QStringLiteral("measuring after stage 40")), qPrintable(status->text()));
    }

    void fullScreenGoesBackToWhereItCameFrom()
    {
        m_window->setWindowState(Qt::WindowMaximized);
        m_window->actions().fullScreen->trigger();
        QVERIFY(m_window->isFullScreen());
        m_window->actions().fullScreen->trigger();
        QVERIFY(!m_window->isFullScreen());
        QVERIFY(m_window->isMaximized());
        m_window->setWindowState(m_window->windowState() | Qt::WindowFullScreen); // not by the action
        QVERIFY(m_window->actions().fullScreen->isChecked());
    }

    void theoryAndFloorsAreDrawnWhereTheyHold()
    {
        m_window->actions().theory->setChecked(true);
        m_window->actions().floors->setChecked(true);
        const RunId id = stepped();
        stepped();
        QTRY_VERIFY(m_window->curves().data().theory.has_value());
        QTRY_COMPARE(m_window->curves().data().floors.size(), std::size_t(1));
        const double lambda = m_window->curves().data().floors.front().lambda;

        // SDCA minimizes F + (lambda/2)|x|^2: its rate is not one of F, and ls(lambda) is as far as it gets.
        controller().switchMethod(id, "sdca", "");
        controller().change(id, "lambda", lambda);
        stepped();
        stepped();
        QTRY_VERIFY(!m_window->curves().data().theory.has_value());
        QTRY_COMPARE(m_window->curves().data().floors.size(), std::size_t(1));

        // SGD's is a step size: the same number means something else.
        controller().switchMethod(id, "sgd", "");
        controller().change(id, "lambda", lambda);
        stepped();
        QCOMPARE(run(id).effective.real("lambda"), lambda);
        QTRY_VERIFY(m_window->curves().data().floors.empty());
    }

    void theLandscapeStaysWhenARunIsMadeAnew()
    {
        ProblemSpec spec;
        spec.recipe.source = "gaussians-2d:n=100,seed=2";
        load(spec);
        QTabWidget &tabs = m_window->tabs();
        const auto landscape = [&] {
            for (int i = 0; i < tabs.count(); ++i)
                if (qobject_cast<LandscapeView *>(tabs.widget(i)))
                    return i;
            return -1;
        }();
        QTRY_VERIFY(tabs.isTabVisible(landscape));
        tabs.setCurrentIndex(landscape);
        const RunId before = stepped();
        m_window->actions().restart->trigger();
        QTRY_VERIFY(m_window->currentRun() != before && current().live);
        QTRY_COMPARE(tabs.currentIndex(), landscape);
        load(smallProblem()); // nothing to draw there
        QTRY_VERIFY(!tabs.isTabVisible(landscape));
        QCOMPARE(tabs.currentWidget(), &m_window->curves());
        m_window->setCurrentRun(controller().model().runs().front()->id); // much later, as far as anybody knows
        QTRY_VERIFY(tabs.isTabVisible(landscape));
        QCOMPARE(tabs.currentWidget(), &m_window->curves());
    }

    void aStepBackInThePlaneGoesBackAlongThePath()
    {
        ProblemSpec spec;
        spec.recipe.source = "gaussians-2d:n=100,seed=2";
        load(spec);
        const RunId id = m_window->currentRun();
        controller().change(id, QStringLiteral("stages"), 20.0);
        controller().resume(id);
        QTRY_COMPARE(run(id).status, RunStatus::Finished);
        QCOMPARE(run(id).stage, Index(20));
        QCOMPARE(run(id).pathTicks.back(), run(id).cost.ticks);
        QCOMPARE(run(id).ends.size(), std::size_t(20));
        QCOMPARE(run(id).ends.back() + 1, run(id).path.size());
        const QPointF stage19 = run(id).path[run(id).ends[18]];
        controller().stepBack(id);
        QTRY_COMPARE(run(id).stage, Index(19));
        QCOMPARE(run(id).pathTicks.back(), run(id).cost.ticks);
        QCOMPARE(run(id).path.back(), stage19);
        QCOMPARE(run(id).ends.size(), std::size_t(19));
        QCOMPARE(run(id).centres.size(), std::size_t(19));
    }

    void everyExportSaysHowItWent()
    {
        stepped();
        QStringList said;
        const QString first = m_folder.filePath(QStringLiteral("first.csv"));
        const QString second = m_folder.filePath(QStringLiteral("second.png"));
        m_window->exportTo(first, m_window->curvesExport());
        m_window->exportTo(second, m_window->curvesExport());
        QTRY_VERIFY((said << messages().text(), !said.filter(first).isEmpty()));
        QTRY_VERIFY((said << messages().text(), !said.filter(second).isEmpty()));
        QVERIFY(QFile::exists(first));
        QVERIFY(QFile::exists(second));
    }
};

QTEST_MAIN(TestRuns)
#include "tst_ui_runs.moc"
