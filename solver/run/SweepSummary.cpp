#include "run/SweepSummary.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>

namespace appa {

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
/// A run "ends above F(0)" if it does so by more than rounding.
constexpr double aboveStart = 1 + 1e-6;
/// The robustness number asks for values within this factor of the best.
constexpr double withinFactor = 2;

/// The last point at or before the end of `stage`; null if there is none.
const TracePoint *pointAt(const SweepResult &result, Index stage)
{
    const TracePoint *last = nullptr;
    for (const TracePoint &p : result.points) {
        if (p.stage > stage)
            break;
        last = &p;
    }
    return last;
}

bool divergedBy(const SweepResult &result, Index stage)
{
    return result.status == RunStatus::Diverged && stage >= result.stage;
}

/// Where between two grid points the line through the medians crosses `level`, in log-log.
double crossing(const SweepStat &inside, const SweepStat &outside, double level)
{
    if (!std::isfinite(outside.median) || !(inside.median > 0) || outside.median <= inside.median)
        return inside.lambda;
    const double t = std::log(level / inside.median) / std::log(outside.median / inside.median);
    return inside.lambda * std::pow(outside.lambda / inside.lambda, std::clamp(t, 0.0, 1.0));
}

} // namespace

double quantile(const std::vector<double> &sorted, double p)
{
    if (sorted.empty())
        return unknown;
    const double at = p * static_cast<double>(sorted.size() - 1);
    const auto k = static_cast<std::size_t>(at);
    const double t = at - static_cast<double>(k);
    if (t == 0 || k + 1 == sorted.size() || sorted[k] == sorted[k + 1])
        return sorted[k];
    return std::isinf(sorted[k + 1]) ? sorted[k + 1] : sorted[k] + t * (sorted[k + 1] - sorted[k]);
}

SweepTable::SweepTable(SweepPlan plan, SweepContext context)
    : m_plan(std::move(plan)), m_context(std::move(context)), m_results(m_plan.size())
{
}

SweepTable::SweepTable(SweepStudy study) : SweepTable(std::move(study.plan), std::move(study.context))
{
    for (SweepResult &result : study.results)
        add(std::move(result));
}

void SweepTable::setOptimum(double fOpt, double floor)
{
    m_context.fOpt = fOpt;
    m_context.floor = floor;
}

bool SweepTable::hasOptimum() const
{
    return std::isfinite(m_context.fOpt);
}

bool SweepTable::add(SweepResult result)
{
    auto &slot = m_results.at(result.index);
    const bool isNew = !slot;
    m_count += isNew;
    slot = std::move(result);
    return isNew;
}

const SweepResult *SweepTable::find(const SweepCase &c) const
{
    const auto &slot = m_results.at(m_plan.indexOf(c));
    return slot ? &*slot : nullptr;
}

double SweepTable::value(const SweepResult &result, SweepMeasure measure, Index stage) const
{
    const auto excess = [&](double loss) { return std::max(loss - m_context.fOpt, m_context.floor); };
    if (measure == SweepMeasure::PassesToTarget) {
        for (const TracePoint &p : result.points) {
            if (p.stage > stage)
                break;
            if ((hasOptimum() ? excess(p.loss) : p.loss) <= m_target) {
                const Index accesses = p.cost.accesses - (m_countFull ? 0 : p.cost.fullAccesses);
                return static_cast<double>(accesses) / static_cast<double>(m_context.n);
            }
        }
        return infinity;
    }
    if (divergedBy(result, stage))
        return infinity;
    const TracePoint *p = pointAt(result, stage);
    if (!p || result.status == RunStatus::Failed)
        return unknown;
    switch (measure) {
    case SweepMeasure::Excess:
        return hasOptimum() ? excess(p->loss) : unknown;
    case SweepMeasure::TestError:
        return p->testError;
    default:
        return p->loss;
    }
}

std::vector<SweepStat> SweepTable::line(std::size_t method, SweepMeasure measure, Index stage) const
{
    std::vector<SweepStat> out;
    for (std::size_t l = 0; l < m_plan.lambdas.size(); ++l) {
        SweepStat stat;
        stat.lambda = m_plan.lambdas[l];
        std::vector<double> values;
        for (std::size_t s = 0; s < m_plan.seeds.size(); ++s) {
            const SweepResult *result = find({.method = method, .lambda = l, .seed = s});
            if (!result)
                continue;
            ++stat.runs;
            stat.diverged += divergedBy(*result, stage);
            if (const double v = value(*result, measure, stage); !std::isnan(v))
                values.push_back(v);
        }
        std::sort(values.begin(), values.end());
        stat.q1 = quantile(values, 0.25);
        stat.median = quantile(values, 0.5);
        stat.q3 = quantile(values, 0.75);
        out.push_back(stat);
    }
    return out;
}

