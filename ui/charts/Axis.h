#pragma once

#include <QString>

#include <vector>

namespace appa::ui {

struct Range
{
    double lo = 0;
    double hi = 1;

    double span() const { return hi - lo; }
    bool contains(double v) const { return v >= lo && v <= hi; }
    bool valid() const;
    bool operator==(const Range &) const = default;
};

/// Linear, or log10 on a linear one: the chart's own axis never sees anything but finite numbers.
struct AxisScale
{
    bool log = false;
    double floor = 1e-300; ///< on a log scale, smaller values (zero and negative ones too) are drawn here
    bool counts = false;   ///< whole numbers, such as stages: no tick between two of them while several are shown

    /// Position of a value; NaN if it cannot be drawn (not finite). Clamped at the floor on a log scale.
    double position(double value) const;
    double value(double position) const;
    /// Would `position` move it?
    bool clamps(double value) const { return log && value < floor; }
    bool operator==(const AxisScale &) const = default;
};

struct Tick
{
    double position = 0;
    QString label; ///< "" for a minor tick
};

/// Ticks for `pixels` of axis whose labels need `labelPixels` each. Majors at 1-2-5 steps or whole decades; a log range
/// of less than a decade still has labels.
std::vector<Tick> makeTicks(const AxisScale &scale, const Range &range, double pixels, double labelPixels);

/// The range to show for data in [lo, hi] (positions): whole decades or nice steps, kept while the data fits it well,
/// so that it moves seldom. `zeroBased` keeps a linear range at 0 when the data is near it.
Range steppedRange(const AxisScale &scale, double lo, double hi, const Range &previous, bool zeroBased);

} // namespace appa::ui
