#include "FakeMethod.h"
#include "LittleMemory.h"
#include "ReferenceProblems.h"

#include "run/Runner.h"
#include "run/Sweep.h"

#include <QTest>

#include <atomic>
#include <cerrno>
#include <climits>
#include <new>

#include <dlfcn.h>
#include <pthread.h>

// A system that grants no more than so many threads.
static std::atomic<int> threadsLeft = INT_MAX;

extern "C" int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*start)(void *),
                              void *argument) noexcept
{
    static const auto create = reinterpret_cast<decltype(&pthread_create)>(dlsym(RTLD_NEXT, "pthread_create"));
    return threadsLeft-- > 0 ? create(thread, attributes, start, argument) : EAGAIN;
}

using namespace appa;

namespace {

class FewThreads
{
public:
    explicit FewThreads(int count) { threadsLeft = count; }
    ~FewThreads() { threadsLeft = INT_MAX; }
};

SweepPlan twoRuns()
{
    SweepPlan plan;
    plan.methods = parseSweepMethods("sgd").value();
    plan.lambdas = {0.1, 1};
    plan.seeds = {1};
    plan.stages = 2;
    return plan;
}

using RunPtr = std::unique_ptr<Run>;

RunPtr fakeRun(const MethodInfo &info)
{
    auto made = Run::create(reference::sq(), info, {.method = "fake", .inner = {}, .params = {}, .seed = 7});
    if (!made)
        qFatal("%s", made.error().message.c_str());
    return std::move(made).value();
}

bool contains(const std::string &text, const char *part)
{
    return text.find(part) != std::string::npos;
}

void finish(Run &run)
{
    for (bool more = true; more;) {
        Slice slice = Slice::ticks(5);
        more = run.advance(slice);
    }
}

/// What the runner says of its runs in the end.
class Readings
{
public:
    explicit Readings(Runner &runner) : m_runner(runner) { }
    RunUpdate of(RunId id)
    {
        for (RunUpdate &update : m_runner.take()) {
            if (!update.message.empty())
                m_messages[update.id].push_back(update.message);
            m_last[update.id] = std::move(update);
        }
        return m_last[id];
    }
    const std::vector<std::string> &messages(RunId id) { return m_messages[id]; }

private:
    Runner &m_runner;
    std::map<RunId, RunUpdate> m_last;
    std::map<RunId, std::vector<std::string>> m_messages;
};

class ThrowingJob final : public Job
{
    void work(const std::stop_token &) override { throw std::runtime_error("no luck"); }
    std::string purpose() const override { return "try"; }
};

} // namespace

/// What throws where no one could catch it, on a thread or between two steps, becomes a sentence and a state.
class TestFailure final : public QObject
{
    Q_OBJECT

private slots:
    void aJobKeepsWhatItThrew();
    void aStepThatThrowsFailsTheRun();
    void aMeasurementThatThrowsFailsTheRun();
    void aCheckpointThatThrowsFailsTheRun();
    void aChangeThatThrowsIsRefusedAndFailsTheRun();
    void aStepBackThatThrowsChangesNothing();
    void aForkThatThrowsIsAFailedRun();
    void theRunnerGoesOn();
    void theRunnerTellsAWarningOnce();
    void aStudyHasFailedRuns();
    void aStudyTakesTheThreadsThatItGets();
    void aStudyWithoutAThreadFails();
};

void TestFailure::aJobKeepsWhatItThrew()
{
    ThrowingJob job;
    job.perform();
    QVERIFY(job.done());
    QCOMPARE(job.failure(), std::string("It was not possible to try: no luck."));
}

void TestFailure::aStepThatThrowsFailsTheRun()
{
    const MethodInfo info = fake::info({.throwAtTick = 12});
    const RunPtr run = fakeRun(info);
    finish(*run);
    QCOMPARE(run->status(), RunStatus::Failed);
    QVERIFY2(contains(run->message(), "stage 2: the plan says so"), run->message().c_str());
    QCOMPARE(run->trace().points.size(), std::size_t(2));
    run->stepBack(1);
    QCOMPARE(run->status(), RunStatus::Paused);
}

