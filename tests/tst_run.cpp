#include "FakeMethod.h"
#include "ReferenceProblems.h"

#include "run/Labels.h"
#include "run/Replay.h"
#include "run/Run.h"

#include <QTest>

#include <bit>

using namespace appa;

namespace {

using RunPtr = std::unique_ptr<Run>;

RunPtr made(Result<RunPtr> result)
{
    if (!result)
        qFatal("%s", result.error().message.c_str());
    return std::move(result).value();
}

RunPtr fakeRun(const MethodInfo &info, StopRules stop = {}, int measuresPerPass = 0)
{
    return made(Run::create(reference::sq(), info, {.method = "fake", .inner = {}, .params = {}, .seed = 7}, stop,
                            measuresPerPass));
}

/// Drives a run to its end in slices of the given numbers of ticks, over and over.
void finish(Run &run, std::vector<Index> slices = {1000000})
{
    for (std::size_t k = 0;; ++k) {
        Slice slice = Slice::ticks(slices[k % slices.size()]);
        if (!run.advance(slice))
            return;
        if (run.waiting())
            run.wait(Slice::Clock::time_point::max());
    }
}

/// Advances to exactly that tick.
void advanceTo(Run &run, Index tick)
{
    while (run.cost().ticks < tick) {
        Slice slice = Slice::ticks(tick - run.cost().ticks);
        QVERIFY(run.advance(slice));
        if (run.waiting())
            run.wait(Slice::Clock::time_point::max());
    }
}

bool sameBits(double a, double b)
{
    return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b) || (std::isnan(a) && std::isnan(b));
}

/// "" if two traces are the same in all but the seconds.
QString difference(const Trace &a, const Trace &b)
{
    if (a.points.size() != b.points.size())
        return QString("%1 points, %2 points").arg(a.points.size()).arg(b.points.size());
    for (std::size_t k = 0; k < a.points.size(); ++k) {
        const TracePoint &p = a.points[k];
        const TracePoint &q = b.points[k];
        if (p.stage != q.stage || !(p.cost == q.cost) || p.stageEnd != q.stageEnd || !sameBits(p.loss, q.loss)
            || !sameBits(p.testError, q.testError) || !sameBits(p.gap, q.gap) || !sameBits(p.lambda, q.lambda))
            return QString("point %1: stage %2 tick %3 loss %4, stage %5 tick %6 loss %7")
                .arg(k)
                .arg(p.stage)
                .arg(p.cost.ticks)
                .arg(p.loss, 0, 'g', 17)
                .arg(q.stage)
                .arg(q.cost.ticks)
                .arg(q.loss, 0, 'g', 17);
    }
    if (a.events.size() != b.events.size())
        return QString("%1 events, %2 events").arg(a.events.size()).arg(b.events.size());
    for (std::size_t k = 0; k < a.events.size(); ++k) {
        if (!(a.events[k].at == b.events[k].at) || a.events[k].stage != b.events[k].stage
            || a.events[k].label != b.events[k].label)
            return QString("event %1").arg(k);
    }
    return {};
}

#define COMPARE_TRACES(a, b) QCOMPARE(difference(a, b), QString())

Vector pointOf(const Run &run)
{
    Vector x;
    run.point(x);
    return x;
}

