#include "DataFiles.h"

#include "data/FourierFeatures.h"
#include "data/Random.h"
#include "data/TransformText.h"

#include <QTest>

#include <bit>
#include <cmath>
#include <numeric>
#include <set>

using namespace appa;

namespace {

// Few enough entries to stay sparse.
const QByteArray trainRows = "1 1:3 2:4\n-1 2:1\n1 1:1 2:1 3:7\n-1 9:2\n";
const QByteArray testRows = "1 1:6 2:8\n-1 3:1\n";

bool isSingle(const Features &features)
{
    return std::visit([](const auto &A) { return sizeof(typename std::decay_t<decltype(A)>::Scalar) == 4; }, features);
}

} // namespace

Q_DECLARE_METATYPE(std::vector<appa::Transform>)

class TestTransforms final : public QObject
{
    Q_OBJECT

    DataFiles m_files;

    DatasetPtr load(std::vector<Transform> transforms, bool dense, Precision precision = Precision::Double)
    {
        DataRecipe recipe;
        recipe.source =
            m_files.write("train.txt", dense ? QByteArray("3,4,0,1\n0,1,0,-1\n1,1,7,1\n0,0,2,-1\n") : trainRows);
        recipe.testFile = m_files.write("test.txt", dense ? QByteArray("6,8,0,1\n0,0,1,-1\n") : testRows);
        recipe.transforms = std::move(transforms);
        recipe.precision = precision;
        auto result = loadDataset(recipe);
        if (!result) {
            qWarning("%s", result.error().message.c_str());
            return nullptr;
        }
        return result.value();
    }

    static void storages()
    {
        QTest::addColumn<bool>("dense");
        QTest::addColumn<Precision>("precision");
        QTest::newRow("dense single") << true << Precision::Single;
        QTest::newRow("dense double") << true << Precision::Double;
        QTest::newRow("sparse single") << false << Precision::Single;
        QTest::newRow("sparse double") << false << Precision::Double;
    }

private slots:
    void meanNormUsesTheTrainingRows_data() { storages(); }
    void meanNormUsesTheTrainingRows()
    {
        QFETCH(bool, dense);
        QFETCH(Precision, precision);
        const auto data = load({{.kind = Transform::Kind::MeanNorm}}, dense, precision);
        QVERIFY(data);
        QCOMPARE(isSparse(data->train.features), !dense);
        QCOMPARE(isSingle(data->train.features), precision == Precision::Single);
        const double mean = (5 + 1 + std::sqrt(51.0) + 2) / 4;
        QVERIFY(std::abs(entry(data->train.features, 2, 2) - 7 / mean) < 1e-6);
        QVERIFY(std::abs(entry(data->test.features, 0, 1) - 8 / mean) < 1e-6);
        double sum = 0;
        for (const double q : data->train.squaredNorms)
            sum += std::sqrt(q);
        QVERIFY(std::abs(sum / 4 - 1) < 1e-6);
    }

    void rowsAreNormalizedEachByItself_data() { storages(); }
    void rowsAreNormalizedEachByItself()
    {
        QFETCH(bool, dense);
        QFETCH(Precision, precision);
        const auto data = load({{.kind = Transform::Kind::NormalizeRows}}, dense, precision);
        QVERIFY(data);
        for (const double q : data->train.squaredNorms)
            QVERIFY(std::abs(q - 1) < 1e-6);
        QVERIFY(std::abs(entry(data->test.features, 0, 1) - 0.8) < 1e-6);
    }

    void columnsAreStandardizedWithTrainingStatistics_data() { storages(); }
    void columnsAreStandardizedWithTrainingStatistics()
    {
        QFETCH(bool, dense);
        QFETCH(Precision, precision);
        const auto data = load({{.kind = Transform::Kind::StandardizeColumns}}, dense, precision);
        QVERIFY(data);
        // Column 1 is 3, 0, 1, 0: mean 1, variance (4 + 1 + 0 + 1) / 4.
        const double deviation = std::sqrt(1.5);
        const double shift = dense ? 1 : 0; // sparse columns are scaled only
        QVERIFY(std::abs(entry(data->train.features, 0, 0) - (3 - shift) / deviation) < 1e-6);
        QVERIFY(std::abs(entry(data->test.features, 0, 0) - (6 - shift) / deviation) < 1e-6);
        QCOMPARE(isSparse(data->train.features), !dense);
    }

