#include "ReferenceProblems.h"
#include "problem/Optimum.h"
#include "run/Replay.h"
#include "run/Runner.h"

#include <QTemporaryDir>
#include <QTest>

#include <semaphore>
#include <thread>

using namespace appa;

/// What a method has to know of its problem (an eigenvalue, say) is computed beside the run, once per problem: the run
/// answers meanwhile, and its numbers are the same as if everything had been known.
class Learning final : public QObject
{
    Q_OBJECT

private slots:
    void theTraceDoesNotTellWhenItWasLearnt_data();
    void theTraceDoesNotTellWhenItWasLearnt();
    void smoothnessHasTheSameBitsAloneAndWithTheRest();
    void aRunAnswersWhileItsMethodLearns();
    void quittingDoesNotWaitForALesson();
    void onlyOneThreadComputes();
    void whoNeedsOnlyTheSmoothnessDoesNotWaitForMu();
    void aKnownMinimizerIsNotSolvedForAgain();
    void largeUnridgedProblemsAreNotSolvedForMu();
};

namespace {

struct Choice
{
    const char *method;
    const char *stages;     ///< "" for methods without that parameter
    const char *inner = ""; ///< "" for the method's default
};

RunSpec specOf(const Choice &choice)
{
    RunSpec spec{.method = choice.method, .inner = choice.inner, .params = {}, .seed = 3};
    if (*choice.stages)
        spec.params.set("stages", std::string(choice.stages));
    return spec;
}

std::unique_ptr<Run> newRun(const ProblemPtr &problem, const RunSpec &spec, Index stages = 6)
{
    auto run = Run::create(problem, spec, {.stages = stages});
    if (!run)
        qFatal("%s", run.error().message.c_str());
    return std::move(run).value();
}

void finish(Run &run)
{
    for (bool more = true; more;) {
        Slice slice = Slice::ticks(5);
        more = run.advance(slice);
        if (run.waiting())
            run.wait(Slice::Clock::time_point::max());
    }
}

bool same(const TracePoint &a, const TracePoint &b)
{
    const auto equal = [](double u, double v) { return u == v || (u != u && v != v); };
    return a.stage == b.stage && a.cost == b.cost && equal(a.loss, b.loss) && equal(a.gap, b.gap)
        && equal(a.lambda, b.lambda);
}

void compare(const std::vector<TracePoint> &a, const std::vector<TracePoint> &b)
{
    QCOMPARE(a.size(), b.size());
    for (std::size_t k = 0; k < a.size(); ++k)
        QVERIFY2(same(a[k], b[k]), qPrintable(QString("point %1").arg(k)));
}

/// Keeps a problem's lesson from ending until it is told to.
class HeldUp
{
public:
    /// At its first report; but for those that say what is not to be held up.
    explicit HeldUp(ProblemPtr problem, std::string_view except = "")
    {
        m_thread = std::jthread([this, problem = std::move(problem), except] {
            Progress progress;
            progress.report = [this, except](double, std::string_view what) {
                if (what != except && !m_begun.exchange(true)) {
                    m_entered.release();
                    m_go.acquire();
                }
            };
            m_learnt = problem->learn(Knowledge::Constants, progress);
        });
        m_entered.acquire();
    }
    ~HeldUp()
    {
        if (m_thread.joinable())
            release();
    }
    bool release()
    {
        m_go.release();
        m_thread.join();
        return m_learnt;
    }

private:
    std::binary_semaphore m_entered{0}, m_go{0};
    std::atomic<bool> m_begun = false;
    bool m_learnt = false;
    std::jthread m_thread;
};

} // namespace

void Learning::theTraceDoesNotTellWhenItWasLearnt_data()
{
    QTest::addColumn<bool>("logistic");
    QTest::addColumn<Choice>("choice");
    const Choice gd{"gd", ""}, agd{"agd", ""}, accelerated{"accelerated-appa", "fixed"};
    QTest::newRow("gd") << false << gd;
    QTest::newRow("agd") << false << agd;
    QTest::newRow("accelerated-appa") << false << accelerated;
    QTest::newRow("certified appa") << false << Choice{"appa", "certified"};
    QTest::newRow("certified dual-appa") << false << Choice{"dual-appa", "certified"};
    QTest::newRow("accelerated-kaczmarz") << false << Choice{"accelerated-kaczmarz", ""};
    QTest::newRow("gd, logistic") << true << gd;
    QTest::newRow("agd, logistic") << true << agd;
    QTest::newRow("accelerated-appa, logistic") << true << accelerated;
    QTest::newRow("appa(agd), logistic") << true << Choice{"appa", "fixed", "agd"};
}

