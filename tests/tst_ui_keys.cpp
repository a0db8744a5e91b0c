// Where Tab goes, and what Escape ends.
#include "Actions.h"
#include "WindowTest.h"

#include "charts/SensitivityView.h"
#include "panels/ProblemPanel.h"
#include "panels/TransformEditor.h"
#include "runs/RunTable.h"
#include "shell/MessageBar.h"
#include "sweep/SensitivityTab.h"
#include "sweep/SweepControls.h"
#include "sweep/SweepForm.h"
#include "sweep/SweepGridForm.h"
#include "sweep/SweepMethodModel.h"
#include "sweep/SweepMethodsForm.h"

#include <QLineEdit>
#include <QListWidget>
#include <QPushButton>
#include <QTabBar>
#include <QTabWidget>
#include <QTableView>

using namespace appa;
using namespace appa::ui;

class TestKeys : public WindowTest
{
    Q_OBJECT

private slots:
    void init() { openWindow(); }
    void cleanup() { closeWindow(); }

    void escapeLeavesThePresentation()
    {
        QAction *presentation = m_window->actions().presentation;
        presentation->setChecked(true);
        QVERIFY(m_window->messages().text().contains(QStringLiteral("Escape")));
        QTest::keyClick(m_window->focusWidget(), Qt::Key_Escape);
        QVERIFY(!presentation->isChecked());
        QVERIFY(m_window->messages().isHidden());
    }

    void offersWaitForTheEndOfAPresentation()
    {
        const QString offer = QStringLiteral("Work can be restored.");
        const QString later = QStringLiteral("A study was not finished.");
        const QString warning = QStringLiteral("There is no minimum.");
        MessageBar &bar = m_window->messages();
        bar.offer(Level::Info, offer, QStringLiteral("Restore"), [] {});
        QCOMPARE(bar.text(), offer);
        press(Qt::Key_F5);
        QVERIFY(m_window->actions().presentation->isChecked());
        bar.dismiss(); // how it is left
        QCOMPARE(bar.text(), QString());
        bar.offer(Level::Info, later, QStringLiteral("Show it"), [] {});
        QCOMPARE(bar.text(), QString());
        bar.offer(Level::Warning, warning, QStringLiteral("Add a ridge"), [] {}); // about what is seen
        QCOMPARE(bar.text(), warning);
        bar.dismiss();
        QCOMPARE(bar.text(), QString());
        press(Qt::Key_F5);
        QCOMPARE(bar.text(), later);
        bar.dismiss();
        QCOMPARE(bar.text(), offer);
        bar.dismiss();
        QCOMPARE(bar.text(), QString());
    }

    void escapeClosesAMessage()
    {
        m_window->messages().say(Level::Error, QStringLiteral("That was wrong."));
        m_window->table().setFocus();
        QTest::keyClick(&m_window->table(), Qt::Key_Escape);
        QVERIFY(m_window->messages().isHidden());
    }

    void whatWasSaidOfAFileGoesWithTheNext()
    {
        m_window->openFiles({m_folder.filePath(QStringLiteral("missing.md"))});
        QVERIFY(!m_window->messages().isHidden());
        m_window->openFiles({QStringLiteral(":/lessons/2-one-knob.md")});
        QVERIFY2(m_window->messages().isHidden(), qPrintable(m_window->messages().text()));
    }

    void spaceRunsBesideAValueThatWasRefused()
    {
        QVERIFY(QTest::qWaitForWindowActive(m_window.get()));
        QLineEdit *line = lambda()->lineEdit();
        line->setFocus();
        line->selectAll();
        QTest::keyClicks(line, QStringLiteral("1e99"));
        QTest::keyClick(line, Qt::Key_Return);
        QVERIFY(!lambda()->errorText().isEmpty());
        QTest::keyClick(line, Qt::Key_Space);
        QCOMPARE(line->text(), QStringLiteral("1e99"));
        QTRY_VERIFY(current().hasStarted());
    }

    void spaceBeforeTheDataIsHereWaitsForIt_data()
    {
        QTest::addColumn<int>("times");
        QTest::newRow("once") << 1;
        QTest::newRow("taken back") << 2;
    }
    void spaceBeforeTheDataIsHereWaitsForIt()
    {
        QFETCH(const int, times);
        closeWindow();
        m_window = std::make_unique<MainWindow>();
        m_window->setSpeed(0);
        m_window->show();
        QVERIFY(QTest::qWaitForWindowActive(m_window.get()));
        controller().setProblem(smallProblem());
        for (int i = 0; i < times; ++i)
            press(Qt::Key_Space);
        QVERIFY(!controller().problem());
        const bool starts = times == 1;
        QCOMPARE(m_window->messages().text().contains(QStringLiteral("when the data is here")), starts);
        QCOMPARE(m_window->actions().run->text(), starts ? QStringLiteral("Pause") : QStringLiteral("Run"));
        QTRY_VERIFY(m_window->currentRun() > 0 && current().live);
        if (starts)
            QTRY_COMPARE(current().status, RunStatus::Finished);
        else
            QVERIFY(current().status == RunStatus::Ready && !current().hasStarted());
        QVERIFY(m_window->messages().isHidden());
        QCOMPARE(m_window->actions().run->text(), QStringLiteral("Run"));
    }

