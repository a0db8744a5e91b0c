// Data on the command line: how it is described, and what is advised where it is not read as it was meant.

#include "ProgramTest.h"

#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>

class TestDataOptions final : public ProgramTest
{
    Q_OBJECT

private slots:
    void describesData();
    void countsTheRowsBeforeTheHoldOut();
    void adviceNamesItsOptions_data();
    void adviceNamesItsOptions();
    void namesTheLabelOptionOnlyWhereItHelps();
    void infoDescribesWhatRunUses();
    void numbersTakenForClassesAreTold();
    void aPartOfOneClassIsTold();
    void aNameIsMeantWhateverLiesHere();
    void theTestSetBesideALibsvmFileIsTold();
    void namesMayHoldCommas();
};

void TestDataOptions::describesData()
{
    QVERIFY(call({"data", "list"}).out.contains("mnist-6k"));
    const Outcome info = call({"data", "info", "gaussians-2d:n=200,test=100", "--json"});
    QCOMPARE(info.code, 0);
    const QJsonObject json = QJsonDocument::fromJson(info.out).object();
    QCOMPARE(json["n"].toInt(), 200);
    QCOMPARE(json["test_rows"].toInt(), 100);
    QCOMPARE(json["d"].toInt(), 2);
    QVERIFY(call({"data", "info", "gaussians-2d:n=200"}).out.contains("made by:"));
    // Transforms in the order of the list, each shown.
    const Outcome list =
        call({"data", "info", "gaussians-2d:n=200", "--transforms", "affine,random:50:4,rff:20:0.5,rows", "--json"});
    QVERIFY2(list.code == 0, list.err);
    const QJsonObject made = QJsonDocument::fromJson(list.out).object();
    QCOMPARE(made["n"].toInt(), 50);
    QCOMPARE(made["d"].toInt(), 20);
    QStringList steps;
    for (const QJsonValue step : made["provenance"].toArray())
        steps << step["what"].toString();
    QCOMPARE(steps.mid(steps.size() - 4),
             (QStringList{"append an affine feature", "take random training rows", "random Fourier features",
                          "normalize each row"}));
}

void TestDataOptions::countsTheRowsBeforeTheHoldOut()
{
    QFile file(m_folder.filePath("ten.csv"));
    QVERIFY(file.open(QIODevice::WriteOnly));
    for (int k = 0; k < 10; ++k)
        file.write(QByteArray::number(k) + (k % 2 ? ",1,yes\n" : ",2,no\n"));
    file.close();
    const Outcome held = call({"data", "info", "ten.csv", "--holdout", "0.4"});
    QVERIFY2(held.code == 0 && held.out.contains("+1: yes (5 rows)"), (held.out + held.err).constData());
    const Outcome tested = call({"data", "info", "ten.csv", "--test", "ten.csv"});
    QVERIFY2(tested.out.contains("+1: yes (5 training rows)"), (tested.out + tested.err).constData());
}

void TestDataOptions::adviceNamesItsOptions_data()
{
    QTest::addColumn<QByteArray>("content");
    QTest::addColumn<QStringList>("options");
    QTest::addColumn<QByteArray>("advice");
    const auto row = [](const char *name, const char *content, const QStringList &options, const char *advice) {
        QTest::newRow(name) << QByteArray(content) << options << QByteArray(advice);
    };
    row("one label", "1,7\n2,7\n", {}, "The option for that is --regression.");
    row("no classes", "1,0.5\n2,0.25\n3,0.125\n", {"--positive", "classes"}, "The option for that is --regression.");
    row("words as targets", "1,a\n2,b\n3,c\n", {"--regression"}, "The option for that is --label.");
    row("a missing label", "1,0\n2,?\n3,1\n", {}, "The option for that is --missing skip.");
    row("a missing value", "1,0\n,1\n3,1\n", {}, "The options for that: --missing skip, --missing mean, --drop.");
    row("all rows miss one", "1,,0\n,2,1\n3,,1\n", {"--missing", "skip"},
        "The options for that: --drop, --missing mean.");
    row("nothing in a column", "1,,0\n2,,1\n", {"--missing", "mean"}, "The option for that is --drop.");
    row("words and numbers", "1,0\nred,1\n2,1\n", {"--words", "indicators"}, "The option for that is --drop.");
    row("too large", "1e300,0\n2,1\n", {}, "The option for that is --precision double.");
    row("too large, LIBSVM", "1 1:1e300\n-1 1:2\n", {}, "The option for that is --precision double.");
}