void Learning::theTraceDoesNotTellWhenItWasLearnt()
{
    QFETCH(const bool, logistic);
    QFETCH(const Choice, choice);
    const RunSpec spec = specOf(choice);
    const auto problem = [&] { return logistic ? reference::logi() : reference::consistent(); };

    const ProblemPtr known = problem();
    QVERIFY(known->constants().has_value());
    const auto expected = newRun(known, spec);
    finish(*expected);
    QCOMPARE(expected->status(), RunStatus::Finished);
    QVERIFY(!expected->learning());

    // On the spot; on another thread; on the runner; and in a replay.
    const auto alone = newRun(problem(), spec);
    finish(*alone);
    compare(alone->trace().points, expected->trace().points);

    const auto helped = newRun(problem(), spec);
    MeasureThread thread;
    helped->setExecutor(thread.executor());
    Slice none = Slice::ticks(0);
    helped->advance(none);
    QVERIFY(helped->problem().knows(Knowledge::Smoothness) || helped->learning());
    finish(*helped);
    compare(helped->trace().points, expected->trace().points);

    Runner runner(2);
    runner.add(1, newRun(problem(), spec));
    runner.resume(1);
    std::vector<TracePoint> points;
    RunStatus status = RunStatus::Ready;
    const auto read = [&] {
        for (RunUpdate &update : runner.take()) {
            points.resize(std::min(points.size(), update.keepPoints));
            points.insert(points.end(), update.points.begin(), update.points.end());
            status = update.status;
        }
        return status;
    };
    QTRY_COMPARE(read(), RunStatus::Finished);
    compare(points, expected->trace().points);

    const auto report = replay(problem(), spec, expected->trace());
    QVERIFY(report.ok());
    QVERIFY2(report.value().identical, report.value().difference.c_str());

    // A step back re-executes the stages, on a problem that knows nothing again.
    auto restored = Run::restore(problem(), spec, {.stages = 6}, 0, expected->trace());
    QVERIFY(restored.ok());
    restored.value()->setExecutor(thread.executor());
    restored.value()->stepBack(2);
    restored.value()->stepStage();
    QVERIFY(same(restored.value()->trace().points.at(3), expected->trace().points.at(3)));
}

void Learning::smoothnessHasTheSameBitsAloneAndWithTheRest()
{
    for (const auto &make : std::vector<std::function<ProblemPtr()>>{
             [] { return reference::sq(); }, [] { return reference::logi(reference::Storage::SparseSingle); },
             [] { return reference::sq(reference::Storage::Single, 0.01); }}) {
        const ProblemPtr first = make(), second = make();
        const double alone = *first->smoothness();
        QCOMPARE(first->constants()->M, alone);
        QCOMPARE(second->constants()->M, alone);
        QCOMPARE(*second->smoothness(), alone);
    }
}

void Learning::aRunAnswersWhileItsMethodLearns()
{
    const ProblemPtr problem = reference::sq();
    HeldUp held(problem);
    Runner runner(2);
    runner.add(1, newRun(problem, specOf({"agd", ""}), 0));
    runner.resume(1);
    RunUpdate last;
    std::vector<RunEvent> events;
    const auto read = [&] {
        for (RunUpdate &update : runner.take()) {
            if (update.id != 1)
                continue;
            events.insert(events.end(), update.events.begin(), update.events.end());
            last = std::move(update);
        }
    };
    QTRY_VERIFY((read(), last.learning && last.status == RunStatus::Running));
    QCOMPARE(last.cost.ticks, Index(0));
    runner.pause(1);
    QTRY_VERIFY((read(), last.status == RunStatus::Paused));
    runner.change(1, "lambda", 0.125);
    QTRY_VERIFY((read(), events.size() == 1));
    runner.fork(1, 2);
    runner.resume(1);
    QTRY_VERIFY((read(), last.status == RunStatus::Running));
    runner.remove(2);
    // A method that need not know anything goes on at once.
    runner.switchMethod(1, "sdca", "");
    QTRY_VERIFY((read(), last.stage > 2));
    runner.switchMethod(1, "gd", "");
    QTRY_VERIFY((read(), last.method == "gd" && last.learning));
    QVERIFY(held.release());
    const Index stage = last.stage;
    QTRY_VERIFY((read(), !last.learning && last.stage > stage));
    QVERIFY(last.effective.real("lambda") > 0);
}

