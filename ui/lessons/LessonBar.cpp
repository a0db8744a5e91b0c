#include "lessons/LessonBar.h"

#include "lessons/LessonPlayer.h"

#include <QAction>
#include <QHBoxLayout>
#include <QLabel>
#include <QToolButton>
#include <QVBoxLayout>

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
    const auto button = [this](QAction *action, const char *name, Qt::ToolButtonStyle style) {
        auto *made = new QToolButton(this);
        made->setObjectName(QLatin1String(name));
        made->setDefaultAction(action);
        made->setToolButtonStyle(style);
        made->setFocusPolicy(Qt::TabFocus); // Space stays the run's
        return made;
    };
    m_where = label("muted");
    m_waits = label("muted");
    m_title = label("lessonTitle");
    m_text = label("lessonText");
    m_text->setTextFormat(Qt::MarkdownText);
    m_text->setWordWrap(true);
    m_text->setOpenExternalLinks(true);
    m_text->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::LinksAccessibleByMouse);
    m_text->setFocusPolicy(Qt::NoFocus);

    auto *head = new QHBoxLayout;
    head->addWidget(m_where);
    head->addStretch();
    head->addWidget(m_waits);
    head->addWidget(button(buttons.again, "lessonButton", Qt::ToolButtonIconOnly));
    head->addWidget(button(buttons.leave, "lessonButton", Qt::ToolButtonTextOnly));
    auto *ways = new QHBoxLayout;
    ways->addWidget(button(buttons.back, "lessonButton", Qt::ToolButtonTextOnly));
    ways->addWidget(button(buttons.next, "lessonNext", Qt::ToolButtonTextOnly));
    auto *said = new QVBoxLayout;
    said->setSpacing(2);
    said->addWidget(m_title);
    said->addWidget(m_text, 1);
    auto *body = new QHBoxLayout;
    body->addLayout(said, 1);
    body->addLayout(ways);
    body->setAlignment(ways, Qt::AlignBottom);
    auto *all = new QVBoxLayout(this);
    all->setSpacing(2);
    all->addLayout(head);
    all->addLayout(body);
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
    m_where->setText(
        tr("%1  ·  %2 of %3").arg(lesson->title).arg(m_player.step() + 1).arg(static_cast<int>(lesson->steps.size())));
    m_waits->setText(m_player.waitsFor());
    if (m_text->text() != step.text || m_title->text() != step.title) {
        m_title->setText(step.title);
        m_text->setText(step.text);
        setAccessibleDescription(step.title + QStringLiteral(". ") + step.text);
    }
}

} // namespace appa::ui
