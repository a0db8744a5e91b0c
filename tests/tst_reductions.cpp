#include "MethodRuns.h"
#include "ReferenceProblems.h"
#include "SmallOptimum.h"

#include "methods/DualMap.h"
#include "methods/DualScale.h"

#include <QTest>

#include <algorithm>
#include <cmath>
#include <random>

using namespace appa;

Q_DECLARE_METATYPE(appa::ProblemPtr)

/// What theory promises of the reductions, held stage by stage.
class Reductions : public QObject
{
    Q_OBJECT

private slots:
    void certifiedStagesContractAsPromised_data();
    void certifiedStagesContractAsPromised();
    void acceleratedStagesKeepTheirBound_data();
    void acceleratedStagesKeepTheirBound();
    void printedRuleAsksForMorePasses();
    void exactStagesContractByTheSquare();
    void primalPointBelongsToTheDual_data();
    void primalPointBelongsToTheDual();
    void lineSearchMinimizesAlongTheDual();
    void exhaustedBudgetKeepsTheBetterPoint();
    void certifiedStagesOfAGoodBudgetNeedNoWarning();
    void decreasesLambdaByItself_data();
    void decreasesLambdaByItself();
    void certifiedStagesRaiseALambdaThatIsTooSmall();
    void aLocalMuCertifiesNothing();
    void predictedRatesHoldPerStage_data();
    void predictedRatesHoldPerStage();
    void aPassOfAcceleratedGradientIsAStepOfTheSubproblem();
    void automaticLambdaFollowsTheData();
    void featuresOfAnyUnitGiveTheSameCourse_data();
    void featuresOfAnyUnitGiveTheSameCourse();
    void pairsThatDoNotFitSayWhy();
    void innerSolversSayWhetherTheyKeepADual();

private:
    static double excess(const Problem &problem, const Method &run, double fOpt)
    {
        return problem.objective(testing::pointOf(run)) - fOpt;
    }
};

static void problemRows(const std::vector<std::pair<const char *, const char *>> &pairs,
                        const std::vector<double> &lambdas)
{
    QTest::addColumn<ProblemPtr>("problem");
    QTest::addColumn<QString>("method");
    QTest::addColumn<QString>("inner");
    QTest::addColumn<double>("lambda");
    const std::vector<std::pair<const char *, ProblemPtr>> problems = {
        {"squared", reference::sq()},
        {"squared, ridge", reference::sq(reference::Storage::Double, 0.01)},
        {"logistic, ridge", reference::logi(reference::Storage::Double, 0.01)},
        {"smoothed hinge, ridge, sparse", reference::logi(reference::Storage::SparseDouble, 0.02, "smoothed-hinge")},
    };
    for (const auto &[label, problem] : problems)
        for (const auto &[method, inner] : pairs)
            for (const double lambda : lambdas)
                QTest::addRow("%s, %s(%s), lambda %g", label, method, inner, lambda)
                    << problem << QString(method) << QString(inner) << lambda;
}

/// mu that holds everywhere: measured for the squared loss, the ridge otherwise.
static double strongConvexity(const Problem &problem)
{
    if (!std::holds_alternative<SquaredLoss>(problem.loss()))
        return problem.ridge();
    return reference::values()["sq"]["mu"].get<double>() + problem.ridge();
}

void Reductions::certifiedStagesContractAsPromised_data()
{
    problemRows({{"appa", "sdca"},
                 {"appa", "svrg"},
                 {"appa", "apcg"},
                 {"appa", "ap-sdca"},
                 {"appa", "agd"},
                 {"dual-appa", "sdca"},
                 {"dual-appa", "apcg"},
                 {"dual-appa", "ap-sdca"}},
                {0.003, 0.1, 3});
}

