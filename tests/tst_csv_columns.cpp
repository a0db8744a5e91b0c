// Tables as they come: columns that are no features, words, missing values, a test file with its own order.

#include "DataFiles.h"

#include "data/Dataset.h"
#include "data/Preview.h"
#include "data/Recipe.h"

#include <QTest>

#include <cmath>

using namespace appa;

namespace {

using Names = std::vector<std::string>;
using Words = ColumnChoice::Words;
using Missing = ColumnChoice::Missing;

/// Row i of the features as numbers.
std::vector<double> row(const Samples &samples, Index i)
{
    return std::visit(
        [&](const auto &A) {
            std::vector<double> out(static_cast<std::size_t>(A.cols()));
            if constexpr (!std::decay_t<decltype(A)>::isSparse)
                std::copy(A.row(i), A.row(i) + A.cols(), out.begin());
            return out;
        },
        samples.features);
}

/// What was done in a step of that name; "" if there was none.
std::string detailOf(const Dataset &data, const std::string &what)
{
    for (const ProvenanceStep &step : data.provenance)
        if (step.what == what)
            return step.detail;
    return {};
}

} // namespace

class TestCsvColumns : public QObject
{
    Q_OBJECT

private:
    DataFiles m_files;

    DataRecipe recipeFor(const QByteArray &content)
    {
        DataRecipe recipe;
        recipe.source = m_files.write("table.csv", content);
        recipe.precision = Precision::Double;
        return recipe;
    }
    std::string errorOf(const DataRecipe &recipe)
    {
        const auto data = loadDataset(recipe);
        return data.ok() ? "no error" : data.error().message;
    }

private slots:
    void columnsAreChosenByNameNumberAndRange_data()
    {
        QTest::addColumn<QStringList>("only");
        QTest::addColumn<QStringList>("dropped");
        QTest::addColumn<QStringList>("left");
        QTest::newRow("all") << QStringList() << QStringList() << QStringList{"a", "b", "c", "d"};
        QTest::newRow("left out by name") << QStringList() << QStringList{"B"} << QStringList{"a", "c", "d"};
        QTest::newRow("left out by number and range") << QStringList() << QStringList{"1", "3-4"} << QStringList{"b"};
        QTest::newRow("only some") << QStringList{"d", "a"} << QStringList() << QStringList{"a", "d"};
        QTest::newRow("only a range, less one") << QStringList{"1-3"} << QStringList{"b"} << QStringList{"a", "c"};
        QTest::newRow("the label among them") << QStringList{"2-5"} << QStringList() << QStringList{"b", "c", "d"};
    }
    void columnsAreChosenByNameNumberAndRange()
    {
        QFETCH(QStringList, only);
        QFETCH(QStringList, dropped);
        QFETCH(QStringList, left);
        DataRecipe recipe = recipeFor("a,b,c,d,y\n1,2,3,4,0\n5,6,7,8,1\n");
        for (const QString &word : only)
            recipe.columns.only.push_back(word.toStdString());
        for (const QString &word : dropped)
            recipe.columns.dropped.push_back(word.toStdString());
        const auto data = loadDataset(recipe);
        QVERIFY2(data.ok(), data.ok() ? "" : data.error().message.c_str());
        Names names;
        std::vector<double> first;
        for (const QString &name : left) {
            names.push_back(name.toStdString());
            first.push_back(name[0].unicode() - 'a' + 1);
        }
        QCOMPARE(data.value()->columnNames, names);
        QCOMPARE(row(data.value()->train, 0), first);
    }

    void whatIsLeftOutNeedNotBeNumbers()
    {
        DataRecipe recipe = recipeFor("id,name,a,y\nx-1,\"Smith, J.\",1,0\nx-2,,2,1\n");
        recipe.columns.dropped = {"id", "name"};
        const auto data = loadDataset(recipe);
        QVERIFY2(data.ok(), data.ok() ? "" : data.error().message.c_str());
        QCOMPARE(row(data.value()->train, 1), std::vector<double>{2});
        QCOMPARE(detailOf(*data.value(), "choose columns"), std::string("1 of 3 are features"));
    }

