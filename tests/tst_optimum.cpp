#include "ReferenceProblems.h"
#include "SmallOptimum.h"

#include "base/AtomicFile.h"
#include "base/Checksum.h"
#include "data/Recipe.h"
#include "data/TransformText.h"
#include "kernels/Kernels.h"
#include "problem/Hessian.h"
#include "problem/Newton.h"
#include "problem/Optimum.h"
#include "problem/Products.h"

#include <Eigen/Dense>
#include <QTemporaryDir>
#include <QTest>

#include <filesystem>
#include <random>
#include <thread>

using namespace appa;
using reference::Storage;

namespace {

constexpr std::array storages = {Storage::Double, Storage::Single, Storage::SparseDouble, Storage::SparseSingle};

bool close(double a, double b, double relative)
{
    return std::abs(a - b) <= relative * std::max(std::abs(a), std::abs(b));
}

/// Numbers that float32 holds exactly, so that every storage gives the same problem.
Eigen::MatrixXd randomMatrix(Index n, Index d, std::uint64_t seed, unsigned zeroIn = 3)
{
    std::mt19937_64 random(seed);
    Eigen::MatrixXd A(n, d);
    for (Index i = 0; i < n; ++i)
        for (Index j = 0; j < d; ++j)
            A(i, j) = random() % zeroIn == 0 ? 0 : static_cast<double>(random() % 4096) / 2048 - 1;
    return A;
}

/// `scale`: of its first columns.
ProblemPtr noisyProblem(std::string_view loss, Storage storage, double ridge, Index n = 300, Index d = 20,
                        double scale = 1)
{
    Eigen::MatrixXd A = randomMatrix(n, d, 11);
    std::mt19937_64 random(5);
    Eigen::VectorXd b(n);
    for (Index i = 0; i < n; ++i) {
        const double z = A(i, 0) - A(i, 1) + static_cast<double>(random() % 1000) / 250 - 2;
        b[i] = loss == "squared" ? z : loss == "softmax" ? static_cast<double>(random() % 3) : z > 0 ? 1 : -1;
    }
    A.leftCols(2) *= scale;
    const auto kind = loss == "softmax" ? TargetKind::Classes
        : loss == "squared"             ? TargetKind::Real
                                        : TargetKind::Binary;
    return reference::problem(reference::dataset("noisy", A, b, kind, storage), loss, ridge);
}

/// And a column like points of time, all of them large, in units of 1/`scale`.
Eigen::MatrixXd withColumnOfTime(const Eigen::MatrixXd &A, double scale)
{
    Eigen::MatrixXd out(A.rows(), A.cols() + 1);
    std::mt19937_64 random(4);
    for (Index i = 0; i < A.rows(); ++i)
        out.row(i) << A.row(i), scale * (1 + 0.1 * static_cast<double>(random() % 1000) / 1000);
    return out;
}

/// Indicators of a word with three values, standardized: in exact arithmetic they depend on each other.
Eigen::MatrixXd standardizedIndicators(Index n)
{
    Eigen::MatrixXd A = randomMatrix(n, 5, 8);
    std::mt19937_64 random(9);
    for (Index i = 0; i < n; ++i) {
        A.row(i).head(3).setZero();
        A(i, static_cast<Index>(random() % 3)) = 1;
    }
    for (Index j = 0; j < 3; ++j) {
        A.col(j).array() -= A.col(j).mean();
        A.col(j) /= std::sqrt(A.col(j).squaredNorm() / static_cast<double>(n));
    }
    return A;
}

} // namespace

class TestOptimum : public QObject
{
    Q_OBJECT

private slots:
    void reproducesReference_data()
    {
        QTest::addColumn<QString>("name");
        QTest::newRow("sq") << "sq";
        QTest::newRow("logi") << "logi";
    }
    void reproducesReference()
    {
        QFETCH(QString, name);
        const auto &v = reference::values()[name.toStdString()];
        for (const auto storage : {Storage::Double, Storage::SparseDouble}) {
            const auto p = name == "sq" ? reference::sq(storage) : reference::logi(storage);
            const auto optimum = referenceOptimum(*p);
            QVERIFY(optimum.has_value());
            QVERIFY(optimum->attained);
            QVERIFY(close(optimum->value, v["Fopt"], 1e-14));
            QVERIFY(optimum->certificate < 1e-14);
            for (Index j = 0; j < p->d(); ++j)
                QVERIFY(close(optimum->x[j], v["xopt"][static_cast<std::size_t>(j)], 1e-9));
            const auto c = p->constants();
            QVERIFY(c.has_value());
            QVERIFY(close(c->L, v["L"], 1e-12));
            QVERIFY(close(c->R, v["R"], 1e-12));
            QVERIFY(close(c->M, v["M_smooth_F"], 1e-9));
            QVERIFY(close(c->mu, v["mu"], 1e-9));
            QCOMPARE(c->kappa, v["kappa"].get<double>());
            QCOMPARE(c->muIsLocal, name == "logi");
            for (const auto &[lambda, kappa] : v["kappa_lambda"].items())
                QCOMPARE(c->kappaAt(std::stod(lambda)), kappa.get<double>());
        }
    }

