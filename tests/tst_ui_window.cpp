// The window as a person uses it: real widgets, a real solver, assertions on the model and on what is drawn.
#include "Actions.h"
#include "CommandText.h"
#include "MainWindow.h"
#include "WindowTest.h"

#include "charts/CurvesView.h"
#include "charts/PlotView.h"
#include "dialogs/ExportDialog.h"
#include "dialogs/OpenDialog.h"
#include "form/LogSlider.h"
#include "form/ParamField.h"
#include "form/ParamForm.h"
#include "panels/MethodPanel.h"
#include "panels/ProblemPanel.h"
#include "runs/RunTable.h"
#include "shell/MessageBar.h"
#include "sweep/SensitivityTab.h"
#include "sweep/SweepControls.h"
#include "sweep/SweepForm.h"
#include "sweep/SweepGridForm.h"
#include "sweep/SweepMethodsForm.h"
#include "views/CompareView.h"
#include "views/LogView.h"

#include <QComboBox>
#include <QFile>
#include <QFileDialog>
#include <QImage>
#include <QLineEdit>
#include <QMenu>
#include <QPlainTextEdit>
#include <QPointer>
#include <QProxyStyle>
#include <QPushButton>
#include <QScreen>
#include <QSettings>
#include <QSignalSpy>
#include <QSpinBox>
#include <QSplitter>
#include <QStatusBar>
#include <QStatusTipEvent>
#include <QTableWidget>
#include <QTest>
#include <QTextBlock>
#include <QToolBar>
#include <QToolButton>
#include <QToolTip>
#include <QWheelEvent>

using namespace appa;
using namespace appa::ui;

class TestWindow : public WindowTest
{
    Q_OBJECT

private slots:
    void init() { openWindow(); }
    void cleanup() { closeWindow(); }

    void spaceRunsToTheEndAndTheCurvesAreDrawn()
    {
        const RunId id = m_window->currentRun();
        QCOMPARE(run(id).status, RunStatus::Ready);
        press(Qt::Key_Space);
        QTRY_COMPARE_WITH_TIMEOUT(run(id).status, RunStatus::Finished, 20000);
        QCOMPARE(run(id).stage, Index(20));
        QCOMPARE(run(id).trace.points.size(), std::size_t(21));
        QVERIFY(run(id).trace.points.back().loss < run(id).trace.points.front().loss);
        QTRY_VERIFY(controller().problem()->optimum.has_value());
        QVERIFY(drawn(id) >= 10);
        QVERIFY(excessOf(run(id), run(id).trace.points.back().loss) >= -controller().problem()->optimum->floor);
        const auto readings = m_window->curves().readingsAt(1);
        QCOMPARE(readings.size(), std::size_t(1));
        QVERIFY(std::isfinite(readings[0].excess));
    }

    void aFinishedRunThatWasChangedGoesOnAtOnce()
    {
        const RunId id = m_window->currentRun();
        press(Qt::Key_Space);
        QTRY_COMPARE_WITH_TIMEOUT(run(id).status, RunStatus::Finished, 20000);
        controller().change(id, QStringLiteral("lambda"), 0.5);
        QTRY_COMPARE(run(id).status, RunStatus::Paused);
        press(Qt::Key_Space);
        QTRY_COMPARE_WITH_TIMEOUT(run(id).stage, Index(40), 20000);
    }

    void aFirstLaunchRunsSlowlyEnoughToTakeHoldOfIt()
    {
        QSettings().clear();
        m_window = std::make_unique<MainWindow>();
        m_window->show();
        QVERIFY(QTest::qWaitForWindowActive(m_window.get()));
        QCOMPARE(controller().stagesPerSecond(), 2.0);
        press(Qt::Key_Greater); // and the keys go through the speeds to the end
        QCOMPARE(controller().stagesPerSecond(), 5.0);
        for (int i = 0; i < 10; ++i)
            press(Qt::Key_Greater);
        QCOMPARE(controller().stagesPerSecond(), 0.0);
        press(Qt::Key_Less);
        QCOMPARE(controller().stagesPerSecond(), 20.0);
        m_window->close(); // it is remembered
        m_window = std::make_unique<MainWindow>();
        QCOMPARE(controller().stagesPerSecond(), 20.0);
    }

    void spaceRunsWhereverTheFocusIs_data()
    {
        QTest::addColumn<QString>("name");
        QTest::addColumn<bool>("runs");
        for (const char *name : {"methodBox", "innerBox", "dataBox", "lossBox", "speedBox", "xAxisBox", "runTable"})
            QTest::newRow(name) << QString::fromLatin1(name) << true;
        QTest::newRow("number field") << QStringLiteral("number") << true;
        QTest::newRow("number being typed") << QStringLiteral("typed") << false;
        QTest::newRow("name being typed") << QStringLiteral("renamed") << false;
        QTest::newRow("button reached with Tab") << QStringLiteral("tabbed") << false;
    }
    void spaceRunsWhereverTheFocusIs()
    {
        QFETCH(QString, name);
        QFETCH(bool, runs);
        controller().change(m_window->currentRun(), QStringLiteral("stages"), 1e6);
        QVERIFY(QTest::qWaitForWindowActive(m_window.get()));
        QWidget *widget = nullptr;
        if (name == QLatin1String("number") || name == QLatin1String("typed")) {
            widget = lambda()->lineEdit();
        } else if (name == QLatin1String("renamed")) {
            m_window->actions().rename->trigger();
            QTRY_VERIFY(qobject_cast<QLineEdit *>(QApplication::focusWidget()));
            widget = QApplication::focusWidget();
        } else if (name == QLatin1String("tabbed")) {
            widget = m_window->findChild<QWidget *>(QStringLiteral("sectionTitle"));
        } else {
            widget = m_window->findChild<QWidget *>(name);
        }
        QVERIFY(widget);
        widget->setFocus(name == QLatin1String("tabbed") ? Qt::TabFocusReason : Qt::MouseFocusReason);
        QTRY_COMPARE(QApplication::focusWidget(), widget);
        if (name == QLatin1String("typed"))
            QTest::keyClick(widget, Qt::Key_1);
        QTest::keyClick(widget, Qt::Key_Space);
        QVERIFY(!QApplication::activePopupWidget());
        if (runs) {
            QTRY_COMPARE(current().status, RunStatus::Running);
            QTest::keyClick(widget, Qt::Key_Space);
            QTRY_COMPARE(current().status, RunStatus::Paused);
        } else {
            QCoreApplication::processEvents();
            QCOMPARE(current().status, RunStatus::Ready);
        }
    }

