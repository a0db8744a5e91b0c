#pragma once

#include "run/Engine.h"

#include <optional>
#include <string>
#include <vector>

namespace appa {

/// The columns of a trace as a CSV file, without a line end. A file with the traces of several runs has another column
/// "run" in front, with their names.
inline constexpr const char *traceCsvHeader =
    "stage,step,passes,accesses,seconds,train_loss,excess_loss,test_error,gap,lambda,method,inner,event,full_accesses,"
    "stage_end";

/// One row per point, each behind `prefix`, 17 significant digits, empty cells where nothing is known. Method and
/// lambda are those that led to the point; `event` lists what was changed right after it: "lambda=0.001;method=sdca".
std::string traceCsvRows(const Trace &trace, const RunSpec &spec, Index n, std::optional<double> fOpt,
                         const std::string &prefix = {});
/// Header and rows.
std::string traceCsv(const Trace &trace, const RunSpec &spec, Index n, std::optional<double> fOpt);

/// An iterate as a file: one number per line, which give the same doubles back.
std::string weightsText(const Vector &x);

/// A trace read back from such a file; enough to draw it.
struct ReadTrace
{
    std::string name; ///< "" in a file of one run
    Trace trace;
    std::string method; ///< of the first row
    std::string inner;
    double rows = 1; ///< n
    std::optional<double> fOpt;
};
/// At least one; also from files of older programs, which lack the last columns.
Result<std::vector<ReadTrace>> readTraceCsv(const std::string &path);

} // namespace appa
