#include "views/LogView.h"

#include <QHBoxLayout>
#include <QPlainTextEdit>
#include <QScrollBar>
#include <QTime>
#include <QToolButton>
#include <QVBoxLayout>

namespace appa::ui {

namespace {

constexpr int mostLines = 20000;

} // namespace

LogView::LogView(QWidget *parent) : QWidget(parent), m_text(new QPlainTextEdit(this))
{
    m_text->setReadOnly(true);
    m_text->setMaximumBlockCount(mostLines);
    m_text->setFrameShape(QFrame::NoFrame);
    m_text->setAccessibleName(tr("Log"));
    m_text->setObjectName(QStringLiteral("log"));
    m_text->setPlaceholderText(tr("Changes, messages and the ends of runs appear here."));
    m_text->document()->setDocumentMargin(12);
    auto *layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->addWidget(m_text);
}

void LogView::setTheme(const Theme &theme)
{
    const bool recolour = theme.isDark != m_theme.isDark;
    m_theme = theme;
    m_text->setFont(theme.font(TextRole::Body));
    if (!recolour)
        return;
    const int place = m_text->verticalScrollBar()->value();
    m_text->clear();
    for (const Entry &entry : m_entries)
        write(entry);
    m_text->verticalScrollBar()->setValue(place);
}

void LogView::append(Level level, const QString &run, int colour, const QString &sentence)
{
    m_entries.push_back({QTime::currentTime().toString(QStringLiteral("HH:mm:ss")), level, run, colour, sentence});
    if (m_entries.size() > mostLines)
        m_entries.pop_front();
    write(m_entries.back());
}

void LogView::write(const Entry &entry)
{
    const QColor said = entry.level == Level::Error ? m_theme.danger
        : entry.level == Level::Warning             ? m_theme.warning
                                                    : m_theme.text;
    // In the fixed font: what stands behind the times is to stand in one column.
    QString line = QStringLiteral("<span style='color:%1; font-family:\"%2\"'>%3</span>&nbsp;&nbsp;")
                       .arg(m_theme.textMuted.name(), m_theme.font(TextRole::Mono).family(), entry.time);
    if (!entry.run.isEmpty())
        line += QStringLiteral("<span style='color:%1; font-weight:600'>%2</span>&nbsp;&nbsp;")
                    .arg(m_theme.series(entry.colour).name(), entry.run.toHtmlEscaped());
    line += QStringLiteral("<span style='color:%1'>%2</span>").arg(said.name(), entry.sentence.toHtmlEscaped());
    m_text->appendHtml(line);
}

QString LogView::text() const
{
    return m_text->toPlainText();
}

} // namespace appa::ui
