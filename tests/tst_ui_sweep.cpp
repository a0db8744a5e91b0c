#include "charts/PlotView.h"
#include "charts/SensitivityView.h"
#include "data/Recipe.h"
#include "sweep/SensitivityTab.h"
#include "sweep/SweepChart.h"
#include "sweep/SweepControls.h"
#include "sweep/SweepForm.h"
#include "sweep/SweepGridForm.h"
#include "sweep/SweepMethodModel.h"
#include "sweep/SweepMethodsForm.h"
#include "sweep/SweepSummaryModel.h"

#include <QAbstractItemModelTester>
#include <QComboBox>
#include <QImage>
#include <QLineEdit>
#include <QPushButton>
#include <QScrollArea>
#include <QScrollBar>
#include <QSignalSpy>
#include <QSlider>
#include <QSpinBox>
#include <QTableView>
#include <QTemporaryDir>
#include <QTest>
#include <QToolButton>

#include <cmath>
#include <utility>

using namespace appa;
using namespace appa::ui;

namespace {

ProblemPtr problemOf(const char *source = "gaussians-2d:n=200,test=80", const char *loss = "squared")
{
    DataRecipe recipe;
    recipe.source = source;
    const DatasetPtr data = loadDataset(recipe).value();
    return std::make_shared<const Problem>(data, makeLoss(loss, data->train.rows(), 1).value(), 0);
}

std::optional<Optimum> optimumOf(double value)
{
    Optimum optimum;
    optimum.value = value;
    optimum.floor = 1e-14;
    return optimum;
}

} // namespace

class TestUiSweep : public QObject
{
    Q_OBJECT

private slots:
    void init();
    void cleanup();
    void plansThePapersStudyByDefault();
    void formShowsWhatIsWrong_data();
    void formShowsWhatIsWrong();
    void refusalsQuoteWhatWasTyped();
    void methodsGiveWayToTheFieldsBelow();
    void formTakesPlansBack();
    void addsVariantsOfAMethod();
    void greysMethodsThatCannotRun();
    void modelsKeepTheirPromises();
    void estimatesBeforeItStarts();
    void anEstimateThatAStudyInterruptsIsMadeAfterIt();
    void formKeepsAGridThatIsNotEven();
    void studyFillsChartAndTable();
    void stageSliderShowsEarlierStages();
    void theZoomStaysWhereItIs();
    void measuresSwitch();
    void doubleClickOpensTheRun();
    void bestOfSweepOpensOneRunPerMethod();
    void cancelledStudyContinues();
    void aClickThatComesTooLateStartsNothing_data();
    void aClickThatComesTooLateStartsNothing();
    void aDoubleClickIsOneClick();
    void whatOneWouldPressNextHasTheAccent();
    void aSpaceThatComesTooLateStartsNothing();
    void theFocusStaysWhereItIsPut();
    void aStudyThatCannotBeStartedLeavesTheOneThatIsThere();
    void pausesAndResumes();
    void opensAStudyFromItsFolder();
    void anOpenedStudyIsAskedWhatTheWindowShows();
    void noStudyIsOpenedOverOneUnderWay();
    void anotherProblemKeepsTheStudyButNotItsRuns();
    void theButtonsStayWhereTheyAre();
    void aNarrowPageTakesNoMoreThanItHas();
    void theQuartilesComeAndGoOnlyWithTheRoom();
    void withoutATestSetItsColumnGoes();
    void whatGoesWrongIsSaidAsAnError();
    void exportsFigureAndResults();
    void exportsTheHeatMapThatIsShown();
    void writesItselfAsACommand();
    void theCommandNamesTheProblemOfItsStudy();

private:
    QPoint middleOf(const QWidget *widget) const { return widget->mapTo(m_tab.get(), widget->rect().center()); }
    void clickAt(QPoint point) { QTest::mouseClick(m_tab->windowHandle(), Qt::LeftButton, {}, point); }
    void planSmall(const char *methods = "dual-appa,sdca,svrg,sgd", Index stages = 4);
    void runSmall();

    std::unique_ptr<QTemporaryDir> m_folder;
    std::unique_ptr<SensitivityTab> m_tab;
    ProblemPtr m_problem;
};

void TestUiSweep::init()
{
    m_folder = std::make_unique<QTemporaryDir>();
    m_problem = problemOf();
    m_tab = std::make_unique<SensitivityTab>();
    m_tab->controller().setStudiesFolder(m_folder->path());
    m_tab->setTheme(Theme::light());
    m_tab->resize(1100, 700);
    m_tab->show();
    m_tab->setProblem(m_problem, QStringLiteral("--data gaussians-2d:n=200,test=80"));
    m_tab->setOptimum(optimumOf(1e-3));
}

