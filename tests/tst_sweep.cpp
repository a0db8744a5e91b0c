#include "CommaLocale.h"

#include "data/Recipe.h"
#include "run/Labels.h"
#include "run/Sweep.h"
#include "run/SweepSummary.h"
#include "run/TraceCsv.h"

#include <QTemporaryDir>
#include <QTest>

#include <cmath>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <limits>
#include <sstream>
#include <thread>

using namespace appa;

namespace {

constexpr double inf = std::numeric_limits<double>::infinity();

std::string readFile(const std::string &path)
{
    std::ifstream in(path, std::ios::binary);
    std::ostringstream text;
    text << in.rdbuf();
    return text.str();
}

void writeFile(const std::string &path, std::string_view text)
{
    std::ofstream(path, std::ios::binary | std::ios::trunc) << text;
}

/// The file with the cells of the column "seconds" emptied.
std::string withoutSeconds(const std::string &text)
{
    constexpr int secondsColumn = 10;
    std::string out;
    int column = 0;
    for (const char c : text) {
        if (c == '\n')
            column = 0;
        else if (c == ',')
            ++column;
        if (column != secondsColumn || c == ',' || c == '\n')
            out += c;
    }
    return out;
}

ProblemPtr smallProblem(const char *loss = "squared")
{
    DataRecipe recipe;
    recipe.source = "gaussians-2d:n=120,test=60";
    auto data = loadDataset(recipe);
    if (!data)
        throw std::runtime_error(data.error().message);
    const Index n = data.value()->train.rows();
    return std::make_shared<const Problem>(data.value(), makeLoss(loss, n, 1).value(), 0);
}

SweepPlan planOf(const char *methods, const char *lambdas, const char *seeds, Index stages)
{
    SweepPlan plan;
    plan.methods = parseSweepMethods(methods).value();
    plan.lambdas = parseLambdas(lambdas).value();
    plan.seeds = parseSeeds(seeds).value();
    plan.stages = stages;
    return plan;
}

TracePoint pointOf(Index stage, double loss, double testError = 0.25)
{
    TracePoint p;
    p.stage = stage;
    p.cost.steps = 100 * stage;
    p.cost.accesses = 150 * stage;
    p.cost.fullAccesses = 50 * stage;
    p.seconds = 0.125 * static_cast<double>(stage);
    p.loss = loss;
    p.testError = testError;
    return p;
}

SweepResult resultOf(std::size_t index, const std::vector<double> &losses, RunStatus status = RunStatus::Finished)
{
    SweepResult r;
    r.index = index;
    r.status = status;
    for (std::size_t k = 0; k < losses.size(); ++k)
        r.points.push_back(pointOf(static_cast<Index>(k), losses[k]));
    r.stage = static_cast<Index>(losses.size()) - (status == RunStatus::Diverged ? 0 : 1);
    if (status == RunStatus::Diverged)
        r.note = "The loss, \"0.5\" at first, is not finite.";
    return r;
}

SweepContext contextFor100()
{
    SweepContext context;
    context.dataset = "made";
    context.dataHash = 0xfedcba9876543210ull;
    context.loss = "squared";
    context.n = 100;
    context.testRows = 400;
    context.d = 5;
    context.fOpt = 0.01;
    context.floor = 1e-12;
    return context;
}

/// Made-up results of a plan, one of them diverged.
std::vector<SweepResult> madeResults(const SweepPlan &plan)
{
    std::vector<SweepResult> all;
    for (std::size_t k = 0; k < plan.size(); ++k) {
        std::vector<double> losses = {0.5};
        for (Index s = 1; s <= plan.stages; ++s)
            losses.push_back(0.5 / static_cast<double>(s + static_cast<Index>(k) + 1) + 1e-17);
        const bool diverged = k == 1;
        if (diverged)
            losses.pop_back();
        all.push_back(resultOf(k, losses, diverged ? RunStatus::Diverged : RunStatus::Finished));
    }
    return all;
}

std::unique_ptr<SweepFolder> opened(const std::string &path, const SweepPlan &plan, const SweepContext &context,
                                    SweepFolder::Mode mode)
{
    auto folder = SweepFolder::open(path, plan, context, mode);
    if (!folder)
        throw std::runtime_error(folder.error().message);
    return std::move(folder).value();
}

/// Executes a study (or its share) in a folder and returns its final state.
SweepState study(const ProblemPtr &problem, const SweepPlan &plan, const std::string &path, SweepFolder::Mode mode,
                 int jobs, std::vector<std::size_t> cases = {})
{
    Sweep sweep(
        problem, plan,
        {.jobs = jobs, .cases = std::move(cases), .folder = opened(path, plan, contextOf(*problem), mode), .wake = {}});
    sweep.start();
    sweep.wait();
    return sweep.progress().state;
}

} // namespace

