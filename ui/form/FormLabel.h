#pragma once

#include <QEvent>
#include <QLabel>
#include <QScreen>

#include <algorithm>
#include <utility>

namespace appa::ui {

/// A field's label. All are equally wide, in every part of the side panel: the editors stand in one line below each
/// other, at any type size.
class FormLabel final : public QLabel
{
public:
    explicit FormLabel(const QString &text, QWidget *parent = nullptr) : QLabel(text, parent), m_full(text)
    {
        setTextFormat(Qt::PlainText);
        setWordWrap(true);
        adapt();
    }

    /// Only its symbol, and no wider: where it stands alone.
    void setBrief(bool brief)
    {
        if (std::exchange(m_brief, brief) == brief)
            return;
        setText(brief ? m_full.section(QLatin1String(" ("), 0, 0) : m_full);
        adapt();
    }

protected:
    void changeEvent(QEvent *event) override
    {
        QLabel::changeEvent(event);
        if (event->type() == QEvent::FontChange || event->type() == QEvent::StyleChange)
            adapt();
    }

private:
    void adapt()
    {
        // Large type on a small screen: the words wrap before the editors are cut off.
        const int most = screen()->availableSize().width() * 8 / 50;
        const QString longest = m_brief ? text() : QStringLiteral("μ (strong convexity)");
        setFixedWidth(std::min(fontMetrics().horizontalAdvance(longest) + 4, most));
    }

    QString m_full;
    bool m_brief = false;
};

} // namespace appa::ui
