#include "run/SweepResults.h"

#include "base/Text.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <tuple>

namespace appa {

namespace {

enum Column {
    MethodColumn,
    InnerColumn,
    SettingsColumn,
    LambdaColumn,
    SeedColumn,
    StageColumn,
    StepColumn,
    PassesColumn,
    AccessesColumn,
    FullAccessesColumn,
    SecondsColumn,
    LossColumn,
    ExcessColumn,
    TestErrorColumn,
    GapColumn,
    StatusColumn,
    NoteColumn,
    ColumnCount
};

std::string cell(const std::string &text)
{
    if (text.find_first_of(",\"\n\r") == std::string::npos)
        return text;
    std::string out = "\"";
    for (const char c : text) {
        if (c == '"')
            out += '"';
        out += c == '\n' || c == '\r' ? ' ' : c;
    }
    return out + '"';
}

/// Of a run that has ended: a study keeps no others.
std::optional<RunStatus> statusOf(std::string_view name)
{
    for (const RunStatus status : {RunStatus::Finished, RunStatus::Diverged, RunStatus::Failed}) {
        if (name == nameOf(status))
            return status;
    }
    return std::nullopt;
}

/// The cells of one line; false if there are not exactly ColumnCount of them.
bool splitRow(std::string_view line, std::array<std::string, ColumnCount> &cells)
{
    std::size_t column = 0, at = 0;
    for (;;) {
        if (column == ColumnCount)
            return false;
        std::string &out = cells[column++];
        out.clear();
        if (at < line.size() && line[at] == '"') {
            for (++at;; ++at) {
                if (at >= line.size())
                    return false;
                if (line[at] == '"') {
                    if (at + 1 >= line.size() || line[at + 1] != '"')
                        break;
                    ++at;
                }
                out += line[at];
            }
            ++at;
        } else {
            const auto end = std::min(line.find(',', at), line.size());
            out = line.substr(at, end - at);
            at = end;
        }
        if (at == line.size())
            return column == ColumnCount;
        if (line[at] != ',')
            return false;
        ++at;
    }
}

bool readOptional(const std::string &text, double &value)
{
    value = unknown;
    return text.empty() || readInto(text, value);
}

bool readPoint(const std::array<std::string, ColumnCount> &cells, double lambda, TracePoint &point)
{
    point.lambda = lambda;
    return readInto(cells[StepColumn], point.cost.steps) && readInto(cells[AccessesColumn], point.cost.accesses)
        && readInto(cells[FullAccessesColumn], point.cost.fullAccesses) && readInto(cells[SecondsColumn], point.seconds)
        && readInto(cells[LossColumn], point.loss) && readOptional(cells[TestErrorColumn], point.testError)
        && readOptional(cells[GapColumn], point.gap);
}

} // namespace

SweepContext contextOf(const Problem &problem)
{
    SweepContext context;
    context.dataset = problem.data().name;
    context.dataHash = problem.data().hash;
    context.loss = infoOf(problem.loss()).id;
    context.ridge = problem.ridge();
    context.n = problem.n();
    context.testRows = problem.data().test.rows();
    context.d = problem.d();
    context.realTargets = problem.data().kind == TargetKind::Real;
    return context;
}

const std::string &resultsHeader()
{
    static const std::string header =
        "method,inner,settings,lambda,seed,stage,step,passes,accesses,full_accesses,seconds,"
        "train_loss,excess_loss,test_error,gap,status,note\n";
    return header;
}

std::string rowsOf(const SweepPlan &plan, const SweepContext &context, const SweepResult &result)
{
    const SweepCase c = plan.at(result.index);
    const SweepVariant &method = plan.methods[c.method];
    const std::string key = cell(method.method) + ',' + cell(method.inner) + ',' + cell(method.settings()) + ','
        + formatParam(plan.lambdas[c.lambda]) + ',' + std::to_string(plan.seeds[c.seed]) + ',';
    const std::string end = std::string(nameOf(result.status)) + ',' + cell(result.note) + '\n';
    std::string rows;
    for (const TracePoint &p : result.points) {
        const bool last = &p == &result.points.back() && p.stage == result.stage;
        rows += key + std::to_string(p.stage) + ',' + std::to_string(p.cost.steps) + ','
            + exactNumber(static_cast<double>(p.cost.accesses) / static_cast<double>(context.n)) + ','
            + std::to_string(p.cost.accesses) + ',' + std::to_string(p.cost.fullAccesses) + ',' + exactNumber(p.seconds)
            + ',' + exactNumber(p.loss) + ',' + exactNumber(p.loss - context.fOpt) + ',' + exactNumber(p.testError)
            + ',' + exactNumber(p.gap) + ',' + (last ? end : ",\n");
    }
    // A run that diverged within a stage has no value there: a row that only says so.
    if (result.points.empty() || result.points.back().stage != result.stage)
        rows += key + std::to_string(result.stage) + ",,,,,,,,,," + end;
    return rows;
}

namespace {

/// `what` is wrong with a line of the results.
Error damage(const std::string &fileName, std::size_t line, const std::string &what)
{
    return {Error::Kind::Data,
            fileName + ": line " + std::to_string(line) + " " + what
                + " Correct it, or remove the file: resumed, the study makes all its runs again."};
}

} // namespace

Result<SweepRows> parseResults(const SweepPlan &plan, std::string_view text, const std::string &fileName)
{
    SweepRows out;
    // Killed while the very first line was written.
    if (text.size() < resultsHeader().size() && resultsHeader().starts_with(text))
        return out;
    if (!text.starts_with(resultsHeader()))
        return damage(fileName, 1, "is not the header of a study's results.");
    out.intactBytes = resultsHeader().size();

    std::map<std::string, std::size_t> methodIndex;
    for (std::size_t m = 0; m < plan.methods.size(); ++m)
        methodIndex.emplace(plan.methods[m].method + '\n' + plan.methods[m].inner + '\n' + plan.methods[m].settings(),
                            m);
    std::vector<bool> seen(plan.size());

    std::array<std::string, ColumnCount> cells;
    std::optional<SweepResult> open;
    std::size_t line = 1;
    for (std::size_t at = out.intactBytes; at < text.size();) {
        const std::size_t newline = text.find('\n', at);
        if (newline == std::string_view::npos)
            break; // torn
        ++line;
        const auto wrong = [&](const std::string &what) { return damage(fileName, line, what); };
        if (!splitRow(text.substr(at, newline - at), cells))
            return wrong("does not have " + std::to_string(ColumnCount) + " cells.");
        at = newline + 1;

        double lambda = 0;
        std::uint64_t seed = 0;
        Index stage = 0;
        if (!readInto(cells[LambdaColumn], lambda) || !readInto(cells[SeedColumn], seed)
            || !readInto(cells[StageColumn], stage))
            return wrong("has no readable lambda, seed and stage.");
        const auto method =
            methodIndex.find(cells[MethodColumn] + '\n' + cells[InnerColumn] + '\n' + cells[SettingsColumn]);
        const auto lambdaAt = std::lower_bound(plan.lambdas.begin(), plan.lambdas.end(), lambda);
        const auto seedAt = std::lower_bound(plan.seeds.begin(), plan.seeds.end(), seed);
        if (method == methodIndex.end() || lambdaAt == plan.lambdas.end() || *lambdaAt != lambda
            || seedAt == plan.seeds.end() || *seedAt != seed || stage > plan.stages)
            return wrong("is a run that is not part of this plan (" + cells[MethodColumn] + ", lambda "
                         + cells[LambdaColumn] + ", seed " + cells[SeedColumn] + ", stage " + cells[StageColumn]
                         + ").");
        const std::size_t index = plan.indexOf({.method = method->second,
                                                .lambda = static_cast<std::size_t>(lambdaAt - plan.lambdas.begin()),
                                                .seed = static_cast<std::size_t>(seedAt - plan.seeds.begin())});
        if (!open)
            open.emplace().index = index;
        else if (open->index != index || stage <= open->stage)
            return wrong("begins a run before the one above it has ended.");
        open->stage = stage;
        if (!cells[LossColumn].empty()) {
            TracePoint point;
            point.stage = stage;
            if (!readPoint(cells, lambda, point))
                return wrong("has a number that cannot be read.");
            open->points.push_back(point);
        }
        if (cells[StatusColumn].empty())
            continue;
        const auto status = statusOf(cells[StatusColumn]);
        if (!status)
            return wrong("has the unknown status \"" + cells[StatusColumn] + "\".");
        if (seen[index])
            return wrong("ends a run that the file already has.");
        seen[index] = true;
        open->status = *status;
        open->note = cells[NoteColumn];
        out.results.push_back(std::move(*open));
        open.reset();
        out.intactBytes = at;
    }
    return out;
}

} // namespace appa