void TestUiSweep::cleanup()
{
    m_tab.reset();
    m_folder.reset();
}

void TestUiSweep::planSmall(const char *methods, Index stages)
{
    SweepPlan plan;
    plan.methods = parseSweepMethods(methods).value();
    plan.lambdas = parseLambdas("1e-2:1e2:5").value();
    plan.seeds = {1, 2, 3};
    plan.stages = stages;
    m_tab->form().setPlan(plan);
}

void TestUiSweep::runSmall()
{
    planSmall();
    m_tab->form().controls().startButton()->click();
    QTRY_COMPARE(m_tab->controller().state(), SweepState::Finished);
    QCOMPARE(m_tab->controller().table().size(), std::size_t(60));
}

void TestUiSweep::plansThePapersStudyByDefault()
{
    const auto plan = m_tab->form().plan();
    QVERIFY(plan.ok());
    std::vector<std::string> ids;
    for (const SweepVariant &variant : plan.value().methods)
        ids.push_back(variant.id());
    QCOMPARE(ids, (std::vector<std::string>{"dual-appa:sdca", "sdca", "svrg", "sgd"}));
    QCOMPARE(plan.value().lambdas, parseLambdas("1e-8:1e8:17").value());
    QCOMPARE(plan.value().stages, Index(20));
    QVERIFY(m_tab->form().controls().startButton()->isEnabled());
}

void TestUiSweep::formShowsWhatIsWrong_data()
{
    QTest::addColumn<QString>("field");
    QTest::addColumn<QString>("text");
    QTest::newRow("grid") << "from"
                          << "often";
    QTest::newRow("negative") << "to"
                              << "-1";
    QTest::newRow("seeds") << "seeds"
                           << "5..1";
    QTest::newRow("outside the parameter's range") << "to"
                                                   << "1e200";
    QTest::newRow("settings") << "settings"
                              << "nonesuch=1";
    QTest::newRow("no method") << "none"
                               << "";
}

void TestUiSweep::formShowsWhatIsWrong()
{
    QFETCH(QString, field);
    QFETCH(QString, text);
    SweepForm &form = m_tab->form();
    SweepMethodModel &methods = form.methods();
    if (field == "from")
        form.grid().fromEdit()->setText(text);
    else if (field == "to")
        form.grid().toEdit()->setText(text);
    else if (field == "seeds")
        form.grid().seedsEdit()->setText(text);
    else if (field == "settings")
        methods.setData(methods.index(0, SweepMethodModel::Settings), text);
    else
        methods.setMethods({});
    QVERIFY(!form.errorText().isEmpty());
    QVERIFY(!form.controls().startButton()->isEnabled());
}

void TestUiSweep::refusalsQuoteWhatWasTyped()
{
    SweepGridForm &grid = m_tab->form().grid();
    for (QLineEdit *field : {grid.fromEdit(), grid.toEdit()}) {
        const QString good = field->text();
        field->setText(QStringLiteral("1e-8 abc"));
        const QString error = m_tab->form().errorText();
        QVERIFY2(error.contains(QStringLiteral("“1e-8 abc”")), qPrintable(error));
        QVERIFY2(error.contains(field->accessibleName()), qPrintable(error));
        field->setText(good);
        QCOMPARE(m_tab->form().errorText(), QString());
    }
    // The whole grid, as the command line takes it.
    grid.fromEdit()->setText(QStringLiteral("1e-3:10:9"));
    QCOMPARE(m_tab->form().plan().value().lambdas, parseLambdas("1e-3:10:9").value());
    QVERIFY(!grid.toEdit()->isEnabled());
}

void TestUiSweep::methodsGiveWayToTheFieldsBelow()
{
    SweepForm &form = m_tab->form();
    const auto *area = form.findChild<QScrollArea *>();
    m_tab->resize(900, m_tab->height() + area->widget()->minimumSizeHint().height() - area->viewport()->height());
    QCoreApplication::processEvents();
    QCOMPARE(area->verticalScrollBar()->maximum(), 0);
    QCOMPARE(form.methodsForm().view()->height(), form.methodsForm().view()->minimumHeight());
}

void TestUiSweep::formTakesPlansBack()
{
    SweepPlan plan;
    plan.methods = parseSweepMethods("dual-appa:sdca:dual-start=paper,svrg").value();
    plan.lambdas = parseLambdas("1e-3:10:9").value();
    plan.seeds = {2, 3, 4};
    plan.stages = 7;
    m_tab->form().setPlan(plan);
    QCOMPARE(m_tab->form().plan().value(), plan);
    plan.seeds = {2, 9};
    m_tab->form().setPlan(plan);
    QCOMPARE(m_tab->form().plan().value(), plan);
    // What the program itself shows can be typed.
    m_tab->form().grid().fromEdit()->setText(QStringLiteral("1e−3"));
    QCOMPARE(m_tab->form().plan().value(), plan);
}

