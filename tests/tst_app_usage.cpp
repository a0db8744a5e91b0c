#include "ProgramTest.h"

#include <QDir>
#include <QRegularExpression>

#include <csignal>
#include <sys/types.h>

/// The program in the hands of someone who gets things wrong: values, contradictions, disks that are full; and that the
/// man page and the completion know every option there is.
class Usage final : public ProgramTest
{
    Q_OBJECT

private slots:
    void saysWhatIsWrong_data();
    void saysWhatIsWrong();
    void keepsTheOldSessionWhenTheDiskIsFull();
    void aRunOutlivesAFailedSave();
    void aStudyOutlivesAFullDisk();
    void neverWritesOverTheData();
    void neverWritesOverADownloadedSet();
    void neverWritesOverWhatItReads();
    void filesAreWrittenThoughTheReaderLeaves();
    void refusesToGoOnToWhereARunIsAlready();
    void aClosedTerminalKeepsWhatWasMeasured();
    void progressLinesNameTheMeasuredStage();
    void theManPageAndTheCompletionKnowEveryOption();
    void completesOptionsAndNames();
};

static const QStringList small = {"--data", "gaussians-2d:n=200,test=50"};

void Usage::saysWhatIsWrong_data()
{
    QTest::addColumn<QStringList>("arguments");
    QTest::addColumn<QString>("says");
    const auto run = [](const QStringList &more) { return QStringList{"run"} + small + more; };
    const auto row = [](const char *name, const QStringList &arguments, const char *says) {
        QTest::newRow(name) << arguments << QString(says);
    };
    row("stages below 0", run({"--stages", "-3"}), "--stages must be a whole number that is not negative, not \"-3\".");
    row("stages not whole", run({"--stages", "2.5"}),
        "--stages must be a whole number that is not negative, not \"2.5\".");
    row("stages not a number", run({"--stages", "x"}), "not \"x\".");
    row("seed below 0", run({"--seed", "-1"}), "--seed must be a whole number");
    row("data seed below 0", run({"--data-seed", "-1"}), "--data-seed must be a whole number");
    row("ridge below 0", run({"--ridge", "-1"}), "--ridge must be a number that is not negative, not \"-1\".");
    row("ridge nan", run({"--ridge", "nan"}), "--ridge must be");
    row("rows 0", run({"--rows", "0"}), "--rows must be a whole number from 1 on, not \"0\".");
    row("passes", run({"--passes", "many"}), "--passes must be a number");
    row("holdout", run({"--holdout", "2"}), "--holdout must be a number from 0 to 0.99, not \"2\".");
    row("measures", run({"--measures", "2000"}), "--measures must be a number from 0 to 1000, not \"2000\".");
    row("measures not whole", run({"--measures", "1.5"}), "--measures must be a whole number, not \"1.5\".");
    row("loss", run({"--loss", "logstic"}), "Did you mean \"logistic\"?");
    row("normalize", run({"--normalize", "row"}),
        "must be one of none, mean-norm, rows, columns, not \"row\". Did you mean \"rows\"?");
    row("value missing", {"run", "--data"}, "--data needs a value.");
    row("twice", run({"--data", "x"}), "--data is given more than once.");
    row("no parameters", run({"--method", "normal-equations", "--loss", "squared", "--lambda", "1"}), "It has none.");
    row("excess without optimum", run({"--excess", "1e-3", "--no-optimum"}), "--no-optimum");
    row("two on the standard output", run({"--json", "--trace", "-"}), "standard output");
    row("quiet progress", run({"--quiet", "--progress"}), "contradict");
    row("one file twice", run({"--trace", "a", "--weights", "a"}), "the same file");
    row("one file under two names", run({"--trace", "a", "--weights", "./a"}), "the same file");
    row("transforms twice", run({"--transforms", "rows", "--affine"}), "cannot be given together: choose one of them.");
    row("label of a generator", run({"--label", "3"}), "generator");
    row("test and hold-out", run({"--holdout", "0.2", "--test", "x"}), "Choose one of them");
    row("a session as data", {"run", "mine.appa"}, "`appa-lab run --resume`");
    row("data alone", {"data"}, "list info get");
    row("no such word", {"runn"}, "no command or file \"runn\". Did you mean \"run\"?");
    row("axis", {"render", "x.csv", "--out", "x.png", "--axis", "stage"}, "Did you mean \"stages\"?");
    row("font scale", {"render", "x.csv", "--out", "x.png", "--font-scale", "9"},
        "--font-scale must be a number from 0.5 to 4");
    row("name without a session", run({"--name", "x"}), "--name needs --session as well.");
    row("a plan beside a merge", {"sweep", "--merge", "a", "--out", "b", "--seeds", "2"}, "--seeds");
    row("an empty file name", run({"--trace", ""}), "--trace needs a value that is not empty.");
    row("an empty name after =", run({"--weights="}), "--weights");
    row("label of a built-in set", {"run", "--data", "mnist-6k", "--label", "3"}, "built in");
    row("several by commas", run({"--set", "passes=2,order=cyclic"}), "separated by blanks");
    row("several changes by commas", run({"--at", "2:lambda=1,passes=2"}), "or by another --at, not by commas");
    row("choice", run({"--set", "order=permutaton"}), "Did you mean \"permutation\"?");
    row("generator's key", {"run", "--data", "ill-conditioned:conditon=3"}, "Did you mean \"condition\"?");
    row("transform", run({"--transforms", "afine"}), "Did you mean \"affine\"?");
    row("no such method to describe", {"methods", "dual-apa"}, "Did you mean \"dual-appa\"?");
    row("method of a study", {"sweep", "--out", "x", "--methods", "dual-apa"}, "Did you mean \"dual-appa\"?");
    row("inner of a study", {"sweep", "--out", "x", "--methods", "appa:sdka"}, "Did you mean \"sdca\"?");
    row("parameter of a study", {"sweep", "--out", "x", "--methods", "sdca:pases=2"}, "Did you mean \"passes\"?");
    row("parameter of a study twice", {"sweep", "--out", "x", "--methods", "sdca:passes=2:passes=3"},
        "\"passes\" is set more than once.");
    row("method of a change", run({"--at", "2:method=svgr"}), "Did you mean \"svrg\"?");
    row("download", {"data", "get", "mnsit"}, "Did you mean \"mnist\"?");
    row("jobs", {"sweep", "--jobs", "-1"}, "--jobs must be a number from 0 to 1024");
    row("set twice", run({"--lambda", "1", "--set", "lambda=2"}), "\"lambda\" is set more than once.");
    row("session on the standard output", run({"--session", "-"}), "--session needs the name of a file");
}

