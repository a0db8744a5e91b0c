// Whatever a file holds: an error with its name, the place where there is one, what was expected and what to do.

#include "DataFiles.h"

#include "data/Memory.h"

#include <QTest>

#include <sys/resource.h>
#include <sys/stat.h>

using namespace appa;

Q_DECLARE_METATYPE(appa::DataRecipe)

class TestBadInput final : public QObject
{
    Q_OBJECT

    DataFiles m_files;

    static long peakKib()
    {
        rusage usage{};
        getrusage(RUSAGE_SELF, &usage);
        return usage.ru_maxrss;
    }

private slots:
    void isAnErrorThatSaysWhereAndWhatToDo_data()
    {
        QTest::addColumn<QByteArray>("content");
        QTest::addColumn<QByteArray>("format");
        QTest::addColumn<QByteArray>("where"); // follows the file's name
        QTest::addColumn<QByteArray>("what");
        const auto row = [](const char *name, const QByteArray &content, const char *format, const char *where,
                            const char *what) {
            QTest::newRow(name) << content << QByteArray(format) << QByteArray(where) << QByteArray(what);
        };
        const QByteArray good = "1 1:0.5 2:1\n-1 1:2\n";
        const QByteArray manyRows = good.repeated(200000);
        row("empty file", "", "auto", ": ", "empty");
        row("empty gz", gzipped(""), "auto", ": ", "nothing in it");
        row("junk behind the end of a gz", gzipped(good) + "<html>\n", "auto", ": ",
            "7 bytes behind the end of the compressed data");
        row("truncated gz", gzipped(manyRows).chopped(20), "auto", ": ", "cut short");
        row("gz cut in its header", gzipped(manyRows).first(5), "libsvm", ": ", "cut short");
        row(
            "damaged gz",
            [&] {
                auto z = gzipped(manyRows);
                z[z.size() / 2] = static_cast<char>(~z[z.size() / 2]);
                return z;
            }(),
            "libsvm", ": ", "damaged");
        row("wrong magic as IDX", good, "idx", ": ", "IDX");
        row("unknown IDX type", QByteArray("\0\0\x07\x03", 4) + QByteArray(20, '\0'), "idx", ": ", "number type 7");
        row("binary junk", QByteArray("\x7f\x45\x4c\x46\0\1\2\3\xff\xfe", 10).repeated(50), "auto", ": ", "binary");
        row("binary junk as LIBSVM", QByteArray("\x7f\x45\x4c\x46\0\1\2\3\xff\xfe", 10).repeated(50), "libsvm",
            ", line 1, column 1: ", "not a number");
        row("binary junk as CSV", QByteArray("\x7f,\x4c\x46\0\1,\3\xff\n", 10).repeated(50), "csv", ", line 1",
            "number");
        row("UTF-16",
            QByteArray("\xff\xfe"
                       "1\0 \0"
                       "1\0:\0"
                       "1\0\n\0",
                       14),
            "auto", ": ", "UTF-16");
        row("carriage returns alone", "a,b,y\r1,2,0\r3,4,1\r", "auto", ": ", "line feed");
        row("blank lines only", "\n\n  \n\n", "auto", ": ", "blank lines");
        row("prose", "It was a dark night\nand the rain fell\n", "auto", ": ", "neither LIBSVM");

        // A file's kind is told by its first row: the mistake of a later one is not blamed on that.
        const QByteArray kdd = "1\t2\t0" + QByteArray("\t0.5").repeated(74) + "\n";
        row("recognized: libsvm, then a word", "+1 1:0.5 3:1\n-1 abc 4:1\n", "auto", ", line 2, column 4: ", "pair");
        row("recognized: libsvm, then a bad index", "+1 1:0.5 3:1\n-1 x:3 4:1\n", "auto",
            ", line 2, column 4: ", "pair");
        row("recognized: libsvm, then a bad value", "+1 1:0.5 3:1\n-1 2:abc 4:1\n", "auto",
            ", line 2, column 6: ", "not a number");
        row("recognized: libsvm, then no row", "+1 1:0.5 3:1\nabc\n", "auto", ", line 2, column 1: ", "not a number");
        row("recognized: libsvm below a row of zeros", "-1\n+1 1:0.5\n-1 abc\n", "auto",
            ", line 3, column 4: ", "pair");
        row("recognized: csv, then a row of libsvm", "1,2,0\n-1 2:1 4:1\n", "auto",
            ", line 2, column 1: ", "\"-1 2:1 4:1\"");
        row("recognized: csv, then a word", "1,2,0\n3,red,1\n", "auto", ", line 2, column 2: ", "\"red\"");
        row("recognized: kdd, then a short row", kdd + "1\t2\t0\n", "auto", ", line 2: ", "3 fields");
        row("recognized: kdd, then a word", kdd + QByteArray(kdd).replace("\t0\t", "\tx\t"), "auto",
            ", line 2, column 3 (label): ", "0 or 1");
        row("not recognized: the row that is odd is named", "-1\n-1 abc 4:1\n", "auto", ": ",
            "\"-1 abc 4:1\" is neither");

        row("libsvm: NaN", "1 1:0.5\n-1 1:nan\n", "libsvm", ", line 2, column 6: ", "not finite");
        row("libsvm: inf", "1 1:0.5\n-1 1:1 2:-inf\n", "libsvm", ", line 2, column 10: ", "not finite");
        row("libsvm: overflow", "1 1:1e999\n-1 1:1\n", "libsvm", ", line 1, column 5: ", "not finite");
        row("libsvm: too large for float", "1 1:1e39\n-1 1:1\n", "libsvm", ", line 1, column 5: ", "double precision");
        row("libsvm: index 2^40", "1 1:1\n-1 1099511627776:1\n", "libsvm", ", line 2, column 4: ", "too large");
        row("libsvm: negative index", "1 -3:1\n", "libsvm", ", line 1, column 3: ", "index:value");
        row("libsvm: unsorted", "1 1:1 3:1 2:1\n", "libsvm", ", line 1, column 11: ", "ascending");
        row("libsvm: duplicate", "1 1:1 3:1 3:1\n", "libsvm", ", line 1, column 11: ", "twice");
        row("libsvm: no value", "1 1:\n", "libsvm", ", line 1, column 5: ", "not a number");
        row("libsvm: no colon", "1 1:1 77\n", "libsvm", ", line 1, column 7: ", "pair");
        row("libsvm: text value", "1 1:abc\n", "libsvm", ", line 1, column 5: ", "\"abc\"");
        row("libsvm: text behind a value", "1 1:2x\n", "libsvm", ", line 1, column 5: ", "\"2x\"");
        row("libsvm: several labels", "1,2 1:1\n", "libsvm", ", line 1, column 1: ", "several labels");
        row("libsvm: no label", "1:1 2:1\n", "libsvm", ", line 1, column 1: ", "before the first");
        row("libsvm: NaN label", "nan 1:1\n", "libsvm", ", line 1, column 1: ", "finite");
        row("libsvm: bad qid", "1 qid:x 1:1\n", "libsvm", ", line 1, column 7: ", "whole number");
        row("libsvm: far down", manyRows + "1 2:1 1:1\n", "libsvm", ", line 400001, column 7: ", "ascending");
        row("libsvm: no final newline", "1 1:1\n-1 1:x", "libsvm", ", line 2, column 6: ", "not a number");
        row("libsvm: BOM counts no column",
            "\xEF\xBB\xBF"
            "1 1:1\nx 1:1\n",
            "libsvm", ", line 2, column 1: ", "not a number");
        row("libsvm: comments only", "# nothing\n# here\n", "libsvm", ": ", "no rows");
        row("libsvm: a 10-MB line of junk", "1 1:1 " + QByteArray(10 << 20, 'x') + "\n", "libsvm",
            ", line 1, column 7: ", "pair");

        row("csv: missing value", "a,b,y\n1,2,0\n3,,1\n", "csv", ", line 3, column 2 (b): ", "missing");
        row("csv: NA", "a,b,y\n1,2,0\nNA,4,1\n", "csv", ", line 3, column 1 (a): ", "missing");
        row("csv: NaN", "1,2,0\n3,nan,1\n", "csv", ", line 2, column 2: ", "missing");
        row("csv: inf", "1,2,0\n3,inf,1\n", "csv", ", line 2, column 2: ", "not finite");
        row("csv: overflow", "1,2,0\n3,-1e400,1\n", "csv", ", line 2, column 2: ", "not finite");
        row("csv: missing label", "1,2,0\n3,4,\n", "csv", ", line 2, column 3: ", "missing");
        row("csv: word among numbers", "1,2,0\n3,red,1\n", "csv", ", line 2, column 2: ", "\"red\"");
        row("csv: decimal comma", "1;2;0\n3;4,5;1\n", "csv", ", line 2, column 2: ", "write 4.5");
        row("csv: header name with a quote", "\"a \"\"q\"\"\",b,y\nx,2,0\n1,2,1\n", "csv",
            ", line 2, column 1 (a \"q\"): ", "\"x\"");
        row("csv: below comments and a header", "# made by hand\n\n# a,b,y\n1,2,0\n3,x,1\n", "csv",
            ", line 5, column 2 (b): ", "\"x\"");
        row("csv: NA in the first row, which is no header", "1,NA,0\n3,4,1\n", "csv",
            ", line 1, column 2: ", "missing");
        row("csv: overflow in the first row", "1,1e400,0\n3,4,1\n", "csv", ", line 1, column 2: ", "not finite");
        row("csv: short row", "1,2,0\n3,4\n", "csv", ", line 2: ", "2 fields");
        row("csv: long row", "1,2,0\n3,4,1,5\n", "csv", ", line 2: ", "4 fields");
        row("csv: one column", "1\n2\n3\n", "csv", ": ", "one field");
        row("csv: header alone", "a,b,y\n", "csv", ": ", "no rows");
        row("csv: open quote", "1,\"2,0\n3,4,1\n", "csv", ", line 1, column 2: ", "quote");
        row("csv: open quote in a later row", "1,2,0\n3,\"4,1\n5,6,0\n", "csv", ", line 2, column 2: ", "quote");
        row("csv: open quote in the header", "a,\"b,y\n1,2,0\n3,4,1\n", "csv", ", line 1, column 2: ", "never closed");
        row("csv: open quote at the start", "# made by hand\n\"a,b,y\n1,2,0\n3,4,1\n", "auto",
            ", line 2, column 1: ", "never closed");
        row("csv: wide first row, many short ones",
            QByteArray("1,").repeated(100000) + "0\n" + QByteArray("1\n").repeated(100000), "csv",
            ", line 2: ", "Expected 100001");
        row("csv: a 10-MB field", "2,3,1\n1," + QByteArray(10 << 20, '7') + "x,0\n", "csv",
            ", line 2, column 2: ", "not a number");

        row("idx: lies about its size", idx({4000000000u, 4000000000u, 4000000000u}, "abc"), "idx", ": ", "cut short");
        row("idx: cut in its header", QByteArray("\0\0\x08\x03\0\0", 6), "idx", ": ", "header");
        row("idx: no numbers", idx({0, 28, 28}, ""), "idx", ": ", "no numbers");
        row("idx: too long", idx({1, 2, 2}, "abcdefg"), "idx", ": ", "damaged");
        row("cifar: cut short", QByteArray(3073 * 2 - 5, '\1'), "cifar", ": ", "whole number");
        row("cifar: label 77", QByteArray(3073, '\1') + QByteArray(3073, 'M'), "cifar", ": ", "record 2 (byte 3074)");
        row("kdd: another table", "1\t2\t0\t4\n", "kdd", ": ", "77");
        row("kdd: no labels", "1\t2\t?" + QByteArray("\t0.5").repeated(74) + "\n", "kdd",
            ", line 1, column 3 (label): ", "missing");
        row("kdd: other labels", "\n1\t2\t5" + QByteArray("\t0.5").repeated(74) + "\n", "kdd",
            ", line 2, column 3 (label): ", "\"5\"");
        row("kdd: words for labels", "1\t2\tyes" + QByteArray("\t0.5").repeated(74) + "\n", "kdd",
            ", line 1, column 3 (label): ", "0 or 1");
        row("one label only", "3 1:1\n3 2:1\n", "auto", ": ", "same label");
        row("largest index a mistake", "1 2147483647:1\n-1 1:1\n", "auto", "", "largest index");
        row("unknown format", good, "xls", "", "not a format");
    }
    void isAnErrorThatSaysWhereAndWhatToDo()
    {
        QFETCH(QByteArray, content);
        QFETCH(QByteArray, format);
        QFETCH(QByteArray, where);
        QFETCH(QByteArray, what);
        // An IDX file needs its partner beside it before its content is looked at.
        m_files.write("bad-labels", idx({1}, "\1"));
        const std::string path = m_files.write("bad-images", content);
        DataRecipe recipe;
        recipe.source = path;
        recipe.format = format.toStdString();
        const auto result = loadDataset(recipe);
        QVERIFY(!result);
        const auto message = QByteArray::fromStdString(result.error().message);
        const QByteArray start = where.isEmpty() ? QByteArray() : QByteArray::fromStdString(path) + where;
        QVERIFY2(message.startsWith(start), message.constData());
        QVERIFY2(message.contains(what), message.constData());
        QVERIFY2(message.size() < 700, "a message is a sentence or two");
        QVERIFY(result.error().kind == Error::Kind::Data || result.error().kind == Error::Kind::Usage);
    }

