#include "charts/HeatMap.h"

#include "charts/Axis.h"
#include "charts/ColourRamp.h"
#include "charts/SweepMapping.h"
#include "form/ParamText.h"
#include "theme/Format.h"

#include <QCoreApplication>
#include <QFontMetricsF>
#include <QPainter>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <set>

namespace appa::ui {

namespace {

// Low values (good) dark and saturated, high ones pale; monotone in lightness, so it survives print and colour
// blindness.
constexpr std::array<QRgb, 6> ramp = {0xff0b2f5c, 0xff1c5f93, 0xff2f90ac, 0xff6dbcad, 0xffb9dfa9, 0xfff7f6c5};

QString text(const char *source)
{
    return QCoreApplication::translate("HeatMap", source);
}

/// Of a cell without a value.
void hatch(QPainter &p, const QRectF &rect, const Theme &theme)
{
    p.fillRect(rect, theme.isDark ? QColor(0x3a1f24) : QColor(0xf6dfe0));
    p.fillRect(rect, QBrush(theme.danger, Qt::BDiagPattern));
}

} // namespace

std::vector<HeatCell> paintHeatMaps(QPainter &p, const QRectF &outer, const SweepData &data, const Theme &theme)
{
    std::vector<HeatCell> hits;
    p.save();
    p.fillRect(outer, theme.window);
    const QFont smallFont = theme.font(TextRole::Small);
    const QFontMetricsF small(smallFont);
    const QFontMetricsF title(theme.font(TextRole::Title));
    std::set<double> lambdaSet(data.lambdas.begin(), data.lambdas.end());
    for (const SweepPoint &point : data.points)
        lambdaSet.insert(point.lambda);
    const std::vector<double> lambdas(lambdaSet.begin(), lambdaSet.end());
    const int stages = lastStage(data);
    if (lambdas.empty() || stages < 1 || data.methods.empty()) {
        p.setFont(theme.font(TextRole::Body));
        p.setPen(theme.textMuted);
        p.drawText(outer, Qt::AlignCenter, text("No results yet"));
        p.restore();
        return hits;
    }
    const bool log = effectiveQuantity(data) == SweepQuantity::Excess || effectiveQuantity(data) == SweepQuantity::Loss;
    const AxisScale scale{
        log, effectiveQuantity(data) == SweepQuantity::Excess && data.optimumFloor > 0 ? data.optimumFloor : 1e-16};
    std::vector<std::vector<SweepCell>> perStage;
    double lo = std::numeric_limits<double>::infinity();
    double hi = -lo;
    double start = -lo;
    for (int t = 0; t <= stages; ++t) {
        perStage.push_back(sweepCells(data, t));
        for (const SweepCell &c : perStage.back()) {
            if (!std::isfinite(c.median))
                continue;
            const double v = scale.position(c.median);
            lo = std::min(lo, v);
            hi = std::max(hi, v);
            if (t == 0)
                start = std::max(start, v);
        }
    }
    if (std::isfinite(start))
        hi = std::min(hi, log ? start + 0.5 : start * 1.3);
    if (!(hi > lo))
        hi = lo + 1;

    const auto count = static_cast<int>(data.methods.size());
    const int columns = count <= 3 ? count : (count + 1) / 2;
    const int rows = (count + columns - 1) / columns;
    const QString noValue =
        effectiveQuantity(data) == SweepQuantity::PassesToTarget ? text("not reached") : text("diverged");
    const double barWidth = theme.space(1.5) + small.horizontalAdvance(noValue) + theme.space(3);
    const QRectF body = outer.adjusted(theme.space(1), title.height() + theme.space(1.5), -barWidth, -theme.space(0.5));
    p.setFont(theme.font(TextRole::Title));
    p.setPen(theme.text);
    p.drawText(QRectF(outer.left() + theme.space(2), outer.top() + theme.space(0.75), outer.width(), title.height()),
               Qt::AlignLeft, text("%1 by λ and stage").arg(quantityName(data)));
    bool hatched = false;
    const double left =
        small.horizontalAdvance(QString::number(std::max(10, stages))) + theme.space(1) + small.height();
    for (int m = 0; m < count; ++m) {
        const SweepMethod &method = data.methods[static_cast<std::size_t>(m)];
        const QRectF slot(body.left() + body.width() * (m % columns) / columns,
                          body.top() + body.height() * (m / columns) / rows, body.width() / columns,
                          body.height() / rows);
        const QRectF area = slot.adjusted(left, small.height() + theme.space(0.75), -theme.space(1.5),
                                          -2 * small.height() - theme.space(1.25));
        if (area.width() < 20 || area.height() < 20)
            continue;
        p.setFont(theme.font(TextRole::Strong));
        p.setPen(sweepColour(data, m, theme));
        p.drawText(QRectF(area.left(), slot.top(), area.width(), small.height() + theme.space(0.5)),
                   Qt::AlignLeft | Qt::AlignVCenter, method.label);
        p.fillRect(area, theme.plot);
        const double w = area.width() / static_cast<double>(lambdas.size());
        const double h = area.height() / (stages + 1);
        p.setRenderHint(QPainter::Antialiasing, false);
        for (int t = 0; t <= stages; ++t) {
            for (const SweepCell &c : perStage[static_cast<std::size_t>(t)]) {
                if (c.method != m)
                    continue;
                const auto column =
                    static_cast<double>(std::lower_bound(lambdas.begin(), lambdas.end(), c.lambda) - lambdas.begin());
                // Edges on whole pixels: no seams between cells.
                const double x0 = std::round(area.left() + column * w);
                const double x1 = std::round(area.left() + (column + 1) * w);
                const double y0 = std::round(area.bottom() - (t + 1) * h);
                const double y1 = std::round(area.bottom() - t * h);
                const QRectF rect(x0, y0, x1 - x0, y1 - y0);
                QString value;
                if (std::isfinite(c.median)) {
                    p.fillRect(rect, rampColour(ramp, (scale.position(c.median) - lo) / (hi - lo)));
                    value = formatNumber(c.median, 3);
                } else {
                    hatch(p, rect, theme);
                    value = noValue;
                    hatched = true;
                }
                hits.push_back({rect, m, c.lambda, t,
                                text("%1, %2, after %3: %4 (%5)")
                                    .arg(method.label, lambdaText(method.lambda, formatPower(c.lambda)), stagesText(t),
                                         value, c.seeds == 1 ? text("one seed") : text("%1 seeds").arg(c.seeds))});
            }
        }
        p.setRenderHint(QPainter::Antialiasing, true);
        p.setPen(QPen(theme.frame, 1));
        p.setBrush(Qt::NoBrush);
        p.drawRect(area);
        p.setFont(smallFont);
        p.setPen(theme.textMuted);
        const double labelWidth = small.horizontalAdvance(QStringLiteral("10⁻⁸")) + theme.space(1.5);
        const int stride = std::max(1, static_cast<int>(std::ceil(labelWidth / w)));
        for (std::size_t i = 0; i < lambdas.size(); i += static_cast<std::size_t>(stride)) {
            const double x = area.left() + (static_cast<double>(i) + 0.5) * w;
            // "10⁰" among powers of ten, not "1".
            const double exponent = std::round(std::log10(lambdas[i]));
            const bool isPower = std::abs(std::log10(lambdas[i]) - exponent) < 1e-9;
            p.drawText(QRectF(x - 50, area.bottom() + 4, 100, small.height()), Qt::AlignCenter,
                       isPower ? powerOfTen(static_cast<int>(exponent)) : formatPower(lambdas[i], 2));
        }
        p.drawText(QRectF(area.left(), area.bottom() + 4 + small.height(), area.width(), small.height()),
                   Qt::AlignCenter,
                   method.lambda == LambdaMeaning::StepSize ? text("λ (step size)") : QStringLiteral("λ"));
        for (const Tick &tick :
             makeTicks({.counts = true}, {0, static_cast<double>(stages)}, area.height() - h, small.height() * 1.8)) {
            const double y = area.bottom() - (tick.position + 0.5) * h;
            p.drawText(
                QRectF(slot.left() + small.height(), y - small.height() / 2, left - small.height() - 6, small.height()),
                Qt::AlignRight | Qt::AlignVCenter, tick.label);
        }
        p.save();
        p.translate(slot.left(), area.center().y());
        p.rotate(-90);
        p.drawText(QRectF(-100, 0, 200, small.height()), Qt::AlignCenter, text("stage"));
        p.restore();
    }
    const QRectF bar(outer.right() - barWidth + theme.space(1), body.top() + small.height() + theme.space(0.75),
                     theme.space(1.5), body.height() - 3 * small.height() - theme.space(2));
    QLinearGradient gradient(bar.bottomLeft(), bar.topLeft());
    for (std::size_t i = 0; i < ramp.size(); ++i)
        gradient.setColorAt(static_cast<double>(i) / (ramp.size() - 1), QColor::fromRgb(ramp[i]));
    p.setPen(QPen(theme.frame, 1));
    p.setBrush(gradient);
    p.drawRect(bar);
    p.setFont(smallFont);
    p.setPen(theme.textMuted);
    for (const Tick &tick : makeTicks(scale, {lo, hi}, bar.height(), small.height() * 2)) {
        if (tick.label.isEmpty())
            continue;
        const double y = bar.bottom() - (tick.position - lo) / (hi - lo) * bar.height();
        p.drawText(QRectF(bar.right() + 6, y - small.height() / 2, 100, small.height()),
                   Qt::AlignLeft | Qt::AlignVCenter, tick.label);
    }
    if (hatched) {
        const QRectF key(bar.left(), bar.bottom() + theme.space(1), bar.width(), small.height());
        hatch(p, key, theme);
        p.setBrush(Qt::NoBrush);
        p.setPen(QPen(theme.frame, 1));
        p.drawRect(key);
        p.setPen(theme.textMuted);
        p.drawText(QRectF(key.right() + 6, key.top(), 200, key.height()), Qt::AlignLeft | Qt::AlignVCenter, noValue);
    }
    p.restore();
    return hits;
}

} // namespace appa::ui