void TestUiSweep::addsVariantsOfAMethod()
{
    SweepMethodModel &methods = m_tab->form().methods();
    const int rows = methods.rowCount();
    QVERIFY(!methods.canRemove(0));
    const int added = methods.duplicate(0);
    m_tab->form().methodsForm().view()->setCurrentIndex(methods.index(added, SweepMethodModel::Method));
    QTest::keyClicks(m_tab->form().methodsForm().settingsEdit(), QStringLiteral("dual-start=paper passes=2"));
    const auto chosen = methods.chosen();
    QVERIFY(chosen.ok());
    QCOMPARE(chosen.value()[1].id(), std::string("dual-appa:sdca:dual-start=paper:passes=2"));
    QVERIFY(methods.canRemove(added));
    methods.remove(added);
    QCOMPARE(methods.rowCount(), rows);
}

void TestUiSweep::greysMethodsThatCannotRun()
{
    SweepMethodModel &methods = m_tab->form().methods();
    DataRecipe recipe;
    recipe.source = "gaussians-2d:n=50";
    // No dual methods on softmax.
    const DatasetPtr binary = loadDataset(recipe).value();
    auto classes = std::make_shared<Dataset>();
    classes->name = "classes";
    DenseMatrix<float> rows(50, 2);
    for (Index i = 0; i < 50; ++i) {
        rows.row(i)[0] = static_cast<float>(i % 3);
        rows.row(i)[1] = 1;
        classes->train.targets.push_back(static_cast<double>(i % 3));
    }
    classes->train.features = std::move(rows);
    classes->kind = TargetKind::Classes;
    classes->classNames = {"a", "b", "c"};
    const DatasetPtr data = finish(std::move(*classes));
    m_tab->setProblem(std::make_shared<const Problem>(data, makeLoss("softmax", 50, 3).value(), 0));
    const QModelIndex sdca = methods.index(1, SweepMethodModel::Method);
    QCOMPARE(sdca.data().toString(), QStringLiteral("SDCA"));
    QVERIFY(!(sdca.flags() & Qt::ItemIsEnabled));
    QVERIFY(!sdca.data(Qt::ToolTipRole).toString().isEmpty());
    const auto chosen = methods.chosen();
    QVERIFY(chosen.ok());
    for (const SweepVariant &variant : chosen.value())
        QVERIFY(variant.method != "sdca");
}

void TestUiSweep::modelsKeepTheirPromises()
{
    const QAbstractItemModelTester methods(&m_tab->form().methods(),
                                           QAbstractItemModelTester::FailureReportingMode::QtTest);
    const QAbstractItemModelTester summary(&m_tab->summary(), QAbstractItemModelTester::FailureReportingMode::QtTest);
    m_tab->form().methods().duplicate(2);
    m_tab->form().methods().remove(3);
    runSmall();
    planSmall("sgd", 2);
    m_tab->form().controls().startButton()->click();
    QTRY_COMPARE(m_tab->controller().state(), SweepState::Finished);
    QCOMPARE(m_tab->summary().rowCount(), 1);
}

void TestUiSweep::estimatesBeforeItStarts()
{
    planSmall();
    QTRY_VERIFY(m_tab->form().estimateText().contains(QStringLiteral("60 runs")));
    QVERIFY(!m_tab->controller().hasStudy());
}

void TestUiSweep::anEstimateThatAStudyInterruptsIsMadeAfterIt()
{
    QTRY_VERIFY(!m_tab->form().estimateText().isEmpty()); // of the first plan, or that it is being made
    planSmall("dual-appa,sdca", 100);
    m_tab->form().controls().startButton()->click();
    QCOMPARE(m_tab->form().estimateText(), QString());
    m_tab->form().grid().stagesBox()->setValue(101); // of the study after this one
    QTRY_COMPARE_WITH_TIMEOUT(m_tab->controller().state(), SweepState::Finished, 30000);
    QTRY_VERIFY(m_tab->form().estimateText().contains(QStringLiteral("30 runs")));
}

