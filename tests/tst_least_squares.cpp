#include "ReferenceProblems.h"

#include "data/Recipe.h"
#include "methods/Registry.h"
#include "methods/Sketch.h"

#include <Eigen/Cholesky>
#include <Eigen/QR>
#include <QTest>

#include <cmath>
#include <random>

using namespace appa;
using reference::Storage;

namespace {

Eigen::MatrixXd denseOf(const Problem &problem)
{
    Eigen::MatrixXd A(problem.n(), problem.d());
    Vector row(problem.d());
    std::visit(
        [&](const auto &features) {
            for (Index i = 0; i < problem.n(); ++i) {
                row.setZero();
                rowAxpy(features, i, 1, row.data());
                A.row(i) = row;
            }
        },
        problem.data().train.features);
    return A;
}

/// n x d with singular values from 1 down to 1/condition, and noise in b.
ProblemPtr illConditioned(Index n, Index d, double condition, double ridge = 0, Storage storage = Storage::Double)
{
    std::mt19937_64 random(5);
    const auto normal = [&random] {
        double sum = 0;
        for (int k = 0; k < 12; ++k)
            sum += static_cast<double>(random() >> 11) * 0x1p-53;
        return sum - 6;
    };
    Eigen::MatrixXd A(n, d);
    Eigen::VectorXd b(n);
    for (Index i = 0; i < n; ++i) {
        for (Index j = 0; j < d; ++j)
            A(i, j) = normal() * std::pow(condition, -static_cast<double>(j) / static_cast<double>(d - 1));
        b[i] = normal();
    }
    b += A * Vector::Ones(d) * 3;
    return reference::problem(reference::dataset("ill", A, b, TargetKind::Real, storage), "squared", ridge);
}

double optimalValue(const Problem &problem, Vector *minimizer = nullptr)
{
    // min |[A; sqrt(n gamma) I] x - [b; 0]|^2/(2n) by an orthogonal factorization.
    const Eigen::MatrixXd A = denseOf(problem);
    Eigen::MatrixXd stacked(A.rows() + A.cols(), A.cols());
    stacked << A,
        std::sqrt(problem.ridge() * static_cast<double>(problem.n())) * Eigen::MatrixXd::Identity(A.cols(), A.cols());
    Vector b = Vector::Zero(stacked.rows());
    b.head(A.rows()) = Eigen::Map<const Vector>(problem.targets().data(), problem.n());
    const Vector x = stacked.colPivHouseholderQr().solve(b);
    if (minimizer)
        *minimizer = x;
    return problem.objective(x);
}

std::unique_ptr<Method> started(const ProblemPtr &problem, std::string_view id, const ParamSet &params = {})
{
    auto method = findMethod(id)->make(problem, "", params);
    Handover from;
    from.x = Vector::Zero(problem->dim());
    method->start(from, IndexStream::baseOf(1));
    return method;
}

Method::State finishStage(Method &method)
{
    Slice slice = Slice::ticks(10'000'000);
    return method.advance(slice);
}

/// Stages until F - F_opt is at most `below`; 1000 if that does not happen.
int stagesTo(const ProblemPtr &problem, std::string_view id, double fOpt, double below)
{
    const auto method = started(problem, id);
    Vector x;
    for (int stage = 1; stage < 1000; ++stage) {
        const auto state = finishStage(*method);
        method->point(x);
        if (problem->objective(x) - fOpt <= below)
            return stage;
        if (state == Method::State::Done)
            break;
    }
    return 1000;
}

} // namespace

class TestLeastSquares : public QObject
{
    Q_OBJECT

private slots:
    void normalEquationsAgreeWithReference()
    {
        const ProblemPtr problem = reference::sq();
        const auto method = started(problem, "normal-equations");
        while (finishStage(*method) != Method::State::Done) { }
        Vector x;
        method->point(x);
        const auto &expected = reference::values()["sq"]["normal_eq_x"];
        QCOMPARE(expected.size(), std::size_t(8));
        for (Index j = 0; j < 8; ++j)
            QVERIFY(std::abs(x[j] / expected[static_cast<std::size_t>(j)].get<double>() - 1) <= 1e-9);
    }

