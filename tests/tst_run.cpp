// A run: what it measures, what ends it, what a change does.
#include "ReferenceProblems.h"
#include "RunDriving.h"

#include "run/Replay.h"
#include "run/Stalling.h"

#include <QTest>

using namespace appa;
using namespace appa::testing;

class TestRun final : public QObject
{
    Q_OBJECT

private slots:
    void beginsWithPointZeroAndMeasuresEveryStage();
    void measuresInsideStagesAtTheSameTicksHoweverSliced_data();
    void measuresInsideStagesAtTheSameTicksHoweverSliced();
    void isTheSameWithASecondThread();
    void endsByItsRules_data();
    void endsByItsRules();
    void anInterruptedStageCountsAndHasAPoint();
    void aChangeAtAStagesEndAddsNoPoint();
    void theTraceHasTheLambdaThatAStageUsed();
    void refusesWhatCannotChange();
    void divergesAndKeepsTheLastFinitePoint_data();
    void divergesAndKeepsTheLastFinitePoint();
    void aDivergedRunCanBeRescued();
    void failsWithTheMethodsSentence();
    void saysAtTheEndWhatTheMethodNoticed();
    void endsWhenTheMethodIsDone();
    void advisesWhereStagesAreTooShort();
};

void TestRun::beginsWithPointZeroAndMeasuresEveryStage()
{
    const MethodInfo info = fake::info();
    const RunPtr run = fakeRun(info, {.stages = 5});
    QCOMPARE(run->status(), RunStatus::Ready);
    finish(*run);
    QCOMPARE(run->status(), RunStatus::Finished);
    QCOMPARE(run->trace().points.size(), std::size_t(6));
    QCOMPARE(run->message(), std::string("5 stages done."));
    for (Index k = 0; k <= 5; ++k) {
        const TracePoint &p = run->trace().points[static_cast<std::size_t>(k)];
        QCOMPARE(p.stage, k);
        QCOMPARE(p.cost.ticks, 8 * k);
        QCOMPARE(p.lambda, 0.01);
        QVERIFY(p.stageEnd);
        QVERIFY(std::isfinite(p.loss));
    }
    QCOMPARE(run->trace().points[0].loss, run->problem().objective(Vector::Zero(run->problem().dim())));
    QCOMPARE(run->trace().points[5].loss, run->problem().objective(pointOf(*run)));
}

void TestRun::measuresInsideStagesAtTheSameTicksHoweverSliced_data()
{
    QTest::addColumn<int>("perPass");
    QTest::newRow("none") << 0;
    QTest::newRow("three") << 3;
    QTest::newRow("four") << 4;
}

void TestRun::measuresInsideStagesAtTheSameTicksHoweverSliced()
{
    QFETCH(int, perPass);
    const MethodInfo info = fake::info();
    const RunPtr whole = fakeRun(info, {.stages = 4}, perPass);
    finish(*whole);
    for (const std::vector<Index> &slices : {std::vector<Index>{1}, {3, 1, 5}, {7}, {8}, {2, 64}}) {
        const RunPtr cut = fakeRun(info, {.stages = 4}, perPass);
        finish(*cut, slices);
        COMPARE_TRACES(cut->trace(), whole->trace());
    }
    // n = 60, accesses of a tick 60/8 = 7: a stage is a little less than a pass.
    const std::size_t inside =
        static_cast<std::size_t>(std::ranges::count(whole->trace().points, false, &TracePoint::stageEnd));
    QVERIFY2(perPass == 0 ? inside == 0 : inside >= 4, qPrintable(QString::number(inside)));
}

void TestRun::isTheSameWithASecondThread()
{
    const MethodInfo info = fake::info({.hugeAtTick = 45});
    const auto script = [&](JobExecutor executor) {
        RunPtr run = fakeRun(info, {.stages = 12}, 2);
        run->setExecutor(std::move(executor));
        advanceTo(*run, 13);
        run->change("lambda", 0.5);
        advanceTo(*run, 25);
        run->change("lambda", 0.02);
        finish(*run, {5});
        return run;
    };
    const RunPtr alone = script({});
    QCOMPARE(alone->status(), RunStatus::Diverged);
    for (int round = 0; round < 20; ++round) {
        MeasureThread thread;
        const RunPtr beside = script(thread.executor());
        COMPARE_TRACES(beside->trace(), alone->trace());
        QCOMPARE(beside->status(), alone->status());
        QCOMPARE(beside->message(), alone->message());
        QCOMPARE(beside->cost(), alone->cost());
        QVERIFY(pointOf(*beside) == pointOf(*alone));
    }
}

