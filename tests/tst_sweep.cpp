// Studies as they are made: on any number of workers, cancelled, paused, resumed, in parts.
#include "SweepStudies.h"

#include <QTemporaryDir>
#include <QTest>

#include <cmath>

using namespace appa;
using namespace appa::testing;

class TestSweep : public QObject
{
    Q_OBJECT

private slots:
    void runsHaveTheNumbersOfRun_data();
    void runsHaveTheNumbersOfRun();
    void methodsMayHaveToLearnFirst_data();
    void methodsMayHaveToLearnFirst();
    void divergedRunIsAResult();
    void failedRunsAreMadeAgain();
    void sameFileForAnyNumberOfWorkers();
    void mergedPartsEqualTheUnbrokenStudy();
    void cancelledStudyResumesToTheSameFile();
    void pausedStudyStandsStill();
    void refusesMoreRunsThanItCanKeep();
    void estimatesRunsAndMemory();
    void estimatingCanBeCancelledWhileItLearns();
};

void TestSweep::runsHaveTheNumbersOfRun_data()
{
    QTest::addColumn<QString>("loss");
    QTest::newRow("squared") << "squared";
    QTest::newRow("logistic") << "logistic";
}

void TestSweep::runsHaveTheNumbersOfRun()
{
    QFETCH(QString, loss);
    const ProblemPtr problem = smallProblem(loss.toUtf8().constData());
    const SweepPlan plan = planOf("dual-appa,sdca,svrg,sgd,dual-appa:dual-start=paper", "1e-2:1:3", "1..2", 4);
    QCOMPARE(plan.whyNot(*problem), std::string());
    Sweep sweep(problem, plan, {.jobs = 2, .cases = {}, .folder = nullptr, .wake = {}});
    sweep.start();
    sweep.wait();
    const auto results = sweep.take();
    QCOMPARE(results.size(), plan.size());
    for (const SweepResult &result : results) {
        auto run = Run::create(problem, plan.specOf(result.index), plan.stopRules());
        QVERIFY(run.ok());
        for (bool more = true; more;) {
            Slice slice = Slice::ticks(3);
            more = run.value()->advance(slice);
        }
        const auto &points = run.value()->trace().points;
        QCOMPARE(result.points.size(), points.size());
        for (std::size_t k = 0; k < points.size(); ++k) {
            QCOMPARE(result.points[k].stage, points[k].stage);
            QCOMPARE(result.points[k].cost, points[k].cost);
            QVERIFY(result.points[k].loss == points[k].loss);
            QVERIFY(result.points[k].testError == points[k].testError);
        }
    }
}

void TestSweep::methodsMayHaveToLearnFirst_data()
{
    QTest::addColumn<QString>("methods");
    for (const char *methods : {"accelerated-appa", "agd", "appa:sdca:stages=certified"})
        QTest::newRow(methods) << methods;
}

void TestSweep::methodsMayHaveToLearnFirst()
{
    QFETCH(QString, methods);
    const ProblemPtr problem = smallProblem();
    Sweep sweep(problem, planOf(methods.toUtf8(), "1e-2", "1", 3), {.jobs = 1, .cases = {}, .folder = {}, .wake = {}});
    sweep.start();
    QTRY_COMPARE_WITH_TIMEOUT(sweep.progress().state, SweepState::Finished, 20000);
    const auto results = sweep.take();
    QCOMPARE(results.size(), std::size_t(1));
    QCOMPARE(results.front().points.size(), std::size_t(4));
    QVERIFY(problem->knows(Knowledge::Constants));
}

void TestSweep::divergedRunIsAResult()
{
    const ProblemPtr problem = smallProblem();
    const SweepPlan plan = planOf("sgd,dual-appa,svrg", "1e-3,1e8", "1..8", 6);
    const QTemporaryDir temporary;
    const std::string path = temporary.path().toStdString();
    QCOMPARE(study(problem, plan, path, SweepFolder::Mode::New, 1), SweepState::Finished);
    const SweepTable table(readStudy(path).value());
    const SweepResult *diverged = table.find({.method = 0, .lambda = 1, .seed = 0});
    QCOMPARE(diverged->status, RunStatus::Diverged);
    QVERIFY(diverged->stage >= 1 && diverged->stage <= 6);
    QVERIFY(!diverged->note.empty());
    // The stage is the one the run itself names, however the slices fell.
    int notFinite = 0;
    for (std::size_t index = 0; index < plan.size(); ++index) {
        const SweepResult *result = table.find(plan.at(index));
        if (result->status != RunStatus::Diverged)
            continue;
        const std::string named = "after stage " + std::to_string(result->stage) + " ";
        QVERIFY2(result->note.find(named) != std::string::npos, result->note.c_str());
        notFinite += result->note.find("not finite") != std::string::npos;
    }
    QVERIFY(notFinite > 0);
    QCOMPARE(table.find({.method = 0, .lambda = 0, .seed = 0})->status, RunStatus::Finished);
    QCOMPARE(table.find({.method = 1, .lambda = 1, .seed = 0})->status, RunStatus::Finished);
    QCOMPARE(table.rows(SweepMeasure::Objective, 6)[0].divergesFrom, std::optional<double>(1e8));
}