    void leverageScoresAgreeWithReference()
    {
        const ProblemPtr problem = reference::sq();
        const Eigen::MatrixXd A = denseOf(*problem) / std::sqrt(60.0);
        TallQr qr;
        qr.begin(60, 8);
        for (Index i = 0; i < 60; ++i)
            for (Index j = 0; j < 8; ++j)
                qr.row(i)[j] = A(i, j);
        while (!qr.tick()) { }
        std::vector<double> scores(60);
        leverageScores(*problem, qr, 0, 60, scores.data());
        const auto &expected = reference::values()["sq"]["leverage_scores_first5"];
        QCOMPARE(expected.size(), std::size_t(5));
        for (std::size_t i = 0; i < expected.size(); ++i)
            QVERIFY(std::abs(scores[i] / expected[i].get<double>() - 1) <= 1e-9);
        double sum = 0;
        for (const double score : scores)
            sum += score;
        QVERIFY(std::abs(sum - 8) <= 1e-12 * 8); // the trace of a projection onto 8 dimensions
    }

    void kaczmarzFollowsReference_data()
    {
        QTest::addColumn<QString>("method");
        QTest::addColumn<QString>("key");
        QTest::newRow("plain") << "kaczmarz"
                               << "kaczmarz_cyclic_dist_to_xtrue";
        QTest::newRow("accelerated") << "accelerated-kaczmarz"
                                     << "acc_kaczmarz_cyclic_dist";
    }
    void kaczmarzFollowsReference()
    {
        QFETCH(QString, method);
        QFETCH(QString, key);
        const auto &values = reference::values()["consistent"];
        const ProblemPtr problem = reference::consistent();
        ParamSet params;
        params.set("order", std::string("cyclic"));
        params.set("l", values["lambda_min_unit_rows"].get<double>());
        const auto solver = started(problem, method.toStdString(), params);
        Vector xTrue(6);
        for (Index j = 0; j < 6; ++j)
            xTrue[j] = values["xtrue"][static_cast<std::size_t>(j)].get<double>();
        Vector x;
        const auto &expected = values[key.toStdString()];
        QVERIFY(expected.size() > 1);
        for (std::size_t stage = 0; stage < expected.size(); ++stage) {
            if (stage > 0)
                finishStage(*solver);
            solver->point(x);
            QVERIFY(std::abs((x - xTrue).norm() / expected[stage].get<double>() - 1) <= 1e-9);
        }
    }

    void kaczmarzSolvesConsistentSystems_data()
    {
        QTest::addColumn<QString>("method");
        QTest::addColumn<int>("storage");
        for (const char *method : {"kaczmarz", "accelerated-kaczmarz"})
            for (const Storage storage : {Storage::Double, Storage::SparseDouble})
                QTest::addRow("%s, storage %d", method, static_cast<int>(storage))
                    << method << static_cast<int>(storage);
    }
    void kaczmarzSolvesConsistentSystems()
    {
        QFETCH(QString, method);
        QFETCH(int, storage);
        const ProblemPtr problem = reference::consistent(static_cast<Storage>(storage));
        const auto solver = started(problem, method.toStdString());
        for (int stage = 0; stage < 400; ++stage)
            finishStage(*solver);
        Vector x;
        solver->point(x);
        QVERIFY(problem->objective(x) <= 1e-24);
        QVERIFY(solver->warning().empty());
    }

    void kaczmarzSolvesASingleEquation_data()
    {
        QTest::addColumn<QString>("method");
        QTest::addColumn<int>("columns");
        for (const char *method : {"kaczmarz", "accelerated-kaczmarz"})
            for (const int columns : {1, 3})
                QTest::addRow("%s, %d", method, columns) << method << columns;
    }
    void kaczmarzSolvesASingleEquation()
    {
        QFETCH(QString, method);
        QFETCH(int, columns);
        const Eigen::MatrixXd A = Eigen::RowVectorXd::LinSpaced(columns, 0.5, 2);
        const ProblemPtr problem = reference::problem(
            reference::dataset("one", A, Eigen::VectorXd::Constant(1, 3), TargetKind::Real), "squared", 0);
        const auto solver = started(problem, method.toStdString());
        for (int stage = 0; stage < 5; ++stage)
            finishStage(*solver);
        Vector x;
        solver->point(x);
        QVERIFY2(problem->objective(x) <= 1e-28, qPrintable(QString::number(problem->objective(x))));
    }

