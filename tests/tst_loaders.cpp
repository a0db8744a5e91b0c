#include "DataFiles.h"

#include "data/Catalogue.h"
#include "data/Random.h"
#include "data/loaders/Loaders.h"
#include "data/loaders/Numbers.h"

#include <QTest>

#include <bit>
#include <charconv>
#include <cmath>

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

bool mentions(const Dataset &data, const char *text)
{
    for (const auto &step : data.provenance)
        if ((step.what + ": " + step.detail).find(text) != std::string::npos)
            return true;
    return false;
}

/// Reads "text" as the loaders do: followed by a line's end.
ParsedNumber parse(const std::string &text)
{
    static std::string buffer;
    buffer = text + "\n";
    return parseNumber(buffer.data(), buffer.data() + text.size());
}

} // namespace

class TestLoaders final : public QObject
{
    Q_OBJECT

    DataFiles m_files;

private slots:
    void numbersAreCorrectlyRounded_data()
    {
        QTest::addColumn<QByteArray>("text");
        for (const char *text : {"0",
                                 "-0",
                                 "1",
                                 "-1",
                                 "+1",
                                 "0.1",
                                 ".5",
                                 "5.",
                                 "1e0",
                                 "1E+2",
                                 "1e-2",
                                 "123456789.123456789",
                                 "9007199254740992",
                                 "9007199254740993",
                                 "9007199254740995",
                                 "1e22",
                                 "1e23",
                                 "1.7976931348623157e308",
                                 "4.9e-324",
                                 "2.2250738585072011e-308",
                                 "0.30000000000000004",
                                 "3.14159265358979323846264338327950288",
                                 "1e-22",
                                 "1e-23",
                                 "00000000000000000000000001.5",
                                 "0.000000000000000000000000000000000000001",
                                 "12345678901234567890123",
                                 "7.0e-10",
                                 "8.988465674311580e+307"})
            QTest::newRow(text) << QByteArray(text);
    }
    void numbersAreCorrectlyRounded()
    {
        QFETCH(QByteArray, text);
        const auto number = parse(text.toStdString());
        QCOMPARE(number.status, NumberStatus::Ok);
        double expected = 0;
        const char *first = text.constData() + (text.startsWith('+') ? 1 : 0);
        std::from_chars(first, text.constData() + text.size(), expected);
        QCOMPARE(std::bit_cast<quint64>(number.value), std::bit_cast<quint64>(expected));
    }

    void everyPrintedNumberReadsBackToItself()
    {
        Random random(11);
        char buffer[64];
        for (int k = 0; k < 200000; ++k) {
            const auto bits = random.bits();
            double value = std::bit_cast<double>(bits);
            if (!std::isfinite(value) || k % 2 == 0)
                value = (random.uniform() - 0.5) * std::pow(10, static_cast<double>(k % 20));
            // As few digits as needed, or a fixed number of them, as data files have.
            const auto end = k % 3 == 0
                ? std::to_chars(buffer, buffer + 60, value, std::chars_format::general, k % 17 + 1).ptr
                : std::to_chars(buffer, buffer + 60, value).ptr;
            const std::string text(buffer, end);
            double expected = 0;
            if (std::from_chars(text.data(), text.data() + text.size(), expected).ec != std::errc{})
                continue; // rounded beyond the largest number
            const auto number = parse(text);
            QVERIFY2(number.status == NumberStatus::Ok
                         && std::bit_cast<quint64>(number.value) == std::bit_cast<quint64>(expected),
                     text.c_str());
        }
    }

    void numbersAtTheEdges_data()
    {
        QTest::addColumn<QByteArray>("text");
        QTest::addColumn<int>("status");
        QTest::addColumn<double>("value");
        const auto row = [](const char *text, NumberStatus status, double value = 0) {
            QTest::newRow(text) << QByteArray(text) << static_cast<int>(status) << value;
        };
        row("1e999", NumberStatus::NotFinite);
        row("-1e999999999999999999999", NumberStatus::NotFinite);
        row("1e-999", NumberStatus::Ok, 0);
        row("1e-999999999999999999999", NumberStatus::Ok, 0);
        row("0e999999999999", NumberStatus::Ok, 0);
        row("0.00001e-400", NumberStatus::Ok, 0);
        row("100000000000000000000000000e-400", NumberStatus::Ok, 0);
        row("inf", NumberStatus::NotFinite);
        row("-nan", NumberStatus::NotFinite);
        row("", NumberStatus::NotANumber);
        row("-", NumberStatus::NotANumber);
        row("+-1", NumberStatus::NotANumber);
        row(".", NumberStatus::NotANumber);
        row("abc", NumberStatus::NotANumber);
    }
    void numbersAtTheEdges()
    {
        QFETCH(QByteArray, text);
        QFETCH(int, status);
        QFETCH(double, value);
        const auto number = parse(text.toStdString());
        QCOMPARE(static_cast<int>(number.status), status);
        if (number.status == NumberStatus::Ok)
            QCOMPARE(number.value, value);
    }