    void spaceTicksTheMethodsOfAStudy()
    {
        m_window->tabs().setCurrentWidget(&m_window->sensitivityPage());
        QVERIFY(QTest::qWaitForWindowActive(m_window.get()));
        auto *methods = m_window->findChild<QTableView *>(QStringLiteral("sweepMethods"));
        QVERIFY(methods);
        methods->setFocus(Qt::TabFocusReason);
        QTRY_COMPARE(QApplication::focusWidget(), methods);
        const QModelIndex first = methods->model()->index(0, 0);
        methods->setCurrentIndex(first);
        const int before = first.data(Qt::CheckStateRole).toInt();
        QTest::keyClick(methods, Qt::Key_Space);
        QVERIFY(first.data(Qt::CheckStateRole).toInt() != before);
        QCoreApplication::processEvents();
        QCOMPARE(current().status, RunStatus::Ready);
    }

    void whatCountsAsAPassIsTheSameInCurvesAndStudies()
    {
        auto *study = m_window->findChild<SensitivityTab *>();
        QVERIFY(study);
        QAction *count = m_window->actions().countFull;
        for (int i = 0; i < 2; ++i) {
            count->toggle();
            QCOMPARE(study->controller().table().countsFullGradients(), count->isChecked());
        }
    }

    void lambdaDraggedWhileItRunsActsAndIsMarked()
    {
        const RunId id = m_window->currentRun();
        controller().change(id, QStringLiteral("stages"), 1e6);
        press(Qt::Key_Space);
        QTRY_VERIFY(run(id).stage > 2);
        LogSlider *slider = lambda()->slider();
        QVERIFY(slider);
        const double before = run(id).effective.real("lambda");
        QTest::keyClick(slider, Qt::Key_PageUp);
        QTRY_VERIFY(!run(id).trace.events.empty());
        const RunEvent event = run(id).trace.events.front();
        QCOMPARE(event.key, std::string("lambda"));
        QTRY_COMPARE(run(id).effective.real("lambda"), slider->value());
        QVERIFY(run(id).effective.real("lambda") > 5 * before);
        // The marker is on the chart, with its label.
        m_window->curves().flush();
        const auto &curves = m_window->curves().data().curves;
        const auto curve = std::ranges::find(curves, id, &Curve::runId);
        QVERIFY(curve != curves.end());
        QCOMPARE(curve->events.size(), run(id).trace.events.size());
        QVERIFY(!event.label.empty());
        QVERIFY(m_window->log().text().contains(QStringLiteral("λ")));
        press(Qt::Key_Space);
        QTRY_COMPARE(run(id).status, RunStatus::Paused);
    }

    void theVariantIsSwitchedOnTheSameIterate()
    {
        const RunId id = m_window->currentRun();
        press(Qt::Key_Period);
        QTRY_COMPARE(run(id).stage, Index(1));
        QTRY_COMPARE(run(id).status, RunStatus::Paused);
        QTRY_COMPARE(run(id).trace.points.size(), std::size_t(2)); // measured beside: a little later
        const double loss = run(id).trace.points.back().loss;
        pickMethod("accelerated-appa");
        QTRY_COMPARE(run(id).method, std::string("accelerated-appa"));
        QCOMPARE(m_window->methodPanel().methodBox()->currentData().toString(), QStringLiteral("accelerated-appa"));
        QCOMPARE(run(id).trace.events.size(), std::size_t(1));
        QCOMPARE(run(id).trace.events[0].kind, RunEvent::Kind::Method);
        QCOMPARE(run(id).trace.points.back().loss, loss);
        press(Qt::Key_Period);
        QTRY_COMPARE(run(id).trace.points.size(), std::size_t(3));
        QVERIFY(run(id).trace.points.back().loss <= loss);
    }

    void stepsForwardAndBackAndForwardGiveTheSameNumbers()
    {
        const RunId id = m_window->currentRun();
        for (Index stage = 1; stage <= 3; ++stage) {
            press(Qt::Key_Period);
            QTRY_COMPARE(run(id).stage, stage);
            QTRY_COMPARE(run(id).trace.points.size(), std::size_t(stage + 1));
        }
        const double third = run(id).trace.points[3].loss;
        press(Qt::Key_Comma);
        QTRY_COMPARE(run(id).stage, Index(2));
        QTRY_COMPARE(run(id).trace.points.size(), std::size_t(3));
        m_window->curves().flush();
        const auto &curves = m_window->curves().data().curves;
        QCOMPARE(std::ranges::find(curves, id, &Curve::runId)->points.size(), std::size_t(3));
        press(Qt::Key_Period);
        QTRY_COMPARE(run(id).trace.points.size(), std::size_t(4));
        QCOMPARE(run(id).trace.points[3].loss, third);
    }

    void aForkGoesOnWithTheSameRandomStream()
    {
        const RunId parent = m_window->currentRun();
        press(Qt::Key_Period);
        QTRY_COMPARE(run(parent).trace.points.size(), std::size_t(2));
        QTRY_COMPARE(run(parent).status, RunStatus::Paused);
        press(Qt::Key_F);
        const RunId child = m_window->currentRun();
        QVERIFY(child != parent);
        QTRY_COMPARE(run(child).trace.points.size(), std::size_t(2));
        controller().stepStage(parent);
        controller().stepStage(child);
        QTRY_COMPARE(run(parent).trace.points.size(), std::size_t(3));
        QTRY_COMPARE(run(child).trace.points.size(), std::size_t(3));
        QCOMPARE(run(child).trace.points[2].loss, run(parent).trace.points[2].loss);
        QVERIFY(run(child).colour != run(parent).colour);
        QVERIFY(drawn(child) > 0);
    }