    void kaczmarzIsPatientWithSlowSystems_data()
    {
        QTest::addColumn<QString>("method");
        QTest::newRow("plain") << "kaczmarz";
        QTest::newRow("accelerated") << "accelerated-kaczmarz";
    }
    void kaczmarzIsPatientWithSlowSystems()
    {
        QFETCH(QString, method);
        // Two columns that are nearly the same: condition number about 1e4, and a solution.
        Eigen::MatrixXd A(40, 2);
        for (int i = 0; i < 40; ++i) {
            A(i, 0) = 1 + 0.1 * std::sin(i);
            A(i, 1) = A(i, 0) + 2e-4 * std::cos(3.0 * i);
        }
        const Eigen::VectorXd b = A * Eigen::Vector2d(1, -1);
        const ProblemPtr problem =
            reference::problem(reference::dataset("slow", A, b, TargetKind::Real, Storage::Double), "squared", 0);
        QVERIFY(problem->constants()->mu > 0);
        const auto solver = started(problem, method.toStdString());
        for (int stage = 0; stage < 200; ++stage)
            finishStage(*solver);
        Vector x;
        solver->point(x);
        QVERIFY((x - Vector(Eigen::Vector2d(1, -1))).norm() > 0.1); // it is slow indeed
        QCOMPARE(solver->warning(), std::string());
    }

    void swingsOfMomentumAreNoMissingSolution()
    {
        DataRecipe recipe;
        recipe.source = "consistent:condition=1e4";
        recipe.precision = Precision::Double;
        const ProblemPtr problem = reference::problem(loadDataset(recipe).value(), "squared");
        const auto solver = started(problem, "accelerated-kaczmarz");
        for (int stage = 0; stage < 300; ++stage) {
            finishStage(*solver);
            QCOMPARE(solver->warning(), std::string());
        }
    }

    void kaczmarzSaysThatASystemHasNoSolution_data()
    {
        QTest::addColumn<QString>("method");
        QTest::newRow("plain") << "kaczmarz";
        QTest::newRow("accelerated") << "accelerated-kaczmarz";
    }
    void kaczmarzSaysThatASystemHasNoSolution()
    {
        QFETCH(QString, method);
        const auto solver = started(reference::sq(), method.toStdString());
        for (int stage = 0; stage < 200; ++stage)
            finishStage(*solver);
        QVERIFY(solver->warning().find("no solution") != std::string::npos);
    }

    void whatCannotBeSolvedFails_data()
    {
        QTest::addColumn<QString>("method");
        QTest::addColumn<double>("entry");
        QTest::newRow("normal equations, nothing but zeros") << "normal-equations" << 0.0;
        for (const char *method : {"normal-equations", "osnap", "row-sampling"})
            QTest::addRow("%s, not finite", method) << method << std::numeric_limits<double>::infinity();
    }
    void whatCannotBeSolvedFails()
    {
        QFETCH(QString, method);
        QFETCH(double, entry);
        const Eigen::MatrixXd A = Eigen::MatrixXd::Constant(20, 3, entry);
        const ProblemPtr problem =
            reference::problem(reference::dataset("made", A, Vector::Ones(20), TargetKind::Real), "squared");
        const auto solver = started(problem, method.toStdString());
        Method::State state = Method::State::StageEnd;
        for (int stage = 0; stage < 100 && state == Method::State::StageEnd; ++stage)
            state = finishStage(*solver);
        QCOMPARE(state, Method::State::Failed);
        QVERIFY2(solver->message().find("not finite") != std::string::npos, solver->message().c_str());
    }

    void sketchesMakeTheConditionHarmless_data()
    {
        QTest::addColumn<QString>("method");
        QTest::addColumn<int>("iterations");
        QTest::newRow("osnap") << "osnap" << 36;
        QTest::newRow("row-sampling") << "row-sampling" << 21;
    }
    void sketchesMakeTheConditionHarmless()
    {
        QFETCH(QString, method);
        QFETCH(int, iterations);
        const ProblemPtr problem = illConditioned(5000, 40, 4e5);
        const double fOpt = optimalValue(*problem);
        const int stages = stagesTo(problem, method.toStdString(), fOpt, 2e-15 * fOpt);
        qInfo("%d iterations", stages);
        QVERIFY(stages <= iterations + 4);
    }

