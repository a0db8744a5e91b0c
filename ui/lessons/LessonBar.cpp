#include "lessons/LessonBar.h"

#include "lessons/LessonPlayer.h"

#include <QAction>
#include <QHBoxLayout>
#include <QLabel>
#include <QScrollArea>
#include <QScrollBar>
#include <QToolButton>
#include <QVBoxLayout>

#include <algorithm>
#include <utility>

namespace appa::ui {

/// The room of a text: as high as `wanted` where the window has that, and at least a few lines. What does not fit is
/// scrolled to; a window must not become higher than its screen for it.
class LessonText final : public QScrollArea
{
public:
    explicit LessonText(QLabel *text, QWidget *parent) : QScrollArea(parent)
    {
        setWidget(text);
        setWidgetResizable(true);
        setFrameShape(NoFrame);
        setFocusPolicy(Qt::NoFocus);
        setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
        setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Preferred);
        viewport()->setAutoFillBackground(false);
        text->setAutoFillBackground(false);
    }
    void setWanted(int height)
    {
        if (std::exchange(m_wanted, height) != height)
            updateGeometry();
    }
    QSize sizeHint() const override { return {0, m_wanted}; }
    QSize minimumSizeHint() const override
    {
        return {0, std::min(m_wanted, 3 * widget()->fontMetrics().lineSpacing())};
    }

private:
    int m_wanted = 0;
};

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
    m_room = new LessonText(m_text, this);
    all->addWidget(m_room);
    connect(&player, &LessonPlayer::changed, this, &LessonBar::refresh);
    refresh();
}

void LessonBar::setTheme(const Theme &theme)
{
    layout()->setContentsMargins(theme.space(2), theme.space(), theme.space(), theme.space(1.5));
    m_theme = theme;
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
        m_room->verticalScrollBar()->setValue(0);
        setAccessibleDescription(step.title + QStringLiteral(". ") + step.text);
        keepHeight();
    }
}

void LessonBar::resizeEvent(QResizeEvent *event)
{
    QFrame::resizeEvent(event);
    keepHeight();
}

void LessonBar::setFonts(double factor)
{
    QFont title = m_theme.font(TextRole::Title);
    QFont text = m_theme.font(TextRole::Body);
    for (QFont *font : {&title, &text})
        font->setPixelSize(qRound(font->pixelSize() * factor));
    m_title->setFont(title);
    m_text->setFont(text);
}

int LessonBar::heightOfLongest() const
{
    QLabel measure;
    measure.setTextFormat(m_text->textFormat());
    measure.setWordWrap(true);
    measure.setFont(m_text->font());
    const QMargins around = layout()->contentsMargins();
    const int width = this->width() - around.left() - around.right(); // the layout comes after the resize
    int longest = 0;
    for (const LessonStep &step : m_player.lesson()->steps) {
        measure.setText(step.text);
        longest = std::max(longest, measure.heightForWidth(width));
    }
    return longest;
}

void LessonBar::keepHeight()
{
    if (!m_player.lesson())
        return;
    const int most = window()->height() / 4;
    // Read from further away than the rest, unless that leaves no room for it.
    for (const double factor : {1.2, 1.0}) {
        setFonts(factor);
        if (heightOfLongest() <= most)
            break;
    }
    m_room->setWanted(std::min(heightOfLongest(), most));
}

} // namespace appa::ui
