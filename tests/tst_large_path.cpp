#include "ReferenceProblems.h"
#include "data/Memory.h"
#include "problem/GramSpectrum.h"
#include "problem/Newton.h"
#include "problem/Optimum.h"
#include "problem/Products.h"
#include "problem/Spectrum.h"

#include <Eigen/Dense>
#include <QTest>

#include <cmath>
#include <random>
#include <stdexcept>

using namespace appa;
using reference::Storage;

/// What is done where d is too large for a d x d matrix, on problems small enough to have that matrix for comparison:
/// conjugate gradients with the diagonal instead of Cholesky, and Lanczos with products alone.
class LargePath : public QObject
{
    Q_OBJECT

private slots:
    void conjugateGradientsFindTheSameOptimum_data();
    void conjugateGradientsFindTheSameOptimum();
    void conjugateGradientsSolveScaledColumns();
    void conjugateGradientsAgreeWithAFactoredSolveAtACondition();
    void conjugateGradientsBearDependentColumns();
    void conjugateGradientsCertifyOnlyDigitsThatHold();
    void columnsThatNearlyDependAreNotTakenForDependent();
    void productsFindTheLargestEigenvalue_data() { spectra(); }
    void productsFindTheLargestEigenvalue();
    void productsBoundTheSmallestEigenvalue_data() { spectra(); }
    void productsBoundTheSmallestEigenvalue();
    void lanczosIsRefusedWhatMemoryItHasNot();
    void cancelledProductsReturnNothing();

private:
    static void spectra();
};

namespace {

Eigen::MatrixXd randomMatrix(Index n, Index d, std::uint64_t seed)
{
    std::mt19937_64 random(seed);
    Eigen::MatrixXd A(n, d);
    for (Index k = 0; k < A.size(); ++k)
        A.data()[k] = static_cast<double>(random() >> 11) * 0x1p-52 - 1;
    return A;
}

/// Singular values from 1 down to 1/condition.
Eigen::MatrixXd conditioned(Index n, Index d, double condition, std::uint64_t seed)
{
    const Eigen::MatrixXd U = randomMatrix(n, d, seed).householderQr().householderQ() * Eigen::MatrixXd::Identity(n, d);
    const Eigen::MatrixXd V = randomMatrix(d, d, seed + 1).householderQr().householderQ();
    Eigen::VectorXd sigma(d);
    for (Index j = 0; j < d; ++j)
        sigma[j] = std::pow(condition, -static_cast<double>(j) / static_cast<double>(d - 1));
    return U * sigma.asDiagonal() * V.transpose();
}

ProblemPtr noisy(const Eigen::MatrixXd &A, std::string_view loss, double ridge, Storage storage)
{
    std::mt19937_64 random(5);
    Eigen::VectorXd b(A.rows());
    for (Index i = 0; i < A.rows(); ++i) {
        const double z = A(i, 0) - A(i, 1) + static_cast<double>(random() % 1000) / 250 - 2;
        b[i] = loss == "squared" ? z : loss == "softmax" ? static_cast<double>(random() % 3) : z > 0 ? 1 : -1;
    }
    const auto kind = loss == "softmax" ? TargetKind::Classes
        : loss == "squared"             ? TargetKind::Real
                                        : TargetKind::Binary;
    return reference::problem(reference::dataset("noisy", A, b, kind, storage), loss, ridge);
}

Vector origin(const Problem &problem)
{
    return Vector::Zero(problem.dim());
}

} // namespace

void LargePath::conjugateGradientsFindTheSameOptimum_data()
{
    QTest::addColumn<QString>("loss");
    QTest::addColumn<double>("ridge");
    for (const auto &info : losses())
        for (const double ridge : {0.0, 1e-4, 0.1})
            QTest::addRow("%s, ridge %g", std::string(info.id).c_str(), ridge)
                << QString::fromStdString(std::string(info.id)) << ridge;
}

void LargePath::conjugateGradientsFindTheSameOptimum()
{
    QFETCH(const QString, loss);
    QFETCH(const double, ridge);
    for (const Storage storage : {Storage::Double, Storage::Single, Storage::SparseDouble, Storage::SparseSingle}) {
        const ProblemPtr p = noisy(randomMatrix(300, 20, 11), loss.toStdString(), ridge, storage);
        for (const double lambda : {0.0, 0.05}) {
            const Vector s = lambda > 0 ? Vector(Vector::LinSpaced(p->dim(), -1, 1)) : origin(*p);
            const auto factored = minimize(*p, lambda, s, {}, true);
            const auto iterated = minimize(*p, lambda, s, {}, false);
            QVERIFY(factored && iterated);
            QVERIFY(factored->direct && !iterated->direct);
            QCOMPARE(iterated->factorizations, 0);
            QVERIFY(iterated->converged);
            QVERIFY2(std::abs(iterated->value - factored->value) <= 1e-14 * factored->value + 2 * factored->floor,
                     qPrintable(QString::number(iterated->value - factored->value)));
            QVERIFY2(iterated->gradientNorm < 1e-12, qPrintable(QString::number(iterated->gradientNorm)));
            QVERIFY(iterated->decrement <= 2 * iterated->floor);
            // Softmax without a ridge has a line of minimizers.
            if (loss != "softmax" || ridge + lambda > 0)
                QVERIFY((iterated->x - factored->x).norm() <= 1e-6 * (1 + factored->x.norm()));
        }
    }
}

