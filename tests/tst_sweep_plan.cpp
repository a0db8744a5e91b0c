// What a study is asked for, as text and as a list of runs.
#include "SweepStudies.h"

#include "run/Labels.h"

#include <QTest>

#include <cmath>

using namespace appa;
using namespace appa::testing;

class TestSweepPlan : public QObject
{
    Q_OBJECT

private slots:
    void gridHitsDecadesExactly();
    void gridKeepsItsEndsAndOrder();
    void readsGridsAndLists_data();
    void readsGridsAndLists();
    void readsSeeds();
    void refusesWhatItCannotRead_data();
    void refusesWhatItCannotRead();
    void readsMethodsWithInnerAndSettings();
    void refusesMethodsWithoutLambda();
    void expandsInTheOrderOfTheRows();
    void tasksPartitionThePlan();
    void optionsReadBackToThePlan();
};

void TestSweepPlan::gridHitsDecadesExactly()
{
    const auto grid = parseLambdas("1e-8:1e8:17").value();
    const std::vector<double> decades = {1e-8, 1e-7, 1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 1e-1, 1e0,
                                         1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8};
    QCOMPARE(grid, decades);
    const auto finer = parseLambdas("1e-8:1e8:65").value();
    QCOMPARE(finer.size(), std::size_t(65));
    for (std::size_t k = 0; k < decades.size(); ++k)
        QCOMPARE(finer[4 * k], decades[k]);
    QCOMPARE(finer[2], 3.16227766017e-08);
}

void TestSweepPlan::gridKeepsItsEndsAndOrder()
{
    const auto grid = logGrid(0.003, 7, 5);
    QCOMPARE(grid.front(), 0.003);
    QCOMPARE(grid.back(), 7.0);
    for (std::size_t k = 1; k < grid.size(); ++k)
        QVERIFY(std::abs(grid[k] / grid[k - 1] - std::pow(7 / 0.003, 0.25)) < 1e-9);
}

void TestSweepPlan::readsGridsAndLists_data()
{
    QTest::addColumn<QString>("text");
    QTest::addColumn<QList<double>>("expected");
    QTest::newRow("one value") << "0.5" << QList<double>{0.5};
    QTest::newRow("list, unsorted, doubled") << "1, 1e-3,1e3,1" << QList<double>{1e-3, 1, 1e3};
    QTest::newRow("grid") << "1:100:3" << QList<double>{1, 10, 100};
    QTest::newRow("grid downwards") << "100:1:3" << QList<double>{1, 10, 100};
    QTest::newRow("grid and list") << "1:100:3,5" << QList<double>{1, 5, 10, 100};
}

void TestSweepPlan::readsGridsAndLists()
{
    QFETCH(QString, text);
    QFETCH(QList<double>, expected);
    const auto grid = parseLambdas(text.toStdString());
    QVERIFY(grid.ok());
    QCOMPARE(QList<double>(grid.value().begin(), grid.value().end()), expected);
}

void TestSweepPlan::readsSeeds()
{
    QCOMPARE(parseSeeds("1..5").value(), (std::vector<std::uint64_t>{1, 2, 3, 4, 5}));
    QCOMPARE(parseSeeds("7").value(), (std::vector<std::uint64_t>{7}));
    QCOMPARE(parseSeeds("9, 1..2,2").value(), (std::vector<std::uint64_t>{1, 2, 9}));
    QCOMPARE(parseSeeds("18446744073709551615").value().front(), ~std::uint64_t(0));
}

void TestSweepPlan::refusesWhatItCannotRead_data()
{
    QTest::addColumn<QString>("what");
    QTest::addColumn<QString>("text");
    for (const char *text : {"", "abc", "1:2", "0:1:3", "-1", "1:2:0", "1:2:1", "1:inf:3", "nan", "1,,2", "1:2:3x"})
        QTest::addRow("lambdas '%s'", text) << "lambdas" << text;
    for (const char *text : {"", "x", "5..1", "1..", "-1", "1.5", "1..10000000"})
        QTest::addRow("seeds '%s'", text) << "seeds" << text;
    for (const char *text : {"", "nonesuch", "sdca,,sgd", "sdca:sgd", "dual-appa:nonesuch", "dual-appa:sdca:lambda=1",
                             "dual-appa:sdca:nonesuch=1", "dual-appa:sdca:passes=often", "dual-appa:sdca:x"})
        QTest::addRow("methods '%s'", text) << "methods" << text;
}

