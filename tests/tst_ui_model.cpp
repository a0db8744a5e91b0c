#include "Background.h"
#include "ReferenceProblems.h"
#include "RunController.h"
#include "RunUpdates.h"
#include "methods/Registry.h"
#include "panels/NowPanel.h"
#include "runs/RunModel.h"
#include "runs/RunTable.h"
#include "shell/FlatStyle.h"
#include "theme/Theme.h"
#include "views/TheoryView.h"

#include <QAbstractItemModelTester>
#include <QApplication>
#include <QHeaderView>
#include <QMenu>
#include <QSignalSpy>
#include <QStandardItemModel>
#include <QStyleOptionHeader>
#include <QTest>
#include <QTimer>

#include <cmath>
#include <set>

using namespace appa;
using namespace appa::ui;

namespace {

using testing::point, testing::record, testing::update;

QString cell(const RunModel &model, int row, int column)
{
    return model.index(row, column).data().toString();
}

/// A table of one run, shown with room for every column.
struct WideTable
{
    WideTable()
    {
        model.insert(0, record(model, QStringLiteral("a")));
        table.resize(1500, 200);
        table.show();
        QCoreApplication::processEvents();
    }

    RunModel model;
    RunTable table{model};
};

} // namespace

class TestRunModel : public QObject
{
    Q_OBJECT
private slots:
    void workThatThrowsIsAnErrorOrNothing()
    {
        Background background;
        const auto fails = [] { throw std::runtime_error("no luck"); };
        std::optional<Error> written;
        background.start([&](const Progress &) { return fails(), std::optional<Error>(); },
                         [&](const std::optional<Error> &error) { written = error; });
        QTRY_VERIFY(!background.busy());
        QVERIFY(written && written->message.find("no luck") != std::string::npos);

        std::optional<Result<int>> result;
        background.start([&](const Progress &) { return fails(), Result<int>(1); },
                         [&](const Result<int> &r) { result = r; });
        QTRY_VERIFY(!background.busy());
        QVERIFY(result && !result->ok());

        std::optional<int> found = 1;
        background.start([&](const Progress &) { return fails(), std::optional(2); },
                         [&](std::optional<int> value) { found = value; });
        QTRY_VERIFY(!background.busy());
        QVERIFY(!found);
    }

    void aRatePerStageIsPredictedPerPassOfTheRun()
    {
        RunModel model;
        RunRecord run = record(model, QStringLiteral("a"));
        auto state = std::make_shared<ProblemState>();
        state->problem = reference::sq();
        state->constants = state->problem->constants();
        run.problem = state;
        run.method = "ppa";
        run.effective.set("lambda", 0.1);
        QVERIFY(!RunController::theoryRate(run)); // no stage has said how many passes it takes
        const double mu = state->constants->mu;
        const double perStage = std::pow(0.1 / (0.1 + mu), 2);
        for (Index k = 0; k < 4; ++k) {
            run.trace.points.push_back(point(k, 1.0));
            run.trace.points.back().cost = {.ticks = k, .steps = k, .accesses = k * 3 * 60, .fullAccesses = 0};
        }
        const auto rate = RunController::theoryRate(run);
        QVERIFY(rate.has_value());
        QCOMPARE(std::pow(*rate, 3), perStage); // three passes of 60 rows a stage
        run.method = "gd";
        run.effective.set("lambda", 1 / state->constants->M);
        QCOMPARE(*RunController::theoryRate(run), 1 - mu / state->constants->M);
    }

    void staysConsistentWhileRunsComeGoAndChange()
    {
        RunModel model;
        const QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
        for (int i = 0; i < 5; ++i)
            model.insert(i / 2, record(model, QStringLiteral("run %1").arg(i)));
        QCOMPARE(model.rowCount(), 5);
        model.apply(update(101, 1, 0, {point(0, 1.0), point(1, 0.5)}));
        model.setVisible(2, false);
        model.solo(3);
        const RunRecord taken = model.take(1);
        QCOMPARE(taken.trace.points.size(), std::size_t(2));
        model.insert(2, taken);
        QCOMPARE(model.rowOf(1), 2);
        while (model.rowCount() > 0)
            model.take(model.runs().front()->id);
    }