    void optimumOfRegularizedReference_data() { reproducesReference_data(); }
    void optimumOfRegularizedReference()
    {
        // f_s_opt of the file: F + (lam/2)|x - s|^2. The ridge about 0 with the same lam is another problem; the file's
        // centre is reached by shifting the margins, so here only the ridge solution is checked, by its stationarity.
        QFETCH(QString, name);
        const auto p = name == "sq" ? reference::sq() : reference::logi();
        const auto ridged = name == "sq" ? reference::sq(Storage::Double, 0.1) : reference::logi(Storage::Double, 0.1);
        const auto value = ridgeSolutionValue(*p, 0.1);
        const auto optimum = referenceOptimum(*ridged);
        QVERIFY(value && optimum);
        QVERIFY(close(*value, p->objective(optimum->x), 1e-13));
        QVERIFY(*value > referenceOptimum(*p)->value);
    }

    void everyLossReachesItsMinimum_data()
    {
        QTest::addColumn<QString>("loss");
        QTest::addColumn<double>("ridge");
        for (const auto &info : losses())
            for (const double ridge : {0.0, 1e-6, 0.1})
                QTest::addRow("%s, ridge %g", std::string(info.id).c_str(), ridge)
                    << QString::fromStdString(std::string(info.id)) << ridge;
    }
    void everyLossReachesItsMinimum()
    {
        QFETCH(QString, loss);
        QFETCH(double, ridge);
        std::optional<double> first;
        for (const auto storage : storages) {
            const auto p = noisyProblem(loss.toStdString(), storage, ridge);
            const auto optimum = referenceOptimum(*p);
            QVERIFY(optimum.has_value());
            QVERIFY(optimum->attained);
            Vector grad;
            const double F = p->gradient(optimum->x, grad);
            QCOMPARE(F, optimum->value);
            QVERIFY2(grad.norm() < 1e-13, qPrintable(QString::number(grad.norm())));
            QVERIFY(optimum->certificate < 1e-13);
            QVERIFY(optimum->certificate >= optimum->floor);
            if (!first)
                first = F;
            QVERIFY(close(F, *first, 1e-14));
            // No point nearby is lower by more than the floor.
            std::mt19937_64 random(3);
            for (int trial = 0; trial < 20; ++trial) {
                Vector x = optimum->x;
                for (double &xj : x)
                    xj += 1e-5 * (static_cast<double>(random() % 1000) / 500 - 1);
                QVERIFY(p->objective(x) >= F - optimum->floor);
            }
        }
    }

    void columnsOfAnyScaleHaveTheSameMinimum_data()
    {
        QTest::addColumn<QString>("loss");
        QTest::addColumn<double>("scale");
        for (const auto &info : losses())
            for (const int power : {-30, 40, 60, 73, 100})
                QTest::addRow("%s, 2^%d", std::string(info.id).c_str(), power)
                    << QString::fromStdString(std::string(info.id)) << std::ldexp(1, power);
    }
    void columnsOfAnyScaleHaveTheSameMinimum()
    {
        QFETCH(const QString, loss);
        QFETCH(const double, scale);
        const auto plain = referenceOptimum(*noisyProblem(loss.toStdString(), Storage::Double, 0));
        for (const auto storage : storages) {
            const auto optimum = referenceOptimum(*noisyProblem(loss.toStdString(), storage, 0, 300, 20, scale));
            QVERIFY(optimum && optimum->attained);
            QVERIFY(close(optimum->value, plain->value, 1e-14));
            QVERIFY(close(optimum->floor, plain->floor, 1e-2));
            QVERIFY2(optimum->certificate <= 3 * optimum->floor, qPrintable(QString::number(optimum->certificate)));
        }
    }