/// Another value of a live parameter than the present one, if the method has one.
bool changeSomething(Run &run, int round)
{
    const MethodInfo *info = findMethod(run.method());
    const double factor = round % 2 ? 0.1 : 7;
    for (const ParamSpec &spec : paramsOf(*info, run.inner())) {
        if (spec.change != ParamSpec::Change::Live || spec.type != ParamSpec::Type::Real)
            continue;
        const double now = run.effective().real(spec.key);
        const double value = std::clamp(now * factor, spec.min, spec.max);
        if (value != now && !run.change(spec.key, value))
            return true;
    }
    return false;
}

} // namespace

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
    void labelsSayWhatChanged();
    void divergesAndKeepsTheLastFinitePoint_data();
    void divergesAndKeepsTheLastFinitePoint();
    void aDivergedRunCanBeRescued();
    void failsWithTheMethodsSentence();
    void saysAtTheEndWhatTheMethodNoticed();
    void endsWhenTheMethodIsDone();
    void stepsBackAndGoesOnAlike_data();
    void stepsBackAndGoesOnAlike();
    void thinsCheckpointsWithinTheBudget();
    void aForkSharesHistoryAndStream();
    void aStageCanBeAddedAfterTheEnd();
    void restoresASavedRun();
    void shortNumbersAreAsOnABoard_data();
    void shortNumbersAreAsOnABoard();
    void replaysEveryMethodBitForBit_data();
    void replaysEveryMethodBitForBit();
    void ticksLocateEveryPlaceOfEveryMethod_data();
    void ticksLocateEveryPlaceOfEveryMethod();
    void replayReportsTheFirstDifference();
    void switchingKeepsTheIterate_data();
    void switchingKeepsTheIterate();
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
    double before = 10;
    bool decreased = false;
    for (int k = 0; k < 20; ++k) {
        run->stepStage();
        QCOMPARE(run->trace().points.back().lambda, before);
        QCOMPARE(run->lastStage().lambda, before);
        const double next = run->effective().real("lambda");
        decreased = decreased || next < before;
        before = next;
    }
    QVERIFY(decreased);
    QVERIFY(replay(reference::sq(), run->spec(), run->trace()).value().identical);
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

