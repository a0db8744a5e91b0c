#include "ReferenceProblems.h"

#include "methods/Registry.h"

#include <QTest>

#include <cmath>
#include <random>

using namespace appa;
using reference::Storage;

namespace {

/// Sparse rows over columns some of which are rarely (or never) touched; values that float32 holds.
ProblemPtr sparseProblem(std::string_view loss, Storage storage, double ridge, Index n = 120, Index d = 60)
{
    std::mt19937_64 random(3);
    const auto uniform = [&random] { return static_cast<double>(random() >> 11) * 0x1p-53; };
    Eigen::MatrixXd A = Eigen::MatrixXd::Zero(n, d);
    Eigen::VectorXd b(n);
    for (Index i = 0; i < n; ++i) {
        for (int k = 0; k < 5; ++k) {
            const auto j =
                static_cast<Index>(std::pow(uniform(), 3) * static_cast<double>(d - 1)); // the last is never touched
            A(i, j) = static_cast<float>(2 * uniform() - 1);
        }
        b[i] = loss == "softmax" ? static_cast<double>(i % 3)
            : loss == "squared"  ? 2 * uniform() - 1
            : uniform() < 0.5    ? 1
                                 : -1;
    }
    const auto kind = loss == "softmax" ? TargetKind::Classes
        : loss == "squared"             ? TargetKind::Real
                                        : TargetKind::Binary;
    return reference::problem(reference::dataset("sparse", A, b, kind, storage), loss, ridge);
}

std::unique_ptr<Method> started(const ProblemPtr &problem, std::string_view id, const ParamSet &params,
                                const Vector &x0)
{
    auto method = findMethod(id)->make(problem, "", params);
    Handover from;
    from.x = x0;
    method->start(from, IndexStream::baseOf(4));
    return method;
}

double difference(const Vector &a, const Vector &b)
{
    return (a - b).norm() / std::max(b.norm(), 1e-300);
}

constexpr std::uint64_t seed = 9;

} // namespace

class TestLazy : public QObject
{
    Q_OBJECT

private slots:
    void sparseAloneEqualsDense_data()
    {
        QTest::addColumn<QString>("method");
        QTest::addColumn<QString>("loss");
        QTest::addColumn<double>("ridge");
        for (const char *method : {"sgd", "svrg", "sag", "saga", "gd", "agd"})
            for (const char *loss : {"squared", "logistic", "smoothed-hinge", "softmax"})
                for (const double ridge : {0.0, 1e-3, 0.3})
                    QTest::addRow("%s, %s, ridge %g", method, loss, ridge) << method << loss << ridge;
    }
    void sparseAloneEqualsDense()
    {
        QFETCH(QString, method);
        QFETCH(QString, loss);
        QFETCH(double, ridge);
        const ProblemPtr dense = sparseProblem(loss.toStdString(), Storage::Double, ridge);
        const ProblemPtr sparse = sparseProblem(loss.toStdString(), Storage::SparseSingle, ridge);
        ParamSet params;
        params.set("lambda", 0.05);
        params.set("mu", 1e-2);
        const Vector x0 = Vector::LinSpaced(dense->dim(), -1, 1);
        const auto a = started(dense, method.toStdString(), params, x0);
        const auto b = started(sparse, method.toStdString(), params, x0);
        Vector x, y;
        for (int stage = 0; stage < 40; ++stage) { // 4800 steps
            Slice unlimited = Slice::ticks(1'000'000);
            a->advance(unlimited);
            b->advance(unlimited);
            a->point(x);
            b->point(y);
            QVERIFY2(difference(y, x) <= 1e-12, qPrintable(QString::number(difference(y, x))));
        }
        QVERIFY(a->cost() == b->cost() || method == "gd" || method == "agd");
    }

