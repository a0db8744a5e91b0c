#include "ReferenceProblems.h"

#include "base/AtomicFile.h"
#include "run/Autosave.h"
#include "run/Session.h"

#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QProcess>
#include <QTemporaryDir>
#include <QTest>

#include <cerrno>
#include <csignal>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace appa;

namespace {

Session example()
{
    Session session;
    session.data.source = "/somewhere/train set.svm";
    session.data.testFile = "/somewhere/test.svm";
    session.data.columns = {.only = {"a", "b"},
                            .dropped = {"3-4"},
                            .words = ColumnChoice::Words::Indicators,
                            .missing = ColumnChoice::Missing::SkipRows};
    session.data.positive = {"1", "2", "ü"};
    session.data.holdout = 0.2;
    session.data.transforms = {
        {.kind = Transform::Kind::MeanNorm},
        {.kind = Transform::Kind::FourierFeatures, .count = 1200, .bandwidth = 0.7, .seed = 12345678901234567890ull}};
    session.data.precision = Precision::Double;
    session.data.seed = 99;
    session.dataName = "train set";
    session.dataHash = 0xFEDCBA9876543210ull;
    session.provenance = {{"read", "2 files"}, {"divide by the mean row norm", "factor 9.18"}};
    session.loss = "squared";
    session.ridge = 1e-5;
    session.fOpt = 0.1 + 0.2;
    session.view = R"({"axis":"passes"})";

    auto made =
        Run::create(reference::sq(), {.method = "svrg", .inner = {}, .params = {}, .seed = 18446744073709551615ull},
                    {.stages = 4, .gapBelow = 1e-12});
    if (!made)
        qFatal("%s", made.error().message.c_str());
    Run &run = *made.value();
    run.stepStage();
    run.change("lambda", 0.123456789012345678);
    run.stepStage();
    session.runs.push_back(savedRun(run, "a run \"with\" quotes, λ and\nlines"));
    session.runs.push_back(session.runs.front());
    session.runs.back().trace.points.front().gap = std::numeric_limits<double>::infinity();
    session.runs.back().status = RunStatus::Diverged;
    session.runs.back().message = "Diverged.";
    return session;
}

void write(const QString &path, const QByteArray &bytes)
{
    QFile file(path);
    QVERIFY(file.open(QIODevice::WriteOnly | QIODevice::Truncate));
    QCOMPARE(file.write(bytes), bytes.size());
}

QByteArray bytesOf(const QString &path)
{
    QFile file(path);
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray("(not there)");
}

} // namespace

class TestSession final : public QObject
{
    Q_OBJECT

private slots:
    void comesBackAsItWas();
    void keepsPathsThatAreNotUtf8();
    void refusesWhatIsNotWhole();
    void refusesEditedFiles_data();
    void refusesEditedFiles();
    void neverWritesOverWhatItCannotRead();
    void keepsTheOldFileWhenTheDiskIsFull();
    void saysWhyAFolderRefuses_data();
    void saysWhyAFolderRefuses();
    void saysWhatToDoAboutAFile_data();
    void saysWhatToDoAboutAFile();
    void writesThroughLinksAndKeepsTheMode();
    void clearsAwayWhatKilledWritersLeft();
    void findsDataThatMovedAlong();
    void saysWhenTheDataChanged();
    void offersOnlyAutosavesOfTheDead();
};