    void indexZeroInAOneBasedTestFile()
    {
        DataRecipe recipe;
        recipe.source = m_files.write("one.txt", "1 1:1 2:1\n-1 1:2\n");
        recipe.testFile = m_files.write("zero.txt", "1 1:1\n-1 0:2 1:1\n");
        const auto result = loadDataset(recipe);
        QVERIFY(!result);
        QCOMPARE(result.error().message.substr(0, recipe.testFile.size() + 20),
                 recipe.testFile + ", line 2, column 4: ");
        QVERIFY(result.error().message.find("count from 1") != std::string::npos);
    }

    void labelOfTheTestFileThatTheTrainingFileHasNot()
    {
        DataRecipe recipe;
        recipe.source = m_files.write("two.txt", "1 1:1 2:1\n-1 1:2\n");
        recipe.testFile = m_files.write("three.txt", "1 1:1\n-1 1:1\n2 1:1\n");
        const auto result = loadDataset(recipe);
        QVERIFY(!result);
        const std::string start = recipe.testFile + ": row 3 ";
        QCOMPARE(result.error().message.substr(0, start.size()), start);
    }

    void folderWithSeveralSetsWantsAChoice()
    {
        m_files.write("both/train-images-idx3-ubyte", idx({2, 1, 2}, "abcd"));
        m_files.write("both/train-labels-idx1-ubyte", idx({2}, QByteArray("\0\1", 2)));
        m_files.write("both/data_batch_1.bin", QByteArray(3073, '\0') + QByteArray(3073, '\1'));
        DataRecipe recipe;
        recipe.source = m_files.path("both");
        const auto result = loadDataset(recipe);
        QVERIFY(!result);
        QVERIFY2(result.error().message.find("(cifar, idx)") != std::string::npos, result.error().message.c_str());
        for (const auto &[format, columns] : {std::pair("idx", Index(2)), std::pair("cifar", Index(3072))}) {
            recipe.format = format;
            const auto chosen = loadDataset(recipe);
            QVERIFY(chosen);
            QCOMPARE(chosen.value()->train.cols(), columns);
        }
        recipe.format = "kdd";
        QVERIFY(!loadDataset(recipe));
    }

