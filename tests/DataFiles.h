#pragma once

#include "data/Recipe.h"

#include <QByteArray>
#include <QDir>
#include <QFile>
#include <QTemporaryDir>

#include <string>

#include <zlib.h>

/// Files made by a test, gone with it.
class DataFiles
{
public:
    std::string write(const QString &name, const QByteArray &content)
    {
        const QString path = m_folder.filePath(name);
        QDir().mkpath(QFileInfo(path).path());
        QFile file(path);
        if (!file.open(QIODevice::WriteOnly) || file.write(content) != content.size())
            qFatal("can't write %s", qPrintable(path));
        return path.toStdString();
    }
    std::string path(const QString &name = {}) const { return m_folder.filePath(name).toStdString(); }

private:
    QTemporaryDir m_folder;
};

inline QByteArray gzipped(const QByteArray &content)
{
    z_stream z{};
    deflateInit2(&z, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY);
    QByteArray out(static_cast<qsizetype>(deflateBound(&z, static_cast<uLong>(content.size()))) + 64, '\0');
    z.next_in = reinterpret_cast<Bytef *>(const_cast<char *>(content.data()));
    z.avail_in = static_cast<uInt>(content.size());
    z.next_out = reinterpret_cast<Bytef *>(out.data());
    z.avail_out = static_cast<uInt>(out.size());
    deflate(&z, Z_FINISH);
    out.resize(static_cast<qsizetype>(z.total_out));
    deflateEnd(&z);
    return out;
}

inline QByteArray bigEndian32(quint32 v)
{
    const char bytes[4] = {static_cast<char>(v >> 24), static_cast<char>(v >> 16), static_cast<char>(v >> 8),
                           static_cast<char>(v)};
    return QByteArray(bytes, 4);
}

/// An IDX file of bytes.
inline QByteArray idx(std::initializer_list<quint32> dims, const QByteArray &numbers)
{
    QByteArray out("\0\0\x08", 3);
    out += static_cast<char>(dims.size());
    for (const quint32 d : dims)
        out += bigEndian32(d);
    return out + numbers;
}

inline double entry(const appa::Features &features, appa::Index i, appa::Index j)
{
    return std::visit(
        [&](const auto &A) -> double {
            if constexpr (std::decay_t<decltype(A)>::isSparse) {
                for (const auto &e : A.row(i))
                    if (e.column == j)
                        return static_cast<double>(e.value);
                return 0;
            } else {
                return static_cast<double>(A.row(i)[j]);
            }
        },
        features);
}