void TestSweep::failedRunsAreMadeAgain()
{
    QTemporaryDir folder;
    const std::string path = folder.filePath("study").toStdString();
    const ProblemPtr problem = smallProblem();
    const SweepPlan plan = planOf("sdca", "1e-2:1:3", "1", 2);
    const SweepContext context = contextOf(*problem);
    {
        const auto first = opened(path, plan, context, SweepFolder::Mode::New);
        SweepResult failed;
        failed.index = 1;
        failed.status = RunStatus::Failed;
        failed.note = "The memory did not suffice.";
        QVERIFY(!first->append(resultOf(0, {0.5, 0.25, 0.125})));
        QVERIFY(!first->append(failed));
        QVERIFY(!first->append(resultOf(2, {0.5, 0.25, 0.125})));
    }
    QCOMPARE(opened(path, plan, context, SweepFolder::Mode::Resume)->earlier().size(), std::size_t(2));
    QCOMPARE(study(problem, plan, path, SweepFolder::Mode::Resume, 1), SweepState::Finished);
    const auto whole = readStudy(path);
    QVERIFY2(whole.ok(), whole.ok() ? "" : whole.error().message.c_str());
    QCOMPARE(whole.value().results.size(), std::size_t(3));
    for (const SweepResult &result : whole.value().results)
        QCOMPARE(result.status, RunStatus::Finished);
}

void TestSweep::sameFileForAnyNumberOfWorkers()
{
    const ProblemPtr problem = smallProblem();
    const SweepPlan plan = planOf("sgd,sdca,svrg,dual-appa", "1e-4:1e4:5", "1..2", 3);
    const QTemporaryDir temporary;
    const std::string path = temporary.path().toStdString();
    QCOMPARE(study(problem, plan, path + "/one", SweepFolder::Mode::New, 1), SweepState::Finished);
    QCOMPARE(study(problem, plan, path + "/three", SweepFolder::Mode::New, 3), SweepState::Finished);
    const std::string one = withoutSeconds(readFile(path + "/one/results.csv"));
    QVERIFY(one.size() > 10000);
    QCOMPARE(withoutSeconds(readFile(path + "/three/results.csv")), one);
    QCOMPARE(readFile(path + "/three/plan.json"), readFile(path + "/one/plan.json"));
}

void TestSweep::mergedPartsEqualTheUnbrokenStudy()
{
    const ProblemPtr problem = smallProblem();
    const SweepPlan plan = planOf("sgd,dual-appa", "1e-4:1e4:5", "1..2", 3);
    const QTemporaryDir temporary;
    const std::string path = temporary.path().toStdString();
    QCOMPARE(study(problem, plan, path + "/whole", SweepFolder::Mode::New, 2), SweepState::Finished);
    std::vector<std::string> parts;
    for (std::size_t task = 1; task <= 3; ++task) {
        parts.push_back(path + "/" + std::to_string(task));
        QCOMPARE(study(problem, plan, parts.back(), SweepFolder::Mode::New, 1, casesOfTask(plan, task, 3)),
                 SweepState::Finished);
    }
    auto merged = mergeStudies(parts);
    QVERIFY2(merged.ok(), merged.ok() ? "" : merged.error().message.c_str());
    QCOMPARE(merged.value().results.size(), plan.size());
    const auto folder = opened(path + "/merged", merged.value().plan, merged.value().context, SweepFolder::Mode::New);
    QVERIFY(!folder->finish(merged.value().results));
    QCOMPARE(withoutSeconds(readFile(path + "/merged/results.csv")),
             withoutSeconds(readFile(path + "/whole/results.csv")));
    QCOMPARE(readFile(path + "/merged/plan.json"), readFile(path + "/whole/plan.json"));
    // Two of three parts are an incomplete study, not an error.
    QVERIFY(mergeStudies({parts[0], parts[2]}).value().results.size() < plan.size());
}

