// Lessons in the window: what is written in them is done, and true.
#include "Actions.h"
#include "WindowTest.h"

#include "form/LogSlider.h"
#include "lessons/LessonBar.h"
#include "lessons/LessonPlayer.h"
#include "runs/RunTable.h"
#include "shell/MessageBar.h"

#include <QDir>
#include <QFile>
#include <QLineEdit>
#include <QMenu>
#include <QScrollArea>
#include <QScrollBar>
#include <QSettings>
#include <QSignalSpy>
#include <QTabWidget>
#include <QToolButton>

using namespace appa;
using namespace appa::ui;

class TestLessons : public WindowTest
{
    Q_OBJECT

private slots:
    void init() { openWindow(); }
    void cleanup() { closeWindow(); }

    void builtInLessonsAreTrue_data()
    {
        QTest::addColumn<QString>("path");
        const QDir folder(QStringLiteral(":/lessons"));
        const QStringList names = folder.entryList({QStringLiteral("*.md")});
        QVERIFY(names.size() >= 6);
        QCOMPARE(MainWindow().lessonMenu().actions().size(), names.size() + 5); // a separator and the four commands
        for (const QString &name : names)
            QTest::newRow(qPrintable(name)) << folder.filePath(name);
    }
    void builtInLessonsAreTrue()
    {
        QFETCH(const QString, path);
        QFile file(path);
        QVERIFY(file.open(QIODevice::ReadOnly));
        auto lesson = parseLesson(file.readAll().toStdString(), path.toStdString());
        QVERIFY2(lesson.ok(), lesson.ok() ? "" : lesson.error().message.c_str());
        LessonPlayer &player = m_window->lessons();
        QSignalSpy failures(&player, &LessonPlayer::failed);
        player.begin(std::move(lesson).value());
        while (!player.isLast()) {
            QTRY_VERIFY_WITH_TIMEOUT((m_window->setSpeed(0), settled()), 60000);
            player.next();
        }
        QTRY_VERIFY_WITH_TIMEOUT((m_window->setSpeed(0), settled()), 60000);
        QTRY_VERIFY_WITH_TIMEOUT(controller().problem()->optimum.has_value(), 60000);
        QVERIFY(failures.isEmpty());
        QVERIFY(!player.claims().empty());
        for (const lesson::Expect &claim : player.claims())
            check(claim);
    }

    void aLessonFitsALowScreen()
    {
        // 540 lines less a title bar. The longest text of all is scrolled; it must not push anything off the screen.
        const QString words = QStringLiteral("The same words over and over again, to the end of the line and on. ");
        auto lesson = parseLesson(
            QStringLiteral("# T\n## First\n%1\n```do\nnew a: sdca\n```\n").arg(words.repeated(20)).toStdString(),
            "test");
        QVERIFY(lesson.ok());
        m_window->lessons().begin(std::move(lesson).value());
        QTRY_VERIFY(settled());
        m_window->messages().say(Level::Warning, words);
        for (const QSize &size : {QSize(1440, 900), QSize(1024, 576), QSize(960, 512)}) { // however it was before
            m_window->resize(size);
            QTRY_COMPARE(m_window->size(), size);
            const auto parts = m_window->centralWidget()->findChildren<QWidget *>(Qt::FindDirectChildrenOnly);
            for (const QWidget *part : parts) // all have said what they need
                QTRY_VERIFY(!part->isVisible()
                            || part->minimumSizeHint().height() < m_window->minimumSizeHint().height());
            // With a message that has a strip of its own, too.
            QVERIFY2(m_window->minimumSizeHint().height() <= 512,
                     qPrintable(QString::number(m_window->minimumSizeHint().height())));
            QVERIFY2(m_window->minimumSizeHint().width() <= 960,
                     qPrintable(QString::number(m_window->minimumSizeHint().width())));
        }
        const auto *room = bar().findChild<QScrollArea *>();
        QVERIFY(room->height() >= 3 * room->widget()->fontMetrics().lineSpacing());
        QVERIFY(room->verticalScrollBar()->maximum() > 0);
        for (const CurvePanel panel : {CurvePanel::Loss, CurvePanel::TestError})
            QVERIFY(m_window->curves().plot(panel)->isVisible());
    }

