// What is known of a run's stages and of its way in the plane, and how it is shown.
#include "RunUpdates.h"
#include "WindowTest.h"

#include "charts/StageView.h"

#include <QTabWidget>

#include <cmath>

using namespace appa;
using namespace appa::ui;

namespace {

using testing::point, testing::record, testing::report, testing::update;

} // namespace

class TestStages : public WindowTest
{
    Q_OBJECT

    StageView &stages() { return *m_window->findChild<StageView *>(); }
    void showStages()
    {
        auto *tabs = m_window->findChild<QTabWidget *>();
        tabs->setCurrentWidget(&stages());
        QVERIFY(stages().isVisible());
    }

private slots:
    void cleanup() { closeWindow(); }

    void countsStagesFromOneAndForgetsThoseTakenBack()
    {
        RunModel model;
        model.insert(0, record(model, QStringLiteral("a")));
        RunUpdate news = update(101, 3, 0, {point(0, 1.0), point(1, 0.5), point(2, 0.25), point(3, 0.2)});
        news.points[2].gap = 0.01; // measured at the end of the second stage; a fixed stage reports none
        for (Index k = 0; k < 3; ++k) {
            news.reports.push_back(report(k, {}));
        }
        model.apply(news);
        const auto &stages = model.find(1)->stages;
        QCOMPARE(stages.size(), std::size_t(3));
        QCOMPARE(stages.front().stage, Index(1));
        QCOMPARE(stages.back().stage, Index(3));
        QCOMPARE(stages[1].gap, std::optional<double>(0.01));
        QCOMPARE(stages[2].gap, std::optional<double>());
        model.apply(update(101, 2, 3, {}));
        QCOMPARE(stages.size(), std::size_t(2));
        QCOMPARE(stages.back().stage, Index(2));
    }

    void stagesOfASessionAreKnownFromItsTrace()
    {
        RunModel model;
        RunRecord run = record(model, QStringLiteral("a"));
        for (Index stage = 0; stage <= 3; ++stage) {
            run.trace.points.push_back(point(stage, 1.0));
            run.trace.points.back().gap = 0.5;
            run.trace.points.back().lambda = 1e-3;
        }
        run.stage = 3;
        model.insert(0, std::move(run));
        const auto &stages = model.runs()[0]->stages;
        QCOMPARE(stages.size(), std::size_t(3));
        QCOMPARE(stages[2].stage, Index(3));
        QCOMPARE(stages[2].accesses, Index(10));
        QCOMPARE(stages[2].gap.value_or(0), 0.5);
        QCOMPARE(stages[2].lambda, 1e-3);
        QVERIFY(std::isnan(stages[2].movement) && !stages[2].reported);
        // It goes on: what is reported is known in full, and a step back takes only what came after.
        RunUpdate more = update(101, 4, 4, {point(4, 0.5)});
        more.reports.push_back({.stage = 3, .lambda = 1e-3, .centre = {}, .asked = {}, .reached = {}, .gap = {}});
        model.apply(more);
        QCOMPARE(stages.size(), std::size_t(4));
        QVERIFY(stages[3].reported);
        model.apply(update(101, 2, 3, {}));
        QCOMPARE(stages.size(), std::size_t(2));
    }

    void stagesThatCameAtOnceAreTakenBackOneByOneInThePlane()
    {
        RunModel model;
        model.insert(0, record(model, QStringLiteral("a")));
        const RunRecord &run = *model.runs()[0];
        RunUpdate news = update(101, 20, 0, {});
        for (Index stage = 0; stage <= 20; ++stage) { // two ticks each
            news.points.push_back(point(stage, 1.0));
            news.points.back().cost.ticks = 2 * stage;
            if (stage < 20)
                news.reports.push_back(report(stage, Vector{{double(stage), 0.0}}));
        }
        for (int tick = 1; tick <= 41; ++tick)
            news.path.push_back(Vector{{0.1 * tick, 1.0}});
        news.cost.ticks = 41;
        model.apply(news);
        QCOMPARE(run.path.size(), std::size_t(42));
        QCOMPARE(run.path.front(), QPointF(0, 0)); // its start
        QCOMPARE(run.ends.size(), std::size_t(20));
        QCOMPARE(run.path[run.ends.front()], QPointF(0.2, 1.0));
        QCOMPARE(run.centres.size(), std::size_t(20));

        RunUpdate back = update(101, 19, 20, {});
        back.cost.ticks = 38;
        model.apply(back);
        QCOMPARE(run.path.size(), std::size_t(39));
        QCOMPARE(run.ends.size(), std::size_t(19));
        QCOMPARE(run.ends.back(), std::size_t(38));
        QCOMPARE(run.centres.size(), std::size_t(19));

        // It ran on by four ticks, the first of them in two goes, and back by two: only where it is now counts.
        RunUpdate both = update(101, 20, 20, {point(20, 1.0)});
        both.points[0].cost.ticks = both.cost.ticks = 40;
        for (const double x : {3.8, 3.9, 4.0, 7.0, 8.0})
            both.path.push_back(Vector{{x, 1.0}});
        for (const Index stage : {19, 20})
            both.reports.push_back(report(stage, Vector{{double(stage), 0.0}}));
        model.apply(both);
        QCOMPARE(run.path.size(), std::size_t(41));
        QCOMPARE(run.path.back(), QPointF(4.0, 1.0));
        QCOMPARE(run.ends.back(), std::size_t(40));
        QCOMPARE(run.centres.size(), std::size_t(20));
    }