class TestSweep : public QObject
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
    void quantilesInterpolateAndKnowInfinity();
    void summaryFindsBestRangeAndThreshold();
    void summaryCountsPassesToTarget();
    void anEvenNumberOfSeedsIsNotFlattered();
    void summaryFollowsTheStage();
    void rowsReadBackAsWritten();
    void resumesAfterTruncationAtEveryByte();
    void refusesDamageThatIsNoTornEnd_data();
    void refusesDamageThatIsNoTornEnd();
    void protectsAnEarlierStudy();
    void runsHaveTheNumbersOfRun_data();
    void runsHaveTheNumbersOfRun();
    void methodsMayHaveToLearnFirst_data();
    void methodsMayHaveToLearnFirst();
    void divergedRunIsAResult();
    void failedRunsAreMadeAgain();
    void filesDoNotDependOnTheLocale();
    void optionsReadBackToThePlan();
    void sameFileForAnyNumberOfWorkers();
    void mergedPartsEqualTheUnbrokenStudy();
    void mergeRefusesStrangersAndContradictions();
    void cancelledStudyResumesToTheSameFile();
    void pausedStudyStandsStill();
    void estimatesRunsAndMemory();
    void estimatingCanBeCancelledWhileItLearns();
};

void TestSweep::gridHitsDecadesExactly()
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

void TestSweep::gridKeepsItsEndsAndOrder()
{
    const auto grid = logGrid(0.003, 7, 5);
    QCOMPARE(grid.front(), 0.003);
    QCOMPARE(grid.back(), 7.0);
    for (std::size_t k = 1; k < grid.size(); ++k)
        QVERIFY(std::abs(grid[k] / grid[k - 1] - std::pow(7 / 0.003, 0.25)) < 1e-9);
}

void TestSweep::readsGridsAndLists_data()
{
    QTest::addColumn<QString>("text");
    QTest::addColumn<QList<double>>("expected");
    QTest::newRow("one value") << "0.5" << QList<double>{0.5};
    QTest::newRow("list, unsorted, doubled") << "1, 1e-3,1e3,1" << QList<double>{1e-3, 1, 1e3};
    QTest::newRow("grid") << "1:100:3" << QList<double>{1, 10, 100};
    QTest::newRow("grid downwards") << "100:1:3" << QList<double>{1, 10, 100};
    QTest::newRow("grid and list") << "1:100:3,5" << QList<double>{1, 5, 10, 100};
}

void TestSweep::readsGridsAndLists()
{
    QFETCH(QString, text);
    QFETCH(QList<double>, expected);
    const auto grid = parseLambdas(text.toStdString());
    QVERIFY(grid.ok());
    QCOMPARE(QList<double>(grid.value().begin(), grid.value().end()), expected);
}

void TestSweep::readsSeeds()
{
    QCOMPARE(parseSeeds("1..5").value(), (std::vector<std::uint64_t>{1, 2, 3, 4, 5}));
    QCOMPARE(parseSeeds("7").value(), (std::vector<std::uint64_t>{7}));
    QCOMPARE(parseSeeds("9, 1..2,2").value(), (std::vector<std::uint64_t>{1, 2, 9}));
    QCOMPARE(parseSeeds("18446744073709551615").value().front(), ~std::uint64_t(0));
}

void TestSweep::refusesWhatItCannotRead_data()
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

void TestSweep::refusesWhatItCannotRead()
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

void TestSweep::readsMethodsWithInnerAndSettings()
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

void TestSweep::refusesMethodsWithoutLambda()
{
    int seen = 0;
    for (const MethodInfo &info : methods()) {
        const auto parsed = parseSweepMethods(info.id);
        QCOMPARE(parsed.ok(), info.lambda != LambdaMeaning::Unused);
        seen += !parsed.ok();
    }
    QVERIFY(seen > 0);
}