    void restartParametersWaitForARestart()
    {
        const RunId id = m_window->currentRun();
        press(Qt::Key_Period);
        QTRY_COMPARE(run(id).stage, Index(1));
        ParamField *seed = m_window->methodPanel().runForm()->field(QStringLiteral("seed"));
        seed->lineEdit()->setText(QStringLiteral("7"));
        seed->lineEdit()->setModified(true);
        QTest::keyClick(seed->lineEdit(), Qt::Key_Return);
        QTRY_VERIFY(run(id).pending.contains("seed"));
        QTRY_VERIFY(seed->isPending());
        QCOMPARE(run(id).spec.seed, std::uint64_t(1));
        press(Qt::Key_R, Qt::ControlModifier);
        QTRY_VERIFY(m_window->currentRun() != id);
        QCOMPARE(current().spec.seed, std::uint64_t(7));
        QTRY_VERIFY_WITH_TIMEOUT(current().status == RunStatus::Finished, 20000);
        press(Qt::Key_Z, Qt::ControlModifier);
        QTRY_VERIFY(controller().model().find(id));
        QCOMPARE(run(id).stage, Index(1));
    }

    void whatIsChangedBackWaitsForNothing()
    {
        const RunId id = stepped();
        const auto *restart = m_window->methodPanel().findChild<QPushButton *>();
        QVERIFY(restart);
        ParamField *seed = m_window->methodPanel().runForm()->field(QStringLiteral("seed"));
        for (const int by : {1, -1, 1}) {
            seed->stepBy(by);
            QTRY_COMPARE(seed->isPending(), by > 0);
            QCOMPARE(!restart->isHidden(), by > 0);
            QCOMPARE(run(id).pending.contains("seed"), by > 0);
        }
        const MethodInfo *info = findMethod(run(id).method);
        for (const ParamSpec &spec : paramsOf(*info, run(id).inner)) {
            if (spec.change != ParamSpec::Change::Restart || spec.type != ParamSpec::Type::Choice)
                continue;
            const QString key = QString::fromStdString(spec.key);
            for (const std::string &choice : spec.choices) {
                controller().change(id, key, choice);
                QCOMPARE(run(id).pending.contains(spec.key), ParamValue(choice) != spec.defaultValue);
            }
        }
    }

    void anEditMadeWhileAProblemIsMadeIsKept()
    {
        ProblemPanel &panel = m_window->problemPanel();
        std::vector<ProblemSpec> asked;
        std::vector<ProblemSpec> shown; // when a problem is there
        QObject until;
        connect(&panel, &ProblemPanel::specEdited, &until, [&](const ProblemSpec &spec) {
            asked.push_back(spec);
            if (asked.size() == 1)
                panel.ridgeField()->stepBy(1); // before its problem can be there
        });
        connect(&controller(), &RunController::problemChanged, &until, [&] { shown.push_back(panel.spec()); });
        panel.ridgeField()->stepBy(1);
        QTRY_COMPARE(asked.size(), std::size_t(2));
        QVERIFY(asked[1].ridge > asked[0].ridge);
        QTRY_VERIFY(controller().problem()->spec == asked[1]);
        QVERIFY(shown.back() == asked[1]);
        QVERIFY(shown.size() < 2 || shown.front() == asked[1]);
    }

    void invalidTextIsRefusedBesideTheField()
    {
        const RunId id = m_window->currentRun();
        const ParamSet before = run(id).spec.params;
        QLineEdit *line = lambda()->lineEdit();
        line->selectAll();
        QTest::keyClicks(line, QStringLiteral("-3"));
        QTest::keyClick(line, Qt::Key_Return);
        QVERIFY(!lambda()->errorText().isEmpty());
        QCOMPARE(run(id).spec.params, before);
    }

    void aFailedProblemLeavesTheOldOneInPlace()
    {
        const ProblemStatePtr before = controller().problem();
        ProblemSpec bad = smallProblem();
        bad.recipe.source = "/nonexistent/data.csv";
        QSignalSpy failed(&controller(), &RunController::loadFailed);
        controller().setProblem(bad);
        QTRY_COMPARE(failed.count(), 1);
        QCOMPARE(controller().problem(), before);
        QVERIFY(m_window->messages().text().contains(QStringLiteral("data.csv")));
        QCOMPARE(m_window->problemPanel().spec(), before->spec);
    }

    void aFileThatIsToBeReadOtherwiseOpensItsDialog()
    {
        QFile file(m_folder.filePath(QStringLiteral("gaps.csv")));
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write("a,b,y\n1,2,0\n2,,1\n3,3,0\n4,1,1\n");
        file.close();
        ProblemSpec gaps = smallProblem();
        gaps.recipe = {};
        gaps.recipe.source = file.fileName().toStdString();
        gaps.recipe.transforms = {{.kind = Transform::Kind::Affine}};
        controller().setProblem(gaps);
        QTRY_VERIFY2(m_window->messages().text().contains(QStringLiteral("gaps.csv")),
                     qPrintable(m_window->messages().text()));
        QVERIFY(m_window->messages().actionButton()->isVisible());
        m_window->messages().actionButton()->click();
        const auto *dialog = m_window->findChild<OpenDialog *>();
        QVERIFY(dialog);
        QTRY_COMPARE(dialog->remedyButtons().size(), 3);
        dialog->remedyButtons()[1]->click();
        QTRY_VERIFY(dialog->openButton()->isEnabled());
        dialog->openButton()->click();
        QTRY_COMPARE(controller().problem()->spec.recipe.source, gaps.recipe.source);
        gaps.recipe.columns.missing = ColumnChoice::Missing::Mean;
        QCOMPARE(controller().problem()->spec.recipe, gaps.recipe); // the transforms with it
    }

