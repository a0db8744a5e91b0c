// Sessions of the command line: replayed, interrupted, gone on with.

#include "ProgramTest.h"

#include "base/AtomicFile.h"
#include "run/Session.h"
#include "run/TraceCsv.h"

#include <QJsonDocument>
#include <QJsonObject>

#include <algorithm>
#include <cmath>
#include <csignal>
#include <filesystem>

using namespace appa;

class TestSessions final : public ProgramTest
{
    Q_OBJECT

private slots:
    void replaysItsSessions();
    void replaysDataWhosePathIsNotUtf8();
    void aForgedSessionIsFoundOut();
    void aRunThatCannotStartIsNamedByTheReplay();
    void anInterruptionKeepsWhatWasMeasured();
    void ofTwoRunsInOneFileBothAreKept();
    void theWeightsOfAnInterruptionAreOfItsLoss();
    void aRunGoesOnAsIfItHadNeverEnded();
    void saysWhyARunCannotGoOn_data();
    void saysWhyARunCannotGoOn();
};

void TestSessions::replaysItsSessions()
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

void TestSessions::replaysDataWhosePathIsNotUtf8()
{
    // The program is given bytes: QProcess would take the name for text.
    const auto shell = [this](const QByteArray &command) {
        QProcess process;
        prepare(process);
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

void TestSessions::aForgedSessionIsFoundOut()
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

void TestSessions::aRunThatCannotStartIsNamedByTheReplay()
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

void TestSessions::anInterruptionKeepsWhatWasMeasured()
{
    QProcess process;
    prepare(process);
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

void TestSessions::ofTwoRunsInOneFileBothAreKept()
{
    const QString ours = m_folder.filePath("shared.appa"), beside = m_folder.filePath("shared-2.appa");
    QCOMPARE(
        call(QStringList{"run", "--stages", "2", "--no-optimum", "--quiet", "--session", "theirs.appa"} + smallLogistic)
            .code,
        0);
    const QByteArray theirs = content("theirs.appa");
    QProcess process;
    prepare(process);
    process.start(APPA_PROGRAM,
                  QStringList{"run", "--method", "sgd", "--stages", "0", "--no-optimum", "--quiet", "--session",
                              "shared.appa", "--save-every", "0.05"}
                      + QStringList{"--data", "gaussians-2d:n=20000", "--ridge", "0.01"});
    const auto points = [](const QString &path) {
        const auto session = readSession(path.toStdString());
        return session ? session.value().runs[0].trace.points.size() : 0;
    };
    QTRY_VERIFY_WITH_TIMEOUT(points(ours) > 0, 60000); // its own file is its own to replace
    QVERIFY(!QFileInfo::exists(beside));
    // Another program saves there, every now and then as this one does.
    const auto saveTheirs = [&] { return !writeAtomically(ours.toStdString(), theirs.toStdString()); };
    QTRY_VERIFY_WITH_TIMEOUT(saveTheirs() && points(beside) > 0, 60000);
    const auto first = points(beside);
    QTRY_VERIFY_WITH_TIMEOUT(points(beside) > first, 60000); // there it goes on
    ::kill(static_cast<pid_t>(process.processId()), SIGINT);
    QVERIFY(process.waitForFinished(60000));
    QCOMPARE(content("shared.appa"), theirs);
    QVERIFY(!QFileInfo::exists(m_folder.filePath("shared-3.appa")));
    const QByteArray said = process.readAllStandardError();
    QVERIFY2(said.contains("Another program has written shared.appa meanwhile: that stays, and this run is saved in "
                           "shared-2.appa."),
             said);
    QCOMPARE(said.count("meanwhile"), 1);
    QCOMPARE(call({"replay", "shared-2.appa", "--quiet"}).code, 0);
}

void TestSessions::theWeightsOfAnInterruptionAreOfItsLoss()
{
    // A stage of seconds: what is measured when it is interrupted is the start.
    QProcess process;
    prepare(process);
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

void TestSessions::aRunGoesOnAsIfItHadNeverEnded()
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

void TestSessions::saysWhyARunCannotGoOn_data()
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

void TestSessions::saysWhyARunCannotGoOn()
{
    QFETCH(QStringList, arguments);
    QFETCH(QString, says);
    const Outcome outcome = call(arguments);
    QCOMPARE(outcome.code, 2);
    QVERIFY2(QString::fromUtf8(outcome.err).contains(says), outcome.err.constData());
}

QTEST_GUILESS_MAIN(TestSessions)
#include "tst_app_sessions.moc"
