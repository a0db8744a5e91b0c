// The program as a whole: its commands, its exit codes, what it says where.

#include "ProgramTest.h"

#include "base/Suggest.h"
#include "methods/Registry.h"

#include <QDir>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>

using namespace appa;

class TestCli final : public ProgramTest
{
    Q_OBJECT

private slots:
    void initTestCase();
    void exitCodes_data();
    void exitCodes();
    void commandsWinOverFilesOfTheirName();
    void suggestsTheNearest_data();
    void suggestsTheNearest();
    void listsMethodsAndLosses();
    void solvesForTheOptimum();
    void constantsThatDoNotFitDoNotHideTheOptimum();
    void aFileThatCannotBeWrittenDoesNotHideTheResult();
    void saysAtOnceThatAFileCannotBeWritten();
    void outputThatCannotBeWrittenIsAnError();
    void nothingBesideTheProgressOnPipes();
};

void TestCli::initTestCase()
{
    QFile bad(m_folder.filePath("bad.svm"));
    QVERIFY(bad.open(QIODevice::WriteOnly));
    bad.write("1 1:0.5\n-1 2:x\n");
}

void TestCli::exitCodes_data()
{
    QTest::addColumn<QStringList>("arguments");
    QTest::addColumn<int>("code");
    QTest::addColumn<QString>("says");
    const auto row = [](const char *name, const QStringList &arguments, int code, const char *says) {
        QTest::newRow(name) << arguments << code << QString(says);
    };
    row("help", {"--help"}, 0, "Exit codes: 0 done");
    row("help of a command", {"run", "--help"}, 0, "--lambda");
    row("version", {"--version"}, 0, "appa-lab ");
    row("unknown command", {"ran"}, 2, "Did you mean \"run\"?");
    row("unknown option", {"run", "--lamda", "1"}, 2, "Did you mean \"--lambda\"?");
    row("unknown option with =", {"run", "--stage=3"}, 2, "Did you mean \"--stages\"?");
    row("unknown method", {"run", "--method", "dual-apa"}, 2, "Did you mean \"dual-appa\"?");
    row("unknown inner", {"run", "--inner", "sdka"}, 2, "Did you mean \"sdca\"?");
    row("unknown key", {"run", "--set", "pases=2"}, 2, "Did you mean \"passes\"?");
    row("bad value", {"run", "--lambda", "wide"}, 2, "lambda");
    row("bad number", {"run", "--stages", "many"}, 2, "--stages");
    row("bad loss", {"run", "--loss", "cubic"}, 2, "cubic");
    row("bad features", {"run", "--features", "rff:many"}, 2, "rff:D");
    row("bandwidth 0", {"run", "--features", "rff:10:0"}, 2,
        "the bandwidth must be a number from 1e-30 to 1e30, not \"0\"");
    row("negative bandwidth", {"run", "--features", "rff:10:-1"}, 2, "1e-30 to 1e30, not \"-1\"");
    row("infinite bandwidth", {"run", "--features", "rff:10:inf"}, 2, "1e-30 to 1e30, not \"inf\"");
    row("bandwidth nan", {"run", "--transforms", "affine,rff:10:nan"}, 2, "1e-30 to 1e30, not \"nan\"");
    row("bandwidth 1e-300", {"run", "--features", "rff:10:1e-300"}, 2, "1e-30 to 1e30, not \"1e-300\"");
    row("bandwidth 1e-400", {"run", "--features", "rff:10:1e-400"}, 2, "1e-30 to 1e30, not \"1e-400\"");
    row("bandwidth far below the rows", QStringList{"run", "--features", "rff:10:1e-9"} + smallLogistic, 3,
        "choose a larger bandwidth");
    row("seed of a transform", {"run", "--transforms", "random:10:18446744073709551616"}, 2,
        "the seed must be a whole number from 0 to 18446744073709551615 (2^64 - 1)");
    row("no rows", {"data", "info", "--rows", "0"}, 2, "--rows must be a whole number from 1 on, not \"0\"");
    row("all held out", {"data", "info", "--holdout", "1.2"}, 2,
        "--holdout must be a number from 0 to 0.99, not \"1.2\"");
    row("bad transform", {"data", "info", "--transforms", "mean-norm,first:x"}, 2, "\"first:x\" can't be read");
    row("a list beside the short options", {"data", "info", "--transforms", "mean-norm", "--rows", "3"}, 2, "--rows");
    row("bad --at", QStringList{"run", "--at", "lambda=1"} + smallLogistic, 2, "STAGE:key=value");
    row("bad tick of --at", QStringList{"run", "--at", "3@x:lambda=1"} + smallLogistic, 2, "STAGE@TICK:key=value");
    row("seed above 2^63", QStringList{"run", "--stages", "1", "--seed", "18446744073709551615"} + smallLogistic, 0,
        "seed 18446744073709551615");
    row("seed above 2^64", QStringList{"run", "--seed", "18446744073709551616"} + smallLogistic, 2,
        "--seed must be a whole number from 0 to 18446744073709551615 (2^64 - 1), not \"18446744073709551616\".");
    row("data seed above 2^64", QStringList{"data", "info", "--data-seed", "1e30"}, 2,
        "--data-seed must be a whole number from 0 to 18446744073709551615");
    row("seeds above 2^64",
        QStringList{"sweep", "--out", "never", "--seeds", "1..18446744073709551616"} + smallLogistic, 2,
        "from 0 to 18446744073709551615 (2^64 - 1)");
    row("too many seeds", QStringList{"sweep", "--out", "never", "--seeds", "0..100000"} + smallLogistic, 2,
        "100000 at the most");
    row("--at too late", QStringList{"run", "--at", "20:lambda=1"} + smallLogistic, 2, "ends after 20 stages");
    row("--at of a key that is not there", QStringList{"run", "--at", "2:lamda=1"} + smallLogistic, 2,
        "Did you mean \"lambda\"?");
    row("no file", {"run", "--data", "/no/such/file.svm"}, 4, "/no/such/file.svm");
    row("no data set", {"run", "--data", "mnist-7k"}, 4, "Did you mean \"mnist-6k\"?");
    row("bad data", {"run", "--data", "bad.svm"}, 3, "bad.svm");
    row("trace in no folder",
        QStringList{"run", "--stages", "1", "--quiet", "--trace", "/no/such/folder/t.csv"} + smallLogistic, 4,
        "/no/such/folder/t.csv");
    row("session in no folder",
        QStringList{"run", "--stages", "1", "--session", "/no/such/folder/s.appa"} + smallLogistic, 4,
        "/no/such/folder/s.appa");
    row("full disk", QStringList{"run", "--stages", "1", "--quiet", "--weights", "/dev/full"} + smallLogistic, 4,
        "/dev/full");
    row("no session", {"replay", "/no/such.appa"}, 4, "/no/such.appa");
    row("replay without a file", {"replay"}, 2, "FILE");
    row("nothing to download", {"data", "get", "mnits"}, 2, "Known: mnist");
    row("unknown data command", {"data", "lits"}, 2, "Did you mean \"list\"?");
}