    void anOptimumThatRestsOnRoundingIsTold_data()
    {
        QTest::addColumn<QString>("loss");
        for (const char *loss : {"squared", "logistic", "smoothed-hinge"})
            QTest::newRow(loss) << QString::fromLatin1(loss);
    }
    void anOptimumThatRestsOnRoundingIsTold()
    {
        QFETCH(QString, loss);
        constexpr Index n = 400;
        const Eigen::MatrixXd A = standardizedIndicators(n);
        std::mt19937_64 random(12);
        Eigen::VectorXd b(n); // most of them 1, which only a constant column could tell
        for (Index i = 0; i < n; ++i)
            b[i] = random() % 10 < 8 ? 1 : -1;
        const auto solved = [&](Storage storage, double ridge) {
            const auto data = reference::dataset("words", A, b, TargetKind::Binary, storage);
            return *referenceOptimum(*reference::problem(data, loss.toStdString(), ridge));
        };
        for (const Storage storage : {Storage::Single, Storage::SparseSingle}) {
            const Optimum optimum = solved(storage, 0);
            QVERIFY(optimum.attained && optimum.restsOnRounding);
            QVERIFY(optimum.message.find("double precision") != std::string::npos);
            QVERIFY(!solved(storage, 1e-8).restsOnRounding);
        }
        QVERIFY(!solved(Storage::Double, 0).restsOnRounding);

        // Ordinary problems do not, however badly they are conditioned.
        for (const double scale : {1.0, 1e-6, 1e6})
            QVERIFY(!referenceOptimum(*noisyProblem(loss.toStdString(), Storage::Single, 0, 300, 20, scale))
                         ->restsOnRounding);
    }

    void separableDataIsRecognizedBesideAColumnOfAnyScale_data() { separableProblemsAreRecognized_data(); }
    void separableDataIsRecognizedBesideAColumnOfAnyScale()
    {
        QFETCH(const QString, loss);
        for (const double scale : {1.0, 1e12, 1e18, 1e30}) {
            const Eigen::MatrixXd A = withColumnOfTime(randomMatrix(60, 3, 2, 1000), scale);
            Eigen::VectorXd b(60);
            for (Index i = 0; i < 60; ++i) {
                const bool positive = A(i, 0) + 0.5 * A(i, 1) > 0;
                b[i] = positive ? 1 : loss == "softmax" ? 0 : -1;
            }
            const auto kind = loss == "softmax" ? TargetKind::Classes : TargetKind::Binary;
            const auto p = reference::problem(reference::dataset("time", A, b, kind), loss.toStdString());
            const auto optimum = referenceOptimum(*p);
            QVERIFY(optimum && !optimum->attained);
            QCOMPARE(optimum->value, 0.0);
            QVERIFY(optimum->message.starts_with("The classes can be separated"));
        }
    }

    void dependentColumnsKeepTheResolution_data() { columnsOfAnyScaleHaveTheSameMinimum_data(); }
    void dependentColumnsKeepTheResolution()
    {
        // Another constant beside the affine one, and a copy of a column in other units: x must not run away along
        // them.
        QFETCH(const QString, loss);
        QFETCH(const double, scale);
        const auto plain = noisyProblem(loss.toStdString(), Storage::Double, 0, 300, 8);
        Eigen::MatrixXd A = testing::plainMatrix(*plain);
        A.col(7).setOnes();
        const Eigen::VectorXd b = Eigen::Map<const Eigen::VectorXd>(plain->targets().data(), A.rows());
        const auto optimumOf = [&](const Eigen::MatrixXd &features, Storage storage) {
            const auto data = reference::dataset("dependent", features, b, plain->data().kind, storage);
            return referenceOptimum(*reference::problem(data, loss.toStdString()));
        };
        const auto alone = optimumOf(A, Storage::Double);
        Eigen::MatrixXd more(A.rows(), 10);
        more << A.col(7) * scale * 1.625, A, A.col(0) * scale;
        for (const auto storage : storages) {
            const auto optimum = optimumOf(more, storage);
            QVERIFY(optimum && optimum->attained);
            QVERIFY(close(optimum->value, alone->value, 1e-14));
            QVERIFY2(optimum->floor <= 2 * alone->floor, qPrintable(QString::number(optimum->floor)));
            QVERIFY2(optimum->certificate <= 3 * optimum->floor, qPrintable(QString::number(optimum->certificate)));
        }
    }

