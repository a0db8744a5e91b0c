#pragma once

#include <QAbstractButton>
#include <QAbstractItemView>
#include <QKeyEvent>

namespace appa::ui {

/// Delete removes the current item of a list, as its button does: elsewhere in the window the key deletes runs.
class DeleteRemoves final : public QObject
{
public:
    static void install(QAbstractItemView *list, QAbstractButton *remove)
    {
        list->installEventFilter(new DeleteRemoves(list, remove));
    }

protected:
    bool eventFilter(QObject *, QEvent *event) override
    {
        if ((event->type() != QEvent::ShortcutOverride && event->type() != QEvent::KeyPress)
            || !static_cast<QKeyEvent *>(event)->matches(QKeySequence::Delete))
            return false;
        event->accept();
        if (event->type() == QEvent::KeyPress && m_list->hasFocus()) // not an editor in it
            m_remove->click();
        return true;
    }

private:
    DeleteRemoves(QAbstractItemView *list, QAbstractButton *remove) : QObject(list), m_list(list), m_remove(remove) { }

    QAbstractItemView *m_list;
    QAbstractButton *m_remove;
};

} // namespace appa::ui
