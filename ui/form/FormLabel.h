#pragma once

#include <QEvent>
#include <QLabel>
#include <QScreen>

#include <algorithm>

namespace appa::ui {

/// A field's label. All are equally wide, in every part of the side panel: the editors stand in one line below each
/// other, at any type size.
class FormLabel final : public QLabel
{
public:
    explicit FormLabel(const QString &text, QWidget *parent = nullptr) : QLabel(text, parent)
    {
        setTextFormat(Qt::PlainText);
        setWordWrap(true);
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
        setFixedWidth(std::min(fontMetrics().horizontalAdvance(QStringLiteral("μ (strong convexity)")) + 4, most));
    }
};

} // namespace appa::ui
