#pragma once

#include "ProblemOptions.h"

#include "run/Run.h"

#include <limits>
#include <string>
#include <vector>

namespace appa::cli {

/// A change that `--at` asks for, right after the end of `stage`, or at a tick that ends that stage early.
struct PlannedChange
{
    static constexpr Index atTheEnd = std::numeric_limits<Index>::max();

    Index stage = 0;
    Index tick = atTheEnd;
    std::string key;
    ParamValue value;
};

/// The options of `appa-lab run`.
struct RunOptions
{
    ProblemOptions problem;
    std::string method; ///< "": the problem's default
    std::string inner;
    std::string lambda;
    std::uint64_t seed = 1;
    StopRules stop;
    bool stagesGiven = false; ///< by --stages, also "never"
    bool stopGiven = false;   ///< by any of the rules
    int measures = 0;
    std::vector<std::string> set;
    std::vector<std::string> at;
    std::string trace;
    std::string weights;
    std::string session;
    std::string name;
    std::string resume;   ///< a session whose run is to go on; "": a new run
    double saveEvery = 3; ///< seconds
    bool noOptimum = false;
    bool json = false;
    bool quiet = false;
    bool progress = false;

    void addTo(CLI::App &app);
    /// Is there anything that the excess loss is told in, or decides?
    bool tellsExcess() const;
    /// Options that cannot both be meant.
    std::optional<Error> contradiction() const;
    /// Method `id`, inner solver and parameters, every value read as its descriptor says.
    Result<RunSpec> spec(const std::string &id) const;
    /// The sentence for a parameter that is set and means nothing beside the others; "" if there is none.
    std::string withoutEffect(const RunSpec &spec) const;
    /// The changes in the order of their stages, tried out on a run of `problem` that does not move; `past`: what there
    /// is of it already.
    Result<std::vector<PlannedChange>> changes(const ProblemPtr &problem, const RunSpec &spec, const Trace &past) const;
};

} // namespace appa::cli