void TestRun::endsByItsRules_data()
{
    QTest::addColumn<StopRules>("stop");
    QTest::addColumn<QString>("message");
    QTest::newRow("passes") << StopRules{.stages = 0, .passes = 2.5} << "2.5 passes done.";
    QTest::newRow("stages") << StopRules{.stages = 3} << "3 stages done.";
    QTest::newRow("gap") << StopRules{.stages = 500, .gapBelow = 1e-6} << "The gap is below 1e-6 after stage";
    QTest::newRow("excess") << StopRules{.stages = 500, .excessBelow = 1e-4}
                            << "The excess loss is below 1e-4 after stage";
}

void TestRun::endsByItsRules()
{
    QFETCH(StopRules, stop);
    QFETCH(QString, message);
    const ProblemPtr problem = reference::sq(reference::Storage::Double, 0.05);
    const RunSpec spec{.method = "sdca", .inner = {}, .params = {}, .seed = 3};
    const auto go = [&](JobExecutor executor) {
        RunPtr run = made(Run::create(problem, spec, stop));
        run->setExecutor(std::move(executor));
        // The optimum, near enough for the rule: a long run's last loss.
        RunPtr exact = made(Run::create(problem, spec, {.stages = 400}));
        finish(*exact);
        run->setOptimum(exact->trace().points.back().loss);
        finish(*run);
        return run;
    };
    const RunPtr alone = go({});
    QCOMPARE(alone->status(), RunStatus::Finished);
    QVERIFY2(QString::fromStdString(alone->message()).startsWith(message), alone->message().c_str());
    const TracePoint &last = alone->trace().points.back();
    QCOMPARE(last.cost, alone->cost());
    if (stop.gapBelow > 0) {
        QVERIFY(last.gap <= stop.gapBelow);
        for (std::size_t k = 1; k + 1 < alone->trace().points.size(); ++k)
            QVERIFY(alone->trace().points[k].gap > stop.gapBelow);
    }
    MeasureThread thread;
    const RunPtr beside = go(thread.executor());
    COMPARE_TRACES(beside->trace(), alone->trace());
    QCOMPARE(beside->cost(), alone->cost());
}

void TestRun::anInterruptedStageCountsAndHasAPoint()
{
    const MethodInfo info = fake::info();
    const RunPtr run = fakeRun(info, {.stages = 4});
    advanceTo(*run, 11);
    const Vector before = pointOf(*run);
    QVERIFY(!run->change("lambda", 0.5));
    QCOMPARE(run->stage(), Index(2));
    QCOMPARE(run->trace().points.back().cost.ticks, Index(11));
    QVERIFY(run->trace().points.back().stageEnd);
    QCOMPARE(run->trace().points.back().lambda, 0.01);
    QCOMPARE(run->trace().events.size(), std::size_t(1));
    QCOMPARE(run->trace().events[0].at.ticks, Index(11));
    QCOMPARE(run->trace().events[0].stage, Index(2));
    QVERIFY(run->trace().events[0].midStage);
    QVERIFY(pointOf(*run) == before);
    // A second change at the same place is part of the same interruption.
    QVERIFY(!run->change("lambda", 0.25));
    QVERIFY(!run->trace().events[1].midStage);
    QCOMPARE(run->stage(), Index(2));
    QCOMPARE(run->trace().points.size(), std::size_t(3));
    finish(*run);
    QCOMPARE(run->trace().points.back().stage, Index(4));
    QCOMPARE(run->trace().points.back().cost.ticks, Index(11 + 16));
    QCOMPARE(run->trace().points.back().lambda, 0.25);
}

void TestRun::aChangeAtAStagesEndAddsNoPoint()
{
    const MethodInfo info = fake::info();
    const RunPtr run = fakeRun(info);
    run->stepStage();
    QCOMPARE(run->status(), RunStatus::Paused);
    QVERIFY(!run->change("lambda", 0.5));
    QCOMPARE(run->stage(), Index(1));
    QCOMPARE(run->trace().points.size(), std::size_t(2));
    QCOMPARE(run->trace().events[0].at.ticks, Index(8));
    QVERIFY(!run->trace().events[0].midStage);
    // The same value again is no event.
    QVERIFY(!run->change("lambda", 0.5));
    QCOMPARE(run->trace().events.size(), std::size_t(1));
}