void TestUiSweep::formKeepsAGridThatIsNotEven()
{
    SweepForm &form = m_tab->form();
    SweepPlan plan;
    plan.methods = parseSweepMethods("sdca").value();
    plan.lambdas = parseLambdas("1e-7,1e-3,20").value();
    plan.seeds = {1};
    plan.stages = 2;
    form.setPlan(plan);
    QCOMPARE(form.plan().value(), plan);
    QVERIFY(form.grid().fromEdit()->text().contains(QStringLiteral("20")));
    QVERIFY(!form.grid().toEdit()->isEnabled() && !form.grid().countBox()->isEnabled());
    form.controls().startButton()->click();
    QTRY_COMPARE(m_tab->controller().state(), SweepState::Finished);
    SensitivityTab other;
    QCOMPARE(other.open(m_tab->controller().folder()), QString());
    QCOMPARE(other.form().plan().value().lambdas, plan.lambdas);
    // One value in the place of the list: the rest of the grid counts again.
    form.grid().fromEdit()->setText(QStringLiteral("1e-7"));
    QVERIFY(form.grid().toEdit()->isEnabled() && form.grid().countBox()->isEnabled());
    QCOMPARE(form.plan().value().lambdas, parseLambdas("1e-7:20:3").value());
}

void TestUiSweep::studyFillsChartAndTable()
{
    QSignalSpy activity(m_tab.get(), &SensitivityTab::activityChanged);
    runSmall();
    QCOMPARE(activity.first().first().toBool(), true);
    QCOMPARE(activity.last().first().toBool(), false);
    const SweepData &drawn = m_tab->view().data();
    QCOMPARE(drawn.points.size(), std::size_t(60));
    QCOMPARE(drawn.methods.size(), std::size_t(4));
    QCOMPARE(drawn.optimum, std::optional<double>(1e-3));
    // Every point has the numbers of its run.
    for (const SweepPoint &point : drawn.points) {
        const auto which = caseOf(m_tab->controller().table().plan(), point);
        QVERIFY(which);
        const SweepResult *result = m_tab->controller().table().find(*which);
        if (result->status == RunStatus::Finished) {
            QCOMPARE(point.loss.size(), std::size_t(5));
            QCOMPARE(point.loss.back(), result->points.back().loss);
            QCOMPARE(point.testError.back(), result->points.back().testError);
        } else {
            QCOMPARE(point.divergedAt, std::optional<int>(static_cast<int>(result->stage)));
        }
    }
    SweepSummaryModel &summary = m_tab->summary();
    QCOMPARE(summary.rowCount(), 4);
    for (int row = 0; row < 4; ++row) {
        for (int column = 0; column < summary.columnCount(); ++column)
            QVERIFY(!summary.index(row, column).data().toString().isEmpty());
    }
    QVERIFY(m_tab->form().controls().progressText().contains(QStringLiteral("60 of 60")));
    // It is on disk as well, whole.
    const auto study = readStudy(m_tab->controller().folder().toStdString());
    QVERIFY(study.ok());
    QCOMPARE(study.value().results.size(), std::size_t(60));
    QCOMPARE(study.value().context.fOpt, 1e-3);
}

void TestUiSweep::stageSliderShowsEarlierStages()
{
    runSmall();
    QCOMPARE(m_tab->stageSlider()->maximum(), 4);
    QCOMPARE(m_tab->stage(), Index(4));
    const double last = m_tab->summary().rows()[0].value.median;
    m_tab->stageSlider()->setValue(1);
    QCOMPARE(m_tab->view().data().stage, 1);
    const double first = m_tab->summary().rows()[0].value.median;
    QVERIFY(first > last);
    QCOMPARE(first, m_tab->controller().table().rows(SweepMeasure::Excess, 1)[0].value.median);
}

void TestUiSweep::theZoomStaysWhereItIs()
{
    runSmall();
    PlotView *plot = m_tab->view().plot();
    m_tab->view().flush();
    const Range all = plot->content().x;
    const Range part = {all.lo + 0.2 * all.span(), all.hi - 0.3 * all.span()};
    emit plot->viewRequested(part, plot->content().y, true);
    m_tab->stageSlider()->setValue(1); // another stage, and a floor that was found meanwhile
    m_tab->setFloors({{1e-3, 0.5}});
    m_tab->view().flush();
    QCOMPARE(plot->content().x.lo, part.lo);
    QCOMPARE(plot->content().x.hi, part.hi);
    m_tab->view().fit();
    m_tab->view().flush();
    QCOMPARE(plot->content().x.lo, all.lo);
}