    void whatTellsAColumnFromAConstantCounts()
    {
        // Seconds since 1970, within minutes: beside the constant column the Gram matrix cannot tell them apart.
        const Index n = 200;
        std::mt19937_64 random(6);
        Eigen::MatrixXd A(n, 2), centred(n, 2);
        Eigen::VectorXd b(n);
        for (Index i = 0; i < n; ++i) {
            const double second = static_cast<double>(random() % 128);
            A.row(i) << 0x1.9p30 + second, 1;
            centred.row(i) << second, 1;
            b[i] = 0.05 * second + static_cast<double>(random() % 64) / 64;
        }
        const auto optimumOf = [&](const Eigen::MatrixXd &features) {
            return referenceOptimum(
                *reference::problem(reference::dataset("seconds", features, b, TargetKind::Real), "squared"));
        };
        const auto exact = optimumOf(centred), optimum = optimumOf(A);
        QVERIFY2(std::abs(optimum->value - exact->value) <= optimum->certificate,
                 qPrintable(QString::number(optimum->value - exact->value)));
        QVERIFY2(optimum->certificate < 1e-6 * exact->value, qPrintable(QString::number(optimum->certificate)));
    }

    void theFloorIsThatOfThePoint()
    {
        // Also where the last step was taken back.
        for (const auto &info : losses()) {
            const auto p = noisyProblem(info.id, Storage::Double, 0);
            const auto newton = minimize(*p, 0, Vector::Zero(p->dim()), {});
            std::vector<double> m, derivatives, absolute;
            p->margins(newton->x, m);
            lossDerivatives(*p, m, derivatives);
            absoluteMargins(*p, newton->x, absolute, 1);
            QCOMPARE(newton->floor, roundingFloor(newton->value, derivatives, absolute));
        }
    }

    void moreColumnsThanRows()
    {
        for (const auto storage : storages) {
            const Eigen::MatrixXd A = randomMatrix(30, 80, 3);
            const auto p = reference::problem(
                reference::dataset("wide", A, Eigen::VectorXd::LinSpaced(30, -1, 2), TargetKind::Real, storage),
                "squared");
            const auto optimum = referenceOptimum(*p);
            QVERIFY(optimum && optimum->attained);
            QVERIFY2(optimum->value < 1e-20, qPrintable(QString::number(optimum->value)));
            QCOMPARE(p->constants()->mu, 0.0);
            QVERIFY(std::isinf(p->constants()->kappa));
        }
    }

    void rankDeficientLeastSquares()
    {
        // A repeated and an empty column: the normal matrix is singular, the minimum still attained.
        Eigen::MatrixXd A = randomMatrix(100, 8, 4);
        A.col(3) = A.col(5);
        A.col(6).setZero();
        const Eigen::VectorXd b = Eigen::VectorXd::LinSpaced(100, -1, 3).array().sin();
        const auto p = reference::problem(reference::dataset("deficient", A, b, TargetKind::Real), "squared");
        const auto optimum = referenceOptimum(*p);
        const Eigen::VectorXd x = A.completeOrthogonalDecomposition().solve(b);
        QVERIFY(optimum.has_value());
        QVERIFY(close(optimum->value, p->objective(x), 1e-13));
        QCOMPARE(p->constants()->mu, 0.0);
    }

    void illConditionedLeastSquares()
    {
        // Condition 1e6 of A, 1e12 of A'A.
        const Index n = 200, d = 12;
        const Eigen::MatrixXd U =
            randomMatrix(n, d, 8, 1000).householderQr().householderQ() * Eigen::MatrixXd::Identity(n, d);
        const Eigen::MatrixXd V = randomMatrix(d, d, 9, 1000).householderQr().householderQ();
        Eigen::VectorXd sigma(d);
        for (Index j = 0; j < d; ++j)
            sigma[j] = std::pow(10.0, -6.0 * static_cast<double>(j) / (d - 1));
        const Eigen::MatrixXd A = U * sigma.asDiagonal() * V.transpose();
        const Eigen::VectorXd b = Eigen::VectorXd::LinSpaced(n, 0, 9).array().sin();
        const auto p = reference::problem(reference::dataset("ill", A, b, TargetKind::Real), "squared");
        const Eigen::VectorXd x = A.colPivHouseholderQr().solve(b);
        const auto optimum = referenceOptimum(*p);
        QVERIFY(optimum.has_value());
        QVERIFY2(std::abs(optimum->value - p->objective(x)) <= optimum->certificate + 1e-15,
                 qPrintable(QString::number(optimum->value - p->objective(x))));
        QVERIFY(close(p->constants()->mu, 1e-12 / n, 1e-2)); // what the Gram matrix resolves of it
    }