void Reductions::certifiedStagesContractAsPromised()
{
    QFETCH(const ProblemPtr, problem);
    QFETCH(const QString, method);
    QFETCH(const QString, inner);
    QFETCH(const double, lambda);

    const double mu = strongConvexity(*problem);
    const double promised = (lambda + mu / 2) / (lambda + mu);
    const double fOpt = problem->objective(testing::smallMinimizer(*problem));
    const auto run = testing::started(problem, method.toStdString(), inner.toStdString(),
                                      {{"lambda", lambda}, {"mu", mu}, {"stages", std::string("certified")}});
    double before = excess(*problem, *run, fOpt);
    for (int t = 0; t < 12 && before > 1e-10; ++t) {
        QCOMPARE(testing::stage(*run), Method::State::StageEnd);
        const double after = excess(*problem, *run, fOpt);
        QVERIFY2(after <= promised * before + 1e-14,
                 qPrintable(QString("stage %1: %2 -> %3, promised %4").arg(t).arg(before).arg(after).arg(promised)));
        const StageReport report = run->lastStage();
        QCOMPARE(report.stage, t);
        QVERIFY(report.gap && report.asked && *report.asked == 2 * (lambda + mu) / mu);
        QVERIFY(*report.gap <= 1e-15 || *report.reached >= *report.asked);
        before = after;
    }
}

void Reductions::acceleratedStagesKeepTheirBound_data()
{
    problemRows({{"accelerated-appa", "sdca"},
                 {"accelerated-appa", "apcg"},
                 {"accelerated-appa", "svrg"},
                 {"accelerated-appa", "exact"}},
                {0.003, 0.1});
}

void Reductions::acceleratedStagesKeepTheirBound()
{
    QFETCH(const ProblemPtr, problem);
    QFETCH(const QString, method);
    QFETCH(const QString, inner);
    QFETCH(const double, lambda);

    const double mu = strongConvexity(*problem);
    const double th = std::sqrt(mu / (mu + 2 * lambda));
    const double fOpt = problem->objective(testing::smallMinimizer(*problem));
    const auto run = testing::started(problem, method.toStdString(), inner.toStdString(),
                                      {{"lambda", lambda}, {"mu", mu}, {"stages", std::string("certified")}});
    const double start = excess(*problem, *run, fOpt);
    for (int t = 1; t <= 25; ++t) {
        testing::stage(*run);
        const double bound = std::pow(1 - th / 2, t) * (2 * lambda / mu + 2) * start;
        QVERIFY2(excess(*problem, *run, fOpt) <= bound + 1e-14, qPrintable(QString("stage %1").arg(t)));
    }
}

void Reductions::printedRuleAsksForMorePasses()
{
    const ProblemPtr problem = reference::sq(reference::Storage::Double, 0.01);
    const double fOpt = problem->objective(testing::smallMinimizer(*problem));
    const testing::Params common = {{"lambda", 0.05}, {"stages", std::string("certified")}};
    testing::Params printed = common;
    printed.emplace_back("certificate", std::string("printed"));
    const auto sharp = testing::started(problem, "dual-appa", "sdca", common);
    const auto loose = testing::started(problem, "dual-appa", "sdca", printed);
    const double promised = (0.05 + 0.005) / 0.06;
    for (int t = 0; t < 5; ++t) {
        const double before = excess(*problem, *loose, fOpt);
        testing::stage(*sharp);
        testing::stage(*loose);
        QVERIFY(excess(*problem, *loose, fOpt) <= promised * before + 1e-14);
        // What was reached is told in the terms of what was asked.
        const StageReport report = loose->lastStage();
        QVERIFY(report.gap && report.asked && report.reached);
        QVERIFY2(*report.gap <= 1e-15 || *report.reached >= *report.asked,
                 qPrintable(QString("stage %1: %2 asked, %3 reached").arg(t).arg(*report.asked).arg(*report.reached)));
    }
    QVERIFY(loose->cost().accesses > 2 * sharp->cost().accesses);
}

