#include "dialogs/FileQuestion.h"

#include <QFileInfo>
#include <QSettings>

namespace appa::ui {

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
    QObject::connect(dialog, &QFileDialog::fileSelected, parent, [key, chosen](const QString &path) {
        if (!key.isEmpty())
            QSettings().setValue(key, QFileInfo(path).absolutePath());
        chosen(path);
    });
    dialog->open();
    return dialog;
}

} // namespace appa::ui
