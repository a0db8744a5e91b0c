// The runs table while its runs work: what is typed into it, what it shows and what is selected in it.
#include "Actions.h"
#include "WindowTest.h"

#include "runs/RunTable.h"
#include "shell/MessageBar.h"

#include <QLineEdit>
#include <QSplitter>

using namespace appa;
using namespace appa::ui;

class TestTable : public WindowTest
{
    Q_OBJECT

    RunTable &table() { return m_window->table(); }

private slots:
    void init() { openWindow(); }
    void cleanup() { closeWindow(); }

    void aNameIsTypedWhileTheRunGoesOn()
    {
        const RunId id = stepped();
        m_window->actions().rename->trigger();
        auto *editor = table().viewport()->findChild<QLineEdit *>();
        QVERIFY(editor);
        QCOMPARE(editor->selectedText(), run(id).name);
        controller().model().problemChanged(run(id).problem.get()); // as when F_opt arrives
        QCOMPARE(editor->selectedText(), run(id).name);
        QTest::keyClicks(editor, QStringLiteral("half"));
        stepped();
        QCOMPARE(editor->text(), QStringLiteral("half"));
        QTest::keyClicks(editor, QStringLiteral(" and half"));
        QTest::keyClick(editor, Qt::Key_Return);
        QTRY_COMPARE(run(id).name, QStringLiteral("half and half"));
        m_window->actions().rename->trigger(); // once more, with what it is called now
        editor = table().viewport()->findChild<QLineEdit *>();
        QVERIFY(editor);
        QTRY_COMPARE(table().viewport()->findChildren<QLineEdit *>().size(), 1);
        QCOMPARE(table().viewport()->findChild<QLineEdit *>()->text(), QStringLiteral("half and half"));
    }

    void theSidePanelKeepsItsWidth()
    {
        const auto side = [this] { return m_window->findChild<QWidget *>(QStringLiteral("side"))->width(); };
        const auto drag = [this](int to) {
            auto *splitter =
                qobject_cast<QSplitter *>(m_window->findChild<QWidget *>(QStringLiteral("side"))->parent());
            splitter->setSizes({to, m_window->width() - to});
            emit splitter->splitterMoved(splitter->sizes().front(), 1);
        };
        for (const double scale : {1.0, 0.9}) {
            m_window->setScale(scale);
            for (const double units : {36.0, 38.0}) {
                drag(m_window->theme().space(units));
                const int width = side();
                QVERIFY(std::abs(width - m_window->theme().space(units)) <= 2);
                m_window->setThemeMode(ThemeMode::Dark);
                QVERIFY(std::abs(side() - width) <= 2);
                m_window->actions().panel->toggle();
                m_window->actions().panel->toggle();
                QTRY_VERIFY(std::abs(side() - width) <= 2);
                closeWindow();
                openWindow();
                QTRY_VERIFY2(std::abs(side() - width) <= 2, qPrintable(QString::number(side())));
            }
        }
        m_window->setScale(1);
    }

    void aClickBelowTheRowsLeavesTheSelection()
    {
        const RunId id = stepped();
        QVERIFY(table().selectedRuns().contains(id));
        const QPoint below(20, table().viewport()->height() - 2);
        QVERIFY(!table().indexAt(below).isValid());
        QTest::mouseClick(table().viewport(), Qt::LeftButton, {}, below);
        QCOMPARE(table().selectedRuns(), QList<RunId>{id});
    }

    void theProblemsAreToldByTheirDataFirst()
    {
        stepped();
        ProblemSpec other = otherProblem();
        other.recipe.source = "ill-conditioned:n=400,d=20,seed=3";
        load(other);
        const RunModel &model = controller().model();
        const auto told = [&](int row) { return model.index(row, RunModel::Problem).data().toString(); };
        QCOMPARE(told(0), QStringLiteral("ill-conditioned:n=400,d=30,seed=3")); // which says it; the ridge need not
        QCOMPARE(told(1), QStringLiteral("ill-conditioned:n=400,d=20,seed=3"));
        // That the charts are now of another problem is said.
        QVERIFY(m_window->messages().text().startsWith(QStringLiteral("Another problem")));
    }
};

QTEST_MAIN(TestTable)
#include "tst_ui_table.moc"
