#pragma once

#include "form/WheelInFocus.h"

#include <QAbstractItemView>
#include <QComboBox>
#include <QScrollBar>

namespace appa::ui {

/// A choice in the side panel: it may be narrower than its items, its list is not.
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
};

} // namespace appa::ui
