#include "ReferenceProblems.h"

#include <QTest>

#include <bit>
#include <random>

using namespace appa;
using reference::Storage;

namespace {

Vector atPoint(Index d)
{
    return Vector::LinSpaced(d, 0.1, 0.1 * static_cast<double>(d));
}

bool close(double a, double b, double relative = 1e-9)
{
    return std::abs(a - b) <= relative * std::max({std::abs(a), std::abs(b), 1e-300});
}

/// n x d with a third of zeros, values that float32 holds exactly, and targets that fit the loss.
ProblemPtr randomProblem(std::string_view loss, Storage storage, double ridge, Index n = 211, Index d = 13)
{
    std::mt19937_64 random(7);
    Eigen::MatrixXd A(n, d);
    Eigen::VectorXd b(n);
    for (Index i = 0; i < n; ++i) {
        for (Index j = 0; j < d; ++j) {
            const auto v = static_cast<double>(random() % 4096) / 2048 - 1;
            A(i, j) = random() % 3 == 0 ? 0 : v;
        }
        b[i] = loss == "softmax" ? static_cast<double>(random() % 4)
            : loss == "squared"  ? A(i, 0) + 0.25
            : random() % 2       ? 1
                                 : -1;
    }
    if (loss == "softmax")
        b[0] = 3;
    const auto kind = loss == "softmax" ? TargetKind::Classes
        : loss == "squared"             ? TargetKind::Real
                                        : TargetKind::Binary;
    const Index m = n / 4;
    return reference::problem(reference::dataset("random", A, b, kind, storage, A.topRows(m) * 0.5, b.head(m)), loss,
                              ridge);
}

void eachLoss()
{
    QTest::addColumn<QString>("loss");
    for (const auto &info : losses())
        QTest::newRow(std::string(info.id).c_str()) << QString::fromStdString(std::string(info.id));
}

} // namespace

class TestProblem : public QObject
{
    Q_OBJECT

private slots:
    void reproducesReferenceDuality_data()
    {
        QTest::addColumn<QString>("name");
        QTest::newRow("sq") << "sq";
        QTest::newRow("logi") << "logi";
    }
    void reproducesReferenceDuality()
    {
        QFETCH(QString, name);
        const auto p = name == "sq" ? reference::sq() : reference::logi();
        const auto &all = reference::values()[name.toStdString()];
        const auto &v = all["duality_at"];
        const Index d = p->d();
        const double lam = v["lam"];
        const Vector x = atPoint(d);
        Vector s(d);
        for (Index j = 1; j <= d; ++j)
            s[j - 1] = j % 2 ? -0.05 : 0.05;

        Vector grad;
        const double F = p->gradient(x, grad);
        QVERIFY(close(p->objective(Vector::Zero(d)), all["F0"]));
        QVERIFY(close(p->curvature(), all["L"]));
        QVERIFY(close(p->radius(), all["R"]));
        QVERIFY(close(F, v["F(x)"]));
        QVERIFY(close(grad.norm(), v["|gradF(x)|"]));
        const double f = F + 0.5 * lam * (x - s).squaredNorm();
        QVERIFY(close(f, v["f_s(x)"]));

        std::vector<double> m;
        p->margins(x, m);
        Vector y(p->n());
        double conjugates = 0;
        std::visit(
            [&](const auto &loss) {
                if constexpr (std::decay_t<decltype(loss)>::hasDual)
                    for (Index i = 0; i < p->n(); ++i) {
                        const auto k = static_cast<std::size_t>(i);
                        y[i] = loss.derivative(m[k], p->targets()[k]);
                        conjugates += loss.conjugate(y[i], p->targets()[k]);
                    }
            },
            p->loss());
        for (int i = 0; i < 3; ++i)
            QVERIFY(close(y[i], v["yhat_first3"][static_cast<std::size_t>(i)]));
        const Vector aty = grad; // gamma = 0
        const double g = conjugates + aty.squaredNorm() / (2 * lam) - s.dot(aty);
        QVERIFY(close(g, v["g_s(yhat(x))"]));
        QVERIFY(close(f + g, v["gap(x,yhat(x))"]));
        const Vector xHat = s - aty / lam;
        for (Index j = 0; j < d; ++j)
            QVERIFY(close(xHat[j], v["xhat(yhat(x))"][static_cast<std::size_t>(j)]));

        const Problem::DualPoint dual{y, lam};
        const auto measured = p->measure(xHat, &dual);
        QVERIFY(measured.gap.has_value());
        QVERIFY(close(*measured.gap, v["gap(xhat(y),y)_at_y=yhat(x)"]));
        QVERIFY(close(*measured.gap, measured.loss + 0.5 * lam * (xHat - s).squaredNorm() + g));
    }

    void gradientMatchesFiniteDifferences_data() { eachLoss(); }
    void gradientMatchesFiniteDifferences()
    {
        QFETCH(QString, loss);
        for (const auto storage : {Storage::Double, Storage::Single, Storage::SparseDouble, Storage::SparseSingle}) {
            const auto p = randomProblem(loss.toStdString(), storage, 0.3);
            const Vector x = Vector::Random(p->dim()) * 0.5;
            Vector grad;
            const double F = p->gradient(x, grad);
            QCOMPARE(F, p->objective(x));
            const double h = 1e-5;
            for (Index j = 0; j < p->dim(); ++j) {
                Vector up = x, down = x;
                up[j] += h;
                down[j] -= h;
                QVERIFY(std::abs((p->objective(up) - p->objective(down)) / (2 * h) - grad[j]) < 1e-8);
            }
        }
    }

