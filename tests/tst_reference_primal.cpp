#include "ReferenceProblems.h"

#include "methods/Registry.h"

#include <QTest>

#include <algorithm>
#include <cmath>

using namespace appa;
using reference::Storage;

namespace {

constexpr std::uint64_t streamBase = 1000; // stage t's splitmix64 state is 1000 + t, as in the reference

std::unique_ptr<Method> started(const ProblemPtr &problem, std::string_view id, std::string_view inner,
                                const ParamSet &params)
{
    const MethodInfo *info = findMethod(id);
    if (!info)
        return nullptr;
    auto method = info->make(problem, inner, params);
    Handover from;
    from.x = Vector::Zero(problem->dim());
    method->start(from, streamBase);
    return method;
}

void finishStage(Method &method)
{
    Slice unlimited = Slice::ticks(1'000'000);
    method.advance(unlimited);
}

/// Not a number becomes infinite, so that it is larger than any bound.
double relative(double value, double expected)
{
    const double deviation = std::abs(value - expected) / std::max(std::abs(expected), 1e-300);
    return std::isnan(deviation) ? std::numeric_limits<double>::infinity() : deviation;
}

/// The largest relative deviation from the reference's list of F at the ends of stages 0, 1, ..
double worstDeviation(const ProblemPtr &problem, std::string_view id, std::string_view inner, const ParamSet &params,
                      const nlohmann::json &expected)
{
    auto method = started(problem, id, inner, params);
    if (!method || expected.empty())
        return std::numeric_limits<double>::infinity();
    double worst = 0;
    Vector x;
    for (std::size_t stage = 0; stage < expected.size(); ++stage) {
        if (stage > 0)
            finishStage(*method);
        method->point(x);
        worst = std::max(worst, relative(problem->objective(x), expected[stage].get<double>()));
    }
    return worst;
}

ProblemPtr problemOf(const QString &name)
{
    return name == "sq" ? reference::sq() : reference::logi();
}

} // namespace

class TestReferencePrimal : public QObject
{
    Q_OBJECT

private slots:
    void followsStochasticReference_data()
    {
        QTest::addColumn<QString>("problem");
        QTest::addColumn<QString>("order");
        QTest::addColumn<QString>("method");
        QTest::addColumn<QString>("key");
        QTest::addColumn<double>("step");
        const struct
        {
            const char *method, *key;
            double step;
        } rows[] = {{"sgd", "SGD_eta0.5", 0.5},
                    {"svrg", "SVRG_eta0.1", 0.1},
                    {"saga", "SAGA_eta0.1", 0.1},
                    {"sag", "SAG_eta0.05", 0.05}};
        for (const char *problem : {"sq", "logi"})
            for (const char *order : {"cyclic", "splitmix"})
                for (const auto &row : rows)
                    QTest::addRow("%s %s %s", problem, order, row.method)
                        << problem << order << row.method << row.key << row.step;
    }
    void followsStochasticReference()
    {
        QFETCH(QString, problem);
        QFETCH(QString, order);
        QFETCH(QString, method);
        QFETCH(QString, key);
        QFETCH(double, step);
        ParamSet params;
        params.set("lambda", step);
        params.set("order", std::string(order == "cyclic" ? "cyclic" : "random"));
        const auto &expected = reference::values()[problem.toStdString()][order.toStdString()][key.toStdString()];
        const double worst = worstDeviation(problemOf(problem), method.toStdString(), "", params, expected);
        qInfo("largest relative deviation %.2e", worst);
        QVERIFY(worst <= 1e-8);
    }

    void followsDeterministicReference_data()
    {
        QTest::addColumn<QString>("problem");
        QTest::addColumn<QString>("method");
        QTest::addColumn<QString>("inner");
        QTest::addColumn<QString>("key");
        QTest::addColumn<double>("lambda"); // 0: automatic
        const struct
        {
            const char *method, *inner, *key;
            double lambda;
        } rows[] = {{"gd", "", "GD_step_1/M", 0},
                    {"agd", "", "AGD", 0},
                    {"ppa", "exact", "PPA_lam0.1", 0.1},
                    {"ppa", "exact", "PPA_lam0.001", 0.001},
                    {"accelerated-appa", "exact", "AccAPPA_exact_lam0.1", 0.1}};
        for (const char *problem : {"sq", "logi"})
            for (const auto &row : rows)
                QTest::addRow("%s %s", problem, row.key) << problem << row.method << row.inner << row.key << row.lambda;
    }
    void followsDeterministicReference()
    {
        QFETCH(QString, problem);
        QFETCH(QString, method);
        QFETCH(QString, inner);
        QFETCH(QString, key);
        QFETCH(double, lambda);
        ParamSet params;
        if (lambda > 0)
            params.set("lambda", lambda);
        const auto &expected = reference::values()[problem.toStdString()][key.toStdString()];
        const double worst =
            worstDeviation(problemOf(problem), method.toStdString(), inner.toStdString(), params, expected);
        qInfo("largest relative deviation %.2e", worst);
        QVERIFY(worst <= 1e-9);
    }
};

QTEST_GUILESS_MAIN(TestReferencePrimal)
#include "tst_reference_primal.moc"