void TestFailure::aMeasurementThatThrowsFailsTheRun()
{
    const MethodInfo info = fake::info();
    const RunPtr run = fakeRun(info);
    std::vector<JobPtr> jobs;
    run->setExecutor([&](JobPtr job) { jobs.push_back(std::move(job)); });
    Slice stage = Slice::ticks(8);
    QVERIFY(run->advance(stage));
    QCOMPARE(jobs.size(), std::size_t(1));
    jobs[0]->perform();
    Slice more = Slice::ticks(1);
    QVERIFY(run->advance(more));
    QCOMPARE(jobs.size(), std::size_t(2));
    {
        const LittleMemory little;
        jobs[1]->perform();
    }
    QVERIFY(jobs[1]->done());
    QVERIFY(!run->advance(more));
    QCOMPARE(run->status(), RunStatus::Failed);
    QCOMPARE(run->message(), std::string("The memory did not suffice to measure the loss."));
    QVERIFY(!run->waiting());
    run->stepBack(0);
    QCOMPARE(run->status(), RunStatus::Paused);
}

void TestFailure::aCheckpointThatThrowsFailsTheRun()
{
    const MethodInfo info = fake::info({.noCloneAtTick = 8});
    const RunPtr run = fakeRun(info);
    finish(*run);
    QCOMPARE(run->status(), RunStatus::Failed);
    QVERIFY2(contains(run->message(), "memory"), run->message().c_str());
    QCOMPARE(run->trace().points.size(), std::size_t(1));
}

void TestFailure::aChangeThatThrowsIsRefusedAndFailsTheRun()
{
    const MethodInfo info = fake::info({.throwOnRetune = true});
    const RunPtr run = fakeRun(info);
    run->stepStage();
    const auto error = run->change("lambda", 0.5);
    QVERIFY(error.has_value());
    QVERIFY2(contains(error->message, "memory"), error->message.c_str());
    QCOMPARE(run->status(), RunStatus::Failed);
    QVERIFY(run->trace().events.empty());
    run->stepBack(1);
    QCOMPARE(run->status(), RunStatus::Paused);
}

void TestFailure::aStepBackThatThrowsChangesNothing()
{
    // The checkpoint at the end of stage 1 was made before; it is copying it that fails.
    auto broken = std::make_shared<bool>(false);
    MethodInfo info = fake::info();
    class Fragile final : public Method
    {
    public:
        Fragile(std::unique_ptr<Method> method, std::shared_ptr<bool> broken)
            : m_method(std::move(method)), m_broken(std::move(broken))
        {
        }
        std::unique_ptr<Method> clone() const override
        {
            if (*m_broken)
                throw std::bad_alloc();
            return std::make_unique<Fragile>(m_method->clone(), m_broken);
        }
        void start(const Handover &from, std::uint64_t base) override { m_method->start(from, base); }
        State advance(Slice &slice) override { return m_method->advance(slice); }
        void retune(const ParamSet &params) override { m_method->retune(params); }
        void point(Vector &out) const override { m_method->point(out); }
        Handover handover() const override { return m_method->handover(); }
        Cost cost() const override { return m_method->cost(); }
        ParamSet effective() const override { return m_method->effective(); }
        std::size_t stateBytes() const override { return m_method->stateBytes(); }

    private:
        std::unique_ptr<Method> m_method;
        std::shared_ptr<bool> m_broken;
    };
    info.make = [make = info.make, broken](const ProblemPtr &problem, std::string_view inner, const ParamSet &params) {
        return std::make_unique<Fragile>(make(problem, inner, params), broken);
    };
    const RunPtr run = fakeRun(info);
    run->stepStage();
    run->stepStage();
    const std::size_t points = run->trace().points.size();
    *broken = true;
    QVERIFY_EXCEPTION_THROWN(run->beginStepBack(1), std::bad_alloc);
    QCOMPARE(run->trace().points.size(), points);
    QCOMPARE(run->stage(), Index(2));
    *broken = false;
    run->stepBack(1);
    QCOMPARE(run->stage(), Index(1));

    // The runner says that it was not possible.
    Runner runner(2);
    Readings readings(runner);
    runner.add(1, fakeRun(info));
    runner.stepStage(1);
    QTRY_VERIFY(readings.of(1).points.size() + readings.of(1).keepPoints == 2 && runner.idle());
    *broken = true;
    runner.stepBack(1, 0);
    QTRY_VERIFY((readings.of(1), !readings.messages(1).empty()));
    QVERIFY2(contains(readings.messages(1).front(), "memory"), readings.messages(1).front().c_str());
}