void TestSweepPlan::refusesWhatItCannotRead()
{
    QFETCH(QString, what);
    QFETCH(QString, text);
    std::optional<Error> error;
    if (what == "lambdas") {
        if (const auto r = parseLambdas(text.toStdString()); !r)
            error = r.error();
    } else if (what == "seeds") {
        if (const auto r = parseSeeds(text.toStdString()); !r)
            error = r.error();
    } else if (const auto r = parseSweepMethods(text.toStdString()); !r) {
        error = r.error();
    }
    QVERIFY(error);
    QCOMPARE(error->kind, Error::Kind::Usage);
    QVERIFY(error->message.ends_with('.'));
}

void TestSweepPlan::readsMethodsWithInnerAndSettings()
{
    const auto methods =
        parseSweepMethods("dual-appa:sdca, sdca,svrg,dual-appa:passes=2:dual-start=paper,sdca").value();
    QCOMPARE(methods.size(), std::size_t(4));
    QCOMPARE(methods[0].id(), std::string("dual-appa:sdca"));
    QCOMPARE(methods[1].id(), std::string("sdca"));
    QCOMPARE(methods[3].inner, std::string("sdca"));
    QCOMPARE(methods[3].id(), std::string("dual-appa:sdca:dual-start=paper:passes=2"));
    QCOMPARE(parseSweepMethods(methods[3].id()).value().front(), methods[3]);
    // Where there is little room, only what tells them apart.
    const auto labels = [](const char *text) {
        SweepPlan plan;
        plan.methods = parseSweepMethods(text).value();
        return plan.shortLabels();
    };
    QCOMPARE(labels("dual-appa:sdca,sdca,dual-appa:sdca:dual-start=paper"),
             (std::vector<std::string>{"Dual APPA", "SDCA", "Dual APPA, start=paper"}));
    QCOMPARE(labels("dual-appa:sdca,dual-appa:apcg"),
             (std::vector<std::string>{"Dual APPA (SDCA)", "Dual APPA (APCG)"}));
}

void TestSweepPlan::refusesMethodsWithoutLambda()
{
    int seen = 0;
    for (const MethodInfo &info : methods()) {
        const auto parsed = parseSweepMethods(info.id);
        QCOMPARE(parsed.ok(), info.lambda != LambdaMeaning::Unused);
        seen += !parsed.ok();
    }
    QVERIFY(seen > 0);
}

void TestSweepPlan::expandsInTheOrderOfTheRows()
{
    const SweepPlan plan = planOf("dual-appa,sgd:passes=2", "1:100:3", "4,5", 7);
    QCOMPARE(plan.size(), std::size_t(12));
    for (std::size_t k = 0; k < plan.size(); ++k)
        QCOMPARE(plan.indexOf(plan.at(k)), k);
    QCOMPARE(plan.at(9), (SweepCase{.method = 1, .lambda = 1, .seed = 1}));
    const RunSpec spec = plan.specOf(9);
    QCOMPARE(spec.method, std::string("sgd"));
    QCOMPARE(spec.seed, std::uint64_t(5));
    QCOMPARE(spec.params.real("lambda"), 10.0);
    QCOMPARE(spec.params.real("passes"), 2.0);
    QCOMPARE(plan.stopRules().stages, Index(7));
}

void TestSweepPlan::tasksPartitionThePlan()
{
    const SweepPlan plan = planOf("sdca,sgd", "1:100:3", "1..5", 1);
    for (const std::size_t tasks : {1, 2, 7, 30, 40}) {
        std::vector<int> count(plan.size());
        for (std::size_t task = 1; task <= tasks; ++task) {
            for (const std::size_t index : casesOfTask(plan, task, tasks))
                ++count[index];
        }
        QCOMPARE(count, std::vector<int>(plan.size(), 1));
    }
}

void TestSweepPlan::optionsReadBackToThePlan()
{
    for (const auto &[lambdas, seeds, shortest] : std::vector<std::tuple<const char *, const char *, std::string>>{
             {"1e-8:1e8:17", "1..3", "--lambdas 1e-08:1e+08:17 --seeds 1..3"},
             {"0.1,0.7", "4", "--lambdas 0.1,0.7 --seeds 4"},
             {"5", "1,7", "--lambdas 5 --seeds 1,7"}}) {
        const SweepPlan plan = planOf("dual-appa:sdca:dual-start=paper,svrg", lambdas, seeds, 7);
        const std::string text = optionsOf(plan);
        const std::string expected = "--methods dual-appa:sdca:dual-start=paper,svrg " + shortest + " --stages 7";
        QVERIFY2(text == expected, text.c_str());
        const auto words = QString::fromStdString(text).split(' ');
        const auto given = [&](const char *option) { return words[words.indexOf(option) + 1].toStdString(); };
        QCOMPARE(planOf(given("--methods").c_str(), given("--lambdas").c_str(), given("--seeds").c_str(), 7), plan);
    }
}

QTEST_GUILESS_MAIN(TestSweepPlan)
#include "tst_sweep_plan.moc"