    void appendsWhatIsNewAndDropsWhatWasTakenBack()
    {
        RunModel model;
        model.insert(0, record(model, QStringLiteral("a")));
        QSignalSpy traces(&model, &RunModel::traceChanged);
        model.apply(update(101, 2, 0, {point(0, 1.0), point(1, 0.5), point(2, 0.25)}));
        QCOMPARE(model.find(1)->trace.points.size(), std::size_t(3));
        model.apply(update(101, 1, 2, {}));
        QCOMPARE(model.find(1)->trace.points.size(), std::size_t(2));
        QCOMPARE(traces.count(), 2);
        QCOMPARE(traces[1][1].value<std::size_t>(), std::size_t(2));
        model.apply(update(101, 2, 2, {point(2, 0.3)}));
        QCOMPARE(model.find(1)->trace.points.back().loss, 0.3);
    }

    void whatWasUnderWayDoesNotUndoAStop()
    {
        RunModel model;
        RunRecord run = record(model, QStringLiteral("a"));
        run.stopped = true; // the worker does not know yet
        model.insert(0, std::move(run));
        model.apply(update(101, 1, 0, {point(0, 1.0), point(1, 0.5)}));
        QVERIFY(model.runs().front()->stopped);
    }

    void showsCountersAtTheEyesPaceAndNewsAtOnce()
    {
        RunModel model;
        model.insert(0, record(model, QStringLiteral("a")));
        QSignalSpy changes(&model, &QAbstractItemModel::dataChanged);
        RunUpdate u = update(101, 1, 0, {point(0, 1.0), point(1, 0.5)});
        u.keepPoints = 0;
        QVERIFY(model.apply(u));
        u.keepPoints = 2;
        u.points.clear();
        int shown = 0;
        for (Index k = 1; k <= 50; ++k) {
            u.cost.accesses = 10 + k;
            shown += model.apply(u) ? 1 : 0;
            QCOMPARE(model.find(1)->cost.accesses, 10 + k); // known at once all the same
        }
        QVERIFY2(shown < 25, qPrintable(QString::number(shown))); // a slow machine may take its tenths of a second
        QCOMPARE(changes.count(), 1 + shown);
        u.status = RunStatus::Paused;
        QVERIFY(model.apply(u));
        u.effective.set("lambda", 1e-4);
        QVERIFY(model.apply(u));
        u.stage = 2;
        QVERIFY(model.apply(u));
        u.points = {point(2, 0.25)};
        QVERIFY(model.apply(u));
    }

    void ignoresNewsOfAnEngineThatIsNoLongerTheRuns()
    {
        RunModel model;
        model.insert(0, record(model, QStringLiteral("a")));
        QVERIFY(!model.apply(update(999, 1, 0, {point(0, 1.0)})));
        QVERIFY(model.find(1)->trace.points.empty());
    }

    void showsExcessOnlyOnceThereIsAnOptimum()
    {
        RunModel model;
        RunRecord run = record(model, QStringLiteral("a"));
        const ProblemStatePtr problem = run.problem;
        model.insert(0, std::move(run));
        model.apply(update(101, 1, 0, {point(0, 1.0), point(1, 0.5)}));
        QCOMPARE(cell(model, 0, RunModel::Excess), QStringLiteral("–"));
        problem->optimum = Optimum{};
        problem->optimum->value = 0.25;
        problem->optimum->floor = 1e-12;
        model.problemChanged(problem.get());
        QCOMPARE(cell(model, 0, RunModel::Excess), QStringLiteral("0.250"));
        QCOMPARE(cell(model, 0, RunModel::Passes), QStringLiteral("1.0"));
        model.apply(update(101, 2, 2, {point(2, 0.25)}));
        QVERIFY2(cell(model, 0, RunModel::Excess).startsWith(QStringLiteral("≤")),
                 qPrintable(cell(model, 0, RunModel::Excess)));
    }

    void aNarrowPanelHasRoomForTheName()
    {
        RunModel model;
        const QString name = QStringLiteral("accelerated appa");
        model.insert(0, record(model, name));
        NowPanel panel;
        panel.setRun(model.find(1));
        panel.resize(180, 400); // as in a presentation: one column
        QCOMPARE(panel.shownName(), name);
        const int narrow = panel.sizeHint().height();
        panel.resize(80, 400);
        QVERIFY(panel.shownName().endsWith(u'…'));
        QCOMPARE(panel.sizeHint().height(), narrow);
    }

