// `appa-lab sweep`, started as a user starts it.

#include "CommaLocale.h"
#include "ProgramTest.h"

#include "run/SweepSummary.h"
#include "run/TraceCsv.h"

#include <QDir>

using namespace appa;

namespace {

const QStringList problem = {"--data", "gaussians-2d:n=200,test=100", "--loss", "squared"};
const QStringList plan = {
    "--methods", "dual-appa:sdca,sdca,svrg,sgd", "--lambdas", "1e-4:1e4:5", "--seeds", "1..2", "--stages", "4"};

QByteArray readFile(const QString &path)
{
    QFile file(path);
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

/// results.csv without the column "seconds".
QByteArray results(const QString &folder)
{
    QByteArray out;
    for (const QByteArray &line : readFile(folder + "/results.csv").split('\n')) {
        QList<QByteArray> cells = line.split(',');
        if (cells.size() > 10)
            cells.removeAt(10);
        out += cells.join(',') + '\n';
    }
    return out;
}

} // namespace

class TestSweepCommand final : public ProgramTest
{
    Q_OBJECT

private slots:
    void refusesWhatItCannotDo_data();
    void refusesWhatItCannotDo();
    void writesTheStudy();
    void runsHaveTheNumbersOfRun();
    void resumesAndMerges();
    void aStudySaysItselfWhatItIsAbout();
    void aPartStaysThatPart();
    void aFolderWithoutAStudyIsNotResumed();
    void aStudyOfAFileGoesOnFromAnyFolder();
    void aStudyMayBeCalledLikeItsData();
    void mergingKnowsTheProblemOfTheParts();
    void resumingFollowsTheGrid();
    void saysWhatIsMissingFromTheParts();
    void figuresNameTheCommandThatMakesThem();
    void failedRunsAreToldInTheEnd();
    void aStudyOfOneRunIsInTheSingular();
    void numbersHaveAPointInEveryLocale();
    void estimatesWithoutRunning();
    void writesTheRidgeFloors();
    void theHelpSaysWhatIsNeeded();

private:
    Outcome call(const QStringList &arguments, const QString &folder = {}) const
    {
        return ProgramTest::call(QStringList{"sweep"} + arguments, {}, folder);
    }
};

void TestSweepCommand::refusesWhatItCannotDo_data()
{
    QTest::addColumn<QStringList>("arguments");
    QTest::addColumn<int>("code");
    QTest::addColumn<QString>("says");
    QTest::newRow("no folder") << QStringList{} << 2 << "--out";
    QTest::newRow("grid") << QStringList{"--out", "x", "--lambdas", "1:2"} << 2 << "lo:hi:count";
    QTest::newRow("seeds") << QStringList{"--out", "x", "--seeds", "many"} << 2 << "first..last";
    QTest::newRow("method") << QStringList{"--out", "x", "--methods", "nonesuch"} << 2 << "nonesuch";
    QTest::newRow("task") << QStringList{"--out", "x", "--task", "3/2"} << 2 << "K/N";
    QTest::newRow("task without runs") << QStringList{"--out", "x", "--task", "900/1000"} << 2 << "nothing to do";
    QTest::newRow("data") << QStringList{"--out", "x", "--data", "no-such-file.csv"} << 4 << "no-such-file.csv";
    QTest::newRow("merge of nothing") << QStringList{"--out", "x", "--merge", "nowhere"} << 4 << "nowhere";
    const QStringList merge = {"--out", "x", "--merge", "nowhere", "elsewhere"};
    QTest::newRow("merging: the problem")
        << merge + QStringList{"--loss", "squared"} << 2 << "--loss has no effect with --merge";
    QTest::newRow("merging: the data") << merge + QStringList{"--data", "x.csv"} << 2
                                       << "--data has no effect with --merge";
    QTest::newRow("merging: jobs") << merge + QStringList{"--jobs", "2"} << 2 << "--jobs has no effect with --merge";
    for (const char *option : {"--curves", "--floors", "--no-figure"})
        QTest::newRow((QByteArray("estimating: ") + option).constData())
            << QStringList{"--estimate", option} << 2 << QString(option) + " has no effect with --estimate";
    QTest::newRow("folder that cannot be") << QStringList{"--out", "/proc/x"} << 4 << "/proc/x";
}

void TestSweepCommand::refusesWhatItCannotDo()
{
    QFETCH(QStringList, arguments);
    QFETCH(int, code);
    QFETCH(QString, says);
    if (!arguments.contains("--data") && !arguments.contains("--merge"))
        arguments = problem + arguments;
    const Outcome o = call(arguments + QStringList{"--quiet"});
    QCOMPARE(o.code, code);
    QVERIFY2(QString::fromUtf8(o.err).contains(says), o.err.constData());
}

void TestSweepCommand::writesTheStudy()
{
    const Outcome o = call(problem + plan + QStringList{"--out", "study", "--curves", "--jobs", "2"});
    QVERIFY2(o.code == 0, o.err.constData());
    QVERIFY(o.out.contains("best lambda"));
    QVERIFY(o.err.contains("40 runs"));
    const QString folder = m_folder.filePath("study");
    for (const char *name :
         {"plan.json", "results.csv", "summary.txt", "summary.csv", "sensitivity.png", "sensitivity.svg",
          "sensitivity.pdf", "curves.csv", "curves.png", "curves.svg", "curves.pdf"})
        QVERIFY2(QFileInfo(folder + "/" + name).size() > 100, name);
    QCOMPARE(readFile(folder + "/summary.txt"), o.out);
    const auto study = readStudy(folder.toStdString());
    QVERIFY(study.ok());
    QCOMPARE(study.value().results.size(), std::size_t(40));
    QVERIFY(SweepTable(study.value()).hasOptimum());
    // The lines ls(lambda) of the two that weigh a quadratic term.
    QVERIFY(readFile(folder + "/curves.csv").contains("\nls,"));
    // They are no line over the grid: the other figure does not speak of it.
    QVERIFY(readFile(folder + "/curves.svg").contains("ridge floor"));
    QVERIFY(!readFile(folder + "/sensitivity.svg").contains("ridge floor"));
    // A step size is called so, a weight λ.
    QVERIFY(readFile(folder + "/curves.svg").contains("SVRG, step size "));
    QVERIFY(!readFile(folder + "/curves.svg").contains("SDCA, step size "));
    // Nothing is written over.
    const Outcome again = call(problem + plan + QStringList{"--out", "study", "--quiet"});
    QCOMPARE(again.code, 2);
    QVERIFY(again.err.contains("--resume"));
}

void TestSweepCommand::runsHaveTheNumbersOfRun()
{
    QVERIFY(QFileInfo::exists(m_folder.filePath("study/results.csv")));
    const SweepTable table(readStudy(m_folder.filePath("study").toStdString()).value());
    for (const std::size_t index : {0, 13, 25, 31}) {
        const RunSpec spec = table.plan().specOf(index);
        QStringList arguments = QStringList{"run"} + problem
            + QStringList{"--method", QString::fromStdString(spec.method),
                          "--lambda", QString::fromStdString(formatParam(spec.params.real("lambda"))),
                          "--seed",   QString::number(spec.seed),
                          "--stages", "4",
                          "--trace",  "trace.csv",
                          "--quiet"};
        if (!spec.inner.empty())
            arguments << "--inner" << QString::fromStdString(spec.inner);
        QProcess run;
        prepare(run);
        run.start(APPA_PROGRAM, arguments);
        QVERIFY(run.waitForFinished(60000) && run.exitCode() == 0);
        // Stage ends by name: the trace may have other columns than the study.
        const QList<QByteArray> lines = readFile(m_folder.filePath("trace.csv")).trimmed().split('\n');
        const QList<QByteArray> header = lines.front().split(',');
        const auto stage = header.indexOf("stage"), loss = header.indexOf("train_loss"),
                   test = header.indexOf("test_error"), excess = header.indexOf("excess_loss");
        QVERIFY(stage >= 0 && loss >= 0 && test >= 0 && excess >= 0);
        const SweepResult *result = table.find(table.plan().at(index));
        QCOMPARE(static_cast<std::size_t>(lines.size() - 1), result->points.size());
        for (qsizetype k = 1; k < lines.size(); ++k) {
            const QList<QByteArray> cells = lines[k].split(',');
            const TracePoint &point = result->points[static_cast<std::size_t>(k - 1)];
            QCOMPARE(cells[stage].toLongLong(), point.stage);
            QVERIFY(cells[loss].toDouble() == point.loss);
            QVERIFY(cells[test].toDouble() == point.testError);
        }
    }
}

void TestSweepCommand::resumesAndMerges()
{
    const QByteArray whole = results(m_folder.filePath("study"));
    for (const char *task : {"1/3", "2/3", "3/3"}) {
        const Outcome o =
            call(problem + plan
                 + QStringList{"--out", QString("part-") + task[0], "--task", task, "--quiet", "--no-figure"});
        QVERIFY2(o.code == 0, o.err.constData());
    }
    QVERIFY(!QFileInfo::exists(m_folder.filePath("part-1/sensitivity.png")));
    const Outcome merged = call({"--merge", "part-1", "part-2", "part-3", "--out", "merged", "--no-figure", "--quiet"});
    QVERIFY2(merged.code == 0, merged.err.constData());
    QCOMPARE(results(m_folder.filePath("merged")), whole);
    QCOMPARE(readFile(m_folder.filePath("merged/summary.csv")), readFile(m_folder.filePath("study/summary.csv")));
    // One part after the other gives the same.
    const QStringList intoOne = {"--out", "piecewise", "--no-figure", "--quiet"};
    (void)call(QStringList{"--merge", "part-1", "part-2"} + intoOne);
    const Outcome grown = call(QStringList{"--merge", "part-3", "--resume"} + intoOne);
    QVERIFY2(grown.code == 0, grown.err.constData());
    QCOMPARE(results(m_folder.filePath("piecewise")), whole);

    // A file torn in the middle of a row.
    QFile file(m_folder.filePath("merged/results.csv"));
    QVERIFY(file.resize(file.size() * 2 / 3));
    const Outcome resumed = call(problem + plan + QStringList{"--out", "merged", "--resume", "--quiet", "--no-figure"});
    QVERIFY2(resumed.code == 0, resumed.err.constData());
    QCOMPARE(results(m_folder.filePath("merged")), whole);
}

void TestSweepCommand::aStudySaysItselfWhatItIsAbout()
{
    const QByteArray whole = results(m_folder.filePath("study"));
    QFile file(m_folder.filePath("merged/results.csv"));
    QVERIFY(file.resize(file.size() / 2));
    const Outcome resumed = call({"--out", "merged", "--resume", "--quiet", "--no-figure"});
    QVERIFY2(resumed.code == 0, resumed.err.constData());
    QCOMPARE(results(m_folder.filePath("merged")), whole);
    const Outcome other = call({"--data", "gaussians-2d:n=50", "--out", "merged", "--resume", "--quiet"});
    QCOMPARE(other.code, 2);
    QVERIFY2(other.err.contains("holds a study of another problem"), other.err.constData());
    // An option that is given takes the place of the study's own, and of no other.
    const Outcome same = call({"--data-seed", "1", "--out", "merged", "--resume", "--quiet", "--no-figure"});
    QVERIFY2(same.code == 0, same.err.constData());
    const Outcome ridge = call({"--ridge", "0.5", "--out", "merged", "--resume", "--quiet"});
    QCOMPARE(ridge.code, 2);
    QVERIFY2(ridge.err.contains("another problem: its ridge is 0, not 0.5."), ridge.err.constData());
}

void TestSweepCommand::aPartStaysThatPart()
{
    QCOMPARE(readStudy(m_folder.filePath("part-2").toStdString()).value().context.task, std::string("2/3"));
    const QByteArray part = results(m_folder.filePath("part-2"));
    QFile file(m_folder.filePath("part-2/results.csv"));
    QVERIFY(file.resize(file.size() / 2));
    const Outcome resumed = call({"--out", "part-2", "--resume", "--quiet", "--no-figure"});
    QVERIFY2(resumed.code == 0, resumed.err.constData());
    QCOMPARE(results(m_folder.filePath("part-2")), part);
    const Outcome other = call({"--out", "part-2", "--resume", "--task", "3/3", "--quiet"});
    QCOMPARE(other.code, 2);
    QVERIFY2(other.err.contains("part-2 holds task 2/3 of a study"), other.err.constData());
    const Outcome whole = call({"--out", "merged", "--resume", "--task", "3/3", "--quiet"});
    QCOMPARE(whole.code, 2);
    QVERIFY2(whole.err.contains("merged holds a whole study"), whole.err.constData());
}

void TestSweepCommand::aFolderWithoutAStudyIsNotResumed()
{
    const Outcome o = call({"--out", "nosuch", "--resume", "--quiet"});
    QCOMPARE(o.code, 2);
    QVERIFY2(o.err.contains("There is no study in nosuch"), o.err.constData());
    QVERIFY(!QFileInfo::exists(m_folder.filePath("nosuch")));
}

void TestSweepCommand::aStudyOfAFileGoesOnFromAnyFolder()
{
    QFile data(m_folder.filePath("data.csv"));
    QVERIFY(data.open(QIODevice::WriteOnly));
    for (int i = 0; i < 20; ++i)
        data.write(QByteArray::number(i % 7) + "," + QByteArray::number(i % 3) + "," + QByteArray::number(i % 5)
                   + "\n");
    data.close();
    const QStringList options = {"--data", "data.csv",  "--regression", "--label",     "3",      "--methods",
                                 "sdca",   "--lambdas", "0.1,1",        "--seeds",     "1",      "--stages",
                                 "2",      "--out",     "of-file",      "--no-figure", "--quiet"};
    QCOMPARE(call(options).code, 0);
    QVERIFY(QDir(m_folder.path()).mkpath("elsewhere"));
    QFile torn(m_folder.filePath("of-file/results.csv"));
    QVERIFY(torn.resize(torn.size() / 2));
    const QStringList again = {"--out", "../of-file", "--resume", "--quiet", "--no-figure"};
    const Outcome resumed = call(again, "elsewhere");
    QVERIFY2(resumed.code == 0, resumed.err.constData());
    // A file that has moved: the message says who names it, and an option where it is.
    QVERIFY(data.rename(m_folder.filePath("moved.csv")));
    const Outcome gone = call(again, "elsewhere");
    QCOMPARE(gone.code, 4);
    QVERIFY2(gone.err.contains("../of-file/plan.json names"), gone.err.constData());
    const Outcome found = call(again + QStringList{"--data", "../moved.csv"}, "elsewhere");
    QVERIFY2(found.code == 0, found.err.constData());
}

void TestSweepCommand::aStudyMayBeCalledLikeItsData()
{
    const QStringList options = {
        "gaussians-2d", "--rows", "50",    "--methods",    "sdca",        "--lambdas", "1", "--seeds", "1",
        "--stages",     "1",      "--out", "gaussians-2d", "--no-figure", "--quiet"};
    QCOMPARE(call(options).code, 0);
    const Outcome again = call({"--out", "gaussians-2d", "--resume", "--no-figure", "--quiet"});
    QVERIFY2(again.code == 0, again.err.constData());
}

void TestSweepCommand::mergingKnowsTheProblemOfTheParts()
{
    const Outcome merged =
        call({"--merge", "part-1", "part-2", "part-3", "--out", "with-curves", "--curves", "--quiet", "--no-figure"});
    QVERIFY2(merged.code == 0, merged.err.constData());
    QVERIFY(readFile(m_folder.filePath("with-curves/curves.csv")).contains("\nls,"));
    // Nothing is written where the problem is another one.
    const Outcome other = call({"--merge", "part-1", "part-2", "part-3", "--out", "not-made", "--floors", "--ridge",
                                "1", "--quiet", "--no-figure"});
    QCOMPARE(other.code, 2);
    QVERIFY2(other.err.contains("another problem than the options"), other.err.constData());
    QVERIFY(!QFileInfo::exists(m_folder.filePath("not-made")));
}

void TestSweepCommand::resumingFollowsTheGrid()
{
    const QStringList small =
        problem + QStringList{"--methods", "sdca", "--seeds", "1", "--stages", "2", "--out", "grown"};
    QCOMPARE(call(small + QStringList{"--lambdas", "10,100", "--curves", "--quiet"}).code, 0);
    const Outcome complete = call(small + QStringList{"--lambdas", "10,100", "--resume"});
    QCOMPARE(complete.code, 0);
    QVERIFY2(complete.err.contains("The study in grown is complete, with 2 runs: its files are made anew.")
                 && complete.err.count('\n') == 1,
             complete.err.constData());
    // The best lambda is another one now; curves that are there say so, figures that are not made do not contradict it.
    const Outcome grown = call(small + QStringList{"--lambdas", "1,10,100", "--resume", "--no-figure"});
    QVERIFY2(grown.code == 0 && grown.err.contains("1 run,"), grown.err.constData());
    QVERIFY(readFile(m_folder.filePath("grown/curves.csv")).contains("sdca,1,1,"));
    QVERIFY(!QFileInfo::exists(m_folder.filePath("grown/curves.png")));
    QVERIFY(!QFileInfo::exists(m_folder.filePath("grown/sensitivity.png")));
    // What is given is added: a study only grows.
    const Outcome narrower = call(small + QStringList{"--lambdas", "10,100", "--resume"});
    QVERIFY2(narrower.code == 0 && narrower.err.contains("complete, with 3 runs"), narrower.err.constData());
    const Outcome seeds = call({"--out", "grown", "--resume", "--seeds", "2", "--no-figure"});
    QVERIFY2(seeds.code == 0 && seeds.err.contains("3 runs,"), seeds.err.constData());
    const auto study = readStudy(m_folder.filePath("grown").toStdString());
    QCOMPARE(study.value().plan.lambdas, (std::vector<double>{1, 10, 100}));
    QCOMPARE(study.value().plan.seeds, (std::vector<std::uint64_t>{1, 2}));
    QCOMPARE(study.value().results.size(), std::size_t(6));
    const Outcome longer = call({"--out", "grown", "--resume", "--stages", "3", "--quiet"});
    QCOMPARE(longer.code, 2);
    QVERIFY2(longer.err.contains("a study of 2 stages"), longer.err.constData());
}

void TestSweepCommand::saysWhatIsMissingFromTheParts()
{
    const Outcome o = call({"--merge", "part-1", "part-3", "--out", "two-thirds", "--no-figure", "--quiet"});
    QCOMPARE(o.code, 3);
    QVERIFY(o.err.contains("13 of 40 runs are missing"));
}

void TestSweepCommand::figuresNameTheCommandThatMakesThem()
{
    QFile data(m_folder.filePath("two words.csv"));
    QVERIFY(data.open(QIODevice::WriteOnly));
    for (int i = 0; i < 20; ++i)
        data.write(QByteArray::number(i % 7) + "," + QByteArray::number(i % 3) + "," + QByteArray::number(i % 5)
                   + "\n");
    data.close();
    const QStringList options = {"--data",    "two words.csv", "--regression", "--label", "3",    "--methods",
                                 "sdca,svrg", "--lambdas",     "0.1:10:3",     "--seeds", "1..2", "--stages",
                                 "2",         "--quiet"};
    const Outcome o = call(options + QStringList{"--out", "words"});
    QVERIFY2(o.code == 0, o.err.constData());
    const QByteArray command = "appa-lab sweep --data '" + data.fileName().toUtf8()
        + "' --label 3 --regression --methods sdca,svrg "
          "--lambdas 0.1:10:3 --seeds 1..2 --stages 2";
    const auto svg = [&](const char *folder) {
        return QString::fromUtf8(readFile(m_folder.filePath(folder) + "/sensitivity.svg"))
            .replace("&apos;", "'")
            .replace("&#39;", "'");
    };
    QVERIFY2(svg("words").contains(command), qPrintable(svg("words").left(3000)));
    const Outcome merged = call({"--merge", "words", "--out", "words-merged", "--quiet"});
    QVERIFY2(merged.code == 0, merged.err.constData());
    QVERIFY(svg("words-merged").contains(command));
}

void TestSweepCommand::failedRunsAreToldInTheEnd()
{
    QVERIFY(call({"--data", "gaussians-2d:n=50", "--methods", "sdca", "--lambdas", "1e-3,1", "--seeds", "1", "--stages",
                  "2", "--quiet", "--no-figure", "--out", "failed"})
                .code
            == 0);
    // What makes a run fail, too little memory say, is not to be had in a test: the file says it.
    QList<QByteArray> lines = content("failed/results.csv").split('\n');
    int runs = 0;
    for (QByteArray &line : lines)
        if (const qsizetype at = line.indexOf(",finished,"); at >= 0) {
            line = line.first(at) + ",failed,No memory.";
            ++runs;
        }
    QCOMPARE(runs, 2);
    QFile results(m_folder.filePath("failed/results.csv"));
    QVERIFY(results.open(QIODevice::WriteOnly) && results.write(lines.join('\n')) > 0);
    results.close();
    const Outcome o = call({"--merge", "failed", "--out", "merged-failures", "--no-figure"});
    QVERIFY2(o.code == 3, o.err.constData());
    QVERIFY2(o.err.contains("2 of 2 runs failed") && o.err.contains("No memory."), o.err.constData());
    QVERIFY(QFileInfo(m_folder.filePath("merged-failures/summary.txt")).size() > 0);
    // They are made again.
    const Outcome again = call({"--out", "failed", "--resume", "--quiet", "--no-figure"});
    QVERIFY2(again.code == 0, again.err.constData());
    QCOMPARE(content("failed/results.csv").count(",finished,"), qsizetype(2));
}

void TestSweepCommand::aStudyOfOneRunIsInTheSingular()
{
    const Outcome o = call(problem
                           + QStringList{"--methods", "svrg", "--lambdas", "1", "--seeds", "18446744073709551615",
                                         "--stages", "1", "--jobs", "8", "--no-figure", "--out", "single"});
    QVERIFY2(o.code == 0, o.err.constData());
    QVERIFY2(o.out.contains("\n1 method x 1 lambda (1) x 1 seed, 1 stage; 1 of 1 run\n"), o.out.constData());
    // No more cores than it has runs.
    QVERIFY2(o.err.contains(" % of 1 core\n"), o.err.constData());
}

void TestSweepCommand::numbersHaveAPointInEveryLocale()
{
    const CommaLocale locale;
    if (!locale.isMade())
        QSKIP("there is no localedef");
    const QStringList arguments = problem + plan + QStringList{"--curves", "--quiet", "--jobs", "1"};
    QVERIFY(call(arguments + QStringList{"--out", "plain"}).code == 0);
    const QProcessEnvironment before = m_environment;
    m_environment.insert("LOCPATH", locale.folder());
    m_environment.insert("LC_ALL", CommaLocale::name);
    const Outcome o = call(arguments + QStringList{"--out", "comma"});
    m_environment = before;
    QVERIFY2(o.code == 0, o.err.constData());
    // Of the columns only the seconds may differ, and they hold no comma.
    const auto cells = [&](const char *folder) {
        QList<qsizetype> counts;
        for (const QByteArray &line : readFile(m_folder.filePath(folder) + "/curves.csv").split('\n'))
            counts << line.count(',');
        return counts;
    };
    QCOMPARE(cells("comma"), cells("plain"));
    QCOMPARE(results(m_folder.filePath("comma")), results(m_folder.filePath("plain")));
    QCOMPARE(readFile(m_folder.filePath("comma/summary.csv")), readFile(m_folder.filePath("plain/summary.csv")));
}

void TestSweepCommand::writesTheRidgeFloors()
{
    const QStringList small = {"--methods", "sdca", "--seeds", "1", "--stages", "1", "--quiet", "--no-figure"};
    const Outcome o = call(problem + small + QStringList{"--lambdas", "1e-2,1", "--out", "floors", "--floors"});
    QVERIFY2(o.code == 0, o.err.constData());
    const QString path = m_folder.filePath("floors/floors.csv");
    const QList<QByteArray> lines = readFile(path).trimmed().split('\n');
    QCOMPARE(lines.size(), qsizetype(3));
    QCOMPARE(lines[0], QByteArray("lambda,train_loss,excess_loss"));
    const double low = lines[1].split(',')[2].toDouble(), high = lines[2].split(',')[2].toDouble();
    QVERIFY2(lines[1].startsWith("0.01,") && 0 < low && low < high, lines[1].constData());
    // They follow the grid.
    const Outcome grown = call({"--out", "floors", "--resume", "--lambdas", "10", "--quiet", "--no-figure"});
    QVERIFY2(grown.code == 0, grown.err.constData());
    QCOMPARE(readFile(path).count('\n'), qsizetype(4));
}

void TestSweepCommand::theHelpSaysWhatIsNeeded()
{
    const QByteArray help = call({"--help"}).out.simplified();
    QVERIFY2(!help.contains("{false}") && help.contains("required but for --estimate"), help.constData());
    QVERIFY(help.contains("Exit codes: 0 done"));
}

void TestSweepCommand::estimatesWithoutRunning()
{
    const Outcome o = call(problem + plan + QStringList{"--estimate"});
    QCOMPARE(o.code, 0);
    QVERIFY(o.out.startsWith("40 runs, about "));
}

QTEST_GUILESS_MAIN(TestSweepCommand)
#include "tst_app_sweep.moc"
