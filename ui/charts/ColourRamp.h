#pragma once

#include <QColor>

#include <algorithm>
#include <span>

namespace appa::ui {

/// A colour of a ramp of at least two, linear between its entries; `t` in [0, 1].
inline QColor rampColour(std::span<const QRgb> ramp, double t)
{
    const double at = std::clamp(t, 0.0, 1.0) * (static_cast<double>(ramp.size()) - 1);
    const auto i = std::min(static_cast<std::size_t>(at), ramp.size() - 2);
    const auto w = static_cast<float>(at - static_cast<double>(i));
    const QColor a = QColor::fromRgb(ramp[i]);
    const QColor b = QColor::fromRgb(ramp[i + 1]);
    return QColor::fromRgbF(a.redF() + w * (b.redF() - a.redF()), a.greenF() + w * (b.greenF() - a.greenF()),
                            a.blueF() + w * (b.blueF() - a.blueF()));
}

} // namespace appa::ui