    void saysThatALossBelowTheOptimumShowsItToBeWrong()
    {
        RunModel model;
        RunRecord run = record(model, QStringLiteral("a"));
        run.problem->optimum = Optimum{};
        run.problem->optimum->value = 0.25;
        run.problem->optimum->floor = 1e-12;
        run.problem->optimum->certificate = 1e-6;
        model.insert(0, std::move(run));
        // Within what F_opt may be wrong by: at the floor.
        model.apply(update(101, 1, 0, {point(0, 1.0), point(1, 0.25 - 1e-7)}));
        QVERIFY(cell(model, 0, RunModel::Excess).startsWith(QStringLiteral("≤")));
        NowPanel panel;
        panel.setRun(model.find(1));
        QVERIFY(panel.valueOf(NowPanel::tr("Excess loss")).startsWith(QStringLiteral("≤")));
        model.apply(update(101, 2, 2, {point(2, 0.24)}));
        QCOMPARE(cell(model, 0, RunModel::Excess), QStringLiteral("−0.0100"));
        QVERIFY(model.index(0, RunModel::Excess)
                    .data(Qt::ToolTipRole)
                    .toString()
                    .contains(QStringLiteral("not the minimum")));
        panel.setRun(model.find(1));
        QCOMPARE(panel.valueOf(NowPanel::tr("Excess loss")), QStringLiteral("below F_opt"));
        // Of a session without its data it is not known how wrong F_opt may be: nothing is claimed.
        model.edit(1, [](RunRecord &r) { r.problem->optimum->certificate = 0; });
        QVERIFY(!isBelowOptimum(*model.find(1), 0.24));
    }

    void saysWhyARunDiverged()
    {
        RunModel model;
        model.insert(0, record(model, QStringLiteral("a")));
        RunUpdate u = update(101, 3, 0, {point(0, 1.0)});
        u.status = RunStatus::Diverged;
        u.message = "the loss exceeded 1e6 times its first value in stage 3";
        model.apply(u);
        QVERIFY(cell(model, 0, RunModel::Status).contains(QStringLiteral("1e6")));
        QVERIFY(model.index(0, RunModel::Status).data(Qt::ToolTipRole).toString().contains(QStringLiteral("stage 3")));
    }

    void renamesInPlaceButNotToNothing()
    {
        RunModel model;
        model.insert(0, record(model, QStringLiteral("a")));
        const QModelIndex name = model.index(0, RunModel::Name);
        QVERIFY(model.setData(name, QStringLiteral("  best  run ")));
        QCOMPARE(name.data().toString(), QStringLiteral("best run"));
        QVERIFY(!model.setData(name, QStringLiteral("   ")));
        QCOMPARE(name.data().toString(), QStringLiteral("best run"));
        QVERIFY(!model.setData(model.index(0, RunModel::Loss), QStringLiteral("0")));
    }

    void givesEveryNewRunTheLeastUsedColour()
    {
        RunModel model;
        const auto problem = std::make_shared<ProblemState>();
        for (int i = 0; i < Theme::seriesCount(); ++i) {
            RunRecord run = record(model, QString::number(i));
            run.problem = problem;
            run.colour = model.freeColour("sdca", problem);
            QCOMPARE(run.colour, i);
            model.insert(i, std::move(run));
        }
        model.take(4);
        QCOMPARE(model.freeColour("sdca", problem), 3);
        QCOMPARE(model.freeColour("appa", problem), 3);
        // They are never in a chart with those of another problem, which has all colours.
        QCOMPARE(model.freeColour("sdca", std::make_shared<ProblemState>()), 0);
    }

    void noTwoRunsHaveBothColourAndDashWhileAPairIsFree()
    {
        RunModel model;
        const auto problem = std::make_shared<ProblemState>();
        std::set<std::pair<int, MethodFamily>> pairs;
        for (const char *method :
             {"sdca", "sdca", "appa", "sdca", "appa", "sdca", "sdca", "appa", "sdca", "appa", "sdca", "appa", "sdca"}) {
            RunRecord run = record(model, QString::fromLatin1(method));
            run.method = method;
            run.problem = problem;
            run.colour = model.freeColour(method, problem);
            QVERIFY(pairs.emplace(run.colour, findMethod(method)->family).second);
            model.insert(model.rowCount(), std::move(run));
        }
    }