void TestSession::comesBackAsItWas()
{
    QTemporaryDir folder;
    const std::string path = folder.filePath("one.appa").toStdString();
    const Session session = example();
    QVERIFY(!writeSession(path, session));
    const auto read = readSession(path);
    QVERIFY2(read.ok(), read.ok() ? "" : read.error().message.c_str());
    const Session &back = read.value();
    // Written again, it is the same text: every number came back to the same bits.
    QCOMPARE(sessionText(back), sessionText(session));
    QVERIFY(back.data == session.data);
    QCOMPARE(back.dataHash, session.dataHash);
    QCOMPARE(back.fOpt, session.fOpt);
    QCOMPARE(back.runs.size(), std::size_t(2));
    const SavedRun &run = back.runs[0];
    QCOMPARE(run.name, session.runs[0].name);
    QCOMPARE(run.spec.seed, 18446744073709551615ull);
    QVERIFY(run.stop == session.runs[0].stop);
    QCOMPARE(run.trace.points.size(), session.runs[0].trace.points.size());
    for (std::size_t k = 0; k < run.trace.points.size(); ++k) {
        QCOMPARE(run.trace.points[k].loss, session.runs[0].trace.points[k].loss);
        QCOMPARE(run.trace.points[k].cost, session.runs[0].trace.points[k].cost);
        QCOMPARE(run.trace.points[k].seconds, session.runs[0].trace.points[k].seconds);
    }
    QVERIFY(std::isnan(run.trace.points[0].gap));
    QVERIFY(std::isinf(back.runs[1].trace.points[0].gap));
    QCOMPARE(run.trace.events.size(), std::size_t(1));
    QCOMPARE(std::get<double>(run.trace.events[0].to), 0.123456789012345678);
    QCOMPARE(run.trace.events[0].label, session.runs[0].trace.events[0].label);
    QCOMPARE(back.runs[1].status, RunStatus::Diverged);
    // Only the session is in the folder: no temporary file stays.
    QCOMPARE(QDir(folder.path()).entryList(QDir::Files), QStringList("one.appa"));
}

void TestSession::keepsPathsThatAreNotUtf8()
{
    // Latin-1, a per cent sign, UTF-8 cut in the middle, and all there is in one.
    std::string everything = "/";
    for (int byte = 1; byte < 256; ++byte)
        everything += static_cast<char>(byte);
    for (const std::string &path :
         {std::string("/data/caf\xe9 100%25.svm"), std::string("/d/\xe2\x82"), std::string("/d/\xed\xa0\x80"),
          std::string("/d/\xc0\xaf"), everything, std::string("/d/\xe2\x82\xac and 100%.svm")}) {
        Session session = example();
        session.data.source = path;
        session.data.testFile = path + "t";
        session.data.label = "gr\xf6\xdf"
                             "e";
        session.data.positive = {"\xfc", "1"};
        session.data.columns.only = {"\xe4", "b"};
        const std::string text = sessionText(session);
        QVERIFY(QString::fromUtf8(text).toUtf8() == QByteArray::fromStdString(text));
        const auto back = parseSession(text, "x.appa");
        QVERIFY2(back.ok(), back.ok() ? "" : back.error().message.c_str());
        QVERIFY(back.value().data == session.data);
        // Ordinary names are written as they are.
        QCOMPARE(text.find(path) != std::string::npos, path.ends_with(" and 100%.svm"));
    }
}

void TestSession::refusesWhatIsNotWhole()
{
    const std::string text = sessionText(example());
    QVERIFY(parseSession(text, "x.appa").ok());
    for (std::size_t length = 0; length + 2 < text.size(); ++length) {
        const auto read = parseSession(text.substr(0, length), "x.appa");
        QVERIFY2(!read.ok(), qPrintable(QString::number(length)));
        QCOMPARE(read.error().kind, Error::Kind::Io);
        QVERIFY(read.error().message.find("x.appa") != std::string::npos);
    }
    QVERIFY(parseSession(text.substr(0, text.size() / 2), "x.appa").error().message.find("cut off")
            != std::string::npos);
}

void TestSession::refusesEditedFiles_data()
{
    QTest::addColumn<QString>("before");
    QTest::addColumn<QString>("after");
    QTest::addColumn<QString>("reason");
    QTest::newRow("a number") << "\"ridge\":1e-05"
                              << "\"ridge\":1e-06"
                              << "changed by something else";
    QTest::newRow("a name") << "\"loss\":\"squared\""
                            << "\"loss\":\"logistic\""
                            << "changed by something else";
    QTest::newRow("broken") << "\"ridge\":"
                            << "\"ridge\""
                            << "damaged at byte";
    QTest::newRow("newer") << "\"version\": 1"
                           << "\"version\": 2"
                           << "newer version";
    QTest::newRow("another format") << "appa-lab session"
                                    << "something"
                                    << "not a session";
    QTest::newRow("no session") << "\"session\":"
                                << "\"other\":"
                                << "missing";
    QTest::newRow("wrong type") << "\"version\": 1"
                                << "\"version\": \"1\""
                                << "wrong type";
}

