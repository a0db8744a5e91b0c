// The program itself, started as a user starts it.

#include "base/AtomicFile.h"
#include "base/Suggest.h"
#include "run/Session.h"
#include "run/TraceCsv.h"

#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QProcess>
#include <QTemporaryDir>
#include <QTest>

#include <algorithm>
#include <cmath>
#include <csignal>
#include <filesystem>

using namespace appa;

namespace {

struct Outcome
{
    int code = -1;
    QByteArray out;
    QByteArray err;
};

/// A small problem that every command knows how to make.
const QStringList smallProblem = {"--data", "ill-conditioned:n=200,d=10,test=50", "--ridge", "0.01", "--precision",
                                  "double"};
const QStringList smallLogistic = {"--data", "gaussians-2d:n=200", "--ridge", "0.01"};

} // namespace

class TestCli final : public QObject
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
    void describesData();
    void solvesForTheOptimum();
    void writesTraceWeightsAndSession();
    void plannedChangesShowInTheTrace();
    void isTheSameTwice();
    void choosesAMethodThatSuitsTheProblem();
    void changesInsideAStage();
    void aTickMustLieInItsStage_data();
    void aTickMustLieInItsStage();
    void aFileThatCannotBeWrittenDoesNotHideTheResult();
    void saysWhichParameterHasNoEffect();
    void weightsCanGoToTheStandardOutput();
    void saysWhatTheTestErrorIs();
    void countsStagesWithoutTheirCertificate();
    void replaysItsSessions();
    void replaysDataWhosePathIsNotUtf8();
    void aForgedSessionIsFoundOut();
    void aRunThatCannotStartIsNamedByTheReplay();
    void divergenceIsAResult();
    void anInterruptionKeepsWhatWasMeasured();
    void theWeightsOfAnInterruptionAreOfItsLoss();
    void aRunGoesOnAsIfItHadNeverEnded();
    void saysWhyARunCannotGoOn_data();
    void saysWhyARunCannotGoOn();
    void rendersFigures_data();
    void rendersFigures();
    void theChangesOfAForksPastAreDrawnOnce();
    void differentProblemsShareNoExcess();
    void warnsThatASystemHasNoSolution();
    void saysAtOnceThatAFileCannotBeWritten();
    void aGoalTakesThePlaceOfTheDefaultNumberOfStages();
    void aGapIsLookedForAfterEveryChangeOfMethod();
    void aGoalThatIsNeverReachedIsToldMeanwhile();
    void countsTheRowsBeforeTheHoldOut();
    void adviceNamesItsOptions_data();
    void adviceNamesItsOptions();
    void namesTheLabelOptionOnlyWhereItHelps();
    void traceFilesComeBack();
    void infoDescribesWhatRunUses();
    void theResultNamesItsProblem();
    void anInfimumThatIsNotAttainedIsInTheResult();
    void computesNoOptimumThatNobodyIsTold();
    void saysWhatTheGapIsOf();
    void numbersTakenForClassesAreTold();
    void aPartOfOneClassIsTold();
    void measuresInsideAStageAreMarked();
    void nothingBesideTheProgressOnPipes();

private:
    Outcome call(const QStringList &arguments) const;
    /// What a command that does not end says until `sentence` is there; it is ended then.
    QByteArray saidBeforeTheEnd(const QStringList &arguments, const QByteArray &sentence) const;

    QTemporaryDir m_folder;
    QProcessEnvironment m_environment = QProcessEnvironment::systemEnvironment();
};

void TestCli::initTestCase()
{
    QVERIFY(m_folder.isValid());
    for (const char *name : {"XDG_CACHE_HOME", "XDG_STATE_HOME", "XDG_DATA_HOME", "XDG_CONFIG_HOME", "HOME"})
        m_environment.insert(name, m_folder.path());
    QFile bad(m_folder.filePath("bad.svm"));
    QVERIFY(bad.open(QIODevice::WriteOnly));
    bad.write("1 1:0.5\n-1 2:x\n");
    bad.close();
    m_environment.remove("DISPLAY");
    m_environment.remove("WAYLAND_DISPLAY");
}