    void aStageWithoutACentreTakesNoneWithIt()
    {
        RunModel model;
        model.insert(0, record(model, QStringLiteral("a")));
        RunUpdate news = update(101, 6, 0, {point(0, 1.0)});
        for (Index stage = 0; stage < 6; ++stage) // of a reduction, then of a method that stands alone
            news.reports.push_back(report(stage, stage < 3 ? Vector{{double(stage), 0.0}} : Vector()));
        model.apply(news);
        QCOMPARE(model.find(1)->centres.size(), std::size_t(3));
        model.apply(update(101, 4, 1, {}));
        QCOMPARE(model.find(1)->centres.size(), std::size_t(3));
        model.apply(update(101, 2, 1, {}));
        QCOMPARE(model.find(1)->centres.size(), std::size_t(2));
    }

    /// It is repeated up to where it was, and says how far it is.
    void aRunThatCatchesUpKeepsItsStages()
    {
        RunModel model;
        RunRecord run = record(model, QStringLiteral("a"));
        for (Index stage = 0; stage <= 20; ++stage)
            run.trace.points.push_back(point(stage, 1.0));
        run.stage = 20;
        model.insert(0, std::move(run));
        const auto &rows = model.runs()[0]->stages;
        QCOMPARE(rows.size(), std::size_t(20));
        for (const Index stage : {3, 7, 20}) {
            model.apply(update(101, stage, 21, {}));
            QCOMPARE(rows.size(), std::size_t(20));
        }
        // All of it once more.
        RunUpdate again = update(101, 5, 0, model.runs()[0]->trace.points);
        model.apply(again);
        QCOMPARE(rows.size(), std::size_t(20));
    }

    void aStepBackAndOnInOneUpdateLeavesNothingOfTheOldWay()
    {
        RunModel model;
        model.insert(0, record(model, QStringLiteral("a")));
        const RunRecord &run = *model.runs()[0];
        RunUpdate news = update(101, 4, 0, {});
        for (Index stage = 0; stage <= 4; ++stage) { // one tick each
            news.points.push_back(point(stage, 1.0));
            if (stage > 0)
                news.path.push_back(Vector{{double(stage), 0.0}});
            if (stage < 4)
                news.reports.push_back(report(stage, Vector{{double(stage), 0.0}}));
        }
        news.cost.ticks = 4;
        model.apply(news);
        QCOMPARE(run.path.size(), std::size_t(5));
        const std::size_t takenBack = run.takenBack;

        RunUpdate both =
            update(101, 5, 3, {point(3, 1.0), point(4, 1.0), point(5, 1.0)}); // back to stage 2, another way
        for (Index stage = 3; stage <= 5; ++stage)
            both.path.push_back(Vector{{double(stage), 1.0}});
        for (Index stage = 2; stage < 5; ++stage)
            both.reports.push_back(report(stage, Vector{{double(stage), 1.0}}));
        both.cost.ticks = 5;
        model.apply(both);
        QVERIFY(run.takenBack > takenBack);
        const std::vector<QPointF> way{{0, 0}, {1, 0}, {2, 0}, {3, 1}, {4, 1}, {5, 1}};
        QCOMPARE(run.path, way);
        QCOMPARE(run.ends, (std::vector<std::size_t>{1, 2, 3, 4, 5}));
        QCOMPARE(run.stages.size(), std::size_t(5));
        QCOMPARE(run.centres.size(), std::size_t(5));
        QVERIFY(std::isnan(run.stages[2].movement)); // from where is not known
    }

    void theAnatomyIsDrawnWhenItIsLookedAt()
    {
        openWindow();
        stepped();
        QVERIFY(stages().stages().empty());
        showStages();
        QCOMPARE(stages().stages().size(), std::size_t(1));
        stepped();
        QCOMPARE(stages().stages().size(), std::size_t(2));
    }

    void theAnatomyHasRoomForTheStagesThatWillBeAsSoonAsTheRuleChanges()
    {
        openWindow();
        const RunId id = m_window->currentRun();
        controller().change(id, QStringLiteral("stages"), 2.0);
        stepped();
        showStages();
        const QImage two = stages().grab().toImage();
        controller().change(id, QStringLiteral("stages"), 5.0);
        QVERIFY(stages().grab().toImage() != two);
    }

    void whatThePredictionRestsOnIsSaid()
    {
        openWindow();
        const RunId id = m_window->currentRun();
        const QString rule = QStringLiteral("stages");
        controller().change(id, rule, ParamValue(std::string("fixed")));
        QVERIFY(RunController::theoryCondition(run(id)).contains(QStringLiteral("well enough")));
        controller().change(id, rule, ParamValue(std::string("certified")));
        QCOMPARE(RunController::theoryCondition(run(id)), QString());
    }

    void aStepSizeIsNotCalledLambdaAfterASwitch()
    {
        StageRow first;
        first.stage = 1;
        first.lambda = 0.5; // a step size
        first.accesses = 100;
        first.rows = 100;
        StageRow second = first;
        second.stage = 2;
        second.lambda = 1e-3;
        const std::vector<StageRow> rows{first, second};
        const auto picture = [](std::span<const StageRow> shown, std::vector<Index> switches) {
            StageView view;
            view.resize(700, 500);
            view.setStages(shown, std::move(switches));
            return view.grab().toImage();
        };
        std::vector<StageRow> same = rows;
        same[0].lambda = same[1].lambda;
        QVERIFY(picture(rows, {}) != picture(same, {}));
        QCOMPARE(picture(rows, {1}), picture(same, {}));
    }
};

QTEST_MAIN(TestStages)
#include "tst_ui_stages.moc"