    void commandsWaitForTheRunTheyAreAbout()
    {
        begin("new a: sdca lambda=0.1\ngo a: 3\nset a: lambda=0.01\ngo a: 5\nfork a: b\nset b: lambda=1\ngo b: 8");
        QTRY_VERIFY(settled());
        const RunRecord &a = named("a"), &b = named("b");
        QCOMPARE(a.stage, Index(5));
        QCOMPARE(a.trace.events.size(), std::size_t(1));
        QCOMPARE(a.trace.events[0].stage, Index(3));
        QCOMPARE(b.stage, Index(8));
        QCOMPARE(b.trace.events.size(), std::size_t(2));
        QCOMPARE(b.trace.events[1].stage, Index(5));
        QCOMPARE(m_window->currentRun(), b.id);
        QCOMPARE(controller().model().rowCount(), 2); // the run that stood ready has made room
    }

    void whoGoesOnEarlyDoesNotWaitLong()
    {
        m_window->setSpeed(0.5);
        begin("new a: sdca lambda=0.1\ngo a: 40", "set a: lambda=0.01\ngo a: 41\nspeed 10");
        QTRY_VERIFY(named("a").isRunning());
        press(Qt::Key_PageDown);
        QCOMPARE(bar().title(), QStringLiteral("Second"));
        QTRY_VERIFY_WITH_TIMEOUT(named("a").trace.events.size() == 1, 20000); // 80 s at the speed it had
        QCOMPARE(named("a").trace.events[0].stage, Index(40));
        QTRY_VERIFY(!m_window->lessons().isBusy());
        QCOMPARE(controller().stagesPerSecond(), 10.0);
    }

    void dataOpenedAfterALessonHasNoneOfItsSettings()
    {
        begin("new a: sgd lambda=0.1\ngo a: 8");
        QTRY_VERIFY(settled());
        QCOMPARE(m_window->currentRun(), named("a").id);
        m_window->lessons().leave();
        load(otherProblem());
        QCOMPARE(current().method, RunSpec{}.method);
        QCOMPARE(current().stop.stages, StopRules{}.stages);
    }

    void goingBackUndoesNothing()
    {
        begin("new a: sdca lambda=0.1\ngo a: 2", "go a: 4");
        QTRY_VERIFY(settled());
        QVERIFY(m_window->curves().data().emptyNote.contains(QStringLiteral("Page Down"))); // not Space
        QVERIFY(!button("lessonBack")->isEnabled() && button("lessonNext")->isEnabled());
        press(Qt::Key_PageDown);
        QTRY_VERIFY(settled() && named("a").stage == 4);
        QVERIFY(button("lessonBack")->isEnabled() && !button("lessonNext")->isEnabled());
        const RunId other = controller().create({.method = "gd", .inner = {}, .params = {}, .seed = 1});
        m_window->setCurrentRun(other);
        press(Qt::Key_PageUp);
        QCOMPARE(bar().title(), QStringLiteral("First"));
        QCOMPARE(m_window->currentRun(), named("a").id);
        press(Qt::Key_PageDown);
        QVERIFY(settled());
        QCOMPARE(named("a").stage, Index(4));
    }

    void theKeysOfARemoteAreTheLessonsAlsoAtItsEnds()
    {
        begin("new a: gd\ngo a: 1", "go a: 2");
        QTRY_VERIFY(settled());
        m_window->setSpeed(5);
        QVERIFY(QTest::qWaitForWindowActive(m_window.get()));
        const QString before = lambda()->lineEdit()->text();
        for (QWidget *widget :
             {m_window->findChild<QWidget *>(QStringLiteral("speedBox")), static_cast<QWidget *>(lambda()->lineEdit()),
              static_cast<QWidget *>(lambda()->slider())}) {
            widget->setFocus();
            QTRY_COMPARE(QApplication::focusWidget(), widget);
            QTest::keyClick(widget, Qt::Key_PageDown);
            QCOMPARE(bar().title(), QStringLiteral("Second"));
            QTRY_VERIFY(settled());
            QTest::keyClick(widget, Qt::Key_PageDown); // there is no third one
            QCOMPARE(bar().title(), QStringLiteral("Second"));
            QTest::keyClick(widget, Qt::Key_PageUp);
            QTest::keyClick(widget, Qt::Key_PageUp);
            QCOMPARE(bar().title(), QStringLiteral("First"));
            QCOMPARE(controller().stagesPerSecond(), 5.0);
            QCOMPARE(lambda()->lineEdit()->text(), before);
        }
    }

