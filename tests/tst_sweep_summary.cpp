// What is made of the results: quantiles, the best lambda, passes to a target.
#include "SweepStudies.h"

#include <QTest>

#include <cmath>

using namespace appa;
using namespace appa::testing;

class TestSweepSummary : public QObject
{
    Q_OBJECT

private slots:
    void quantilesInterpolateAndKnowInfinity();
    void summaryFindsBestRangeAndThreshold();
    void summaryCountsPassesToTarget();
    void anEvenNumberOfSeedsIsNotFlattered();
    void summaryFollowsTheStage();
};

void TestSweepSummary::quantilesInterpolateAndKnowInfinity()
{
    QCOMPARE(quantile({1, 2, 3, 4}, 0.5), 2.5);
    QCOMPARE(quantile({1, 2, 3, 4}, 0.25), 1.75);
    QCOMPARE(quantile({7}, 0.75), 7.0);
    QCOMPARE(quantile({1, 2, inf}, 0.5), 2.0);
    QCOMPARE(quantile({1, 2, inf}, 0.75), inf);
    QCOMPARE(quantile({1, inf, inf}, 0.5), inf);
    QVERIFY(std::isnan(quantile({}, 0.5)));
}

void TestSweepSummary::summaryFindsBestRangeAndThreshold()
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

void TestSweepSummary::summaryCountsPassesToTarget()
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

void TestSweepSummary::anEvenNumberOfSeedsIsNotFlattered()
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

void TestSweepSummary::summaryFollowsTheStage()
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

QTEST_GUILESS_MAIN(TestSweepSummary)
#include "tst_sweep_summary.moc"