SweepRow SweepTable::rowOf(std::size_t method, SweepMeasure measure, Index stage) const
{
    SweepRow row;
    row.method = method;
    const std::vector<SweepStat> stats = line(method, measure, stage);
    for (std::size_t l = 0; l < stats.size(); ++l) {
        row.runs += stats[l].runs;
        if (std::isfinite(stats[l].median) && (!row.best || stats[l].median < stats[*row.best].median))
            row.best = l;
    }
    for (std::size_t l = 0; l < stats.size(); ++l) {
        for (std::size_t s = 0; s < m_plan.seeds.size(); ++s) {
            const SweepResult *r = find({.method = method, .lambda = l, .seed = s});
            if (r && divergedBy(*r, stage) && (row.earliestDivergence == 0 || r->stage < row.earliestDivergence))
                row.earliestDivergence = r->stage;
        }
    }
    if (row.best) {
        const std::size_t best = *row.best;
        row.value = stats[best];
        row.testError = line(method, SweepMeasure::TestError, stage)[best].median;
        if (!m_context.realTargets && m_context.testRows > 0)
            row.testStandardError =
                std::sqrt(row.testError * (1 - row.testError) / static_cast<double>(m_context.testRows));
        const double level = withinFactor * stats[best].median;
        std::size_t low = best, high = best;
        while (low > 0 && stats[low - 1].median <= level)
            --low;
        while (high + 1 < stats.size() && stats[high + 1].median <= level)
            ++high;
        row.openBelow = low == 0;
        row.openAbove = high + 1 == stats.size();
        row.low = row.openBelow ? stats[low].lambda : crossing(stats[low], stats[low - 1], level);
        row.high = row.openAbove ? stats[high].lambda : crossing(stats[high], stats[high + 1], level);
        row.decades = std::log10(row.high / row.low);
    }

    // Medians of final value over F(0): above 1 the method has made things worse.
    std::vector<bool> worse(stats.size()), known(stats.size());
    for (std::size_t l = 0; l < stats.size(); ++l) {
        std::vector<double> ratios;
        for (std::size_t s = 0; s < m_plan.seeds.size(); ++s) {
            const SweepResult *r = find({.method = method, .lambda = l, .seed = s});
            const double final = r ? value(*r, SweepMeasure::Objective, stage) : unknown;
            if (r && !std::isnan(final))
                ratios.push_back(r->points.empty() ? infinity : final / r->points.front().loss);
        }
        std::sort(ratios.begin(), ratios.end());
        known[l] = !ratios.empty();
        worse[l] = known[l] && quantile(ratios, 0.5) > aboveStart;
    }
    for (std::size_t l = stats.size(); l-- > 0 && (worse[l] || !known[l]);) {
        if (worse[l])
            row.divergesFrom = stats[l].lambda;
    }
    for (std::size_t l = 0; l < stats.size() && (worse[l] || !known[l]); ++l) {
        if (worse[l])
            row.divergesUpTo = stats[l].lambda;
    }
    // Worse everywhere: one statement is enough.
    if (row.divergesFrom && row.divergesUpTo && *row.divergesFrom <= *row.divergesUpTo)
        row.divergesUpTo.reset();
    return row;
}

std::vector<SweepRow> SweepTable::rows(SweepMeasure measure, Index stage) const
{
    std::vector<SweepRow> rows;
    for (std::size_t m = 0; m < m_plan.methods.size(); ++m)
        rows.push_back(rowOf(m, measure, stage));
    return rows;
}

std::optional<SweepCase> SweepTable::typicalCase(const SweepRow &row, SweepMeasure measure, Index stage) const
{
    if (!row.best)
        return std::nullopt;
    std::vector<std::pair<double, std::size_t>> values;
    for (std::size_t s = 0; s < m_plan.seeds.size(); ++s) {
        const SweepResult *result = find({.method = row.method, .lambda = *row.best, .seed = s});
        if (result && !std::isnan(value(*result, measure, stage)))
            values.emplace_back(value(*result, measure, stage), s);
    }
    if (values.empty())
        return std::nullopt;
    std::sort(values.begin(), values.end());
    return SweepCase{.method = row.method, .lambda = *row.best, .seed = values[values.size() / 2].second};
}

std::string_view nameOf(SweepMeasure measure)
{
    switch (measure) {
    case SweepMeasure::Objective:
        return "objective";
    case SweepMeasure::Excess:
        return "excess";
    case SweepMeasure::TestError:
        return "test-error";
    case SweepMeasure::PassesToTarget:
        return "passes-to-target";
    }
    return {};
}

} // namespace appa