void TestDataOptions::adviceNamesItsOptions()
{
    QFETCH(QByteArray, content);
    QFETCH(QStringList, options);
    QFETCH(QByteArray, advice);
    QFile file(m_folder.filePath("advised.csv"));
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write(content);
    file.close();
    const Outcome outcome = call(QStringList{"data", "info", "advised.csv"} + options);
    QCOMPARE(outcome.code, 3);
    QVERIFY2(outcome.err.endsWith(" " + advice + "\n"), outcome.err.constData());
}

void TestDataOptions::namesTheLabelOptionOnlyWhereItHelps()
{
    QFile file(m_folder.filePath("words.csv"));
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write("colour,size,kind\nred,1,0\nblue,2,1\n");
    file.close();
    QVERIFY(call({"run", "words.csv"}).err.contains("The options for that: --label, --words indicators"));
    const Outcome chosen = call({"run", "words.csv", "--label", "kind"});
    QVERIFY2(chosen.err.contains("that: --words indicators") && !chosen.err.contains("--label"),
             chosen.err.constData());
}

void TestDataOptions::aNameIsMeantWhateverLiesHere()
{
    for (const char *name : {"mnist-6k", "gaussians-2d", "protein"}) {
        QFile file(m_folder.filePath(name));
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write("1,2,0\n2,1,1\n3,3,0\n");
    }
    const auto rows = [this](const QString &name) {
        const Outcome info = call({"data", "info", name, "--json", "--rows", "50"});
        return QJsonDocument::fromJson(info.out).object()["n"].toInt();
    };
    for (const QString &name : QStringList{"mnist-6k", "gaussians-2d"}) {
        QCOMPARE(rows(name), 50);
        QCOMPARE(rows("./" + name), 3);
    }
    // It is no file that a result could be written over.
    const Outcome run = call({"run", "gaussians-2d", "--stages", "1", "--trace", "gaussians-2d", "--quiet"});
    QVERIFY2(run.code == 0, run.err);
    const Outcome absent = call({"data", "info", "protein"});
    QCOMPARE(absent.code, 3);
    QVERIFY2(absent.err.contains("What lies here under that name is ./protein."), absent.err);
}

void TestDataOptions::theTestSetBesideALibsvmFileIsTold()
{
    for (const char *name : {"small", "small.t"}) {
        QFile file(m_folder.filePath(name));
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write("1 1:1 2:3\n-1 1:2\n1 2:1\n");
    }
    const QByteArray told =
        "appa-lab: small.t beside the data is, by its name, its test set: it is not read. The option "
        "for that is --test ";
    const Outcome alone = call({"data", "info", "small"});
    QVERIFY2(alone.code == 0 && alone.err.contains(told + m_folder.filePath("small.t").toUtf8()), alone.err);
    for (const QStringList &options :
         {QStringList{"small", "--test", "small.t"}, {"small", "--holdout", "0.4"}, {"small.t"}})
        QVERIFY(!call(QStringList{"data", "info"} + options).err.contains("beside"));
}