    void reachesTheOptimum_data()
    {
        QTest::addColumn<QString>("method");
        QTest::addColumn<Index>("d");
        QTest::addColumn<double>("ridge");
        QTest::addColumn<int>("storage");
        for (const char *method : {"normal-equations", "row-sampling", "osnap"})
            for (const Index d : {Index{5}, Index{90}, Index{150}})
                for (const double ridge : {0.0, 1e-3})
                    for (const Storage storage : {Storage::Double, Storage::SparseSingle})
                        QTest::addRow("%s, d = %d, ridge %g, storage %d", method, static_cast<int>(d), ridge,
                                      static_cast<int>(storage))
                            << method << d << ridge << static_cast<int>(storage);
    }
    void reachesTheOptimum()
    {
        QFETCH(QString, method);
        QFETCH(Index, d);
        QFETCH(double, ridge);
        QFETCH(int, storage);
        const ProblemPtr problem = illConditioned(900, d, 1e3, ridge, static_cast<Storage>(storage));
        Vector expected;
        const double fOpt = optimalValue(*problem, &expected);
        const auto solver = started(problem, method.toStdString());
        int stages = 0;
        while (finishStage(*solver) != Method::State::Done)
            QVERIFY(++stages < 300);
        Vector x;
        solver->point(x);
        QVERIFY(problem->objective(x) - fOpt <= 1e-13 * fOpt);
        QVERIFY((x - expected).norm() <= 1e-7 * expected.norm());
    }

    void normalEquationsSurviveDependentColumns()
    {
        Eigen::MatrixXd A = denseOf(*reference::sq());
        A.col(3) = A.col(1) - 2 * A.col(2);
        A.col(5).setZero();
        const Vector b = Eigen::Map<const Vector>(reference::sq()->targets().data(), 60);
        const ProblemPtr problem =
            reference::problem(reference::dataset("dependent", A, b, TargetKind::Real), "squared");
        const double fOpt = optimalValue(*problem);
        for (const char *id : {"normal-equations", "row-sampling", "osnap"}) {
            const auto solver = started(problem, id);
            int stages = 0;
            while (finishStage(*solver) != Method::State::Done)
                QVERIFY(++stages < 300);
            Vector x;
            solver->point(x);
            QVERIFY2(problem->objective(x) - fOpt <= 1e-12 * fOpt, id);
        }
    }

    void copiesGoOnIdentically_data()
    {
        QTest::addColumn<QString>("method");
        for (const char *method : {"normal-equations", "row-sampling", "osnap", "kaczmarz", "accelerated-kaczmarz"})
            QTest::newRow(method) << method;
    }
    void copiesGoOnIdentically()
    {
        QFETCH(QString, method);
        const ProblemPtr problem = illConditioned(300, 30, 10);
        const auto whole = started(problem, method.toStdString());
        auto parts = started(problem, method.toStdString());
        Vector x, y;
        for (int stage = 0; stage < 4; ++stage) {
            const auto state = finishStage(*whole);
            auto partial = Method::State::More;
            while (partial == Method::State::More) {
                Slice one = Slice::ticks(1);
                partial = parts->advance(one);
                parts->point(y);
                parts = parts->clone();
            }
            QVERIFY(state == partial);
            whole->point(x);
            parts->point(y);
            QCOMPARE(y, x);
            QVERIFY(whole->cost() == parts->cost());
        }
    }

    void saysWhyNot()
    {
        for (const char *id : {"normal-equations", "row-sampling", "osnap", "kaczmarz", "accelerated-kaczmarz"}) {
            QVERIFY2(whyNot(*reference::sq(), id, "").empty(), id);
            QVERIFY2(whyNot(*reference::logi(), id, "").find("squared loss") != std::string::npos, id);
        }
        QVERIFY(whyNot(*reference::sq(Storage::Double, 0.1), "kaczmarz", "").find("ridge") != std::string::npos);
        QVERIFY(whyNot(*reference::sq(Storage::Double, 0.1), "osnap", "").empty());
    }
};

QTEST_GUILESS_MAIN(TestLeastSquares)
#include "tst_least_squares.moc"
