#pragma once

#include "methods/Registry.h"
#include "run/Run.h"
#include "run/Trace.h"

#include <QColor>
#include <QString>

#include <algorithm>
#include <optional>
#include <vector>

namespace appa::ui {

/// A change while running: where it was made, and its words as they are shown.
struct CurveEvent
{
    CurveEvent(const RunEvent &event);

    TracePoint at;
    QString label;
    QString key; ///< the parameter's, or "method"
};

/// Where a run changed to a method of another family: up to there its line keeps the dash of the one before.
struct FamilySwitch
{
    TracePoint at;
    MethodFamily before = MethodFamily::Reduction;

    bool operator==(const FamilySwitch &other) const
    {
        return at.cost.ticks == other.at.cost.ticks && before == other.before;
    }
};
std::vector<FamilySwitch> familySwitches(const Trace &trace);

/// One run as the charts see it: plain values.
struct Curve
{
    int runId = 0;
    QString name;
    QColor colour;
    MethodFamily family = MethodFamily::Reduction; ///< gives the dash
    std::vector<FamilySwitch> switches;            ///< to it, in order
    RunStatus status = RunStatus::Ready;
    double rows = 1;          ///< n: so many accesses are a pass
    double plannedStages = 0; ///< where it will stop, 0 if unknown: keeps the x axis from jumping
    bool visible = true;
    std::vector<TracePoint> points;
    std::vector<CurveEvent> events;
};

/// F_opt as the charts need it.
struct OptimumLine
{
    double value = 0;
    double floor = 0;       ///< differences below this mean nothing; drawn as a line, smaller values drawn on it
    bool known = true;      ///< false: there is no excess to speak of, the loss itself is shown
    double certificate = 0; ///< F_opt may be too large by this; 0: not known
    bool attained = true;   ///< false: it is an infimum, and called so

    bool operator==(const OptimumLine &) const = default;
};

/// ls(lambda): where a method that minimizes F + (lambda/2)|x|^2 ends. Given as a value of F; drawn as excess when
/// F_opt is known.
struct FloorLine
{
    double lambda = 0;
    double value = 0;
    QColor colour; ///< invalid: neutral
    QString label; ///< "": "ridge floor, λ = 10⁻³"

    bool operator==(const FloorLine &) const = default;
};

/// The predicted course from a point of a run: excess(p) = excess * ratePerPass^(p - passes).
struct TheoryLine
{
    int runId = 0;
    double passes = 0;
    double excess = 0;
    double ratePerPass = 1;
    QString condition; ///< "": it holds as it is

    bool operator==(const TheoryLine &) const = default;
};

enum class XAxis { Passes, Stages, Accesses, Seconds };

/// How the curves are shown.
struct CurvesOptions
{
    XAxis xAxis = XAxis::Passes;
    bool countFullGradients = true; ///< SVRG's full gradients count as accesses
    bool logX = false;
    bool logLoss = true;
    bool logTestError = false;
    bool forceLoss = false; ///< the loss itself, even where F_opt is known
    bool hasTestSet = true; ///< the problem; asked while nothing was measured
    QString testErrorLabel; ///< "": "Test error"

    bool operator==(const CurvesOptions &) const = default;
};

/// Everything a pair of charts shows.
struct CurvesData
{
    std::vector<Curve> curves;
    std::optional<OptimumLine> optimum;
    QString optimumNote; ///< while F_opt is missing: "F_opt 40 %"
    QString emptyNote;   ///< why there is nothing to draw or to run yet
    std::vector<FloorLine> floors;
    std::optional<TheoryLine> theory;
    CurvesOptions options;
};

/// Lower than F_opt can be, given what it may be wrong by (0: not known, so that nothing can be told): F_opt is not the
/// minimum.
inline bool isBelowOptimum(double excess, double certificate, double floor)
{
    return certificate > 0 && excess < -std::max(certificate, floor);
}

/// Whether the upper chart can show the excess.
inline bool showsExcess(const CurvesData &data)
{
    return data.optimum && data.optimum->known && !data.options.forceLoss;
}

} // namespace appa::ui
