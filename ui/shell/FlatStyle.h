#pragma once

#include "theme/Theme.h"

#include <QProxyStyle>

namespace appa::ui {

/// Fusion without its gradients: flat fields, buttons, combo boxes and check boxes with outlines that hold in the dark.
class FlatStyle final : public QProxyStyle
{
    Q_OBJECT
public:
    FlatStyle();
    void setTheme(const Theme &theme) { m_theme = theme; }

    void drawPrimitive(PrimitiveElement element, const QStyleOption *option, QPainter *painter,
                       const QWidget *widget) const override;
    void drawControl(ControlElement element, const QStyleOption *option, QPainter *painter,
                     const QWidget *widget) const override;
    void drawComplexControl(ComplexControl control, const QStyleOptionComplex *option, QPainter *painter,
                            const QWidget *widget) const override;
    QRect subElementRect(SubElement element, const QStyleOption *option, const QWidget *widget) const override;
    int pixelMetric(PixelMetric metric, const QStyleOption *option, const QWidget *widget) const override;
    QSize sizeFromContents(ContentsType type, const QStyleOption *option, const QSize &size,
                           const QWidget *widget) const override;
    int styleHint(StyleHint hint, const QStyleOption *option, const QWidget *widget,
                  QStyleHintReturn *data) const override;
    QRect subControlRect(ComplexControl control, const QStyleOptionComplex *option, SubControl sub,
                         const QWidget *widget) const override;

private:
    void field(QPainter *painter, const QRect &rect, const QStyleOption *option, const QColor &ground,
               bool invalid = false) const;
    void chevron(QPainter *painter, const QRectF &rect, const QColor &colour, bool up = false) const;

    Theme m_theme = Theme::light();
};

} // namespace appa::ui