    void whatCantBeUsedIsNotIgnored_data()
    {
        QTest::addColumn<DataRecipe>("recipe");
        QTest::addColumn<QByteArray>("what");
        const auto row = [](const char *name, const DataRecipe &recipe, const char *what) {
            QTest::newRow(name) << recipe << QByteArray(what);
        };
        DataRecipe r;
        r.source = "gaussians-2d:n=10";
        r.testFile = "test.svm";
        row("a test file for a generator", r, "a test file");
        r.testFile.clear();
        r.label = "y";
        row("a label column for a generator", r, "a label column");
        r.label.clear();
        r.positive = {"1"};
        row("positive classes for a generator", r, "positive classes");
        r.positive.clear();
        r.regression = true;
        row("regression for classes that are generated", r, "regression");
        DataRecipe file;
        file.source = m_files.write("plain.svm", "1 1:1\n-1 1:2\n");
        file.label = "2";
        row("a label column for LIBSVM", file, "only CSV");
        DataRecipe twins;
        twins.source = m_files.write("twins.csv", "a,A,y\n1,2,0\n3,4,1\n");
        twins.label = "a";
        row("a name of two columns", twins, "2 columns");
    }
    void whatCantBeUsedIsNotIgnored()
    {
        QFETCH(DataRecipe, recipe);
        QFETCH(QByteArray, what);
        const auto result = loadDataset(recipe);
        QVERIFY(!result);
        QCOMPARE(result.error().kind, Error::Kind::Usage);
        QVERIFY2(QByteArray::fromStdString(result.error().message).contains(what), result.error().message.c_str());
    }