    void theChartsAndTheButtonsStayWhereTheyAreFromStepToStep()
    {
        const QString words = QStringLiteral("Some words about it. ");
        auto lesson = parseLesson(
            QStringLiteral("# T\n## First\nShort.\n## Second\n%1\n").arg(words.repeated(20)).toStdString(), "test");
        QVERIFY(lesson.ok());
        m_window->lessons().begin(std::move(lesson).value());
        const auto places = [this] {
            QCoreApplication::processEvents();
            QWidget &curves = m_window->curves();
            QWidget *next = button("lessonNext");
            return std::pair(curves.mapTo(m_window.get(), QPoint()), next->mapTo(m_window.get(), QPoint()));
        };
        const auto *room = bar().findChild<QScrollArea *>();
        QTRY_VERIFY(room->sizeHint().height() > 0 && room->height() == room->sizeHint().height()); // laid out
        const auto before = places();
        press(Qt::Key_PageDown);
        QCOMPARE(bar().title(), QStringLiteral("Second"));
        QCOMPARE(places(), before);
        const int height = bar().height();
        for (int k = 0; k < 3; ++k)
            m_window->actions().larger->trigger();
        QTRY_VERIFY(bar().height() > height);
        m_window->actions().normal->trigger();
        QTRY_VERIFY(bar().height() <= height);
    }

    void f6AndEnterBeginTheFirstLesson()
    {
        press(Qt::Key_F6);
        QTRY_COMPARE(QApplication::activePopupWidget(), &m_window->lessonMenu());
        QTest::keyClick(&m_window->lessonMenu(), Qt::Key_Return);
        QVERIFY(m_window->lessons().lesson());
        QCOMPARE(m_window->lessons().lesson()->title, m_window->lessonMenu().actions().front()->text());
    }

    void aLessonsSpeedIsNotTheUsers()
    {
        const auto saved = [] { return QSettings().value(QStringLiteral("speed")).toDouble(); };
        m_window->setSpeed(5);
        begin("speed 2");
        QTRY_COMPARE(controller().stagesPerSecond(), 2.0);
        m_window->actions().lessonLeave->trigger();
        QCOMPARE(controller().stagesPerSecond(), 5.0);
        begin("speed 2");
        m_window->actions().faster->trigger(); // by hand: that is the user's
        QCOMPARE(controller().stagesPerSecond(), 5.0);
        m_window->actions().faster->trigger();
        m_window->actions().lessonLeave->trigger();
        QCOMPARE(controller().stagesPerSecond(), 10.0);
        begin("speed 2");
        m_window->close();
        QCOMPARE(saved(), 10.0);
    }

    void fromTheStartMakesTheRunsAnew()
    {
        begin("new a: sdca lambda=0.1\ngo a: 2");
        QTRY_VERIFY(settled());
        const RunId before = named("a").id;
        m_window->actions().lessonAgain->trigger();
        QTRY_VERIFY(settled() && named("a").stage == 2);
        QVERIFY(named("a").id != before);
        QCOMPARE(controller().model().rowCount(), 1);
        m_window->actions().lessonLeave->trigger();
        QVERIFY(!bar().isVisible());
        QCOMPARE(controller().model().rowCount(), 1); // its runs stay
        controller().undo();
        QCOMPARE(controller().model().rowCount(), 2);
    }

