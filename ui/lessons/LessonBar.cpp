#include "lessons/LessonBar.h"

#include "lessons/LessonPlayer.h"

#include <QAction>
#include <QHBoxLayout>
#include <QLabel>
#include <QToolButton>
#include <QVBoxLayout>

#include <algorithm>

namespace appa::ui {

LessonBar::LessonBar(const LessonPlayer &player, const Buttons &buttons, QWidget *parent)
    : QFrame(parent), m_player(player)
{
    setObjectName(QStringLiteral("lessonBar"));
    setAccessibleName(tr("Lesson"));
    const auto label = [this](const char *name) {
        auto *made = new QLabel(this);
        made->setObjectName(QLatin1String(name));
        return made;
    };
    const auto button = [this](const char *name) {
        auto *made = new QToolButton(this);
        made->setObjectName(QLatin1String(name));
        made->setFocusPolicy(Qt::TabFocus); // Space stays the run's
        return made;
    };
    // The keys work all through the lesson; a button only where it leads somewhere.
    const auto way = [this, button](const QAction *action, const char *name) {
        QToolButton *made = button(name);
        made->setText(action->text());
        made->setToolTip(action->toolTip());
        connect(made, &QToolButton::clicked, action, &QAction::trigger);
        return made;
    };
    m_where = label("muted");
    m_where->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred); // the buttons go before
    m_back = way(buttons.back, "lessonBack");
    m_next = way(buttons.next, "lessonNext");
    m_title = label("lessonTitle");
    m_text = label("lessonText");
    m_text->setTextFormat(Qt::MarkdownText);
    m_text->setWordWrap(true);
    m_text->setAlignment(Qt::AlignLeft | Qt::AlignTop);
    m_text->setOpenExternalLinks(true);
    m_text->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::LinksAccessibleByMouse);
    m_text->setFocusPolicy(Qt::NoFocus);

    // All buttons where no text moves them: they are pressed without looking.
    auto *head = new QHBoxLayout;
    head->addWidget(m_where, 1);
    for (QAction *action : {buttons.again, buttons.leave}) {
        QToolButton *made = button("lessonButton");
        made->setDefaultAction(action);
        head->addWidget(made);
    }
    head->addWidget(m_back);
    head->addWidget(m_next);
    auto *all = new QVBoxLayout(this);
    all->setSpacing(2);
    all->addLayout(head);
    all->addWidget(m_title);
    all->addWidget(m_text);
    connect(&player, &LessonPlayer::changed, this, &LessonBar::refresh);
    refresh();
}

void LessonBar::setTheme(const Theme &theme)
{
    layout()->setContentsMargins(theme.space(2), theme.space(), theme.space(), theme.space(1.5));
    QFont title = theme.font(TextRole::Title);
    QFont text = theme.font(TextRole::Body);
    for (QFont *font : {&title, &text}) // read from further away than the rest
        font->setPixelSize(qRound(font->pixelSize() * 1.2));
    m_title->setFont(title);
    m_text->setFont(text);
    keepHeight();
}

QString LessonBar::title() const
{
    return m_title->text();
}

QString LessonBar::text() const
{
    return m_text->text();
}

void LessonBar::refresh()
{
    const Lesson *lesson = m_player.lesson();
    setVisible(lesson != nullptr);
    if (!lesson)
        return;
    const LessonStep &step = lesson->steps[static_cast<std::size_t>(m_player.step())];
    QString where = tr("%1 of %2  ·  %3").arg(m_player.step() + 1).arg(lesson->steps.size()).arg(lesson->title);
    if (const QString waits = m_player.waitsFor(); !waits.isEmpty())
        where += QStringLiteral("  ·  ") + waits;
    else if (m_player.isLast())
        where += QStringLiteral("  ·  ") + tr("End of the lesson");
    m_where->setText(where);
    m_back->setEnabled(m_player.step() > 0);
    m_next->setEnabled(!m_player.isLast() || m_player.isBusy());
    if (m_text->text() != step.text || m_title->text() != step.title) {
        m_title->setText(step.title);
        m_text->setText(step.text);
        setAccessibleDescription(step.title + QStringLiteral(". ") + step.text);
        keepHeight();
    }
}

void LessonBar::resizeEvent(QResizeEvent *event)
{
    QFrame::resizeEvent(event);
    keepHeight();
}

void LessonBar::keepHeight()
{
    const Lesson *lesson = m_player.lesson();
    if (!lesson)
        return;
    const QString shown = m_text->text();
    int longest = 0;
    m_text->setMinimumHeight(0); // it counts as what a text needs
    for (const LessonStep &step : lesson->steps) {
        m_text->setText(step.text);
        longest = std::max(longest, m_text->heightForWidth(m_text->width()));
    }
    m_text->setText(shown);
    m_text->setMinimumHeight(std::min(longest, window()->height() / 4));
}

} // namespace appa::ui