    void sparseSubproblemEqualsDense_data()
    {
        QTest::addColumn<QString>("inner");
        QTest::addColumn<QString>("loss");
        QTest::addColumn<double>("lambda");
        QTest::addColumn<double>("ridge");
        for (const char *inner : {"svrg", "agd"})
            for (const char *loss : {"squared", "logistic", "softmax"})
                for (const double lambda : {1e-3, 0.5})
                    for (const double ridge : {0.0, 0.1})
                        QTest::addRow("%s, %s, lambda %g, ridge %g", inner, loss, lambda, ridge)
                            << inner << loss << lambda << ridge;
    }
    void sparseSubproblemEqualsDense()
    {
        QFETCH(QString, inner);
        QFETCH(QString, loss);
        QFETCH(double, lambda);
        QFETCH(double, ridge);
        Vector result[2];
        Index k = 0;
        for (const Storage storage : {Storage::Double, Storage::SparseDouble}) {
            const ProblemPtr problem = sparseProblem(loss.toStdString(), storage, ridge);
            const auto solver = findInner(inner.toStdString())->make(problem, {});
            Handover from;
            from.x = Vector::LinSpaced(problem->dim(), 0, 1);
            solver->begin({lambda, Vector::LinSpaced(problem->dim(), 1, -2)}, from);
            IndexStream stream(problem->n(), IndexStream::Order::Random, seed);
            stream.beginStage(0);
            Cost cost;
            while (solver->steps() < 50 * problem->n())
                solver->tick(problem->n(), stream, cost);
            solver->point(result[k++]);
        }
        QVERIFY2(difference(result[1], result[0]) <= 1e-12,
                 qPrintable(QString::number(difference(result[1], result[0]))));
    }

    void askingForThePointChangesNoBit_data()
    {
        QTest::addColumn<QString>("method");
        QTest::addColumn<int>("storage");
        for (const char *method : {"sgd", "svrg", "sag", "saga", "gd", "agd", "kaczmarz", "accelerated-kaczmarz"})
            for (const Storage storage : {Storage::Single, Storage::SparseSingle})
                QTest::addRow("%s, storage %d", method, static_cast<int>(storage))
                    << method << static_cast<int>(storage);
    }
    void askingForThePointChangesNoBit()
    {
        QFETCH(QString, method);
        QFETCH(int, storage);
        const bool system = method.contains("kaczmarz");
        const ProblemPtr problem = sparseProblem("squared", static_cast<Storage>(storage), system ? 0.0 : 0.01);
        const Vector x0 = Vector::Constant(problem->dim(), 0.5);
        const auto quiet = started(problem, method.toStdString(), {}, x0);
        auto asked = started(problem, method.toStdString(), {}, x0);
        Vector x, y;
        for (int stage = 0; stage < 10; ++stage) {
            Slice unlimited = Slice::ticks(1'000'000);
            quiet->advance(unlimited);
            auto state = Method::State::More;
            while (state == Method::State::More) {
                Slice one = Slice::ticks(1);
                state = asked->advance(one);
                asked->point(y);
                if (stage % 2)
                    asked = asked->clone();
            }
            quiet->point(x);
            asked->point(y);
            QCOMPARE(y, x);
        }
    }

    void longLagsAreCaughtUp()
    {
        // One column lies idle for 2.1 million steps: it passes the moment when all columns are brought up to date.
        Eigen::MatrixXd A = Eigen::MatrixXd::Zero(2, 2);
        A(0, 0) = 0.5;
        A(1, 0) = -0.25;
        const ProblemPtr problem = reference::problem(
            reference::dataset("idle", A, Eigen::Vector2d(1, 2), TargetKind::Real, Storage::SparseDouble), "squared",
            1e-6);
        ParamSet params;
        params.set("lambda", 0.1);
        params.set("passes", 1000.0);
        const auto method = started(problem, "saga", params, Eigen::Vector2d(0, 3));
        for (int stage = 0; stage < 1050; ++stage) {
            Slice unlimited = Slice::ticks(1'000'000);
            method->advance(unlimited);
        }
        const auto steps = static_cast<double>(method->cost().steps);
        QVERIFY(steps > 2e6);
        Vector x;
        method->point(x);
        const double expected = 3 * std::exp(steps * std::log1p(-1e-7));
        QVERIFY2(std::abs(x[1] / expected - 1) <= 1e-9, qPrintable(QString::number(x[1] / expected - 1)));
    }

