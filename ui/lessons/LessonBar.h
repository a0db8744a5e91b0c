#pragma once

#include "theme/Theme.h"

#include <QFrame>

class QAction;
class QLabel;
class QToolButton;

namespace appa::ui {

class LessonPlayer;
class LessonText;

/// The lesson that is on: the step's text, readable from the back row, and the way forward and back. Hidden without
/// one.
class LessonBar final : public QFrame
{
    Q_OBJECT
public:
    /// What the buttons do; they show the actions' texts and keys.
    struct Buttons
    {
        QAction *next;
        QAction *back;
        QAction *again;
        QAction *leave;
    };
    LessonBar(const LessonPlayer &player, const Buttons &buttons, QWidget *parent = nullptr);

    void setTheme(const Theme &theme);
    QString title() const; ///< of the step shown
    QString text() const;  ///< as it is written

protected:
    void resizeEvent(QResizeEvent *event) override;

private:
    void refresh();
    /// The text has the room of its lesson's longest step, within reason: the charts below stay where they are.
    void keepHeight();
    int heightOfLongest() const;
    void setFonts(double factor); ///< so many times larger than the window's

    const LessonPlayer &m_player;
    Theme m_theme;
    QLabel *m_where;
    QLabel *m_title;
    QLabel *m_text;
    LessonText *m_room;
    QToolButton *m_back;
    QToolButton *m_next;
};

} // namespace appa::ui
