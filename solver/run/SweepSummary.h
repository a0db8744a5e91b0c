#pragma once

#include "run/SweepFolder.h"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace appa {

/// What is shown against lambda.
enum class SweepMeasure { Objective, Excess, TestError, PassesToTarget };

/// Medians and quartiles over the seeds at one lambda. Diverged runs count as infinite.
struct SweepStat
{
    double lambda = 0;
    std::size_t runs = 0;     ///< finished so far
    std::size_t diverged = 0; ///< of them, by this stage
    double q1 = unknown;
    double median = unknown;
    double q3 = unknown;
};

/// A method's line of the table.
struct SweepRow
{
    std::size_t method = 0;
    std::size_t runs = 0;
    std::optional<std::size_t> best;    ///< index of the best lambda; none before the first finite result
    SweepStat value;                    ///< the measure there
    double testError = unknown;         ///< its median there, whatever the measure
    double testStandardError = unknown; ///< of that error on this many test rows: sqrt(p(1-p)/m)
    /// The lambdas around the best whose median is within twice the best, interpolated in log-log between grid points.
    double low = unknown;
    double high = unknown;
    bool openBelow = false; ///< the range reaches the end of the grid
    bool openAbove = false;
    double decades = 0; ///< log10(high / low): the robustness number
    /// The median run ends above F(0), or diverged, from this lambda on, or up to this lambda.
    std::optional<double> divergesFrom;
    std::optional<double> divergesUpTo;
    Index earliestDivergence = 0; ///< the earliest stage in which a run became Diverged; 0: none did
};

/// The results of a study by case, with what is computed from them. A plain value.
class SweepTable
{
public:
    SweepTable() = default;
    SweepTable(SweepPlan plan, SweepContext context);
    explicit SweepTable(SweepStudy study);

    const SweepPlan &plan() const { return m_plan; }
    const SweepContext &context() const { return m_context; }
    void setOptimum(double fOpt, double floor);
    void setContext(const SweepContext &context) { m_context = context; }
    /// ls(lambda): the value of F that a method minimizing F + (lambda/2)|x|^2 ends at.
    void setFloor(double lambda, double value) { m_floors[lambda] = value; }
    const std::map<double, double> &floors() const { return m_floors; }
    bool add(SweepResult result); ///< false if the case was already there (it is replaced)
    const SweepResult *find(const SweepCase &c) const;
    std::size_t size() const { return m_count; }

    bool hasOptimum() const;
    /// The default: the excess where F_opt is known, else the objective.
    SweepMeasure naturalMeasure() const { return hasOptimum() ? SweepMeasure::Excess : SweepMeasure::Objective; }

    /// The measure of a run after `stage` stages: infinite once it has diverged (or never reaches the target), NaN if
    /// unknown. An excess below the floor is the floor. The target is an excess where F_opt is known, else an
    /// objective.
    double value(const SweepResult &result, SweepMeasure measure, Index stage) const;
    /// One entry per lambda.
    std::vector<SweepStat> line(std::size_t method, SweepMeasure measure, Index stage) const;
    std::vector<SweepRow> rows(SweepMeasure measure, Index stage) const;
    /// The run that stands for a row: at its best lambda, the seed whose value is the median one; of an even
    /// number of seeds the worse of the two in the middle, for the better would flatter.
    std::optional<SweepCase> typicalCase(const SweepRow &row, SweepMeasure measure, Index stage) const;

    void setTarget(double target) { m_target = target; }
    double target() const { return m_target; }
    void setCountFullGradients(bool on)
    {
        m_countFull = on;
    } ///< whether passes to the target include SVRG's full gradients
    bool countsFullGradients() const { return m_countFull; }

private:
    SweepRow rowOf(std::size_t method, SweepMeasure measure, Index stage) const;

    SweepPlan m_plan;
    SweepContext m_context;
    std::vector<std::optional<SweepResult>> m_results;
    std::map<double, double> m_floors;
    std::size_t m_count = 0;
    double m_target = 1e-3;
    bool m_countFull = true;
};

/// The p-quantile of sorted values, linear between order statistics (the definition R and NumPy use by default);
/// infinite values are allowed. NaN if there are none.
double quantile(const std::vector<double> &sorted, double p);

std::string_view nameOf(SweepMeasure measure);   ///< "excess"
std::string divergenceText(const SweepRow &row); ///< ">= 10", "<= 1e-5", "never"
std::string summaryText(const SweepTable &data); ///< aligned columns, for a terminal
std::string summaryCsv(const SweepTable &data);  ///< the same, for a program

} // namespace appa