void TestRun::theTraceHasTheLambdaThatAStageUsed()
{
    RunSpec spec{.method = "dual-appa", .inner = {}, .params = {}, .seed = 7};
    spec.params.set("lambda", 10.0);
    spec.params.set("decrease", true);
    const RunPtr run = made(Run::create(reference::sq(), spec, {.stages = 0}));
    Trace older; // as programs wrote it that had the next stage's lambda there
    double before = 10;
    bool decreased = false;
    for (int k = 0; k < 20; ++k) {
        run->stepStage();
        QCOMPARE(run->trace().points.back().lambda, before);
        QCOMPARE(run->lastStage().lambda, before);
        const double next = run->effective().real("lambda");
        decreased = decreased || next < before;
        before = next;
        older.points.push_back(run->trace().points.back());
        older.points.back().lambda = next;
    }
    QVERIFY(decreased);
    QVERIFY(replay(reference::sq(), run->spec(), run->trace()).value().identical);
    const auto report = replay(reference::sq(), run->spec(), older);
    QVERIFY2(report.value().identical, report.value().difference.c_str());
    older.points.back().lambda *= 1.5;
    QVERIFY(!replay(reference::sq(), run->spec(), older).value().identical);
}

void TestRun::refusesWhatCannotChange()
{
    const MethodInfo info = fake::info();
    const RunPtr run = fakeRun(info);
    run->stepStage();
    const auto refused = [&](const char *key, ParamValue value, const char *part) {
        const auto error = run->change(key, value);
        QVERIFY(error);
        QVERIFY2(error->message.find(part) != std::string::npos, error->message.c_str());
    };
    refused("depth", 5.0, "start a new run");
    refused("lambda", -1.0, "lambda");
    refused("lambda", std::string("wide"), "lambda");
    refused("length", 1.0, "It has lambda, depth");
    refused("method", std::string("no-such"), "no method \"no-such\"");
    refused("inner", std::string("sdca"), "stands alone");
    QVERIFY(run->trace().events.empty());
    QCOMPARE(run->stage(), Index(1));
    const auto bad = Run::create(reference::sq(), {.method = "no-such", .inner = {}, .params = {}});
    QVERIFY(!bad.ok());
    QCOMPARE(bad.error().kind, Error::Kind::Usage);
}

void TestRun::divergesAndKeepsTheLastFinitePoint_data()
{
    QTest::addColumn<bool>("nan");
    QTest::addColumn<int>("perPass");
    QTest::newRow("not finite") << true << 0;
    QTest::newRow("not finite, inside a stage") << true << 4;
    QTest::newRow("a million times") << false << 0;
    QTest::newRow("a million times, inside a stage") << false << 4;
}

void TestRun::divergesAndKeepsTheLastFinitePoint()
{
    QFETCH(bool, nan);
    QFETCH(int, perPass);
    const MethodInfo info = fake::info(nan ? fake::Plan{.nanAtTick = 21} : fake::Plan{.hugeAtTick = 21});
    for (const bool beside : {false, true}) {
        MeasureThread thread;
        const RunPtr run = fakeRun(info, {.stages = 9}, perPass);
        if (beside)
            run->setExecutor(thread.executor());
        finish(*run);
        QCOMPARE(run->status(), RunStatus::Diverged);
        // A sentence, shown behind the word for the status.
        QVERIFY2(run->message().starts_with("The loss "), run->message().c_str());
        QVERIFY2(run->message().find(perPass ? "in stage 3" : "after stage 3") != std::string::npos,
                 run->message().c_str());
        const TracePoint &last = run->trace().points.back();
        QVERIFY(std::isfinite(last.loss));
        QCOMPARE(last.cost, run->cost());
        QCOMPARE(last.loss, run->problem().objective(pointOf(*run)));
        if (nan)
            QVERIFY(last.cost.ticks < 21);
        else
            QVERIFY(last.loss > 1e6 * run->trace().points.front().loss);
    }
}

void TestRun::aDivergedRunCanBeRescued()
{
    const MethodInfo info = fake::info({.hugeAtTick = 20});
    const RunPtr run = fakeRun(info, {.stages = 6});
    finish(*run);
    QCOMPARE(run->status(), RunStatus::Diverged);
    run->stepBack(1);
    QCOMPARE(run->status(), RunStatus::Paused);
    QVERIFY(run->message().empty());
    QVERIFY(!run->change("lambda", 1e-3));
    QCOMPARE(run->stage(), Index(1));
}