void TestCli::exitCodes()
{
    QFETCH(QStringList, arguments);
    QFETCH(int, code);
    QFETCH(QString, says);
    const Outcome outcome = call(arguments);
    QVERIFY2(outcome.code == code, outcome.out + outcome.err);
    const QByteArray &text = code == 0 ? outcome.out : outcome.err;
    QVERIFY2(text.contains(says.toUtf8()), outcome.out + outcome.err);
}

void TestCli::commandsWinOverFilesOfTheirName()
{
    QVERIFY(QDir(m_folder.path()).mkdir("losses"));
    QCOMPARE(call({"losses"}).code, 0);
}

void TestCli::suggestsTheNearest_data()
{
    QTest::addColumn<QString>("word");
    QTest::addColumn<QString>("nearest");
    QTest::newRow("a letter missing") << "lamda"
                                      << "lambda";
    QTest::newRow("swapped") << "lamdba"
                             << "lambda";
    QTest::newRow("the beginning") << "steps-p"
                                   << "steps-per-stage";
    QTest::newRow("nothing like it") << "zebra"
                                     << "";
}

void TestCli::suggestsTheNearest()
{
    QFETCH(QString, word);
    QFETCH(QString, nearest);
    QCOMPARE(QString::fromStdString(appa::nearest(word.toStdString(), {"stages", "lambda", "seed", "steps-per-stage"})),
             nearest);
}

void TestCli::listsMethodsAndLosses()
{
    const Outcome all = call({"methods", "--json"});
    QCOMPARE(all.code, 0);
    const QJsonObject json = QJsonDocument::fromJson(all.out).object();
    QCOMPARE(json["methods"].toArray().size(), static_cast<qsizetype>(methods().size()));
    QCOMPARE(json["inner_solvers"].toArray().size(), static_cast<qsizetype>(innerSolvers().size()));
    for (const QJsonValue &method : json["methods"].toArray()) {
        for (const char *key : {"id", "label", "family", "summary", "update", "lambda", "params"})
            QVERIFY2(method.toObject().contains(QLatin1String(key)), key);
    }
    const Outcome text = call({"methods"});
    for (const MethodInfo &info : methods())
        QVERIFY2(text.out.contains("\n" + QByteArray::fromStdString(info.id) + "  (")
                     || text.out.startsWith(info.id.c_str()),
                 info.id.c_str());
    const Outcome one = call({"methods", "dual-appa"});
    QVERIFY2(one.code == 0 && one.out.startsWith("dual-appa  (Dual APPA, reduction)"), one.out + one.err);
    for (const char *part :
         {"s ← x, y kept", "ICML 2015", "max-passes", "A certified stage that", "with sdca or apcg or ap-sdca inside"})
        QVERIFY2(one.out.contains(part), part);
    QCOMPARE(QJsonDocument::fromJson(call({"methods", "svrg", "--json"}).out).object()["id"].toString(),
             QString("svrg"));
    const QJsonObject reduction = QJsonDocument::fromJson(call({"methods", "dual-appa", "--json"}).out).object();
    QCOMPARE(reduction["inner_solvers"].toArray().size(), reduction["inners"].toArray().size());
    QVERIFY(!reduction["inner_solvers"].toArray().first().toObject()["params"].toArray().isEmpty());
    QCOMPARE(QJsonDocument::fromJson(call({"losses", "--json"}).out).array().size(),
             static_cast<qsizetype>(losses().size()));
    QVERIFY(call({"losses"}).out.contains("smoothed-hinge"));
}