    void libsvmRows_data()
    {
        QTest::addColumn<QByteArray>("content");
        const QByteArray plain = "+1 1:0.5 3:-2\n-1 2:1e-1\n";
        QTest::newRow("plain") << plain;
        QTest::newRow("gz") << gzipped(plain);
        QTest::newRow("gz filled up with zeros") << gzipped(plain) + QByteArray(512, '\0');
        QTest::newRow("two gz members") << gzipped(plain.first(14)) + gzipped(plain.mid(14));
        QTest::newRow("CRLF") << QByteArray("+1 1:0.5 3:-2\r\n-1 2:1e-1\r\n");
        QTest::newRow("no final newline") << QByteArray("+1 1:0.5 3:-2\n-1 2:1e-1");
        QTest::newRow("BOM") << QByteArray("\xEF\xBB\xBF+1 1:0.5 3:-2\n-1 2:1e-1\n");
        QTest::newRow("comments, qid, blanks")
            << QByteArray("# head\n\n+1  qid:7 \t1:0.5 3:-2 # tail 9:9\n  -1 2:1e-1  \n#\n");
        QTest::newRow("explicit zeros") << QByteArray("1 1:0.5 2:0 3:-2\n-1 1:0 2:0.1 3:-0.0\n");
        QTest::newRow("0-based") << QByteArray("1 0:0.5 2:-2\n-1 1:.1\n");
    }
    void libsvmRows()
    {
        QFETCH(QByteArray, content);
        DataRecipe recipe;
        recipe.source = m_files.write("rows.txt", content);
        const auto data = load(recipe);
        QVERIFY(data);
        QCOMPARE(data->train.rows(), Index{2});
        QCOMPARE(data->train.cols(), Index{3});
        QCOMPARE(data->train.targets, (std::vector<double>{1, -1}));
        QCOMPARE(nonZerosOf(data->train.features) >= 3, true);
        QCOMPARE(entry(data->train.features, 0, 0), 0.5);
        QCOMPARE(entry(data->train.features, 0, 2), -2.0);
        QCOMPARE(entry(data->train.features, 1, 1), static_cast<double>(0.1f));
        QCOMPARE(mentions(*data, "0-based"), qstrcmp(QTest::currentDataTag(), "0-based") == 0);
    }

    void piecesParsedSideBySideGiveTheSameRows()
    {
        // Several megabytes with rows of all lengths, explicit zeros and comments, so that pieces must be moved
        // together.
        QByteArray text;
        Random random(3);
        for (int i = 0; i < 60000; ++i) {
            text += i % 3 ? "1" : "-1";
            for (int j = 1 + static_cast<int>(random.below(9)); j < 60; j += 1 + static_cast<int>(random.below(20)))
                text += " " + QByteArray::number(j) + ":"
                    + QByteArray::number(i % 7 == 0 && j % 5 == 0 ? 0.0 : random.normal());
            text += i % 11 == 0 ? " # a:b c:d\n" : "\n";
        }
        const Bytes bytes = Bytes::view({text.constData(), static_cast<std::size_t>(text.size())}, "text");
        const Progress progress;
        std::uint64_t hashes[2];
        for (const int threads : {1, 4}) {
            auto table =
                readLibsvm(bytes, {.precision = Precision::Double, .threads = threads}, {progress, 0, 1, "read"});
            QVERIFY(table);
            Samples samples;
            samples.features = std::move(table.value().features);
            samples.targets = std::move(table.value().labels);
            QCOMPARE(samples.rows(), Index{60000});
            hashes[threads > 1] = hashOf(samples, {});
        }
        QCOMPARE(hashes[0], hashes[1]);
        // The last row, read by itself, is the same.
        const int start = static_cast<int>(text.lastIndexOf('\n', text.size() - 2)) + 1;
        const Bytes last =
            Bytes::view({text.constData() + start, static_cast<std::size_t>(text.size() - start)}, "last");
        QVERIFY(readLibsvm(last, {}, {progress, 0, 1, "read"}));
    }

