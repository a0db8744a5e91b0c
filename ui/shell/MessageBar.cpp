#include "shell/MessageBar.h"

#include <QApplication>
#include <QEvent>
#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QTabBar>
#include <QTabWidget>
#include <QToolButton>

#include <algorithm>
#include <utility>

namespace appa::ui {

MessageBar::MessageBar(QWidget *parent)
    : QFrame(parent), m_text(new QLabel(this)), m_action(new QPushButton(this)), m_other(new QPushButton(this)),
      m_close(new QToolButton(this))
{
    setObjectName(QStringLiteral("messageBar"));
    m_rows = new QBoxLayout(QBoxLayout::LeftToRight, this);
    m_rows->setContentsMargins(14, 8, 8, 8);
    m_rows->setSpacing(10);
    m_rows->addWidget(m_text, 1);
    m_buttons = new QHBoxLayout;
    m_buttons->addStretch(1);
    m_buttons->addWidget(m_action);
    m_buttons->addWidget(m_other);
    m_buttons->addWidget(m_close);
    m_rows->addLayout(m_buttons);
    m_text->setWordWrap(true);
    m_text->setTextInteractionFlags(Qt::TextSelectableByMouse);
    m_text->setTextFormat(Qt::PlainText);
    for (QWidget *button :
         {static_cast<QWidget *>(m_action), static_cast<QWidget *>(m_other), static_cast<QWidget *>(m_close)})
        button->setFocusPolicy(Qt::TabFocus);
    connect(qApp, &QApplication::focusChanged, this, [this](QWidget *before, QWidget *now) {
        if (now && isAncestorOf(now) && before && !isAncestorOf(before))
            m_focusBefore = before;
    });
    m_close->setText(QStringLiteral("✕"));
    m_close->setToolTip(tr("Close this message"));
    m_close->setAccessibleName(tr("Close this message"));
    m_hide.setSingleShot(true);
    connect(&m_hide, &QTimer::timeout, this, &MessageBar::next);
    connect(m_close, &QToolButton::clicked, this, &MessageBar::next);
    const auto answer = [this](std::function<void()> &chosen) {
        hide();
        if (const auto act = std::exchange(chosen, nullptr))
            act();
        if (isHidden()) // unless the answer was answered
            next();
    };
    connect(m_action, &QPushButton::clicked, this, [this, answer] { answer(m_act); });
    connect(m_other, &QPushButton::clicked, this, [this, answer] { answer(m_otherAct); });
    hide();
}

void MessageBar::setVisible(bool visible)
{
    const QWidget *focus = QApplication::focusWidget();
    if (!visible && focus && isAncestorOf(focus) && m_focusBefore)
        m_focusBefore->setFocus(Qt::OtherFocusReason);
    QFrame::setVisible(visible);
    if (!visible && m_strip)
        m_strip->hide();
}

void MessageBar::setTheme(const Theme &theme)
{
    m_theme = theme;
    restyle();
}

void MessageBar::setPlaces(QTabWidget *tabs, QWidget *strip)
{
    m_tabs = tabs;
    m_strip = strip;
    m_strip->hide();
    for (QWidget *place : {static_cast<QWidget *>(tabs), strip})
        place->installEventFilter(this);
}

void MessageBar::say(Level level, const QString &sentence, std::function<bool()> holds)
{
    if (!isHidden() && m_act && !m_hide.isActive())
        m_waiting.push_back({m_level, m_text->text(), m_action->text(), m_act, m_other->text(), m_otherAct});
    m_level = level;
    m_text->setText(sentence);
    m_action->hide();
    m_other->hide();
    m_act = m_otherAct = nullptr;
    m_holds = std::move(holds);
    restyle();
    place();
    show();
    if (level == Level::Info)
        m_hide.start(8000);
    else
        m_hide.stop();
}

void MessageBar::offer(Level level, const QString &sentence, const QString &action, std::function<void()> act,
                       const QString &otherAction, std::function<void()> other)
{
    if (hasToWait(level)) {
        m_waiting.push_back({level, sentence, action, std::move(act), otherAction, std::move(other)});
        return;
    }
    say(level, sentence);
    m_hide.stop();
    showAction(action, std::move(act), otherAction, std::move(other));
}

void MessageBar::offerBriefly(const QString &sentence, const QString &action, std::function<void()> act)
{
    say(Level::Info, sentence);
    showAction(action, std::move(act), {}, {});
}

void MessageBar::showAction(const QString &action, std::function<void()> act, const QString &otherAction,
                            std::function<void()> other)
{
    m_act = std::move(act);
    m_action->setText(action);
    m_action->show();
    m_otherAct = std::move(other);
    m_other->setText(otherAction);
    m_other->setVisible(!otherAction.isEmpty());
    place();
}

void MessageBar::holdOffers(bool hold)
{
    m_holdsOffers = hold;
    const bool isOffer = !isHidden() && m_act && !m_hide.isActive();
    if (isOffer && hasToWait(m_level)) {
        m_waiting.push_back({m_level, m_text->text(), m_action->text(), m_act, m_other->text(), m_otherAct});
        next();
    } else if (isHidden()) {
        next();
    }
}

void MessageBar::withdraw(const QString &action)
{
    std::erase_if(m_waiting, [&](const Offer &offer) { return offer.action == action; });
    if (!isHidden() && m_act && m_action->text() == action)
        next();
}

void MessageBar::review()
{
    if (!isHidden() && m_holds && !m_holds())
        next();
}

void MessageBar::dismiss()
{
    if (!isHidden())
        next();
}

void MessageBar::forget()
{
    if (!isHidden() && !m_act)
        next();
}

void MessageBar::next()
{
    hide();
    const auto isDue = [this](const Offer &offer) { return !hasToWait(offer.level); };
    const auto newest = std::find_if(m_waiting.rbegin(), m_waiting.rend(), isDue);
    if (newest == m_waiting.rend())
        return;
    const Offer last = std::move(*newest);
    m_waiting.erase(std::next(newest).base());
    offer(last.level, last.sentence, last.action, last.act, last.otherAction, last.other);
}

QString MessageBar::text() const
{
    return isHidden() ? QString() : m_text->text();
}

void MessageBar::restyle()
{
    const QColor colour = m_level == Level::Error ? m_theme.danger
        : m_level == Level::Warning               ? m_theme.warning
                                                  : m_theme.accent;
    const float share = m_theme.isDark ? 0.16f : 0.08f;
    const auto blend = [share](float a, float b) { return a * share + b * (1 - share); };
    const QColor ground =
        QColor::fromRgbF(blend(colour.redF(), m_theme.panel.redF()), blend(colour.greenF(), m_theme.panel.greenF()),
                         blend(colour.blueF(), m_theme.panel.blueF()));
    m_text->setStyleSheet(QStringLiteral("background: transparent;"));
    setStyleSheet(
        QStringLiteral(
            "#messageBar { background: %1; border: 1px solid %2; border-left: 4px solid %3; border-radius: 6px; }")
            .arg(ground.name(), m_theme.outline.name(), colour.name()));
}

QRect MessageBar::roomInTabRow() const
{
    const QTabBar *bar = m_tabs->tabBar();
    int end = 0;
    for (int i = 0; i < bar->count(); ++i)
        if (bar->isTabVisible(i))
            end = std::max(end, bar->tabRect(i).right());
    const QPoint corner = bar->mapTo(parentWidget(), QPoint(end + m_theme.space(2), 0));
    const int right = m_tabs->mapTo(parentWidget(), QPoint(m_tabs->width() - m_theme.space(1), 0)).x();
    return QRect(corner.x(), corner.y(), right - corner.x(), bar->height()).adjusted(0, 1, 0, -1);
}

void MessageBar::place()
{
    if (!m_tabs)
        return;
    const int side = m_theme.space(1.5);
    m_buttons->invalidate(); // a layout within a layout does not hear of a button that was hidden
    m_rows->setDirection(QBoxLayout::LeftToRight);
    m_rows->setContentsMargins(side, 0, m_theme.space(0.5), 0);
    const int oneLine = m_text->fontMetrics().horizontalAdvance(m_text->text()) + m_buttons->sizeHint().width()
        + m_theme.space(1) + 2 * side;
    if (const QRect row = roomInTabRow(); oneLine <= row.width()) {
        m_strip->hide();
        setGeometry(row.right() - oneLine + 1, row.top(), oneLine, row.height());
        raise();
        return;
    }
    const int width = m_strip->parentWidget()->width();
    if (width < m_theme.space(50) && !m_action->isHidden())
        m_rows->setDirection(QBoxLayout::TopToBottom);
    m_rows->setContentsMargins(side, m_theme.space(0.75), m_theme.space(0.5), m_theme.space(0.75));
    // The frame is drawn inside the style's margins, which the layout does not know of.
    m_strip->setFixedHeight(
        std::max(layout()->heightForWidth(width - m_theme.space(1)), layout()->minimumSize().height())
        + m_theme.space(0.5));
    m_strip->show();
    setGeometry(QRect(m_strip->mapTo(parentWidget(), QPoint()), m_strip->size()));
    raise();
}

bool MessageBar::eventFilter(QObject *watched, QEvent *event)
{
    if (!isHidden()
        && (event->type() == QEvent::Resize || event->type() == QEvent::Move
            || (watched == m_tabs && event->type() == QEvent::LayoutRequest))) // a tab more, or less
        place();
    return QFrame::eventFilter(watched, event);
}

} // namespace appa::ui
