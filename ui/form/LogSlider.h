#pragma once

#include <QSlider>

namespace appa::ui {

/// A slider over decades: up/down (and left/right) a tenth of a decade, PgUp/PgDn a decade, drag a hundredth.
/// Values are rounded to three significant digits, so that what is shown is what is in effect.
class LogSlider final : public QSlider
{
    Q_OBJECT
public:
    explicit LogSlider(QWidget *parent = nullptr);

    void setLimits(double min, double max); ///< 0 < min < max
    double value() const;
    void setValue(double value); ///< without a signal
    int beyond() const;          ///< -1 or 1: the value lies beyond that end, where the handle cannot go

    /// The next value on the grid of tenths of a decade (or of whole decades).
    static double stepped(double value, int tenths);

    QSize sizeHint() const override;
    QSize minimumSizeHint() const override;

signals:
    void moved(double value); ///< by the user

protected:
    void keyPressEvent(QKeyEvent *event) override;
    void wheelEvent(QWheelEvent *event) override;
    void mousePressEvent(QMouseEvent *event) override;
    void mouseMoveEvent(QMouseEvent *event) override;
    void mouseReleaseEvent(QMouseEvent *event) override;
    void paintEvent(QPaintEvent *event) override;

private:
    QRectF groove() const;
    double positionOf(double exponent) const;
    void moveTo(double x);
    void step(int tenths);

    double m_exactValue = 1;
    int m_turned = 0; ///< of the wheel, less than a step so far
    double m_min = 1e-8;
    double m_max = 1e8;
};

} // namespace appa::ui
