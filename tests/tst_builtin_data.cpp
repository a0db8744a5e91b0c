#include "data/Catalogue.h"
#include "data/Recipe.h"

#include <QTest>

#include <numeric>

using namespace appa;

namespace {

DatasetPtr load(const DataRecipe &recipe)
{
    auto result = loadDataset(recipe);
    if (!result) {
        qWarning("%s", result.error().message.c_str());
        return nullptr;
    }
    return result.value();
}

std::vector<Index> numbers(const std::vector<std::pair<std::string, Index>> &counts)
{
    std::vector<Index> out;
    for (const auto &[name, count] : counts)
        out.push_back(count);
    return out;
}

} // namespace

class TestBuiltinData final : public QObject
{
    Q_OBJECT

private slots:
    void picturesComeAsTheyAre_data()
    {
        QTest::addColumn<QByteArray>("name");
        QTest::newRow("mnist") << QByteArray("mnist-6k");
        QTest::newRow("fashion") << QByteArray("fashion-6k");
    }
    void picturesComeAsTheyAre()
    {
        QFETCH(QByteArray, name);
        DataRecipe recipe;
        recipe.source = name.toStdString();
        const auto data = load(recipe);
        QVERIFY(data);
        QCOMPARE(data->train.rows(), Index{6000});
        QCOMPARE(data->test.rows(), Index{2000});
        QCOMPARE(data->train.cols(), Index{784});
        QCOMPARE(data->kind, TargetKind::Binary);
        const auto &A = std::get<DenseMatrix<float>>(data->train.features);
        const float *end = A.row(0) + 6000 * 784;
        QCOMPARE(*std::min_element(A.row(0), end), 0.0f);
        QCOMPARE(*std::max_element(A.row(0), end), 255.0f);
        QVERIFY(data->provenance.size() == 2); // the set itself, the labels: nothing else was done
    }

    void digitsHaveTheirCounts()
    {
        DataRecipe recipe;
        recipe.positive = {"classes"};
        const auto data = load(recipe);
        QVERIFY(data);
        QCOMPARE(data->kind, TargetKind::Classes);
        const auto info = describe(*data);
        QCOMPARE(numbers(info.labelCounts), (std::vector<Index>{592, 671, 581, 608, 623, 514, 608, 651, 551, 601}));
        QCOMPARE(numbers(info.testLabelCounts), (std::vector<Index>{175, 234, 219, 207, 217, 179, 178, 205, 192, 194}));
    }

    void defaultLabelsAreThePapers()
    {
        const auto data = load(DataRecipe{});
        QVERIFY(data);
        QCOMPARE(data->classNames, (std::vector<std::string>{"0, 3, 6, 8, 9", "1, 2, 4, 5, 7"}));
        QCOMPARE(numbers(describe(*data).labelCounts), (std::vector<Index>{2960, 3040}));
    }

    void firstLaunchOpensWithFourierFeatures()
    {
        const auto recipe = defaultRecipe();
        QCOMPARE(recipe.source, std::string("mnist-6k"));
        const auto data = load(recipe);
        QVERIFY(data);
        QCOMPARE(data->train.cols(), Index{1200});
        QCOMPARE(data->test.cols(), Index{1200});
        // cos^2 is 1/2 on average, so |z|^2 = (2/D) sum cos^2 is close to 1.
        const auto &norms = data->train.squaredNorms;
        const double mean = std::accumulate(norms.begin(), norms.end(), 0.0) / 6000;
        QVERIFY(std::abs(mean - 1) < 0.01);
    }

    void catalogueListsEveryName()
    {
        qputenv("APPA_DATA_DIR", "/nonexistent");
        std::vector<std::string> names;
        for (const auto &entry : catalogue()) {
            names.push_back(entry.name);
            QVERIFY(!entry.description.empty());
            QCOMPARE(entry.isAvailable, entry.kind != CatalogueEntry::Kind::Download);
        }
        QCOMPARE(names,
                 (std::vector<std::string>{"mnist-6k", "fashion-6k", "ill-conditioned", "consistent", "gaussians-2d",
                                           "sparse-logistic", "mnist", "cifar10", "protein"}));
        DataRecipe recipe;
        recipe.source = "cifar10";
        const auto result = loadDataset(recipe);
        QVERIFY(!result);
        QVERIFY(result.error().message.find("data get cifar10") != std::string::npos);
    }
};

QTEST_GUILESS_MAIN(TestBuiltinData)
#include "tst_builtin_data.moc"