void Learning::quittingDoesNotWaitForALesson()
{
    const ProblemPtr problem = reference::sq();
    HeldUp held(problem);
    {
        Runner runner(2);
        runner.add(1, newRun(problem, specOf({"agd", ""}), 0));
        runner.resume(1);
        bool learning = false;
        QTRY_VERIFY([&] {
            for (const RunUpdate &update : runner.take())
                learning = update.learning;
            return learning;
        }());
    }
    QVERIFY(held.release());
}

void Learning::onlyOneThreadComputes()
{
    const ProblemPtr problem = reference::sq();
    HeldUp held(problem);
    int reports = 0;
    Progress progress;
    progress.report = [&](double, std::string_view) { ++reports; };
    std::stop_source cancelled;
    std::optional<bool> learnt, stopped;
    {
        std::jthread second([&] { learnt = problem->learn(Knowledge::Constants, progress); });
        std::jthread third([&] {
            Progress stoppable;
            stoppable.stop = cancelled.get_token();
            stopped = problem->learn(Knowledge::Constants, stoppable);
        });
        cancelled.request_stop();
        third.join();
        QCOMPARE(stopped, std::optional(false));
        QVERIFY(held.release());
    }
    QCOMPARE(learnt, std::optional(true));
    QCOMPARE(reports, 0);
}

void Learning::whoNeedsOnlyTheSmoothnessDoesNotWaitForMu()
{
    const ProblemPtr problem = reference::logi();
    std::optional<double> M;
    std::atomic<bool> answered = false;
    std::jthread asks;
    HeldUp held(problem, "largest eigenvalue");
    asks = std::jthread([&] {
        M = problem->smoothness();
        answered = true;
    });
    QTRY_VERIFY(answered);
    QVERIFY(!problem->knows(Knowledge::Constants));
    QVERIFY(held.release());
    QCOMPARE(M, std::optional(problem->constants()->M));
}

void Learning::aKnownMinimizerIsNotSolvedForAgain()
{
    QTemporaryDir folder;
    const std::string cache = folder.path().toStdString();
    const ProblemPtr solved = reference::logi();
    QVERIFY(cachedOptimum(*solved, cache).has_value());
    const ProblemPtr read = reference::logi();
    QVERIFY(cachedOptimum(*read, cache).has_value());
    for (const ProblemPtr &problem : {solved, read}) {
        Progress progress;
        bool solves = false;
        progress.report = [&](double, std::string_view what) {
            solves = solves || (what != "largest eigenvalue" && what != "forming the Gram matrix");
        };
        const auto constants = problem->constants(progress);
        QVERIFY(constants && constants->muIsLocal && constants->mu > 0);
        QVERIFY(!solves);
        QCOMPARE(constants->mu, reference::logi()->constants()->mu);
    }
}

void Learning::largeUnridgedProblemsAreNotSolvedForMu()
{
    // 20000 columns: a reference solve only to begin a run would take minutes.
    std::vector<Index> starts = {0};
    std::vector<SparseMatrix<double>::Entry> entries;
    Dataset data;
    for (Index i = 0; i < 40; ++i) {
        entries.push_back({static_cast<std::uint32_t>(i), 1.0});
        entries.push_back({static_cast<std::uint32_t>(19999 - i), 0.5});
        starts.push_back(static_cast<Index>(entries.size()));
        data.train.targets.push_back(i % 2 ? 1 : -1);
    }
    data.name = "wide";
    data.kind = TargetKind::Binary;
    data.classNames = {"-1", "+1"};
    data.train.features = SparseMatrix<double>(20000, std::move(starts), std::move(entries));
    data.test.features = SparseMatrix<double>(20000, {0}, {});
    const ProblemPtr problem = reference::problem(finish(std::move(data)), "logistic");
    const auto run = newRun(problem, specOf({"accelerated-appa", "fixed"}), 3);
    finish(*run);
    QCOMPARE(run->status(), RunStatus::Finished);
    QVERIFY(!problem->knows(Knowledge::Constants));
    QCOMPARE(run->effective().real("mu"), 0.0);
    QVERIFY(run->trace().points.back().loss < run->trace().points.front().loss);
}

QTEST_GUILESS_MAIN(Learning)
#include "tst_learning.moc"
