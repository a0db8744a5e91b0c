#include "FakeMethod.h"
#include "ReferenceProblems.h"

#include "run/Inbox.h"
#include "run/Outbox.h"
#include "run/Replay.h"
#include "run/Runner.h"

#include <QTest>

#include <atomic>
#include <map>
#include <thread>

using namespace appa;

namespace {

std::unique_ptr<Run> newRun(const ProblemPtr &problem, const std::string &method, std::uint64_t seed, Index stages)
{
    auto made = Run::create(problem, {.method = method, .inner = {}, .params = {}, .seed = seed}, {.stages = stages});
    if (!made)
        qFatal("%s", made.error().message.c_str());
    return std::move(made).value();
}

/// What the other side of the outbox knows.
struct Known
{
    Trace trace;
    RunUpdate last;
    std::vector<StageReport> reports;
    std::string refusal;
};

class Reader
{
public:
    explicit Reader(Runner &runner) : m_runner(runner) { }
    void read()
    {
        for (RunUpdate &update : m_runner.take()) {
            Known &known = m_known[update.id];
            if (update.keepPoints > known.trace.points.size() || update.keepEvents > known.trace.events.size())
                qFatal("an update skips points");
            known.trace.points.resize(update.keepPoints);
            known.trace.events.resize(update.keepEvents);
            known.trace.points.insert(known.trace.points.end(), update.points.begin(), update.points.end());
            known.trace.events.insert(known.trace.events.end(), update.events.begin(), update.events.end());
            known.reports.insert(known.reports.end(), update.reports.begin(), update.reports.end());
            if (!update.message.empty())
                known.refusal = update.message;
            known.last = std::move(update);
        }
    }
    Known &operator[](RunId id) { return m_known[id]; }
    bool knows(RunId id) const { return m_known.contains(id); }
    RunStatus status(RunId id)
    {
        read();
        return m_known[id].last.status;
    }

private:
    Runner &m_runner;
    std::map<RunId, Known> m_known;
};

} // namespace

class TestRunner final : public QObject
{
    Q_OBJECT

private slots:
    void runsToTheEndAndReportsEverything();
    void theTraceIsTheSameAsWithoutThreads();
    void pausesStepsAndStepsBack();
    void changesAreCoalescedPerKey();
    void aCommandThatMustWaitIsNoWork();
    void aRunThatIsRemovedDoesNotWaitForWhatItWasTold();
    void saysWhenACommandIsAnswered();
    void refusalsAreReported();
    void aForkTakesCommandsBeforeItIsBorn();
    void removedRunsAreSilent();
    void isIdleOnlyWhenNothingIsLeftToTake();
    void stagesPerSecondLimitsTheSpeed();
    void drawsThePathInThePlane();
    void foldsUpdates();
    void survivesThousandsOfRandomCommands();
};

void TestRunner::runsToTheEndAndReportsEverything()
{
    Runner runner(2);
    Reader reader(runner);
    runner.add(1, newRun(reference::sq(), "svrg", 1, 15));
    QTRY_COMPARE(reader.status(1), RunStatus::Ready);
    runner.resume(1);
    QTRY_COMPARE(reader.status(1), RunStatus::Finished);
    QCOMPARE(reader[1].trace.points.size(), std::size_t(16));
    QCOMPARE(reader[1].last.stage, Index(15));
    QCOMPARE(reader[1].last.method, std::string("svrg"));
    QVERIFY(reader[1].last.effective.real("lambda") > 0);
    const auto x = runner.pointOf(1);
    QVERIFY(x.has_value());
    QCOMPARE(reference::sq()->objective(*x), reader[1].trace.points.back().loss);
    QVERIFY(!runner.pointOf(2).has_value());
}

void TestRunner::theTraceIsTheSameAsWithoutThreads()
{
    const ProblemPtr problem = reference::logi(reference::Storage::Single, 0.01);
    for (const int threads : {1, 2, 4}) {
        Runner runner(threads);
        Reader reader(runner);
        for (int id = 0; id < 6; ++id) {
            runner.add(id, newRun(problem, id % 2 ? "svrg" : "saga", static_cast<std::uint64_t>(id), 12));
            runner.resume(id);
        }
        for (int id = 0; id < 6; ++id) {
            QTRY_COMPARE(reader.status(id), RunStatus::Finished);
            const auto alone = newRun(problem, id % 2 ? "svrg" : "saga", static_cast<std::uint64_t>(id), 12);
            for (bool more = true; more;) {
                Slice slice = Slice::ticks(1000);
                more = alone->advance(slice);
            }
            const auto &mine = reader[id].trace.points;
            QCOMPARE(mine.size(), alone->trace().points.size());
            for (std::size_t k = 0; k < mine.size(); ++k) {
                QCOMPARE(mine[k].cost, alone->trace().points[k].cost);
                QCOMPARE(mine[k].loss, alone->trace().points[k].loss);
            }
        }
    }
}