    void separableProblemsAreRecognized_data()
    {
        QTest::addColumn<QString>("loss");
        QTest::newRow("logistic") << "logistic";
        QTest::newRow("softmax") << "softmax";
    }
    void separableProblemsAreRecognized()
    {
        QFETCH(QString, loss);
        Eigen::MatrixXd A = randomMatrix(60, 5, 2);
        Eigen::VectorXd b(60);
        for (Index i = 0; i < 60; ++i) {
            A(i, 4) = i % 2 ? 1 : -1;
            b[i] = loss == "softmax" ? static_cast<double>(i % 2) : A(i, 4);
        }
        const auto data =
            reference::dataset("separable", A, b, loss == "softmax" ? TargetKind::Classes : TargetKind::Binary);
        const auto p = reference::problem(data, loss.toStdString());
        const auto optimum = referenceOptimum(*p);
        QVERIFY(optimum.has_value());
        QVERIFY(!optimum->attained);
        QCOMPARE(optimum->value, 0.0);
        QVERIFY(QString::fromStdString(optimum->message).contains("ridge"));
        QCOMPARE(p->constants()->mu, 0.0);
        const auto ridged = reference::problem(data, loss.toStdString(), 1e-3);
        QVERIFY(referenceOptimum(*ridged)->attained);
        QVERIFY(referenceOptimum(*ridged)->value > 0);
    }

    void aTinyRidgeCertifiesOnlyDigitsThatHold()
    {
        // Where hinges can be separated F_opt is, but for O(ridge^2), the ridge times half the largest margin's -2nd
        // power.
        const Eigen::MatrixXd A = randomMatrix(80, 5, 2, 1000);
        Eigen::VectorXd b(80);
        for (Index i = 0; i < 80; ++i)
            b[i] = A(i, 0) + 0.5 * A(i, 1) > 0 ? 1 : -1;
        const auto data = reference::dataset("separable", A, b, TargetKind::Binary);
        const auto solved = [&](double ridge) {
            return *referenceOptimum(*reference::problem(data, "smoothed-hinge", ridge));
        };
        const double perRidge = solved(1e-9).value / 1e-9;
        for (const double ridge : {1e-14, 1e-16, 1e-18, 1e-20, 1e-22, 1e-25, 1e-30}) {
            const Optimum optimum = solved(ridge);
            const double excess = optimum.value - ridge * perRidge;
            QVERIFY2(excess <= optimum.certificate + 1e-4 * ridge * perRidge,
                     qPrintable(
                         QString("ridge %1: %2 above, certified %3").arg(ridge).arg(excess).arg(optimum.certificate)));
            if (ridge >= 1e-16) // and as many as there are
                QVERIFY2(optimum.certificate < 1e-10 * optimum.value,
                         qPrintable(QString("ridge %1: certified %2").arg(ridge).arg(optimum.certificate)));
        }
    }

    void aHingeCertifiesNothingBeyondAKink()
    {
        // Rows of sizes that differ by decades: where a long one bends the decrement is next to nothing, and yet the
        // short ones may be far from their places.
        for (std::uint64_t seed = 0; seed < 300; ++seed) {
            std::mt19937_64 random(seed);
            const auto n = static_cast<Index>(3 + random() % 12), d = static_cast<Index>(1 + random() % 4);
            Eigen::MatrixXd A = randomMatrix(n, d, seed, 1000);
            Eigen::VectorXd b(n);
            for (Index i = 0; i < n; ++i) {
                A.row(i) *= std::pow(10, static_cast<double>(random() % 9) - 4);
                b[i] = random() % 2 ? 1 : -1;
            }
            const auto p = reference::problem(reference::dataset("kinks", A, b, TargetKind::Binary), "smoothed-hinge");
            const auto optimum = referenceOptimum(*p, {}, seed % 2 == 0);
            QVERIFY(optimum.has_value());
            for (const double ridge : {1e-8, 1e-11, 1e-14, 1e-17}) {
                const auto lower = minimize(*p, ridge, Vector::Zero(d), {});
                const double below = optimum->value - p->objective(lower->x);
                QVERIFY2(
                    !optimum->known || below <= optimum->certificate,
                    qPrintable(
                        QString("seed %1: %2 below, certified to %3").arg(seed).arg(below).arg(optimum->certificate)));
            }
        }
    }

