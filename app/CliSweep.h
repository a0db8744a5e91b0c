#pragma once

#include "ProblemOptions.h"
#include "base/Result.h"
#include "run/SweepPlan.h"

#include <set>
#include <string>
#include <vector>

namespace appa::cli {

/// `appa-lab sweep`: what was asked for.
struct SweepArguments
{
    ProblemOptions problem;
    std::string methods = "dual-appa:sdca,sdca,svrg,sgd";
    std::string lambdas = "1e-8:1e8:17";
    std::string seeds = "1..3";
    Index stages = 20;
    int jobs = 0;                   ///< 0: one per core
    std::string task;               ///< "K/N"; "": all of it
    std::string out;                ///< the study's folder
    std::vector<std::string> merge; ///< folders to join instead of running anything
    bool resume = false;
    bool curves = false; ///< learning curves of each method's best lambda
    bool floors = false; ///< ls(lambda) over the whole grid
    bool noFigure = false;
    bool estimateOnly = false;
    bool quiet = false;
    std::set<std::string> given;           ///< of --methods, --lambdas, --seeds and --stages, what was said
    std::vector<std::string> problemWords; ///< the problem options that were said, each as "--option=value"
    std::string dataNamedIn;               ///< the folder of the study that names the data, "" if the options do

    bool has(const char *what) const { return given.contains(what); }
};

/// The plan that the arguments describe.
Result<SweepPlan> planOf(const SweepArguments &arguments);
/// K and N of "K/N", 1 <= K <= N.
Result<std::pair<std::size_t, std::size_t>> parseTask(const std::string &text);

/// Does it: runs or merges, writes the study's files, prints its table on standard output and its progress on standard
/// error. The exit code.
int runSweep(const SweepArguments &arguments);

} // namespace appa::cli