    void sortsByNumbersNotByText()
    {
        RunModel model;
        for (const double loss : {0.5, 12.0, 3e-7}) {
            model.insert(model.rowCount(), record(model, QString::number(loss)));
            model.apply(update(100 + model.rowCount(), 1, 0, {point(1, loss)}));
        }
        model.insert(3, record(model, QStringLiteral("none"))); // nothing measured: last
        RunTable table(model);
        table.sortByColumn(RunModel::Loss, Qt::AscendingOrder);
        QStringList names;
        for (int row = 0; row < table.model()->rowCount(); ++row)
            names << table.model()->index(row, RunModel::Name).data().toString();
        QCOMPARE(names,
                 QStringList(
                     {QStringLiteral("3e-07"), QStringLiteral("0.5"), QStringLiteral("12"), QStringLiteral("none")}));
    }

    void keepsTheCurrentRunWhenTheOrderChanges()
    {
        RunModel model;
        for (const double loss : {3.0, 2.0, 1.0}) {
            model.insert(model.rowCount(), record(model, QString::number(loss)));
            model.apply(update(100 + model.rowCount(), 1, 0, {point(1, loss)}));
        }
        RunTable table(model);
        table.setCurrentRun(1);
        table.sortByColumn(RunModel::Loss, Qt::AscendingOrder);
        QCOMPARE(table.currentRun(), 1);
        QCOMPARE(table.currentIndex().row(), 2);
    }

    void soloShowsOneAndThenAllAgain()
    {
        RunModel model;
        const auto problem = std::make_shared<ProblemState>();
        for (int i = 0; i < 4; ++i) {
            RunRecord run = record(model, QString::number(i));
            if (i < 3)
                run.problem = problem;
            model.insert(i, std::move(run));
        }
        model.solo(2);
        QVERIFY(!model.find(1)->visible && model.find(2)->visible && !model.find(3)->visible);
        QVERIFY(model.find(4)->visible); // it is another problem's
        model.solo(2);
        QVERIFY(model.find(1)->visible && model.find(2)->visible && model.find(3)->visible);
    }

    void theoryIsSetInRealSubscriptsAndListsTheReductions()
    {
        RunModel model;
        TheoryView view;
        for (const MethodInfo &info : methods()) {
            RunRecord run = record(model, QStringLiteral("a"));
            run.method = info.id;
            view.showFor(nullptr, &run);
            const QString text = view.toPlainText();
            QVERIFY2(!text.contains(u'_') && !text.contains(u'^'), info.id.c_str());
        }
        const QStringList lines = view.toPlainText().split(u'\n');
        const auto row = std::ranges::find_if(
            lines, [](const QString &line) { return line.contains(QStringLiteral("(this work)")); });
        QVERIFY(row != lines.end());
        for (const char *name : {"APPA", "Accelerated APPA", "Dual APPA"})
            QVERIFY2(row->contains(QString::fromLatin1(name)), qPrintable(*row));
    }