void Reductions::exactStagesContractByTheSquare()
{
    const ProblemPtr problem = reference::sq();
    const double mu = reference::values()["sq"]["mu"].get<double>();
    const double fOpt = reference::values()["sq"]["Fopt"].get<double>();
    const auto run = testing::started(problem, "ppa", "exact", {{"lambda", 0.01}});
    double before = excess(*problem, *run, fOpt);
    for (int t = 0; t < 40; ++t) {
        testing::stage(*run);
        const double after = excess(*problem, *run, fOpt);
        QVERIFY(after <= std::pow(0.01 / (0.01 + mu), 2) * before + 1e-15);
        before = after;
    }
}

void Reductions::primalPointBelongsToTheDual_data()
{
    problemRows({{"dual-appa", "sdca"},
                 {"dual-appa", "apcg"},
                 {"dual-appa", "ap-sdca"},
                 {"accelerated-appa", "sdca"},
                 {"appa", "apcg"}},
                {0.001, 1});
}

void Reductions::primalPointBelongsToTheDual()
{
    QFETCH(const ProblemPtr, problem);
    QFETCH(const QString, method);
    QFETCH(const QString, inner);
    QFETCH(const double, lambda);

    const Eigen::MatrixXd A = testing::plainMatrix(*problem);
    const auto run =
        testing::started(problem, method.toStdString(), inner.toStdString(), {{"lambda", lambda}, {"mu", 0.01}});
    const auto belongs = [&] {
        const auto dual = run->dual();
        if (!dual)
            return inner == "ap-sdca"; // its x belongs to its rounds
        const Vector x = testing::pointOf(*run);
        const StageReport report = run->lastStage();
        const Vector sT = report.centre * (report.lambda / dual->lambdaT);
        const Vector xHat = sT - A.transpose() * dual->y / dual->lambdaT;
        const Handover h = run->handover();
        // A'y = lambda(s - x) is known to the rounding of x, times lambda.
        const double rounding = 1e-14 * dual->lambdaT * (1 + x.norm());
        return (x - xHat).norm() <= 1e-9 * (1 + x.norm()) && h.x == x
            && (h.aty - A.transpose() * *h.y).norm() <= 1e-9 * (1 + h.aty.norm()) + rounding;
    };
    for (int t = 0; t < 20; ++t)
        testing::stage(*run);
    QVERIFY(belongs());
    for (const double factor : {0.1, 1e3, 1e-6, 1e6, 1e-3}) {
        run->retune(testing::paramSet({{"lambda", lambda * factor}}));
        testing::stage(*run);
        QVERIFY2(belongs(), qPrintable(QString("lambda times %1").arg(factor)));
    }
}

void Reductions::lineSearchMinimizesAlongTheDual()
{
    std::mt19937 random(5);
    std::uniform_real_distribution<double> uniform(0, 1);
    for (const ProblemPtr &problem :
         {reference::sq(), reference::logi(), reference::logi(reference::Storage::SparseSingle, 0, "smoothed-hinge")}) {
        const Eigen::MatrixXd A = testing::plainMatrix(*problem);
        const auto b = problem->targets();
        const double w = 1.0 / static_cast<double>(problem->n());
        for (int trial = 0; trial < 60; ++trial) {
            const double lambda = std::pow(10, -8 + 12 * uniform(random));
            Vector y(problem->n()), s(problem->d());
            for (Index i = 0; i < y.size(); ++i)
                y[i] = -(b[static_cast<std::size_t>(i)] > 0 ? 1 : -1) * w
                    * (trial % 3 == 0 && i % 2 ? 0 : uniform(random));
            for (double &value : s)
                value = 4 * uniform(random) - 2;
            const Vector aty = A.transpose() * y;
            const double theta = dualScale(*problem, y, aty, s, lambda);
            QVERIFY(theta >= 0 && theta <= 1);
            const auto g = [&](double t) { return dualObjective(*problem, t * y, t * aty, s, lambda); };
            const double least = g(theta);
            for (double t = 1; t > 1e-12; t *= 0.8)
                QVERIFY2(least <= g(t) + 1e-12 * (1 + std::abs(least)),
                         qPrintable(QString("lambda %1: theta %2, better %3").arg(lambda).arg(theta).arg(t)));
            QVERIFY(least <= g(0) + 1e-12);
        }
    }
}

