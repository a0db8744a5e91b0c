#pragma once

#include "base/Result.h"
#include "run/SweepSummary.h"

#include <optional>
#include <string>
#include <vector>

namespace appa::cli {

/// Each method's best run, as learning curves (the paper's Figures 1 and 2).
struct BestCurve
{
    SweepCase which;
    SweepResult result;
};
std::vector<BestCurve> bestCurves(const SweepTable &table);

/// curves.csv: the trace of every method's best run, and the lines ls(lambda) it is to be compared with.
std::string curvesCsv(const SweepTable &table, const std::vector<BestCurve> &curves);

/// summary.txt and summary.csv.
std::optional<Error> writeSummary(const SweepTable &table, const std::string &folder);
/// floors.csv: ls(lambda) where it is known.
std::optional<Error> writeFloors(const SweepTable &table, const std::string &folder);
/// sensitivity.png, .svg, .pdf.
std::optional<Error> writeFigure(const SweepTable &table, const std::string &folder, const std::string &command);
/// curves.csv; with a figure also curves.png, .svg, .pdf.
std::optional<Error> writeCurves(const SweepTable &table, const std::string &folder, const std::string &command,
                                 bool figure);
/// All that a study may write into its folder, with the path.
std::vector<std::string> studyFiles(const std::string &folder);
/// Those of an earlier part of the study, which would contradict the results.
void removeFigures(const std::string &folder);

} // namespace appa::cli