    void severalProblemsAreToldApartByWhatDiffers()
    {
        RunModel model;
        const auto add = [&](const ProblemStatePtr &problem) {
            RunRecord run = record(model, QStringLiteral("a"));
            run.problem = problem;
            model.insert(model.rowCount(), std::move(run));
        };
        const auto problem = [](const char *source, const char *loss, double ridge) {
            auto state = std::make_shared<ProblemState>();
            state->spec.recipe.source = source;
            state->spec.loss = loss;
            state->spec.ridge = ridge;
            return state;
        };
        RunTable table(model);
        table.resize(1400, 200);
        table.show();
        QCoreApplication::processEvents();
        const auto first = problem("mnist-6k", "squared", 0);
        add(first);
        add(first);
        QVERIFY(table.isColumnHidden(RunModel::Problem)); // nothing to tell apart
        QCOMPARE(cell(model, 0, RunModel::Problem), QString());
        add(problem("mnist-6k", "logistic", 0));
        QVERIFY(!table.isColumnHidden(RunModel::Problem));
        QCOMPARE(cell(model, 0, RunModel::Problem), QStringLiteral("squared loss"));
        QCOMPARE(cell(model, 2, RunModel::Problem), QStringLiteral("logistic loss"));
        add(problem("mnist-6k", "logistic", 1e-5));
        QCOMPARE(cell(model, 2, RunModel::Problem), QStringLiteral("logistic loss, no ridge"));
        QCOMPARE(cell(model, 3, RunModel::Problem), QStringLiteral("logistic loss, ridge 10⁻⁵"));
        add(problem("mnist-6k", "logistic", 1e-5)); // its file has changed, say
        QVERIFY(cell(model, 4, RunModel::Problem) != cell(model, 3, RunModel::Problem));
        for (const RunId id : {3, 4, 5})
            model.take(id);
        QVERIFY(table.isColumnHidden(RunModel::Problem));
        // That nothing was done to the data is no news, unless it is all there is to tell.
        const auto transformed = problem("mnist-6k", "squared", 0);
        transformed->spec.recipe.transforms = {{.kind = Transform::Kind::MeanNorm}};
        add(transformed);
        QCOMPARE(cell(model, 0, RunModel::Problem), QStringLiteral("no transforms"));
        QCOMPARE(cell(model, 2, RunModel::Problem), QStringLiteral("mean-norm"));
        add(problem("gaussians-2d", "logistic", 0));
        // No more than it takes: what is cut at its end for want of room tells nothing.
        QCOMPARE(cell(model, 0, RunModel::Problem), QStringLiteral("mnist-6k"));
        QCOMPARE(cell(model, 2, RunModel::Problem), QStringLiteral("mnist-6k, mean-norm"));
        QCOMPARE(cell(model, 3, RunModel::Problem), QStringLiteral("gaussians-2d"));
        // In a window of 1024 there is room for it, before passes.
        table.resize(700, 200);
        QCoreApplication::processEvents();
        QVERIFY(!table.isColumnHidden(RunModel::Problem) && table.isColumnHidden(RunModel::Passes));
    }

    void aNarrowTableShowsTheTellingColumnsWithoutScrolling()
    {
        RunModel model;
        model.insert(0, record(model, QStringLiteral("a")));
        RunTable table(model);
        const auto shown = [&](int width) {
            table.resize(width, 200);
            table.show();
            QCoreApplication::processEvents();
            QList<int> columns;
            for (int column = 0; column < RunModel::Problem; ++column)
                if (!table.isColumnHidden(column))
                    columns << column;
            return columns;
        };
        QCOMPARE(shown(1500).size(), int(RunModel::Problem));
        QCOMPARE(table.horizontalHeader()->length(), table.viewport()->width());
        const QList<int> narrow = shown(640);
        QVERIFY(table.horizontalHeader()->length() <= table.viewport()->width());
        for (const int column : {RunModel::Name, RunModel::Status, RunModel::Method, RunModel::Lambda, RunModel::Stage,
                                 RunModel::Excess, RunModel::TestError})
            QVERIFY2(narrow.contains(column), qPrintable(QString::number(column)));
        QCOMPARE(shown(1500).size(), int(RunModel::Problem)); // and they come back
        QVERIFY(table.layoutState().isEmpty());               // nobody arranged anything by hand
    }

    void changesAfterAStepBackIntoTheSharedPastAreTheForksOwn()
    {
        const auto changed = [](Index tick, const char *label) {
            RunEvent event;
            event.at.ticks = tick;
            event.label = label;
            return event;
        };
        RunModel model;
        RunRecord run = record(model, QStringLiteral("fork"));
        run.sharedEvents = 2;
        model.insert(0, std::move(run));
        RunUpdate past = update(101, 10, 0, {point(0, 1.0)});
        past.events = {changed(3, "a"), changed(6, "b")};
        model.apply(past);
        QCOMPARE(model.find(1)->sharedEvents, std::size_t(2));
        model.apply(past); // all of it once more
        QCOMPARE(model.find(1)->sharedEvents, std::size_t(2));
        RunUpdate back = update(101, 4, 1, {});
        back.keepEvents = 1;
        model.apply(back);
        QCOMPARE(model.find(1)->sharedEvents, std::size_t(1));
        back.events = {changed(4, "c")};
        model.apply(back);
        QCOMPARE(model.find(1)->sharedEvents, std::size_t(1));
        QCOMPARE(model.find(1)->trace.events.size(), std::size_t(2));
    }