    void sparseStaysSparseAndFullBecomesDense()
    {
        DataRecipe recipe;
        recipe.source = m_files.write("sparse.txt", "1 1:1\n-1 9:1\n");
        auto data = load(recipe);
        QVERIFY(data && std::holds_alternative<SparseMatrix<float>>(data->train.features));
        recipe.precision = Precision::Double;
        data = load(recipe);
        QVERIFY(data && std::holds_alternative<SparseMatrix<double>>(data->train.features));
        recipe.source = m_files.write("full.txt", "1 1:1 2:2\n-1 1:3 2:4\n");
        data = load(recipe);
        QVERIFY(data && std::holds_alternative<DenseMatrix<double>>(data->train.features));
        QVERIFY(mentions(*data, "stored dense"));
    }

    void testFileMayHaveOtherColumns_data()
    {
        QTest::addColumn<QByteArray>("train");
        QTest::addColumn<QByteArray>("test");
        QTest::newRow("test wider") << QByteArray("1 1:1\n-1 2:1\n") << QByteArray("1 5:1\n");
        QTest::newRow("test narrower") << QByteArray("1 1:1\n-1 5:1\n") << QByteArray("1 2:1\n");
        QTest::newRow("dense, test wider")
            << QByteArray("1 1:1 2:1 3:1 4:1 5:1\n-1 1:1 2:1 3:1 4:1 5:1\n") << QByteArray("-1 1:1\n");
        QTest::newRow("csv") << QByteArray("1,2,1\n3,4,-1\n") << QByteArray("1,2,3,4,5,1\n");
    }
    void testFileMayHaveOtherColumns()
    {
        QFETCH(QByteArray, train);
        QFETCH(QByteArray, test);
        DataRecipe recipe;
        recipe.source = m_files.write("train.txt", train);
        recipe.testFile = m_files.write("test.txt", test);
        const auto data = load(recipe);
        QVERIFY(data);
        QCOMPARE(data->train.cols(), Index{5});
        QCOMPARE(data->test.cols(), Index{5});
        QCOMPARE(data->test.rows(), Index{1});
        QCOMPARE(data->train.features.index(), data->test.features.index());
    }

    void zeroBasedTrainingFileRulesItsTestFile()
    {
        DataRecipe recipe;
        recipe.source = m_files.write("train.txt", "1 0:1 3:1\n-1 1:1\n");
        recipe.testFile = m_files.write("test.txt", "1 1:5\n");
        const auto data = load(recipe);
        QVERIFY(data);
        QCOMPARE(entry(data->test.features, 0, 1), 5.0);
    }

    void csvRows_data()
    {
        QTest::addColumn<QByteArray>("content");
        QTest::addColumn<QByteArray>("label");
        QTest::newRow("plain") << QByteArray("1,2,0\n3,4.5,1\n") << QByteArray();
        QTest::newRow("header") << QByteArray("a,b,c\n1,2,0\n3,4.5,1\n") << QByteArray();
        QTest::newRow("semicolons") << QByteArray("1;2;0\n3;4.5;1\n") << QByteArray();
        QTest::newRow("tabs, CRLF, BOM") << QByteArray("\xEF\xBB\xBF"
                                                       "1\t2\t0\r\n3\t4.5\t1")
                                         << QByteArray();
        QTest::newRow("blanks") << QByteArray("\n 1 , 2 , 0 \n\n 3, 4.5 ,1\n  \n") << QByteArray();
        QTest::newRow("quotes") << QByteArray(
            "\"a\",\"b, or \"\"c\"\"\",\"d\ne\"\n\"1\",\"2\",\"0\"\n3,\" 4.5\",\"1\"\n")
                                << QByteArray();
        QTest::newRow("label by name") << QByteArray("y,a,b\n0,1,2\n1,3,4.5\n") << QByteArray("Y");
        QTest::newRow("label by usual name") << QByteArray("a,Class,b\n1,0,2\n3,1,4.5\n") << QByteArray();
        QTest::newRow("label by number") << QByteArray("1,0,2\n3,1,4.5\n") << QByteArray("2");
        QTest::newRow("words as labels") << QByteArray("1,2,ant\n3,4.5,bee\n") << QByteArray();
        QTest::newRow("words as labels, header") << QByteArray("p,q,r\n1,2,\"ant\"\n3,4.5,bee\n") << QByteArray();
        QTest::newRow("quoted line's end first") << QByteArray("\"a\nb\",c,y\n1,2,0\n3,4.5,1\n") << QByteArray();
        QTest::newRow("comments above") << QByteArray("# one\n# two, three\n1,2,0\n3,4.5,1\n") << QByteArray();
        QTest::newRow("header behind a #") << QByteArray("# notes\n#y,a,b\n0,1,2\n1,3,4.5\n") << QByteArray("y");
        QTest::newRow("gz") << gzipped("1,2,0\n3,4.5,1\n") << QByteArray();
    }
    void csvRows()
    {
        QFETCH(QByteArray, content);
        QFETCH(QByteArray, label);
        DataRecipe recipe;
        recipe.source = m_files.write("rows.csv", content);
        recipe.label = label.toStdString();
        const auto data = load(recipe);
        QVERIFY(data);
        QCOMPARE(data->train.rows(), Index{2});
        QCOMPARE(data->train.cols(), Index{2});
        QCOMPARE(data->train.targets, (std::vector<double>{-1, 1}));
        QCOMPARE(entry(data->train.features, 0, 0), 1.0);
        QCOMPARE(entry(data->train.features, 1, 1), 4.5);
    }