void Usage::saysWhatIsWrong()
{
    QFETCH(const QStringList, arguments);
    QFETCH(const QString, says);
    const Outcome outcome = call(arguments);
    QVERIFY2(outcome.code == 2, outcome.out + outcome.err);
    QVERIFY2(outcome.err.contains(says.toUtf8()), outcome.err);
    QVERIFY2(outcome.err.size() < 400, outcome.err);
    QCOMPARE(outcome.out, QByteArray());
}

void Usage::keepsTheOldSessionWhenTheDiskIsFull()
{
    QCOMPARE(
        call(QStringList{"run", "--stages", "3", "--no-optimum", "--quiet", "--session", "full.appa"} + small).code, 0);
    const QByteArray before = content("full.appa");
    QVERIFY(before.size() > 1024);
    // No file may grow beyond two blocks: what a full disk is to a program.
    const Outcome outcome =
        call(QStringList{"run", "--stages", "3", "--no-optimum", "--session", "full.appa"} + small, "ulimit -f 2;");
    QVERIFY2(outcome.code == 4, outcome.out + outcome.err);
    QVERIFY2(outcome.err.contains("Cannot write \"full.appa\"") && outcome.err.contains("Free some space"),
             outcome.err);
    QCOMPARE(content("full.appa"), before);
    QCOMPARE(QDir(m_folder.path()).entryList({"full.appa.*"}).size(), qsizetype(0));
}

void Usage::aRunOutlivesAFailedSave()
{
    // The empty session fits, that of some stages does not; the weights (of two numbers) always do.
    const Outcome outcome = call(QStringList{"run", "--stages", "0", "--passes", "300", "--no-optimum", "--save-every",
                                             "0.0001", "--session", "small.appa", "--weights", "small.txt"}
                                     + small,
                                 "ulimit -f 8;");
    QVERIFY2(outcome.code == 4, outcome.out + outcome.err);
    QVERIFY2(outcome.err.contains("The run goes on"), outcome.err);
    QCOMPARE(content("small.txt").count('\n'), qsizetype(2));
    QVERIFY(content("small.appa").size() > 0);
    QCOMPARE(call({"replay", "small.appa", "--quiet"}).code, 0);
}