    void aDeletedRunHoldsNothingUp()
    {
        m_window->setSpeed(0.5);
        begin("new a: sdca lambda=0.1\nnew b: sdca lambda=0.1\ngo a: 40\nset a: lambda=1\ngo b: 1");
        QTRY_VERIFY(named("a").isRunning());
        QVERIFY(m_window->lessons().isBusy());
        controller().remove(named("a").id);
        QTRY_VERIFY(settled() && named("b").stage == 1);
        QVERIFY(m_window->messages().text().contains(QStringLiteral("“a” is gone")));
    }

    void aDivergedRunHoldsNothingUp()
    {
        begin("new a: gd lambda=1e6\ngo a: 40", "go a: 50\nfork a: b\nnew c: gd\ngo c: 1");
        QTRY_COMPARE(named("a").status, RunStatus::Diverged);
        press(Qt::Key_PageDown);
        QTRY_VERIFY(settled() && named("c").stage == 1);
    }

    void itsRunsBelongToItsProblem()
    {
        const RunId mine = stepped();
        begin(QStringLiteral("problem %1 ridge=0.001\nnew a: gd\ngo a: 1")
                  .arg(QString::fromStdString(smallProblem().recipe.source)),
              "new b: gd\ngo b: 1");
        QTRY_VERIFY(settled());
        m_window->setCurrentRun(mine); // looked at meanwhile
        QVERIFY(controller().problem() == run(mine).problem);
        press(Qt::Key_PageDown);
        QTRY_VERIFY(settled() && named("b").stage == 1);
        QVERIFY(named("b").problem == named("a").problem);
        QVERIFY(named("b").problem != run(mine).problem);
        QCOMPARE(controller().model().rowCount(), 3);
    }

    void runsFromBeforeAreHiddenAndTheirProblemIsUsedAgain()
    {
        const RunId before = stepped();
        const ProblemStatePtr problem = run(before).problem;
        load(otherProblem());
        begin(
            QStringLiteral("problem %1\nnew a: gd\ngo a: 1").arg(QString::fromStdString(smallProblem().recipe.source)));
        QTRY_VERIFY(settled() && named("a").stage == 1);
        QVERIFY(named("a").problem == problem);
        QVERIFY(!run(before).visible && named("a").visible);
    }

    void preparedRunsStay()
    {
        const RunId first = m_window->currentRun();
        const RunId second = controller().create({.method = "svrg", .inner = {}, .params = {}, .seed = 3});
        begin("new a: gd\ngo a: 1");
        QTRY_VERIFY(settled());
        QVERIFY(controller().model().find(first) && controller().model().find(second));
    }

    void aRestartedRunIsStillTheLessons()
    {
        begin("new a: gd\ngo a: 2", "go a: 4");
        QTRY_VERIFY(settled());
        const RunId before = named("a").id;
        m_window->actions().restart->trigger();
        QTRY_VERIFY(named("a").id != before && named("a").stage == 2 && !named("a").isRunning());
        press(Qt::Key_PageDown);
        QTRY_VERIFY(settled() && named("a").stage == 4);
        QCOMPARE(m_window->currentRun(), named("a").id);
        m_window->actions().lessonAgain->trigger(); // and goes with it
        QTRY_VERIFY(settled() && named("a").stage == 2);
        QCOMPARE(controller().model().rowCount(), 1);
    }

    void whatWaitsForARunWaitsForTheRestartedOneToo()
    {
        m_window->setSpeed(0.5);
        begin("new a: sdca lambda=0.1\ngo a: 4\nset a: lambda=1");
        QTRY_VERIFY(named("a").isRunning());
        const RunId before = named("a").id;
        m_window->actions().restart->trigger();
        QVERIFY(m_window->currentRun() != before);
        QCoreApplication::processEvents();
        QVERIFY(m_window->lessons().isBusy());
        m_window->setSpeed(0);
        QTRY_VERIFY(settled() && named("a").trace.events.size() == 1);
        QVERIFY(named("a").id != before);
        QCOMPARE(named("a").trace.events[0].stage, Index(4));
        QVERIFY(!m_window->messages().text().contains(QStringLiteral("is gone")));
    }