    void aNewProblemBringsANewRunAndHidesTheOldCurves()
    {
        const RunId first = m_window->currentRun();
        press(Qt::Key_Period);
        QTRY_COMPARE(run(first).stage, Index(1));
        ProblemSpec other = smallProblem();
        other.ridge = 1e-3;
        load(other);
        QVERIFY(m_window->currentRun() != first);
        QVERIFY(controller().model().find(first));
        QCOMPARE(m_window->curves().data().curves.size(), std::size_t(1));
        m_window->setCurrentRun(first);
        QCOMPARE(m_window->curves().data().curves.front().runId, first);
    }

    void dataThatDoesNotGoWithTheLossBringsTheOneThatFits()
    {
        const auto write = [this](const char *name, const QByteArray &content) {
            QFile file(m_folder.filePath(QString::fromLatin1(name)));
            [&] { QVERIFY(file.open(QIODevice::WriteOnly) && file.write(content) == content.size()); }();
            return file.fileName().toStdString();
        };
        const std::string three = write("three.csv", "a,b,kind\n1,2,x\n2,1,y\n3,3,z\n1,1,x\n2,2,y\n3,1,z\n");
        const std::string real = write("real.csv", "a,b,price\n1,2,0.5\n2,1,1.75\n3,3,2.5\n1,1,0.25\n");
        const auto choose = [this](const std::string &path, bool regression) {
            ProblemSpec spec = m_window->problemPanel().spec();
            spec.recipe = {};
            spec.recipe.source = path;
            spec.recipe.regression = regression;
            emit m_window->problemPanel().specEdited(spec);
        };
        QCOMPARE(controller().problem()->spec.loss, std::string("squared"));
        choose(three, false);
        QTRY_COMPARE(controller().problem()->spec.loss, std::string("softmax"));
        QCOMPARE(m_window->problemPanel().lossBox()->currentData().toString(), QStringLiteral("softmax"));
        QCOMPARE(m_window->messages().text(), QStringLiteral("three.csv has 3 classes: the loss is now softmax."));
        choose(real, true);
        QTRY_COMPARE(controller().problem()->spec.loss, std::string("squared"));
        QCOMPARE(m_window->messages().text(), QStringLiteral("real.csv has real targets: the loss is now squared."));
        // What is asked for by name is not exchanged for something else.
        ProblemSpec demand = controller().problem()->spec;
        demand.recipe = {};
        demand.recipe.source = three;
        demand.loss = "logistic";
        QSignalSpy failed(&controller(), &RunController::loadFailed);
        controller().setProblem(demand, LossIs::ADemand);
        QTRY_COMPARE(failed.count(), 1);
    }

    void aRunThatDivergedInItsFirstStageStaysBesideAnotherProblem()
    {
        pickMethod("svrg");
        QTRY_VERIFY(current().method == "svrg" && current().live);
        const RunId id = m_window->currentRun();
        controller().change(id, QStringLiteral("lambda"), 1e8);
        QTRY_VERIFY(current().live);
        controller().resume(id);
        QTRY_COMPARE(run(id).status, RunStatus::Diverged);
        QVERIFY(!run(id).hasStarted()); // it is back where it was
        load(otherProblem());
        QVERIFY(controller().model().find(id));
    }

    void aStudyThatTheEndInterruptedIsOfferedAgain()
    {
        SweepPlan plan;
        plan.methods = parseSweepMethods("gd").value();
        plan.lambdas = {1e-3, 1e-2};
        plan.seeds = {1, 2, 3};
        plan.stages = 100000;
        SweepController &study = m_window->sensitivity().controller();
        study.setStudiesFolder(m_folder.filePath(QStringLiteral("studies")));
        QCOMPARE(study.start(plan, 1), QString());
        QVERIFY(study.isActive());
        closeWindow();
        m_window = std::make_unique<MainWindow>();
        m_window->show();
        m_window->begin();
        QVERIFY2(m_window->messages().text().contains(QStringLiteral("0 of 6 runs")),
                 qPrintable(m_window->messages().text()));
        m_window->messages().actionButton()->click();
        QTRY_VERIFY(controller().problem() && controller().problem()->spec == smallProblem());
        QTRY_VERIFY(m_window->sensitivity().controller().canContinue());
        QCOMPARE(m_window->sensitivity().form().grid().stagesBox()->value(),
                 m_window->sensitivity().form().grid().stagesBox()->maximum());
        // Once it was shown it is no longer offered.
        closeWindow();
        m_window = std::make_unique<MainWindow>();
        m_window->show();
        m_window->begin();
        QVERIFY(!m_window->messages().text().contains(QStringLiteral("study")));
    }

    void comparesTheParametersOfTwoRuns()
    {
        press(Qt::Key_N);
        pickMethod("sdca");
        QTRY_COMPARE(current().method, std::string("sdca"));
        const auto &runs = controller().model().runs();
        m_window->compareView().compare(runs[0]->id, runs[1]->id);
        QTableWidget *table = m_window->compareView().table();
        QStringList left;
        QStringList right;
        for (int row = 0; row < table->rowCount(); ++row) {
            left << table->item(row, 1)->text();
            right << table->item(row, 2)->text();
        }
        QVERIFY(left != right);
        QVERIFY(right.contains(QStringLiteral("SDCA")));
    }

    void exportsFiguresAndNumbers_data()
    {
        QTest::addColumn<QString>("suffix");
        QTest::addColumn<QByteArray>("begins");
        QTest::newRow("png") << QStringLiteral("png") << QByteArray("\x89PNG");
        QTest::newRow("svg") << QStringLiteral("svg") << QByteArray("<?xml");
        QTest::newRow("pdf") << QStringLiteral("pdf") << QByteArray("%PDF");
        QTest::newRow("csv") << QStringLiteral("csv") << QByteArray("run,stage,step,passes");
    }
    void exportsFiguresAndNumbers()
    {
        QFETCH(QString, suffix);
        QFETCH(QByteArray, begins);
        press(Qt::Key_Period);
        QTRY_COMPARE(current().trace.points.size(), std::size_t(2));
        const QString path = m_folder.filePath(QStringLiteral("figure.") + suffix);
        m_window->exportTo(path, m_window->curvesExport());
        QTRY_VERIFY(m_window->messages().text().contains(path));
        QFile file(path);
        QVERIFY(file.open(QIODevice::ReadOnly));
        const QByteArray content = file.readAll();
        QVERIFY2(content.startsWith(begins), content.left(20).constData());
        if (suffix == QLatin1String("csv"))
            QCOMPARE(content.count('\n'), 3);
    }

