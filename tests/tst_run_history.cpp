// The past of a run: back, forked, restored, replayed.
#include "RunDriving.h"

#include "run/Replay.h"

#include <QTest>

using namespace appa;
using namespace appa::testing;

class TestRunHistory final : public QObject
{
    Q_OBJECT

private slots:
    void stepsBackAndGoesOnAlike_data();
    void stepsBackAndGoesOnAlike();
    void returnsToWhatWasMeasuredLast_data();
    void returnsToWhatWasMeasuredLast();
    void thinsCheckpointsWithinTheBudget();
    void aForkSharesHistoryAndStream();
    void aStageCanBeAddedAfterTheEnd();
    void restoresASavedRun();
    void replayReportsTheFirstDifference();
};

void TestRunHistory::stepsBackAndGoesOnAlike_data()
{
    QTest::addColumn<qint64>("budget");
    QTest::addColumn<bool>("beside");
    QTest::newRow("every stage kept") << (qint64(1) << 30) << false;
    QTest::newRow("nothing kept but the start") << qint64(0) << false;
    QTest::newRow("some kept, measured beside") << qint64(4000) << true;
}

void TestRunHistory::stepsBackAndGoesOnAlike()
{
    QFETCH(qint64, budget);
    QFETCH(bool, beside);
    const MethodInfo info = fake::info();
    MeasureThread thread;
    const auto script = [&](const std::vector<Index> &backTo) {
        RunPtr run = fakeRun(info, {.stages = 10}, 2);
        run->setCheckpointBudget(static_cast<std::size_t>(budget));
        if (beside)
            run->setExecutor(thread.executor());
        advanceTo(*run, 19);
        run->change("lambda", 0.5);
        advanceTo(*run, 30);
        run->change("lambda", 0.03);
        finish(*run, {3});
        for (const Index stage : backTo) {
            run->stepBack(stage);
            if (run->stage() != stage || run->trace().points.back().stage != stage)
                qFatal("not at stage %lld", static_cast<long long>(stage));
            finish(*run);
        }
        return run;
    };
    // Stages 3 and 5 were interrupted by the changes: going back to them keeps these, so that going on repeats them.
    const RunPtr straight = script({});
    const RunPtr back = script({9, 6, 5, 5, 8, 7, 10});
    COMPARE_TRACES(back->trace(), straight->trace());
    QVERIFY(pointOf(*back) == pointOf(*straight));

    back->stepBack(2);
    QVERIFY(back->trace().events.empty());
    QCOMPARE(back->effective().real("lambda"), 0.01);
    back->stepBack(0);
    QCOMPARE(back->cost().ticks, Index(0));
    QCOMPARE(back->trace().points.size(), std::size_t(1));
}

void TestRunHistory::returnsToWhatWasMeasuredLast_data()
{
    QTest::addColumn<bool>("beside");
    QTest::newRow("measured in its place") << false;
    QTest::newRow("measured beside") << true;
}

void TestRunHistory::returnsToWhatWasMeasuredLast()
{
    QFETCH(bool, beside);
    const MethodInfo info = fake::info();
    MeasureThread thread;
    const RunPtr straight = fakeRun(info, {.stages = 10});
    const RunPtr run = fakeRun(info, {.stages = 10});
    if (beside)
        run->setExecutor(thread.executor());
    advanceTo(*straight, 19);
    straight->change("lambda", 0.5);
    advanceTo(*run, 19);
    run->change("lambda", 0.5);
    for (const Index ticks : {1, 3, 9}) {
        Slice unlimited = Slice::ticks(std::numeric_limits<Index>::max());
        advanceTo(*run, run->cost().ticks + ticks);
        run->pause();
        while (!run->settle(unlimited))
            run->wait(Slice::Clock::time_point::max());
        run->returnToLastPoint();
        const TracePoint last = run->trace().points.back();
        QCOMPARE(run->cost().ticks, last.cost.ticks);
        QCOMPARE(run->problem().objective(pointOf(*run)), last.loss);
    }
    QCOMPARE(run->trace().events.size(), std::size_t(1)); // made at the very place
    QCOMPARE(run->effective().real("lambda"), 0.5);
    finish(*run);
    finish(*straight);
    COMPARE_TRACES(run->trace(), straight->trace());
}