    void constantColumnsDoNotBecomeNaN()
    {
        DataRecipe recipe;
        recipe.source = m_files.write("constant.csv", "999,1,0\n999,2,1\n999,3,0\n");
        recipe.transforms = {{.kind = Transform::Kind::StandardizeColumns}};
        const auto result = loadDataset(recipe);
        QVERIFY(result);
        QCOMPARE(entry(result.value()->train.features, 1, 0), 0.0);
        QVERIFY(result.value()->provenance.back().detail.find("1 constant") != std::string::npos);
    }

    void scalingTakesNumbersOfAnySize_data()
    {
        QTest::addColumn<QByteArray>("power");
        QTest::addColumn<QString>("transform");
        QTest::addColumn<bool>("dense");
        for (const char *power : {"e200", "e-200", "e-300"})
            for (const char *transform : {"mean-norm", "rows", "columns"})
                for (const bool dense : {true, false})
                    QTest::addRow("1%s, %s, %s", power, transform, dense ? "dense" : "sparse")
                        << QByteArray(power) << transform << dense;
    }
    void scalingTakesNumbersOfAnySize()
    {
        QFETCH(QByteArray, power);
        QFETCH(QString, transform);
        QFETCH(bool, dense);
        // Column 2 is of an ordinary size, except where the rows' norms would show it.
        const bool isMixed = transform == "columns";
        const auto loaded = [&](const QByteArray &e) {
            const QByteArray f = isMixed ? QByteArray() : e;
            DataRecipe recipe;
            recipe.source =
                m_files.write("sizes.txt",
                              dense ? "1" + e + ",4" + f + ",1\n-2" + e + ",3" + f + ",0\n2" + e + ",1" + f + ",0\n"
                                    : "1 1:1" + e + " 2:4" + f + "\n0 1:-2" + e + "\n1 2:1" + f + "\n0 9:1" + f + "\n");
            recipe.precision = Precision::Double;
            recipe.transforms = parseTransforms(transform.toStdString(), 1).value();
            return loadDataset(recipe);
        };
        const auto plain = loaded(""), extreme = loaded(power);
        QVERIFY(plain);
        QVERIFY2(extreme, extreme ? "" : extreme.error().message.c_str());
        QCOMPARE(isSparse(extreme.value()->train.features), !dense);
        for (Index i = 0; i < plain.value()->train.rows(); ++i)
            for (Index j = 0; j < plain.value()->train.cols(); ++j)
                QVERIFY(
                    std::abs(entry(extreme.value()->train.features, i, j) - entry(plain.value()->train.features, i, j))
                    < 1e-12);
    }

    void columnsThatSinglePrecisionBlursAreTold()
    {
        QByteArray text = "time,year,y\n";
        for (int i = 0; i < 10; ++i)
            text += QByteArray::number(1600000000 + 1000 * i) + "," + QByteArray::number(2000 + i) + ","
                + QByteArray::number(i % 2) + "\n";
        DataRecipe recipe;
        recipe.source = m_files.write("times.csv", text);
        recipe.transforms = {{.kind = Transform::Kind::StandardizeColumns}};
        const auto single = loadDataset(recipe);
        QVERIFY(single);
        const ProvenanceStep &step = single.value()->provenance.back();
        QVERIFY2(step.notice.find("time") != std::string::npos && step.notice.find("year") == std::string::npos,
                 step.notice.c_str());
        QCOMPARE(step.remedies, std::vector{Remedy::DoublePrecision});
        recipe.precision = Precision::Double;
        const auto exact = loadDataset(recipe);
        QVERIFY(exact);
        QCOMPARE(exact.value()->provenance.back().notice, std::string());
    }

