// What a study leaves in its folder and on the terminal.

#include "SweepOutput.h"

#include "Cli.h"
#include "SweepFigures.h"
#include "problem/Optimum.h"

#include <cstdio>
#include <set>

namespace appa::cli {

std::string runsText(std::size_t count)
{
    return std::to_string(count) + (count == 1 ? " run" : " runs");
}

std::string commandOf(const SweepPlan &plan, const std::string &problem)
{
    return "appa-lab sweep " + problem + (problem.empty() ? "" : " ") + optionsOf(plan);
}

bool addFloors(SweepTable &table, const Problem &problem, const SweepArguments &arguments, const Progress &progress)
{
    std::set<double> lambdas;
    if (arguments.floors)
        lambdas.insert(table.plan().lambdas.begin(), table.plan().lambdas.end());
    if (arguments.curves) {
        for (const BestCurve &curve : bestCurves(table)) {
            const MethodInfo *info = findMethod(table.plan().methods[curve.which.method].method);
            if (info && (info->lambda == LambdaMeaning::RidgeWeight || info->lambda == LambdaMeaning::ProximalWeight))
                lambdas.insert(table.plan().lambdas[curve.which.lambda]);
        }
    }
    std::size_t k = 0;
    for (const double lambda : lambdas) {
        progress(static_cast<double>(k++) / static_cast<double>(lambdas.size()),
                 "solving for ls(" + formatParam(lambda) + ")");
        const auto value = ridgeSolutionValue(problem, lambda, {.report = {}, .stop = progress.stop});
        if (!value)
            return false;
        table.setFloor(lambda, *value);
    }
    return true;
}

int writeFiles(const SweepTable &table, const SweepArguments &arguments, const std::string &command)
{
    auto error = writeSummary(table, arguments.out);
    if (!error && arguments.floors)
        error = writeFloors(table, arguments.out);
    if (!error && !arguments.noFigure)
        error = writeFigure(table, arguments.out, command);
    if (!error && arguments.curves)
        error = writeCurves(table, arguments.out, command, !arguments.noFigure);
    std::fputs(appa::summaryText(table).c_str(), stdout); // however little of it could be kept
    std::fflush(stdout);
    if (error)
        return fail({error->kind,
                     error->message + " The results themselves are in " + arguments.out
                         + "/results.csv; --resume makes the other files."});
    return Done;
}

int verdictOn(const SweepTable &table)
{
    std::size_t failed = 0;
    std::string note;
    for (std::size_t index = 0; index < table.plan().size(); ++index) {
        const SweepResult *result = table.find(table.plan().at(index));
        if (!result || result->status != RunStatus::Failed)
            continue;
        if (failed++ == 0)
            note = result->note;
    }
    if (failed == 0)
        return Done;
    return fail({Error::Kind::Data,
                 std::to_string(failed) + " of " + std::to_string(table.size())
                     + " runs failed; --resume makes them again. The first one says: " + note});
}

} // namespace appa::cli