void TestSession::refusesEditedFiles()
{
    QFETCH(QString, before);
    QFETCH(QString, after);
    QFETCH(QString, reason);
    QString text = QString::fromStdString(sessionText(example()));
    QVERIFY2(text.contains(before), qPrintable(text.left(2000)));
    text.replace(before, after);
    const auto read = parseSession(text.toStdString(), "x.appa");
    QVERIFY(!read.ok());
    QVERIFY2(read.error().message.find(reason.toStdString()) != std::string::npos, read.error().message.c_str());
    QVERIFY(read.error().message.find("left as it is") != std::string::npos);
}

void TestSession::neverWritesOverWhatItCannotRead()
{
    QTemporaryDir folder;
    const QString path = folder.filePath("precious.appa");
    const QByteArray whole = QByteArray::fromStdString(sessionText(example()));
    for (const QByteArray &content : {QByteArray("my thesis"), whole.left(whole.size() / 2),
                                      QByteArray(whole).replace("\"version\": 1", "\"version\": 9")}) {
        write(path, content);
        const auto error = writeSession(path.toStdString(), example());
        QVERIFY(error);
        QCOMPARE(error->kind, Error::Kind::Io);
        QCOMPARE(bytesOf(path), content);
    }
    write(path, whole);
    QVERIFY(!writeSession(path.toStdString(), example()));
}

void TestSession::keepsTheOldFileWhenTheDiskIsFull()
{
    QTemporaryDir folder;
    const QString path = folder.filePath("one.appa");
    const Session session = example();
    QVERIFY(!writeSession(path.toStdString(), session));
    const QByteArray old = bytesOf(path);

    // A limit on the size of files stops a write half-way, as a full disk does.
    struct rlimit before = {};
    QCOMPARE(::getrlimit(RLIMIT_FSIZE, &before), 0);
    const auto handler = std::signal(SIGXFSZ, SIG_IGN);
    struct rlimit small = before;
    small.rlim_cur = 1000;
    QCOMPARE(::setrlimit(RLIMIT_FSIZE, &small), 0);
    const auto error = writeSession(path.toStdString(), session);
    ::setrlimit(RLIMIT_FSIZE, &before);
    std::signal(SIGXFSZ, handler);

    QVERIFY(error);
    QCOMPARE(error->kind, Error::Kind::Io);
    QVERIFY2(error->message.find("Free some space") != std::string::npos, error->message.c_str());
    QCOMPARE(bytesOf(path), old);
    QCOMPARE(QDir(folder.path()).entryList(QDir::Files), QStringList("one.appa"));

    const auto full = writeSession("/dev/full", session);
    QVERIFY(full);
    QVERIFY2(full->message.find("Free some space") != std::string::npos, full->message.c_str());
}

void TestSession::saysWhyAFolderRefuses_data()
{
    QTest::addColumn<QString>("path");
    QTest::newRow("no such folder") << "/no/such/folder/x.appa";
    QTest::newRow("a folder") << "/";
    QTest::newRow("a read-only file system") << "/proc/x.appa";
}

void TestSession::saysWhyAFolderRefuses()
{
    QFETCH(QString, path);
    const auto error = writeSession(path.toStdString(), example());
    QVERIFY(error);
    QCOMPARE(error->kind, Error::Kind::Io);
    QVERIFY2(error->message.find("Cannot write \"" + path.toStdString() + "\": ") == 0, error->message.c_str());
    if (::geteuid() == 0)
        return; // the superuser may write anywhere
    QTemporaryDir folder;
    QVERIFY(!writeSession(folder.filePath("one.appa").toStdString(), example()));
    const QByteArray old = bytesOf(folder.filePath("one.appa"));
    QVERIFY(QFile::setPermissions(folder.path(), QFile::ReadOwner | QFile::ExeOwner));
    const auto refused = writeSession(folder.filePath("one.appa").toStdString(), example());
    QVERIFY(QFile::setPermissions(folder.path(), QFile::ReadOwner | QFile::WriteOwner | QFile::ExeOwner));
    QVERIFY(refused);
    QVERIFY2(refused->message.find("may write to") != std::string::npos, refused->message.c_str());
    QCOMPARE(bytesOf(folder.filePath("one.appa")), old);
}