void TestSweep::expandsInTheOrderOfTheRows()
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

void TestSweep::tasksPartitionThePlan()
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

void TestSweep::quantilesInterpolateAndKnowInfinity()
{
    QCOMPARE(quantile({1, 2, 3, 4}, 0.5), 2.5);
    QCOMPARE(quantile({1, 2, 3, 4}, 0.25), 1.75);
    QCOMPARE(quantile({7}, 0.75), 7.0);
    QCOMPARE(quantile({1, 2, inf}, 0.5), 2.0);
    QCOMPARE(quantile({1, 2, inf}, 0.75), inf);
    QCOMPARE(quantile({1, inf, inf}, 0.5), inf);
    QVERIFY(std::isnan(quantile({}, 0.5)));
}

void TestSweep::summaryFindsBestRangeAndThreshold()
{
    const SweepPlan plan = planOf("sgd,sdca,dual-appa", "1e-2:1e2:5", "1..3", 1);
    SweepTable table(plan, contextFor100());
    // Excess of the three seeds at each lambda; F_opt = 0.01, F(0) = 0.5.
    const double excess[5][3] = {
        {0.3, 0.3, 0.3}, {0.02, 0.01, 0.04}, {0.01, 0.03, 0.011}, {0.9, 0.1, 0.8}, {inf, inf, 0.1}};
    for (std::size_t l = 0; l < 5; ++l) {
        for (std::size_t s = 0; s < 3; ++s) {
            const std::size_t index = plan.indexOf({.method = 0, .lambda = l, .seed = s});
            table.add(std::isinf(excess[l][s]) ? resultOf(index, {0.5}, RunStatus::Diverged)
                                               : resultOf(index, {0.5, 0.01 + excess[l][s]}));
            // Never worse than the start; the best at the grid's lower end.
            table.add(resultOf(plan.indexOf({.method = 1, .lambda = l, .seed = s}),
                               {0.5, 0.01 + 0.001 * std::pow(2, double(l))}));
            // Worse at the small end only.
            table.add(resultOf(plan.indexOf({.method = 2, .lambda = l, .seed = s}),
                               {0.5, l < 2 ? 3.0 : 0.02 + 0.1 * double(l)}));
        }
    }
    QCOMPARE(table.size(), plan.size());
    QCOMPARE(table.naturalMeasure(), SweepMeasure::Excess);
    const auto rows = table.rows(SweepMeasure::Excess, 1);

    const SweepRow &sgd = rows[0];
    QCOMPARE(*sgd.best, std::size_t(2));
    QCOMPARE(table.typicalCase(sgd, SweepMeasure::Excess, 1)->seed, std::size_t(2));
    QVERIFY(std::abs(sgd.value.median - 0.011) < 1e-15);
    QVERIFY(std::abs(sgd.value.q1 - 0.0105) < 1e-15);
    QVERIFY(std::abs(sgd.value.q3 - 0.0205) < 1e-15);
    QCOMPARE(sgd.testError, 0.25);
    QVERIFY(std::abs(sgd.testStandardError - std::sqrt(0.25 * 0.75 / 400)) < 1e-15);
    // lambda = 0.1 (0.02) is within twice 0.011; the crossing lies between 1e-2 (0.3) and 0.1.
    const double low = 0.1 * std::pow(0.1, std::log(0.022 / 0.02) / std::log(0.3 / 0.02));
    const double high = std::pow(10.0, std::log(2.0) / std::log(0.8 / 0.011));
    QVERIFY(std::abs(sgd.low / low - 1) < 1e-9);
    QVERIFY(std::abs(sgd.high / high - 1) < 1e-9);
    QVERIFY(std::abs(sgd.decades - std::log10(high / low)) < 1e-9);
    QVERIFY(!sgd.openBelow && !sgd.openAbove);
    QCOMPARE(sgd.divergesFrom, std::optional<double>(10.0));
    QVERIFY(!sgd.divergesUpTo);
    QCOMPARE(sgd.earliestDivergence, Index(1));
    QCOMPARE(divergenceText(sgd), std::string(">= 10"));

    const SweepRow &sdca = rows[1];
    QCOMPARE(*sdca.best, std::size_t(0));
    QVERIFY(sdca.openBelow);
    QVERIFY(std::abs(sdca.decades - 1) < 1e-9);
    QCOMPARE(divergenceText(sdca), std::string("never"));
    QCOMPARE(sdca.earliestDivergence, Index(0));

    QCOMPARE(divergenceText(rows[2]), std::string("<= 0.1"));

    const std::string text = summaryText(table);
    QVERIFY(text.find(">= 10") != std::string::npos);
    const std::string csv = summaryCsv(table);
    QCOMPARE(std::count(csv.begin(), csv.end(), '\n'), std::ptrdiff_t(4));
}