    void wordsBecomeColumnsOfZerosAndOnes()
    {
        DataRecipe recipe = recipeFor("city,sex,age,y\nRome,f,30,0\nOslo,m,40,1\n\"Bonn\",f,50,0\nOslo,m,60,1\n");
        recipe.columns.words = Words::Indicators;
        const auto data = loadDataset(recipe);
        QVERIFY2(data.ok(), data.ok() ? "" : data.error().message.c_str());
        QCOMPARE(data.value()->columnNames, (Names{"city=Bonn", "city=Oslo", "city=Rome", "sex=m", "age"}));
        QCOMPARE(row(data.value()->train, 0), (std::vector<double>{0, 0, 1, 0, 30}));
        QCOMPARE(row(data.value()->train, 1), (std::vector<double>{0, 1, 0, 1, 40}));
        QCOMPARE(row(data.value()->train, 2), (std::vector<double>{1, 0, 0, 0, 50}));
        QCOMPARE(detailOf(*data.value(), "words as columns of zeros and ones"),
                 std::string("city (3 words), sex (2 words)"));
    }

    /// A column of numbers with one wrong entry is a mistake, not a category.
    void aWordAmongNumbersIsAMistake()
    {
        DataRecipe recipe = recipeFor("a,y\n1,0\n2x,1\n");
        recipe.columns.words = Words::Indicators;
        const std::string error = errorOf(recipe);
        QVERIFY2(error.find("line 3, column 1 (a)") != std::string::npos, error.c_str());
        QVERIFY2(error.find("\"2x\" is not a number") != std::string::npos, error.c_str());
    }

    void numbersWithACommaAreNoCategories()
    {
        for (const auto &[text, advice] :
             {std::pair("a;b;y\n1,5;red;0\n2,5;blue;1\n1,5;red;1\n",
                        "\"1,5\" has a decimal comma. Expected a point: write 1.5,"),
              std::pair("a,b,y\n\"1,5\",red,0\n\"2,5\",blue,1\n",
                        "write 1.5 if it is a decimal comma, or 15 if it separates thousands")}) {
            DataRecipe recipe = recipeFor(text);
            recipe.columns.words = Words::Indicators;
            const std::string error = errorOf(recipe);
            QVERIFY2(error.find("line 2, column 1 (a)") != std::string::npos, error.c_str());
            QVERIFY2(error.find(advice) != std::string::npos, error.c_str());
        }
        // Beside words it may be one.
        DataRecipe words = recipeFor("a;y\n1,5;0\nmore;1\n1,5;1\n");
        words.columns.words = Words::Indicators;
        QCOMPARE(errorOf(words), std::string("no error"));
        DataRecipe targets = recipeFor("a;y\n1;0,25\n2;1,5\n3;2,5\n");
        targets.regression = true;
        const std::string error = errorOf(targets);
        QVERIFY2(error.find("such as \"0,25\". Expected a point: write 0.25,") != std::string::npos, error.c_str());
    }

    void namesAndDatesAreNoCategories()
    {
        QByteArray text = "when,a,y\n";
        for (int k = 0; k < 200; ++k)
            text += "day" + QByteArray::number(k) + ",1," + QByteArray::number(k % 2) + "\n";
        DataRecipe recipe = recipeFor(text);
        recipe.columns.words = Words::Indicators;
        const std::string error = errorOf(recipe);
        QVERIFY2(error.find("column 1 (when)") != std::string::npos && error.find("Leave") != std::string::npos,
                 error.c_str());
        recipe.columns.dropped = {"when"};
        QCOMPARE(errorOf(recipe), std::string("no error"));
    }

