#include "shell/FlatStyle.h"

#include <QPainter>
#include <QStyleOption>
#include <QWidget>

namespace appa::ui {

FlatStyle::FlatStyle() : QProxyStyle(QStringLiteral("Fusion"))
{
    setObjectName(QStringLiteral("fusion")); // it is Fusion underneath, and is taken for it
}

void FlatStyle::field(QPainter *painter, const QRect &rect, const QStyleOption *option, const QColor &ground,
                      bool invalid) const
{
    const bool enabled = option->state & State_Enabled;
    const bool focus = enabled && (option->state & State_HasFocus);
    QColor line = m_theme.outline;
    line.setAlphaF(m_theme.isDark ? 0.75f : 0.7f);
    if (!enabled)
        line = m_theme.separator;
    else if (invalid)
        line = m_theme.danger;
    else if (focus)
        line = m_theme.accent;
    const double width = focus || invalid ? 1.5 : 1;
    painter->save();
    painter->setRenderHint(QPainter::Antialiasing);
    painter->setPen(QPen(line, width));
    painter->setBrush(ground);
    painter->drawRoundedRect(QRectF(rect).adjusted(width / 2, width / 2, -width / 2, -width / 2), 4, 4);
    painter->restore();
}

void FlatStyle::chevron(QPainter *painter, const QRectF &rect, const QColor &colour, bool up) const
{
    const double half = 4 * m_theme.scale;
    const double rise = (up ? -2.0 : 2.0) * m_theme.scale;
    const QPointF c = rect.center();
    painter->save();
    painter->setRenderHint(QPainter::Antialiasing);
    painter->setPen(QPen(colour, 1.4 * m_theme.scale, Qt::SolidLine, Qt::RoundCap, Qt::RoundJoin));
    painter->drawPolyline(QPolygonF({c + QPointF(-half, -rise), c + QPointF(0, rise), c + QPointF(half, -rise)}));
    painter->restore();
}

void FlatStyle::drawPrimitive(PrimitiveElement element, const QStyleOption *option, QPainter *painter,
                              const QWidget *widget) const
{
    const bool enabled = option->state & State_Enabled;
    switch (element) {
    case PE_PanelLineEdit: {
        const QWidget *around = widget ? widget->parentWidget() : nullptr;
        if (around
            && (around->inherits("QAbstractSpinBox")
                || (around->parentWidget() && around->parentWidget()->inherits("QAbstractItemView")))) {
            painter->fillRect(option->rect, m_theme.base); // the frame is the owner's
            return;
        }
        field(painter, option->rect, option, enabled ? m_theme.base : m_theme.panel,
              widget && widget->property("invalid").toBool());
        return;
    }
    case PE_FrameLineEdit:
        return;
    case PE_PanelButtonCommand: {
        const bool primary = widget && widget->property("primary").toBool();
        const bool down = option->state & (State_Sunken | State_On);
        const bool hover = enabled && (option->state & State_MouseOver);
        QColor ground = primary && enabled ? m_theme.accentFill : m_theme.button;
        if (down)
            ground = primary ? ground.darker(115) : m_theme.selection;
        else if (hover)
            ground = primary ? ground.lighter(108) : (m_theme.isDark ? ground.lighter(118) : ground.darker(104));
        if (primary && enabled) {
            painter->save();
            painter->setRenderHint(QPainter::Antialiasing);
            painter->setPen(option->state & State_HasFocus ? QPen(m_theme.text, 1.5) : QPen(Qt::NoPen));
            painter->setBrush(ground);
            painter->drawRoundedRect(QRectF(option->rect).adjusted(0.75, 0.75, -0.75, -0.75), 4, 4);
            painter->restore();
        } else {
            field(painter, option->rect, option, ground);
        }
        return;
    }
    case PE_IndicatorCheckBox:
    case PE_IndicatorItemViewItemCheck: {
        const bool on = option->state & State_On;
        const bool some = option->state & State_NoChange;
        const bool focus = element == PE_IndicatorCheckBox && (option->state & State_HasFocus);
        const double side = std::min(option->rect.width(), option->rect.height()) - 2;
        QRectF box(0, 0, side, side);
        box.moveCenter(QRectF(option->rect).center());
        painter->save();
        painter->setRenderHint(QPainter::Antialiasing);
        const QColor ground = on || some ? (enabled ? m_theme.accentFill : m_theme.textFaint) : m_theme.base;
        painter->setPen(QPen(focus            ? m_theme.text
                                 : on || some ? ground
                                 : enabled    ? m_theme.outline
                                              : m_theme.separator,
                             focus ? 1.6 : 1.2));
        painter->setBrush(ground);
        painter->drawRoundedRect(box, 3, 3);
        painter->setPen(QPen(m_theme.accentText, 1.7 * m_theme.scale, Qt::SolidLine, Qt::RoundCap, Qt::RoundJoin));
        const auto at = [&](double x, double y) { return QPointF(box.left() + x * side, box.top() + y * side); };
        if (on)
            painter->drawPolyline(QPolygonF({at(0.24, 0.54), at(0.43, 0.72), at(0.77, 0.30)}));
        else if (some)
            painter->drawLine(at(0.25, 0.5), at(0.75, 0.5));
        painter->restore();
        return;
    }
    case PE_FrameFocusRect:
        if (widget && widget->inherits("QAbstractItemView"))
            return;
        break;
    case PE_FrameGroupBox:
    case PE_FrameStatusBarItem:
        return;
    case PE_IndicatorArrowDown:
    case PE_IndicatorArrowUp:
        chevron(painter, option->rect, enabled ? m_theme.textMuted : m_theme.textFaint, element == PE_IndicatorArrowUp);
        return;
    case PE_IndicatorHeaderArrow:
        if (const auto *header = qstyleoption_cast<const QStyleOptionHeader *>(option)) {
            chevron(painter, option->rect, m_theme.text, header->sortIndicator == QStyleOptionHeader::SortDown);
            return;
        }
        break;
    default:
        break;
    }
    QProxyStyle::drawPrimitive(element, option, painter, widget);
}

void FlatStyle::drawControl(ControlElement element, const QStyleOption *option, QPainter *painter,
                            const QWidget *widget) const
{
    if (element == CE_PushButtonLabel) {
        if (const auto *button = qstyleoption_cast<const QStyleOptionButton *>(option);
            button && widget && widget->property("primary").toBool() && (option->state & State_Enabled)) {
            QStyleOptionButton copy = *button;
            copy.palette.setColor(QPalette::ButtonText, m_theme.accentText);
            QProxyStyle::drawControl(element, &copy, painter, widget);
            return;
        }
    }
    if (element == CE_ProgressBarGroove || element == CE_ProgressBarContents) {
        const auto *bar = qstyleoption_cast<const QStyleOptionProgressBar *>(option);
        const double height = std::min(4.0 * m_theme.scale, double(option->rect.height()));
        QRectF track(option->rect.x(), 0, option->rect.width(), height);
        track.moveCenter(QRectF(option->rect).center());
        painter->save();
        painter->setRenderHint(QPainter::Antialiasing);
        painter->setPen(Qt::NoPen);
        if (element == CE_ProgressBarGroove || !bar) {
            painter->setBrush(m_theme.separator);
        } else {
            const double span = std::max(1, bar->maximum - bar->minimum);
            const bool endless = bar->maximum <= bar->minimum;
            if (endless)
                track = track.adjusted(track.width() * 0.3, 0, -track.width() * 0.3, 0);
            else
                track.setWidth(track.width() * (bar->progress - bar->minimum) / span);
            painter->setBrush(m_theme.accent);
        }
        painter->drawRoundedRect(track, height / 2, height / 2);
        painter->restore();
        return;
    }
    QProxyStyle::drawControl(element, option, painter, widget);
}

void FlatStyle::drawComplexControl(ComplexControl control, const QStyleOptionComplex *option, QPainter *painter,
                                   const QWidget *widget) const
{
    if (control == CC_ComboBox) {
        const bool enabled = option->state & State_Enabled;
        const bool hover = enabled && (option->state & State_MouseOver);
        QColor ground = enabled ? m_theme.button : m_theme.panel;
        if (hover)
            ground = m_theme.isDark ? ground.lighter(115) : ground.darker(103);
        field(painter, option->rect, option, ground);
        const QRect arrow = subControlRect(CC_ComboBox, option, SC_ComboBoxArrow, widget);
        chevron(painter, arrow, enabled ? m_theme.textMuted : m_theme.textFaint);
        return;
    }
    if (const auto *spin = qstyleoption_cast<const QStyleOptionSpinBox *>(option); control == CC_SpinBox && spin) {
        const bool enabled = option->state & State_Enabled;
        field(painter, option->rect, option, enabled ? m_theme.base : m_theme.panel);
        const auto arrow = [&](SubControl sub, QAbstractSpinBox::StepEnabledFlag step) {
            chevron(painter, subControlRect(CC_SpinBox, option, sub, widget),
                    enabled && (spin->stepEnabled & step) ? m_theme.textMuted : m_theme.textFaint, sub == SC_SpinBoxUp);
        };
        arrow(SC_SpinBoxUp, QAbstractSpinBox::StepUpEnabled);
        arrow(SC_SpinBoxDown, QAbstractSpinBox::StepDownEnabled);
        return;
    }
    QProxyStyle::drawComplexControl(control, option, painter, widget);
}

QRect FlatStyle::subElementRect(SubElement element, const QStyleOption *option, const QWidget *widget) const
{
    if (element != SE_HeaderArrow)
        return QProxyStyle::subElementRect(element, option, widget);
    // Above the middle of the title, whichever side that is aligned to.
    const QSize size(m_theme.space(1.25), m_theme.space(0.75));
    return {QPoint(option->rect.center().x() - size.width() / 2, option->rect.top() + 1), size};
}

int FlatStyle::pixelMetric(PixelMetric metric, const QStyleOption *option, const QWidget *widget) const
{
    const auto scaled = [this](double v) { return qRound(v * m_theme.scale); };
    switch (metric) {
    case PM_IndicatorWidth:
    case PM_IndicatorHeight:
        return scaled(16);
    case PM_CheckBoxLabelSpacing:
        return scaled(8);
    case PM_SmallIconSize:
    case PM_ButtonIconSize:
        return scaled(16);
    case PM_ToolBarIconSize:
        return scaled(18);
    case PM_ScrollBarExtent:
        return scaled(10);
    case PM_MenuHMargin:
    case PM_MenuVMargin:
        return scaled(4);
    default:
        return QProxyStyle::pixelMetric(metric, option, widget);
    }
}

QSize FlatStyle::sizeFromContents(ContentsType type, const QStyleOption *option, const QSize &size,
                                  const QWidget *widget) const
{
    QSize out = QProxyStyle::sizeFromContents(type, option, size, widget);
    const int height = qRound(28 * m_theme.scale);
    if (type == CT_ComboBox || type == CT_LineEdit || type == CT_SpinBox || type == CT_PushButton)
        out.setHeight(std::max(height, type == CT_PushButton ? height : std::min(out.height(), height)));
    if (type == CT_ComboBox) // our arrow grows with the type, Fusion's does not
        out.rwidth() += qRound(32 * m_theme.scale) - 26;
    if (type == CT_PushButton)
        out.rwidth() += qRound(12 * m_theme.scale);
    return out;
}

int FlatStyle::styleHint(StyleHint hint, const QStyleOption *option, const QWidget *widget,
                         QStyleHintReturn *data) const
{
    switch (hint) {
    case SH_ComboBox_Popup:
        return 0;
    case SH_ItemView_ActivateItemOnSingleClick:
        return 0;
    case SH_EtchDisabledText:
        return 0;
    case SH_DialogButtonBox_ButtonsHaveIcons:
        return 0;
    case SH_ToolTip_WakeUpDelay:
        return 500;
    default:
        return QProxyStyle::styleHint(hint, option, widget, data);
    }
}

QRect FlatStyle::subControlRect(ComplexControl control, const QStyleOptionComplex *option, SubControl sub,
                                const QWidget *widget) const
{
    if (control == CC_ComboBox && sub != SC_ComboBoxListBoxPopup) {
        const int arrow = qRound(26 * m_theme.scale);
        const QRect r = option->rect;
        if (sub == SC_ComboBoxArrow)
            return visualRect(option->direction, r, QRect(r.right() - arrow, r.top(), arrow, r.height()));
        if (sub == SC_ComboBoxEditField)
            return visualRect(option->direction, r, r.adjusted(qRound(6 * m_theme.scale), 2, -arrow, -2));
    }
    return QProxyStyle::subControlRect(control, option, sub, widget);
}

} // namespace appa::ui
