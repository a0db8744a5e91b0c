#include "run/TraceCsv.h"

#include "base/AtomicFile.h"
#include "base/Text.h"
#include "data/loaders/Fields.h"
#include "run/Labels.h"

#include <algorithm>
#include <cmath>
#include <string_view>
#include <vector>

namespace appa {

std::string traceCsv(const Trace &trace, const RunSpec &spec, Index n, std::optional<double> fOpt)
{
    return std::string(traceCsvHeader) + "\n" + traceCsvRows(trace, spec, n, fOpt);
}

std::string weightsText(const Vector &x)
{
    std::string text;
    for (const double value : x)
        text += exactNumber(value) + "\n";
    return text;
}

std::string traceCsvRows(const Trace &trace, const RunSpec &spec, Index n, std::optional<double> fOpt,
                         const std::string &prefix)
{
    std::string csv;
    std::string method = spec.method;
    std::string inner = spec.inner;
    std::size_t next = 0;
    for (std::size_t k = 0; k < trace.points.size(); ++k) {
        const TracePoint &p = trace.points[k];
        csv += prefix + std::to_string(p.stage) + ',' + std::to_string(p.cost.steps) + ','
            + exactNumber(static_cast<double>(p.cost.accesses) / static_cast<double>(n)) + ','
            + std::to_string(p.cost.accesses) + ',' + exactNumber(p.seconds) + ',' + exactNumber(p.loss) + ','
            + (fOpt ? exactNumber(p.loss - *fOpt) : std::string()) + ',' + exactNumber(p.testError) + ','
            + exactNumber(p.gap) + ',' + exactNumber(p.lambda) + ',' + method + ',' + inner + ',';
        // Two points may share a tick (inside a stage, and where a change then ended it): the events belong to the
        // latter.
        const bool last = k + 1 == trace.points.size() || trace.points[k + 1].cost.ticks > p.cost.ticks;
        for (bool first = true; last && next < trace.events.size() && trace.events[next].at.ticks <= p.cost.ticks;
             ++next) {
            const RunEvent &e = trace.events[next];
            csv += (first ? "" : ";") + e.key + "=" + formatParam(e.to);
            first = false;
            if (e.kind == RunEvent::Kind::Method) {
                method = std::get<std::string>(e.to);
                if (e.inner != inner && !e.inner.empty())
                    csv += ";inner=" + e.inner;
                inner = e.inner;
            }
        }
        csv += ',' + std::to_string(p.cost.fullAccesses) + (p.stageEnd ? ",1\n" : ",0\n");
    }
    return csv;
}

namespace {

/// NaN for an empty cell; false if it is not a number.
bool parseCell(std::string_view cell, double &value)
{
    value = unknown;
    return cell.empty() || readInto(cell, value);
}

/// Where the columns of a trace are; by their names, since not all files have all of them.
class Columns
{
public:
    explicit Columns(const std::vector<std::string> &header) : m_header(header) { }

    /// All that every program wrote.
    bool areThose() const
    {
        return std::ranges::all_of(split(traceCsvHeader, ','), [&](std::string_view name) {
            return name == "full_accesses" || name == "stage_end" || find(name) < m_header.size();
        });
    }
    std::size_t count() const { return m_header.size(); }
    /// "" if there is no such column.
    std::string text(const std::vector<std::string> &cells, std::string_view name) const
    {
        const std::size_t k = find(name);
        return k < cells.size() ? cells[k] : std::string();
    }
    /// `isGood` becomes false if it is not a number.
    double number(const std::vector<std::string> &cells, std::string_view name, bool &isGood) const
    {
        double value = unknown;
        isGood = parseCell(text(cells, name), value) && isGood;
        return value;
    }

private:
    std::size_t find(std::string_view name) const
    {
        return static_cast<std::size_t>(std::ranges::find(m_header, name) - m_header.begin());
    }

