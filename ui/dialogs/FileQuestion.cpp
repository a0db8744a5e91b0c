#include "dialogs/FileQuestion.h"

#include <QCoreApplication>
#include <QFileInfo>
#include <QLocale>
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

/// A question to which nothing is the safe answer, with one thing to do instead. Shown by `open`.
QMessageBox *warning(QWidget *parent, const QString &title, const QString &sentence, const QString &action,
                     const std::function<void()> &act)
{
    auto *box = new QMessageBox(QMessageBox::Warning, title, sentence, QMessageBox::Cancel, parent);
    box->setAttribute(Qt::WA_DeleteOnClose);
    QObject::connect(box->addButton(action, QMessageBox::AcceptRole), &QPushButton::clicked, parent, act);
    box->setDefaultButton(QMessageBox::Cancel);
    return box;
}

/// The file dialog asked about the name that was typed, not about this one.
void askToReplace(QWidget *parent, const QString &title, const QString &path, const std::function<void()> &replace)
{
    warning(parent, title,
            QCoreApplication::translate("FileQuestion", "%1 is there already. Do you want to replace it?").arg(path),
            QCoreApplication::translate("FileQuestion", "Replace"), replace)
        ->open();
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

void askToOverwrite(QWidget *parent, const QString &path, const QDateTime &written,
                    const std::function<void()> &overwrite, const std::function<void()> &saveElsewhere)
{
    const QString name = QStringLiteral("overwriteQuestion");
    delete parent->findChild<QMessageBox *>(name); // asked before, and not answered yet
    const QString sentence =
        QCoreApplication::translate("FileQuestion",
                                    "Another program has written %1 (%2) since it was opened or saved here. Do you "
                                    "want to overwrite it? What is in there now would be lost.")
            .arg(path, QLocale().toString(written, QLocale::ShortFormat));
    QMessageBox *box = warning(parent, QCoreApplication::translate("FileQuestion", "Save the session"), sentence,
                               QCoreApplication::translate("FileQuestion", "Overwrite"), overwrite);
    box->setObjectName(name);
    const QPushButton *elsewhere =
        box->addButton(QCoreApplication::translate("FileQuestion", "Save as …"), QMessageBox::AcceptRole);
    QObject::connect(elsewhere, &QPushButton::clicked, parent, saveElsewhere);
    box->open();
}

} // namespace appa::ui