void LargePath::conjugateGradientsSolveScaledColumns()
{
    // Columns from 1 to 1e-6 in size: what the diagonal is there for.
    Eigen::MatrixXd A = randomMatrix(200, 25, 3);
    for (Index j = 0; j < A.cols(); ++j)
        A.col(j) *= std::pow(10, -6.0 * static_cast<double>(j) / static_cast<double>(A.cols() - 1));
    const ProblemPtr p = noisy(A, "squared", 0, Storage::Double);
    const auto iterated = minimize(*p, 0, origin(*p), {}, false);
    const Vector exact =
        A.colPivHouseholderQr().solve(Eigen::Map<const Vector>(p->targets().data(), static_cast<Index>(p->n())));
    QVERIFY(iterated.has_value());
    QVERIFY(iterated->products < 400);
    QVERIFY(std::abs(iterated->value - p->objective(exact)) <= 1e-14 * iterated->value + iterated->floor);
}

void LargePath::conjugateGradientsAgreeWithAFactoredSolveAtACondition()
{
    for (const double condition : {1e2, 1e4}) {
        const Eigen::MatrixXd A = conditioned(300, 60, condition, 21);
        const ProblemPtr p = noisy(A, "squared", 0, Storage::Double);
        const auto factored = minimize(*p, 0, origin(*p), {}, true);
        const auto iterated = minimize(*p, 0, origin(*p), {}, false);
        QVERIFY(factored && iterated && !iterated->direct);
        QVERIFY2(iterated->value - factored->value <= 1e-14 * factored->value + 2 * factored->floor,
                 qPrintable(QString("condition %1: %2 above, %3 products")
                                .arg(condition)
                                .arg(iterated->value - factored->value)
                                .arg(iterated->products)));
    }
}

void LargePath::conjugateGradientsBearDependentColumns()
{
    Eigen::MatrixXd A = randomMatrix(100, 8, 4);
    A.col(3) = A.col(5);
    A.col(6).setZero();
    const ProblemPtr p = noisy(A, "squared", 0, Storage::SparseDouble);
    const auto iterated = minimize(*p, 0, origin(*p), {}, false);
    const Vector exact = A.completeOrthogonalDecomposition().solve(
        Eigen::Map<const Vector>(p->targets().data(), static_cast<Index>(p->n())));
    QVERIFY(iterated.has_value());
    QVERIFY(std::abs(iterated->value - p->objective(exact)) <= 1e-14 * iterated->value + iterated->floor);
    // What is left along them is rounding, and certified as that.
    const auto optimum = referenceOptimum(*p, {}, false);
    QVERIFY2(optimum->certificate <= 3 * optimum->floor, qPrintable(QString::number(optimum->certificate)));
}

void LargePath::conjugateGradientsCertifyOnlyDigitsThatHold()
{
    using Exact = Eigen::Matrix<long double, Eigen::Dynamic, Eigen::Dynamic>;
    for (const double condition : {1e5, 1e6, 1e7, 1e8}) {
        const Eigen::MatrixXd A = conditioned(300, 24, condition, 21);
        const ProblemPtr p = noisy(A, "squared", 0, Storage::Double);
        const Exact wide = A.cast<long double>();
        const Exact b = Eigen::Map<const Vector>(p->targets().data(), A.rows()).cast<long double>();
        const Exact x = wide.colPivHouseholderQr().solve(b);
        const auto least = static_cast<double>((wide * x - b).squaredNorm() / 2 / static_cast<long double>(A.rows()));
        const auto optimum = referenceOptimum(*p, {}, false);
        QVERIFY(optimum && optimum->known);
        QVERIFY2(optimum->value - least <= optimum->certificate,
                 qPrintable(QString("condition %1: %2 above, certified %3")
                                .arg(condition)
                                .arg(optimum->value - least)
                                .arg(optimum->certificate)));
        if (condition <= 1e7)
            QVERIFY2(optimum->certificate < 1e-9 * least, qPrintable(QString::number(optimum->certificate)));
    }
}

void LargePath::columnsThatNearlyDependAreNotTakenForDependent()
{
    for (std::uint64_t seed = 0; seed < 10; ++seed) {
        const Eigen::MatrixXd apart = randomMatrix(100, 12, seed);
        const Vector b = Eigen::Map<const Vector>(noisy(apart, "squared", 0, Storage::Double)->targets().data(), 100);
        const double least = (apart * apart.colPivHouseholderQr().solve(b) - b).squaredNorm() / 200;
        for (const double e : {1e-6, 1e-8, 1e-10, 1e-11, 1e-12}) {
            Eigen::MatrixXd A = apart; // the same span, but for what adding rounds away
            A.col(5) = A.col(4) + e * apart.col(5);
            const auto p = reference::problem(reference::dataset("twins", A, b, TargetKind::Real), "squared");
            const auto optimum = referenceOptimum(*p, {}, false);
            const double above = optimum->value - least;
            QVERIFY2(above <= optimum->certificate + 1e-5 * least,
                     qPrintable(QString("seed %1, %2: %3 above, certified %4")
                                    .arg(seed)
                                    .arg(e)
                                    .arg(above)
                                    .arg(optimum->certificate)));
        }
    }
}

