#pragma once

#include "charts/Curve.h"
#include "charts/PlotContent.h"
#include "theme/Theme.h"

#include <algorithm>
#include <bitset>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

namespace appa::ui {

enum class CurvePanel { Loss = 0, TestError = 1 };

/// Whether a curve takes part: it is visible, and has begun.
bool belongs(const Curve &curve);

/// x of a point in units of the chosen axis.
double xValue(const Curve &curve, const Cost &cost, Index stage, double seconds, const CurvesOptions &options);
double xValue(const Curve &curve, const TracePoint &point, const CurvesOptions &options);
/// y of a point on a panel: excess or loss, or test error.
double yValue(const TracePoint &point, CurvePanel panel, const CurvesData &data);

/// A curve's points as positions; grows with its run.
struct MappedCurve
{
    std::vector<QPointF> points;
    std::vector<std::uint32_t> index;                        ///< into Curve::points
    std::size_t seen = 0;                                    ///< how many of the curve's points have been mapped
    std::size_t clamped = 0;                                 ///< at or below the floor of the scale
    std::size_t cut = 0;                                     ///< not finite though measured: left out
    double least = std::numeric_limits<double>::infinity();  ///< value
    double lowest = std::numeric_limits<double>::infinity(); ///< positions
    double highest = -std::numeric_limits<double>::infinity();
    double highestTrained = -std::numeric_limits<double>::infinity(); ///< from the first stage's end on
    std::bitset<64> decades;                                          ///< of a log axis: where there are points

    static constexpr int lowestDecade = -32; ///< what lies beyond counts as the last on its side
    static std::size_t decadeOf(double position)
    {
        return static_cast<std::size_t>(std::clamp(static_cast<int>(std::floor(position)) - lowestDecade, 0, 63));
    }
};

/// The scales of a panel: log or not, and where the floor is.
AxisScale xScaleOf(const CurvesData &data);
AxisScale yScaleOf(const CurvesData &data, CurvePanel panel);

/// Maps the points not yet seen.
void mapCurve(MappedCurve &mapped, const Curve &curve, CurvePanel panel, const CurvesData &data);

/// Whether there is a test error to show: before anything was measured, whether the problem has a test set.
bool showsTestError(const CurvesData &data, const std::vector<MappedCurve> &loss,
                    const std::vector<MappedCurve> &testError);
/// The upper chart's subtitle where it stands alone: the reason.
QString withoutTestSet(const QString &subtitle);

/// How many points from the start a curve of `data` has in common with a visible one before it: the past of a fork.
std::size_t pointsOfAnother(const Curve &curve, const CurvesData &data);

/// Look of the line of one of `data`'s curves; `current` is drawn stronger, and all of them stronger with larger type.
/// A past that it shares is left to the curve before it, so that one sees where they part.
PlotSeries seriesLook(const Curve &curve, const CurvesData &data, bool current, double scale = 1);

/// Titles, labels, floors, events, marks, theory: everything of a panel but ranges and lines.
/// `mapped` is parallel to `data.curves`.
PlotContent panelContent(const CurvesData &data, CurvePanel panel, const std::vector<MappedCurve> &mapped,
                         const Theme &theme, int currentRun);

/// The range that shows all of it. `previous` is kept while it fits.
Range fitX(const CurvesData &data, const std::vector<MappedCurve> &loss, const Range &previous);
Range fitY(const CurvesData &data, CurvePanel panel, const std::vector<MappedCurve> &mapped, const Range &previous);

/// After the ranges are set: an arrow with its first value where a curve that begins above the frame enters it.
void markStartAbove(PlotContent &content, const CurvesData &data, const std::vector<MappedCurve> &mapped);

/// The same for the runs that end below the frame, which `fitY` leaves there: each with its last value.
void markEndsBelow(PlotContent &content, const CurvesData &data, const std::vector<MappedCurve> &mapped);

/// A value as it is read: an excess (at most what can be told of it) or a loss, a test error.
QString valueText(double value, CurvePanel panel, const CurvesData &data);
/// What a run came to: its last value, or that it diverged, whose last finite one means nothing.
QString endText(const Curve &curve, const MappedCurve &mapped, CurvePanel panel, const CurvesData &data);
QString axisName(XAxis axis, bool countFullGradients = true);
/// "12.5 passes", "stage 7", "1.52 s".
QString formatX(double value, XAxis axis);

} // namespace appa::ui