    void partlySeparableProblemIsRecognized()
    {
        // The last column occurs with +1 only: its weight grows for ever, the rest has a minimum.
        const auto full = noisyProblem("logistic", Storage::Double, 0);
        Eigen::MatrixXd A = Eigen::MatrixXd::Zero(full->n() + 5, full->d() + 1);
        Eigen::VectorXd b = Eigen::VectorXd::Ones(A.rows());
        const auto &dense = std::get<DenseMatrix<double>>(full->data().train.features);
        for (Index i = 0; i < full->n(); ++i) {
            for (Index j = 0; j < full->d(); ++j)
                A(i, j) = dense.row(i)[j];
            b[i] = full->targets()[static_cast<std::size_t>(i)];
        }
        A.col(full->d()).tail(5).setOnes();
        const auto p = reference::problem(reference::dataset("partly", A, b, TargetKind::Binary), "logistic");
        const auto optimum = referenceOptimum(*p);
        QVERIFY(optimum.has_value());
        QVERIFY(!optimum->attained && optimum->known);
        QVERIFY(QString::fromStdString(optimum->message).contains("ridge"));
        QVERIFY(!QString::fromStdString(optimum->message).contains("Hessian")); // said to the user
        QVERIFY(optimum->certificate < 1e-12);
        const double scale = static_cast<double>(full->n()) / static_cast<double>(p->n());
        QVERIFY(close(optimum->value, referenceOptimum(*full)->value * scale, 1e-12));
    }

    void infimumIsWhatTheOtherRowsCost()
    {
        // Columns 0 and 1 separate the rows that have them, if the weight of the first grows faster. What is left are
        // three rows that contradict each other.
        Eigen::MatrixXd A(8, 3);
        A << 1, -1, 0, 1, -2, 0, 2, -1, 0, 0, 1, 0, 0, 2, 0, 0, 0, 1, 0, 0, 1, 0, 0, 1;
        Eigen::VectorXd b = Eigen::VectorXd::Ones(8);
        b[7] = -1;
        const auto p = reference::problem(reference::dataset("nested", A, b, TargetKind::Binary), "logistic");
        const auto optimum = referenceOptimum(*p);
        QVERIFY(optimum && !optimum->attained && optimum->known);
        // min over z of 2 log(1 + exp(-z)) + log(1 + exp(z)), at z = log 2.
        const double least = (2 * std::log(1.5) + std::log(3.0)) / 8;
        QVERIFY2(close(optimum->value, least, 1e-13), qPrintable(QString::number(optimum->value - least)));
        // No iterate gets below it.
        Vector x = Vector::Zero(3);
        x << 300, 100, std::log(2.0);
        QVERIFY(p->objective(x) >= optimum->value - optimum->certificate);
        QVERIFY(p->objective(x) - optimum->value < 1e-12);
    }

    void noRunGetsBelowWhatIsCertified_data()
    {
        QTest::addColumn<QString>("loss");
        for (const char *loss : {"softmax", "logistic", "smoothed-hinge"})
            QTest::newRow(loss) << loss;
    }
    void noRunGetsBelowWhatIsCertified()
    {
        QFETCH(const QString, loss);
        // A few rows, many of which can be separated from some class but not from all: the way to infinity is flat
        // long before it is at its end. A ridge that vanishes leads along it.
        const bool classes = loss == "softmax";
        for (std::uint64_t seed = 0; seed < 120; ++seed) {
            std::mt19937_64 random(seed);
            const auto n = static_cast<Index>(4 + random() % 12), d = static_cast<Index>(1 + random() % 3);
            const std::uint64_t kinds = classes ? 3 + random() % 2 : 2;
            const Eigen::MatrixXd A = randomMatrix(n, d, seed);
            Eigen::VectorXd b(n);
            for (double &target : b)
                target = static_cast<double>(random() % kinds);
            b[0] = static_cast<double>(kinds - 1);
            if (!classes)
                b = 2 * b.array() - 1;
            const auto kind = classes ? TargetKind::Classes : TargetKind::Binary;
            const auto p = reference::problem(reference::dataset("small", A, b, kind), loss.toStdString());
            const auto optimum = referenceOptimum(*p);
            QVERIFY(optimum.has_value());
            if (!optimum->known)
                continue;
            for (const double ridge : {1e-8, 1e-10, 1e-12, 1e-14}) {
                const auto lower = minimize(*p, ridge, Vector::Zero(p->dim()), {});
                const double below = optimum->value - p->objective(lower->x);
                QVERIFY2(below <= optimum->certificate + optimum->floor,
                         qPrintable(QString("seed %1, ridge %2: %3 below, certified to %4")
                                        .arg(seed)
                                        .arg(ridge)
                                        .arg(below)
                                        .arg(optimum->certificate)));
            }
        }
    }