    void storagesAgree_data() { eachLoss(); }
    void storagesAgree()
    {
        QFETCH(QString, loss);
        const auto exact = randomProblem(loss.toStdString(), Storage::Double, 0.01);
        const Vector x = Vector::Random(exact->dim());
        Vector grad, other;
        const double F = exact->gradient(x, grad);
        for (const auto storage : {Storage::Single, Storage::SparseDouble, Storage::SparseSingle}) {
            const auto p = randomProblem(loss.toStdString(), storage, 0.01);
            QVERIFY(close(p->gradient(x, other), F, 1e-14));
            QVERIFY((other - grad).norm() <= 1e-14 * (1 + grad.norm()));
            QCOMPARE(p->testError(x), exact->testError(x));
            QVERIFY(close(p->radius(), exact->radius(), 1e-15));
        }
    }

    void threadsDoNotChangeBits_data() { eachLoss(); }
    void threadsDoNotChangeBits()
    {
        QFETCH(QString, loss);
        for (const auto storage : {Storage::Single, Storage::SparseDouble}) {
            const auto p = randomProblem(loss.toStdString(), storage, 0.1, 3001, 17);
            const Vector x = Vector::Random(p->dim());
            Vector grad, other;
            std::vector<double> m, otherM;
            const double F = p->gradient(x, grad, 1);
            p->margins(x, m, 1);
            const auto measured = p->measure(x, nullptr, 1);
            for (const int threads : {2, 3, 7, 64}) {
                QCOMPARE(std::bit_cast<quint64>(p->gradient(x, other, threads)), std::bit_cast<quint64>(F));
                QVERIFY(std::equal(grad.begin(), grad.end(), other.begin()));
                p->margins(x, otherM, threads);
                QVERIFY(m == otherM);
                const auto again = p->measure(x, nullptr, threads);
                QCOMPARE(again.loss, measured.loss);
                QCOMPARE(again.testError, measured.testError);
            }
        }
    }

    void sumsSurviveCancellation()
    {
        // One row of loss 1e16 beside 1000 of loss 1: their sum is exact only if the small ones are not lost.
        const Index n = 1001;
        Eigen::MatrixXd A = Eigen::MatrixXd::Zero(n, 1);
        Eigen::VectorXd b = Eigen::VectorXd::Constant(n, std::sqrt(2.0));
        b[0] = std::sqrt(2e16);
        const auto p = reference::problem(reference::dataset("sum", A, b, TargetKind::Real), "squared");
        QVERIFY(close(p->objective(Vector::Zero(1)) * static_cast<double>(n), 1e16 + 1000, 3e-16));
    }

    void testErrorCountsWhatIsMisclassified()
    {
        Eigen::MatrixXd A(4, 1), testA(4, 1);
        A << 1, 2, 3, 4;
        testA << 1, -1, 2, -2;
        Eigen::VectorXd b(4), testB(4);
        b << 1, -1, 1, -1;
        testB << 1, -1, -1, -1;
        const auto p = reference::problem(
            reference::dataset("signs", A, b, TargetKind::Binary, Storage::Double, testA, testB), "logistic");
        QCOMPARE(p->testError(Vector::Constant(1, 1.0)), 0.25);
        QCOMPARE(p->testError(Vector::Constant(1, -1.0)), 0.75);
        const auto real = reference::problem(
            reference::dataset("real", A, b, TargetKind::Real, Storage::Double, testA, testB), "squared");
        QCOMPARE(real->testError(Vector::Constant(1, 1.0)), 10.0 / 4);
        QVERIFY(std::isnan(reference::sq()->testError(Vector::Zero(8))));
    }

    void cancelledMeasurementReturns()
    {
        std::stop_source source;
        source.request_stop();
        const auto p = randomProblem("logistic", Storage::Single, 0);
        QVERIFY(!p->measure(Vector::Zero(p->dim()), nullptr, 2, source.get_token()).gap);
    }

    void refusesLossesThatDoNotFit()
    {
        const auto classes = randomProblem("softmax", Storage::Double, 0);
        const auto binary = randomProblem("logistic", Storage::Double, 0);
        const auto real = randomProblem("squared", Storage::Double, 0);
        QVERIFY(Problem::whyNot(classes->data(), classes->loss(), 0).empty());
        QVERIFY(Problem::whyNot(binary->data(), binary->loss(), 0.5).empty());
        QVERIFY(Problem::whyNot(binary->data(), real->loss(), 0).empty());
        QVERIFY(!Problem::whyNot(real->data(), binary->loss(), 0).empty());
        QVERIFY(!Problem::whyNot(binary->data(), classes->loss(), 0).empty());
        QVERIFY(!Problem::whyNot(classes->data(), binary->loss(), 0).empty());
        QVERIFY(!Problem::whyNot(real->data(), real->loss(), -1).empty());
        QVERIFY(!Problem::whyNot(real->data(), real->loss(), std::nan("")).empty());
        QVERIFY(!Problem::whyNot(Dataset{}, real->loss(), 0).empty());
        QVERIFY(!Problem::whyNot(classes->data(), makeLoss("softmax", 10, 7).value(), 0).empty());
    }
};

QTEST_GUILESS_MAIN(TestProblem)
#include "tst_problem.moc"