    void anEmptyChartIsNotExported()
    {
        m_window->actions().exportFigure->trigger();
        QVERIFY(m_window->messages().text().contains(QStringLiteral("nothing to draw")));
        QVERIFY(!m_window->findChild<ExportDialog *>());
        stepped();
        m_window->curves().flush();
        m_window->actions().exportFigure->trigger();
        QVERIFY(m_window->findChild<ExportDialog *>());
    }

    void anUnwritableExportSaysSo()
    {
        m_window->exportTo(QStringLiteral("/nonexistent/folder/figure.png"), m_window->curvesExport());
        QTRY_VERIFY(m_window->messages().text().contains(QStringLiteral("/nonexistent/folder")));
        QCOMPARE(m_window->messages().level(), Level::Error);
    }

    void theExportDialogStaysUntilItIsWritten()
    {
        stepped();
        m_window->curves().flush();
        m_window->actions().exportFigure->trigger();
        const QPointer<ExportDialog> dialog = m_window->findChild<ExportDialog *>();
        QVERIFY(dialog);
        const auto choose = [&](const QString &path) {
            emit dialog->exportRequested();
            auto *where = m_window->findChild<QFileDialog *>();
            QVERIFY(where);
            emit where->fileSelected(path);
            delete where;
        };
        choose(QStringLiteral("/nonexistent/folder/figure.png"));
        QTRY_VERIFY(dialog && dialog->noteText().contains(QStringLiteral("/nonexistent/folder")));
        QVERIFY(dialog->isVisible());
        choose(m_folder.filePath(QStringLiteral("figure.png")));
        QTRY_VERIFY(!dialog);
    }

    void theExportDialogWritesTheNumbersItWasOpenedFor()
    {
        const RunId id = stepped();
        m_window->curves().flush();
        QSettings().setValue(QStringLiteral("export/format"), static_cast<int>(ExportDialog::Format::Csv));
        m_window->actions().exportFigure->trigger();
        QSettings().remove(QStringLiteral("export/format"));
        const QPointer<ExportDialog> dialog = m_window->findChild<ExportDialog *>();
        QVERIFY(dialog);
        load(otherProblem());
        emit dialog->exportRequested();
        const QString path = m_folder.filePath(QStringLiteral("opened-for.csv"));
        emit m_window->findChild<QFileDialog *>()->fileSelected(path);
        QTRY_VERIFY(!dialog);
        QFile file(path);
        QVERIFY(file.open(QIODevice::ReadOnly));
        QCOMPARE(file.readAll().count('\n'), static_cast<qsizetype>(run(id).trace.points.size()) + 1);
    }

    void theWheelChangesOnlyTheFieldInFocus()
    {
        const auto turn = [](QWidget *widget) {
            const QPointF at = QRectF(widget->rect()).center();
            QWheelEvent event(at, widget->mapToGlobal(at), {}, {0, -120}, Qt::NoButton, Qt::NoModifier,
                              Qt::NoScrollPhase, false);
            QCoreApplication::sendEvent(widget, &event);
            return event.isAccepted(); // if not, it goes on to the panel, which scrolls
        };
        m_window->activateWindow();
        QVERIFY(QTest::qWaitForWindowActive(m_window.get()));
        for (QComboBox *box : {m_window->methodPanel().methodBox(), m_window->methodPanel().innerBox(),
                               m_window->problemPanel().dataBox(), m_window->problemPanel().lossBox()}) {
            m_window->curves().setFocus();
            const int before = box->currentIndex();
            QVERIFY2(!turn(box), qPrintable(box->objectName()));
            QCOMPARE(box->currentIndex(), before);
            QVERIFY(box->focusPolicy() == Qt::StrongFocus); // the wheel does not bring it either
        }
        QVERIFY(!turn(lambda()->slider()));
        QSpinBox *stages = m_window->sensitivity().form().grid().stagesBox();
        m_window->tabs().setCurrentWidget(&m_window->sensitivityPage());
        m_window->methodPanel().methodBox()->setFocus();
        QVERIFY(!turn(stages));
        QVERIFY(turn(m_window->methodPanel().methodBox()));
        stages->setFocus();
        QVERIFY(turn(stages));
    }

    void theRunIconStandsOutOnItsButtonAndInMenus()
    {
        const auto shows = [](const QIcon &icon, const QColor &colour) {
            const QImage image = icon.pixmap(32).toImage();
            for (int y = 0; y < image.height(); ++y)
                for (int x = 0; x < image.width(); ++x)
                    if (image.pixelColor(x, y) == colour)
                        return true;
            return false;
        };
        const auto *button = m_window->findChild<QToolButton *>(QStringLiteral("runButton"));
        for (const ThemeMode mode : {ThemeMode::Light, ThemeMode::Dark}) {
            m_window->setThemeMode(mode);
            QVERIFY(shows(m_window->actions().run->icon(), m_window->theme().text));
            QVERIFY(shows(button->icon(), m_window->theme().accentText));
        }
    }

    void whatStartsAStudyIsInSightInALowWindow()
    {
        const QPushButton *start = m_window->sensitivity().form().controls().startButton();
        m_window->tabs().setCurrentWidget(&m_window->sensitivityPage());
        m_window->resize(960, 500);
        QTRY_COMPARE(start->visibleRegion().boundingRect(), start->rect());
        m_window->lessonMenu().actions().front()->trigger();
        m_window->tabs().setCurrentWidget(&m_window->sensitivityPage());
        m_window->resize(1024, 740);
        QTRY_COMPARE(start->visibleRegion().boundingRect(), start->rect());
    }