void Usage::aStudyOutlivesAFullDisk()
{
    const QStringList study =
        QStringList{"sweep",    "--methods", "sdca,svrg", "--lambdas", "1e-3:10:5", "--seeds",     "1..4",
                    "--stages", "5",         "--jobs",    "1",         "--quiet",   "--no-figure", "--out"}
        + QStringList{"whole"} + small;
    QCOMPARE(call(study).code, 0);
    QStringList cut = study;
    cut.replace(cut.indexOf("whole"), "cut");
    const Outcome full = call(cut, "ulimit -f 16;");
    QVERIFY2(full.code == 4, full.out + full.err);
    QVERIFY2(full.err.contains("Cannot write \"cut/results.csv\": File too large. Free some space"), full.err);
    QVERIFY2(full.err.contains(" of 40 are in cut and stay; --resume goes on with them."), full.err);
    const auto withoutSeconds = [this](const QString &name) {
        QByteArray text;
        for (const QByteArray &line : content(name).split('\n')) {
            QList<QByteArray> cells = line.split(',');
            if (cells.size() > 10)
                cells.removeAt(10);
            text += cells.join(',') + '\n';
        }
        return text;
    };
    QVERIFY(content("cut/results.csv").count('\n') > 20);
    QVERIFY(withoutSeconds("cut/results.csv") != withoutSeconds("whole/results.csv"));
    const Outcome resumed = call({"sweep", "--out", "cut", "--resume", "--quiet", "--no-figure"});
    QVERIFY2(resumed.code == 0, resumed.err);
    QCOMPARE(withoutSeconds("cut/results.csv"), withoutSeconds("whole/results.csv"));
    QCOMPARE(content("cut/summary.csv"), content("whole/summary.csv"));
    // The files beside the results: the table is printed all the same.
    QVERIFY(QFile::remove(m_folder.filePath("cut/summary.txt")) && QDir(m_folder.path()).mkdir("cut/summary.txt"));
    const Outcome blocked = call({"sweep", "--out", "cut", "--resume", "--quiet", "--no-figure"});
    QCOMPARE(blocked.code, 4);
    QCOMPARE(blocked.out, resumed.out);
    QVERIFY2(blocked.err.contains("The results themselves are in cut/results.csv"), blocked.err);
}

void Usage::neverWritesOverTheData()
{
    const QByteArray rows = "1 1:1 2:0.5\n-1 1:-1 2:0.25\n1 1:0.5\n-1 2:-1\n";
    for (const char *name : {"rows.svm", "test.svm"}) {
        QFile file(m_folder.filePath(name));
        QVERIFY(file.open(QIODevice::WriteOnly) && file.write(rows) == rows.size());
    }
    QVERIFY(QFile::link(m_folder.filePath("rows.svm"), m_folder.filePath("link.svm")));
    const QStringList run = {"run", "rows.svm", "--test", "test.svm", "--stages", "1", "--quiet"};
    for (const QStringList &more : {QStringList{"--weights", "rows.svm"},
                                    {"--trace", "./rows.svm"},
                                    {"--trace", "test.svm"},
                                    {"--weights", "link.svm"}}) {
        const Outcome outcome = call(run + more);
        QVERIFY2(outcome.code == 2 && outcome.err.contains("written over the data"), outcome.err);
    }
    QCOMPARE(call({"optimum", "rows.svm", "--weights", "rows.svm"}).code, 2);
    QCOMPARE(content("rows.svm"), rows);
    QCOMPARE(content("test.svm"), rows);
    // Nor does a study: its files have names of their own, and the data may lie among them.
    QVERIFY(QDir(m_folder.path()).mkdir("among"));
    QVERIFY(QFile::copy(m_folder.filePath("rows.svm"), m_folder.filePath("among/summary.csv")));
    const Outcome study = call({"sweep", "among/summary.csv", "--format", "libsvm", "--methods", "sdca", "--lambdas",
                                "1", "--seeds", "1", "--stages", "1", "--no-figure", "--quiet", "--out", "among"});
    QVERIFY2(study.code == 2 && study.err.contains("written over the data"), study.err);
    QCOMPARE(content("among/summary.csv"), rows);
    QCOMPARE(QDir(m_folder.filePath("among")).entryList(QDir::Files | QDir::Hidden).size(), qsizetype(1));
    // Names as long as the file system takes: the temporary file's is no longer.
    const QString longest(255, 'x');
    QCOMPARE(call(run + QStringList{"--weights", longest}).code, 0);
    QCOMPARE(content(longest).count('\n'), qsizetype(2));
    const Outcome tooLong = call(run + QStringList{"--no-optimum", "--trace", longest + "x"});
    QVERIFY2(tooLong.code == 4 && tooLong.err.contains("Choose a shorter name."), tooLong.err);
}