void TestSweep::summaryCountsPassesToTarget()
{
    const SweepPlan plan = planOf("svrg", "1", "1..3", 3);
    SweepTable table(plan, contextFor100());
    table.setTarget(0.05);
    table.add(resultOf(0, {0.5, 0.2, 0.05, 0.01})); // excess 0.04 after 2 stages
    table.add(resultOf(1, {0.5, 0.2, 0.1, 0.1}));
    table.add(resultOf(2, {0.5, 0.02, 0.015}, RunStatus::Diverged)); // it was there before it diverged
    const auto value = [&](std::size_t k) {
        return table.value(*table.find(plan.at(k)), SweepMeasure::PassesToTarget, 3);
    };
    QCOMPARE(value(0), 3.0);
    QCOMPARE(value(1), inf);
    QCOMPARE(value(2), 1.5);
    table.setCountFullGradients(false);
    QCOMPARE(value(0), 2.0);
    // Without F_opt the target is a value of F itself.
    table.setOptimum(unknown, 0);
    QCOMPARE(value(0), 2.0);
    QVERIFY(std::isnan(table.value(*table.find(plan.at(0)), SweepMeasure::Excess, 3)));
    QCOMPARE(table.naturalMeasure(), SweepMeasure::Objective);
}

void TestSweep::anEvenNumberOfSeedsIsNotFlattered()
{
    const SweepPlan plan = planOf("sgd", "1", "1..4", 1);
    SweepTable table(plan, contextFor100());
    const double losses[] = {0.4, 0.1, 0.3, 0.2};
    for (std::size_t s = 0; s < 4; ++s)
        table.add(resultOf(s, {0.5, losses[s]}));
    const SweepRow row = table.rows(SweepMeasure::Objective, 1)[0];
    QCOMPARE(row.value.median, 0.25);
    QCOMPARE(table.typicalCase(row, SweepMeasure::Objective, 1)->seed, std::size_t(2)); // 0.3
}

void TestSweep::summaryFollowsTheStage()
{
    const SweepPlan plan = planOf("svrg", "1,2", "1", 3);
    SweepTable table(plan, contextFor100());
    table.add(resultOf(0, {0.5, 0.4, 0.3, 0.2}));
    table.add(resultOf(1, {0.5, 0.1}, RunStatus::Diverged)); // in stage 2
    QCOMPARE(*table.rows(SweepMeasure::Objective, 1)[0].best, std::size_t(1));
    QCOMPARE(*table.rows(SweepMeasure::Objective, 2)[0].best, std::size_t(0));
    QCOMPARE(table.line(0, SweepMeasure::Objective, 1)[1].median, 0.1);
    QCOMPARE(table.line(0, SweepMeasure::Objective, 2)[1].median, inf);
    QCOMPARE(table.line(0, SweepMeasure::Objective, 2)[1].diverged, std::size_t(1));
    // At the floor, and never below.
    table.setOptimum(0.2, 1e-9);
    QCOMPARE(table.value(*table.find(plan.at(0)), SweepMeasure::Excess, 3), 1e-9);
}

void TestSweep::rowsReadBackAsWritten()
{
    const SweepPlan plan = planOf("dual-appa:sdca:dual-start=paper,sgd", "1:10:4", "1..2", 3);
    const auto all = madeResults(plan);
    std::string text = resultsHeader();
    for (const SweepResult &r : all)
        text += rowsOf(plan, contextFor100(), r);
    const auto rows = parseResults(plan, text, "results.csv");
    QVERIFY2(rows.ok(), rows.ok() ? "" : rows.error().message.c_str());
    QCOMPARE(rows.value().intactBytes, text.size());
    QCOMPARE(rows.value().results.size(), all.size());
    std::string again = resultsHeader();
    for (const SweepResult &r : rows.value().results)
        again += rowsOf(plan, contextFor100(), r);
    QCOMPARE(QByteArray::fromStdString(again), QByteArray::fromStdString(text));
    QCOMPARE(rows.value().results[1].status, RunStatus::Diverged);
    QCOMPARE(rows.value().results[1].stage, Index(3));
    QCOMPARE(rows.value().results[1].points.size(), std::size_t(3));
    QCOMPARE(rows.value().results[1].note, all[1].note);
    QCOMPARE(rows.value().results[5].points[2].loss, all[5].points[2].loss);
}

