#pragma once

#include "runs/RunRecord.h"

#include <QString>

namespace appa {

/// The command that makes this run again without a window: problem, method, parameters, seed, and the changes at their
/// stages.
QString commandText(const ui::RunRecord &run);
/// The PROBLEM options alone.
QString problemText(const ui::ProblemSpec &problem);
/// The numbers of these runs, in the columns of the command line's trace, the run's name first.
QByteArray csvText(const std::vector<const ui::RunRecord *> &runs);
/// "Dual APPA (SDCA), λ = 10⁻⁴ → 10⁻³, after stage 5 SVRG, step size 0.2, seed 1": all that was in effect.
QString courseText(const RunSpec &spec, const Trace &trace);
/// "run 1: Dual APPA (SDCA), λ = 10⁻⁴, seed 1; run 2: ..".
QString parameterText(const std::vector<const ui::RunRecord *> &runs);

} // namespace appa