    void unevenColumnsAreStandardizedFromThePanel()
    {
        QFile file(m_folder.filePath(QStringLiteral("uneven.csv")));
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write("a,b,y\n");
        for (int i = 0; i < 40; ++i)
            file.write(QByteArray::number(i % 7) + ',' + QByteArray::number(100000 * (i % 5)) + ','
                       + QByteArray::number(0.5 * i) + '\n');
        file.close();
        const QPushButton *button = m_window->problemPanel().standardizeButton();
        QVERIFY(button->isHidden());
        ProblemSpec spec;
        spec.recipe.source = file.fileName().toStdString();
        load(spec);
        QVERIFY(!button->isHidden());
        m_window->problemPanel().ridgeField()->stepBy(1); // of the same data
        QTRY_VERIFY(controller().problem()->spec.ridge > 0);
        QVERIFY(!button->isHidden());
        m_window->problemPanel().standardizeButton()->click();
        QTRY_COMPARE(controller().problem()->spec.recipe.transforms.size(), std::size_t(1));
        QCOMPARE(controller().problem()->spec.recipe.transforms[0].kind, Transform::Kind::StandardizeColumns);
        QVERIFY(button->isHidden());
    }

    void theWindowFitsHalfAScreenOfFullHd()
    {
        m_window->resize(960, 500); // 1920 x 1080 at twice the size, less the title
        QCoreApplication::processEvents();
        QCOMPARE(m_window->size(), QSize(960, 500));
    }

    void theToolBarStaysWhereItIsWhenRunSaysPause()
    {
        auto *bar = m_window->findChild<QToolBar *>(QStringLiteral("transport"));
        auto *button = m_window->findChild<QToolButton *>(QStringLiteral("runButton"));
        const auto places = [&] {
            QCoreApplication::processEvents();
            return std::pair(button->width(), bar->widgetForAction(m_window->actions().step)->x());
        };
        const auto before = places();
        m_window->actions().setRunning(true);
        QCOMPARE(button->text(), QStringLiteral("Pause"));
        QCOMPARE(places(), before);
        QCOMPARE(button->font().family(), m_window->theme().font(TextRole::Strong).family());
    }

    void aNarrowWindowKeepsEveryButtonInSight()
    {
        m_window->resize(1024, 700);
        QCoreApplication::processEvents();
        QCOMPARE(m_window->size(), QSize(1024, 700)); // nothing in it needs more
        for (const char *name : {"runButton", "speedBox", "xAxisBox", "menuButton"})
            QVERIFY2(m_window->findChild<QWidget *>(QString::fromLatin1(name))->isVisible(), name);
    }

    void largerTypeStillFitsASmallScreen()
    {
        for (int step = 0; step < 5; ++step)
            m_window->actions().larger->trigger();
        m_window->resize(1024, 800);
        QCoreApplication::processEvents();
        QCOMPARE(m_window->size(), QSize(1024, 800));
        const auto inSight = [this](QWidget *widget) {
            return widget && widget->isVisible()
                && m_window->rect().contains(QRect(widget->mapTo(m_window.get(), QPoint()), widget->size()));
        };
        for (const char *name : {"runButton", "speedBox", "xAxisBox", "menuButton"})
            QVERIFY2(inSight(m_window->findChild<QWidget *>(QString::fromLatin1(name))), name);
        // Wider again, what gave way is back, in its old order.
        auto *bar = m_window->findChild<QToolBar *>(QStringLiteral("transport"));
        const QList<QAction *> narrow = bar->actions();
        QVERIFY(narrow.contains(m_window->actions().newRun) && narrow.contains(m_window->actions().fork));
        QVERIFY(!narrow.contains(m_window->actions().help));
        m_window->actions().normal->trigger();
        m_window->resize(1440, 900);
        QCoreApplication::processEvents();
        const QList<QAction *> wide = bar->actions();
        const Actions &a = m_window->actions();
        QCOMPARE(wide.mid(wide.size() - 7, 6),
                 (QList<QAction *>{a.open, a.save, a.exportFigure, a.lessons, a.theme, a.help}));
        QVERIFY(inSight(bar->widgetForAction(a.help)));
    }

    void aPresentationLeavesTheKeysToTheCharts()
    {
        QVERIFY(QTest::qWaitForWindowActive(m_window.get()));
        m_window->table().setFocus(); // which goes
        press(Qt::Key_F5);
        QTRY_COMPARE(QApplication::focusWidget(), &m_window->curves());
        press(Qt::Key_F5);
        m_window->table().setFocus();
        press(Qt::Key_F9, Qt::ShiftModifier);
        QVERIFY(!m_window->table().isVisible());
        QTRY_COMPARE(QApplication::focusWidget(), &m_window->curves());
        press(Qt::Key_F9, Qt::ShiftModifier);
    }

    void aPresentationKeepsVariantLambdaAndTheFigures()
    {
        MethodPanel &method = m_window->methodPanel();
        auto *now = m_window->findChild<QWidget *>(QStringLiteral("now"));
        auto *side = m_window->findChild<QWidget *>(QStringLiteral("side"));
        const int wide = side->width();
        const auto showsAll = [&] { return method.methodBox()->isVisible() && method.runForm()->isVisible(); };
        QVERIFY(showsAll());
        press(Qt::Key_F5);
        QVERIFY(now->isVisible() && lambda()->isVisible() && lambda()->slider()->isVisible());
        QVERIFY(method.methodBox()->isVisible() && !method.innerBox()->isVisible());
        QVERIFY(!method.runForm()->isVisible() && !m_window->problemPanel().isVisible());
        pickMethod("accelerated-appa"); // other fields
        QTRY_COMPARE(current().method, std::string("accelerated-appa"));
        QVERIFY(lambda()->isVisible() && !method.innerBox()->isVisible());
        press(Qt::Key_F9);
        QVERIFY(showsAll());
        press(Qt::Key_F9);
        QVERIFY(now->isVisible() && !showsAll());
        press(Qt::Key_F5);
        QVERIFY(showsAll());
        QCoreApplication::processEvents();
        QCOMPARE(side->width(), wide);
    }

