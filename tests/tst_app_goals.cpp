// When a run ends: goals that take the place of a number of stages, and those that are never reached.

#include "ProgramTest.h"

#include <QJsonDocument>
#include <QJsonObject>

class TestGoals final : public ProgramTest
{
    Q_OBJECT

private slots:
    void warnsThatASystemHasNoSolution();
    void aGoalTakesThePlaceOfTheDefaultNumberOfStages();
    void aGapIsLookedForAfterEveryChangeOfMethod();
    void aGoalThatIsNeverReachedIsToldMeanwhile();

private:
    /// What a command that does not end says until `sentence` is there; it is ended then.
    QByteArray saidBeforeTheEnd(const QStringList &arguments, const QByteArray &sentence) const;
};

void TestGoals::warnsThatASystemHasNoSolution()
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

void TestGoals::aGoalTakesThePlaceOfTheDefaultNumberOfStages()
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

void TestGoals::aGapIsLookedForAfterEveryChangeOfMethod()
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

QByteArray TestGoals::saidBeforeTheEnd(const QStringList &arguments, const QByteArray &sentence) const
{
    QProcess process;
    prepare(process);
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

void TestGoals::aGoalThatIsNeverReachedIsToldMeanwhile()
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

QTEST_GUILESS_MAIN(TestGoals)
#include "tst_app_goals.moc"
