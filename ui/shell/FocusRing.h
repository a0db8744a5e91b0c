#pragma once

#include <QColor>
#include <QPointer>
#include <QWidget>

namespace appa::ui {

/// Lies on a widget that fills its place and shows nothing of its focus itself, such as a chart.
class FocusRing final : public QWidget
{
public:
    explicit FocusRing(QWidget *parent);

    void setColour(const QColor &colour);
    void surround(QWidget *widget); ///< null: nothing

protected:
    bool eventFilter(QObject *watched, QEvent *event) override;
    void paintEvent(QPaintEvent *event) override;

private:
    QWidget *m_home; ///< while it surrounds nothing
    QPointer<QWidget> m_widget;
    QColor m_colour;
};

} // namespace appa::ui