void TestUiSweep::measuresSwitch()
{
    runSmall();
    QCOMPARE(m_tab->measure(), SweepMeasure::Excess);
    m_tab->measureBox()->setCurrentIndex(m_tab->measureBox()->findData(static_cast<int>(SweepMeasure::TestError)));
    QCOMPARE(m_tab->view().data().quantity, SweepQuantity::TestError);
    QCOMPARE(m_tab->summary().headerData(SweepSummaryModel::Value, Qt::Horizontal).toString(),
             QStringLiteral("Median error")); // "Test error" is another column's
    m_tab->measureBox()->setCurrentIndex(m_tab->measureBox()->findData(static_cast<int>(SweepMeasure::PassesToTarget)));
    QCOMPARE(m_tab->view().data().quantity, SweepQuantity::PassesToTarget);
    m_tab->heatMapButton()->click();
    QCOMPARE(m_tab->view().mode(), SensitivityView::Mode::HeatMap);
    // Without F_opt there is no excess to show.
    m_tab->setProblem(problemOf("gaussians-2d:n=150,test=80"));
    m_tab->measureBox()->setCurrentIndex(m_tab->measureBox()->findData(static_cast<int>(SweepMeasure::Excess)));
    runSmall();
    QCOMPARE(m_tab->measure(), SweepMeasure::Objective);
    // Until it arrives.
    m_tab->setOptimum(optimumOf(0.01));
    QCOMPARE(m_tab->measure(), SweepMeasure::Excess);
    QCOMPARE(m_tab->view().data().optimum, std::optional<double>(0.01));
}

void TestUiSweep::doubleClickOpensTheRun()
{
    runSmall();
    const SweepPoint point = m_tab->view().data().points[7];
    RunSpec opened;
    StopRules rules;
    connect(m_tab.get(), &SensitivityTab::runRequested, this, [&](const RunSpec &spec, const StopRules &stop) {
        opened = spec;
        rules = stop;
    });
    emit m_tab->view().pointActivated(point);
    QCOMPARE(opened.params.real("lambda"), point.lambda);
    QCOMPARE(opened.seed, point.seed);
    QCOMPARE(rules.stages, Index(4));
    // As a full run it has the numbers of the study.
    auto run = Run::create(m_problem, opened, rules).value();
    for (bool more = true; more;) {
        Slice slice = Slice::milliseconds(5);
        more = run->advance(slice);
    }
    QCOMPARE(run->trace().points.back().loss, point.loss.back());
}

void TestUiSweep::bestOfSweepOpensOneRunPerMethod()
{
    runSmall();
    std::vector<RunSpec> specs;
    connect(m_tab.get(), &SensitivityTab::bestRequested, this,
            [&](const std::vector<RunSpec> &best, const StopRules &) { specs = best; });
    m_tab->bestButton()->click();
    QCOMPARE(specs.size(), std::size_t(4));
    const auto rows = m_tab->controller().table().rows(SweepMeasure::Excess, 4);
    for (std::size_t m = 0; m < 4; ++m)
        QCOMPARE(specs[m].params.real("lambda"), m_tab->controller().table().plan().lambdas[*rows[m].best]);
}

void TestUiSweep::cancelledStudyContinues()
{
    planSmall("dual-appa,sdca", 200);
    m_tab->form().controls().startButton()->click();
    QVERIFY(m_tab->form().controls().cancelButton()->isEnabled());
    QVERIFY(!m_tab->form().controls().startButton()->isEnabled());
    // At once: a study this small may be over before the next look at its results.
    m_tab->form().controls().cancelButton()->click();
    QCOMPARE(m_tab->controller().state(), SweepState::Cancelled);
    const std::size_t there = m_tab->controller().table().size();
    QVERIFY(there < 30);
    QVERIFY(m_tab->form().controls().continueButton()->isEnabled());
    m_tab->form().controls().continueButton()->click();
    QVERIFY(m_tab->controller().table().size() >= there);
    QTRY_COMPARE_WITH_TIMEOUT(m_tab->controller().state(), SweepState::Finished, 30000);
    QCOMPARE(m_tab->controller().table().size(), std::size_t(30));
    QCOMPARE(m_tab->view().data().points.size(), std::size_t(30));
}

void TestUiSweep::aClickThatComesTooLateStartsNothing_data()
{
    QTest::addColumn<bool>("cancel");
    QTest::newRow("on Cancel") << true;
    QTest::newRow("on Pause") << false;
}

void TestUiSweep::aClickThatComesTooLateStartsNothing()
{
    QFETCH(const bool, cancel);
    const SweepForm &form = m_tab->form();
    planSmall();
    form.controls().startButton()->click();
    QCoreApplication::processEvents();
    const QPoint aim = middleOf(cancel ? form.controls().cancelButton() : form.controls().pauseButton());
    QTRY_COMPARE(m_tab->controller().state(), SweepState::Finished);
    QCoreApplication::processEvents();
    const QSignalSpy starts(&form.controls(), &SweepControls::startRequested);
    clickAt(aim);
    QCOMPARE(starts.count(), 0);
    QCOMPARE(m_tab->controller().state(), SweepState::Finished);
    clickAt(middleOf(form.controls().startButton()));
    QCOMPARE(starts.count(), 1);
}