void TestRun::labelsSayWhatChanged()
{
    const MethodInfo info = fake::info();
    const RunPtr run = fakeRun(info);
    run->stepStage();
    QVERIFY(!run->change("lambda", 1e-5));
    QCOMPARE(run->trace().events.back().label, std::string("λ 0.01 → 1e-5"));
    QVERIFY(!run->switchMethod("svrg", ""));
    QCOMPARE(run->trace().events.back().label, "Fake → " + findMethod("svrg")->label);
    QCOMPARE(std::get<std::string>(run->trace().events.back().to), std::string("svrg"));
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

void TestRun::stepsBackAndGoesOnAlike_data()
{
    QTest::addColumn<qint64>("budget");
    QTest::addColumn<bool>("beside");
    QTest::newRow("every stage kept") << (qint64(1) << 30) << false;
    QTest::newRow("nothing kept but the start") << qint64(0) << false;
    QTest::newRow("some kept, measured beside") << qint64(4000) << true;
}

void TestRun::stepsBackAndGoesOnAlike()
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

void TestRun::thinsCheckpointsWithinTheBudget()
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

void TestRun::aForkSharesHistoryAndStream()
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

void TestRun::aStageCanBeAddedAfterTheEnd()
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

void TestRun::restoresASavedRun()
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

void TestRun::shortNumbersAreAsOnABoard_data()
{
    QTest::addColumn<double>("value");
    QTest::addColumn<QString>("text");
    QTest::newRow("thousandth") << 1e-3 << "1e-3";
    QTest::newRow("hundred-thousandth") << 1e-5 << "1e-5";
    QTest::newRow("quarter") << 0.25 << "0.25";
    QTest::newRow("million") << 2.5e6 << "2.5e6";
    QTest::newRow("forty") << 40.0 << "40";
    QTest::newRow("zero") << 0.0 << "0";
    QTest::newRow("negative") << -1.25e-7 << "-1.25e-7";
}

void TestRun::shortNumbersAreAsOnABoard()
{
    QFETCH(double, value);
    QFETCH(QString, text);
    QCOMPARE(QString::fromStdString(shortNumber(value)), text);
}

/// Every method on a problem it can run on, with and without a ridge.
static void everyMethod()
{
    QTest::addColumn<QString>("method");
    QTest::addColumn<QString>("inner");
    QTest::addColumn<ProblemPtr>("problem");
    const std::vector<std::pair<const char *, ProblemPtr>> problems = {
        {"squared", reference::sq()},
        {"squared ridge", reference::sq(reference::Storage::Single, 0.1)},
        {"consistent", reference::consistent()},
        {"logistic", reference::logi(reference::Storage::SparseDouble, 0.02)}};
    for (const MethodInfo &info : methods()) {
        for (const std::string &inner : info.inners.empty() ? std::vector<std::string>{""} : info.inners) {
            for (const auto &[name, problem] : problems) {
                if (whyNot(*problem, info.id, inner).empty())
                    QTest::addRow("%s %s %s", info.id.c_str(), inner.c_str(), name)
                        << QString::fromStdString(info.id) << QString::fromStdString(inner) << problem;
            }
        }
    }
}

void TestRun::replaysEveryMethodBitForBit_data()
{
    everyMethod();
}

void TestRun::replaysEveryMethodBitForBit()
{
    QFETCH(QString, method);
    QFETCH(QString, inner);
    QFETCH(ProblemPtr, problem);
    const RunSpec spec{.method = method.toStdString(), .inner = inner.toStdString(), .params = {}, .seed = 11};
    MeasureThread thread;
    for (const bool beside : {false, true}) {
        RunPtr run = made(Run::create(problem, spec, {.stages = 12}, 3));
        if (beside)
            run->setExecutor(thread.executor());
        // What a person does: run, pause somewhere, change, fork, step back, change again, switch, go on.
        std::uint64_t draw = 99;
        for (int round = 0; round < 4 && run->status() != RunStatus::Finished; ++round) {
            draw = mix64(draw + 1);
            Slice slice = Slice::ticks(1 + static_cast<Index>(draw % 23));
            run->advance(slice);
            run->pause();
            changeSomething(*run, round);
        }
        run->stepStage();
        run->stepStage();
        RunPtr branch = run->fork();
        run->stepBack(std::max<Index>(0, run->stage() - 2));
        changeSomething(*run, 1);
        if (!branch->switchMethod("svrg", "")) {
            Slice slice = Slice::ticks(3);
            branch->advance(slice);
            branch->switchMethod(spec.method, spec.inner);
        }
        for (Run *each : {run.get(), branch.get()}) {
            finish(*each, {4, 1, 9});
            QVERIFY(each->status() != RunStatus::Failed);
            const auto report = replay(problem, each->spec(), each->trace());
            QVERIFY2(report.ok(), report.ok() ? "" : report.error().message.c_str());
            QVERIFY2(report.value().identical, report.value().difference.c_str());
            QCOMPARE(report.value().points, each->trace().points.size());
        }
    }
}

void TestRun::ticksLocateEveryPlaceOfEveryMethod_data()
{
    everyMethod();
}

void TestRun::ticksLocateEveryPlaceOfEveryMethod()
{
    QFETCH(QString, method);
    QFETCH(QString, inner);
    QFETCH(ProblemPtr, problem);
    const RunSpec spec{.method = method.toStdString(), .inner = inner.toStdString(), .params = {}, .seed = 4};
    auto whole = Engine::create(problem, spec);
    auto single = Engine::create(problem, spec);
    QVERIFY(whole.ok() && single.ok());
    for (int stage = 0; stage < 3; ++stage) {
        Slice all = Slice::ticks(1000000);
        const Method::State expected = whole.value().advance(all);
        Method::State state = Method::State::More;
        while (state == Method::State::More) {
            const Index before = single.value().ticks();
            Slice one = Slice::ticks(1);
            state = single.value().advance(one);
            QCOMPARE(single.value().ticks(), before + 1);
        }
        QCOMPARE(state, expected);
        QCOMPARE(single.value().cost(), whole.value().cost());
        Vector a, b;
        whole.value().current().point(a);
        single.value().current().point(b);
        QVERIFY(a == b);
        if (state == Method::State::Done)
            break;
    }
}

void TestRun::replayReportsTheFirstDifference()
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

void TestRun::switchingKeepsTheIterate_data()
{
    everyMethod();
}

void TestRun::switchingKeepsTheIterate()
{
    QFETCH(QString, method);
    QFETCH(QString, inner);
    QFETCH(ProblemPtr, problem);
    const RunSpec spec{.method = method.toStdString(), .inner = inner.toStdString(), .params = {}, .seed = 6};
    for (const MethodInfo &other : methods()) {
        const RunPtr run = made(Run::create(problem, spec));
        Slice slice = Slice::ticks(5);
        run->advance(slice);
        if (run->switchMethod(other.id, "") || other.id == spec.method)
            continue;
        const Vector x = pointOf(*run);
        const TracePoint &at = run->trace().points.back();
        QVERIFY2(std::abs(problem->objective(x) - at.loss) <= 1e-12 * std::abs(at.loss), other.id.c_str());
        run->stepStage();
        QVERIFY2(run->status() != RunStatus::Failed, (other.id + ": " + run->message()).c_str());
    }
}

QTEST_GUILESS_MAIN(TestRun)
#include "tst_run.moc"
