#include "form/LogSlider.h"

#include "form/WheelInFocus.h"
#include <QFontInfo>
#include <QKeyEvent>
#include <QPainter>
#include <QPolygonF>
#include <QWheelEvent>

#include <algorithm>
#include <cmath>

namespace appa::ui {

namespace {

constexpr int perDecade = 100;
constexpr double knobRadius = 7;

double rounded(double exponent)
{
    const double whole = std::floor(exponent + 1e-9);
    const double mantissa = std::round(std::pow(10.0, exponent - whole) * 100) / 100;
    // pow of a negative whole number is a rounding off the decimal a user would type: go through the text.
    return QStringLiteral("%1e%2").arg(mantissa).arg(static_cast<int>(whole)).toDouble();
}

} // namespace

LogSlider::LogSlider(QWidget *parent) : QSlider(Qt::Horizontal, parent)
{
    WheelInFocus::install(this);
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    setLimits(1e-8, 1e8);
}

void LogSlider::setLimits(double min, double max)
{
    const QSignalBlocker block(this);
    m_min = min;
    m_max = max;
    // The knob covers the decades one works in; keys and the exact field reach the rest.
    const auto ticks = [](double v) { return static_cast<int>(std::lround(std::log10(v) * perDecade)); };
    setRange(std::max(ticks(min), ticks(1e-8)), std::min(ticks(max), ticks(1e8)));
    setSingleStep(perDecade / 10);
    setPageStep(perDecade);
}

double LogSlider::value() const
{
    return m_exactValue;
}

void LogSlider::setValue(double value)
{
    if (!(value > 0) || !std::isfinite(value))
        return;
    const QSignalBlocker block(this);
    m_exactValue = value;
    QSlider::setValue(static_cast<int>(std::lround(std::log10(value) * perDecade)));
    update();
}

int LogSlider::beyond() const
{
    const auto at = std::lround(std::log10(m_exactValue) * perDecade);
    return at < minimum() ? -1 : at > maximum() ? 1 : 0;
}

double LogSlider::stepped(double value, int tenths)
{
    const double at = std::log10(value) * 10;
    const double nearest = std::round(at);
    // Off the grid, the first step goes to the next grid point in that direction.
    const double from = std::abs(at - nearest) < 0.02 ? nearest : tenths > 0 ? std::floor(at) : std::ceil(at);
    return rounded((from + tenths) / 10);
}

void LogSlider::step(int tenths)
{
    const double next = std::clamp(stepped(m_exactValue, tenths), m_min, m_max);
    setValue(next);
    emit moved(next);
}

void LogSlider::keyPressEvent(QKeyEvent *event)
{
    switch (event->key()) {
    case Qt::Key_Up:
    case Qt::Key_Right:
        step(1);
        return;
    case Qt::Key_Down:
    case Qt::Key_Left:
        step(-1);
        return;
    case Qt::Key_PageUp:
        step(10);
        return;
    case Qt::Key_PageDown:
        step(-10);
        return;
    default:
        QWidget::keyPressEvent(event); // Home and End would be a jump of sixteen decades by accident
    }
}

void LogSlider::wheelEvent(QWheelEvent *event)
{
    // A touchpad sends many small turns, and those to the side.
    m_turned += event->angleDelta().y();
    if (const int steps = m_turned / QWheelEvent::DefaultDeltasPerStep; steps != 0) {
        m_turned -= steps * QWheelEvent::DefaultDeltasPerStep;
        step(steps);
    }
    event->accept();
}

QRectF LogSlider::groove() const
{
    return QRectF(rect()).adjusted(knobRadius + 1, 0, -knobRadius - 1, 0);
}

double LogSlider::positionOf(double exponent) const
{
    const QRectF g = groove();
    const double fraction = (exponent * perDecade - minimum()) / std::max(1, maximum() - minimum());
    return g.left() + std::clamp(fraction, 0.0, 1.0) * g.width();
}

void LogSlider::moveTo(double x)
{
    const QRectF g = groove();
    const double fraction = std::clamp((x - g.left()) / g.width(), 0.0, 1.0);
    double exponent = (minimum() + fraction * (maximum() - minimum())) / perDecade;
    // A pull towards whole decades: most of the time they are what one wants.
    const double pixel = (maximum() - minimum()) / (perDecade * g.width());
    if (std::abs(exponent - std::round(exponent)) < 2 * pixel)
        exponent = std::round(exponent);
    const double next = rounded(std::round(exponent * 20) / 20);
    if (next == m_exactValue)
        return;
    setValue(next);
    emit moved(next);
}

void LogSlider::mousePressEvent(QMouseEvent *event)
{
    if (event->button() != Qt::LeftButton)
        return;
    setSliderDown(true);
    moveTo(event->position().x());
}

void LogSlider::mouseMoveEvent(QMouseEvent *event)
{
    if (isSliderDown())
        moveTo(event->position().x());
}

void LogSlider::mouseReleaseEvent(QMouseEvent *event)
{
    if (event->button() == Qt::LeftButton)
        setSliderDown(false);
    update();
}

QSize LogSlider::sizeHint() const
{
    return {160, 2 * static_cast<int>(knobRadius) + 6 + fontMetrics().height()};
}

QSize LogSlider::minimumSizeHint() const
{
    return {80, sizeHint().height()};
}

void LogSlider::paintEvent(QPaintEvent *)
{
    QPainter p(this);
    p.setRenderHint(QPainter::Antialiasing);
    const QPalette &pal = palette();
    const QPalette::ColorGroup group = isEnabled() ? QPalette::Active : QPalette::Disabled;
    QColor accent = pal.color(group, QPalette::Highlight);
    const QColor text = pal.color(group, QPalette::WindowText);
    QColor track = text;
    track.setAlphaF(0.18f);
    QColor muted = text;
    muted.setAlphaF(isEnabled() ? 0.62f : 0.35f);
    if (!isEnabled())
        accent = muted;

    const QRectF g = groove();
    const double y = knobRadius + 2;
    const double at = positionOf(std::log10(m_exactValue));
    p.setPen(Qt::NoPen);
    p.setBrush(track);
    p.drawRoundedRect(QRectF(g.left(), y - 1.5, g.width(), 3), 1.5, 1.5);
    p.setBrush(accent);
    p.drawRoundedRect(QRectF(g.left(), y - 1.5, at - g.left(), 3), 1.5, 1.5);

    // A tick per decade; powers of ten below as many as fit.
    const int first = static_cast<int>(std::ceil(minimum() / double(perDecade)));
    const int last = static_cast<int>(std::floor(maximum() / double(perDecade)));
    QFont small = font();
    small.setPixelSize(std::max(7, qRound(fontInfo().pixelSize() * 0.85)));
    QFont superscript = small;
    superscript.setPixelSize(std::max(6, qRound(small.pixelSize() * 0.78)));
    const QFontMetricsF metrics(small);
    const QFontMetricsF above(superscript);
    const double labelWidth =
        metrics.horizontalAdvance(QStringLiteral("10")) + above.horizontalAdvance(QStringLiteral("−8"));
    int every = 1;
    while ((last - first) / every * (labelWidth + 10) > g.width())
        every *= 2;
    p.setPen(QPen(muted, 1));
    for (int decade = first; decade <= last; ++decade) {
        const double x = std::round(positionOf(decade)) + 0.5;
        const bool labelled = decade % every == 0;
        QColor tick = muted;
        tick.setAlphaF(labelled ? 0.55f : 0.28f);
        p.setPen(QPen(tick, 1));
        p.drawLine(QPointF(x, y + knobRadius - 1), QPointF(x, y + knobRadius + (labelled ? 3 : 1)));
        if (!labelled)
            continue;
        const QString exponent = decade < 0 ? QStringLiteral("−%1").arg(-decade) : QString::number(decade);
        const double width = metrics.horizontalAdvance(QStringLiteral("10")) + above.horizontalAdvance(exponent);
        const double left = std::clamp(x - width / 2, 0.0, this->width() - width);
        const double base = height() - metrics.descent();
        p.setPen(muted);
        p.setFont(small);
        p.drawText(QPointF(left, base), QStringLiteral("10"));
        p.setFont(superscript);
        p.drawText(QPointF(left + metrics.horizontalAdvance(QStringLiteral("10")), base - metrics.ascent() * 0.38),
                   exponent);
    }

    if (const int way = beyond()) {
        // It points to where the value is; a handle would say that it is the end's.
        const double tip = at + way * knobRadius;
        const double base = at - way * (knobRadius - 2);
        p.setPen(QPen(accent, 2, Qt::SolidLine, Qt::RoundCap, Qt::RoundJoin));
        p.setBrush(hasFocus() ? accent : pal.color(group, QPalette::Base));
        p.drawPolygon(QPolygonF{{tip, y}, {base, y - knobRadius + 1}, {base, y + knobRadius - 1}});
        return;
    }
    p.setPen(QPen(hasFocus() ? accent : pal.color(group, QPalette::Window), hasFocus() ? 2 : 1));
    p.setBrush(hasFocus() ? pal.color(group, QPalette::Base) : accent);
    p.drawEllipse(QPointF(at, y), knobRadius - 1, knobRadius - 1);
    if (hasFocus()) {
        p.setPen(Qt::NoPen);
        p.setBrush(accent);
        p.drawEllipse(QPointF(at, y), knobRadius - 4, knobRadius - 4);
    }
}

} // namespace appa::ui
