#include "MethodRuns.h"
#include "ReferenceProblems.h"

#include <QTest>

#include <cmath>

using namespace appa;

/// The dual methods and the reductions against the values of data/reference.json.
class ReferenceDual : public QObject
{
    Q_OBJECT

private slots:
    void reproducesTheReference_data();
    void reproducesTheReference();
    void reproducesTheGaps_data();
    void reproducesTheGaps();
    void mapsTheDualExactlyAtAChangeOfLambda_data();
    void mapsTheDualExactlyAtAChangeOfLambda();

private:
    static ProblemPtr problem(const QString &name) { return name == "sq" ? reference::sq() : reference::logi(); }
    static nlohmann::json expected(const QString &name, const QString &order, const char *key)
    {
        const nlohmann::json &values = reference::values()[name.toStdString()];
        return order.isEmpty() ? values[key] : values[order.toStdString()][key];
    }
    static ParamValue orderParam(const QString &order)
    {
        return std::string(order == "splitmix" ? "random" : "cyclic");
    }
    static double relative(double value, double reference) { return std::abs(value - reference) / std::abs(reference); }
};

void ReferenceDual::reproducesTheReference_data()
{
    QTest::addColumn<QString>("name");
    QTest::addColumn<QString>("order");
    QTest::addColumn<QString>("key");
    QTest::addColumn<QString>("method");
    QTest::addColumn<QString>("inner");
    QTest::addColumn<double>("lambda");
    QTest::addColumn<QString>("dualStart");
    const auto row = [](const char *name, const char *order, const char *key, const char *method, const char *inner,
                        double lambda, const char *start = "line-search") {
        QTest::addRow("%s %s %s", name, order, key) << QString(name) << QString(order) << QString(key)
                                                    << QString(method) << QString(inner) << lambda << QString(start);
    };
    for (const char *name : {"sq", "logi"}) {
        for (const char *order : {"cyclic", "splitmix"}) {
            row(name, order, "SDCA_lam0.01", "sdca", "", 0.01, "zero");
            row(name, order, "APCG_lam0.01", "apcg", "", 0.01, "zero");
            row(name, order, "DualAPPA_SDCA_lam0.01_y0hat", "dual-appa", "sdca", 0.01, "paper");
            row(name, order, "DualAPPA_SDCA_lam0.01_y0zero", "dual-appa", "sdca", 0.01, "zero");
            row(name, order, "DualAPPA_SDCA_lam1e-6_y0zero", "dual-appa", "sdca", 1e-6, "zero");
            row(name, order, "DualAPPA_SDCA_lam1e6_y0hat", "dual-appa", "sdca", 1e6, "paper");
            row(name, order, "DualAPPA_APCG_lam0.01_y0zero", "dual-appa", "apcg", 0.01, "zero");
        }
        row(name, "", "PPA_lam0.1", "ppa", "exact", 0.1);
        row(name, "", "PPA_lam0.001", "ppa", "exact", 0.001);
        row(name, "", "AccAPPA_exact_lam0.1", "accelerated-appa", "exact", 0.1);
    }
}

void ReferenceDual::reproducesTheReference()
{
    QFETCH(const QString, name);
    QFETCH(const QString, order);
    QFETCH(const QString, key);
    QFETCH(const QString, method);
    QFETCH(const QString, inner);
    QFETCH(const double, lambda);
    QFETCH(const QString, dualStart);

    const auto expectedValues = expected(name, order, key.toUtf8().constData()).get<std::vector<double>>();
    const ProblemPtr p = problem(name);
    testing::Params params = {{"lambda", lambda}, {"dual-start", dualStart.toStdString()}};
    if (!order.isEmpty())
        params.emplace_back("order", orderParam(order));
    else
        params.emplace_back("mu", reference::values()[name.toStdString()]["mu"].get<double>());
    const auto run = testing::started(p, method.toStdString(), inner.toStdString(), params);
    const std::vector<double> got = testing::values(*p, *run, static_cast<int>(expectedValues.size()) - 1);
    const double tolerance = order == "splitmix" ? 1e-8 : 1e-9;
    double worst = 0;
    for (std::size_t t = 0; t < got.size(); ++t) {
        worst = std::max(worst, relative(got[t], expectedValues[t]));
        QVERIFY2(relative(got[t], expectedValues[t]) <= tolerance,
                 qPrintable(QString("stage %1: %2, expected %3")
                                .arg(t)
                                .arg(got[t], 0, 'g', 17)
                                .arg(expectedValues[t], 0, 'g', 17)));
    }
    qInfo("largest relative difference %.1e", worst);
}

void ReferenceDual::reproducesTheGaps_data()
{
    QTest::addColumn<QString>("name");
    QTest::addColumn<QString>("order");
    for (const char *name : {"sq", "logi"})
        for (const char *order : {"cyclic", "splitmix"})
            QTest::addRow("%s %s", name, order) << QString(name) << QString(order);
}

void ReferenceDual::reproducesTheGaps()
{
    QFETCH(const QString, name);
    QFETCH(const QString, order);

    const auto gaps = expected(name, order, "SDCA_lam0.01_gap").get<std::vector<double>>();
    const ProblemPtr p = problem(name);
    const auto run = testing::started(
        p, "sdca", "", {{"lambda", 0.01}, {"order", orderParam(order)}, {"dual-start", std::string("zero")}});
    for (const double gap : gaps) {
        testing::stage(*run);
        const auto dual = run->dual();
        QVERIFY(dual);
        const Measurement m = p->measure(testing::pointOf(*run), &*dual);
        QVERIFY(m.gap);
        QVERIFY2(relative(*m.gap, gap) <= 1e-8,
                 qPrintable(QString("%1, expected %2").arg(*m.gap, 0, 'g', 17).arg(gap, 0, 'g', 17)));
    }
}

void ReferenceDual::mapsTheDualExactlyAtAChangeOfLambda_data()
{
    reproducesTheGaps_data();
}

void ReferenceDual::mapsTheDualExactlyAtAChangeOfLambda()
{
    QFETCH(const QString, name);
    QFETCH(const QString, order);

    const auto expectedValues =
        expected(name, order, "DualAPPA_SDCA_lam0.1_then_0.01_after_stage2_y0zero_exactmap").get<std::vector<double>>();
    const ProblemPtr p = problem(name);
    const auto run = testing::started(
        p, "dual-appa", "sdca", {{"lambda", 0.1}, {"order", orderParam(order)}, {"dual-start", std::string("zero")}});
    std::vector<double> got = testing::values(*p, *run, 2);
    // "paper" carries the dual over unscaled.
    run->retune(testing::paramSet({{"lambda", 0.01}, {"dual-start", std::string("paper")}}));
    const std::vector<double> after = testing::values(*p, *run, static_cast<int>(expectedValues.size()) - 3);
    QCOMPARE(after.front(), got.back());
    got.insert(got.end(), after.begin() + 1, after.end());
    for (std::size_t t = 0; t < got.size(); ++t)
        QVERIFY2(relative(got[t], expectedValues[t]) <= 1e-8,
                 qPrintable(QString("stage %1: %2, expected %3")
                                .arg(t)
                                .arg(got[t], 0, 'g', 17)
                                .arg(expectedValues[t], 0, 'g', 17)));
}

QTEST_GUILESS_MAIN(ReferenceDual)
#include "tst_reference_dual.moc"