void TestUiSweep::aDoubleClickIsOneClick()
{
    const SweepForm &form = m_tab->form();
    planSmall("dual-appa,sdca", 100000);
    const auto doubleClick = [this](const QWidget *button) {
        QCoreApplication::processEvents();
        QTest::mouseDClick(m_tab->windowHandle(), Qt::LeftButton, {}, middleOf(button));
    };
    doubleClick(form.controls().startButton());
    QCOMPARE(m_tab->controller().state(), SweepState::Running);
    doubleClick(form.controls().cancelButton());
    QCOMPARE(m_tab->controller().state(), SweepState::Cancelled);
    doubleClick(form.controls().continueButton());
    QCOMPARE(m_tab->controller().state(), SweepState::Running);
    m_tab->controller().cancel();
}

void TestUiSweep::whatOneWouldPressNextHasTheAccent()
{
    const SweepControls &controls = m_tab->form().controls();
    const auto hasAccent = [](const QWidget *button) { return button->property("primary").toBool(); };
    planSmall("dual-appa,sdca", 100000);
    QVERIFY(hasAccent(controls.startButton()));
    QVERIFY(!hasAccent(controls.continueButton()));
    controls.startButton()->click();
    controls.cancelButton()->click();
    QTRY_VERIFY(controls.continueButton()->isEnabled());
    QVERIFY(hasAccent(controls.continueButton()));
    QVERIFY(!hasAccent(controls.startButton()));
}

void TestUiSweep::aSpaceThatComesTooLateStartsNothing()
{
    const SweepForm &form = m_tab->form();
    m_tab->activateWindow();
    QVERIFY(QTest::qWaitForWindowActive(m_tab.get()));
    form.controls().startButton()->setFocus(Qt::TabFocusReason);
    QSignalSpy starts(&form.controls(), &SweepControls::startRequested);
    planSmall();
    QTest::keyClick(QApplication::focusWidget(), Qt::Key_Space);
    QCOMPARE(starts.count(), 1);
    QCOMPARE(QApplication::focusWidget(), form.controls().pauseButton());
    QTRY_COMPARE(m_tab->controller().state(), SweepState::Finished);
    QCOMPARE(QApplication::focusWidget(), form.controls().startButton());
    QTest::keyClick(QApplication::focusWidget(), Qt::Key_Space); // it was to pause
    QCOMPARE(starts.count(), 1);
    QTRY_VERIFY((QTest::keyClick(QApplication::focusWidget(), Qt::Key_Space), starts.count() == 2));
}

void TestUiSweep::theFocusStaysWhereItIsPut()
{
    const SweepForm &form = m_tab->form();
    m_tab->activateWindow();
    QVERIFY(QTest::qWaitForWindowActive(m_tab.get()));
    planSmall("dual-appa,sdca", 100000);
    form.controls().startButton()->click();
    form.controls().cancelButton()->click();
    QTRY_VERIFY(form.controls().continueButton()->isEnabled());
    form.controls().startButton()->setFocus(Qt::TabFocusReason);
    emit m_tab->controller().progressed();
    m_tab->setOptimum(optimumOf(2e-3));
    QCOMPARE(QApplication::focusWidget(), form.controls().startButton());
}

void TestUiSweep::aStudyThatCannotBeStartedLeavesTheOneThatIsThere()
{
    planSmall("dual-appa,sdca", 200);
    SweepController &controller = m_tab->controller();
    m_tab->form().controls().startButton()->click();
    m_tab->form().controls().cancelButton()->click();
    const QString folder = controller.folder();
    QFile file(m_folder->filePath(QStringLiteral("file")));
    QVERIFY(file.open(QIODevice::WriteOnly));
    controller.setStudiesFolder(file.fileName()); // no folder can be made in it
    const QSignalSpy said(m_tab.get(), &SensitivityTab::said);
    m_tab->form().controls().startButton()->click();
    QCOMPARE(said.count(), 1);
    QCOMPARE(controller.folder(), folder);
    m_tab->form().controls().continueButton()->click();
    QTRY_COMPARE_WITH_TIMEOUT(controller.state(), SweepState::Finished, 30000);
    QCOMPARE(controller.folder(), folder);
    QCOMPARE(readStudy(folder.toStdString()).value().results.size(), std::size_t(30));
}

void TestUiSweep::pausesAndResumes()
{
    planSmall("dual-appa,sdca", 100);
    m_tab->form().controls().startButton()->click();
    m_tab->form().controls().pauseButton()->click();
    QCOMPARE(m_tab->controller().state(), SweepState::Paused);
    QVERIFY(m_tab->form().controls().progressText().contains(QStringLiteral("paused")));
    QCOMPARE(m_tab->form().controls().pauseButton()->text(), QStringLiteral("Resume"));
    m_tab->form().controls().pauseButton()->click();
    QTRY_COMPARE_WITH_TIMEOUT(m_tab->controller().state(), SweepState::Finished, 30000);
}