    void numbersWhoseSquaresAreNoneAreRefused()
    {
        const auto messageFor = [&](const QByteArray &rows) {
            DataRecipe recipe;
            recipe.source = m_files.write("extreme.csv", rows);
            recipe.regression = true;
            recipe.precision = Precision::Double;
            const auto result = loadDataset(recipe);
            return result ? std::string() : result.error().message;
        };
        QVERIFY(messageFor("1,2,0\n1e200,1,2\n").find("row 2 has numbers too large") != std::string::npos);
        QVERIFY(messageFor("1e-200,0,0\n0,0,2\n").find("too small") != std::string::npos);
        QVERIFY(messageFor("1,2,0\n1,1,1e200\n").find("too large to be squared") != std::string::npos); // a target
        // Zeros, and what is small beside the rest, do no harm.
        QCOMPARE(messageFor("0,0,0\n0,0,2\n"), std::string());
        QCOMPARE(messageFor("1,2,0\n1e-200,0,2\n"), std::string());
    }

    void affineFeatureIsOneInEveryRow_data() { storages(); }
    void affineFeatureIsOneInEveryRow()
    {
        QFETCH(bool, dense);
        QFETCH(Precision, precision);
        const auto data = load({{.kind = Transform::Kind::Affine}}, dense, precision);
        QVERIFY(data);
        const Index last = dense ? 3 : 9;
        QCOMPARE(data->train.cols(), last + 1);
        for (Index i = 0; i < 4; ++i)
            QCOMPARE(entry(data->train.features, i, last), 1.0);
        QCOMPARE(entry(data->test.features, 1, last), 1.0);
        QCOMPARE(entry(data->train.features, 2, 2), 7.0);
    }

    void orderMattersAndIsKept()
    {
        const auto a = load({{.kind = Transform::Kind::Affine}, {.kind = Transform::Kind::NormalizeRows}}, true);
        const auto b = load({{.kind = Transform::Kind::NormalizeRows}, {.kind = Transform::Kind::Affine}}, true);
        QVERIFY(a && b);
        QVERIFY(std::abs(entry(a->train.features, 1, 3) - std::sqrt(0.5)) < 1e-12);
        QCOMPARE(entry(b->train.features, 1, 3), 1.0);
        QVERIFY(a->hash != b->hash);
        QCOMPARE(a->provenance.end()[-2].what, std::string("append an affine feature"));
        QCOMPARE(a->provenance.end()[-1].what, std::string("normalize each row"));
    }

    void rowsAreTaken()
    {
        DataRecipe recipe;
        recipe.source = "gaussians-2d:n=100,test=10";
        const auto all = loadDataset(recipe);
        recipe.transforms = {{.kind = Transform::Kind::FirstRows, .count = 30}};
        const auto first = loadDataset(recipe);
        QVERIFY(all && first);
        QCOMPARE(first.value()->train.rows(), Index{30});
        QCOMPARE(first.value()->test.rows(), Index{10});
        QCOMPARE(entry(first.value()->train.features, 29, 1), entry(all.value()->train.features, 29, 1));

        recipe.transforms = {{.kind = Transform::Kind::RandomRows, .count = 30, .seed = 5}};
        const auto a = loadDataset(recipe), b = loadDataset(recipe);
        recipe.transforms[0].seed = 6;
        const auto c = loadDataset(recipe);
        QVERIFY(a && b && c);
        QCOMPARE(a.value()->hash, b.value()->hash);
        QVERIFY(a.value()->hash != c.value()->hash);
        QCOMPARE(a.value()->train.targets.size(), std::size_t{30});

        recipe.transforms = {{.kind = Transform::Kind::FirstRows, .count = 1000}};
        const auto more = loadDataset(recipe);
        QVERIFY(more);
        QCOMPARE(more.value()->train.rows(), Index{100});
    }