    void whatIsTooFlatToFollowIsInTheCertificate()
    {
        for (const std::array<double, 5> &column :
             {std::array{0.834961, 0.969727, -0.0991211, 0.0888672, 0.631836},
              std::array{-0.556641, -0.658203, 0.0439453, -0.814941, -0.050293},
              std::array{0.540039, -0.0405273, -0.813477, 0.0473633, -0.114746}}) {
            Eigen::VectorXd b(5);
            b << 0, 1, 2, 0, 1;
            const Eigen::MatrixXd A = Eigen::Map<const Eigen::VectorXd>(column.data(), 5);
            const auto p = reference::problem(reference::dataset("five", A, b, TargetKind::Classes), "softmax");
            const auto optimum = referenceOptimum(*p);
            QVERIFY(optimum.has_value());
            for (const double ridge : {1e-14, 1e-15, 1e-16, 1e-17, 1e-18}) {
                const auto lower = minimize(*p, ridge, Vector::Zero(p->dim()), {});
                const double below = optimum->value - p->objective(lower->x);
                QVERIFY2(!optimum->known || below <= optimum->certificate,
                         qPrintable(QString("%1 below, certified to %2").arg(below).arg(optimum->certificate)));
            }
        }
    }

    void aPartThatCanBeSeparatedIsRecognizedHoweverFarXWent_data()
    {
        QTest::addColumn<int>("storage");
        QTest::newRow("dense") << static_cast<int>(Storage::Double);
        QTest::newRow("sparse, single") << static_cast<int>(Storage::SparseSingle);
    }
    void aPartThatCanBeSeparatedIsRecognizedHoweverFarXWent()
    {
        // The first column is not 0 in rows of +1 only, the second in rows of both.
        QFETCH(const int, storage);
        Eigen::MatrixXd A = Eigen::MatrixXd::Zero(40, 2);
        A.col(1) = randomMatrix(40, 1, 5);
        Eigen::VectorXd b(40);
        for (Index i = 0; i < 40; ++i) {
            b[i] = i % 2 ? 1 : -1;
            A(i, 0) = i % 8 == 1 ? 1 + 0.25 * static_cast<double>(i % 3) : 0;
        }
        const auto optimumOf = [&](const Eigen::MatrixXd &features) {
            const auto data =
                reference::dataset("quasi", features, b, TargetKind::Binary, static_cast<Storage>(storage));
            const auto p = reference::problem(data, "logistic");
            const auto optimum = referenceOptimum(*p);
            return std::pair(optimum->attained, p->constants()->mu);
        };
        QCOMPARE(optimumOf(A), std::pair(false, 0.0));
        // One row on the other side, however little: there is a minimum, far away.
        for (const double against : {1e-2, 1e-5}) {
            Eigen::MatrixXd B = A;
            B(2, 0) = against;
            QVERIFY(optimumOf(B).first);
            QVERIFY(optimumOf(B).second > 0);
        }
        // A row far out has a large margin at the minimum, and a copy of a column leaves its weight open.
        Eigen::MatrixXd C(40, 3);
        C << randomMatrix(40, 2, 6), Eigen::VectorXd::Zero(40);
        C.row(0) *= 1e3;
        C.col(2) = C.col(1);
        QVERIFY(optimumOf(C).first);
    }

    void smoothedHingeOfSeparableDataIsZeroAndAttained()
    {
        Eigen::MatrixXd A = randomMatrix(60, 5, 2);
        Eigen::VectorXd b(60);
        for (Index i = 0; i < 60; ++i)
            b[i] = A(i, 4) = i % 2 ? 1 : -1;
        const auto optimum = referenceOptimum(
            *reference::problem(reference::dataset("separable", A, b, TargetKind::Binary), "smoothed-hinge"));
        QVERIFY(optimum && optimum->attained);
        QVERIFY(optimum->value < 1e-28);
    }

