// Whose key it is: Space runs and pauses wherever the focus is, and a lesson has the keys of the remote control.
#include "MainWindow.h"

#include "lessons/LessonPlayer.h"
#include "runs/RunTable.h"

#include <QAbstractButton>
#include <QAbstractItemView>
#include <QAbstractSpinBox>
#include <QApplication>
#include <QComboBox>
#include <QKeyEvent>
#include <QLineEdit>
#include <QPlainTextEdit>
#include <QTextEdit>

namespace appa {

namespace {

/// Whether a space would go into a text. In a number field it means nothing, except in the midst of typing.
bool typesInto(const QWidget *widget)
{
    if (const auto *line = qobject_cast<const QLineEdit *>(widget)) {
        const bool number =
            line->property("number").toBool() || qobject_cast<const QAbstractSpinBox *>(line->parentWidget());
        return !line->isReadOnly() && (!number || line->isModified());
    }
    if (const auto *box = qobject_cast<const QComboBox *>(widget))
        return box->isEditable();
    if (const auto *text = qobject_cast<const QPlainTextEdit *>(widget))
        return !text->isReadOnly();
    if (const auto *text = qobject_cast<const QTextEdit *>(widget))
        return !text->isReadOnly();
    return false;
}

/// Whether a space ticks the current item of a list.
bool ticksIn(const QWidget *widget)
{
    const auto *view = qobject_cast<const QAbstractItemView *>(widget);
    return view && view->currentIndex().flags().testFlag(Qt::ItemIsUserCheckable);
}

} // namespace

bool MainWindow::eventFilter(QObject *watched, QEvent *event)
{
    if (event->type() == QEvent::FocusIn) {
        const Qt::FocusReason reason = static_cast<QFocusEvent *>(event)->reason();
        m_tabFocus = reason == Qt::TabFocusReason || reason == Qt::BacktabFocusReason;
    } else if (event->type() == QEvent::ShortcutOverride) {
        const auto *key = static_cast<QKeyEvent *>(event);
        const QWidget *focus = QApplication::focusWidget();
        const bool ours = key->modifiers() == Qt::NoModifier && focus && focus->window() == this
            && !QApplication::activePopupWidget();
        if (ours && m_lessons->lesson() && (key->key() == Qt::Key_PageDown || key->key() == Qt::Key_PageUp)) {
            event->ignore(); // nobody's but the lesson's
            return true;
        }
        if (ours && key->key() == Qt::Key_Space && !typesInto(focus)) {
            // A button reached with Tab is pressed, as those who work without a mouse expect, and the methods of a
            // study are ticked. Nothing else may claim the key: not a combo box that was clicked a while ago, not the
            // runs.
            event->setAccepted((m_tabFocus && qobject_cast<const QAbstractButton *>(focus))
                               || (focus != m_table && ticksIn(focus)));
            return true;
        }
    }
    return QMainWindow::eventFilter(watched, event);
}

} // namespace appa
