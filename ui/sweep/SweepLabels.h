#pragma once

#include "theme/Theme.h"

#include <QLabel>

namespace appa::ui {

/// The label of a field, which also names it to screen readers.
inline QLabel *labelFor(QWidget *field, const QString &text, QWidget *parent)
{
    auto *label = new QLabel(text, parent);
    label->setBuddy(field);
    field->setAccessibleName(text);
    return label;
}

/// A quiet text below or beside fields.
inline QLabel *mutedText(QWidget *parent)
{
    auto *label = new QLabel(parent);
    label->setWordWrap(true);
    label->setForegroundRole(QPalette::PlaceholderText);
    return label;
}

inline void setMuted(QLabel *label, const Theme &theme)
{
    QPalette palette = label->palette();
    palette.setColor(QPalette::PlaceholderText, theme.textMuted);
    label->setPalette(palette);
}

/// What stands below it stays where it is, whether it has one line or two.
inline void reserveTwoLines(QLabel *label)
{
    label->setAlignment(Qt::AlignLeft | Qt::AlignTop);
    label->setMinimumHeight(2 * label->fontMetrics().lineSpacing());
}

} // namespace appa::ui