void Reductions::exhaustedBudgetKeepsTheBetterPoint()
{
    const ProblemPtr problem = reference::logi(reference::Storage::Double, 1e-6);
    const auto run = testing::started(problem, "dual-appa", "sdca",
                                      {{"lambda", 1e-8},
                                       {"stages", std::string("certified")},
                                       {"max-passes", 1.0},
                                       {"dual-start", std::string("paper")}});
    double before = problem->objective(testing::pointOf(*run));
    for (int t = 0; t < 10; ++t) {
        testing::stage(*run);
        const double after = problem->objective(testing::pointOf(*run));
        QVERIFY(after <= before);
        before = after;
    }
    QVERIFY2(run->warning().starts_with("10 of 10 certified stages ended at max-passes"), run->warning().c_str());
}

void Reductions::certifiedStagesOfAGoodBudgetNeedNoWarning()
{
    const auto run = testing::started(reference::sq(), "dual-appa", "sdca", {{"stages", std::string("certified")}});
    for (int t = 0; t < 10; ++t)
        testing::stage(*run);
    QCOMPARE(run->warning(), std::string());
}

void Reductions::decreasesLambdaByItself_data()
{
    problemRows({{"appa", "sdca"}, {"dual-appa", "sdca"}, {"accelerated-appa", "sdca"}}, {10, 1000});
}

void Reductions::decreasesLambdaByItself()
{
    QFETCH(const ProblemPtr, problem);
    QFETCH(const QString, method);
    QFETCH(const double, lambda);

    const double fOpt = problem->objective(testing::smallMinimizer(*problem));
    const auto run = testing::started(problem, method.toStdString(), "sdca",
                                      {{"lambda", lambda}, {"decrease", true}, {"mu", 0.001}});
    double smallest = lambda;
    for (int t = 0; t < 600; ++t) {
        testing::stage(*run);
        smallest = std::min(smallest, run->effective().real("lambda"));
    }
    QVERIFY(smallest < lambda);
    QVERIFY2(excess(*problem, *run, fOpt) <= 1e-7, qPrintable(QString::number(excess(*problem, *run, fOpt))));
}

void Reductions::certifiedStagesRaiseALambdaThatIsTooSmall()
{
    // One pass is far too little for stages at the smallest lambdas that solved stages at the larger ones lead to.
    const ProblemPtr problem = reference::sq();
    const auto run = testing::started(problem, "appa", "sdca",
                                      {{"lambda", 1.0},
                                       {"stages", std::string("certified")},
                                       {"max-passes", 1.0},
                                       {"decrease", true},
                                       {"decrease-factor", 1e3},
                                       {"mu", 0.001}});
    double before = 1;
    bool lowered = false, raised = false;
    for (int t = 0; t < 600; ++t) {
        testing::stage(*run);
        const double lambda = run->effective().real("lambda");
        lowered = lowered || lambda < before;
        raised = raised || lambda > before;
        before = lambda;
    }
    QVERIFY(lowered);
    QVERIFY(raised);
    const double fOpt = problem->objective(testing::smallMinimizer(*problem));
    QVERIFY2(excess(*problem, *run, fOpt) <= 1e-5, qPrintable(QString::number(excess(*problem, *run, fOpt))));
}

void Reductions::aLocalMuCertifiesNothing()
{
    // Without a dual and without a ridge f_s is lambda-convex and no more: the gap is |grad f_s|^2/(2 lambda).
    const ProblemPtr problem = reference::logi();
    const auto run =
        testing::started(problem, "appa", "svrg", {{"lambda", 0.05}, {"stages", std::string("certified")}});
    testing::stage(*run);
    QVERIFY(run->effective().real("mu") > 0);
    const Vector x = testing::pointOf(*run);
    Vector gradient;
    problem->gradient(x, gradient);
    gradient += 0.05 * (x - run->lastStage().centre);
    const double expected = gradient.squaredNorm() / (2 * 0.05);
    QVERIFY(run->lastStage().gap.has_value());
    QVERIFY2(std::abs(*run->lastStage().gap - expected) <= 1e-9 * expected,
             qPrintable(QString::number(*run->lastStage().gap / expected)));
}

