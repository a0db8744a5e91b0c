#include "ReferenceProblems.h"

#include "methods/HessianCg.h"
#include "methods/Registry.h"

#include <Eigen/Cholesky>
#include <QTest>

#include <cmath>
#include <random>

using namespace appa;
using reference::Storage;

namespace {

constexpr Index manyTicks = 2'000'000;

/// Rows with a few non-zeros out of d, targets that fit the loss.
ProblemPtr randomProblem(std::string_view loss, Index n, Index d, Storage storage, double ridge, double zeros = 0.3)
{
    std::mt19937_64 random(11);
    const auto uniform = [&random] { return static_cast<double>(random() >> 11) * 0x1p-53; };
    Eigen::MatrixXd A(n, d);
    Eigen::VectorXd b(n);
    for (Index i = 0; i < n; ++i) {
        for (Index j = 0; j < d; ++j) {
            const bool zero = uniform() < zeros;
            const double value = static_cast<float>(2 * uniform() - 1);
            A(i, j) = zero ? 0 : value;
        }
        b[i] = loss == "softmax" ? static_cast<double>(i % 3)
            : loss == "squared"  ? 3 * uniform()
            : uniform() < 0.4    ? 1
                                 : -1;
    }
    const auto kind = loss == "softmax" ? TargetKind::Classes
        : loss == "squared"             ? TargetKind::Real
                                        : TargetKind::Binary;
    return reference::problem(reference::dataset("random", A, b, kind, storage), loss, ridge);
}

std::unique_ptr<InnerSolver> solver(const ProblemPtr &problem)
{
    return findInner("exact")->make(problem, {});
}

Vector run(InnerSolver &exact, const Subproblem &sub, const Vector &start, Cost &cost)
{
    Handover from;
    from.x = start;
    exact.begin(sub, from);
    IndexStream stream;
    for (Index t = 0; t < manyTicks && !exact.finished(); ++t)
        exact.tick(1'000'000, stream, cost);
    Vector x;
    exact.point(x);
    return x;
}

/// |grad f_{s,lambda}(x)|
double gradientNorm(const Problem &problem, const Subproblem &sub, const Vector &x)
{
    Vector g;
    problem.gradient(x, g);
    return (g + sub.lambda * (x - sub.centre)).norm();
}

} // namespace

class TestExact : public QObject
{
    Q_OBJECT

private slots:
    void solvesToRounding_data()
    {
        QTest::addColumn<QString>("loss");
        QTest::addColumn<int>("storage");
        QTest::addColumn<double>("lambda");
        QTest::addColumn<double>("ridge");
        for (const auto &info : losses())
            for (const Storage storage :
                 {Storage::Double, Storage::Single, Storage::SparseDouble, Storage::SparseSingle})
                for (const double lambda : {1e-6, 1e-2, 10.0})
                    QTest::addRow("%s, storage %d, lambda %g", std::string(info.id).c_str(), static_cast<int>(storage),
                                  lambda)
                        << QString::fromStdString(std::string(info.id)) << static_cast<int>(storage) << lambda
                        << (lambda > 1e-3 ? 0.0 : 1e-4);
    }
    void solvesToRounding()
    {
        QFETCH(QString, loss);
        QFETCH(int, storage);
        QFETCH(double, lambda);
        QFETCH(double, ridge);
        const ProblemPtr problem = randomProblem(loss.toStdString(), 300, 24, static_cast<Storage>(storage), ridge);
        const Subproblem sub{lambda, Vector::Constant(problem->dim(), 0.3)};
        const auto exact = solver(problem);
        Cost cost;
        const Vector x = run(*exact, sub, Vector::Zero(problem->dim()), cost);
        QVERIFY(exact->finished());
        QVERIFY2(exact->message().empty(), exact->message().c_str());
        Vector g;
        problem->gradient(Vector::Zero(problem->dim()), g);
        const double scale = problem->curvature() * problem->radius() * 300 + lambda * x.norm();
        const double norm = gradientNorm(*problem, sub, x);
        QVERIFY2(norm <= 1e-14 * scale, qPrintable(QString::number(norm / scale)));
    }