void Usage::neverWritesOverADownloadedSet()
{
    // One that is not the run's: another run is to find it whole.
    const QString set = "appa-lab/datasets/cifar10/";
    QVERIFY(QDir(m_folder.path()).mkpath(set + "cifar-10-batches-bin"));
    const QString file = set + "cifar-10-batches-bin/test_batch.bin";
    QFile batch(m_folder.filePath(file));
    QVERIFY(batch.open(QIODevice::WriteOnly) && batch.write("pixels") == 6);
    batch.close();
    QVERIFY(QFile::link(m_folder.filePath(set), m_folder.filePath("datasets")));
    for (const QStringList &command :
         {QStringList{"run", "--stages", "1", "--no-optimum", "--quiet", "--trace", file} + small,
          QStringList{"run", "--stages", "1", "--no-optimum", "--quiet", "--weights",
                      "datasets/cifar-10-batches-bin/test_batch.bin"}
              + small,
          QStringList{"optimum", "--weights", file} + small}) {
        const Outcome outcome = call(command);
        QVERIFY2(outcome.code == 2 && outcome.err.contains("a file of the downloaded set cifar10"), outcome.err);
    }
    QCOMPARE(content(file), QByteArray("pixels"));
}

void Usage::neverWritesOverWhatItReads()
{
    const QStringList run = QStringList{"run", "--stages", "1", "--no-optimum", "--quiet"} + small;
    QCOMPARE(call(run + QStringList{"--session", "first.appa"}).code, 0);
    QVERIFY(QFile::copy(m_folder.filePath("first.appa"), m_folder.filePath("first.svg")));
    const QByteArray before = content("first.appa");
    const QStringList goOn = {"run",       "--resume",  "first.appa",   "--stages", "2",
                              "--session", "then.appa", "--no-optimum", "--quiet"};
    for (const QStringList &more : {QStringList{"--trace", "first.appa"}, {"--weights", "./first.appa"}}) {
        const Outcome outcome = call(goOn + more);
        QVERIFY2(outcome.code == 2 && outcome.err.contains("the same file"), outcome.err);
    }
    QCOMPARE(content("first.appa"), before);
    QVERIFY(!QFile::exists(m_folder.filePath("then.appa")));
    const Outcome drawn = call({"render", "first.svg", "--out", "first.svg"});
    QVERIFY2(drawn.code == 2 && drawn.err.contains("written over what is drawn"), drawn.err);
    QCOMPARE(content("first.svg"), before);
}

void Usage::filesAreWrittenThoughTheReaderLeaves()
{
    // More than a pipe holds, and nobody there to read it.
    const Outcome outcome = call({},
                                 "\"$0\" run --data gaussians-2d:n=200,test=50 --stages 3000 --no-optimum --trace - "
                                 "--weights left.txt | true; exit 0;");
    QVERIFY2(outcome.code == 0, outcome.err);
    QCOMPARE(content("left.txt").count('\n'), qsizetype(2));
}

void Usage::refusesToGoOnToWhereARunIsAlready()
{
    QCOMPARE(call(QStringList{"run", "--stages", "5", "--no-optimum", "--quiet", "--session", "on.appa"} + small).code,
             0);
    const QByteArray before = content("on.appa");
    for (const QStringList &rule : {QStringList{"--stages", "3"}, {"--passes", "2"}, {"--seconds", "1e-9"}}) {
        const Outcome outcome = call(QStringList{"run", "--resume", "on.appa", "--no-optimum"} + rule);
        QVERIFY2(outcome.code == 2 && outcome.err.contains("does not go further"), outcome.err);
    }
    QCOMPARE(content("on.appa"), before);
}

void Usage::aClosedTerminalKeepsWhatWasMeasured()
{
    QProcess process;
    prepare(process);
    process.setChildProcessModifier([] { std::signal(SIGHUP, SIG_DFL); }); // the tests may run under nohup
    process.start(
        APPA_PROGRAM,
        QStringList{"run", "--stages", "0", "--seconds", "60", "--no-optimum", "--progress", "--trace", "closed.csv"}
            + small);
    QVERIFY(process.waitForStarted());
    QByteArray said;
    QVERIFY(QTest::qWaitFor([&] { return (said += process.readAllStandardError()).contains("stage 2"); }, 30000));
    QCOMPARE(::kill(static_cast<pid_t>(process.processId()), SIGHUP), 0);
    QVERIFY(process.waitForFinished(30000));
    QCOMPARE(process.exitCode(), 130);
    QVERIFY(content("closed.csv").count('\n') >= 3);
}

