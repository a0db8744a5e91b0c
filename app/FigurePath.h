#pragma once

#include "base/AtomicFile.h"
#include "base/Text.h"

#include <QString>
#include <QTemporaryDir>

#include <filesystem>
#include <optional>
#include <string>

namespace appa::cli {

/// `write(path)`, for any path. Qt's are Unicode, and a file's need not be: then the figure is made under another name,
/// and its bytes are put where they belong.
template <class Write> std::optional<Error> writeFigureTo(const std::string &path, const Write &write)
{
    const std::string ending = std::filesystem::path(path).extension().string();
    if (isUtf8(path) || !isUtf8(ending))
        return write(QString::fromStdString(path));
    const QTemporaryDir folder;
    if (!folder.isValid())
        return Error{Error::Kind::Io,
                     "\"" + path + "\": no temporary folder can be made (" + folder.errorString().toStdString() + ")."};
    const QString elsewhere = folder.filePath(QStringLiteral("figure") + QString::fromStdString(ending));
    if (const auto error = write(elsewhere))
        return error->kind == Error::Kind::Usage ? write(QString::fromStdString(path)) : error; // which says its name
    const auto bytes = readWholeFile(elsewhere.toStdString());
    return bytes ? writeAtomically(path, bytes.value()) : bytes.error();
}

} // namespace appa::cli
