#include "shell/FocusRing.h"

#include <QEvent>
#include <QPainter>

#include <utility>

namespace appa::ui {

FocusRing::FocusRing(QWidget *parent) : QWidget(parent), m_home(parent)
{
    setAttribute(Qt::WA_TransparentForMouseEvents);
    setFocusPolicy(Qt::NoFocus);
    hide();
}

void FocusRing::setColour(const QColor &colour)
{
    m_colour = colour;
    update();
}

void FocusRing::surround(QWidget *widget)
{
    if (widget == m_widget)
        return;
    if (QWidget *before = std::exchange(m_widget, widget))
        before->removeEventFilter(this);
    setParent(widget ? widget : m_home); // hides it
    if (!widget)
        return;
    widget->installEventFilter(this);
    setGeometry(widget->rect());
    show();
    raise();
}

bool FocusRing::eventFilter(QObject *watched, QEvent *event)
{
    if (watched == m_widget && event->type() == QEvent::Resize)
        setGeometry(m_widget->rect());
    return QWidget::eventFilter(watched, event);
}

void FocusRing::paintEvent(QPaintEvent *)
{
    QPainter painter(this);
    painter.setPen(QPen(m_colour, 2));
    painter.drawRect(rect().adjusted(1, 1, -1, -1));
}

} // namespace appa::ui