    void holdOutSplitsWithoutLossOrOverlap()
    {
        QByteArray text;
        for (int i = 0; i < 1000; ++i)
            text += QByteArray::number(i) + "," + QByteArray::number(i % 2) + "\n";
        DataRecipe recipe;
        recipe.source = m_files.write("thousand.csv", text);
        recipe.holdout = 0.2;
        const auto result = loadDataset(recipe);
        QVERIFY(result);
        const Dataset &data = *result.value();
        QCOMPARE(data.test.rows(), Index{200});
        std::set<int> seen;
        for (const Samples *s : {&data.train, &data.test})
            for (Index i = 0; i < s->rows(); ++i) {
                const int id = static_cast<int>(entry(s->features, i, 0));
                QVERIFY(seen.insert(id).second);
                QCOMPARE(s->targets[static_cast<std::size_t>(i)], id % 2 ? 1.0 : -1.0);
            }
        QCOMPARE(seen.size(), std::size_t{1000});
        recipe.seed = 2;
        const auto other = loadDataset(recipe);
        QVERIFY(other && other.value()->hash != data.hash);
    }

    void cosineIsAsGoodAsFloat()
    {
        Random random(4);
        double worst = 0;
        for (int k = 0; k < 300000; ++k) {
            const double t = (random.uniform() - 0.5) * std::pow(10, k % 7);
            const double exact = std::cos(t);
            const double ulp = std::max(std::abs(exact), 1e-30) * 0x1p-23;
            worst = std::max(worst, std::abs(static_cast<double>(fastCosine(t)) - exact) / ulp);
        }
        QVERIFY2(worst < 2, std::to_string(worst).c_str());
    }

    void fourierFeaturesFollowTheFormula_data()
    {
        QTest::addColumn<bool>("avx2");
        QTest::addColumn<int>("kind");
        QTest::newRow("dense single, portable") << false << 0;
        QTest::newRow("dense single, AVX2 where it is") << true << 0;
        QTest::newRow("dense double") << true << 1;
        QTest::newRow("sparse single") << true << 2;
        QTest::newRow("sparse double") << true << 3;
    }
    void fourierFeaturesFollowTheFormula()
    {
        QFETCH(bool, avx2);
        QFETCH(int, kind);
        constexpr Index n = 13, d = 37, D = 43; // no multiples of any block
        Random random(9);
        std::vector<double> x(n * d);
        for (double &v : x)
            v = random.uniform() < 0.4 ? static_cast<double>(static_cast<float>(random.normal())) : 0;
        FourierFeatures::Options options{.count = D, .bandwidth = 1.5, .seed = 21, .allowAvx2 = avx2};
        FourierFeatures map(d, options);
        const Progress progress;
        const ProgressRange range{progress, 0, 1, "map"};
        QVERIFY(map.draw(range));
        const auto check = [&](const auto &A) {
            using M = std::decay_t<decltype(A)>;
            using T = typename M::Scalar;
            DenseMatrix<T> out(n, D);
            QVERIFY(map.map(A, out, range));
            for (Index j = 0; j < D; ++j) {
                // The j-th feature has a stream of its own: d normals, then its phase.
                Random own(21, static_cast<std::uint64_t>(j) + 1000);
                std::vector<double> w(d);
                for (double &v : w)
                    v = static_cast<double>(static_cast<float>(own.normal() / 1.5));
                const double b = 2 * std::numbers::pi * own.uniform();
                for (Index i = 0; i < n; ++i) {
                    double t = b;
                    for (Index k = 0; k < d; ++k)
                        t += w[static_cast<std::size_t>(k)] * x[static_cast<std::size_t>(i * d + k)];
                    const double expected = std::sqrt(2.0 / D) * std::cos(t);
                    QVERIFY(std::abs(static_cast<double>(out.row(i)[j]) - expected) < (sizeof(T) == 4 ? 2e-6 : 1e-14));
                }
            }
        };
        const auto dense = [&]<class T>(T) {
            DenseMatrix<T> A(n, d);
            for (Index i = 0; i < n * d; ++i)
                A.row(0)[i] = static_cast<T>(x[static_cast<std::size_t>(i)]);
            check(A);
        };
        const auto sparse = [&]<class T>(T) {
            std::vector<Index> starts = {0};
            std::vector<typename SparseMatrix<T>::Entry> entries;
            for (Index i = 0; i < n; ++i) {
                for (Index j = 0; j < d; ++j)
                    if (x[static_cast<std::size_t>(i * d + j)] != 0)
                        entries.push_back(
                            {static_cast<std::uint32_t>(j), static_cast<T>(x[static_cast<std::size_t>(i * d + j)])});
                starts.push_back(static_cast<Index>(entries.size()));
            }
            check(SparseMatrix<T>(d, starts, entries));
        };
        switch (kind) {
        case 0:
            return dense(0.0f);
        case 1:
            return dense(0.0);
        case 2:
            return sparse(0.0f);
        default:
            return sparse(0.0);
        }
    }