    void cacheGivesTheSameAndSurvivesDamage()
    {
        const QTemporaryDir folder;
        const auto path = folder.path().toStdString() + "/sub";
        const auto p = reference::logi();
        const auto made = cachedOptimum(*p, path);
        QVERIFY(made.has_value());
        std::vector<std::filesystem::path> files(std::filesystem::directory_iterator(path), {});
        QCOMPARE(files.size(), std::size_t(1));
        const auto again = cachedOptimum(*p, path);
        QCOMPARE(again->value, made->value);
        QCOMPARE(again->seconds, made->seconds); // of the solve that was stored
        QVERIFY(again->x == made->x);
        QCOMPARE(again->message, made->message);

        // Another ridge, another file.
        (void)cachedOptimum(*reference::logi(Storage::Double, 0.1), path);
        QCOMPARE(std::distance(std::filesystem::directory_iterator(path), {}), 2);

        const auto size = std::filesystem::file_size(files[0]);
        for (const auto keep : {std::uintmax_t(0), std::uintmax_t(3), size / 2, size - 1}) {
            std::filesystem::resize_file(files[0], keep);
            QVERIFY(close(cachedOptimum(*p, path)->value, made->value, 1e-15));
            QCOMPARE(std::filesystem::file_size(files[0]), size);
        }
        {
            std::fstream file(files[0], std::ios::in | std::ios::out | std::ios::binary);
            file.seekp(static_cast<std::streamoff>(size / 2));
            file.put('x');
        }
        QVERIFY(close(cachedOptimum(*p, path)->value, made->value, 1e-15));
        QVERIFY(close(cachedOptimum(*p, "/proc/no/such/folder")->value, made->value, 1e-15));
    }

    void cacheIsOfTheKernelsThatMadeIt()
    {
        const QTemporaryDir folder;
        const std::string path = folder.path().toStdString();
        const auto p = reference::logi();
        (void)cachedOptimum(*p, path);
        const std::string file = std::filesystem::directory_iterator(path)->path().string();
        const std::string made = readWholeFile(file).value();
        const std::string isa(nameOf(arithmeticOf(detectedIsa())));
        const auto at = made.find(isa);
        QVERIFY(at < made.find('\n'));
        std::string other = made.substr(0, made.size() - 8);
        other.replace(at, isa.size(), "another");
        const std::uint64_t sum = fnv1a(other);
        other.append(reinterpret_cast<const char *>(&sum), sizeof sum);
        QVERIFY(!writeAtomically(file, other));
        (void)cachedOptimum(*p, path);
        QVERIFY(readWholeFile(file).value().starts_with(made.substr(0, at + isa.size())));
    }

    void cancelledSolvesReturnNothing()
    {
        std::stop_source source;
        source.request_stop();
        const Progress progress{{}, source.get_token()};
        for (const auto &info : losses()) {
            const auto p = noisyProblem(info.id, Storage::Single, 0);
            QVERIFY(!referenceOptimum(*p, progress));
            QVERIFY(!p->constants(progress));
            QVERIFY(!p->knownConstants());
            QVERIFY(!ridgeSolutionValue(*p, 0.1, progress));
        }
    }

    void cancelInTheMiddleReturnsNothing()
    {
        const auto p = noisyProblem("logistic", Storage::Single, 1e-6, 2000, 120);
        std::stop_source source;
        int calls = 0;
        const Progress progress{[&](double, std::string_view) {
                                    if (++calls == 3)
                                        source.request_stop();
                                },
                                source.get_token()};
        QVERIFY(!referenceOptimum(*p, progress));
        QVERIFY(calls >= 3);
    }

    void aHingeThatIsFlatAtTheStartIsSolved_data()
    {
        QTest::addColumn<QString>("source");
        QTest::newRow("digits") << "mnist-6k";
        QTest::newRow("clothes") << "fashion-6k";
    }
    void aHingeThatIsFlatAtTheStartIsSolved()
    {
        // At x = 0 no row has any curvature, and further on they come and go.
        QFETCH(const QString, source);
        DataRecipe recipe;
        recipe.source = source.toStdString();
        recipe.transforms = parseTransforms("first:1000,mean-norm").value();
        const auto data = loadDataset(recipe);
        QVERIFY(data);
        const auto problem = reference::problem(data.value(), "smoothed-hinge");
        const Vector zero = Vector::Zero(problem->dim());
        const auto optimum = referenceOptimum(*problem);
        QVERIFY(optimum && optimum->attained);
        QVERIFY2(optimum->certificate < 1e-8, qPrintable(QString::number(optimum->certificate)));
        // Not above what a problem with one solution says.
        const auto ridged = ridgeSolutionValue(*problem, 1e-9 * problem->curvature());
        QVERIFY(ridged && optimum->value <= *ridged + 1e-10);
        QVERIFY(optimum->value < 0.5 * problem->objective(zero));
    }
};

QTEST_GUILESS_MAIN(TestOptimum)
#include "tst_optimum.moc"
