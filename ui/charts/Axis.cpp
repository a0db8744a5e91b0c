#include "charts/Axis.h"

#include "theme/Format.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string_view>

namespace appa::ui {

namespace {

/// 1, 2 or 5 times a power of ten, at least `x`.
double niceStep(double x)
{
    const double power = std::pow(10.0, std::floor(std::log10(x)));
    for (const double m : {1.0, 2.0, 5.0}) {
        if (m * power >= x * (1 - 1e-9))
            return m * power;
    }
    return 10 * power;
}

int decimalsFor(double step)
{
    return std::clamp(static_cast<int>(-std::floor(std::log10(step) + 1e-9)), 0, 12);
}

QString linearLabel(double value, double step, double largest)
{
    if (largest >= 1e6 || largest < 1e-4) {
        if (std::abs(value) < step * 1e-6)
            return QStringLiteral("0");
        // As many digits as tell neighbours apart, so that no two labels are the same.
        const int digits = 1 + std::max(0, static_cast<int>(std::ceil(std::log10(std::abs(value) / step) - 1e-9)));
        return formatPower(value, std::clamp(digits, 1, 12));
    }
    return formatFixed(value, decimalsFor(step));
}

std::vector<Tick> linearTicks(const Range &range, double pixels, double labelPixels, bool counts = false)
{
    std::vector<Tick> out;
    const double wanted = range.span() * labelPixels / std::max(pixels, 1.0);
    const double step = niceStep(std::max({wanted, range.span() * 1e-3, counts && range.span() >= 2 ? 1.0 : 0.0}));
    const double largest = std::max(std::abs(range.lo), std::abs(range.hi));
    const double first = std::ceil(range.lo / step - 1e-9);
    const double last = std::floor(range.hi / step + 1e-9);
    for (double k = first; k <= last && out.size() < 1000; ++k)
        out.push_back({k * step, linearLabel(k * step, step, largest)});
    return out;
}

/// The multiples of a decade that have labels. Where decades alone would be too few to read (less than three), as many
/// as leave `labelPixels` to each: the closest two of "125" are 0.3 decades apart.
std::string_view labelledMultiples(double span, double perDecade, double labelPixels)
{
    if (span >= 3)
        return perDecade > 6 * labelPixels ? "125" : "1";
    const double room = perDecade / labelPixels;
    return room > 22 ? "123456789" : room > 7 ? "12357" : room > 3.4 ? "125" : room > 2.1 ? "13" : "1";
}

/// Of a log axis that has labels between its decades: 0.05 and 0.1, 5×10⁻⁶ and 10⁻⁵.
QString fineLabel(int digit, int exponent)
{
    const double value = digit * std::pow(10.0, exponent);
    return exponent >= -3 && exponent <= 3 ? formatFixed(value, std::max(0, -exponent)) : formatPower(value);
}

std::vector<Tick> logTicks(const AxisScale &scale, const Range &range, double pixels, double labelPixels)
{
    std::vector<Tick> out;
    if (range.span() < 0.7) {
        // A part of a decade: linear steps at logarithmic places, closer ones if there are too few.
        const Range values{scale.value(range.lo), scale.value(range.hi)};
        for (const double room : {1.5, 1.0}) {
            out.clear();
            for (Tick t : linearTicks(values, pixels, labelPixels * room)) {
                if (t.position > 0)
                    out.push_back({std::log10(t.position), t.label});
            }
            if (out.size() >= 3)
                return out;
        }
        if (out.size() >= 2)
            return out;
        out.clear();
    }
    const double perDecade = pixels / range.span();
    const int stride = std::max(1, static_cast<int>(std::ceil(labelPixels / perDecade - 1e-9)));
    const int first = static_cast<int>(std::floor(range.lo));
    const int last = static_cast<int>(std::ceil(range.hi));
    const std::string_view labelled = labelledMultiples(range.span(), perDecade, labelPixels);
    // "0.1" beside "0.2", a power of ten among its like.
    const auto decade = [&](int e) { return labelled.size() > 1 ? fineLabel(1, e) : powerOfTen(e); };
    for (int e = first; e <= last && out.size() < 4000; ++e) {
        if (range.contains(e))
            out.push_back({static_cast<double>(e), e % stride == 0 ? decade(e) : QString()});
        if (stride > 1 || perDecade < 80)
            continue;
        for (int m = 2; m <= 9; ++m) {
            const double at = e + std::log10(m);
            const bool hasLabel = labelled.find(static_cast<char>('0' + m)) != std::string_view::npos;
            if (range.contains(at))
                out.push_back({at, hasLabel ? fineLabel(m, e) : QString()});
        }
    }
    return out;
}

} // namespace

bool Range::valid() const
{
    return std::isfinite(lo) && std::isfinite(hi) && hi > lo;
}

double AxisScale::position(double value) const
{
    if (!std::isfinite(value))
        return std::numeric_limits<double>::quiet_NaN();
    return log ? std::log10(std::max(value, floor)) : value;
}

double AxisScale::value(double position) const
{
    return log ? std::pow(10.0, position) : position;
}

std::vector<Tick> makeTicks(const AxisScale &scale, const Range &range, double pixels, double labelPixels)
{
    if (!range.valid() || pixels <= 0)
        return {};
    return scale.log ? logTicks(scale, range, pixels, labelPixels)
                     : linearTicks(range, pixels, labelPixels, scale.counts);
}

Range steppedRange(const AxisScale &scale, double lo, double hi, const Range &previous, bool zeroBased)
{
    if (!std::isfinite(lo) || !std::isfinite(hi) || lo > hi)
        return scale.log ? Range{-3, 0} : Range{0, 1};
    if (scale.log) {
        // Halves of a decade for little data, whole ones otherwise, with a sliver of room so that no curve lies on the
        // frame.
        const double grain = hi - lo < 1.5 ? 0.25 : hi - lo < 3 ? 0.5 : 1.0;
        Range r{std::floor((lo - 0.04) / grain) * grain, std::ceil((hi + 0.04) / grain) * grain};
        if (r.span() < 0.5)
            r = {r.lo - 0.25, r.hi + 0.25};
        // Keep what is there unless it is too small, or more than twice what is needed.
        if (previous.valid() && previous.lo <= lo && previous.hi >= hi && previous.span() < 1.6 * r.span())
            return previous;
        return r;
    }
    if (zeroBased) {
        lo = std::min(lo, 0.0);
        if (lo == 0 && hi <= 0)
            return {0, 1};
    }
    if (hi - lo < 1e-12 * std::max(1.0, std::abs(hi))) {
        const double pad = std::max(std::abs(hi) * 0.1, 1e-9);
        lo -= pad;
        hi += pad;
    }
    const bool fromZero = zeroBased || (lo >= 0 && lo < 0.25 * (hi - lo));
    if (fromZero)
        lo = std::min(lo, 0.0);
    const double step = niceStep((hi - lo) / 8);
    Range r{fromZero && lo == 0 ? 0 : std::floor(lo / step + 1e-9) * step, std::ceil(hi / step - 1e-9) * step};
    if (previous.valid() && previous.lo <= lo && previous.hi >= hi && previous.span() < 1.6 * r.span()
        && (previous.lo == 0) == (r.lo == 0))
        return previous;
    return r;
}

} // namespace appa::ui