void TestSession::saysWhatToDoAboutAFile_data()
{
    QTest::addColumn<int>("code");
    QTest::addColumn<QString>("reading");
    QTest::addColumn<QString>("writing");
    QTest::newRow("not there") << ENOENT << "Check the path."
                               << "Make its folder, or choose another.";
    QTest::newRow("not allowed") << EACCES << "Allow yourself to read it, or copy it to a place where you may."
                                 << "Choose a folder you may write to.";
    QTest::newRow("a folder") << EISDIR << "Give the name of a file in it."
                              << "Give the name of a file in it.";
    QTest::newRow("no room") << ENOSPC << "choose another folder."
                             << "Free some space or choose another folder.";
}

void TestSession::saysWhatToDoAboutAFile()
{
    QFETCH(int, code);
    QFETCH(QString, reading);
    QFETCH(QString, writing);
    const auto said = [&](FileUse use) { return QString::fromStdString(fileError("Cannot", "x", code, use).message); };
    QVERIFY2(said(FileUse::Reading).endsWith(reading), qPrintable(said(FileUse::Reading)));
    QVERIFY2(said(FileUse::Writing).endsWith(". " + writing), qPrintable(said(FileUse::Writing)));
    QVERIFY(readSession("/no/such.appa").error().message.ends_with("No such file or directory. Check the path."));
}

void TestSession::writesThroughLinksAndKeepsTheMode()
{
    QTemporaryDir folder;
    const QString path = folder.filePath("one.appa");
    QVERIFY(!writeSession(path.toStdString(), example()));
    const auto privately = QFile::ReadOwner | QFile::WriteOwner;
    QVERIFY(QFile::setPermissions(path, privately));
    const QString link = folder.filePath("link.appa");
    QVERIFY(QFile::link(path, link));
    Session other = example();
    other.ridge = 0.25;
    QVERIFY(!writeSession(link.toStdString(), other));
    QVERIFY(QFileInfo(link).isSymLink());
    QCOMPARE(readSession(path.toStdString()).value().ridge, 0.25);
    QCOMPARE(QFileInfo(path).permissions() & (QFile::ReadGroup | QFile::ReadOther | QFile::ReadOwner),
             QFile::Permissions(QFile::ReadOwner));
}

void TestSession::clearsAwayWhatKilledWritersLeft()
{
    QTemporaryDir folder;
    QProcess gone;
    gone.start("true", {});
    const qint64 dead = gone.processId();
    QVERIFY(gone.waitForFinished());
    const auto temporary = [&](const char *name, qint64 writer, const std::string &host = hostName()) {
        return folder.filePath(QString("%1.%2-3@%3.tmp").arg(name).arg(writer).arg(QString::fromStdString(host)));
    };
    write(temporary("one.appa", dead), "half");
    const QStringList others = {temporary("one.appa", ::getpid()),        // of a living one
                                temporary("two.appa", dead),              // of another file
                                temporary("one.appa", dead, "elsewhere"), // of another machine, where it may live
                                folder.filePath(QString("one.appa.%1-3.tmp").arg(dead)), // of who knows which
                                folder.filePath("one.appa.notes.tmp")};
    for (const QString &other : others)
        write(other, "something else");
    QVERIFY(!writeSession(folder.filePath("one.appa").toStdString(), example()));
    QVERIFY(!QFile::exists(temporary("one.appa", dead)));
    for (const QString &other : others)
        QVERIFY2(QFile::exists(other), qPrintable(other));
}

