// What holds for a run of every method there is.
#include "RunDriving.h"

#include "run/Replay.h"

#include <QTest>

using namespace appa;
using namespace appa::testing;

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

class TestRunMethods final : public QObject
{
    Q_OBJECT

private slots:
    void replaysEveryMethodBitForBit_data();
    void replaysEveryMethodBitForBit();
    void ticksLocateEveryPlaceOfEveryMethod_data();
    void ticksLocateEveryPlaceOfEveryMethod();
    void switchingKeepsTheIterate_data();
    void switchingKeepsTheIterate();
};

void TestRunMethods::replaysEveryMethodBitForBit_data()
{
    everyMethod();
}

void TestRunMethods::replaysEveryMethodBitForBit()
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

void TestRunMethods::ticksLocateEveryPlaceOfEveryMethod_data()
{
    everyMethod();
}

void TestRunMethods::ticksLocateEveryPlaceOfEveryMethod()
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

void TestRunMethods::switchingKeepsTheIterate_data()
{
    everyMethod();
}

void TestRunMethods::switchingKeepsTheIterate()
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

QTEST_GUILESS_MAIN(TestRunMethods)
#include "tst_run_methods.moc"