void TestUiSweep::opensAStudyFromItsFolder()
{
    runSmall();
    const QString folder = m_tab->controller().folder();
    SensitivityTab other;
    other.setTheme(Theme::dark());
    QCOMPARE(other.controller().open(folder), QString());
    QCOMPARE(other.controller().table().size(), std::size_t(60));
    QCOMPARE(other.view().data().points.size(), std::size_t(60));
    QCOMPARE(other.summary().rowCount(), 4);
    QVERIFY(!other.controller().canContinue());
    QVERIFY(!other.controller().open(m_folder->path() + "/nothing").isEmpty());
}

void TestUiSweep::anOpenedStudyIsAskedWhatTheWindowShows()
{
    runSmall();
    SensitivityTab other;
    other.controller().table().setTarget(0.25);
    other.setCountFullGradients(false);
    QCOMPARE(other.controller().open(m_tab->controller().folder()), QString());
    QCOMPARE(other.controller().table().target(), 0.25);
    QVERIFY(!other.controller().table().countsFullGradients());
    // SVRG's full gradients are most of what it does: fewer passes are counted.
    const auto passes = [](const SensitivityTab &tab) {
        double all = 0;
        for (const SweepPoint &point : tab.view().data().points)
            all += point.passes.back();
        return all;
    };
    QVERIFY(passes(other) < passes(*m_tab));
}

void TestUiSweep::noStudyIsOpenedOverOneUnderWay()
{
    planSmall("dual-appa,sdca", 400);
    QVERIFY(m_tab->form().openButton()->isEnabled());
    m_tab->form().controls().startButton()->click();
    m_tab->form().controls().pauseButton()->click();
    QVERIFY(!m_tab->form().openButton()->isEnabled());
    m_tab->form().controls().cancelButton()->click();
    QTRY_VERIFY(m_tab->form().openButton()->isEnabled());
}

void TestUiSweep::anotherProblemKeepsTheStudyButNotItsRuns()
{
    runSmall();
    QVERIFY(m_tab->aboutText().startsWith(QStringLiteral("gaussians-2d")));
    QVERIFY(m_tab->form().otherProblemText().isEmpty());
    m_tab->setProblem(problemOf("gaussians-2d:n=150,test=80"));
    QCOMPARE(m_tab->view().data().points.size(), std::size_t(60));
    QVERIFY(m_tab->aboutText().startsWith(QStringLiteral("Study of another problem: gaussians-2d")));
    QVERIFY(m_tab->form().otherProblemText().contains(QStringLiteral("another problem")));
    QSignalSpy wanted(m_tab.get(), &SensitivityTab::problemWanted);
    m_tab->form().loadButton()->click();
    QCOMPARE(wanted.count(), 1);
    QCOMPARE(wanted[0][0].value<SweepContext>().problem, std::string("--data gaussians-2d:n=200,test=80"));
    QSignalSpy runs(m_tab.get(), &SensitivityTab::runRequested);
    QSignalSpy said(m_tab.get(), &SensitivityTab::said);
    emit m_tab->view().pointActivated(m_tab->view().data().points[0]);
    QCOMPARE(runs.count(), 0);
    QCOMPARE(said.count(), 1);
}

void TestUiSweep::theButtonsStayWhereTheyAre()
{
    QCoreApplication::processEvents();
    const SweepForm &form = m_tab->form();
    const int before = form.controls().startButton()->y();
    planSmall("sdca", 2);
    form.grid().seedsEdit()->setText(QStringLiteral("x")); // an error in the place of the estimate
    QVERIFY(!form.errorText().isEmpty());
    QCoreApplication::processEvents();
    QCOMPARE(form.controls().startButton()->y(), before);
    runSmall();
    QCoreApplication::processEvents();
    QCOMPARE(form.controls().startButton()->y(), before);
}

void TestUiSweep::aNarrowPageTakesNoMoreThanItHas()
{
    const int wide = m_tab->minimumSizeHint().width();
    m_tab->resize(720, 700);
    QTRY_VERIFY(m_tab->minimumSizeHint().width() < std::min(wide, 700));
    m_tab->resize(1100, 700);
    QTRY_COMPARE(m_tab->minimumSizeHint().width(), wide);
}