    void folderWithoutData()
    {
        DataRecipe recipe;
        recipe.source = m_files.path();
        const auto result = loadDataset(recipe);
        QVERIFY(!result);
        QVERIFY(result.error().message.find("folder") != std::string::npos);
    }

    void noSuchFile()
    {
        DataRecipe recipe;
        recipe.source = m_files.path("none.txt");
        const auto result = loadDataset(recipe);
        QVERIFY(!result);
        QCOMPARE(result.error().kind, Error::Kind::Io);
        QVERIFY(result.error().message.find("none.txt") != std::string::npos);
    }

    void specialFile()
    {
        DataRecipe recipe;
        recipe.source = "/dev/zero";
        const auto result = loadDataset(recipe);
        QVERIFY(!result);
        QVERIFY(result.error().message.find("regular file") != std::string::npos);
    }

    void pipeThatNobodyWritesTo()
    {
        const std::string pipe = m_files.path("pipe");
        QCOMPARE(::mkfifo(pipe.c_str(), 0600), 0);
        DataRecipe recipe;
        recipe.source = pipe;
        const auto data = loadDataset(recipe);
        QVERIFY(!data);
        QVERIFY(data.error().message.find("regular file") != std::string::npos);
    }

    void noPartnerBesideAnIdxFile()
    {
        DataRecipe recipe;
        recipe.source = m_files.write("alone/train-images-idx3-ubyte", idx({1, 2, 2}, "abcd"));
        const auto result = loadDataset(recipe);
        QVERIFY(!result);
        QVERIFY(result.error().message.find("train-labels-idx1-ubyte") != std::string::npos);
    }

