#pragma once

#include <QDateTime>
#include <QFileDialog>
#include <QSize>
#include <QString>

#include <functional>

namespace appa::ui {

/// What a file dialog asks for.
struct FileQuestion
{
    QString title = {};
    QString filter = {};
    QString folder = {};    ///< where it begins
    QString folderKey = {}; ///< the setting that has the folder used last, instead of `folder`; "": none
    QString suffix = {}; ///< of a file that is to be written, if none of the filter's is typed; "": one is to be opened
    QString suggestion = {}; ///< its name
    QFileDialog::FileMode mode = QFileDialog::AnyFile;
    QSize size = {}; ///< if it is not to have its own
};

/// Asks beside the work, which goes on meanwhile; `chosen` is told the path, if there is one and `parent` still there.
QFileDialog *ask(QWidget *parent, const FileQuestion &question, const std::function<void(const QString &path)> &chosen);

/// Asks what to do about a file that another program has written since it was opened or saved here: to lose what is in
/// there, to save elsewhere, or nothing.
void askToOverwrite(QWidget *parent, const QString &path, const QDateTime &written,
                    const std::function<void()> &overwrite, const std::function<void()> &saveElsewhere);

} // namespace appa::ui