void TestSession::findsDataThatMovedAlong()
{
    QTemporaryDir folder;
    write(folder.filePath("train set.svm"), "1 1:1\n");
    const DataRecipe recipe = example().data;
    const DataRecipe found = locatedBeside(recipe, folder.filePath("one.appa").toStdString());
    QCOMPARE(found.source, folder.filePath("train set.svm").toStdString());
    QCOMPARE(found.testFile, recipe.testFile);
    DataRecipe named;
    named.source = "mnist-6k";
    QCOMPARE(locatedBeside(named, "/x/one.appa").source, std::string("mnist-6k"));
}

void TestSession::saysWhenTheDataChanged()
{
    Session session = example();
    const ProblemPtr problem = reference::sq();
    QVERIFY(dataMismatch(session, problem->data()).find("has changed") != std::string::npos);
    session.dataHash = problem->data().hash;
    QCOMPARE(dataMismatch(session, problem->data()), std::string());
}

void TestSession::offersOnlyAutosavesOfTheDead()
{
    QTemporaryDir folder;
    qputenv("XDG_STATE_HOME", folder.path().toUtf8());
    QVERIFY(leftOverAutosaves().empty());
    const std::string mine = autosavePath(1);
    QCOMPARE(QString::fromStdString(mine),
             folder.filePath("appa-lab/autosave-%1-1@%2.appa").arg(::getpid()).arg(QSysInfo::machineHostName()));
    QVERIFY(!writeSession(mine, example()));

    QProcess gone;
    gone.start("true", {});
    const qint64 pid = gone.processId();
    QVERIFY(gone.waitForFinished());
    QVERIFY(!writeSession(autosavePath(2, static_cast<long>(pid)), example()));
    // Of another machine that has the same home: its processes are not known here.
    QVERIFY(!writeSession(autosavePath(2, static_cast<long>(pid), "other"), example()));
    for (const char *name : {"x", "1-", "1-x", "1-2-3", "1x2", ""})
        write(folder.filePath("appa-lab/autosave-%1.appa").arg(name), "?");
    write(folder.filePath("appa-lab/other.appa"), "?");
    // The number of a process that lives, but began long after the file was saved: another process.
    QProcess later;
    later.start("sleep", {"100"});
    QVERIFY(later.waitForStarted());
    const QString formerName = folder.filePath("appa-lab/autosave-%1.appa").arg(later.processId());
    const std::string reused = formerName.toStdString();
    QVERIFY(!writeSession(reused, example()));
    QFile old(QString::fromStdString(reused));
    QVERIFY(old.open(QIODevice::ReadWrite));
    QVERIFY(old.setFileTime(QDateTime::currentDateTime().addSecs(-3600), QFileDevice::FileModificationTime));

    // A process that has ended and whose parent has not asked for its end yet.
    const pid_t zombie = ::fork();
    if (zombie == 0)
        ::_exit(0);
    siginfo_t end = {};
    QCOMPARE(::waitid(P_PID, static_cast<id_t>(zombie), &end, WEXITED | WNOWAIT), 0);
    const std::string unburied = autosavePath(3, static_cast<long>(zombie));
    QVERIFY(!writeSession(unburied, example()));

    // Without the name of the machine, as it was once.
    const std::string hostless =
        folder.filePath("appa-lab/autosave-%1-4.appa").arg(static_cast<qlonglong>(zombie)).toStdString();
    QVERIFY(!writeSession(hostless, example()));

    auto found = leftOverAutosaves();
    ::waitpid(zombie, nullptr, 0);
    QCOMPARE(std::erase_if(found, [&](const LeftOver &one) { return one.path == unburied || one.path == hostless; }),
             std::size_t(2));
    QCOMPARE(found.size(), std::size_t(2));
    QCOMPARE(found[0].path, autosavePath(2, static_cast<long>(pid)));
    QCOMPARE(found[0].pid, static_cast<long>(pid));
    QCOMPARE(found[1].path, reused);
    later.kill();
    later.waitForFinished();
}

QTEST_GUILESS_MAIN(TestSession)
#include "tst_session.moc"