void TestDataOptions::namesMayHoldCommas()
{
    QFile file(m_folder.filePath("commas.csv"));
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write("\"area, m2\",age,\"the \"\"size\"\"\",y\n1,2,3,\"yes, sir\"\n4,5,6,no\n7,8,9,perhaps\n");
    file.close();
    const auto columns = [this](const QStringList &options) {
        const Outcome info = call(QStringList{"data", "info", "commas.csv", "--json"} + options);
        return QJsonDocument::fromJson(info.out).object()["d"].toInt();
    };
    QCOMPARE(columns({"--drop", R"("area, m2",age)"}), 1);
    QCOMPARE(columns({"--drop", R"(age , "the ""size""")"}), 1);
    QCOMPARE(columns({"--drop", "age", "--drop", R"("area, m2")"}), 1);
    QCOMPARE(columns({"--columns", R"("area, m2")"}), 1);
    const Outcome info = call({"data", "info", "commas.csv", "--positive", R"("yes, sir",perhaps)"});
    QVERIFY2(info.out.contains("(2 rows)"), info.out + info.err);
}

void TestDataOptions::infoDescribesWhatRunUses()
{
    const QStringList problem = {"mnist-6k", "--rows", "50", "--json"};
    const Outcome info = call(QStringList{"data", "info"} + problem);
    QVERIFY2(info.code == 0, info.err);
    const QJsonObject described = QJsonDocument::fromJson(info.out).object();
    const Outcome run = call(QStringList{"run", "--stages", "1", "--no-optimum"} + problem);
    const QJsonObject used = QJsonDocument::fromJson(run.out).object()["problem"].toObject();
    QCOMPARE(described["d"].toInt(), 10);
    QCOMPARE(described["hash"].toString(), used["hash"].toString());
    const Outcome raw = call(QStringList{"data", "info", "--transforms", "none", "mnist-6k", "--json"});
    QCOMPARE(QJsonDocument::fromJson(raw.out).object()["d"].toInt(), 784);
}

void TestDataOptions::numbersTakenForClassesAreTold()
{
    const auto write = [this](const char *name, int different) {
        QFile file(m_folder.filePath(name));
        if (!file.open(QIODevice::WriteOnly))
            return;
        file.write("x,y\n");
        for (int i = 0; i < 100; ++i)
            file.write(QByteArray::number(i * i % 17) + "," + QByteArray::number(i % different) + "\n");
    };
    write("many.csv", 57);
    write("few.csv", 5);
    const QByteArray note =
        "appa-lab: 57 classes kept (if these are numbers, load them for regression). The option for "
        "that is --regression.\n";
    const QStringList run = {"run", "--stages", "1", "--no-optimum", "--method", "svrg"};
    QVERIFY(call(run + QStringList{"many.csv"}).err.contains(note));
    QVERIFY(call({"data", "info", "many.csv"}).err.contains(note));
    for (const QStringList &plain :
         {QStringList{"few.csv"}, {"many.csv", "--regression"}, {"many.csv", "--positive", "classes"}})
        QCOMPARE(call(run + plain).err, QByteArray());
}

void TestDataOptions::aPartOfOneClassIsTold()
{
    const auto write = [this](const char *name, const char *label) {
        QFile file(m_folder.filePath(name));
        if (!file.open(QIODevice::WriteOnly))
            return;
        for (int i = 0; i < 20; ++i)
            file.write(QByteArray(i < 12 ? "yes" : label) + "," + QByteArray::number(i % 5) + ",1\n");
    };
    write("both.csv", "no");
    const QByteArray training =
        "appa-lab: all 12 training rows are of one class, +1 (yes): there is nothing to tell apart";
    const QByteArray test = "appa-lab: all 12 test rows are of one class, +1 (yes): the test error says nothing of";
    const QStringList run = {"run", "both.csv", "--label", "1", "--stages", "1", "--no-optimum"};
    const Outcome one = call(run + QStringList{"--rows", "12"});
    QVERIFY2(one.code == 0 && one.err.contains(training) && !one.err.contains("test rows"), one.err);
    QCOMPARE(call(run).err, QByteArray());
    QCOMPARE(call(run + QStringList{"--rows", "12", "--quiet"}).err, QByteArray());
    const Outcome info = call({"data", "info", "both.csv", "--label", "1", "--rows", "12", "--json"});
    QVERIFY2(info.out.contains("all 12 training rows are of one class, +1 (yes)"), info.out);

    QFile tested(m_folder.filePath("yes.csv"));
    QVERIFY(tested.open(QIODevice::WriteOnly));
    tested.write(QByteArray("yes,2,1\n").repeated(12));
    tested.close();
    const Outcome other = call(run + QStringList{"--test", "yes.csv"});
    QVERIFY2(other.code == 0 && other.err.contains(test) && !other.err.contains("training rows"), other.err);
    // Classes kept for softmax, real numbers.
    const Outcome kept = call(run + QStringList{"--rows", "12", "--loss", "softmax"});
    QVERIFY2(kept.err.contains("all 12 training rows are of one class, yes: "), kept.err);
    const Outcome real = call(
        {"run", "both.csv", "--label", "3", "--regression", "--stages", "1", "--no-optimum", "--words", "indicators"});
    QVERIFY2(real.code == 0 && real.err.isEmpty(), real.err);
}

QTEST_GUILESS_MAIN(TestDataOptions)
#include "tst_app_data.moc"