void TestCli::solvesForTheOptimum()
{
    const Outcome outcome = call(QStringList{"optimum", "--json"} + smallProblem);
    QVERIFY2(outcome.code == 0, outcome.err);
    const QJsonObject json = QJsonDocument::fromJson(outcome.out).object();
    for (const char *key : {"f_opt", "certificate", "attained", "mu", "L", "R", "M", "kappa", "n", "d", "seconds"})
        QVERIFY2(json.contains(QLatin1String(key)), key);
    QCOMPARE(json["n"].toInt(), 200);
    QVERIFY(json["attained"].toBool());
    // The second time it comes from the cache, and is the same.
    QCOMPARE(
        QJsonDocument::fromJson(call(QStringList{"optimum", "--json"} + smallProblem).out).object()["f_opt"].toDouble(),
        json["f_opt"].toDouble());
}

void TestCli::constantsThatDoNotFitDoNotHideTheOptimum()
{
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    QSKIP("a sanitizer needs the whole address space");
#endif
    // Two million columns: Lanczos' vectors take 1.6 GB, the reference solve a fraction of that.
    QFile file(m_folder.filePath("wide.svm"));
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write("1 1:1 2:0.5\n-1 2:1 2000000:2\n1 3:0.5\n");
    file.close();
    const QStringList problem = {"wide.svm", "--normalize", "none", "--ridge", "0.1"};
    const Outcome text = call(QStringList{"optimum"} + problem, "ulimit -v 1500000;");
    QCOMPARE(text.code, 3);
    QVERIFY2(text.out.contains("F_opt ") && text.out.contains("mu, M and kappa could not be measured"), text.out);
    QVERIFY2(text.err.contains("measure the problem's constants"), text.err);
    const Outcome outcome = call(QStringList{"optimum", "--json"} + problem, "ulimit -v 1500000;");
    const QJsonObject json = QJsonDocument::fromJson(outcome.out).object();
    QVERIFY2(json["f_opt"].toDouble() > 0 && json["L"].toDouble() > 0, outcome.out);
    QVERIFY(json["mu"].isNull() && json["kappa"].isNull());
}

void TestCli::aFileThatCannotBeWrittenDoesNotHideTheResult()
{
    const Outcome outcome =
        call(QStringList{"run", "--stages", "2", "--no-optimum", "--weights", "/dev/full"} + smallLogistic);
    QCOMPARE(outcome.code, 4);
    QVERIFY2(outcome.out.contains("train loss") && outcome.err.contains("/dev/full"), outcome.out + outcome.err);
    const Outcome solved = call(QStringList{"optimum", "--weights", "/dev/full"} + smallLogistic);
    QCOMPARE(solved.code, 4);
    QVERIFY2(solved.out.contains("F_opt") && solved.err.contains("/dev/full"), solved.out + solved.err);
}

void TestCli::saysAtOnceThatAFileCannotBeWritten()
{
    const Outcome outcome =
        call(QStringList{"optimum", "--no-cache", "--weights", "no/such/folder.txt"} + smallProblem);
    QCOMPARE(outcome.code, 4);
    QVERIFY(outcome.out.isEmpty());
    const Outcome gap =
        call(QStringList{"run", "--method", "gd", "--stages", "3", "--gap", "1e-3", "--no-optimum", "--quiet"}
             + smallLogistic);
    QVERIFY2(gap.err.contains("no duality gap"), gap.err.constData());
}

void TestCli::outputThatCannotBeWrittenIsAnError()
{
    for (const QStringList &command : {QStringList{"--help"}, {"run", "--help"}, {"--version"}, {"methods"}}) {
        const Outcome outcome = call(command, "exec >/dev/full;");
        QCOMPARE(outcome.code, 4);
        QCOMPARE(outcome.err, QByteArray("appa-lab: Cannot write the output.\n"));
    }
}

void TestCli::nothingBesideTheProgressOnPipes()
{
    const Outcome run = call(QStringList{"run", "--stages", "2", "--no-optimum"} + smallLogistic);
    QCOMPARE(run.code, 0);
    QCOMPARE(run.err, QByteArray());
    QVERIFY(run.out.contains("train loss"));
    const Outcome quiet = call(QStringList{"run", "--stages", "2", "--no-optimum", "--quiet"} + smallLogistic);
    QCOMPARE(quiet.out + quiet.err, QByteArray());
}

QTEST_GUILESS_MAIN(TestCli)
#include "tst_app_cli.moc"