void TestFailure::aForkThatThrowsIsAFailedRun()
{
    const MethodInfo info = fake::info({.noCloneAtTick = 11});
    RunPtr run = fakeRun(info);
    for (int k = 0; k < 11; ++k) {
        Slice one = Slice::ticks(1);
        QVERIFY(run->advance(one));
    }
    Runner runner(2);
    Readings readings(runner);
    runner.add(1, std::move(run));
    runner.fork(1, 2);
    QTRY_COMPARE(readings.of(2).status, RunStatus::Failed);
    QVERIFY2(contains(readings.messages(2).front(), "fork"), readings.messages(2).front().c_str());
    runner.remove(2); // it is not there: no matter
    QTRY_VERIFY((readings.of(1), runner.idle()));
}

void TestFailure::theRunnerGoesOn()
{
    const MethodInfo bad = fake::info({.throwAtTick = 12});
    const MethodInfo good = fake::info();
    Runner runner(2);
    Readings readings(runner);
    runner.add(1, fakeRun(bad));
    runner.add(2, fakeRun(good));
    runner.resume(1);
    runner.resume(2);
    QTRY_COMPARE(readings.of(1).status, RunStatus::Failed);
    QTRY_COMPARE(readings.of(2).status, RunStatus::Finished);
}

void TestFailure::theRunnerTellsAWarningOnce()
{
    const MethodInfo info = fake::info({.warnFromTick = 20});
    Runner runner(2);
    Readings readings(runner);
    runner.add(1, fakeRun(info));
    runner.setStagesPerSecond(1, 200);
    runner.resume(1);
    QTRY_COMPARE(readings.of(1).status, RunStatus::Finished);
    const std::vector<std::string> expected = {"Beware.", "20 stages done. Beware."};
    QCOMPARE(readings.messages(1), expected);
}

void TestFailure::aStudyHasFailedRuns()
{
    Sweep sweep(reference::sq(), twoRuns(), {.jobs = 2, .cases = {}, .folder = {}, .wake = {}});
    {
        const LittleMemory little;
        sweep.start();
        sweep.wait();
    }
    const SweepProgress progress = sweep.progress();
    if (progress.state == SweepState::Finished) {
        QCOMPARE(progress.failed, std::size_t(2));
        for (const SweepResult &result : sweep.take())
            QVERIFY2(contains(result.note, "memory"), result.note.c_str());
    } else {
        QCOMPARE(progress.state, SweepState::Failed);
        QVERIFY2(contains(progress.message, "memory"), progress.message.c_str());
    }
}

void TestFailure::aStudyTakesTheThreadsThatItGets()
{
    Sweep sweep(reference::sq(), twoRuns(), {.jobs = 2, .cases = {}, .folder = {}, .wake = {}});
    {
        const FewThreads one(1);
        sweep.start();
    }
    sweep.wait();
    QCOMPARE(sweep.progress().state, SweepState::Finished);
    QCOMPARE(sweep.take().size(), std::size_t(2));
}

void TestFailure::aStudyWithoutAThreadFails()
{
    Sweep sweep(reference::sq(), twoRuns(), {.jobs = 2, .cases = {}, .folder = {}, .wake = {}});
    {
        const FewThreads none(0);
        sweep.start();
    }
    sweep.wait();
    QCOMPARE(sweep.progress().state, SweepState::Failed);
    QVERIFY2(contains(sweep.progress().message, "thread"), sweep.progress().message.c_str());
}

QTEST_GUILESS_MAIN(TestFailure)
#include "tst_failure.moc"