void TestRunHistory::thinsCheckpointsWithinTheBudget()
{
    const MethodInfo info = fake::info();
    const RunPtr run = fakeRun(info, {.stages = 100});
    run->setCheckpointBudget(10000);
    finish(*run);
    QVERIFY(run->checkpointBytes() <= 10000);
    QVERIFY(run->checkpointCount() >= 4);
    run->stepBack(77);
    QCOMPARE(run->stage(), Index(77));
}

void TestRunHistory::aForkSharesHistoryAndStream()
{
    const MethodInfo info = fake::info();
    const RunPtr run = fakeRun(info, {.stages = 8});
    advanceTo(*run, 21);
    const RunPtr now = run->fork();
    COMPARE_TRACES(now->trace(), run->trace());
    QVERIFY(pointOf(*now) == pointOf(*run));
    finish(*run);
    const RunPtr earlier = run->fork(3);
    QCOMPARE(earlier->stage(), Index(3));
    QCOMPARE(earlier->trace().points.size(), std::size_t(4));
    finish(*now);
    finish(*earlier, {2});
    COMPARE_TRACES(now->trace(), run->trace());
    COMPARE_TRACES(earlier->trace(), run->trace());
    QVERIFY(pointOf(*now) == pointOf(*run));

    // The branches are independent.
    const RunPtr other = run->fork(2);
    QVERIFY(!other->change("lambda", 0.7));
    QVERIFY(run->trace().events.empty());
}

void TestRunHistory::aStageCanBeAddedAfterTheEnd()
{
    const MethodInfo info = fake::info();
    const RunPtr run = fakeRun(info, {.stages = 2});
    finish(*run);
    QCOMPARE(run->status(), RunStatus::Finished);
    run->stepStage();
    QCOMPARE(run->stage(), Index(3));
    QCOMPARE(run->status(), RunStatus::Finished);
    run->setStopRules({.stages = 5});
    QCOMPARE(run->status(), RunStatus::Paused);
    finish(*run);
    const RunPtr straight = fakeRun(info, {.stages = 5});
    finish(*straight);
    COMPARE_TRACES(run->trace(), straight->trace());
}

void TestRunHistory::restoresASavedRun()
{
    const RunSpec spec{.method = "svrg", .inner = {}, .params = {}, .seed = 5};
    const RunPtr run = made(Run::create(reference::sq(), spec, {.stages = 6}));
    run->stepStage();
    run->stepStage();
    changeSomething(*run, 0);
    run->stepStage();
    const RunPtr again = made(Run::restore(reference::sq(), run->spec(), run->stopRules(), 0, run->trace()));
    QVERIFY(again->catchingUp());
    finish(*run);
    finish(*again, {2});
    COMPARE_TRACES(again->trace(), run->trace());
    QVERIFY(pointOf(*again) == pointOf(*run));
}

void TestRunHistory::replayReportsTheFirstDifference()
{
    const RunPtr run =
        made(Run::create(reference::sq(), {.method = "svrg", .inner = {}, .params = {}, .seed = 2}, {.stages = 5}));
    finish(*run);
    Trace forged = run->trace();
    forged.points[3].loss = std::nextafter(forged.points[3].loss, 1.0);
    const auto report = replay(reference::sq(), run->spec(), forged);
    QVERIFY(report.ok());
    QVERIFY(!report.value().identical);
    QCOMPARE(report.value().points, std::size_t(3));
    QVERIFY2(report.value().difference.find("stage 3") == 0, report.value().difference.c_str());
    QVERIFY(report.value().difference.find("loss") != std::string::npos);
}

QTEST_GUILESS_MAIN(TestRunHistory)
#include "tst_run_history.moc"