    void agreesWithNewtonCgOnWideProblems_data()
    {
        QTest::addColumn<QString>("loss");
        for (const auto &info : losses())
            QTest::newRow(std::string(info.id).c_str()) << QString::fromStdString(std::string(info.id));
    }
    void agreesWithNewtonCgOnWideProblems()
    {
        QFETCH(QString, loss);
        const ProblemPtr problem = randomProblem(loss.toStdString(), 200, 1600, Storage::SparseDouble, 1e-3, 0.97);
        QVERIFY(problem->dim() > 1500);
        const Subproblem sub{1e-2, Vector::Constant(problem->dim(), -0.1)};
        const auto exact = solver(problem);
        Cost cost;
        const Vector x = run(*exact, sub, Vector::Zero(problem->dim()), cost);
        QVERIFY(exact->finished());
        QVERIFY2(exact->message().empty(), exact->message().c_str());
        const double start = gradientNorm(*problem, sub, Vector::Zero(problem->dim()));
        const double end = gradientNorm(*problem, sub, x);
        QVERIFY2(end <= 1e-13 * start, qPrintable(QString::number(end / start)));
    }

    void agreesWithCholeskyOnLeastSquares()
    {
        const ProblemPtr problem = reference::sq();
        const Subproblem sub{0.1, Vector::LinSpaced(8, -1, 1)};
        Eigen::MatrixXd A(60, 8);
        for (Index i = 0; i < 60; ++i)
            for (Index j = 0; j < 8; ++j)
                A(i, j) = std::get<DenseMatrix<double>>(problem->data().train.features).row(i)[j];
        const Vector b = Eigen::Map<const Vector>(problem->targets().data(), 60);
        const Eigen::MatrixXd H = A.transpose() * A / 60 + 0.1 * Eigen::MatrixXd::Identity(8, 8);
        const Vector expected = H.llt().solve(A.transpose() * b / 60 + 0.1 * sub.centre);
        Cost cost;
        QVERIFY((run(*solver(problem), sub, Vector::Zero(8), cost) - expected).norm() <= 1e-14 * expected.norm());
    }

    void reusesGramAndFactorOverStages()
    {
        const ProblemPtr problem = randomProblem("squared", 500, 40, Storage::Double, 0);
        const auto exact = solver(problem);
        Cost first;
        Vector x = run(*exact, {0.1, Vector::Zero(40)}, Vector::Zero(40), first);
        Cost second;
        run(*exact, {0.1, x}, x, second);
        QCOMPARE(first.accesses % 500, 0);
        QVERIFY(second.accesses <= first.accesses - 500); // no Gram
        Cost shifted;
        run(*exact, {0.01, x}, x, shifted);
        QVERIFY(shifted.accesses <= first.accesses - 500);
    }

    void copiesGoOnIdentically()
    {
        const ProblemPtr problem = randomProblem("logistic", 300, 20, Storage::Single, 1e-3);
        const auto whole = solver(problem);
        Cost cost;
        const Vector expected = run(*whole, {1e-2, Vector::Zero(20)}, Vector::Zero(20), cost);

        auto exact = solver(problem);
        Handover from;
        from.x = Vector::Zero(20);
        exact->begin({1e-2, Vector::Zero(20)}, from);
        IndexStream stream;
        Cost parts;
        Vector x;
        while (!exact->finished()) {
            exact->tick(7, stream, parts);
            exact->point(x);
            exact = exact->clone();
        }
        exact->point(x);
        QCOMPARE(x, expected);
        QVERIFY(parts == cost);
    }

    void endsOnNumbersThatAreNotFinite()
    {
        const ProblemPtr problem = randomProblem("logistic", 50, 5, Storage::Double, 0);
        const auto exact = solver(problem);
        Cost cost;
        run(*exact, {1e-2, Vector::Zero(5)}, Vector::Constant(5, std::numeric_limits<double>::quiet_NaN()), cost);
        QVERIFY(exact->finished());
        QVERIFY(!exact->message().empty());
    }