    void rowsWithMissingValuesAreSkipped()
    {
        DataRecipe recipe = recipeFor("a,b,y\n1,2,0\n,3,1\n4,NA,0\n5,6,\n7,8,1\n");
        const std::string error = errorOf(recipe);
        QVERIFY2(error.find("line 3, column 1 (a)") != std::string::npos
                     && error.find("skip rows with missing values") != std::string::npos,
                 error.c_str());
        recipe.columns.missing = Missing::SkipRows;
        const auto data = loadDataset(recipe);
        QVERIFY2(data.ok(), data.ok() ? "" : data.error().message.c_str());
        QCOMPARE(data.value()->train.rows(), Index{2});
        QCOMPARE(row(data.value()->train, 1), (std::vector<double>{7, 8}));
        QCOMPARE(data.value()->train.targets, (std::vector<double>{-1, 1}));
        QVERIFY(detailOf(*data.value(), "skip rows with missing values").starts_with("3 of 5 rows"));

        recipe = recipeFor("a,b,y\n,2,0\n3,,1\n");
        recipe.columns.missing = Missing::SkipRows;
        QVERIFY(errorOf(recipe).find("every row misses a value") != std::string::npos);
        recipe.columns.dropped = {"a"};
        recipe.columns.missing = Missing::SkipRows;
        QVERIFY(errorOf(recipe).find("every row") == std::string::npos); // what is not used is not missed
    }

    void missingValuesGetTheMeanOfTheTrainingRows()
    {
        DataRecipe recipe = recipeFor("a,c,y\n1,u,0\n,v,1\n4,,0\n7,w,1\n");
        recipe.testFile = m_files.write("test.csv", "a,c,y\n?,u,1\n100,,0\n");
        recipe.columns.missing = Missing::Mean;
        recipe.columns.words = Words::Indicators;
        const auto data = loadDataset(recipe);
        QVERIFY2(data.ok(), data.ok() ? "" : data.error().message.c_str());
        const double third = 1.0 / 3;
        QCOMPARE(row(data.value()->train, 1), (std::vector<double>{4, 0, 1, 0}));
        QCOMPARE(row(data.value()->train, 2), (std::vector<double>{4, third, third, third}));
        QCOMPARE(row(data.value()->test, 0), (std::vector<double>{4, 1, 0, 0}));
        QCOMPARE(row(data.value()->test, 1), (std::vector<double>{100, third, third, third}));

        recipe = recipeFor("a,b,y\n1,,0\n2,,1\n");
        recipe.columns.missing = Missing::Mean;
        const std::string error = errorOf(recipe);
        QVERIFY2(error.find("b has no value") != std::string::npos, error.c_str());
        recipe = recipeFor("a,y\n1,\n2,1\n");
        recipe.columns.missing = Missing::Mean;
        QVERIFY(errorOf(recipe).find("column 2 (y)") != std::string::npos); // a label can't be made up
    }

    /// The hold-out is made first, so that nothing of the test rows gets into the training rows.
    void theMeanIsOfTheTrainingRowsAlone()
    {
        QByteArray text = "a,y\n,0\n,1\n";
        for (int k = 0; k < 18; ++k)
            text += QByteArray::number(k) + "," + QByteArray::number(k % 2) + "\n";
        DataRecipe recipe = recipeFor(text);
        recipe.holdout = 0.5;
        recipe.columns.missing = Missing::Mean;
        const auto data = loadDataset(recipe);
        QVERIFY2(data.ok(), data.ok() ? "" : data.error().message.c_str());
        std::vector<double> training, fills;
        for (const Samples *part : {&data.value()->train, &data.value()->test})
            for (Index i = 0; i < part->rows(); ++i) {
                const double a = row(*part, i)[0];
                if (a != std::floor(a))
                    fills.push_back(a);
                else if (part == &data.value()->train)
                    training.push_back(a);
            }
        double sum = 0;
        for (const double a : training)
            sum += a;
        QCOMPARE(fills.size(), std::size_t{2}); // no whole number with this seed
        for (const double a : fills)
            QCOMPARE(a, sum / static_cast<double>(training.size()));
    }