void TestRunner::pausesStepsAndStepsBack()
{
    Runner runner(2);
    Reader reader(runner);
    runner.add(1, newRun(reference::sq(), "svrg", 1, 0));
    runner.resume(1);
    QTRY_VERIFY((reader.read(), reader[1].last.stage >= 3));
    runner.pause(1);
    QTRY_COMPARE(reader.status(1), RunStatus::Paused);
    const Index stage = reader[1].last.stage;
    const Cost cost = reader[1].last.cost;
    runner.stepStage(1);
    QTRY_VERIFY((reader.read(), reader[1].last.stage == stage + 1 && reader[1].last.status == RunStatus::Paused));
    QVERIFY(reader[1].last.cost.ticks > cost.ticks);
    QTRY_COMPARE((reader.read(), reader[1].trace.points.back().stage), stage + 1);
    runner.stepBack(1, 1);
    QTRY_VERIFY((reader.read(), reader[1].last.stage == 1));
    QCOMPARE(reader[1].trace.points.back().stage, Index(1));
    QCOMPARE(reader[1].last.status, RunStatus::Paused);
    // Every finished stage was reported, in order, however many fell between two looks.
    QCOMPARE(reader[1].reports.size(), static_cast<std::size_t>(stage + 1));
    for (std::size_t k = 1; k < reader[1].reports.size(); ++k)
        QVERIFY(reader[1].reports[k].stage > reader[1].reports[k - 1].stage);
}

void TestRunner::changesAreCoalescedPerKey()
{
    Runner runner(2);
    Reader reader(runner);
    runner.add(1, newRun(reference::sq(), "svrg", 1, 0));
    runner.resume(1);
    QTRY_VERIFY((reader.read(), reader[1].last.stage >= 1));
    for (int k = 1; k <= 2000; ++k)
        runner.change(1, "lambda", 1e-3 * k / 2000.0);
    QTRY_VERIFY((reader.read(), reader[1].last.effective.real("lambda") == 1e-3));
    QVERIFY2(reader[1].trace.events.size() < 2000, qPrintable(QString::number(reader[1].trace.events.size())));
    QCOMPARE(std::get<double>(reader[1].trace.events.back().to), 1e-3);
}

void TestRunner::aCommandThatMustWaitIsNoWork()
{
    // While a run is rebuilt its method may have to learn something first, for seconds: a worker that took the run up
    // for a change that has to wait would do so again and again, and keep the core from who computes it.
    Inbox inbox;
    QVERIFY(!inbox.ready(false));
    inbox.put(command::Change{"lambda", 1.0});
    QVERIFY(inbox.ready(false));
    QVERIFY(!inbox.ready(true));
    inbox.put(command::Pause{}); // keeps its place behind it
    QVERIFY(!inbox.ready(true));
    QVERIFY(inbox.next(false).has_value());
    QVERIFY(inbox.ready(true));
    QVERIFY(inbox.next(true).has_value());
    QVERIFY(!inbox.ready(true));
}

void TestRunner::aRunThatIsRemovedDoesNotWaitForWhatItWasTold()
{
    Inbox inbox;
    inbox.put(command::Change{"lambda", 1.0});
    inbox.put(command::Pause{});
    inbox.put(command::Remove{});
    const auto next = inbox.next(true);
    QVERIFY(next && std::holds_alternative<command::Remove>(*next));
    QVERIFY(inbox.empty());
    // A fork comes of what was changed before it.
    inbox.put(command::Change{"lambda", 1.0});
    inbox.put(command::Fork{2, std::nullopt});
    inbox.put(command::StepStage{});
    inbox.put(command::Remove{});
    QVERIFY(!inbox.ready(true));
    QVERIFY(std::holds_alternative<command::Change>(*inbox.next(false)));
    QVERIFY(std::holds_alternative<command::Fork>(*inbox.next(true)));
    QVERIFY(std::holds_alternative<command::Remove>(*inbox.next(true)));
}

void TestRunner::saysWhenACommandIsAnswered()
{
    Runner runner(2);
    // The answer is there to be taken when the caller hears of it.
    std::atomic<std::size_t> events = 0;
    std::atomic<int> answers = 0;
    runner.setAnswered([&] {
        for (const RunUpdate &update : runner.take())
            events += update.events.size();
        ++answers;
    });
    runner.add(1, newRun(reference::sq(), "svrg", 1, 15));
    runner.change(1, "lambda", 0.5);
    QTRY_COMPARE(events.load(), std::size_t(1));
    const int before = answers;
    runner.change(1, "no such parameter", 0.5);
    QTRY_COMPARE(answers.load(), before + 1); // a refusal is an answer too
    runner.resume(1);
    QTRY_COMPARE(answers.load(), before + 2);
    QTRY_VERIFY([&] {
        runner.take();
        return runner.idle();
    }());
    QCOMPARE(answers.load(), before + 2); // what a run does by itself is none
}