void TestUiSweep::theQuartilesComeAndGoOnlyWithTheRoom()
{
    auto *table = m_tab->findChild<QTableView *>(QStringLiteral("sweepSummary")); // without rows: titles alone
    const auto hidden = [table] { return table->isColumnHidden(SweepSummaryModel::Quartiles); };
    bool was = false;
    int changes = 0;
    for (int width = 1100; width >= 600; width -= 4) {
        m_tab->resize(width, 700);
        QCoreApplication::processEvents();
        for (int again = 0; again < 2; ++again) { // the same room, the same answer
            emit m_tab->controller().stateChanged();
            const bool before = std::exchange(was, hidden());
            changes += before != was ? 1 : 0;
        }
    }
    QCOMPARE(changes, 1);
}

void TestUiSweep::withoutATestSetItsColumnGoes()
{
    const auto *table = m_tab->findChild<QTableView *>(QStringLiteral("sweepSummary"));
    runSmall();
    QVERIFY(!table->isColumnHidden(SweepSummaryModel::TestError));
    m_tab->setProblem(problemOf("gaussians-2d:n=200,test=0"));
    runSmall();
    QVERIFY(table->isColumnHidden(SweepSummaryModel::TestError));
}

void TestUiSweep::whatGoesWrongIsSaidAsAnError()
{
    QSignalSpy said(m_tab.get(), &SensitivityTab::said);
    emit m_tab->controller().failed(QStringLiteral("the disk is full"));
    QCOMPARE(said.count(), 1);
    QCOMPARE(said[0][0].value<Level>(), Level::Error);
    runSmall();
    m_tab->setProblem(problemOf("gaussians-2d:n=150,test=80"));
    emit m_tab->view().pointActivated(m_tab->view().data().points[0]);
    QCOMPARE(said.last()[0].value<Level>(), Level::Info); // nothing went wrong
}

void TestUiSweep::exportsTheHeatMapThatIsShown()
{
    runSmall();
    const auto exported = [this](const char *name) {
        const QString path = m_folder->filePath(QString::fromLatin1(name));
        const auto error = m_tab->exportTo(path);
        return error ? QImage() : QImage(path);
    };
    const QImage lines = exported("lines.png");
    m_tab->heatMapButton()->click();
    const QImage maps = exported("maps.png");
    QVERIFY(!lines.isNull() && !maps.isNull());
    QVERIFY(lines != maps);
    const auto blue = [](const QImage &image) { // of the best cells
        qint64 count = 0;
        for (int y = 0; y < image.height(); ++y)
            for (int x = 0; x < image.width(); ++x)
                count += image.pixel(x, y) == 0xff0b2f5c ? 1 : 0;
        return count;
    };
    QVERIFY(blue(maps) > 1000 && blue(lines) == 0);
    for (const char *name : {"maps.svg", "maps.pdf"})
        QVERIFY(!m_tab->exportTo(m_folder->filePath(QString::fromLatin1(name))));
}

void TestUiSweep::exportsFigureAndResults()
{
    runSmall();
    for (const char *name : {"figure.png", "figure.svg", "figure.pdf", "results.csv"}) {
        const QString path = m_folder->filePath(QString::fromLatin1(name));
        const auto error = m_tab->exportTo(path);
        QVERIFY2(!error, error ? error->message.c_str() : "");
        QVERIFY(QFileInfo(path).size() > 1000);
    }
    QFile exported(m_folder->filePath(QStringLiteral("results.csv")));
    QFile study(m_tab->controller().folder() + QStringLiteral("/results.csv"));
    QVERIFY(exported.open(QIODevice::ReadOnly) && study.open(QIODevice::ReadOnly));
    QCOMPARE(exported.readAll(), study.readAll());
    QVERIFY(m_tab->exportTo(m_folder->path() + QStringLiteral("/no/such/folder/a.csv")).has_value());
}

void TestUiSweep::writesItselfAsACommand()
{
    runSmall();
    QCOMPARE(m_tab->commandLine(),
             QStringLiteral("appa-lab sweep --data gaussians-2d:n=200,test=80 --methods dual-appa:sdca,sdca,svrg,sgd "
                            "--lambdas 0.01:100:5 --seeds 1..3 --stages 4 --out study"));
}

void TestUiSweep::theCommandNamesTheProblemOfItsStudy()
{
    runSmall();
    const QString command = m_tab->commandLine();
    m_tab->setProblem(problemOf("gaussians-2d:n=150,test=80"), QStringLiteral("--data gaussians-2d:n=150,test=80"));
    QCOMPARE(m_tab->commandLine(), command);
    const auto study = readStudy(m_tab->controller().folder().toStdString());
    QVERIFY(study);
    QCOMPARE(study.value().context.problem, std::string("--data gaussians-2d:n=200,test=80"));
}

QTEST_MAIN(TestUiSweep)
#include "tst_ui_sweep.moc"