    void aPresentationNamesItsBoxesInItsOwnType()
    {
        press(Qt::Key_F5);
        m_window->actions().fullScreen->setChecked(false); // on a larger screen than this one
        m_window->resize(1400, 860);
        QCoreApplication::processEvents();
        for (const char *name : {"speedBox", "xAxisBox"}) {
            const auto *box = m_window->findChild<QComboBox *>(QLatin1String(name));
            QCOMPARE(box->font().pixelSize(), m_window->theme().font(TextRole::Body).pixelSize());
        }
        for (const QLabel *label : m_window->findChildren<QLabel *>(QStringLiteral("toolLabel")))
            QTRY_VERIFY2(label->isVisible(), qPrintable(label->text()));
        press(Qt::Key_F5);
    }

    void aPresentationFitsItsScreen()
    {
        m_window->lessonMenu().actions().front()->trigger();
        press(Qt::Key_F5);
        QCoreApplication::processEvents();
        QCOMPARE(m_window->size(), m_window->screen()->size());
        for (const char *name : {"runButton", "speedBox", "lessonNext"}) {
            const auto *widget = m_window->findChild<QWidget *>(QLatin1String(name));
            QVERIFY2(m_window->rect().contains(QRect(widget->mapTo(m_window.get(), QPoint()), widget->size())), name);
        }
        press(Qt::Key_F5);
    }

    void inALowWindowTheTableHasTheRoomOfItsRows()
    {
        m_window->resize(1200, 600);
        QCoreApplication::processEvents();
        RunTable &table = m_window->table();
        QTRY_VERIFY(table.height() < table.heightOf(2)); // one row
        for (int i = 0; i < 5; ++i)
            press(Qt::Key_N);
        QCoreApplication::processEvents();
        QCOMPARE(table.height(), table.heightOf(4));
        m_window->resize(1200, 900);
        QCoreApplication::processEvents();
        QVERIFY(table.height() > table.heightOf(4));
        auto *splitter = qobject_cast<QSplitter *>(table.parentWidget());
        emit splitter->splitterMoved(0, 1); // by hand: it stays so
        const int before = table.height();
        m_window->resize(1200, 650);
        QCoreApplication::processEvents();
        QCOMPARE(table.height(), before);
    }

    void theStatusBarHasOneText()
    {
        QStatusTipEvent tip(QStringLiteral("What a button does."));
        QCoreApplication::sendEvent(m_window.get(), &tip);
        QCOMPARE(m_window->statusBar()->currentMessage(), QString());
    }

    void theCommandLineNamesEveryChange()
    {
        const RunId id = m_window->currentRun();
        press(Qt::Key_Period);
        QTRY_COMPARE(run(id).stage, Index(1));
        controller().change(id, QStringLiteral("lambda"), 1e-3);
        QTRY_COMPARE(run(id).trace.events.size(), std::size_t(1));
        const QString text = commandText(run(id));
        QVERIFY2(text.startsWith(QStringLiteral("appa-lab run --data ill-conditioned:n=400,d=30,seed=3")),
                 qPrintable(text));
        QVERIFY2(text.contains(QStringLiteral("--at 1:lambda=0.001"))
                     || text.contains(QStringLiteral("--at 1:lambda=1e-03"))
                     || text.contains(QStringLiteral("--at 1:lambda=1e-3")),
                 qPrintable(text));
    }

    void chartAndCaptionFollowTheMethodForthAndBack()
    {
        const RunId id = stepped();
        const std::string first = run(id).method;
        const auto family = [&] {
            m_window->curves().flush();
            return std::ranges::find(m_window->curves().data().curves, id, &Curve::runId)->family;
        };
        QCOMPARE(family(), findMethod(first)->family);
        controller().switchMethod(id, "svrg", {});
        QTRY_COMPARE(run(id).method, std::string("svrg"));
        stepped();
        QCOMPARE(family(), findMethod("svrg")->family);
        // Up to the switch the line is drawn as before it.
        const auto look = [&] {
            const CurvesData &data = m_window->curves().data();
            return seriesLook(*std::ranges::find(data.curves, id, &Curve::runId), data, false);
        };
        QCOMPARE(look().before.size(), std::size_t(1));
        QCOMPARE(look().before[0].dash, Theme::dash(findMethod(first)->family));
        QCOMPARE(look().before[0].until, m_window->curves().plot(CurvePanel::Loss)->content().events[0].x);
        const QString caption = parameterText({&run(id)});
        QVERIFY2(caption.contains(methodLabel(first))
                     && caption.contains(QStringLiteral(", after stage 1 SVRG, step size ")),
                 qPrintable(caption)); // SVRG's is a step size
        while (run(id).stage > 0) {    // before the switch the old dash is back
            const Index stage = run(id).stage;
            controller().stepBack(id);
            QTRY_VERIFY(run(id).stage < stage);
        }
        QTRY_COMPARE(run(id).method, first);
        QTRY_COMPARE(family(), findMethod(first)->family);
        QVERIFY(look().before.empty());
    }

    void lightAndDarkAndLargeTypeApplyEverywhere()
    {
        m_window->setThemeMode(ThemeMode::Dark);
        QVERIFY(m_window->palette().color(QPalette::Window).lightness() < 80);
        m_window->setThemeMode(ThemeMode::Light);
        QVERIFY(m_window->palette().color(QPalette::Window).lightness() > 180);
        const int before = lambda()->lineEdit()->fontMetrics().height();
        m_window->setScale(1.6);
        QTRY_VERIFY(lambda()->lineEdit()->fontMetrics().height() > before);
        m_window->setScale(1);
    }