Outcome TestCli::call(const QStringList &arguments) const
{
    QProcess process;
    process.setProcessEnvironment(m_environment);
    process.setWorkingDirectory(m_folder.path());
    process.start(APPA_PROGRAM, arguments);
    if (!process.waitForFinished(120000))
        return {};
    return {process.exitStatus() == QProcess::NormalExit ? process.exitCode() : -process.exitCode(),
            process.readAllStandardOutput(), process.readAllStandardError()};
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

void TestCli::describesData()
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

void TestCli::writesTraceWeightsAndSession()
{
    const Outcome outcome = call(
        QStringList{"run", "--stages", "6", "--trace", "a.csv", "--weights", "a.txt", "--session", "a.appa", "--json"}
        + smallProblem);
    QVERIFY2(outcome.code == 0, outcome.err);
    const QJsonObject json = QJsonDocument::fromJson(outcome.out).object();
    QCOMPARE(json["status"].toString(), QString("finished"));
    QCOMPARE(json["stages"].toInt(), 6);

    QFile csv(m_folder.filePath("a.csv"));
    QVERIFY(csv.open(QIODevice::ReadOnly));
    const QList<QByteArray> lines = csv.readAll().split('\n');
    QCOMPARE(lines.size(), qsizetype(9));
    QCOMPARE(lines[0],
             QByteArray("stage,step,passes,accesses,seconds,train_loss,excess_loss,test_error,gap,lambda,"
                        "method,inner,event,full_accesses,stage_end"));
    QVERIFY(lines[1].startsWith("0,0,0,0,0,"));
    for (int k = 0; k <= 6; ++k) {
        const QList<QByteArray> cells = lines[k + 1].split(',');
        QCOMPARE(cells.size(), qsizetype(15));
        QCOMPARE(cells[0].toInt(), k);
        QVERIFY2(!cells[6].isEmpty(), "the excess must be known by the end");
        QCOMPARE(cells[10], QByteArray("dual-appa"));
    }
    QCOMPARE(lines[7].split(',')[5].toDouble(), json["train_loss"].toDouble());
    QVERIFY(json["excess_loss"].toDouble() < 1e-2);

    QFile weights(m_folder.filePath("a.txt"));
    QVERIFY(weights.open(QIODevice::ReadOnly));
    QCOMPARE(weights.readAll().count('\n'), qsizetype(10));
    const auto session = readSession(m_folder.filePath("a.appa").toStdString());
    QVERIFY(session.ok());
    QCOMPARE(session.value().runs.size(), std::size_t(1));
    QCOMPARE(session.value().runs[0].trace.points.size(), std::size_t(7));
    QVERIFY(session.value().fOpt.has_value());
    QCOMPARE(session.value().rows, Index(200));
}

void TestCli::plannedChangesShowInTheTrace()
{
    const Outcome outcome =
        call(QStringList{"run", "--stages", "9", "--no-optimum", "--lambda", "0.1", "--at", "5:lambda=1e-3", "--at",
                         "7:method=accelerated-appa", "--at", "2:passes=2", "--trace", "-", "--quiet"}
             + smallProblem);
    QVERIFY2(outcome.code == 0, outcome.err);
    const QList<QByteArray> lines = outcome.out.split('\n');
    QCOMPARE(lines.size(), qsizetype(12));
    const auto cell = [&](int stage, int column) { return lines[stage + 1].split(',')[column]; };
    QCOMPARE(cell(2, 12), QByteArray("passes=2"));
    QCOMPARE(cell(5, 12), QByteArray("lambda=0.001"));
    QCOMPARE(cell(5, 9).toDouble(), 0.1);
    QCOMPARE(cell(6, 9).toDouble(), 0.001);
    QVERIFY(cell(7, 12).startsWith("method=accelerated-appa"));
    QCOMPARE(cell(7, 10), QByteArray("dual-appa"));
    QCOMPARE(cell(8, 10), QByteArray("accelerated-appa"));
    for (const int stage : {0, 1, 3, 4, 6, 8, 9})
        QCOMPARE(cell(stage, 12), QByteArray());
    QCOMPARE(cell(3, 6), QByteArray());
    QCOMPARE(cell(3, 3).toInt() - cell(2, 3).toInt(), 400);
}

void TestCli::isTheSameTwice()
{
    const QStringList arguments =
        QStringList{"run", "--stages", "8", "--measures", "3", "--at", "3:lambda=0.05", "--quiet", "--trace", "-"}
        + smallLogistic;
    const auto withoutSeconds = [](const QByteArray &csv) {
        QByteArray text;
        for (const QByteArray &line : csv.split('\n')) {
            QList<QByteArray> cells = line.split(',');
            if (cells.size() > 4)
                cells[4].clear();
            text += cells.join(',') + '\n';
        }
        return text;
    };
    const Outcome first = call(arguments);
    QVERIFY2(first.code == 0, first.err);
    QVERIFY(first.out.count('\n') > 20);
    QCOMPARE(withoutSeconds(call(arguments).out), withoutSeconds(first.out));
    QVERIFY(withoutSeconds(call(arguments + QStringList{"--seed", "2"}).out) != withoutSeconds(first.out));
}

void TestCli::choosesAMethodThatSuitsTheProblem()
{
    QFile file(m_folder.filePath("three.csv"));
    QVERIFY(file.open(QIODevice::WriteOnly));
    for (int i = 0; i < 60; ++i)
        file.write(QString("%1,%2,%3\n").arg("abc"[i % 3]).arg(std::sin(i)).arg(i % 3 + std::cos(i)).toLatin1());
    file.close();
    const QStringList data = {"--data", "three.csv", "--label", "1"};
    const Outcome outcome = call(QStringList{"run", "--stages", "3", "--json"} + data);
    QVERIFY2(outcome.code == 0, outcome.err);
    QCOMPARE(QJsonDocument::fromJson(outcome.out).object()["method"].toString(), QString("svrg"));
    QVERIFY2(outcome.err.contains("Dual APPA works on the dual") && outcome.err.contains("svrg is used"), outcome.err);
    QCOMPARE(call(QStringList{"run", "--stages", "3", "--method", "dual-appa"} + data).code, 2);

    const QStringList study = {"sweep", "--lambdas", "0.1,1", "--seeds", "1", "--stages", "2", "--no-figure"};
    const Outcome swept = call(study + QStringList{"--out", "three"} + data);
    QVERIFY2(swept.code == 0, swept.err);
    QVERIFY2(swept.err.contains("left out: dual-appa:sdca, sdca."), swept.err);
    QVERIFY2(swept.out.contains("SVRG") && !swept.out.contains("SDCA"), swept.out);
    QCOMPARE(call(study + QStringList{"--out", "four", "--methods", "sdca"} + data).code, 2);
}

void TestCli::changesInsideAStage()
{
    const Outcome outcome = call(QStringList{"run", "--stages", "4", "--at", "2@40:lambda=0.02", "--at", "2:passes=2",
                                             "--no-optimum", "--session", "m.appa", "--measures", "4"}
                                 + smallLogistic);
    QVERIFY2(outcome.code == 0, outcome.err);
    QVERIFY2(outcome.out.contains("in stage 2: λ"), outcome.out);
    const auto session = readSession(m_folder.filePath("m.appa").toStdString());
    const std::vector<RunEvent> &events = session.value().runs[0].trace.events;
    QCOMPARE(events.size(), std::size_t(2));
    for (const RunEvent &event : events) {
        QCOMPARE(event.at.ticks, Index(40));
        QCOMPARE(event.stage, Index(2));
    }
    QVERIFY(events[0].midStage && !events[1].midStage);
    QCOMPARE(call({"replay", "m.appa"}).code, 0);
}

void TestCli::aTickMustLieInItsStage_data()
{
    QTest::addColumn<QStringList>("changes");
    QTest::addColumn<QByteArray>("error");
    // The first stage has 34 ticks, the others 17.
    QTest::newRow("passed") << QStringList{"--at", "4:lambda=0.01", "--at", "6@40:lambda=0.5"}
                            << QByteArray("--at 6@40:lambda: tick 40 lies in stage 2.");
    QTest::newRow("too early") << QStringList{"--at", "6@40:lambda=0.5"}
                               << QByteArray("--at 6@40:lambda: tick 40 lies in stage 2.");
    QTest::newRow("too late") << QStringList{"--at", "3@9999:lambda=0.5"}
                              << QByteArray("--at 3@9999:lambda: stage 3 ends before that, at tick 68.");
    QTest::newRow("after the last stage") << QStringList{"--at", "8@9999:lambda=0.5"}
                                          << QByteArray("--at 8@9999:lambda: stage 8 ends before that, at tick 153.");
    QTest::newRow("twice at one tick") << QStringList{"--at", "2@40:lambda=0.5", "--at", "2@40:passes=2"}
                                       << QByteArray();
    QTest::newRow("at its end") << QStringList{"--at", "2@51:lambda=0.5"} << QByteArray();
}

void TestCli::aTickMustLieInItsStage()
{
    QFETCH(QStringList, changes);
    QFETCH(QByteArray, error);
    const Outcome outcome =
        call(QStringList{"run", "--stages", "8", "--no-optimum", "--trace", "-"} + changes + smallLogistic);
    QCOMPARE(outcome.code, error.isEmpty() ? 0 : 2);
    QVERIFY2(outcome.err.contains(error), outcome.err);
    QVERIFY2(outcome.out.count('\n') > 2, outcome.out); // what was measured until then is not lost
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

void TestCli::saysWhichParameterHasNoEffect()
{
    // The window's commands name all that was ever set: no mistake, but worth a word.
    const QStringList arguments =
        QStringList{"run", "--stages", "2", "--no-optimum", "--set", "max-passes=5"} + smallLogistic;
    const Outcome outcome = call(arguments);
    QCOMPARE(outcome.code, 0);
    QVERIFY2(outcome.err.contains("max-passes has no effect unless stages=certified."), outcome.err);
    QVERIFY(call(arguments + QStringList{"--set", "stages=certified"}).err.isEmpty());
    QVERIFY(call(arguments + QStringList{"--at", "1:stages=certified"}).err.isEmpty());
    const QStringList gd = QStringList{"run", "--stages", "2", "--no-optimum", "--method", "gd"} + smallLogistic;
    QVERIFY(call(gd + QStringList{"--set", "order=cyclic"}).err.contains("order has no effect"));
    QVERIFY(call(gd + QStringList{"--set", "passes=0.5"}).err.contains("a step of gd is a pass"));
    QVERIFY(call(gd + QStringList{"--set", "passes=2"}).err.isEmpty());
}

void TestCli::weightsCanGoToTheStandardOutput()
{
    const Outcome outcome = call(QStringList{"run", "--stages", "2", "--no-optimum", "--weights", "-"} + smallLogistic);
    QCOMPARE(outcome.code, 0);
    QCOMPARE(outcome.out.count('\n'), qsizetype(2));
    QVERIFY(!QFileInfo::exists(m_folder.filePath("-")));
}

void TestCli::saysWhatTheTestErrorIs()
{
    QVERIFY(
        call(QStringList{"run", "--stages", "1", "--no-optimum"} + smallProblem).out.contains("(mean squared error)"));
    QVERIFY(call({"run", "--stages", "1", "--no-optimum", "--data", "gaussians-2d:n=200,test=50"})
                .out.contains("(misclassified)"));
}

void TestCli::countsStagesWithoutTheirCertificate()
{
    const QStringList arguments = {"run",   "--stages",     "4",        "--set", "stages=certified",
                                   "--set", "max-passes=1", "--lambda", "1e-6",  "--no-optimum"};
    const char *const says = "of 4 certified stages ended at max-passes";
    const Outcome outcome = call(arguments + smallProblem);
    QVERIFY2(outcome.out.count(says) == 1 && outcome.err.isEmpty(), outcome.out + outcome.err);
    QVERIFY(call(arguments + smallProblem + QStringList{"--quiet"}).err.contains(says));
}

void TestCli::replaysItsSessions()
{
    for (const char *method : {"dual-appa", "svrg", "sdca"}) {
        const Outcome run = call(QStringList{"run", "--method", method, "--stages", "6", "--at", "2:lambda=0.02",
                                             "--at", "4:method=saga", "--no-optimum", "--quiet", "--session", "r.appa"}
                                 + smallLogistic);
        QVERIFY2(run.code == 0, run.err);
        const Outcome outcome = call({"replay", "r.appa"});
        QVERIFY2(outcome.code == 0, outcome.out + outcome.err);
        QVERIFY2(outcome.out.contains("identical, 7 points, 2 changes"), outcome.out);
    }
}

void TestCli::replaysDataWhosePathIsNotUtf8()
{
    // The program is given bytes: QProcess would take the name for text.
    const auto shell = [this](const QByteArray &command) {
        QProcess process;
        process.setProcessEnvironment(m_environment);
        process.setWorkingDirectory(m_folder.path());
        process.start("/bin/sh", {"-c", "f=$(printf 'caf\\351 100%%.svm'); " + command, APPA_PROGRAM});
        process.waitForFinished(120000);
        return Outcome{process.exitCode(), process.readAllStandardOutput(), process.readAllStandardError()};
    };
    const Outcome run =
        shell("printf '1 1:1 2:0.5\\n-1 1:-1 2:0.25\\n1 1:0.5\\n' > \"$f\"; \"$0\" run \"$f\" --test \"$f\" "
              "--stages 2 --no-optimum --json --session bytes.appa");
    QVERIFY2(run.code == 0, run.err);
    const QString options = QJsonDocument::fromJson(run.out).object()["problem"].toObject()["options"].toString();
    QVERIFY2(options.contains("/caf\\xe9 100%.svm'"), qPrintable(options));
    const Outcome replayed = call({"replay", "bytes.appa"});
    QVERIFY2(replayed.code == 0, replayed.out + replayed.err);
    QCOMPARE(call({"run", "--resume", "bytes.appa", "--stages", "4", "--quiet"}).code, 0);
    // A study names its data in the same way.
    const Outcome swept = shell("\"$0\" sweep \"$f\" --methods sdca --lambdas 1 --seeds 1 --stages 1 --no-figure "
                                "--quiet --out bytes && \"$0\" sweep --out bytes --resume --no-figure --seeds 2");
    QVERIFY2(swept.code == 0, swept.err);
}

void TestCli::aForgedSessionIsFoundOut()
{
    QCOMPARE(call(QStringList{"run", "--stages", "3", "--no-optimum", "--quiet", "--session", "f.appa"} + smallLogistic)
                 .code,
             0);
    const std::string path = m_folder.filePath("f.appa").toStdString();
    auto session = readSession(path);
    QVERIFY(session.ok());
    session.value().runs[0].trace.points[2].loss *= 1 + 1e-15;
    QVERIFY(!writeSession(path, session.value()));
    const Outcome outcome = call({"replay", "f.appa"});
    QCOMPARE(outcome.code, 3);
    QVERIFY2(outcome.out.contains("DIFFERENT") && outcome.out.contains("stage 2"), outcome.out);

    // Edited by hand it is not even opened, and not written over either.
    auto text = readWholeFile(path);
    QVERIFY(text.ok());
    text.value().replace(text.value().find("\"seed\":1"), 8, "\"seed\":2");
    QVERIFY(!writeAtomically(path, text.value()));
    QCOMPARE(call({"replay", "f.appa"}).code, 4);
    const Outcome again = call(QStringList{"run", "--stages", "1", "--quiet", "--session", "f.appa"} + smallLogistic);
    QCOMPARE(again.code, 4);
    QCOMPARE(readWholeFile(path).value(), text.value());
}

void TestCli::aRunThatCannotStartIsNamedByTheReplay()
{
    QCOMPARE(
        call(QStringList{"run", "--stages", "2", "--no-optimum", "--quiet", "--session", "u.appa", "--name", "good"}
             + smallLogistic)
            .code,
        0);
    const std::string path = m_folder.filePath("u.appa").toStdString();
    auto session = readSession(path);
    QVERIFY(session.ok());
    SavedRun bad = session.value().runs[0];
    bad.name = "a bad one";
    bad.spec.method = "kaczmarz"; // needs the squared loss
    bad.spec.inner.clear();
    bad.spec.params = {};
    session.value().runs.insert(session.value().runs.begin(), bad);
    QVERIFY(!writeSession(path, session.value()));
    const Outcome outcome = call({"replay", "u.appa"});
    QCOMPARE(outcome.code, 3);
    QVERIFY2(outcome.out.contains("a bad one: CANNOT START.") && outcome.out.contains("squared loss"), outcome.out);
    QVERIFY2(outcome.out.contains("good: identical"), outcome.out);
}

void TestCli::divergenceIsAResult()
{
    const Outcome outcome =
        call(QStringList{"run", "--method", "svrg", "--lambda", "1000", "--no-optimum", "--json", "--trace", "d.csv"}
             + smallProblem);
    QVERIFY2(outcome.code == 0, outcome.err);
    const QJsonObject json = QJsonDocument::fromJson(outcome.out).object();
    QCOMPARE(json["status"].toString(), QString("diverged"));
    QVERIFY(json["message"].toString().contains("stage"));
    QVERIFY(QFileInfo::exists(m_folder.filePath("d.csv")));
}

void TestCli::anInterruptionKeepsWhatWasMeasured()
{
    QProcess process;
    process.setProcessEnvironment(m_environment);
    process.setWorkingDirectory(m_folder.path());
    process.start(APPA_PROGRAM,
                  QStringList{"run", "--stages", "0", "--progress", "--no-optimum", "--trace", "i.csv", "--session",
                              "i.appa", "--weights", "i.txt"}
                      + smallLogistic);
    QVERIFY(process.waitForStarted());
    // A line of progress per stage: at the third it is well under way.
    QByteArray progress;
    QTRY_VERIFY_WITH_TIMEOUT((progress += process.readAllStandardError(), progress.count('\n') >= 3), 60000);
    // Twice at once is once: timeout(1) signals a command and then its group.
    ::kill(static_cast<pid_t>(process.processId()), SIGINT);
    ::kill(static_cast<pid_t>(process.processId()), SIGTERM);
    QVERIFY(process.waitForFinished(60000));
    QCOMPARE(process.exitStatus(), QProcess::NormalExit);
    QCOMPARE(process.exitCode(), 130);
    QVERIFY(process.readAllStandardOutput().contains(": paused. Interrupted after stage "));
    const auto trace = readTraceCsv(m_folder.filePath("i.csv").toStdString());
    QVERIFY(trace.ok());
    QVERIFY(trace.value()[0].trace.points.size() >= 3);
    const auto session = readSession(m_folder.filePath("i.appa").toStdString());
    QVERIFY(session.ok());
    QCOMPARE(session.value().runs[0].trace.points.size(), trace.value()[0].trace.points.size());
    QCOMPARE(session.value().runs[0].status, RunStatus::Paused);
    QVERIFY(QFileInfo::exists(m_folder.filePath("i.txt")));
}

void TestCli::theWeightsOfAnInterruptionAreOfItsLoss()
{
    // A stage of seconds: what is measured when it is interrupted is the start.
    QProcess process;
    process.setProcessEnvironment(m_environment);
    process.setWorkingDirectory(m_folder.path());
    process.start(APPA_PROGRAM,
                  QStringList{"run", "--method", "sgd", "--set", "passes=1000", "--no-optimum", "--save-every", "0.01",
                              "--session", "w.appa", "--weights", "w.txt", "ill-conditioned:n=20000,d=200"});
    QVERIFY(process.waitForStarted());
    // Saved with its first point: the solver is beyond it.
    const std::string session = m_folder.filePath("w.appa").toStdString();
    QTRY_VERIFY_WITH_TIMEOUT((std::filesystem::exists(session) && readSession(session).ok()
                              && !readSession(session).value().runs[0].trace.points.empty()),
                             60000);
    ::kill(static_cast<pid_t>(process.processId()), SIGINT);
    QVERIFY(process.waitForFinished(60000));
    QCOMPARE(process.exitCode(), 130);
    QFile weights(m_folder.filePath("w.txt"));
    QVERIFY(weights.open(QIODevice::ReadOnly));
    for (const QByteArray &line : weights.readAll().trimmed().split('\n'))
        QCOMPARE(line.toDouble(), 0.0);
    QCOMPARE(readSession(session).value().runs[0].trace.points.size(), std::size_t(1));
}

void TestCli::aRunGoesOnAsIfItHadNeverEnded()
{
    const auto made = [this](const QStringList &arguments) {
        const Outcome outcome = call(QStringList{"run", "--quiet"} + arguments);
        return outcome.code == 0 ? QByteArray() : "failed: " + outcome.err;
    };
    const auto sessionAt = [this](const char *name) {
        return readSession(m_folder.filePath(name).toStdString()).value();
    };
    const auto samePoints = [](const SavedRun &a, const SavedRun &b) {
        return std::ranges::equal(a.trace.points, b.trace.points, [](const TracePoint &p, const TracePoint &q) {
            const auto same = [](double u, double v) { return u == v || (std::isnan(u) && std::isnan(v)); };
            return p.stage == q.stage && p.cost == q.cost && p.loss == q.loss && same(p.testError, q.testError)
                && same(p.gap, q.gap) && same(p.lambda, q.lambda) && p.stageEnd == q.stageEnd;
        });
    };
    const auto readFile = [this](const char *name) {
        QFile file(m_folder.filePath(name));
        return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray(name);
    };
    const QStringList first = QStringList{"--measures", "2", "--at", "2:lambda=0.02"} + smallLogistic;
    const QStringList later = {"--at", "5:lambda=0.03", "--at", "8:method=svrg"};
    QCOMPARE(made(QStringList{"--stages", "12", "--session", "whole.appa", "--weights", "whole.txt"} + first + later),
             QByteArray());
    QCOMPARE(made(QStringList{"--stages", "5", "--session", "resumed.appa", "--name", "mine"} + first), QByteArray());
    Session two = sessionAt("resumed.appa");
    two.runs.push_back(two.runs[0]);
    two.runs[1].name = "other";
    QVERIFY(!writeSession(m_folder.filePath("resumed.appa").toStdString(), two));

    QCOMPARE(made(QStringList{"--resume", "resumed.appa", "--name", "mine", "--stages", "12", "--weights",
                              "resumed.txt", "--trace", "resumed.csv"}
                  + later),
             QByteArray());
    const Session whole = sessionAt("whole.appa"), resumed = sessionAt("resumed.appa");
    QVERIFY(samePoints(resumed.runs[0], whole.runs[0]));
    QCOMPARE(resumed.runs[0].trace.events.size(), std::size_t(3));
    QCOMPARE(readFile("resumed.txt"), readFile("whole.txt"));
    const auto trace = readTraceCsv(m_folder.filePath("resumed.csv").toStdString());
    QCOMPARE(trace.value()[0].trace.points.size(), whole.runs[0].trace.points.size());
    // The other run of the file, and the name, are as they were.
    QCOMPARE(resumed.runs.size(), std::size_t(2));
    QCOMPARE(resumed.runs[0].name, std::string("mine"));
    QVERIFY(samePoints(resumed.runs[1], two.runs[1]));
    QCOMPARE(call({"replay", "resumed.appa", "--quiet"}).code, 0);

    // One that was interrupted; to another file.
    QVERIFY(QFileInfo::exists(m_folder.filePath("i.appa")));
    const Index stage = sessionAt("i.appa").runs[0].trace.points.back().stage;
    const QString goal = QString::number(stage + 4);
    QCOMPARE(made({"--resume", "i.appa", "--session", "j.appa", "--stages", goal}), QByteArray());
    QCOMPARE(made(QStringList{"--stages", goal, "--session", "k.appa"} + smallLogistic), QByteArray());
    QVERIFY(samePoints(sessionAt("j.appa").runs[0], sessionAt("k.appa").runs[0]));
    QCOMPARE(sessionAt("i.appa").runs[0].trace.points.back().stage, stage);
}

void TestCli::saysWhyARunCannotGoOn_data()
{
    QTest::addColumn<QStringList>("arguments");
    QTest::addColumn<QString>("says");
    const auto row = [](const char *name, const QStringList &arguments, const char *says) {
        QTest::newRow(name) << QStringList{"run", "--quiet", "--resume"} + arguments << QString(says);
    };
    row("which", {"resumed.appa", "--stages", "20"}, "--name says with which to go on, of \"mine\", \"other\"");
    row("nobody's name", {"resumed.appa", "--stages", "20", "--name", "its"}, "has no run \"its\"");
    row("it has ended", {"whole.appa"}, "has ended: 12 stages done.");
    row("it is there", {"whole.appa", "--stages", "12"}, "has 12 stages already");
    row("a change of the past", {"whole.appa", "--stages", "20", "--at", "3:lambda=1"}, "the run is beyond that");
    row("another method", {"whole.appa", "--stages", "20", "--method", "svrg"}, "--method is what the session");
    row("another problem", {"whole.appa", "--stages", "20", "--ridge", "1"}, "--ridge is what the session");
}

void TestCli::saysWhyARunCannotGoOn()
{
    QFETCH(QStringList, arguments);
    QFETCH(QString, says);
    const Outcome outcome = call(arguments);
    QCOMPARE(outcome.code, 2);
    QVERIFY2(QString::fromUtf8(outcome.err).contains(says), outcome.err.constData());
}

void TestCli::rendersFigures_data()
{
    QTest::addColumn<QString>("ending");
    QTest::addColumn<QByteArray>("magic");
    QTest::newRow("PNG") << "png" << QByteArray("\x89PNG");
    QTest::newRow("SVG") << "svg" << QByteArray("<?xml");
    QTest::newRow("PDF") << "pdf" << QByteArray("%PDF");
}

void TestCli::rendersFigures()
{
    QFETCH(QString, ending);
    QFETCH(QByteArray, magic);
    QCOMPARE(call(QStringList{"run", "--stages", "4", "--at", "2:lambda=0.02", "--quiet", "--session", "g.appa",
                              "--trace", "g.csv"}
                  + smallLogistic)
                 .code,
             0);
    for (const QString &input : {QString("g.appa"), QString("g.csv")}) {
        const QString out = "figure." + ending;
        const Outcome outcome = call({"render", input, "--out", out, "--axis", "stages"});
        QVERIFY2(outcome.code == 0, outcome.err);
        QFile file(m_folder.filePath(out));
        QVERIFY(file.open(QIODevice::ReadOnly));
        QVERIFY(file.read(16).startsWith(magic));
        QVERIFY(file.size() > 2000);
        file.remove();
    }
    QCOMPARE(call({"render", "g.csv", "--out", "figure.txt"}).code == 0, false);
}

void TestCli::theChangesOfAForksPastAreDrawnOnce()
{
    QCOMPARE(call(QStringList{"run", "--stages", "4", "--at", "2:lambda=0.02", "--quiet", "--session", "parent.appa"}
                  + smallLogistic)
                 .code,
             0);
    Session session = readSession(m_folder.filePath("parent.appa").toStdString()).value();
    QCOMPARE(session.runs[0].trace.events.size(), std::size_t(1));
    session.runs.push_back(session.runs[0]);
    session.runs[1].name = "fork";
    QVERIFY(!writeSession(m_folder.filePath("fork.appa").toStdString(), session));
    const auto arrows = [&](const QStringList &arguments) {
        if (call(QStringList{"render", "fork.appa", "--out", "fork.svg"} + arguments).code != 0)
            return qsizetype(-1);
        QFile file(m_folder.filePath("fork.svg"));
        return file.open(QIODevice::ReadOnly) ? QString::fromUtf8(file.readAll()).count(QChar(0x2192)) : -1;
    };
    QCOMPARE(arrows({}) - arrows({"--no-events"}), qsizetype(1));
}

void TestCli::differentProblemsShareNoExcess()
{
    const auto made = [&](const QStringList &problem, const QString &name) {
        return call(
                   QStringList{"run", "--stages", "3", "--quiet", "--session", name + ".appa", "--trace", name + ".csv"}
                   + problem)
                   .code
            == 0;
    };
    QVERIFY(made(smallLogistic, "one"));
    QVERIFY(made(smallLogistic + QStringList{"--seed", "2"}, "two"));
    QVERIFY(made(QStringList{"--data", "gaussians-2d:n=200", "--ridge", "0.5"}, "other"));
    QVERIFY(made(QStringList{"--data", "gaussians-2d:n=200", "--loss", "squared", "--no-optimum"}, "unknown"));
    for (const char *first : {"one.appa", "one.csv"}) // whose F_opt would be taken for the other's
        QCOMPARE(call({"render", first, "unknown.csv", "--out", "mixed.png"}).code, 2);
    for (const char *ending : {".appa", ".csv"}) {
        QCOMPARE(call({"render", QString("one") + ending, QString("two") + ending, "--out", "same.png"}).code, 0);
        const QStringList mixed = {"render", QString("one") + ending, QString("other") + ending, "--out", "mixed.png"};
        const Outcome refused = call(mixed);
        QCOMPARE(refused.code, 2);
        QVERIFY2(refused.err.contains("different problems") && refused.err.contains("--loss"), refused.err.constData());
        QVERIFY(!QFileInfo::exists(m_folder.filePath("mixed.png")));
        QCOMPARE(call(mixed + QStringList{"--loss"}).code, 0);
        QVERIFY(QFile::remove(m_folder.filePath("mixed.png")));
    }
}

void TestCli::warnsThatASystemHasNoSolution()
{
    const QStringList arguments = {"run",    "--method",           "kaczmarz", "--stages", "60",
                                   "--data", "gaussians-2d:n=200", "--loss",   "squared",  "--no-optimum"};
    for (const QStringList &more : {QStringList{}, QStringList{"--quiet"}}) {
        const Outcome outcome = call(arguments + more);
        QCOMPARE(outcome.code, 0);
        QCOMPARE((outcome.out + outcome.err).count("no solution"), 1);
    }
    const Outcome json = call(arguments + QStringList{"--json"});
    QVERIFY(QJsonDocument::fromJson(json.out).object()["message"].toString().contains("no solution"));
    // With F_opt it is known long before the residual stops falling, and of a system with a solution it is not said.
    for (const char *method : {"kaczmarz", "accelerated-kaczmarz"}) {
        const QStringList few = {"run", "--method", method, "--stages", "2", "--loss", "squared", "--data"};
        QCOMPARE(call(few + QStringList{"gaussians-2d:n=200"}).out.count("Ax = b has no solution (F_opt = "), 1);
        QVERIFY(!call(few + QStringList{"consistent:n=200,d=5"}).out.contains("no solution"));
    }
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

void TestCli::aGoalTakesThePlaceOfTheDefaultNumberOfStages()
{
    const auto stagesOf = [this](const QStringList &rules, const char *method) {
        const Outcome outcome =
            call(QStringList{"run", "--method", method, "--lambda", "auto", "--json"} + rules + smallLogistic);
        return QJsonDocument::fromJson(outcome.out).object()["stages"].toInt();
    };
    QCOMPARE(stagesOf({}, "gd"), 20);
    QCOMPARE(stagesOf({"--passes", "33"}, "gd"), 33);
    QCOMPARE(stagesOf({"--stages", "7", "--passes", "33"}, "gd"), 7);
    QVERIFY(stagesOf({"--excess", "1e-9"}, "gd") > 20);
    QCOMPARE(stagesOf({"--gap", "1e-9"}, "gd"), 20); // it has none: no goal is left
}

void TestCli::aGapIsLookedForAfterEveryChangeOfMethod()
{
    const auto made = [this](const char *method, const QStringList &more) {
        return call(QStringList{"run", "--method", method, "--json", "--no-optimum"} + more + smallLogistic);
    };
    const auto stagesOf = [](const Outcome &outcome) {
        return QJsonDocument::fromJson(outcome.out).object()["stages"].toInt();
    };
    const auto messageOf = [](const Outcome &outcome) {
        return QJsonDocument::fromJson(outcome.out).object()["message"].toString();
    };
    // It goes with the method: a number of stages takes its place, told and counted from the change.
    const Outcome lost = made("dual-appa", {"--gap", "1e-14", "--at", "3:method=svrg"});
    QCOMPARE(stagesOf(lost), 23);
    QVERIFY2(lost.err.contains("The run ends after 23 stages, then."), lost.err.constData());
    QCOMPARE(lost.err.count("svrg has no duality gap"), 1);
    // It comes with the method, also beyond the default number of stages.
    for (const int stage : {5, 30}) {
        const Outcome gained = made("svrg", {"--gap", "1e-3", "--at", QString("%1:method=dual-appa").arg(stage)});
        QVERIFY2(messageOf(gained).contains("The gap is below"), gained.out.constData());
        QVERIFY2(stagesOf(gained) > stage, gained.out.constData());
        QVERIFY2(!gained.err.contains("The run ends after"), gained.err.constData());
    }
    // A certified stage that was taken back has none; the method has.
    const Outcome certified = call({"run", "ill-conditioned:n=300,d=13,condition=50", "--loss", "squared", "--ridge",
                                    "0.01", "--set", "stages=certified", "--gap", "1e-22", "--no-optimum", "--json"});
    QVERIFY2(messageOf(certified).contains("The gap is below"), certified.out.constData());
    QVERIFY2(!certified.err.contains("no duality gap"), certified.err.constData());
    // Other changes are still made.
    QCOMPARE(stagesOf(made("svrg", {"--gap", "1e-3", "--at", "30:lambda=1"})), 50);
    const Outcome limited = made("svrg", {"--gap", "1e-14", "--stages", "7", "--at", "3:lambda=1"});
    QCOMPARE(stagesOf(limited), 7);
    QVERIFY2(!limited.err.contains("The run ends after"), limited.err.constData());
}

QByteArray TestCli::saidBeforeTheEnd(const QStringList &arguments, const QByteArray &sentence) const
{
    QProcess process;
    process.setProcessEnvironment(m_environment);
    process.setWorkingDirectory(m_folder.path());
    process.start(APPA_PROGRAM, arguments);
    QByteArray said;
    const bool heard = QTest::qWaitFor(
        [&] {
            said += process.readAllStandardError();
            return said.contains(sentence) || process.state() == QProcess::NotRunning;
        },
        60000);
    const bool running = heard && process.state() != QProcess::NotRunning;
    process.terminate();
    process.waitForFinished(60000);
    return running ? said : "ended, or nothing was said: " + said;
}

void TestCli::aGoalThatIsNeverReachedIsToldMeanwhile()
{
    // Its loss tends to ls(lambda), far above F_opt.
    const QStringList ridge = QStringList{"run", "--method", "sdca", "--lambda", "1", "--excess", "1e-6", "--quiet"};
    const QByteArray floor = saidBeforeTheEnd(ridge + smallLogistic, "--excess may never end the run");
    QVERIFY2(floor.startsWith("appa-lab: sdca minimizes F + (lambda/2)|x|^2"), floor.constData());
    // Who says "never" means it.
    const QStringList never = QStringList{"run", "--method", "gd", "--stages", "0", "--gap", "1e-3", "--no-optimum"};
    const QByteArray gap = saidBeforeTheEnd(never + smallLogistic, "Nothing ends the run but Ctrl-C, then.");
    QVERIFY2(gap.contains("gd has no duality gap"), gap.constData());
    // What the method has noticed.
    const QStringList noticed = QStringList{"run",  "--method", "kaczmarz",           "--gap",  "1e-3",   "--excess",
                                            "1e-9", "--data",   "gaussians-2d:n=200", "--loss", "squared"};
    const QByteArray warning = saidBeforeTheEnd(noticed, "no solution");
    QVERIFY2(warning.contains("no solution"), warning.constData());
}

void TestCli::countsTheRowsBeforeTheHoldOut()
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

void TestCli::adviceNamesItsOptions_data()
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
}
void TestCli::adviceNamesItsOptions()
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

void TestCli::namesTheLabelOptionOnlyWhereItHelps()
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

void TestCli::traceFilesComeBack()
{
    QCOMPARE(call(QStringList{"run", "--stages", "5", "--at", "2:method=svrg", "--quiet", "--session", "t.appa",
                              "--trace", "t.csv"}
                  + smallProblem)
                 .code,
             0);
    const auto read = readTraceCsv(m_folder.filePath("t.csv").toStdString());
    const auto session = readSession(m_folder.filePath("t.appa").toStdString());
    QVERIFY(read.ok() && session.ok());
    const Trace &saved = session.value().runs[0].trace;
    QCOMPARE(read.value()[0].trace.points.size(), saved.points.size());
    for (std::size_t k = 0; k < saved.points.size(); ++k) {
        QCOMPARE(read.value()[0].trace.points[k].loss, saved.points[k].loss);
        QCOMPARE(read.value()[0].trace.points[k].cost.accesses, saved.points[k].cost.accesses);
        QCOMPARE(read.value()[0].trace.points[k].cost.fullAccesses, saved.points[k].cost.fullAccesses);
    }
    QCOMPARE(read.value()[0].rows, 200.0);
    QCOMPARE(read.value()[0].method, std::string("dual-appa"));
    QVERIFY(std::abs(*read.value()[0].fOpt - *session.value().fOpt) < 1e-14);
    QCOMPARE(read.value()[0].trace.events[0].key, std::string("method"));
}

void TestCli::infoDescribesWhatRunUses()
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

void TestCli::theResultNamesItsProblem()
{
    const auto problemOf = [](const Outcome &outcome) {
        return QJsonDocument::fromJson(outcome.out).object()["problem"].toObject();
    };
    const QStringList run = {"run", "--stages", "1", "--json"};
    const QStringList problem = {"gaussians-2d:n=200", "--holdout", "0.2",         "--normalize", "rows",    "--affine",
                                 "--data-seed",        "3",         "--precision", "double",      "--ridge", "0.25",
                                 "--session",          "p.appa"};
    const Outcome first = call(run + problem);
    QVERIFY2(first.code == 0, first.err);
    const QJsonObject named = problemOf(first);
    QCOMPARE(named["n"].toInt(), 160);
    QCOMPARE(named["test_rows"].toInt(), 40);
    QCOMPARE(named["precision"].toString(), QString("double"));
    QCOMPARE(named["hash"].toString().size(), qsizetype(16));
    // What it says makes the same problem again, and a run that goes on names it too.
    QCOMPARE(problemOf(call(run + named["options"].toString().split(' '))), named);
    QCOMPARE(problemOf(call({"run", "--resume", "p.appa", "--stages", "2", "--json"})), named);
    const QJsonObject optimum = QJsonDocument::fromJson(first.out).object()["optimum"].toObject();
    QVERIFY(optimum["attained"].toBool() && optimum["certificate"].toDouble() > 0);
    QCOMPARE(optimum["f_opt"], QJsonDocument::fromJson(first.out).object()["f_opt"]);
}

void TestCli::anInfimumThatIsNotAttainedIsInTheResult()
{
    QFile file(m_folder.filePath("separable.csv"));
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write("a,y\n-2,0\n-1,0\n1,1\n2,1\n");
    file.close();
    const QJsonObject json =
        QJsonDocument::fromJson(call({"run", "separable.csv", "--stages", "1", "--json"}).out).object();
    QVERIFY(json["f_opt"].isNull() && json["excess_loss"].isNull());
    const QJsonObject optimum = json["optimum"].toObject();
    QCOMPARE(optimum["f_opt"].toDouble(-1), 0.0);
    QVERIFY(!optimum["attained"].toBool(true) && optimum["message"].toString().contains("not attained"));
}

void TestCli::computesNoOptimumThatNobodyIsTold()
{
    const QDir optima(m_folder.filePath("appa-lab/optima"));
    const QStringList run = {"run", "gaussians-2d:n=77", "--ridge", "0.1", "--stages", "1", "--quiet"};
    const auto before = optima.entryList(QDir::Files).size();
    QCOMPARE(call(run + QStringList{"--weights", "w.txt"}).code, 0);
    QCOMPARE(optima.entryList(QDir::Files).size(), before);
    QCOMPARE(call(run + QStringList{"--trace", "w.csv"}).code, 0);
    QCOMPARE(optima.entryList(QDir::Files).size(), before + 1);
}

void TestCli::saysWhatTheGapIsOf()
{
    const QStringList run = QStringList{"run", "--stages", "1", "--no-optimum", "--method"};
    QVERIFY(call(run + QStringList{"sdca"} + smallLogistic).out.contains("(of F + (lambda/2)|x|^2, not of F)"));
    QVERIFY(call(run + QStringList{"dual-appa"} + smallLogistic).out.contains("(of the last stage's subproblem"));
}

void TestCli::numbersTakenForClassesAreTold()
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

void TestCli::aPartOfOneClassIsTold()
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

void TestCli::measuresInsideAStageAreMarked()
{
    const Outcome outcome = call(QStringList{"run", "--stages", "2", "--measures", "2", "--no-optimum", "--quiet",
                                             "--method", "sgd", "--trace", "-"}
                                 + smallLogistic);
    QVERIFY2(outcome.code == 0, outcome.err);
    QByteArray ends;
    for (const QByteArray &line : outcome.out.trimmed().split('\n').mid(1))
        ends += line.back();
    QCOMPARE(ends, QByteArray("10101"));
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