    void aRunOfAnEarlierTimeIsNotTheRestartedOne()
    {
        begin("new a: gd\ngo a: 2", "go a: 4");
        QTRY_VERIFY(settled());
        const RunId earlier = named("a").id; // the first of the table
        press(Qt::Key_PageDown);
        QTRY_VERIFY(settled() && named("a").stage == 4);
        begin("new a: gd\ngo a: 2", "go a: 4");
        QTRY_VERIFY(settled() && named("a").id != earlier);
        const RunId before = named("a").id;
        m_window->actions().restart->trigger();
        QTRY_VERIFY(current().id != before && current().stage == 2 && !current().isRunning());
        const RunId restarted = current().id;
        press(Qt::Key_PageDown);
        QTRY_VERIFY(settled() && run(restarted).stage == 4);
        m_window->actions().lessonAgain->trigger();
        QTRY_VERIFY(settled());
        QVERIFY(controller().model().find(earlier));
        QVERIFY(!controller().model().find(restarted));
    }

    void aMethodWithNothingLeftToDoHoldsNothingUp()
    {
        begin("problem ill-conditioned loss=squared\nnew n: normal-equations\ngo n: 3", "go n: 5\nfork n: m");
        QTRY_VERIFY_WITH_TIMEOUT(settled() && named("n").stage == 3, 30000);
        QVERIFY(named("n").done);
        press(Qt::Key_PageDown);
        QTRY_VERIFY(settled());
        QCOMPARE(named("m").forkedFrom, named("n").id);
        m_window->table().setCurrentRun(named("n").id);
        press(Qt::Key_Space);
        QCOMPARE(named("n").stop.stages, Index(3)); // there is nothing to go on to
    }

    void aChangeGivesAMethodSomethingToDoAgain()
    {
        begin("problem ill-conditioned loss=squared\nnew n: normal-equations\ngo n: 3", "switch n: gd\ngo n: 6");
        QTRY_VERIFY_WITH_TIMEOUT(settled() && named("n").stage == 3, 30000);
        QVERIFY(named("n").done);
        QSignalSpy said(&controller(), &RunController::said);
        press(Qt::Key_PageDown);
        QTRY_VERIFY(settled());
        QCOMPARE(named("n").stage, Index(6));
        QCOMPARE(named("n").method, std::string("gd"));
        QVERIFY(said.isEmpty()); // nothing of an end
    }

    void aForkThatIsBackAtItsBeginningGoesOn()
    {
        begin("new a: gd\ngo a: 1\nfork a: b", "go b: 3");
        QTRY_VERIFY(settled() && named("b").stage == 1);
        controller().stepBackTo(named("b").id, 0);
        QTRY_COMPARE(named("b").stage, Index(0));
        press(Qt::Key_PageDown);
        QTRY_VERIFY(settled() && named("b").stage == 3);
    }

    void aHurryIsNotTheUsersSpeed()
    {
        m_window->setSpeed(0.5);
        begin("new a: sdca lambda=0.1\ngo a: 1000000", "set a: lambda=0.01");
        QTRY_VERIFY(named("a").isRunning());
        press(Qt::Key_PageDown);
        QCOMPARE(controller().stagesPerSecond(), 0.0);
        m_window->close();
        QCOMPARE(QSettings().value(QStringLiteral("speed")).toDouble(), 0.5);
    }

    void aLoadingThatWasGivenUpBeginsAgainWhenAsked()
    {
        stepped();
        begin("problem mnist-6k\nnew a: gd\ngo a: 1", "axis stages");
        QVERIFY(controller().isLoading());
        controller().cancelLoading();
        controller().stepStage(m_window->currentRun()); // news of a run is no reason
        QTRY_VERIFY(current().stage == 2);
        QVERIFY(!controller().isLoading() && m_window->lessons().isBusy());
        press(Qt::Key_PageDown);
        QVERIFY(controller().isLoading());
        QTRY_VERIFY_WITH_TIMEOUT(settled() && named("a").stage == 1, 120000);
    }

