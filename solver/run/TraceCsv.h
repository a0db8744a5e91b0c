#pragma once

#include "run/Engine.h"

#include <optional>
#include <string>

namespace appa {

/// The columns of a trace as a CSV file, without a line end.
inline constexpr const char *traceCsvHeader =
    "stage,step,passes,accesses,seconds,train_loss,excess_loss,test_error,gap,lambda,method,inner,event";

/// One row per point, 17 significant digits, empty cells where nothing is known. Method and lambda are those that led
/// to the point; `event` lists what was changed right after it: "lambda=0.001;method=sdca".
std::string traceCsv(const Trace &trace, const RunSpec &spec, Index n, std::optional<double> fOpt);

/// A trace read back from such a file; enough to draw it.
struct ReadTrace
{
    Trace trace;
    std::string method; ///< of the first row
    std::string inner;
    double rows = 1; ///< n
    std::optional<double> fOpt;
};
Result<ReadTrace> readTraceCsv(const std::string &path);

} // namespace appa