void TestRunner::refusalsAreReported()
{
    Runner runner(2);
    Reader reader(runner);
    runner.add(1, newRun(reference::sq(), "svrg", 1, 0));
    runner.resume(1);
    runner.change(1, "no-such-key", 1.0);
    QTRY_VERIFY((reader.read(), reader[1].refusal.find("no-such-key") != std::string::npos));
}

void TestRunner::aForkTakesCommandsBeforeItIsBorn()
{
    Runner runner(2);
    Reader reader(runner);
    runner.add(1, newRun(reference::sq(), "svrg", 1, 10));
    runner.resume(1);
    QTRY_COMPARE(reader.status(1), RunStatus::Finished);
    runner.fork(1, 2, 4);
    runner.change(2, "lambda", 1e-4);
    runner.resume(2);
    runner.remove(1);
    runner.fork(1, 3);
    QTRY_COMPARE(reader.status(2), RunStatus::Finished);
    QCOMPARE(reader[2].trace.points.size(), std::size_t(11));
    QCOMPARE(reader[2].trace.events.size(), std::size_t(1));
    QCOMPARE(reader[2].trace.events[0].stage, Index(4));
    for (std::size_t k = 0; k <= 4; ++k)
        QCOMPARE(reader[2].trace.points[k].loss, reader[1].trace.points[k].loss);
}

void TestRunner::removedRunsAreSilent()
{
    Runner runner(2);
    Reader reader(runner);
    runner.add(1, newRun(reference::sq(), "svrg", 1, 0));
    runner.add(2, newRun(reference::sq(), "svrg", 2, 0));
    runner.resume(1);
    runner.resume(2);
    QTRY_VERIFY((reader.read(), reader[1].last.stage >= 2));
    runner.remove(1);
    QTRY_VERIFY(!runner.pointOf(1).has_value());
    reader.read();
    const Index seen = reader[2].last.stage;
    QTRY_VERIFY((reader.read(), reader[2].last.stage > seen));
    for (const RunUpdate &update : runner.take())
        QCOMPARE(update.id, 2);
}

void TestRunner::isIdleOnlyWhenNothingIsLeftToTake()
{
    Runner runner(2);
    Reader reader(runner);
    QVERIFY(runner.idle());
    runner.add(1, newRun(reference::sq(), "svrg", 1, 1000000));
    QVERIFY(!runner.idle());
    QTRY_VERIFY((reader.read(), runner.idle()));
    QCOMPARE(reader[1].last.status, RunStatus::Ready);
    runner.resume(1);
    QVERIFY(!runner.idle());
    QTRY_VERIFY(reader.status(1) == RunStatus::Running && reader[1].last.stage > 3);
    QVERIFY(!runner.idle());
    runner.pause(1);
    QTRY_VERIFY((reader.read(), runner.idle()));
    QCOMPARE(reader[1].last.status, RunStatus::Paused);
    // A run from a session is rebuilt first; its last state is taken before anyone may rest.
    auto made = Run::restore(reference::sq(), {.method = "svrg", .inner = {}, .params = {}, .seed = 1}, {.stages = 5},
                             0, reader[1].trace);
    QVERIFY(made.ok());
    runner.add(2, std::move(made).value());
    QVERIFY(!runner.idle());
    QTRY_VERIFY((reader.read(), runner.idle()));
    QCOMPARE(reader[2].last.stage, reader[1].trace.points.back().stage);
}

void TestRunner::stagesPerSecondLimitsTheSpeed()
{
    Runner runner(2);
    Reader reader(runner);
    runner.add(1, newRun(reference::sq(), "svrg", 1, 0));
    runner.setStagesPerSecond(1, 0.01);
    runner.resume(1);
    QTRY_VERIFY((reader.read(), reader[1].last.stage == 1));
    // The next stage is a hundred seconds away; a higher limit acts at once.
    runner.setStagesPerSecond(1, 0);
    QTRY_VERIFY((reader.read(), reader[1].last.stage > 20));
}

