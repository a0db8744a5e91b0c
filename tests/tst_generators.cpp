#include "data/Generators.h"
#include "data/Recipe.h"

#include <QTest>

#include <Eigen/Eigenvalues>

using namespace appa;

namespace {

Eigen::MatrixXd denseOf(const Features &features)
{
    Eigen::MatrixXd M = Eigen::MatrixXd::Zero(rowsOf(features), colsOf(features));
    std::visit(
        [&](const auto &A) {
            for (Index i = 0; i < A.rows(); ++i) {
                if constexpr (std::decay_t<decltype(A)>::isSparse) {
                    for (const auto &e : A.row(i))
                        M(i, e.column) = static_cast<double>(e.value);
                } else {
                    for (Index j = 0; j < A.cols(); ++j)
                        M(i, j) = static_cast<double>(A.row(i)[j]);
                }
            }
        },
        features);
    return M;
}

DatasetPtr load(const char *source, Precision precision = Precision::Single)
{
    DataRecipe recipe;
    recipe.source = source;
    recipe.precision = precision;
    auto result = loadDataset(recipe);
    if (!result) {
        qWarning("%s", result.error().message.c_str());
        return nullptr;
    }
    return result.value();
}

} // namespace

class TestGenerators final : public QObject
{
    Q_OBJECT

private slots:
    void illConditionedHasTheChosenConditionNumber_data()
    {
        QTest::addColumn<double>("condition");
        QTest::newRow("1") << 1.0;
        QTest::newRow("1e3") << 1e3;
        QTest::newRow("1e8") << 1e8;
    }
    void illConditionedHasTheChosenConditionNumber()
    {
        QFETCH(double, condition);
        const auto source = "ill-conditioned:n=300,d=20,condition=" + std::to_string(condition);
        const auto data = load(source.c_str(), Precision::Double);
        QVERIFY(data);
        const Eigen::MatrixXd A = denseOf(data->train.features);
        const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> eigen(A.transpose() * A / 300);
        const auto values = eigen.eigenvalues();
        QVERIFY(std::abs(values(19) - 1) < 1e-10);
        QVERIFY(std::abs(values(0) * condition - 1) < 1e-6);
        QCOMPARE(data->kind, TargetKind::Real);
    }

    void consistentSystemHasASolution_data()
    {
        QTest::addColumn<Precision>("precision");
        QTest::newRow("single") << Precision::Single;
        QTest::newRow("double") << Precision::Double;
    }
    void consistentSystemHasASolution()
    {
        QFETCH(Precision, precision);
        const auto data = load("consistent:n=200,d=10", precision);
        QVERIFY(data);
        const Eigen::MatrixXd A = denseOf(data->train.features);
        const Eigen::Map<const Eigen::VectorXd> b(data->train.targets.data(), 200);
        const Eigen::VectorXd x = A.householderQr().solve(b);
        QVERIFY((A * x - b).norm() < 1e-12 * b.norm());
    }

    void gaussiansAreTwoBalancedClasses()
    {
        const auto data = load("gaussians-2d:n=1000,separation=8,stretch=1,test=10");
        QVERIFY(data);
        QCOMPARE(data->train.cols(), Index{2});
        QCOMPARE(data->test.rows(), Index{10});
        const Eigen::MatrixXd A = denseOf(data->train.features);
        int right = 0;
        for (Index i = 0; i < 1000; ++i)
            right += A(i, 0) * data->train.targets[static_cast<std::size_t>(i)] > 0;
        QVERIFY(right >= 998);
    }

    void sparseRowsAscendAndFollowThePowerLaw()
    {
        const auto data = load("sparse-logistic:n=2000,d=1000,nnz=20,test=100");
        QVERIFY(data);
        const auto &A = std::get<SparseMatrix<float>>(data->train.features);
        QCOMPARE(A.nonZeros(), Index{40000});
        int head = 0, positive = 0;
        for (Index i = 0; i < A.rows(); ++i) {
            const auto row = A.row(i);
            for (std::size_t k = 0; k < row.size(); ++k) {
                QVERIFY(row[k].column < 1000u);
                QVERIFY(k == 0 || row[k - 1].column < row[k].column);
                head += row[k].column < 10;
            }
            positive += data->train.targets[static_cast<std::size_t>(i)] > 0;
            QVERIFY(std::abs(data->train.squaredNorms[static_cast<std::size_t>(i)] - 1) < 1e-5);
        }
        QVERIFY(head > 8000); // uniform columns would give 400
        QVERIFY(positive > 400 && positive < 1600);
    }

    void moreNonZerosThanPopularColumnsStillEnds()
    {
        const auto data = load("sparse-logistic:n=5,d=50,nnz=50,exponent=5,test=0");
        QVERIFY(data);
        QCOMPARE(nonZerosOf(data->train.features), Index{250});
    }

    void sameSeedGivesTheSameHashAndAnotherSeedAnother_data()
    {
        QTest::addColumn<QByteArray>("name");
        for (const auto &info : generators())
            QTest::newRow(info.name.data()) << QByteArray(info.name.data(), static_cast<qsizetype>(info.name.size()));
    }
    void sameSeedGivesTheSameHashAndAnotherSeedAnother()
    {
        QFETCH(QByteArray, name);
        const auto a = load(name.constData()), b = load((name + ":seed=1").constData()),
                   c = load((name + ":seed=2").constData());
        QVERIFY(a && b && c);
        QCOMPARE(a->hash, b->hash);
        QVERIFY(a->hash != c->hash);
        QVERIFY(!a->provenance.empty());
        QCOMPARE(a->train.squaredNorms.size(), a->train.targets.size());
    }

    void mistakesInKeysAreNamed_data()
    {
        QTest::addColumn<QByteArray>("source");
        QTest::addColumn<QByteArray>("part");
        QTest::newRow("unknown key") << QByteArray("consistent:m=3") << QByteArray("no key \"m\"");
        QTest::newRow("no value") << QByteArray("consistent:n") << QByteArray("key=value");
        QTest::newRow("not a number") << QByteArray("consistent:n=many") << QByteArray("whole number");
        QTest::newRow("fraction") << QByteArray("consistent:n=2.5") << QByteArray("whole number");
        QTest::newRow("out of range") << QByteArray("consistent:n=0") << QByteArray("from 1");
        QTest::newRow("fewer rows than columns") << QByteArray("consistent:n=5,d=10") << QByteArray("at least d");
        QTest::newRow("beyond memory") << QByteArray("sparse-logistic:n=1e9,nnz=5000") << QByteArray("TiB");
    }
    void mistakesInKeysAreNamed()
    {
        QFETCH(QByteArray, source);
        QFETCH(QByteArray, part);
        DataRecipe recipe;
        recipe.source = source.toStdString();
        const auto result = loadDataset(recipe);
        QVERIFY(!result);
        QVERIFY2(QByteArray::fromStdString(result.error().message).contains(part), result.error().message.c_str());
    }

    void cancelLeavesNothing()
    {
        DataRecipe recipe;
        recipe.source = "ill-conditioned:n=4000,d=400";
        std::stop_source stop;
        Progress progress{.report =
                              [&](double fraction, std::string_view) {
                                  if (fraction > 0.01)
                                      stop.request_stop();
                              },
                          .stop = stop.get_token()};
        const auto result = loadDataset(recipe, progress);
        QVERIFY(!result);
        QCOMPARE(result.error().kind, Error::Kind::Cancelled);
    }
};

QTEST_GUILESS_MAIN(TestGenerators)
#include "tst_generators.moc"