    void theGapOfAnotherMethodIsNotShownWhateverWasChangedSince()
    {
        RunModel model;
        RunRecord run = record(model, QStringLiteral("a"));
        run.trace.points = {point(0, 1.0), point(1, 0.5)};
        run.trace.points.back().gap = 0.1;
        QCOMPARE(gapOf(run), 0.1);
        RunEvent event;
        event.at.ticks = 1;
        event.kind = RunEvent::Kind::Method;
        run.trace.events.push_back(event);
        event.kind = RunEvent::Kind::Params;
        run.trace.events.push_back(event);
        QVERIFY(std::isnan(gapOf(run)));
        run.trace.points.push_back(point(2, 0.4));
        run.trace.points.back().gap = 0.2;
        QCOMPARE(gapOf(run), 0.2);
    }

    void aColumnHiddenByTheMenuLeavesNoGap()
    {
        WideTable wide;
        RunTable &table = wide.table;
        QTimer::singleShot(0, &table, [&] {
            QMenu *menu = qobject_cast<QMenu *>(QApplication::activePopupWidget());
            QVERIFY(menu);
            for (QAction *action : menu->actions())
                if (action->text() == QLatin1String("Loss"))
                    action->trigger();
            menu->close();
        });
        emit table.horizontalHeader()->customContextMenuRequested({5, 5});
        QVERIFY(table.isColumnHidden(RunModel::Loss));
        QVERIFY(!table.layoutState().isEmpty());
        QCOMPARE(table.horizontalHeader()->length(), table.viewport()->width());
        table.resize(1700, 200);
        QCoreApplication::processEvents();
        QCOMPARE(table.horizontalHeader()->length(), table.viewport()->width());
        QVERIFY(table.isColumnHidden(RunModel::Loss));
    }

    void resettingTheColumnsBringsBackTheirOrder()
    {
        WideTable wide;
        RunTable &table = wide.table;
        QHeaderView *header = table.horizontalHeader();
        const auto order = [&] {
            std::vector<int> columns;
            for (int visual = 0; visual < header->count(); ++visual)
                columns.push_back(header->logicalIndex(visual));
            return columns;
        };
        const std::vector<int> before = order();
        header->moveSection(header->visualIndex(RunModel::Gap), 1);
        header->moveSection(header->visualIndex(RunModel::Name), 5);
        QVERIFY(order() != before);
        QTimer::singleShot(0, &table, [&] {
            QMenu *menu = qobject_cast<QMenu *>(QApplication::activePopupWidget());
            QVERIFY(menu);
            for (QAction *action : menu->actions())
                if (action->text() == QLatin1String("Reset the columns"))
                    action->trigger();
            menu->close();
        });
        emit header->customContextMenuRequested({5, 5});
        QCOMPARE(order(), before);
        QVERIFY(table.layoutState().isEmpty()); // nothing of it is the user's any more
        QCOMPARE(header->length(), table.viewport()->width());
    }

    void theUsersColumnsStayInTypeOfAnotherSize()
    {
        WideTable wide;
        RunTable &table = wide.table;
        table.hideColumn(RunModel::Loss);
        table.setColumnWidth(RunModel::Method, 170);
        table.horizontalHeader()->moveSection(table.horizontalHeader()->visualIndex(RunModel::Gap), 1);
        table.setTheme(Theme::light(2)); // as a presentation does
        QVERIFY(table.isColumnHidden(RunModel::Loss));
        QCOMPARE(table.columnWidth(RunModel::Method), 340);
        table.setTheme(Theme::dark(1));
        QVERIFY(table.isColumnHidden(RunModel::Loss));
        QCOMPARE(table.columnWidth(RunModel::Method), 170);
        QCOMPARE(table.horizontalHeader()->visualIndex(RunModel::Gap), 1);
        QVERIFY(!table.layoutState().isEmpty());
    }