void Reductions::predictedRatesHoldPerStage_data()
{
    problemRows({{"ppa", "exact"}, {"appa", "exact"}, {"appa", "sdca"}, {"dual-appa", "sdca"}}, {0.02, 0.5});
}

void Reductions::predictedRatesHoldPerStage()
{
    QFETCH(const ProblemPtr, problem);
    QFETCH(const QString, method);
    QFETCH(const QString, inner);
    QFETCH(const double, lambda);

    const MethodInfo *info = findMethod(method.toStdString());
    QVERIFY(!info->ratePerPass);
    testing::Params params = {{"lambda", lambda}};
    if (method != "ppa")
        params.emplace_back("stages", std::string("certified"));
    const auto run = testing::started(problem, method.toStdString(), inner.toStdString(), params);
    const auto rate = info->ratePerStage(*problem, *problem->constants(), run->effective());
    QVERIFY(rate && *rate > 0 && *rate < 1);
    const double fOpt = problem->objective(testing::smallMinimizer(*problem));
    double before = excess(*problem, *run, fOpt);
    for (int t = 0; t < 6; ++t) {
        testing::stage(*run);
        const double after = excess(*problem, *run, fOpt);
        QVERIFY2(after <= *rate * before + 1e-13,
                 qPrintable(QString("stage %1: %2 > %3").arg(t).arg(after / before).arg(*rate)));
        before = after;
    }
}

/// Its first step from the centre, 1/(M + lambda) along the gradient, whatever lambda becomes.
void Reductions::aPassOfAcceleratedGradientIsAStepOfTheSubproblem()
{
    const ProblemPtr problem = reference::logi(reference::Storage::Double, 0.01);
    const auto run = testing::started(problem, "appa", "agd", {{"lambda", 0.3}, {"passes", 1.0}});
    QCOMPARE(run->needs(), Knowledge::Smoothness);
    for (const double lambda : {0.3, 0.3, 0.02}) {
        ParamSet change;
        change.set("lambda", lambda);
        run->retune(change);
        const Vector before = testing::pointOf(*run);
        testing::stage(*run);
        QCOMPARE(run->needs(), Knowledge::Nothing);
        Vector gradient;
        problem->gradient(before, gradient);
        const double step = 1 / (problem->constants()->M + lambda);
        QVERIFY((testing::pointOf(*run) - (before - step * gradient)).norm() <= 1e-14 * gradient.norm());
        QCOMPARE(run->effective().real("step"), step);
    }
    const auto given = testing::started(problem, "appa", "agd", {{"step", 0.1}});
    QCOMPARE(given->needs(), Knowledge::Nothing);
}

void Reductions::automaticLambdaFollowsTheData()
{
    const auto mean = [](const Problem &problem) {
        double sum = 0;
        for (const double q : problem.squaredNorms())
            sum += q;
        return sum / static_cast<double>(problem.n());
    };
    for (const double ridge : {0.0, 1e-3, 10.0})
        for (const ProblemPtr &problem :
             {reference::sq(reference::Storage::Double, ridge), reference::logi(reference::Storage::Double, ridge)}) {
            const double c = problem->loss().index() == 0 ? 1 : 0.5; // squared, logistic
            const auto holds = [&](const char *method, double target) {
                const double lambda = testing::started(problem, method)->effective().real("lambda");
                QVERIFY(lambda > 0);
                if (ridge < 0.99 * target)
                    QVERIFY(std::abs(lambda + ridge - target) < 1e-12);
            };
            const double R = problem->radius();
            holds("appa", c * problem->curvature() * R * R);
            holds("accelerated-appa", c * problem->curvature() * R * R);
            holds("dual-appa", problem->curvature() * mean(*problem) / 2); // its stages need not be solved as well
        }
}