    void whatIsChosenInTheMenuIsRememberedAtOnce()
    {
        // A program that is killed, or a computer that is switched off, asks nobody to close.
        const auto kept = [](const char *key) { return QSettings().value(QLatin1String(key)); };
        Actions &a = m_window->actions();
        a.light->trigger();
        QCOMPARE(kept("theme").toInt(), static_cast<int>(ThemeMode::Light));
        a.dark->trigger();
        QCOMPARE(kept("theme").toInt(), static_cast<int>(ThemeMode::Dark));
        const bool floors = a.floors->isChecked();
        a.floors->toggle();
        QCOMPARE(kept("floors").toBool(), !floors);
        a.floors->toggle();
        QCOMPARE(kept("floors").toBool(), floors);
        m_window->setSpeed(5);
        QCOMPARE(kept("speed").toDouble(), 5.0);
        m_window->lendSpeed(10); // a lesson's
        a.xAxis->trigger();
        QCOMPARE(kept("xAxis").toInt(), static_cast<int>(m_window->curves().options().xAxis));
        QCOMPARE(kept("speed").toDouble(), 5.0);
        a.larger->trigger();
        QCOMPARE(kept("scale").toDouble(), 1.1);
        // A presentation is a state, not a choice; what is chosen in it is one.
        const bool panel = a.panel->isChecked();
        a.presentation->setChecked(true);
        a.light->trigger();
        QCOMPARE(kept("theme").toInt(), static_cast<int>(ThemeMode::Light));
        QCOMPARE(kept("scale").toDouble(), 1.1);
        QCOMPARE(kept("panel").toBool(), panel);
        a.presentation->setChecked(false);
        a.normal->trigger();
        QCOMPARE(kept("scale").toDouble(), 1.0);
    }

    void tipsCanBeReadInEveryTheme()
    {
        for (const ThemeMode mode : {ThemeMode::Light, ThemeMode::Dark, ThemeMode::Light}) {
            m_window->setThemeMode(mode);
            QToolTip::showText(m_window->mapToGlobal(QPoint(100, 100)), QStringLiteral("███"));
            QWidget *tip = nullptr;
            for (QWidget *widget : QApplication::topLevelWidgets())
                if (widget->isVisible() && widget->inherits("QTipLabel"))
                    tip = widget;
            QVERIFY(tip);
            const QImage image = tip->grab().toImage();
            const QColor ground = image.pixelColor(3, image.height() / 2);
            double best = 1;
            for (int x = 3; x < image.width() - 3; ++x)
                best = std::max(best, contrastRatio(ground, image.pixelColor(x, image.height() / 2)));
            QVERIFY2(best > 4.5, qPrintable(QString::number(best)));
            QToolTip::hideText();
            QTRY_VERIFY(!QToolTip::isVisible());
        }
    }

    void theLogCanBeReadAfterAnotherTheme()
    {
        m_window->setThemeMode(ThemeMode::Light);
        press(Qt::Key_Space);
        QTRY_COMPARE_WITH_TIMEOUT(current().status, RunStatus::Finished, 20000);
        QTRY_VERIFY(!m_window->log().text().isEmpty());
        const QString said = m_window->log().text();
        m_window->setThemeMode(ThemeMode::Dark);
        QCOMPARE(m_window->log().text(), said);
        const auto *text = m_window->findChild<QPlainTextEdit *>(QStringLiteral("log"));
        for (QTextBlock block = text->document()->begin(); block.isValid(); block = block.next())
            for (auto it = block.begin(); !it.atEnd(); ++it)
                if (!it.fragment().text().trimmed().isEmpty())
                    QVERIFY2(contrastRatio(it.fragment().charFormat().foreground().color(), m_window->theme().base)
                                 >= 3,
                             qPrintable(it.fragment().text()));
        m_window->setThemeMode(ThemeMode::Light);
    }

    void theThemeFollowsTheDesktop()
    {
        // The last word on the platform's palette is the style's.
        class Desktop final : public QProxyStyle
        {
        public:
            using QProxyStyle::polish;
            void polish(QPalette &palette) override
            {
                if (dark)
                    palette.setColor(QPalette::Window, Qt::black);
            }
            bool dark = true;
        };
        m_window->setThemeMode(ThemeMode::System);
        QVERIFY(!m_window->theme().isDark);
        auto *desktop = new Desktop;
        QApplication::setStyle(desktop);
        QEvent change(QEvent::ThemeChange);
        QCoreApplication::sendEvent(m_window.get(), &change);
        QVERIFY(m_window->theme().isDark);
        m_window->setThemeMode(ThemeMode::Light); // asked for: the desktop has no say
        QCoreApplication::sendEvent(m_window.get(), &change);
        QVERIFY(!m_window->theme().isDark);
        desktop->dark = false;
        m_window->setThemeMode(ThemeMode::System);
        QCoreApplication::sendEvent(m_window.get(), &change);
        QVERIFY(!m_window->theme().isDark);
    }

    void theFiguresOfTheCurrentRunAreReadAloud()
    {
        press(Qt::Key_Space);
        QTRY_COMPARE_WITH_TIMEOUT(current().status, RunStatus::Finished, 20000);
        const auto *now = m_window->findChild<QWidget *>(QStringLiteral("now"));
        QTRY_VERIFY(now->accessibleDescription().contains(QStringLiteral("Stage 20 / 20")));
        QVERIFY(now->accessibleDescription().contains(current().name));
    }

    void everyActionHasATipAndNoTwoShareAKey()
    {
        QHash<QString, QString> keys;
        for (const Actions::Group &group : m_window->actions().groups())
            for (const QAction *action : group.actions) {
                if (!action)
                    continue;
                QVERIFY2(!action->toolTip().isEmpty(), qPrintable(action->text()));
                for (const QKeySequence &key : action->shortcuts()) {
                    QVERIFY2(!keys.contains(key.toString()), qPrintable(key.toString() + u' ' + action->text()));
                    keys.insert(key.toString(), action->text());
                }
            }
    }
};

QTEST_MAIN(TestWindow)
#include "tst_ui_window.moc"