void TestRun::failsWithTheMethodsSentence()
{
    const MethodInfo info = fake::info({.failAtTick = 12});
    const RunPtr run = fakeRun(info);
    finish(*run);
    QCOMPARE(run->status(), RunStatus::Failed);
    QCOMPARE(run->message(), std::string("The plan says so."));
    QCOMPARE(run->trace().points.size(), std::size_t(2));
    QVERIFY(run->change("lambda", 0.5));
    run->stepBack(1);
    QCOMPARE(run->status(), RunStatus::Paused);
}

void TestRun::saysAtTheEndWhatTheMethodNoticed()
{
    const MethodInfo info = fake::info({.warnFromTick = 12});
    const RunPtr run = fakeRun(info, {.stages = 3});
    run->stepStage();
    QVERIFY(run->warning().empty());
    run->stepStage();
    QCOMPARE(run->warning(), std::string("Beware."));
    QVERIFY(run->message().empty());
    finish(*run);
    QCOMPARE(run->message(), std::string("3 stages done. Beware."));
}

void TestRun::endsWhenTheMethodIsDone()
{
    const MethodInfo info = fake::info({.doneAtTick = 12});
    const RunPtr run = fakeRun(info);
    finish(*run);
    QCOMPARE(run->status(), RunStatus::Finished);
    QCOMPARE(run->message(), std::string("The plan says so."));
    QCOMPARE(run->trace().points.back().cost.ticks, Index(12));
    QCOMPARE(run->trace().points.back().stage, Index(2));
}

void TestRun::advisesWhereStagesAreTooShort()
{
    const ProblemPtr problem = reference::logi();
    const MethodInfo &appa = *findMethod("appa");
    const ParamSet fixed(paramsOf(appa, "sdca"));
    const auto adviceTo = [&](const Problem &of, const MethodInfo &method, std::string_view inner, const auto &loss,
                              const ParamSet &params, Index eventAt = -1) {
        Trace trace;
        for (Index k = 0; k <= 30; ++k) {
            TracePoint point;
            point.stage = point.cost.ticks = k;
            point.loss = loss(static_cast<double>(k));
            trace.points.push_back(point);
        }
        if (eventAt >= 0)
            trace.events.emplace_back().at.ticks = eventAt;
        return stallingAdvice(trace, of, method, inner, params);
    };
    const auto advice = [&](const auto &loss, const ParamSet &params, Index eventAt = -1) {
        return adviceTo(*problem, appa, "sdca", loss, params, eventAt);
    };
    const auto zigzag = [](double k) { return k == 0 ? 1 : 0.3 + 0.1 * std::fmod(k, 2); };
    QVERIFY(QString::fromStdString(advice(zigzag, fixed)).contains("Dual APPA"));
    QVERIFY(!advice(zigzag, fixed, 10).empty());
    QVERIFY(advice(zigzag, fixed, 11).empty()); // not for long enough
    QVERIFY(advice([](double k) { return std::pow(0.9, k); }, fixed).empty());
    QVERIFY(advice([](double k) { return k == 0 ? 1 : 0.3 + 1e-9 * std::fmod(k, 2); }, fixed).empty()); // rounding
    QVERIFY(advice([](double k) { return 1 + k; }, fixed).empty()); // that is no stalling
    QVERIFY(advice([](double k) { return k == 0 ? 1 : 0.3 + 0.1 * std::sin(k); }, fixed).empty()); // momentum does that
    ParamSet certified = fixed;
    certified.set("stages", std::string("certified"));
    QVERIFY(advice(zigzag, certified).empty());
    QVERIFY(adviceTo(*problem, appa, "exact", zigzag, fixed).empty()); // not for want of passes

    // Dual APPA only to those who can take it, and have not.
    const MethodInfo &dual = *findMethod("dual-appa");
    const std::string toDual = adviceTo(*problem, dual, "sdca", zigzag, ParamSet(paramsOf(dual, "sdca")));
    QVERIFY(!toDual.empty() && !QString::fromStdString(toDual).contains("Dual APPA"));
    const auto classes = reference::problem(
        reference::dataset("classes", Eigen::MatrixXd::Identity(3, 3), Eigen::Vector3d(0, 1, 2), TargetKind::Classes),
        "softmax");
    const std::string toSoftmax = adviceTo(*classes, appa, "svrg", zigzag, ParamSet(paramsOf(appa, "svrg")));
    QVERIFY(!toSoftmax.empty() && !QString::fromStdString(toSoftmax).contains("Dual APPA"));
}

QTEST_GUILESS_MAIN(TestRun)
#include "tst_run.moc"
