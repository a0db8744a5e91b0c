// Whose key it is: Space runs and pauses wherever the focus is, and a lesson has the keys of the remote control.
#include "MainWindow.h"

#include "Actions.h"

#include "lessons/LessonPlayer.h"
#include "runs/RunTable.h"
#include "shell/FocusRing.h"
#include "shell/MessageBar.h"

#include <QAbstractButton>
#include <QAbstractItemView>
#include <QAbstractSpinBox>
#include <QApplication>
#include <QComboBox>
#include <QKeyEvent>
#include <QLineEdit>
#include <QPlainTextEdit>
#include <QScrollArea>
#include <QStatusBar>
#include <QTabBar>
#include <QTabWidget>
#include <QTextEdit>
#include <QToolBar>

#include <algorithm>
#include <iterator>
#include <tuple>
#include <vector>

namespace appa {

using namespace ui;

namespace {

/// Whether a space would go into a text. In a number field it means nothing, except in the midst of typing; one that
/// says what is wrong with what was typed is past that.
bool typesInto(const QWidget *widget)
{
    if (const auto *line = qobject_cast<const QLineEdit *>(widget)) {
        const bool number =
            line->property("number").toBool() || qobject_cast<const QAbstractSpinBox *>(line->parentWidget());
        const bool refused = line->property("invalid").toBool();
        return !line->isReadOnly() && (!number || (line->isModified() && !refused));
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
        if (reason != Qt::OtherFocusReason) // the program moves it for whoever works with the keys, or does not
            m_tabFocus = reason == Qt::TabFocusReason || reason == Qt::BacktabFocusReason;
        if (auto *widget = qobject_cast<QWidget *>(watched); widget && widget->window() == this) {
            const bool bare = widget == m_table || widget == m_tabs->currentWidget();
            m_ring->surround(m_tabFocus && bare ? widget : nullptr);
            if (m_tabFocus && m_scroll->isAncestorOf(widget))
                m_scroll->ensureWidgetVisible(widget);
        }
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

/// Nobody wanted it: Escape leaves the presentation, or closes the message.
void MainWindow::keyPressEvent(QKeyEvent *event)
{
    if (event->key() != Qt::Key_Escape)
        return QMainWindow::keyPressEvent(event);
    if (m_actions->presentation->isChecked())
        m_actions->presentation->setChecked(false);
    else
        m_messages->dismiss();
}

/// Tab goes where the eye goes, whatever was made first: the tools, the side panel downwards, the lesson, the charts,
/// what is said, the runs.
bool MainWindow::focusNextPrevChild(bool next)
{
    const auto areaOf = [this](const QWidget *widget) {
        const QWidget *const areas[] = {m_toolBar, m_side, m_tabs->tabBar(), m_tabs, m_messages, m_table, statusBar()};
        const auto at = std::ranges::find_if(
            areas, [&](const QWidget *area) { return area == widget || area->isAncestorOf(widget); });
        return at == std::end(areas) ? 1.5 : static_cast<double>(at - areas); // a lesson is above the charts
    };
    struct Stop
    {
        QWidget *widget;
        double area;
        int y; ///< of its middle, in the side panel
        int x;
    };
    std::vector<Stop> stops;
    for (QWidget *widget : findChildren<QWidget *>()) {
        if (!widget->isVisible() || widget->window() != this || !(widget->focusPolicy() & Qt::TabFocus)
            || widget->focusProxy())
            continue;
        Stop stop{widget, areaOf(widget), 0, 0};
        if (stop.area == 1) {
            const QPoint middle = widget->mapTo(m_side, widget->rect().center());
            const int row = m_theme.space(2); // what is in a line need not be of one height
            stop.y = middle.y() / row;
            stop.x = middle.x();
        }
        stops.push_back(stop);
    }
    std::ranges::stable_sort(stops, {}, [](const Stop &s) { return std::tuple(s.area, s.y, s.x); });
    for (std::size_t i = 1; i < stops.size(); ++i)
        setTabOrder(stops[i - 1].widget, stops[i].widget);
    return QMainWindow::focusNextPrevChild(next);
}

} // namespace appa
