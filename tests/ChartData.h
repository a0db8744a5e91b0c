#pragma once

#include "charts/CurvesView.h"
#include "theme/Theme.h"

#include <QSize>

#include <cmath>

namespace appa::testing {

inline constexpr double fOpt = 0.1;

/// A run of `stages` stages of one pass whose excess halves each stage.
inline ui::Curve halvingCurve(int id, int stages, double rows = 100)
{
    ui::Curve c;
    c.runId = id;
    c.name = QStringLiteral("run %1").arg(id);
    c.colour = ui::Theme::light().series(id);
    c.status = RunStatus::Finished;
    c.rows = rows;
    for (int k = 0; k <= stages; ++k) {
        TracePoint p;
        p.stage = k;
        p.cost.ticks = k * 10;
        p.cost.accesses = static_cast<Index>(k * rows * 2);
        p.cost.fullAccesses = static_cast<Index>(k * rows);
        p.seconds = 0.5 * k;
        p.loss = fOpt + std::pow(0.5, k);
        p.testError = 0.1 + 0.4 * std::pow(0.5, k);
        c.points.push_back(p);
    }
    return c;
}

inline ui::CurvesData twoCurves()
{
    ui::CurvesData data;
    data.curves = {halvingCurve(1, 10), halvingCurve(2, 20)};
    data.optimum = ui::OptimumLine{fOpt, 1e-12, true};
    return data;
}

/// On the screen with that data, and up to date.
inline void showCurves(ui::CurvesView &view, const ui::CurvesData &data = twoCurves(), const QSize &size = {900, 600})
{
    view.resize(size);
    view.setData(data);
    view.show();
    view.flush();
}

} // namespace appa::testing
