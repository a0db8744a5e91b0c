#pragma once

#include "run/Run.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace appa {

/// One method of a study with its settings; what varies is its lambda (the step size of SGD and SVRG, the ridge of
/// SDCA: see LambdaMeaning).
struct SweepVariant
{
    std::string method;
    std::string inner; ///< "" for methods that stand alone
    ParamSet params;   ///< the parameters that differ from their defaults; never lambda

    /// As on the command line and in the results file: "dual-appa:sdca:dual-start=paper".
    std::string id() const;
    /// The parameters alone, "key=value" joined by spaces.
    std::string settings() const;
    /// As in tables: "Dual APPA (SDCA), dual-start=paper".
    std::string label() const;
    bool operator==(const SweepVariant &) const = default;
};

/// One run of a study, as indices into the plan.
struct SweepCase
{
    std::size_t method = 0;
    std::size_t lambda = 0;
    std::size_t seed = 0;
    bool operator==(const SweepCase &) const = default;
};

/// Methods x lambdas x seeds, each run for `stages` stages. Case number c is (method, lambda, seed) in that order of
/// significance, which is also the order of the rows of the results file.
struct SweepPlan
{
    std::vector<SweepVariant> methods;
    std::vector<double> lambdas;      ///< ascending
    std::vector<std::uint64_t> seeds; ///< ascending
    Index stages = 20;

    std::size_t size() const { return methods.size() * lambdas.size() * seeds.size(); }
    SweepCase at(std::size_t index) const;
    std::size_t indexOf(const SweepCase &c) const
    {
        return (c.method * lambdas.size() + c.lambda) * seeds.size() + c.seed;
    }
    /// The methods' names where there is little room: only what tells them apart, "Dual APPA, start=paper".
    std::vector<std::string> shortLabels() const;
    /// What `appa-lab run` would be given for this case.
    RunSpec specOf(std::size_t index) const;
    StopRules stopRules() const;

    /// A study keeps all its runs' results in memory.
    static constexpr std::size_t mostRuns = 1'000'000;
    /// "" if every method can run on this problem with every lambda and the runs are not too many, else the sentence
    /// for the user.
    std::string whyNot(const Problem &problem) const;
    bool operator==(const SweepPlan &) const = default;
};

/// "dual-appa:sdca,sdca,svrg,dual-appa:sdca:dual-start=paper": METHOD[:INNER][:key=value..], separated by commas.
/// The inner solver left out is the method's default.
Result<std::vector<SweepVariant>> parseSweepMethods(std::string_view text);
/// "lo:hi:count" (evenly spaced in log lambda; decades come out exact), or a list "a,b,c" whose parts may be either.
Result<std::vector<double>> parseLambdas(std::string_view text);
/// "1..5", "7", or a list of such.
Result<std::vector<std::uint64_t>> parseSeeds(std::string_view text);

/// The options that these three and the stages read back to the plan, as short as they go.
std::string optionsOf(const SweepPlan &plan);

/// `count` values from lo to hi, both included, equally spaced in the logarithm. Powers of ten come out as written
/// (1e-7, not 9.9999e-8); the others are rounded to 12 digits, so that every machine makes the same grid.
std::vector<double> logGrid(double lo, double hi, int count);
/// Are its ends and their number all there is to say of it? There is at least one value, in ascending order.
bool isLogGrid(const std::vector<double> &lambdas);

/// The share of task `task` of `tasks` (1-based): every tasks-th case.
std::vector<std::size_t> casesOfTask(const SweepPlan &plan, std::size_t task = 1, std::size_t tasks = 1);

/// What a study will take, measured by a moment's work of each of its methods.
struct SweepEstimate
{
    std::size_t runs = 0;
    double seconds = 0;          ///< wall clock, on `jobs` cores
    double secondsOfWork = 0;    ///< on one core
    std::size_t sharedBytes = 0; ///< the one copy of the data
    std::size_t bytesPerJob = 0; ///< the largest method's state and working vectors
    std::size_t bytes = 0;       ///< all of it
};

/// Works for about a tenth of a second per method. nullopt when cancelled.
std::optional<SweepEstimate> estimate(const ProblemPtr &problem, const SweepPlan &plan,
                                      const std::vector<std::size_t> &cases, int jobs, const Progress &progress = {});

} // namespace appa
