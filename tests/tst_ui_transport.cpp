// What Space does to several runs, and what is said of the time that they take.
#include "Actions.h"
#include "StatusLine.h"
#include "WindowTest.h"

#include "runs/RunTable.h"
#include "shell/MessageBar.h"

using namespace appa;
using namespace appa::ui;

class TestTransport : public WindowTest
{
    Q_OBJECT

    /// To its end by the rule, and the current one.
    RunId finished(Index stages)
    {
        const RunId id = controller().create({}, {.stages = stages});
        m_window->setCurrentRun(id);
        controller().resume(id);
        [&] { QTRY_COMPARE_WITH_TIMEOUT(run(id).status, RunStatus::Finished, 20000); }();
        return id;
    }

private slots:
    void init() { openWindow(); }
    void cleanup() { closeWindow(); }

    void spaceGoesOnWithAllThatHaveEnded()
    {
        const RunId first = finished(2);
        const RunId second = finished(2);
        m_window->table().selectAll();
        QCOMPARE(m_window->currentRun(), second);
        press(Qt::Key_Space);
        QTRY_VERIFY_WITH_TIMEOUT(run(first).stage > 2 && run(second).stage > 2, 20000);
    }

    void spaceBeginsWithWhatHasNotEnded()
    {
        const RunId first = finished(2);
        const RunId second = controller().create({}, {.stages = 2});
        m_window->setCurrentRun(second);
        m_window->table().selectAll();
        press(Qt::Key_Space);
        QTRY_COMPARE_WITH_TIMEOUT(run(second).status, RunStatus::Finished, 20000);
        QCOMPARE(run(first).stage, 2);
    }

    void theTimeLeftIsMeasuredFromWhereARunGoesOn()
    {
        m_window->setSpeed(10);
        const RunId id = finished(7); // long enough for its pace to be known
        const auto *status = m_window->findChild<StatusLine *>();
        QStringList said;
        connect(&controller(), &RunController::runUpdated, this, [&](int of) {
            if (of == id && run(id).isRunning())
                said << status->text();
        });
        press(Qt::Key_Space);
        QTRY_VERIFY(said.size() >= 2);
        QVERIFY2(!said.front().contains(QStringLiteral("left")), qPrintable(said.front()));
        QTRY_VERIFY(said.back().contains(QStringLiteral("left")));
    }

    void undoSaysWhyThereIsNothingToBringBack()
    {
        stepped();
        press(Qt::Key_Z, Qt::ControlModifier);
        QVERIFY2(m_window->messages().text().startsWith(QStringLiteral("Nothing to undo")),
                 qPrintable(m_window->messages().text()));
    }

    void theLegendKeepsTheOrderOfTheTable()
    {
        QList<RunId> ids{stepped()};
        for (int i = 0; i < 2; ++i) {
            press(Qt::Key_N);
            ids << stepped();
        }
        m_window->table().selectAll();
        m_window->actions().remove->trigger();
        m_window->actions().undo->trigger();
        QList<RunId> shown;
        for (const Curve &curve : m_window->curves().data().curves)
            shown << curve.runId;
        QCOMPARE(shown, ids);
    }
};

QTEST_MAIN(TestTransport)
#include "tst_ui_transport.moc"
