#pragma once

#include <QEvent>
#include <QWidget>

namespace appa::ui {

/// Scrolling a panel must not change the field that happens to be under the mouse: without the focus, a field leaves
/// the wheel to the panel.
class WheelInFocus final : public QObject
{
public:
    static void install(QWidget *field)
    {
        field->setFocusPolicy(Qt::StrongFocus); // the wheel does not bring the focus either
        field->installEventFilter(new WheelInFocus(field));
    }

protected:
    bool eventFilter(QObject *, QEvent *event) override
    {
        if (event->type() != QEvent::Wheel || m_field->hasFocus())
            return false;
        event->ignore();
        return true;
    }

private:
    explicit WheelInFocus(QWidget *field) : QObject(field), m_field(field) { }

    QWidget *m_field;
};

} // namespace appa::ui