void TestSweep::resumesAfterTruncationAtEveryByte()
{
    const SweepPlan plan = planOf("sgd", "1:10:2", "1", 1);
    const SweepContext context = contextFor100();
    const auto all = madeResults(plan);
    const QTemporaryDir temporary;
    const std::string path = temporary.path().toStdString() + "/study";
    {
        const auto folder = opened(path, plan, context, SweepFolder::Mode::New);
        for (const SweepResult &r : all)
            QVERIFY(!folder->append(r));
    }
    const std::string whole = readFile(path + "/results.csv");
    std::vector<std::size_t> ends = {resultsHeader().size()};
    for (const SweepResult &r : all)
        ends.push_back(ends.back() + rowsOf(plan, context, r).size());
    QCOMPARE(whole.size(), ends.back());

    for (std::size_t bytes = 0; bytes <= whole.size(); ++bytes) {
        writeFile(path + "/results.csv", std::string_view(whole).substr(0, bytes));
        const auto folder = opened(path, plan, context, SweepFolder::Mode::Resume);
        std::size_t complete = 0;
        while (complete < all.size() && ends[complete + 1] <= bytes)
            ++complete;
        QCOMPARE(folder->earlier().size(), complete);
        for (std::size_t k = complete; k < all.size(); ++k)
            QVERIFY(!folder->append(all[k]));
        QCOMPARE(readFile(path + "/results.csv"), whole);
    }
}

void TestSweep::refusesDamageThatIsNoTornEnd_data()
{
    QTest::addColumn<QString>("from");
    QTest::addColumn<QString>("to");
    QTest::addColumn<QString>("says");
    QTest::newRow("another header") << "method,inner"
                                    << "Method,inner"
                                    << "line 1";
    QTest::newRow("a number that is none") << "0.5,"
                                           << "0.5x,"
                                           << "line 2";
    QTest::newRow("a lambda not in the plan") << "sdca,,1,"
                                              << "sdca,,3,"
                                              << "not part of this plan";
    QTest::newRow("a run without its end") << "finished"
                                           << ""
                                           << "before the one above";
    QTest::newRow("an unknown status") << "finished"
                                       << "well"
                                       << "unknown status";
    QTest::newRow("a line cut") << ",finished,\n"
                                << "\n"
                                << "cells";
}

void TestSweep::refusesDamageThatIsNoTornEnd()
{
    QFETCH(QString, from);
    QFETCH(QString, to);
    QFETCH(QString, says);
    const SweepPlan plan = planOf("dual-appa,sgd", "1:10:2", "1", 2);
    QString text = QString::fromStdString(resultsHeader());
    for (const SweepResult &r : madeResults(plan))
        text += QString::fromStdString(rowsOf(plan, contextFor100(), r));
    const qsizetype at = text.indexOf(from);
    QVERIFY(at >= 0);
    text.replace(at, from.size(), to);
    const auto rows = parseResults(plan, text.toStdString(), "results.csv");
    QVERIFY(!rows.ok());
    QVERIFY2(QString::fromStdString(rows.error().message).contains(says), rows.error().message.c_str());
}