    void fourierFeaturesDoNotDependOnTheNumberOfThreads()
    {
        constexpr Index n = 501, d = 20, D = 130;
        Random random(2);
        DenseMatrix<float> A(n, d);
        for (Index i = 0; i < n * d; ++i)
            A.row(0)[i] = static_cast<float>(random.normal());
        const Progress progress;
        std::vector<std::uint32_t> bits[2];
        for (const int threads : {1, 5}) {
            FourierFeatures map(d, {.count = D, .threads = threads});
            DenseMatrix<float> out(n, D);
            QVERIFY(map.draw({progress, 0, 1, "draw"}) && map.map(A, out, {progress, 0, 1, "map"}));
            for (Index i = 0; i < n * D; ++i)
                bits[threads > 1].push_back(std::bit_cast<std::uint32_t>(out.row(0)[i]));
        }
        QCOMPARE(bits[0], bits[1]);
    }

    void listsAreWrittenAndReadBack_data()
    {
        using Kind = Transform::Kind;
        QTest::addColumn<QByteArray>("text");
        QTest::addColumn<std::vector<Transform>>("list");
        const auto row = [](const char *text, std::vector<Transform> list) {
            QTest::newRow(text) << QByteArray(text) << std::move(list);
        };
        row("none", {});
        row("affine,mean-norm", {{.kind = Kind::Affine}, {.kind = Kind::MeanNorm}});
        row("columns,rows", {{.kind = Kind::StandardizeColumns}, {.kind = Kind::NormalizeRows}});
        row("first:30,random:20:7",
            {{.kind = Kind::FirstRows, .count = 30}, {.kind = Kind::RandomRows, .count = 20, .seed = 7}});
        row("rff", {{.kind = Kind::FourierFeatures}});
        row("rff:auto:0.1", {{.kind = Kind::FourierFeatures, .bandwidth = 0.1}});
        row("rff:1200:0.30000000000000004:18446744073709551615",
            {{.kind = Kind::FourierFeatures, .count = 1200, .bandwidth = 0.1 + 0.2, .seed = ~std::uint64_t{0}}});
    }
    void listsAreWrittenAndReadBack()
    {
        QFETCH(QByteArray, text);
        QFETCH(std::vector<Transform>, list);
        QCOMPARE(textOf(list), text.toStdString());
        const auto read = parseTransforms(text.toStdString());
        QVERIFY2(read, read ? "" : read.error().message.c_str());
        QVERIFY(read.value() == list);
    }

    void seedsThatAreNotWrittenAreTheDataSeed()
    {
        const auto list = parseTransforms("random:5,rff:10,rff:10:1:3,mean-norm", 9).value();
        QCOMPARE(list[0].seed, 9u);
        QCOMPARE(list[1].seed, 9u);
        QCOMPARE(list[2].seed, 3u);
        QCOMPARE(list[3].seed, 1u);
    }