    void labelsOfAnotherSet()
    {
        DataRecipe recipe;
        recipe.source = m_files.write("other/train-images-idx3-ubyte", idx({1, 2, 2}, "abcd"));
        m_files.write("other/train-labels-idx1-ubyte", idx({2}, "ab"));
        const auto result = loadDataset(recipe);
        QVERIFY(!result);
        QVERIFY(result.error().message.find("2 labels for the 1 images") != std::string::npos);
    }

    void wrongChoices_data()
    {
        QTest::addColumn<QByteArray>("label");
        QTest::addColumn<QByteArray>("positive");
        QTest::addColumn<double>("holdout");
        QTest::addColumn<QByteArray>("what");
        QTest::newRow("label name") << QByteArray("colour") << QByteArray() << 0.0 << QByteArray("a, b, y");
        QTest::newRow("label number") << QByteArray("4") << QByteArray() << 0.0 << QByteArray("from 1 to 3");
        QTest::newRow("positive class") << QByteArray() << QByteArray("7") << 0.0 << QByteArray("Found: 0, 1");
        QTest::newRow("hold-out of all") << QByteArray() << QByteArray() << 0.99 << QByteArray("leaves one part empty");
        QTest::newRow("hold-out above 1") << QByteArray() << QByteArray() << 1.5 << QByteArray("fraction");
    }
    void wrongChoices()
    {
        QFETCH(QByteArray, label);
        QFETCH(QByteArray, positive);
        QFETCH(double, holdout);
        QFETCH(QByteArray, what);
        DataRecipe recipe;
        recipe.source = m_files.write("choices.csv", "a,b,y\n1,2,0\n3,4,1\n5,6,1\n");
        recipe.label = label.toStdString();
        if (!positive.isEmpty())
            recipe.positive = {positive.toStdString()};
        recipe.holdout = holdout;
        const auto result = loadDataset(recipe);
        QVERIFY(!result);
        QCOMPARE(result.error().kind, Error::Kind::Usage);
        QVERIFY2(QByteArray::fromStdString(result.error().message).contains(what), result.error().message.c_str());
    }