    std::vector<std::string> m_header;
};

void addEvents(Trace &trace, const TracePoint &p, const std::string &events)
{
    for (const std::string_view change : events.empty() ? std::vector<std::string_view>{} : split(events, ';')) {
        const std::size_t equals = std::min(change.find('='), change.size() - 1);
        RunEvent event;
        event.at = p.cost;
        event.stage = p.stage;
        event.seconds = p.seconds;
        event.key = change.substr(0, equals);
        double parsed = 0;
        const std::string value(change.substr(equals + 1));
        event.to = parseCell(value, parsed) && !std::isnan(parsed) ? ParamValue(parsed) : ParamValue(value);
        event.label = (event.key == "lambda" ? "λ" : event.key) + " → " + shortValue(event.to);
        trace.events.push_back(std::move(event));
    }
}

} // namespace

Result<std::vector<ReadTrace>> readTraceCsv(const std::string &path)
{
    const auto text = readWholeFile(path);
    if (!text)
        return text.error();
    std::vector<ReadTrace> all;
    std::string_view rest = text.value();
    std::optional<Columns> columns;
    double bestExcess = unknown;
    for (int number = 1; !rest.empty(); ++number) {
        const std::size_t end = rest.find('\n');
        const std::string_view line = rest.substr(0, end);
        rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
        const std::vector<std::string> cells = firstRecord(line, ',').fields;
        if (!columns) {
            columns.emplace(cells);
            if (!columns->areThose())
                return Error{Error::Kind::Data,
                             "\"" + path + "\" is not a trace: its first line should be \"" + traceCsvHeader + "\"."};
            continue;
        }
        if (trimmed(line).empty())
            continue;
        bool isGood = cells.size() == columns->count();
        const auto value = [&](std::string_view name) { return columns->number(cells, name, isGood); };
        const double stage = value("stage"), steps = value("step"), passes = value("passes");
        const double accesses = value("accesses"), full = value("full_accesses"), excess = value("excess_loss");
        const double stageEnd = value("stage_end");
        TracePoint p;
        p.seconds = value("seconds");
        p.loss = value("train_loss");
        p.testError = value("test_error");
        p.gap = value("gap");
        p.lambda = value("lambda");
        // What does not fit into a whole number is not from a trace.
        for (const double count : {stage, steps, accesses, std::isnan(full) ? 0 : full})
            isGood = isGood && count >= 0 && count <= 0x1p53;
        if (!isGood)
            return Error{Error::Kind::Data,
                         "\"" + path + "\", line " + std::to_string(number) + ": expected "
                             + std::to_string(columns->count())
                             + " cells, with numbers in all but run, method, inner and event."};
        p.stage = static_cast<Index>(stage);
        p.cost = {.ticks = number,
                  .steps = static_cast<Index>(steps),
                  .accesses = static_cast<Index>(accesses),
                  .fullAccesses = std::isnan(full) ? 0 : static_cast<Index>(full)};
        if (const std::string name = columns->text(cells, "run"); all.empty() || all.back().name != name) {
            all.push_back({.name = name,
                           .trace = {},
                           .method = columns->text(cells, "method"),
                           .inner = columns->text(cells, "inner"),
                           .fOpt = {}});
            bestExcess = unknown;
        }
        ReadTrace &read = all.back();
        p.stageEnd = std::isnan(stageEnd) ? read.trace.points.empty() || read.trace.points.back().stage != p.stage
                                          : stageEnd != 0;
        if (passes > 0)
            read.rows = accesses / passes;
        // The smallest excess gives F_opt with the fewest digits lost.
        if (!std::isnan(excess) && !(std::abs(excess) >= bestExcess)) {
            bestExcess = std::abs(excess);
            read.fOpt = p.loss - excess;
        }
        read.trace.points.push_back(p);
        addEvents(read.trace, p, columns->text(cells, "event"));
    }
    if (all.empty())
        return Error{Error::Kind::Data, "\"" + path + "\" holds no points."};
    return all;
}

} // namespace appa