void LargePath::spectra()
{
    QTest::addColumn<int>("rows");
    QTest::addColumn<int>("columns");
    QTest::addColumn<double>("condition");
    QTest::addColumn<bool>("weighted");
    for (const bool weighted : {false, true}) {
        const char *how = weighted ? ", weighted" : "";
        QTest::addRow("small%s", how) << 60 << 8 << 30.0 << weighted;
        QTest::addRow("one column%s", how) << 20 << 1 << 1.0 << weighted;
        QTest::addRow("more columns than products%s", how) << 400 << 150 << 3.0 << weighted;
        QTest::addRow("condition 100%s", how) << 500 << 200 << 100.0 << weighted;
        QTest::addRow("condition 1e6%s", how) << 500 << 200 << 1e6 << weighted;
    }
}

void LargePath::productsFindTheLargestEigenvalue()
{
    QFETCH(const int, rows);
    QFETCH(const int, columns);
    QFETCH(const double, condition);
    const Eigen::MatrixXd A = columns == 1 ? randomMatrix(rows, 1, 1) : conditioned(rows, columns, condition, 31);
    const Eigen::VectorXd exact = (A.transpose() * A).selfadjointView<Eigen::Lower>().eigenvalues();
    for (const Storage storage : {Storage::Double, Storage::SparseDouble}) {
        const auto largest = largestByProducts(reference::features(A, storage), {});
        QVERIFY(largest.has_value());
        QVERIFY2(std::abs(*largest - exact.maxCoeff()) <= 1e-9 * exact.maxCoeff(),
                 qPrintable(QString::number(*largest / exact.maxCoeff() - 1)));
    }
}

void LargePath::productsBoundTheSmallestEigenvalue()
{
    QFETCH(const int, rows);
    QFETCH(const int, columns);
    QFETCH(const double, condition);
    QFETCH(const bool, weighted);
    const Eigen::MatrixXd A = columns == 1 ? randomMatrix(rows, 1, 1) : conditioned(rows, columns, condition, 31);
    std::vector<double> c;
    if (weighted)
        for (int i = 0; i < rows; ++i)
            c.push_back(0.5 + 0.4 * std::sin(i));
    const Eigen::VectorXd weights =
        weighted ? Eigen::VectorXd(Eigen::Map<const Eigen::VectorXd>(c.data(), rows)) : Eigen::VectorXd::Ones(rows);
    const Eigen::MatrixXd gram = A.transpose() * weights.asDiagonal() * A;
    const double exact = gram.selfadjointView<Eigen::Lower>().eigenvalues().minCoeff();
    for (const Storage storage : {Storage::Double, Storage::SparseDouble}) {
        const Features features = reference::features(A, storage);
        const auto bound = smallestByProducts(features, c, {});
        QVERIFY(bound.has_value());
        // Never above: a mu that is too large makes the accelerated methods diverge.
        QVERIFY2(*bound >= 0 && *bound <= exact * (1 + 1e-9), qPrintable(QString("%1 for %2").arg(*bound).arg(exact)));
        if (condition <= 30)
            QVERIFY2(*bound >= 0.99 * exact, qPrintable(QString("%1 for %2").arg(*bound).arg(exact)));
        // What the formed matrix says.
        const auto formed = formedSpectrum(features, c, {});
        QVERIFY(formed.has_value());
        if (condition <= 100)
            QVERIFY(std::abs(formed->smallest - exact) <= 1e-8 * exact);
    }
}

void LargePath::lanczosIsRefusedWhatMemoryItHasNot()
{
    const double available = availableMemory();
    if (std::isinf(available))
        QSKIP("this system does not tell its memory");
    constexpr int most = 10000;
    const auto dim = static_cast<Index>(2 * available / (most * sizeof(double)));
    int products = 0;
    const auto product = [&](const Vector &, Vector &) {
        ++products;
        return false;
    };
    QVERIFY_EXCEPTION_THROWN((void)lanczos(product, Vector::Ones(dim), {.maxProducts = most}), std::runtime_error);
    QCOMPARE(products, 0);
}

void LargePath::cancelledProductsReturnNothing()
{
    std::stop_source source;
    int products = 0;
    const Progress progress{[&](double, std::string_view) {
                                if (++products == 4)
                                    source.request_stop();
                            },
                            source.get_token()};
    const Features A = reference::features(conditioned(300, 120, 10, 2), Storage::Single);
    QVERIFY(!smallestByProducts(A, {}, progress));
    QCOMPARE(products, 4);
    QVERIFY(!largestByProducts(A, progress));
}

QTEST_GUILESS_MAIN(LargePath)
#include "tst_large_path.moc"