    void labelWordsMeanWhatTheirQuotesSay()
    {
        DataRecipe recipe;
        recipe.source = m_files.write("words.csv", "1,2,\"5\"\" pipe\"\n3,4,plain\n5,6,\"plain\"\n");
        const auto data = load(recipe);
        QVERIFY(data);
        QCOMPARE(data->classNames, (std::vector<std::string>{"5\" pipe", "plain"}));
        QCOMPARE(data->train.targets, (std::vector<double>{-1, 1, 1}));
    }

    void largeCsvWithAndWithoutQuotes_data()
    {
        QTest::addColumn<bool>("quoted");
        QTest::newRow("plain") << false;
        QTest::newRow("quoted") << true;
    }
    void largeCsvWithAndWithoutQuotes()
    {
        QFETCH(bool, quoted);
        QByteArray text = "a,b,c,y\n";
        for (int i = 0; i < 100000; ++i)
            text += QByteArray::number(i) + (quoted && i % 100 == 0 ? ",\"0.25\"," : ",0.25,") + QByteArray::number(-i)
                + ",cl" + QByteArray::number(i % 2) + "\n";
        DataRecipe recipe;
        recipe.source = m_files.write("large.csv", text);
        const auto data = load(recipe);
        QVERIFY(data);
        QCOMPARE(data->train.rows(), Index{100000});
        for (Index i = 0; i < 100000; i += 777) {
            QCOMPARE(entry(data->train.features, i, 0), static_cast<double>(i));
            QCOMPARE(entry(data->train.features, i, 2), static_cast<double>(-i));
            QCOMPARE(data->train.targets[static_cast<std::size_t>(i)], i % 2 ? 1.0 : -1.0);
        }
    }

    void idxFromEitherFileOrFolder_data()
    {
        QTest::addColumn<QString>("source");
        QTest::newRow("images") << "idx/train-images-idx3-ubyte";
        QTest::newRow("labels") << "idx/train-labels-idx1-ubyte.gz";
        QTest::newRow("folder") << "idx";
    }
    void idxFromEitherFileOrFolder()
    {
        QFETCH(QString, source);
        m_files.write("idx/train-images-idx3-ubyte",
                      idx({3, 2, 2}, QByteArray("\0\1\2\3\4\5\6\7\xff\xfe\xfd\xfc", 12)));
        m_files.write("idx/train-labels-idx1-ubyte.gz", gzipped(idx({3}, QByteArray("\3\5\3", 3))));
        m_files.write("idx/t10k-images-idx3-ubyte.gz", gzipped(idx({1, 2, 2}, "abcd")));
        m_files.write("idx/t10k-labels-idx1-ubyte.gz", gzipped(idx({1}, "\5")));
        DataRecipe recipe;
        recipe.source = m_files.path(source);
        const auto data = load(recipe);
        QVERIFY(data);
        QCOMPARE(data->train.cols(), Index{4});
        QCOMPARE(entry(data->train.features, 2, 0), 255.0);
        QCOMPARE(data->train.targets, (std::vector<double>{-1, 1, -1}));
        QCOMPARE(data->test.rows(), Index{source == "idx" ? 1 : 0});
    }

