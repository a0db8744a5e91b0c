#pragma once

#include "problem/Optimum.h"
#include "run/SweepPlan.h"

#include <optional>
#include <string>
#include <vector>

namespace appa {

/// One finished run of a study: its measured stage ends. A diverged run is a result like any other.
struct SweepResult
{
    std::size_t index = 0;                  ///< the case's number in the plan
    RunStatus status = RunStatus::Finished; ///< Finished, Diverged or Failed
    Index stage = 0;                        ///< stages completed; Diverged: the stage in which it happened
    std::string note;                       ///< why it diverged or failed
    std::vector<TracePoint> points;         ///< stage 0 first; finite losses only
};

/// What belongs to a study beside its plan: which problem it is about, and the values its figures refer to.
struct SweepContext
{
    std::string dataset; ///< as shown
    std::uint64_t dataHash = 0;
    std::string problem; ///< the command line's PROBLEM options, "" if not known
    std::string loss;
    double ridge = 0;
    Index n = 0;
    Index testRows = 0;
    Index d = 0;
    bool realTargets = false; ///< the test error is a mean square, not a fraction
    double fOpt = unknown;    ///< F_opt; NaN while it is not known
    double floor = 0;         ///< below this an excess means nothing
    std::string optimumNote;
    std::optional<std::string> task;    ///< "K/N": that part of the runs; "": all; not there: an older program wrote it
    int arithmetic = optimumArithmetic; ///< that F_opt and its floor are of

    /// F_opt with all that is known of it.
    void takeOptimum(const SweepContext &o)
    {
        fOpt = o.fOpt;
        floor = o.floor;
        optimumNote = o.optimumNote;
        arithmetic = o.arithmetic;
    }
    bool sameProblem(const SweepContext &o) const
    {
        return dataHash == o.dataHash && loss == o.loss && ridge == o.ridge;
    }
};

SweepContext contextOf(const Problem &problem);

/// The rows of a result in the results file, newline-terminated, one per measured stage end; the last one carries the
/// status.
std::string rowsOf(const SweepPlan &plan, const SweepContext &context, const SweepResult &result);
const std::string &resultsHeader();

/// What a results file holds.
struct SweepRows
{
    std::vector<SweepResult> results;
    std::size_t intactBytes = 0; ///< up to the end of the last complete run; what follows was torn by a crash
};

/// Reads results.csv's text. A torn end (an incomplete last run) is left out; anything else that is wrong is an error.
Result<SweepRows> parseResults(const SweepPlan &plan, std::string_view text, const std::string &fileName);

} // namespace appa