    void aTestFileMayHaveItsColumnsInAnotherOrder()
    {
        DataRecipe recipe = recipeFor("a,city,y,b\n1,Rome,0,2\n3,Oslo,1,4\n5,Bonn,1,6\n");
        recipe.label = "3";
        recipe.columns.words = Words::Indicators;
        recipe.testFile = m_files.write("test.csv", "extra,y,b,city,a\nz,1,20,Oslo,10\nz,0,40,Paris,30\n");
        const auto data = loadDataset(recipe);
        QVERIFY2(data.ok(), data.ok() ? "" : data.error().message.c_str());
        QCOMPARE(row(data.value()->test, 0), (std::vector<double>{10, 0, 1, 0, 20}));
        QCOMPARE(row(data.value()->test, 1), (std::vector<double>{30, 0, 0, 0, 40})); // a city not seen before
        QCOMPARE(data.value()->test.targets, (std::vector<double>{1, -1}));
        recipe.testFile = m_files.write("test.csv", "y,b,city\n1,20,Oslo\n");
        const std::string error = errorOf(recipe);
        QVERIFY2(error.find("no column \"a\"") != std::string::npos, error.c_str());
    }

    void aTestFileWithoutTheLabelIsRefused()
    {
        for (const char *test : {"a,b\n1,2\n3,4\n", "result,a,b\n1,1,2\n0,3,4\n"}) {
            DataRecipe recipe = recipeFor("a,b,outcome\n1,2,0\n3,4,1\n5,6,0\n");
            recipe.testFile = m_files.write("test.csv", test);
            const QString error = QString::fromStdString(errorOf(recipe));
            QVERIFY2(error.contains("no label column \"outcome\""), qPrintable(error));
        }
    }

    void aTableOfWordsHasItsHeader()
    {
        const QByteArray rows = "p,round,brown\ne,flat,white\np,flat,brown\ne,round,white\np,round,red\n";
        DataRecipe recipe = recipeFor("kind,shape,colour\n" + rows);
        recipe.columns.words = Words::Indicators;
        recipe.label = "kind";
        const auto named = loadDataset(recipe);
        QVERIFY2(named.ok(), errorOf(recipe).c_str());
        QCOMPARE(named.value()->train.rows(), Index(5));
        QCOMPARE(named.value()->columnNames, (Names{"shape=round", "colour=brown", "colour=red", "colour=white"}));
        // Without being told which column is the label: no field of the first row stands below it.
        recipe.label.clear();
        QCOMPARE(loadDataset(recipe).value()->train.rows(), Index(5));
        // Without a header the first row is like the others.
        DataRecipe bare = recipeFor(rows);
        bare.columns.words = Words::Indicators;
        bare.label = "1";
        QCOMPARE(loadDataset(bare).value()->train.rows(), Index(5));
    }

    void wordsThatOnlyTheTestFileHasAreTold()
    {
        DataRecipe recipe = recipeFor("answer,colour,y\nno,red,0\nyes,blue,1\nno,green,0\n");
        recipe.columns.words = Words::Indicators;
        recipe.testFile = m_files.write("test.csv", "answer,colour,y\nYes,red,1\nmaybe,pink,0\nno,blue,0\n");
        const auto data = loadDataset(recipe);
        QVERIFY2(data.ok(), errorOf(recipe).c_str());
        const QString told =
            QString::fromStdString(detailOf(*data.value(), "words that the training rows do not have"));
        QVERIFY2(told.contains("Yes, maybe (taken for no)") && told.contains("pink (zeros)"), qPrintable(told));
    }

