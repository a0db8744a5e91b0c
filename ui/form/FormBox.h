#pragma once

#include "form/WheelInFocus.h"

#include <QAbstractItemView>
#include <QComboBox>
#include <QScrollBar>
#include <QStyleOptionComboBox>
#include <QStylePainter>

namespace appa::ui {

/// A choice in the side panel: it may be narrower than its items, its list is not. Of a long one both ends are seen.
class FormBox final : public QComboBox
{
public:
    explicit FormBox(QWidget *parent = nullptr) : QComboBox(parent)
    {
        setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
        setMinimumContentsLength(6);
        setMaxVisibleItems(30);
        WheelInFocus::install(this);
    }

    void showPopup() override
    {
        // An em for the list's own padding, which it does not tell.
        view()->setMinimumWidth(view()->sizeHintForColumn(0) + 2 * view()->frameWidth() + fontMetrics().height()
                                + view()->verticalScrollBar()->sizeHint().width());
        QComboBox::showPopup();
    }

protected:
    void paintEvent(QPaintEvent *) override
    {
        QStylePainter painter(this);
        QStyleOptionComboBox option;
        initStyleOption(&option);
        painter.drawComplexControl(QStyle::CC_ComboBox, option);
        const QRect field = style()->subControlRect(QStyle::CC_ComboBox, &option, QStyle::SC_ComboBoxEditField, this);
        option.currentText = fontMetrics().elidedText(option.currentText, Qt::ElideMiddle, field.width() - 2);
        painter.drawControl(QStyle::CE_ComboBoxLabel, option);
    }
};

} // namespace appa::ui
