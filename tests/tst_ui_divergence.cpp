// A run whose very first stage diverges is put back to its start: a result all the same.
#include "Actions.h"
#include "WindowTest.h"

#include "lessons/LessonPlayer.h"
#include "views/LogView.h"

#include <QSignalSpy>

using namespace appa;
using namespace appa::ui;

class TestDivergence : public WindowTest
{
    Q_OBJECT

    RunId diverged()
    {
        pickMethod("svrg");
        [&] { QTRY_VERIFY(current().method == "svrg" && current().live); }();
        const RunId id = m_window->currentRun();
        controller().change(id, QStringLiteral("lambda"), 1e8);
        [&] { QTRY_VERIFY(current().live); }();
        controller().resume(id);
        [&] { QTRY_COMPARE(run(id).status, RunStatus::Diverged); }();
        [&] { QVERIFY(!run(id).hasStarted()); }();
        return id;
    }
    static int count(const QSignalSpy &spy, Level level, RunId id)
    {
        return static_cast<int>(std::ranges::count_if(spy, [&](const QList<QVariant> &args) {
            return args[0].value<Level>() == level && args[1].toInt() == id;
        }));
    }

private slots:
    void init() { openWindow(); }
    void cleanup() { closeWindow(); }

    void itSaysSo()
    {
        QSignalSpy said(&controller(), &RunController::said);
        QSignalSpy logged(&controller(), &RunController::logged);
        const RunId id = diverged();
        QCOMPARE(count(said, Level::Warning, id), 1);
        QCOMPARE(count(logged, Level::Warning, id), 1);
    }

    void itCanBeRestartedAndHadBack()
    {
        const RunId id = diverged();
        QVERIFY(m_window->actions().restart->isEnabled());
        m_window->actions().restart->trigger();
        const RunId fresh = m_window->currentRun();
        QVERIFY(fresh != id && !controller().model().find(id));
        QTRY_COMPARE(run(fresh).status, RunStatus::Diverged);
        QVERIFY(m_window->actions().undo->isEnabled());
        m_window->actions().undo->trigger();
        QVERIFY(controller().model().find(id) && !controller().model().find(fresh));
        QCOMPARE(run(id).status, RunStatus::Diverged);
    }

    void itsDeletionCanBeUndone()
    {
        const RunId id = diverged();
        QCOMPARE(controller().remove(id), 1);
        QVERIFY(!controller().model().find(id));
        QCOMPARE(controller().undo(), id);
        QCOMPARE(run(id).status, RunStatus::Diverged);
    }

    void aLessonLeavesItInItsPlace()
    {
        const RunId id = diverged();
        auto lesson = parseLesson("# T\n## First\n```do\nnew a: gd\ngo a: 1\n```\n", "test");
        QVERIFY2(lesson.ok(), lesson.ok() ? "" : lesson.error().message.c_str());
        m_window->lessons().begin(std::move(lesson).value());
        QTRY_VERIFY(controller().model().rowCount() == 2);
        QVERIFY(controller().model().find(id));
    }

    void withOtherSettingsItWaitsToBeTold()
    {
        const RunId id = diverged();
        const RunId engine = run(id).engine;
        controller().change(id, QStringLiteral("lambda"), 0.125);
        QCOMPARE(run(id).status, RunStatus::Ready);
        QTRY_VERIFY(run(id).live && run(id).engine != engine);
        const RunId other = controller().create({});
        controller().resume(other);
        QTRY_COMPARE_WITH_TIMEOUT(run(other).status, RunStatus::Finished, 20000);
        QCOMPARE(run(id).status, RunStatus::Ready);
        controller().resume(id);
        QTRY_VERIFY(run(id).hasStarted());
    }
};

QTEST_MAIN(TestDivergence)
#include "tst_ui_divergence.moc"
