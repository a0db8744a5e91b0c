#include "dialogs/FileQuestion.h"

#include <QCoreApplication>
#include <QFileInfo>
#include <QMessageBox>
#include <QPushButton>
#include <QRegularExpression>
#include <QSettings>

namespace appa::ui {

namespace {

/// The dialog adds its suffix only to a name without any dot, "lambda 0.1" has one.
QString withEnding(const QString &path, const QString &filter, const QString &suffix)
{
    static const QRegularExpression ending(QStringLiteral("\\*(\\.[^\\s)]+)"));
    for (const QRegularExpressionMatch &match : ending.globalMatch(filter))
        if (path.endsWith(match.captured(1), Qt::CaseInsensitive))
            return path;
    return path + u'.' + suffix;
}

/// The file dialog asked about the name that was typed, not about this one.
void askToReplace(QWidget *parent, const QString &title, const QString &path, const std::function<void()> &replace)
{
    auto *box = new QMessageBox(
        QMessageBox::Warning, title,
        QCoreApplication::translate("FileQuestion", "%1 is there already. Do you want to replace it?").arg(path),
        QMessageBox::Cancel, parent);
    box->setAttribute(Qt::WA_DeleteOnClose);
    const QPushButton *yes =
        box->addButton(QCoreApplication::translate("FileQuestion", "Replace"), QMessageBox::AcceptRole);
    QObject::connect(yes, &QPushButton::clicked, parent, replace);
    box->setDefaultButton(QMessageBox::Cancel);
    box->open();
}

} // namespace

QFileDialog *ask(QWidget *parent, const FileQuestion &question, const std::function<void(const QString &path)> &chosen)
{
    const QString &key = question.folderKey;
    const QString folder = key.isEmpty() ? question.folder : QSettings().value(key).toString();
    auto *dialog = new QFileDialog(parent, question.title, folder, question.filter);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setFileMode(question.mode);
    if (question.size.isValid())
        dialog->resize(question.size);
    if (!question.suffix.isEmpty()) {
        dialog->setAcceptMode(QFileDialog::AcceptSave);
        dialog->setDefaultSuffix(question.suffix);
        dialog->selectFile(question.suggestion);
    }
    const auto take = [key, chosen](const QString &path) {
        if (!key.isEmpty())
            QSettings().setValue(key, QFileInfo(path).absolutePath());
        chosen(path);
    };
    QObject::connect(dialog, &QFileDialog::fileSelected, parent, [=](const QString &typed) {
        const bool isToBeWritten = dialog->acceptMode() == QFileDialog::AcceptSave;
        const QString path = isToBeWritten ? withEnding(typed, question.filter, dialog->defaultSuffix()) : typed;
        if (path != typed && QFileInfo::exists(path))
            askToReplace(parent, question.title, path, [take, path] { take(path); });
        else
            take(path);
    });
    dialog->open();
    return dialog;
}

} // namespace appa::ui