    void featuresBeyondTheMachineAreRefusedWithTheFigure()
    {
        DataRecipe recipe;
        recipe.transforms = {{.kind = Transform::Kind::FourierFeatures, .count = 50000000}};
        const long before = peakKib();
        const auto result = loadDataset(recipe);
        QVERIFY(!result);
        QVERIFY2(result.error().message.find("1.6 TiB") != std::string::npos, result.error().message.c_str());
        QVERIFY(peakKib() - before < 200000);
    }

    void filesReadLatelyCountAsFreeMemory()
    {
        // A container of 1000 MB with 900 MB in use, 600 MB of them copies of files that can be dropped.
        const std::string cgroup = m_files.write("system/sys/fs/cgroup/memory.max", "1000000000\n");
        const std::string root = cgroup.substr(0, cgroup.rfind("/sys/fs"));
        m_files.write("system/proc/meminfo", "MemTotal: 64000000 kB\nMemFree: 1 kB\nMemAvailable: 32000000 kB\n");
        m_files.write("system/sys/fs/cgroup/memory.current", "900000000\n");
        QCOMPARE(availableMemory(root), 100e6);
        m_files.write("system/sys/fs/cgroup/memory.stat", "anon 250000000\nfile 640000000\ninactive_file 600000000\n");
        QCOMPARE(availableMemory(root), 700e6);
        m_files.write("system/sys/fs/cgroup/memory.max", "max\n");
        QCOMPARE(availableMemory(root), 32000000 * 1024.0);
    }

    void aLieInAHeaderTakesNoMemory()
    {
        DataRecipe recipe;
        recipe.source = m_files.write("lie/train-images-idx3-ubyte", idx({60000, 280, 280}, QByteArray(1000, 'x')));
        m_files.write("lie/train-labels-idx1-ubyte", idx({60000}, QByteArray(10, 'x')));
        const long before = peakKib();
        QVERIFY(!loadDataset(recipe));
        recipe.source = m_files.write("lie.txt", "1 2147483647:1\n-1 1:1\n");
        const auto result = loadDataset(recipe); // may be loaded: sparse rows do not grow with the largest index
        if (result)
            QVERIFY(bytesOf(result.value()->train.features) < 1000);
        QVERIFY(peakKib() - before < 50000);
    }
};

QTEST_GUILESS_MAIN(TestBadInput)
#include "tst_bad_input.moc"