void Usage::progressLinesNameTheMeasuredStage()
{
    const Outcome outcome =
        call(QStringList{"run", "--stages", "7", "--no-optimum", "--progress", "--trace", "p.csv"} + small);
    QVERIFY2(outcome.code == 0, outcome.err);
    const QList<QByteArray> lines = outcome.err.trimmed().split('\n');
    const QList<QByteArray> rows = content("p.csv").trimmed().split('\n');
    QCOMPARE(lines.size(), qsizetype(7));
    for (int stage = 1; stage <= 7; ++stage) {
        const QByteArray line = lines[stage - 1];
        QVERIFY2(line.startsWith("stage " + QByteArray::number(stage) + "/7  F "), line);
        const double shown = line.split(' ')[4].toDouble();
        const double measured = rows[stage + 1].split(',')[5].toDouble();
        QVERIFY2(std::abs(shown - measured) <= 1e-6 * measured, line);
    }
}

void Usage::theManPageAndTheCompletionKnowEveryOption()
{
    const auto read = [](const char *path) {
        QFile file(QStringLiteral(APPA_RESOURCES) + path);
        return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
    };
    const QByteArray man = read("/appa-lab.1").replace("\\-", "-");
    const QByteArray completion = read("/completions/appa-lab");
    QVERIFY(!man.isEmpty() && !completion.isEmpty());
    const QRegularExpression option(QStringLiteral("^\\s+(?:-\\w,)?(--[a-z-]+)"), QRegularExpression::MultilineOption);
    int seen = 0;
    for (const QStringList &command : {QStringList{"run"},
                                       {"optimum"},
                                       {"sweep"},
                                       {"replay"},
                                       {"render"},
                                       {"data", "info"},
                                       {"data", "list"},
                                       {"data", "get"},
                                       {"methods"},
                                       {"losses"}}) {
        const Outcome help = call(command + QStringList{"--help"});
        QCOMPARE(help.code, 0);
        for (auto matches = option.globalMatch(QString::fromUtf8(help.out)); matches.hasNext(); ++seen) {
            const QByteArray name = matches.next().captured(1).toUtf8();
            const QRegularExpression whole(QRegularExpression::escape(QString::fromUtf8(name)) + "(?![a-z-])");
            QVERIFY2(name == "--help" || whole.match(QString::fromUtf8(man)).hasMatch(),
                     "the man page lacks " + name + " of " + command.join(' ').toUtf8());
            QVERIFY2(whole.match(QString::fromUtf8(completion)).hasMatch(),
                     "the completion lacks " + name + " of " + command.join(' ').toUtf8());
        }
    }
    QVERIFY(seen > 60);
}

void Usage::completesOptionsAndNames()
{
    if (!QFile::exists("/bin/bash"))
        QSKIP("there is no bash");
    const auto completed = [&](const QString &words) {
        QProcess bash;
        QProcessEnvironment environment = m_environment;
        environment.insert("PATH", QFileInfo(APPA_PROGRAM).absolutePath() + ":" + environment.value("PATH"));
        bash.setProcessEnvironment(environment);
        bash.setWorkingDirectory(m_folder.path());
        bash.start("/bin/bash",
                   {"--norc", "-c",
                    "compopt() { :; }; . '" APPA_RESOURCES "/completions/appa-lab'; COMP_WORDS=(" + words
                        + "); COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); _appa_lab; printf '%s\\n' \"${COMPREPLY[@]}\""});
        bash.waitForFinished(60000);
        return QString::fromUtf8(bash.readAllStandardOutput()).split('\n', Qt::SkipEmptyParts);
    };
    QVERIFY(completed("appa-lab re").contains("replay"));
    QCOMPARE(completed("appa-lab run --lam"), QStringList{"--lambda"});
    QVERIFY(completed("appa-lab run --method acc").contains("accelerated-appa"));
    QVERIFY(completed("appa-lab run --inner ''").contains("ap-sdca"));
    QVERIFY(completed("appa-lab run --data mni").contains("mnist-6k"));
    QVERIFY(completed("appa-lab run --loss s").contains("softmax"));
    QVERIFY(completed("appa-lab sweep --la").contains("--lambdas"));
}

QTEST_GUILESS_MAIN(Usage)
#include "tst_app_usage.moc"