    void spaceAfterTheStartOfAStudyPausesTheStudy()
    {
        m_window->tabs().setCurrentWidget(&m_window->sensitivityPage());
        QVERIFY(QTest::qWaitForWindowActive(m_window.get()));
        SensitivityTab &tab = m_window->sensitivity();
        tab.controller().setStudiesFolder(m_folder.path());
        tab.form().grid().stagesBox()->setValue(100000);
        tab.form().controls().startButton()->setFocus(Qt::TabFocusReason);
        QTest::keyClick(m_window->focusWidget(), Qt::Key_Space);
        QCOMPARE(tab.controller().state(), SweepState::Running);
        QTest::keyClick(m_window->focusWidget(), Qt::Key_Space);
        QCOMPARE(tab.controller().state(), SweepState::Paused);
        QVERIFY(!current().hasStarted());
        tab.controller().cancel();
    }

    void deleteInAListRemovesWhatIsInTheList()
    {
        const RunId id = stepped();
        QVERIFY(QTest::qWaitForWindowActive(m_window.get()));
        m_window->tabs().setCurrentWidget(&m_window->sensitivityPage());
        SweepForm &form = m_window->sensitivity().form();
        SweepMethodModel &methods = form.methods();
        const int rows = methods.rowCount();
        const int added = methods.duplicate(0);
        form.methodsForm().view()->setCurrentIndex(methods.index(added, SweepMethodModel::Method));
        form.methodsForm().view()->setFocus(Qt::MouseFocusReason);
        for (int i = 0; i < 2; ++i) { // the variant; and the first of a method stays
            form.methodsForm().view()->setCurrentIndex(methods.index(i == 0 ? added : 0, SweepMethodModel::Method));
            QTest::keyClick(form.methodsForm().view(), Qt::Key_Delete);
            QCOMPARE(methods.rowCount(), rows);
            QVERIFY(controller().model().find(id));
        }
        TransformEditor *transforms = m_window->problemPanel().transforms();
        transforms->parentWidget()->show();
        transforms->setTransforms({{.kind = Transform::Kind::MeanNorm}, {.kind = Transform::Kind::Affine}});
        transforms->list()->setCurrentRow(0);
        transforms->list()->setFocus(Qt::MouseFocusReason);
        QTest::keyClick(transforms->list(), Qt::Key_Delete);
        QCOMPARE(transforms->transforms().size(), std::size_t(1));
        QVERIFY(controller().model().find(id));
        m_window->table().setFocus(Qt::MouseFocusReason);
        QTest::keyClick(&m_window->table(), Qt::Key_Delete);
        QVERIFY(!controller().model().find(id));
    }

    void tabGoesThroughTheStudysPlanToItsStart()
    {
        m_window->tabs().setCurrentWidget(&m_window->sensitivityPage());
        m_window->activateWindow();
        QVERIFY(QTest::qWaitForWindowActive(m_window.get()));
        const SensitivityTab &tab = m_window->sensitivity();
        const SweepForm &form = tab.form();
        const QWidget *const seen[] = {form.methodsForm().view(), form.grid().fromEdit(),
                                       form.grid().toEdit(),      form.grid().countBox(),
                                       form.grid().seedsEdit(),   form.grid().stagesBox(),
                                       form.openButton(),         form.controls().startButton(),
                                       tab.measureBox(),          &tab.view()};
        m_window->tabs().tabBar()->setFocus(Qt::TabFocusReason);
        const QWidget *const *next = std::begin(seen);
        QStringList stops;
        for (int i = 0; i < 40 && next != std::end(seen) && m_window->focusWidget() != &m_window->table(); ++i) {
            QTest::keyClick(m_window->focusWidget(), Qt::Key_Tab);
            const QWidget *stop = m_window->focusWidget();
            stops << QString::fromLatin1(stop->metaObject()->className()) + u' ' + stop->accessibleName();
            next += stop == *next ? 1 : 0;
        }
        QVERIFY2(next == std::end(seen), qPrintable(stops.join(QStringLiteral(", "))));
    }

    void tabGoesWhereTheEyeGoes()
    {
        pickMethod("svrg"); // its fields are made after all others
        m_window->activateWindow();
        QVERIFY(QTest::qWaitForWindowActive(m_window.get()));
        const auto speed = m_window->findChild<QWidget *>(QStringLiteral("speedBox"));
        speed->setFocus(Qt::TabFocusReason);
        QWidgetList stops;
        for (int i = 0; i < 60 && (stops.isEmpty() || m_window->focusWidget() != speed); ++i) {
            stops << m_window->focusWidget();
            QTest::keyClick(m_window->focusWidget(), Qt::Key_Tab);
        }
        const auto at = [&](const QWidget *widget) {
            for (qsizetype i = 0; i < stops.size(); ++i)
                if (stops[i] == widget || widget->isAncestorOf(stops[i]))
                    return i;
            return qsizetype(-1);
        };
        const QWidget *const seen[] = {speed,
                                       m_window->findChild<QWidget *>(QStringLiteral("xAxisBox")),
                                       m_window->findChild<QWidget *>(QStringLiteral("dataBox")),
                                       m_window->findChild<QWidget *>(QStringLiteral("lossBox")),
                                       m_window->problemPanel().ridgeField(),
                                       m_window->methodPanel().methodBox(),
                                       lambda(),
                                       m_window->methodPanel().form()->field(QStringLiteral("stages")),
                                       m_window->tabs().tabBar(),
                                       &m_window->curves(),
                                       &m_window->table()};
        qsizetype last = -1;
        for (const QWidget *widget : seen) {
            if (!widget)
                continue;
            QVERIFY2(at(widget) > last,
                     qPrintable(QStringLiteral("%1 %2 after %3").arg(widget->objectName()).arg(at(widget)).arg(last)));
            last = at(widget);
        }
    }
};

QTEST_MAIN(TestKeys)
#include "tst_ui_keys.moc"