    void idxOfOtherNumberTypes()
    {
        QByteArray shorts("\0\0\x0B\x02", 4);
        shorts += bigEndian32(2) + bigEndian32(1) + QByteArray("\xff\xfe\x01\x00", 4);
        m_files.write("types/x-images", shorts);
        m_files.write("types/x-labels", idx({2}, QByteArray("\0\1", 2)));
        DataRecipe recipe;
        recipe.source = m_files.path("types/x-images");
        const auto data = load(recipe);
        QVERIFY(data);
        QCOMPARE(entry(data->train.features, 0, 0), -2.0);
        QCOMPARE(entry(data->train.features, 1, 0), 256.0);
    }

    void cifarFolderWithItsTestBatch()
    {
        const auto record = [](char label, char pixel) { return QByteArray(1, label) + QByteArray(3072, pixel); };
        m_files.write("cifar/data_batch_1.bin", record(0, 'a') + record(3, 'b'));
        m_files.write("cifar/data_batch_2.bin", record(7, 'c') + record(9, '\xff'));
        m_files.write("cifar/test_batch.bin", record(5, 'd'));
        DataRecipe recipe;
        recipe.source = m_files.path("cifar");
        recipe.positive = {"animals"};
        auto data = load(recipe);
        QVERIFY(data);
        QCOMPARE(data->train.targets, (std::vector<double>{-1, 1, 1, -1}));
        QCOMPARE(data->test.targets, (std::vector<double>{1}));
        QCOMPARE(entry(data->train.features, 3, 3071), 255.0);
        QCOMPARE(data->classNames[1], std::string("cat, dog, horse"));
        recipe.positive = {"cat", "9"};
        data = load(recipe);
        QVERIFY(data);
        QCOMPARE(data->train.targets, (std::vector<double>{-1, 1, -1, 1}));
        recipe.source = m_files.path("cifar/data_batch_2.bin");
        recipe.positive = {};
        data = load(recipe);
        QVERIFY(data);
        QCOMPARE(data->train.rows(), Index{2});
        QVERIFY(mentions(*data, "CIFAR-10 by its record length"));
    }

    void proteinRows()
    {
        QByteArray text;
        for (int i = 0; i < 4; ++i)
            text += "279\t" + QByteArray::number(261532 + i) + "\t" + QByteArray::number(i == 2)
                + QByteArray("\t-0.5").repeated(73) + "\t" + QByteArray::number(i) + "\n";
        DataRecipe recipe;
        recipe.source = m_files.write("bio_train.dat", text);
        const auto data = load(recipe);
        QVERIFY(data);
        QCOMPARE(data->train.cols(), Index{74});
        QCOMPARE(data->train.targets, (std::vector<double>{-1, -1, 1, -1}));
        QCOMPARE(entry(data->train.features, 3, 73), 3.0);
        QCOMPARE(entry(data->train.features, 3, 0), -0.5);
    }

    void labelsMap_data()
    {
        QTest::addColumn<QByteArray>("labels");
        QTest::addColumn<QByteArray>("positive");
        QTest::addColumn<int>("kind");
        QTest::addColumn<QList<double>>("targets");
        const auto row = [](const char *name, const char *labels, const char *positive, TargetKind kind,
                            QList<double> targets) {
            QTest::newRow(name) << QByteArray(labels) << QByteArray(positive) << static_cast<int>(kind) << targets;
        };
        row("two numbers", "2 1 2", "", TargetKind::Binary, {1, -1, 1});
        row("two words", "yes no no", "", TargetKind::Binary, {1, -1, -1});
        row("two words, chosen", "yes no no", "no", TargetKind::Binary, {-1, 1, 1});
        row("three classes", "3 1 7", "", TargetKind::Classes, {1, 0, 2});
        row("three words", "c a b", "", TargetKind::Classes, {2, 0, 1});
        row("chosen classes", "3 1 7", "1,7", TargetKind::Binary, {-1, 1, 1});
        row("chosen as 1.0", "3 1 7", "1.0", TargetKind::Binary, {-1, 1, -1});
        row("MNIST preset", "1 2 3 4 5 6 7", "12457", TargetKind::Binary, {1, 1, -1, 1, 1, -1, 1});
        row("classes kept", "2 1 2", "classes", TargetKind::Classes, {1, 0, 1});
        row("reals", "0.5 1.5 2.25", "", TargetKind::Real, {0.5, 1.5, 2.25});
        row("one value", "0 0 0", "", TargetKind::Binary, {-1, -1, -1});
    }
    void labelsMap()
    {
        QFETCH(QByteArray, labels);
        QFETCH(QByteArray, positive);
        QFETCH(int, kind);
        QFETCH(QList<double>, targets);
        QByteArray text;
        for (const auto &label : labels.split(' '))
            text += "1,2," + label + "\n";
        DataRecipe recipe;
        recipe.source = m_files.write("labels.csv", text);
        if (!positive.isEmpty())
            for (const auto &p : positive.split(','))
                recipe.positive.push_back(p.toStdString());
        // 12457 needs all its classes.
        const auto data = load(recipe);
        QVERIFY(data);
        QCOMPARE(static_cast<int>(data->kind), kind);
        QCOMPARE(QList<double>(data->train.targets.begin(), data->train.targets.end()), targets);
        QVERIFY(data->provenance.size() >= 2);
    }