void Reductions::featuresOfAnyUnitGiveTheSameCourse_data()
{
    QTest::addColumn<QString>("method");
    QTest::addColumn<QString>("inner");
    QTest::newRow("Dual APPA") << "dual-appa"
                               << "sdca";
    QTest::newRow("APPA") << "appa"
                          << "sdca";
    QTest::newRow("APPA, SVRG") << "appa"
                                << "svrg";
    QTest::newRow("SDCA") << "sdca"
                          << "";
    QTest::newRow("SVRG") << "svrg"
                          << "";
}

/// Metres or nanometres: with the automatic lambda, which goes with the square of the unit, F takes the same values.
void Reductions::featuresOfAnyUnitGiveTheSameCourse()
{
    QFETCH(QString, method);
    QFETCH(QString, inner);
    const ProblemPtr reference = reference::sq();
    const auto course = [&](double unit) {
        const Dataset &original = reference->data();
        Dataset data;
        data.kind = original.kind;
        const auto &A = std::get<DenseMatrix<double>>(original.train.features);
        DenseMatrix<double> B(A.rows(), A.cols());
        std::transform(A.row(0), A.row(0) + A.rows() * A.cols(), B.row(0), [unit](double a) { return unit * a; });
        data.train.features = std::move(B);
        data.train.targets = original.train.targets;
        data.test.features = DenseMatrix<double>(0, A.cols());
        const auto problem = std::make_shared<const Problem>(finish(std::move(data)), SquaredLoss(), 0.0);
        const auto run = testing::started(problem, method.toStdString(), inner.toStdString());
        std::vector<double> values;
        for (int k = 0; k < 5; ++k) {
            testing::stage(*run);
            values.push_back(problem->objective(testing::pointOf(*run)));
        }
        return values;
    };
    const auto expected = course(1);
    QVERIFY(expected.back() < expected.front());
    for (const double unit : {0x1p-40, 0x1p40})
        QCOMPARE(course(unit), expected);
}

void Reductions::pairsThatDoNotFitSayWhy()
{
    const ProblemPtr problem = reference::sq();
    QVERIFY(whyNot(*problem, "dual-appa", "svrg").find("dual") != std::string::npos);
    QVERIFY(whyNot(*problem, "ppa", "sdca").find("APPA") != std::string::npos);
    QVERIFY(whyNot(*problem, "sdca", "svrg").find("alone") != std::string::npos);
    QVERIFY(whyNot(*problem, "no-such", "").find("dual-appa") != std::string::npos);
    QVERIFY(whyNot(*problem, "appa", "no-such").find("sdca") != std::string::npos);
    for (const MethodInfo &method : methods()) {
        QVERIFY2(whyNot(*problem, method.id, "") == "" || method.family == MethodFamily::LeastSquares,
                 method.id.c_str());
        QVERIFY(!method.label.empty() && !method.summary.empty() && !method.update.empty());
        for (const std::string &inner : method.inners)
            QVERIFY2(findInner(inner), inner.c_str());
    }
}

void Reductions::innerSolversSayWhetherTheyKeepADual()
{
    const ProblemPtr problem = reference::sq();
    for (const InnerInfo &info : innerSolvers()) {
        const auto inner = info.make(problem, ParamSet(info.params));
        Handover from;
        from.x = Vector::Zero(problem->dim());
        inner->begin({.lambda = 1, .centre = from.x}, from);
        IndexStream stream(problem->n(), IndexStream::Order::Random, 1);
        Cost cost;
        QVERIFY(problem->learn(inner->needs()));
        while (inner->steps() < problem->n() && !inner->finished())
            inner->tick(problem->n(), stream, cost);
        Vector y;
        QVERIFY2(inner->dual(y) == info.hasDual, info.id.c_str());
    }
}

QTEST_GUILESS_MAIN(Reductions)
#include "tst_reductions.moc"