    void stepThatForgetsThePointIsExact()
    {
        // eta (lambda + gamma) = 1 in the first step: x is multiplied by zero.
        const ProblemPtr problem = sparseProblem("logistic", Storage::SparseDouble, 2.0);
        ParamSet params;
        params.set("lambda", 0.5);
        const auto method = started(problem, "sgd", params, Vector::Constant(problem->dim(), 7));
        Slice unlimited = Slice::ticks(1'000'000);
        method->advance(unlimited);
        Vector x;
        method->point(x);
        QVERIFY(x.allFinite());
        QCOMPARE(x[problem->dim() - 1], 0.0);
    }

    void divergenceNeitherCrashesNorHangs_data()
    {
        QTest::addColumn<QString>("method");
        QTest::addColumn<int>("storage");
        for (const char *method : {"sgd", "svrg", "sag", "saga", "gd", "agd"})
            for (const Storage storage : {Storage::Double, Storage::SparseDouble})
                QTest::addRow("%s, storage %d", method, static_cast<int>(storage))
                    << method << static_cast<int>(storage);
    }
    void divergenceNeitherCrashesNorHangs()
    {
        QFETCH(QString, method);
        QFETCH(int, storage);
        const ProblemPtr problem = sparseProblem("squared", static_cast<Storage>(storage), 1.0);
        ParamSet params;
        params.set("lambda", 1e8);
        const auto solver = started(problem, method.toStdString(), params, Vector::Zero(problem->dim()));
        Vector x;
        bool finite = true;
        for (int stage = 0; stage < 50; ++stage) {
            Slice unlimited = Slice::ticks(1'000'000);
            QVERIFY(solver->advance(unlimited) == Method::State::StageEnd);
            solver->point(x);
            finite = finite && std::isfinite(problem->objective(x)) && problem->objective(x) < 1e6;
        }
        QVERIFY(!finite || method == "sgd");
    }

    void newStepSizeActsAtTheNextStep_data() { askingForThePointChangesNoBit_data(); }
    void newStepSizeActsAtTheNextStep()
    {
        QFETCH(QString, method);
        QFETCH(int, storage);
        if (method.contains("kaczmarz"))
            return;
        const ProblemPtr problem = sparseProblem("squared", static_cast<Storage>(storage), 0.01);
        const auto solver = started(problem, method.toStdString(), {}, Vector::Zero(problem->dim()));
        Slice some = Slice::ticks(40);
        solver->advance(some);
        Vector before, after;
        solver->point(before);
        ParamSet change;
        change.set("lambda", 1e-3);
        solver->retune(change);
        solver->point(after);
        QVERIFY(difference(after, before) <= 1e-14);
        QCOMPARE(solver->effective().real("lambda"), 1e-3);
        // The next point depends on the step size, and for small ones in proportion: x(eta) = x(0) - eta g.
        const auto nextWith = [&](double eta) {
            const auto copy = solver->clone();
            ParamSet step;
            step.set("lambda", eta);
            copy->retune(step);
            Vector x = after;
            for (int tick = 0; tick < 1000 && x == after; ++tick) {
                Slice one = Slice::ticks(1);
                copy->advance(one);
                copy->point(x);
            }
            return x;
        };
        const Vector first = nextWith(1e-6), second = nextWith(2e-6), third = nextWith(3e-6);
        QVERIFY((second - first).norm() > 0);
        if (method != "agd") // its momentum depends on the step size too
            QVERIFY2(difference(third - first, 2 * (second - first)) <= 1e-3,
                     qPrintable(QString::number(difference(third - first, 2 * (second - first)))));
    }
};

QTEST_GUILESS_MAIN(TestLazy)
#include "tst_lazy.moc"