    void aHingeThatCanBeSeparatedEndsAtRounding_data()
    {
        QTest::addColumn<int>("rows");
        QTest::addColumn<int>("columns");
        QTest::addColumn<double>("lambda");
        for (const auto &[rows, columns] : {std::pair{1, 1}, {2, 1}, {1, 3}, {3, 7}, {30, 4}, {200, 6}})
            for (const double lambda : {1e-3, 1e-8, 1e-10, 1e-12, 1e-14, 1e-16})
                QTest::addRow("%d x %d, lambda %g", rows, columns, lambda) << rows << columns << lambda;
    }
    void aHingeThatCanBeSeparatedEndsAtRounding()
    {
        QFETCH(int, rows);
        QFETCH(int, columns);
        QFETCH(double, lambda);
        // The smaller lambda, the nearer its solution comes to the kinks at margin 1, in the end to the last bit.
        const ProblemPtr some = randomProblem("smoothed-hinge", rows, columns, Storage::Double, 0);
        Eigen::MatrixXd A(rows, columns);
        Eigen::VectorXd b(rows);
        for (Index i = 0; i < rows; ++i) {
            for (Index j = 0; j < columns; ++j)
                A(i, j) = std::get<DenseMatrix<double>>(some->data().train.features).row(i)[j];
            b[i] = A(i, 0) > 0 ? 1 : -1;
        }
        const ProblemPtr problem =
            reference::problem(reference::dataset("separable", A, b, TargetKind::Binary), "smoothed-hinge", 0);
        const Subproblem sub{lambda, Vector::Zero(columns)};
        const auto exact = solver(problem);
        Cost cost;
        const Vector x = run(*exact, sub, sub.centre, cost);
        QVERIFY(exact->finished());
        QVERIFY2(exact->message().empty(), exact->message().c_str());
        // Of the terms, and of what the margins' rounding brings into them.
        const double R = problem->radius();
        const double scale = problem->curvature() * R * (1 + R * x.norm()) * rows + lambda * x.norm();
        QVERIFY2(gradientNorm(*problem, sub, x) <= 1e-14 * scale,
                 qPrintable(QString::number(gradientNorm(*problem, sub, x) / scale)));
    }

    void conjugateGradientsKeepSmallSolutions()
    {
        // A column of such numbers has steps of 2^-90; then comes a direction that no row sees.
        const double scale = 0x1p45, part = 0x1p-10;
        const Eigen::MatrixXd A = Eigen::MatrixXd::Constant(1, 2, scale);
        const auto problem = reference::problem(
            reference::dataset("large", A, Eigen::VectorXd::Zero(1), TargetKind::Real, Storage::Double), "squared");
        HessianCg cg;
        cg.begin(*problem, Vector{{1 + part, 1 - part}}, 0, {.tolerance = 1e-8, .most = 10});
        auto state = HessianCg::State::More;
        Cost cost;
        for (int k = 0; k < 100 && state == HessianCg::State::More; ++k)
            state = cg.tick(*problem, {1.0}, cost);
        QCOMPARE(state, HessianCg::State::Found);
        QCOMPARE(cg.solution().sum() * scale * scale, 1 + part * part);
    }

    void survivesFarStarts()
    {
        const ProblemPtr problem = randomProblem("logistic", 100, 8, Storage::Double, 0);
        const Subproblem sub{1e-3, Vector::Zero(8)};
        Cost cost;
        const Vector x = run(*solver(problem), sub, Vector::Zero(8), cost);
        const Vector far = run(*solver(problem), sub, Vector::Constant(8, 1e4), cost);
        QVERIFY((x - far).norm() <= 1e-10 * x.norm());
    }
};

QTEST_GUILESS_MAIN(TestExact)
#include "tst_exact.moc"