    void aLayoutOfAnEarlierVersionHasNoPlaceForTheProblem()
    {
        QStandardItemModel fewer(0, RunModel::Problem); // it had all columns but the last
        QTableView before;
        before.setModel(&fewer);
        QHeaderView *header = before.horizontalHeader();
        header->setSectionsMovable(true);
        header->moveSection(RunModel::Status, 1);
        before.hideColumn(RunModel::Time);
        before.setColumnWidth(RunModel::Loss, 123);

        RunModel model;
        model.insert(0, record(model, QStringLiteral("a")));
        RunTable table(model);
        table.resize(1500, 200);
        table.restoreLayout(header->saveState());
        table.show();
        QCoreApplication::processEvents();
        QCOMPARE(table.horizontalHeader()->count(), int(RunModel::ColumnCount));
        QCOMPARE(table.horizontalHeader()->visualIndex(RunModel::Status), 1);
        QVERIFY(!table.isColumnHidden(RunModel::Name));
        QVERIFY(table.isColumnHidden(RunModel::Problem)); // there is one only
        QVERIFY(table.isColumnHidden(RunModel::Time));
        QCOMPARE(table.columnWidth(RunModel::Loss), 123);
        QCOMPARE(table.horizontalHeader()->length(), table.viewport()->width());
        RunRecord other = record(model, QStringLiteral("b"));
        other.problem->spec.ridge = 1;
        model.insert(1, std::move(other));
        QVERIFY(!table.isColumnHidden(RunModel::Problem));
        QVERIFY(table.columnWidth(RunModel::Problem) >= 40);
    }

    void noNumberAndNoStatusIsCut_data()
    {
        QTest::addColumn<int>("width");
        for (const int width : {500, 760, 1000, 1180, 1440, 1900})
            QTest::addRow("%d", width) << width;
    }

    void noNumberAndNoStatusIsCut()
    {
        QFETCH(int, width);
        RunModel model;
        for (int i = 0; i < 3; ++i) {
            RunRecord run = record(model, QStringLiteral("a long name, as people give them, %1").arg(i));
            run.problem->spec.ridge = i;
            run.problem->optimum = Optimum{};
            run.problem->optimum->floor = 8.88e-17;
            run.method = "accelerated-appa";
            model.insert(i, std::move(run));
        }
        RunTable table(model);
        table.resize(width, 200);
        table.show();
        QCoreApplication::processEvents();
        // They come while the table is there, as those of a run do.
        RunUpdate u = update(101, 123456, 0, {point(123456, 1.2345e-12)});
        u.status = RunStatus::Diverged;
        u.message = "the loss exceeded 1e6 times its first value in stage 3";
        u.effective.set("lambda", 1.2345e-100);
        u.seconds = 5000;
        u.points[0].gap = 8.888e-123;
        u.points[0].testError = 8.888e-123;
        model.apply(u);
        QCoreApplication::processEvents();
        QVERIFY(table.horizontalHeader()->length() <= table.viewport()->width());
        const QFontMetrics metrics(Theme::light().font(TextRole::Body));
        int numbers = 0;
        for (int column = RunModel::Lambda; column <= RunModel::Status; ++column) {
            if (table.isColumnHidden(column))
                continue;
            ++numbers;
            const QString text = column == RunModel::Status ? statusText(*model.find(1)) : cell(model, 0, column);
            QVERIFY2(metrics.horizontalAdvance(text) + 2 * Theme::light().space(1) <= table.columnWidth(column),
                     qPrintable(text));
        }
        QVERIFY(numbers >= 2); // the excess and the status stay
    }

    void theArrowOfTheOrderLeavesTheTitlesFree()
    {
        FlatStyle style;
        RunModel model;
        RunTable table(model);
        table.setStyleSheet(Theme::light().styleSheet());
        QHeaderView *header = table.horizontalHeader();
        QStyleOptionHeader option;
        option.initFrom(header);
        option.rect = {0, 0, 90, header->sizeHint().height()};
        const QRect arrow = style.subElementRect(QStyle::SE_HeaderArrow, &option, header);
        QRect title = option.fontMetrics.tightBoundingRect(QStringLiteral("Stage"));
        title = {0, (option.rect.height() - title.height()) / 2, option.rect.width(), title.height()}; // at either side
        QVERIFY(option.rect.contains(arrow));
        QVERIFY2(!arrow.intersects(title), qPrintable(QString("%1 and %2").arg(arrow.bottom()).arg(title.top())));
    }
};

QTEST_MAIN(TestRunModel)
#include "tst_ui_model.moc"