    void listsThatCantBeRead_data()
    {
        QTest::addColumn<QByteArray>("what");
        for (const char *unknown : {"", "standardise", "mean-norm,", "mean-norm,,affine", ":3"})
            QTest::newRow(unknown) << QByteArray("is not a transform. Known: mean-norm, rows");
        for (const char *number : {"first", "first:0", "first:-2", "first:1e3", "first:2:3", "random:2:1:1"})
            QTest::newRow(number) << QByteArray("N a whole number");
        for (const char *map : {"rff:", "rff:0", "rff:10:", "rff:10:-1", "rff:10:inf", "rff:10:1:2:3", "rff:10:nan"})
            QTest::newRow(map) << QByteArray("rff[:D");
        for (const char *bandwidth : {"rff:10:0", "rff:10:1e-300", "rff:10:1e31", "rff:10:one"})
            QTest::newRow(bandwidth) << QByteArray("the bandwidth must be a number from 1e-30 to 1e30, not");
        for (const char *seed : {"random:2:x", "random:2:18446744073709551616", "rff:10:1:-1"})
            QTest::newRow(seed) << QByteArray("the seed must be a whole number from 0 to 18446744073709551615");
        QTest::newRow("affine:1") << QByteArray("without numbers");
    }
    void listsThatCantBeRead()
    {
        QFETCH(QByteArray, what);
        const auto read = parseTransforms(QTest::currentDataTag());
        QVERIFY(!read);
        QCOMPARE(read.error().kind, Error::Kind::Usage);
        QVERIFY2(QByteArray::fromStdString(read.error().message).contains(what), read.error().message.c_str());
    }

    void featuresThatWouldBeNoiseAreRefused_data()
    {
        QTest::addColumn<double>("bandwidth");
        QTest::addColumn<bool>("inSingle");
        QTest::addColumn<bool>("inDouble");
        QTest::newRow("small") << 1e-4 << true << true;
        QTest::newRow("too small for single precision") << 1e-8 << false << true;
        QTest::newRow("too small for any") << 1e-29 << false << false;
        QTest::newRow("not to be drawn for") << 1e-300 << false << false;
        QTest::newRow("zero") << 0.0 << false << false;
        QTest::newRow("not a number") << std::nan("") << false << false;
    }
    void featuresThatWouldBeNoiseAreRefused()
    {
        QFETCH(double, bandwidth);
        for (const Precision precision : {Precision::Single, Precision::Double}) {
            QFETCH(bool, inSingle);
            QFETCH(bool, inDouble);
            DataRecipe recipe;
            recipe.source = "gaussians-2d:n=50";
            recipe.precision = precision;
            recipe.transforms = {{.kind = Transform::Kind::FourierFeatures, .count = 7, .bandwidth = bandwidth}};
            const auto made = loadDataset(recipe);
            QCOMPARE(made.ok(), precision == Precision::Single ? inSingle : inDouble);
            if (!made)
                QVERIFY2(made.error().message.find("bandwidth") != std::string::npos, made.error().message.c_str());
        }
    }

    void progressMovesForwardAndEvenly()
    {
        DataRecipe recipe;
        recipe.source = "gaussians-2d:n=3000,test=10";
        recipe.transforms = {{.kind = Transform::Kind::MeanNorm},
                             {.kind = Transform::Kind::FourierFeatures, .count = 2000}};
        double last = 0, before = -1;
        const Progress progress{.report =
                                    [&](double fraction, std::string_view what) {
                                        QVERIFY(fraction >= last && fraction <= 1);
                                        last = fraction;
                                        if (before < 0 && what.starts_with("random Fourier"))
                                            before = fraction;
                                    },
                                .stop = {}};
        QVERIFY(loadDataset(recipe, progress));
        QCOMPARE(last, 1.0);
        // The features take nearly all of the time.
        QVERIFY2(before > 0 && before < 0.2, qPrintable(QString::number(before)));
    }

    void fourierFeaturesApproximateTheGaussianKernel()
    {
        const auto data =
            load({{.kind = Transform::Kind::FourierFeatures, .count = 4000, .bandwidth = 4}}, true, Precision::Single);
        QVERIFY(data);
        const auto &Z = std::get<DenseMatrix<float>>(data->train.features);
        const auto dot = [&](Index i, Index j) {
            return std::inner_product(Z.row(i), Z.row(i) + Z.cols(), Z.row(j), 0.0);
        };
        const double between = 9 + 9; // |(3,4,0) - (0,1,0)|^2
        QVERIFY(std::abs(dot(0, 1) - std::exp(-between / 32)) < 0.06);
        QVERIFY(std::abs(dot(0, 0) - 1) < 0.06);
    }
};

QTEST_GUILESS_MAIN(TestTransforms)
#include "tst_transforms.moc"