void TestSweep::protectsAnEarlierStudy()
{
    const SweepPlan plan = planOf("sdca", "1:10:2", "1", 2);
    const QTemporaryDir temporary;
    const std::string path = temporary.path().toStdString() + "/study";
    const SweepContext context = contextFor100();
    {
        const auto folder = opened(path, plan, context, SweepFolder::Mode::New);
        QVERIFY(!folder->append(madeResults(plan)[0]));
        // Nobody else while it is open.
        QVERIFY(!SweepFolder::open(path, plan, context, SweepFolder::Mode::Resume).ok());
    }
    const std::string before = readFile(path + "/results.csv");
    QCOMPARE(SweepFolder::open(path, plan, context, SweepFolder::Mode::New).error().kind, Error::Kind::Usage);
    SweepContext other = context;
    other.dataHash ^= 1;
    const auto why = [&](const SweepPlan &p, const SweepContext &c) {
        const auto refused = SweepFolder::open(path, p, c, SweepFolder::Mode::Resume);
        return QString::fromStdString(refused ? std::string() : refused.error().message);
    };
    QVERIFY2(why(plan, other).contains("has other numbers"), qPrintable(why(plan, other)));
    other = context;
    other.ridge += 1;
    other.loss = "logistic";
    QVERIFY2(why(plan, other).contains("loss is") && why(plan, other).contains("ridge is"),
             qPrintable(why(plan, other)));
    SweepPlan longer = plan;
    longer.stages = 3;
    QVERIFY(!SweepFolder::open(path, longer, context, SweepFolder::Mode::Resume).ok());
    const QString narrower = why(planOf("sgd", "10:100:2", "1", 2), context);
    QVERIFY2(narrower.contains("method sdca, lambda 1."), qPrintable(narrower));
    QCOMPARE(readFile(path + "/results.csv"), before);
    // A larger plan takes over what is there, and F_opt with it.
    SweepContext without = context;
    without.fOpt = unknown;
    const auto grown = opened(path, planOf("sgd,sdca", "1:100:3", "1..2", 2), without, SweepFolder::Mode::Resume);
    QCOMPARE(grown->earlier().size(), std::size_t(1));
    QCOMPARE(grown->context().fOpt, context.fOpt);
}

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

void TestSweep::filesDoNotDependOnTheLocale()
{
    const CommaLocale locale;
    if (!locale.isMade())
        QSKIP("there is no localedef");
    const SweepPlan plan = planOf("sdca,svrg", "1e-2:1:4", "1..2", 3);
    SweepTable table(plan, contextFor100());
    for (const SweepResult &result : madeResults(plan))
        table.add(result);
    const auto texts = [&] {
        std::string all = summaryText(table) + summaryCsv(table) + shortNumber(0.5) + shortNumber(2.5e-7);
        for (const SweepResult &result : madeResults(plan))
            all += rowsOf(plan, contextFor100(), result);
        Trace trace;
        trace.points = {pointOf(1, 0.375)};
        all += traceCsv(trace, {}, 100, 0.25);
        for (const double lambda : logGrid(0.01, 1, 4))
            all += formatParam(lambda);
        return all;
    };
    const std::string plain = texts();
    const CommaLocale::InUse comma(locale);
    QVERIFY(comma.holds());
    QCOMPARE(QByteArray::number(0.5), QByteArray("0.5"));
    char text[8];
    std::snprintf(text, sizeof text, "%.1f", 0.5);
    QCOMPARE(text, "0,5");
    QCOMPARE(texts(), plain);
}

void TestSweep::optionsReadBackToThePlan()
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

void TestSweep::mergeRefusesStrangersAndContradictions()
{
    const SweepPlan plan = planOf("sdca", "1:10:2", "1", 2);
    const QTemporaryDir temporary;
    const std::string path = temporary.path().toStdString();
    const auto write = [&](const char *name, const SweepPlan &p, const SweepContext &context, double firstLoss) {
        auto results = madeResults(p);
        results[0].points[1].loss = firstLoss;
        const auto folder = opened(path + "/" + name, p, context, SweepFolder::Mode::New);
        (void)folder->append(results[0]);
    };
    write("a", plan, contextFor100(), 0.1);
    write("same", plan, contextFor100(), 0.1);
    write("contradicts", plan, contextFor100(), 0.2);
    write("other plan", planOf("sgd", "1:10:2", "1", 2), contextFor100(), 0.1);
    SweepContext otherData = contextFor100();
    otherData.dataHash = 1;
    write("other data", plan, otherData, 0.1);
    QVERIFY(mergeStudies({path + "/a", path + "/same"}).ok());
    for (const char *name : {"contradicts", "other plan", "other data", "missing"})
        QVERIFY(!mergeStudies({path + "/a", path + "/" + name}).ok());
    QVERIFY(!mergeStudies({}).ok());
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

QTEST_GUILESS_MAIN(TestSweep)
#include "tst_sweep.moc"
