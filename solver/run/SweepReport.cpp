// The table of a study as text: best lambda, final value, robustness, divergence threshold.

#include "base/Text.h"
#include "run/SweepSummary.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace appa {

namespace {

std::string digits(double value, int count = 3)
{
    return std::isnan(value) ? "-" : numberText(value, count);
}

std::string csvCell(const std::string &text)
{
    return text.find(',') == std::string::npos ? text : "\"" + text + "\"";
}

std::string rangeText(const SweepRow &row)
{
    return (row.openBelow ? "<=" : "") + digits(row.low, 2) + " .. " + (row.openAbove ? ">=" : "")
        + digits(row.high, 2);
}

std::string decadesText(const SweepRow &row)
{
    return (row.openBelow || row.openAbove ? ">=" : "") + numberText(row.decades, 1, std::chars_format::fixed);
}

std::string columnTitle(SweepMeasure measure)
{
    switch (measure) {
    case SweepMeasure::Excess:
        return "excess";
    case SweepMeasure::TestError:
        return "test error";
    case SweepMeasure::PassesToTarget:
        return "passes";
    default:
        return "objective";
    }
}

} // namespace

std::string divergenceText(const SweepRow &row)
{
    std::string text;
    if (row.divergesUpTo)
        text = "<= " + digits(*row.divergesUpTo);
    if (row.divergesFrom)
        text += (text.empty() ? "" : ", ") + (">= " + digits(*row.divergesFrom));
    return text.empty() ? "never" : text;
}

/// "1 seed", "5 seeds"
template <class Count> std::string counted(Count count, const char *what)
{
    return std::to_string(count) + " " + what + (count == 1 ? "" : "s");
}

std::string summaryText(const SweepTable &data)
{
    const SweepPlan &plan = data.plan();
    const SweepContext &context = data.context();
    const SweepMeasure measure = data.naturalMeasure();
    std::string text = context.dataset + ": n = " + std::to_string(context.n) + ", d = " + std::to_string(context.d)
        + ", " + std::to_string(context.testRows) + " test rows, " + context.loss + " loss, ridge "
        + formatParam(context.ridge) + "\n" + counted(plan.methods.size(), "method") + " x "
        + counted(plan.lambdas.size(), "lambda") + " (" + formatParam(plan.lambdas.front())
        + (plan.lambdas.size() > 1 ? " .. " + formatParam(plan.lambdas.back()) : "") + ") x "
        + counted(plan.seeds.size(), "seed") + ", " + counted(plan.stages, "stage") + "; " + std::to_string(data.size())
        + " of " + counted(plan.size(), "run") + "\n";
    if (data.hasOptimum())
        text += "F_opt = " + digits(context.fOpt, 12) + "\n";
    else if (!context.optimumNote.empty())
        text += context.optimumNote + "\n";
    text += "\n";

    std::vector<std::array<std::string, 9>> cells;
    cells.push_back({"method", "best lambda", columnTitle(measure), "quartiles", "test error", "+-", "within 2x",
                     "decades", "above F(0)"});
    for (const SweepRow &row : data.rows(measure, plan.stages)) {
        std::array<std::string, 9> line;
        line[0] = plan.methods[row.method].label();
        line[8] = divergenceText(row);
        if (row.best) {
            line[1] = formatParam(plan.lambdas[*row.best]);
            line[2] = digits(row.value.median);
            line[3] = digits(row.value.q1) + " .. " + digits(row.value.q3);
            line[4] = digits(row.testError);
            line[5] = digits(row.testStandardError, 2);
            line[6] = rangeText(row);
            line[7] = decadesText(row);
        }
        cells.push_back(std::move(line));
    }
    std::array<std::size_t, 9> width{};
    for (const auto &line : cells) {
        for (std::size_t k = 0; k < line.size(); ++k)
            width[k] = std::max(width[k], line[k].size());
    }
    for (const auto &line : cells) {
        std::string out;
        for (std::size_t k = 0; k < line.size(); ++k) {
            const std::string space(width[k] - line[k].size(), ' ');
            out += k == 0 ? line[k] + space : "  " + space + line[k];
        }
        text += out + "\n";
    }
    text +=
        "\nMedians over the seeds (of an even number the mean of the two in the middle). \"within 2x\": the lambdas "
        "whose\n"
        + columnTitle(measure)
        + " is at most twice the best; \"above F(0)\": where the run ends above its start or diverges.\n"
        + (context.realTargets ? "\"test error\": mean squared error.\n"
                               : "\"+-\": standard error of the test error on this many test rows.\n");
    return text;
}

std::string summaryCsv(const SweepTable &data)
{
    const SweepPlan &plan = data.plan();
    const SweepMeasure measure = data.naturalMeasure();
    std::string text =
        "method,inner,settings,runs,measure,best_lambda,q1,median,q3,test_error,test_standard_error,within2x_low,"
        "within2x_high,within2x_decades,within2x_open_below,within2x_open_above,diverges_up_to,diverges_from,"
        "earliest_divergence_stage\n";
    for (const SweepRow &row : data.rows(measure, plan.stages)) {
        const SweepVariant &m = plan.methods[row.method];
        text += m.method + ',' + m.inner + ',' + csvCell(m.settings()) + ',' + std::to_string(row.runs) + ','
            + std::string(nameOf(measure)) + ',' + (row.best ? formatParam(plan.lambdas[*row.best]) : std::string())
            + ',' + exactNumber(row.value.q1) + ',' + exactNumber(row.value.median) + ',' + exactNumber(row.value.q3)
            + ',' + exactNumber(row.testError) + ',' + exactNumber(row.testStandardError) + ',' + exactNumber(row.low)
            + ',' + exactNumber(row.high) + ',' + (row.best ? exactNumber(row.decades) : std::string()) + ','
            + (row.openBelow ? "1" : "0") + ',' + (row.openAbove ? "1" : "0") + ','
            + (row.divergesUpTo ? exactNumber(*row.divergesUpTo) : std::string()) + ','
            + (row.divergesFrom ? exactNumber(*row.divergesFrom) : std::string()) + ','
            + (row.earliestDivergence > 0 ? std::to_string(row.earliestDivergence) : std::string()) + '\n';
    }
    return text;
}

} // namespace appa