void TestRunner::drawsThePathInThePlane()
{
    Eigen::MatrixXd A(40, 2);
    Eigen::VectorXd b(40);
    for (int i = 0; i < 40; ++i) {
        A.row(i) << std::sin(i), std::cos(1.3 * i);
        b[i] = std::sin(0.2 * i);
    }
    const ProblemPtr problem = reference::problem(reference::dataset("plane", A, b, TargetKind::Real), "squared");
    Runner runner(2);
    Reader reader(runner);
    runner.add(1, newRun(problem, "svrg", 1, 3));
    runner.resume(1);
    std::size_t steps = 0;
    QTRY_VERIFY(([&] {
        for (RunUpdate &update : runner.take()) {
            steps += update.path.size();
            for (const Vector &x : update.path)
                if (x.size() != 2)
                    qFatal("not in the plane");
            reader[1].last = std::move(update);
        }
        return reader[1].last.status == RunStatus::Finished;
    }()));
    QVERIFY2(steps > 3, qPrintable(QString::number(steps)));
}

void TestRunner::foldsUpdates()
{
    const auto points = [](std::initializer_list<Index> stages) {
        std::vector<TracePoint> list;
        for (const Index stage : stages) {
            list.emplace_back();
            list.back().stage = stage;
        }
        return list;
    };
    const auto update = [&](std::size_t keep, std::initializer_list<Index> stages, std::string message = {}) {
        RunUpdate u;
        u.id = 1;
        u.keepPoints = keep;
        u.points = points(stages);
        u.message = std::move(message);
        return u;
    };
    Outbox box;
    box.put(update(3, {3, 4, 5}));
    box.put(update(6, {6}, "refused"), true);
    box.put(update(5, {50}));
    auto taken = box.take();
    QCOMPARE(taken.size(), std::size_t(1));
    QCOMPARE(taken[0].keepPoints, std::size_t(3));
    QCOMPARE(taken[0].points.size(), std::size_t(3));
    QCOMPARE(taken[0].points[2].stage, Index(50));
    QCOMPARE(taken[0].message, std::string("refused"));
    box.put(update(3, {3, 4}));
    box.put(update(1, {10}));
    taken = box.take();
    QCOMPARE(taken[0].keepPoints, std::size_t(1));
    QCOMPARE(taken[0].points.size(), std::size_t(1));
    QVERIFY(box.take().empty());
}

void TestRunner::survivesThousandsOfRandomCommands()
{
    const ProblemPtr problem = reference::logi(reference::Storage::Single, 0.01);
    const std::vector<std::string> ids = {"svrg", "saga", "sgd"};
    std::uint64_t state = 2026;
    const auto draw = [&state](std::uint64_t below) { return mix64(++state) % below; };
    Runner runner(2);
    Reader reader(runner);
    std::map<RunId, RunSpec> specs;
    RunId next = 0;
    const auto add = [&] {
        auto run = newRun(problem, ids[draw(ids.size())], draw(100), 0);
        specs[next] = run->spec();
        runner.add(next++, std::move(run));
    };
    for (int k = 0; k < 4; ++k)
        add();
    for (int k = 0; k < 5000; ++k) {
        const RunId id = static_cast<RunId>(draw(static_cast<std::uint64_t>(next)));
        switch (draw(13)) {
        case 0:
            runner.pause(id);
            break;
        case 1:
            runner.stepStage(id);
            break;
        case 2:
            runner.stepBack(id, static_cast<Index>(draw(12)));
            break;
        case 3:
            if (specs.size() < 12 && specs.contains(id)) {
                specs[next] = specs[id];
                runner.fork(id, next++, draw(2) ? std::optional<Index>(static_cast<Index>(draw(9))) : std::nullopt);
            }
            break;
        case 4:
        case 5:
            runner.change(id, "lambda", 1e-4 * static_cast<double>(1 + draw(1000)));
            break;
        case 6:
            runner.switchMethod(id, ids[draw(ids.size())], "");
            break;
        case 7:
            runner.setStopRules(id, {.stages = static_cast<Index>(draw(40))});
            break;
        case 8:
            if (draw(40) == 0) {
                runner.remove(id);
                specs.erase(id);
                add();
            }
            break;
        case 9:
            runner.setStagesPerSecond(id, draw(2) ? 0 : 200);
            break;
        case 10:
            (void)runner.pointOf(id);
            break;
        default:
            runner.resume(id);
        }
        if (k % 7 == 0)
            reader.read();
    }
    for (const auto &[id, spec] : specs) {
        runner.stepBack(id, 30);
        runner.pause(id);
    }
    // Whatever was done to them, what is on record can be done again.
    for (const auto &[id, spec] : specs) {
        QTRY_VERIFY((reader.read(), reader.knows(id) && reader[id].last.status != RunStatus::Running));
        QTRY_VERIFY((reader.read(), reader[id].last.stage <= 30));
        const auto report = replay(problem, spec, reader[id].trace);
        QVERIFY2(report.ok(), report.ok() ? "" : report.error().message.c_str());
        QVERIFY2(report.value().identical, report.value().difference.c_str());
    }
}

QTEST_GUILESS_MAIN(TestRunner)
#include "tst_runner.moc"