    void manyClassesAreKeptWhereThatIsAskedFor_data()
    {
        QTest::addColumn<QByteArray>("word");
        QTest::newRow("numbers") << QByteArray();
        QTest::newRow("words") << QByteArray("w");
    }
    void manyClassesAreKeptWhereThatIsAskedFor()
    {
        QFETCH(QByteArray, word);
        QByteArray text;
        for (int i = 0; i < 300; ++i)
            text += "1," + QByteArray::number(i) + "," + word + QByteArray::number(i % 150) + "\n";
        DataRecipe recipe;
        recipe.source = m_files.write("many.csv", text);
        recipe.positive = {"classes"};
        const auto data = load(recipe);
        QVERIFY(data);
        QCOMPARE(data->classes(), 150);
        // A class for every row is none, whatever it is called; words are no numbers either.
        recipe.source = m_files.write("ids.csv", text.first(text.indexOf("1,150,")));
        const auto ids = loadDataset(recipe);
        QVERIFY(!ids);
        QVERIFY2(ids.error().message.find("150 different values in 150 rows") != std::string::npos,
                 ids.error().message.c_str());
        QCOMPARE(ids.error().remedies == std::vector{Remedy::Regression}, word.isEmpty());
        // Unasked, numbers are real targets, and words are told to be too many.
        recipe.source = m_files.write("many.csv", text);
        recipe.positive.clear();
        const auto unasked = loadDataset(recipe);
        QCOMPARE(unasked.ok(), word.isEmpty());
        if (unasked)
            QCOMPARE(unasked.value()->kind, TargetKind::Real);
        else
            QVERIFY2(unasked.error().message.find("150 different words") != std::string::npos,
                     unasked.error().message.c_str());
    }

    void regressionKeepsTwoValues()
    {
        DataRecipe recipe;
        recipe.source = m_files.write("two.csv", "1,2,10\n3,4,20\n");
        recipe.regression = true;
        const auto data = load(recipe);
        QVERIFY(data);
        QCOMPARE(data->kind, TargetKind::Real);
        QCOMPARE(data->train.targets, (std::vector<double>{10, 20}));
    }

    void unknownTestLabelIsAnError()
    {
        DataRecipe recipe;
        recipe.source = m_files.write("train.csv", "1,2,0\n3,4,1\n");
        recipe.testFile = m_files.write("test.csv", "1,2,0\n3,4,5\n");
        const auto result = loadDataset(recipe);
        QVERIFY(!result);
        QVERIFY2(result.error().message.find("label 5") != std::string::npos, result.error().message.c_str());
    }

    void loadingCanBeCancelledAnywhere_data()
    {
        QTest::addColumn<double>("at");
        for (const double at : {0.0, 0.1, 0.3, 0.5, 0.7, 0.91, 0.97})
            QTest::addRow("%g", at) << at;
    }
    void loadingCanBeCancelledAnywhere()
    {
        QFETCH(double, at);
        std::stop_source stop;
        int after = 0;
        const Progress progress{.report =
                                    [&](double fraction, std::string_view) {
                                        after += stop.stop_requested();
                                        if (fraction >= at)
                                            stop.request_stop();
                                    },
                                .stop = stop.get_token()};
        DataRecipe recipe;
        recipe.transforms = {{.kind = Transform::Kind::MeanNorm},
                             {.kind = Transform::Kind::FourierFeatures, .count = 64}};
        const auto result = loadDataset(recipe, progress);
        QVERIFY(!result);
        QCOMPARE(result.error().kind, Error::Kind::Cancelled);
        QVERIFY(after <= 2);
    }
};

QTEST_GUILESS_MAIN(TestLoaders)
#include "tst_loaders.moc"