void TestSweep::cancelledStudyResumesToTheSameFile()
{
    const ProblemPtr problem = smallProblem();
    const SweepPlan plan = planOf("sgd,dual-appa", "1e-4:1e4:5", "1..2", 20);
    const QTemporaryDir temporary;
    const std::string path = temporary.path().toStdString();
    QCOMPARE(study(problem, plan, path + "/whole", SweepFolder::Mode::New, 2), SweepState::Finished);
    std::size_t stopped = 0;
    for (const std::size_t after : {1, 4, 9}) {
        Sweep *running = nullptr;
        std::atomic<std::size_t> finished = 0;
        auto folder = opened(path + "/broken", plan, contextOf(*problem), SweepFolder::Mode::Resume);
        Sweep sweep(problem, plan, {.jobs = 2, .cases = {}, .folder = std::move(folder), .wake = [&] {
                                        if (++finished == after)
                                            running->cancel();
                                    }});
        running = &sweep;
        sweep.start();
        sweep.wait();
        stopped += sweep.progress().state == SweepState::Cancelled;
        QCOMPARE(sweep.take().size(), sweep.progress().done);
    }
    QVERIFY(stopped >= 2);
    QCOMPARE(study(problem, plan, path + "/broken", SweepFolder::Mode::Resume, 2), SweepState::Finished);
    QCOMPARE(withoutSeconds(readFile(path + "/broken/results.csv")),
             withoutSeconds(readFile(path + "/whole/results.csv")));
}

void TestSweep::pausedStudyStandsStill()
{
    const ProblemPtr problem = smallProblem();
    const SweepPlan plan = planOf("dual-appa", "1e-4:1e4:9", "1..4", 50);
    Sweep *running = nullptr;
    std::atomic<int> finished = 0;
    Sweep sweep(problem, plan, {.jobs = 2, .cases = {}, .folder = nullptr, .wake = [&] {
                                    if (++finished == 3)
                                        running->pause();
                                }});
    running = &sweep;
    sweep.start();
    QTRY_COMPARE(sweep.progress().state, SweepState::Paused);
    // The workers may each finish the slice, and with it the run, they were in.
    QVERIFY(sweep.progress().done < plan.size());
    const double seconds = sweep.progress().seconds;
    QCOMPARE(sweep.progress().seconds, seconds);
    QVERIFY(!std::isnan(sweep.progress().eta));
    sweep.resume();
    sweep.wait();
    QCOMPARE(sweep.progress().state, SweepState::Finished);
    QCOMPARE(sweep.progress().done, plan.size());
    QCOMPARE(sweep.progress().fraction, 1.0);
    QCOMPARE(sweep.progress().eta, 0.0);
}

void TestSweep::refusesMoreRunsThanItCanKeep()
{
    const ProblemPtr problem = smallProblem("squared");
    const SweepPlan most = planOf("sdca", "1e-4:1:1000", "1..1000", 4);
    QCOMPARE(most.size(), SweepPlan::mostRuns);
    QCOMPARE(most.whyNot(*problem), std::string());
    const std::string why = planOf("sdca", "1e-4:1:1001", "1..1000", 4).whyNot(*problem);
    QVERIFY2(why.find("1001000 runs") != std::string::npos, why.c_str());
}

void TestSweep::estimatesRunsAndMemory()
{
    const ProblemPtr problem = smallProblem();
    const SweepPlan plan = planOf("dual-appa,sgd", "1e-4:1e4:9", "1..4", 5);
    const auto e = estimate(problem, plan, casesOfTask(plan, 1, 2), 2);
    QVERIFY(e);
    QCOMPARE(e->runs, std::size_t(36));
    QVERIFY(e->sharedBytes >= static_cast<std::size_t>(180 * 2 * 4));
    QCOMPARE(e->bytes, e->sharedBytes + 2 * e->bytesPerJob);
    QVERIFY(e->seconds > 0 && e->seconds < e->secondsOfWork);
    std::stop_source stop;
    stop.request_stop();
    QVERIFY(!estimate(problem, plan, casesOfTask(plan), 2, {.report = {}, .stop = stop.get_token()}));
}

void TestSweep::estimatingCanBeCancelledWhileItLearns()
{
    const ProblemPtr problem = smallProblem("logistic");
    const SweepPlan plan = planOf("accelerated-appa", "1e-2", "1", 3);
    std::stop_source stop;
    Progress progress;
    progress.stop = stop.get_token();
    progress.report = [&](double, std::string_view what) {
        if (what != plan.methods.front().label()) // what the problem reports while it is being learnt
            stop.request_stop();
    };
    QVERIFY(!estimate(problem, plan, casesOfTask(plan), 1, progress));
    QVERIFY(!problem->knows(Knowledge::Constants));
}

QTEST_GUILESS_MAIN(TestSweep)
#include "tst_sweep.moc"
