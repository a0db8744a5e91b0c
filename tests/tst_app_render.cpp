// `appa-lab render`: figures of sessions and traces.

#include "ProgramTest.h"

#include "run/Session.h"

using namespace appa;

class TestRender final : public ProgramTest
{
    Q_OBJECT

private slots:
    void rendersFigures_data();
    void rendersFigures();
    void theChangesOfAForksPastAreDrawnOnce();
    void differentProblemsShareNoExcess();
    void aFiguresPathNeedNotBeUtf8();
};

void TestRender::rendersFigures_data()
{
    QTest::addColumn<QString>("ending");
    QTest::addColumn<QByteArray>("magic");
    QTest::newRow("PNG") << "png" << QByteArray("\x89PNG");
    QTest::newRow("SVG") << "svg" << QByteArray("<?xml");
    QTest::newRow("PDF") << "pdf" << QByteArray("%PDF");
}

void TestRender::rendersFigures()
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

void TestRender::theChangesOfAForksPastAreDrawnOnce()
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

void TestRender::differentProblemsShareNoExcess()
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

void TestRender::aFiguresPathNeedNotBeUtf8()
{
    // Bytes that a process cannot be given through Qt: a shell makes them.
    const auto inShell = [&](const QString &command) {
        QProcess process;
        prepare(process);
        process.start("/bin/sh", {"-c", "f=$(printf 'caf\\351'); " + command, APPA_PROGRAM});
        return process.waitForFinished(60000) && process.exitStatus() == QProcess::NormalExit ? process.exitCode() : -1;
    };
    QCOMPARE(call(QStringList{"run", "--stages", "2", "--quiet", "--trace", "bytes.csv"} + smallLogistic).code, 0);
    QCOMPARE(inShell("\"$0\" render bytes.csv --out \"$f.svg\" && test -s \"$f.svg\""), 0);
    QCOMPARE(inShell("\"$0\" sweep --data gaussians-2d:n=50 --methods sdca --lambdas 1 --seeds 1 --stages 2 --curves "
                     "--quiet --out \"$f\" && test -s \"$f/sensitivity.pdf\" && test -s \"$f/curves.png\""),
             0);
}

QTEST_GUILESS_MAIN(TestRender)
#include "tst_app_render.moc"
