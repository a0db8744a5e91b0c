#include "views/LogView.h"

#include <QHBoxLayout>
#include <QPlainTextEdit>
#include <QTime>
#include <QToolButton>
#include <QVBoxLayout>

namespace appa::ui {

LogView::LogView(QWidget *parent) : QWidget(parent), m_text(new QPlainTextEdit(this))
{
    m_text->setReadOnly(true);
    m_text->setMaximumBlockCount(20000);
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
    m_theme = theme;
    m_text->setFont(theme.font(TextRole::Body));
}

void LogView::append(Level level, const QString &run, const QColor &colour, const QString &sentence)
{
    const QColor said = level == Level::Error ? m_theme.danger
        : level == Level::Warning             ? m_theme.warning
                                              : m_theme.text;
    QString line = QStringLiteral("<span style='color:%1'>%2</span>&nbsp;&nbsp;")
                       .arg(m_theme.textMuted.name(), QTime::currentTime().toString(QStringLiteral("HH:mm:ss")));
    if (!run.isEmpty())
        line += QStringLiteral("<span style='color:%1; font-weight:600'>%2</span>&nbsp;&nbsp;")
                    .arg(colour.name(), run.toHtmlEscaped());
    line += QStringLiteral("<span style='color:%1'>%2</span>").arg(said.name(), sentence.toHtmlEscaped());
    m_text->appendHtml(line);
}

QString LogView::text() const
{
    return m_text->toPlainText();
}

} // namespace appa::ui
