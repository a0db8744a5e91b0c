#pragma once

#include "base/Params.h"
#include "methods/Registry.h"

#include <QString>

namespace appa::ui {

/// A value as a user would type it, the shortest that reads back the same, with a true minus: "0.01", "3.16e−4", "on".
QString paramText(const ParamValue &value);
/// What fits into a field or a cell: five digits of a number that has too many, as those found from the data have; the
/// value itself keeps them. A whole number is there in full: a seed is no measurement.
QString shortText(const ParamSpec &spec, const ParamValue &value);
/// A method's λ and its value: "λ = 10⁻³", or "step size 0.2" where it is one. A second symbol for that would be found
/// nowhere else in the window.
QString lambdaText(LambdaMeaning meaning, const QString &value);
/// What a user typed, brought back to plain ASCII (true minus, thin spaces).
QString plainText(QString text);

} // namespace appa::ui
