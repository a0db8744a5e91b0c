// `appa-lab run`: its results, and changes in the middle of a run.

#include "ProgramTest.h"

#include "run/Session.h"
#include "run/TraceCsv.h"

#include <QDir>
#include <QJsonDocument>
#include <QJsonObject>

#include <cmath>

using namespace appa;

class TestRunCommand final : public ProgramTest
{
    Q_OBJECT

private slots:
    void writesTraceWeightsAndSession();
    void plannedChangesShowInTheTrace();
    void isTheSameTwice();
    void choosesAMethodThatSuitsTheProblem();
    void changesInsideAStage();
    void aTickMustLieInItsStage_data();
    void aTickMustLieInItsStage();
    void saysWhichParameterHasNoEffect();
    void weightsCanGoToTheStandardOutput();
    void saysWhatTheTestErrorIs();
    void countsStagesWithoutTheirCertificate();
    void divergenceIsAResult();
    void traceFilesComeBack();
    void theResultNamesItsProblem();
    void anInfimumThatIsNotAttainedIsInTheResult();
    void computesNoOptimumThatNobodyIsTold();
    void saysWhatTheGapIsOf();
    void measuresInsideAStageAreMarked();
    void leavesNoSessionWhereNothingBegan();
    void aTraceInTheFileOfTheStandardOutputDoesNotReplaceIt();
};

void TestRunCommand::writesTraceWeightsAndSession()
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

void TestRunCommand::plannedChangesShowInTheTrace()
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

void TestRunCommand::isTheSameTwice()
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

void TestRunCommand::choosesAMethodThatSuitsTheProblem()
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

void TestRunCommand::changesInsideAStage()
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

void TestRunCommand::aTickMustLieInItsStage_data()
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

void TestRunCommand::aTickMustLieInItsStage()
{
    QFETCH(QStringList, changes);
    QFETCH(QByteArray, error);
    const Outcome outcome =
        call(QStringList{"run", "--stages", "8", "--no-optimum", "--trace", "-"} + changes + smallLogistic);
    QCOMPARE(outcome.code, error.isEmpty() ? 0 : 2);
    QVERIFY2(outcome.err.contains(error), outcome.err);
    QVERIFY2(outcome.out.count('\n') > 2, outcome.out); // what was measured until then is not lost
}

void TestRunCommand::saysWhichParameterHasNoEffect()
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

void TestRunCommand::weightsCanGoToTheStandardOutput()
{
    const Outcome outcome = call(QStringList{"run", "--stages", "2", "--no-optimum", "--weights", "-"} + smallLogistic);
    QCOMPARE(outcome.code, 0);
    QCOMPARE(outcome.out.count('\n'), qsizetype(2));
    QVERIFY(!QFileInfo::exists(m_folder.filePath("-")));
}

void TestRunCommand::saysWhatTheTestErrorIs()
{
    QVERIFY(
        call(QStringList{"run", "--stages", "1", "--no-optimum"} + smallProblem).out.contains("(mean squared error)"));
    QVERIFY(call({"run", "--stages", "1", "--no-optimum", "--data", "gaussians-2d:n=200,test=50"})
                .out.contains("(misclassified)"));
}

void TestRunCommand::countsStagesWithoutTheirCertificate()
{
    const QStringList arguments = {"run",   "--stages",     "4",        "--set", "stages=certified",
                                   "--set", "max-passes=1", "--lambda", "1e-6",  "--no-optimum"};
    const char *const says = "of 4 certified stages ended at max-passes";
    const Outcome outcome = call(arguments + smallProblem);
    QVERIFY2(outcome.out.count(says) == 1 && outcome.err.isEmpty(), outcome.out + outcome.err);
    QVERIFY(call(arguments + smallProblem + QStringList{"--quiet"}).err.contains(says));
}

void TestRunCommand::divergenceIsAResult()
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