    void aFileIsALessonOrSaysWhyNot()
    {
        const auto write = [this](const char *name, const QByteArray &text) {
            QFile file(m_folder.filePath(QLatin1String(name)));
            if (!file.open(QIODevice::WriteOnly) || file.write(text) != text.size())
                qFatal("the file could not be written");
            return file.fileName();
        };
        m_window->openFiles({write("good.md", "# Mine\n## First\nSee *this*.\n```do\nnew a: sgd\ngo a: 1\n```\n")});
        QVERIFY(bar().isVisible());
        QCOMPARE(bar().text(), QStringLiteral("See *this*."));
        QTRY_VERIFY(settled());
        m_window->openFiles({write("bad.md", "# Mine\n## First\n```do\nnew a: sgt\n```\n")});
        QVERIFY(m_window->messages().text().contains(QStringLiteral("bad.md, line 4: There is no method \"sgt\"")));
        QCOMPARE(m_window->lessons().lesson()->title, QStringLiteral("Mine"));
        QCOMPARE(named("a").stage, Index(1));
    }

    void aLessonWithoutAProblemTakesTheOneThatIsBeingLoaded()
    {
        controller().setProblem(otherProblem());
        begin("new a: sdca lambda=0.1\ngo a: 1");
        QVERIFY(m_window->lessons().isBusy());
        QTRY_VERIFY(settled() && named("a").stage == 1);
        QVERIFY(named("a").problem->spec == otherProblem());
    }

    void dataThatIsNotThereEndsIt()
    {
        QSignalSpy failures(&m_window->lessons(), &LessonPlayer::failed);
        QFile empty(m_folder.filePath(QStringLiteral("empty.csv")));
        QVERIFY(empty.open(QIODevice::WriteOnly));
        begin(QStringLiteral("problem %1\nnew a: sgd\ngo a: 1").arg(empty.fileName()));
        QTRY_COMPARE(failures.size(), 1);
        QVERIFY(!m_window->lessons().lesson() && !bar().isVisible());
        QCOMPARE(controller().model().rowCount(), 1); // as before
    }

private:
    QToolButton *button(const char *name) { return bar().findChild<QToolButton *>(QLatin1String(name)); }
    LessonBar &bar() { return *m_window->findChild<LessonBar *>(); }
    const RunRecord &named(const char *name) { return run(m_window->lessons().runOf(name)); }
    void begin(const QString &first, const QString &second = {})
    {
        QString text = QStringLiteral("# T\n## First\n```do\n%1\n```\n").arg(first);
        if (!second.isEmpty())
            text += QStringLiteral("## Second\n```do\n%1\n```\n").arg(second);
        auto lesson = parseLesson(text.toStdString(), "test");
        QVERIFY2(lesson.ok(), lesson.ok() ? "" : lesson.error().message.c_str());
        m_window->lessons().begin(std::move(lesson).value());
    }
    bool settled() { return m_window->lessons().isSettled(); }
    void check(const lesson::Expect &claim)
    {
        using Kind = lesson::Expect::Kind;
        const RunRecord &run = named(claim.run.c_str());
        if (claim.kind == Kind::Diverges) {
            QVERIFY2(run.status == RunStatus::Diverged, claim.run.c_str());
            return;
        }
        const bool excess = claim.kind == Kind::ExcessBelow || claim.kind == Kind::ExcessAbove;
        const auto value = [&](const RunRecord &r) {
            const TracePoint &last = r.trace.points.back();
            return excess ? excessOf(r, last.loss) : last.testError;
        };
        const double bound = claim.bound * (claim.than.empty() ? 1 : value(named(claim.than.c_str())));
        const bool below = claim.kind == Kind::ExcessBelow || claim.kind == Kind::ErrorBelow;
        const double got = value(run);
        QVERIFY2(below ? got < bound : got > bound,
                 qPrintable(QStringLiteral("%1: %2, claimed %3 %4")
                                .arg(QString::fromStdString(claim.run))
                                .arg(got)
                                .arg(below ? u'<' : u'>')
                                .arg(bound)));
    }
};

QTEST_MAIN(TestLessons)
#include "tst_ui_lessons.moc"