    void plusAndMinusAreLabels()
    {
        const auto data = loadDataset(recipeFor("1,+\n2,-\n3,+\n"));
        QVERIFY2(data.ok(), data.ok() ? "" : data.error().message.c_str());
        QCOMPARE(data.value()->classNames, (Names{"+", "-"}));
    }

    void namesStayAsLongAsTheyHold()
    {
        DataRecipe recipe = recipeFor("a,b,y\n1,2,0\n3,4,1\n");
        recipe.transforms = {{.kind = Transform::Kind::StandardizeColumns}, {.kind = Transform::Kind::Affine}};
        QCOMPARE(loadDataset(recipe).value()->columnNames, (Names{"a", "b", "1"}));
        recipe.transforms = {{.kind = Transform::Kind::FourierFeatures, .count = 3}};
        const auto mapped = loadDataset(recipe).value();
        QVERIFY(mapped->columnNames.empty());
        QCOMPARE(mapped->columnName(1), std::string("feature 2"));
    }

    void wrongChoicesAreTold_data()
    {
        QTest::addColumn<QString>("only");
        QTest::addColumn<QString>("dropped");
        QTest::addColumn<QString>("said");
        QTest::newRow("no such name") << ""
                                      << "age"
                                      << "no column \"age\"";
        QTest::newRow("no such number") << "4"
                                        << ""
                                        << "from 1 to 3";
        QTest::newRow("backwards") << ""
                                   << "2-1"
                                   << "no column \"2-1\"";
        QTest::newRow("the label") << ""
                                   << "y"
                                   << "is the label's";
        QTest::newRow("nothing left") << ""
                                      << "1-2"
                                      << "no column is left";
    }
    void wrongChoicesAreTold()
    {
        QFETCH(QString, only);
        QFETCH(QString, dropped);
        QFETCH(QString, said);
        DataRecipe recipe = recipeFor("a,b,y\n1,2,0\n3,4,1\n");
        if (!only.isEmpty())
            recipe.columns.only = {only.toStdString()};
        if (!dropped.isEmpty())
            recipe.columns.dropped = {dropped.toStdString()};
        const std::string error = errorOf(recipe);
        QVERIFY2(error.find(said.toStdString()) != std::string::npos, error.c_str());
        recipe.source = m_files.write("rows.txt", "1 1:1\n-1 2:1\n");
        QVERIFY(errorOf(recipe).find("only CSV files have columns") != std::string::npos);
    }

    void thePreviewSaysWhichColumnsAreUsed()
    {
        DataRecipe recipe = recipeFor("id,a,b,y\nx,1,2,0\nz,3,4,1\n");
        recipe.columns.dropped = {"id", "3"};
        const auto preview = previewData(recipe);
        QVERIFY(preview.ok());
        QCOMPARE(preview.value().used, (std::vector<bool>{false, true, false, false}));
        QCOMPARE(preview.value().labelColumn, std::string("y"));
        QCOMPARE(preview.value().labels, (Names{"0", "1"}));
    }

    /// Pieces are looked through side by side; a word seen in one of them alone counts.
    void wordsOfALargeFileAreAllFound()
    {
        QByteArray text = "c,a,y\n";
        for (int k = 0; k < 200000; ++k)
            text += (k == 150000 ? QByteArray("rare")
                         : k % 3 ? QByteArray("one")
                                 : QByteArray("two"))
                + ",1," + QByteArray::number(k % 2) + "\n";
        DataRecipe recipe = recipeFor(text);
        recipe.columns.words = Words::Indicators;
        const auto data = loadDataset(recipe);
        QVERIFY2(data.ok(), data.ok() ? "" : data.error().message.c_str());
        QCOMPARE(data.value()->columnNames, (Names{"c=one", "c=rare", "c=two", "a"}));
        QCOMPARE(row(data.value()->train, 150000), (std::vector<double>{0, 1, 0, 1}));
    }
};

QTEST_GUILESS_MAIN(TestCsvColumns)
#include "tst_csv_columns.moc"