void TestRunCommand::traceFilesComeBack()
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

    // Counts that no run can have.
    QByteArray forged = content("t.csv");
    forged.replace("\n5,", "\n1e300,");
    QFile file(m_folder.filePath("forged.csv"));
    QVERIFY(file.open(QIODevice::WriteOnly) && file.write(forged) == forged.size());
    file.close();
    const auto refused = readTraceCsv(m_folder.filePath("forged.csv").toStdString());
    QVERIFY(!refused.ok());
    QVERIFY2(refused.error().message.find("line 7: expected 15 cells") != std::string::npos,
             refused.error().message.c_str());
}

void TestRunCommand::theResultNamesItsProblem()
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

void TestRunCommand::anInfimumThatIsNotAttainedIsInTheResult()
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

void TestRunCommand::computesNoOptimumThatNobodyIsTold()
{
    const QDir optima(m_folder.filePath("appa-lab/optima"));
    const QStringList run = {"run", "gaussians-2d:n=77", "--ridge", "0.1", "--stages", "1", "--quiet"};
    const auto before = optima.entryList(QDir::Files).size();
    QCOMPARE(call(run + QStringList{"--weights", "w.txt"}).code, 0);
    QCOMPARE(optima.entryList(QDir::Files).size(), before);
    QCOMPARE(call(run + QStringList{"--trace", "w.csv"}).code, 0);
    QCOMPARE(optima.entryList(QDir::Files).size(), before + 1);
}

void TestRunCommand::saysWhatTheGapIsOf()
{
    const QStringList run = QStringList{"run", "--stages", "1", "--no-optimum", "--method"};
    QVERIFY(call(run + QStringList{"sdca"} + smallLogistic).out.contains("(of F + (lambda/2)|x|^2, not of F)"));
    QVERIFY(call(run + QStringList{"dual-appa"} + smallLogistic).out.contains("(of the last stage's subproblem"));
}

void TestRunCommand::measuresInsideAStageAreMarked()
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

void TestRunCommand::leavesNoSessionWhereNothingBegan()
{
    const QStringList run = {"run", "--stages", "2", "--session", "none.appa"};
    QCOMPARE(call(run + smallLogistic + QStringList{"--trace", "nowhere/a.csv"}).code, 4);
    QVERIFY(!QFileInfo::exists(m_folder.filePath("none.appa")));
    // Classes that can be separated have no F_opt to come near to.
    QFile file(m_folder.filePath("apart.csv"));
    QVERIFY(file.open(QIODevice::WriteOnly) && file.write("1,0\n2,0\n-1,1\n-2,1\n") > 0);
    file.close();
    QCOMPARE(call(run + QStringList{"--data", "apart.csv", "--excess", "1e-3"}).code, 2);
    QVERIFY(!QFileInfo::exists(m_folder.filePath("none.appa")));
}

void TestRunCommand::aTraceInTheFileOfTheStandardOutputDoesNotReplaceIt()
{
    for (const char *name : {"/dev/stdout", "log.txt"}) {
        QProcess process;
        prepare(process);
        process.setStandardOutputFile(m_folder.filePath("log.txt"));
        process.start(APPA_PROGRAM, QStringList{"run", "--stages", "2", "--trace", name} + smallLogistic);
        QVERIFY(process.waitForFinished(60000));
        QCOMPARE(process.exitCode(), 0);
        // As with --trace -: the trace alone, in the file that the shell has opened.
        QVERIFY2(content("log.txt").startsWith("stage,"), content("log.txt").constData());
        QCOMPARE(content("log.txt").count('\n'), qsizetype(4));
        process.start("/bin/sh",
                      {"-c",
                       "exec >log.txt; echo before; \"$0\" run --stages 2 --quiet --trace \"$1\" --data "
                       "gaussians-2d:n=50; echo after",
                       APPA_PROGRAM, name});
        QVERIFY(process.waitForFinished(60000));
        QVERIFY2(content("log.txt").startsWith("before\nstage,") && content("log.txt").endsWith("\nafter\n"),
                 content("log.txt").constData());
    }
}

QTEST_GUILESS_MAIN(TestRunCommand)
#include "tst_app_run.moc"
