#pragma once

#include <QDoubleSpinBox>

namespace appa::ui {

/// Shows the decimal point, as everything here does, and takes a comma for one: the user's locale would have one of
/// the two separate thousands, and make 825 of 82.5.
class DecimalBox final : public QDoubleSpinBox
{
public:
    explicit DecimalBox(QWidget *parent) : QDoubleSpinBox(parent) { setLocale(QLocale::c()); }

    QValidator::State validate(QString &input, int &pos) const override
    {
        input.replace(u',', u'.');
        return QDoubleSpinBox::validate(input, pos);
    }
};

} // namespace appa::ui
