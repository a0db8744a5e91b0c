#include "run/TraceCsv.h"

#include "base/AtomicFile.h"
#include "base/Text.h"
#include "run/Labels.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <string_view>
#include <vector>

namespace appa {

std::string traceCsv(const Trace &trace, const RunSpec &spec, Index n, std::optional<double> fOpt)
{
    std::string csv = std::string(traceCsvHeader) + "\n";
    std::string method = spec.method;
    std::string inner = spec.inner;
    std::size_t next = 0;
    for (std::size_t k = 0; k < trace.points.size(); ++k) {
        const TracePoint &p = trace.points[k];
        csv += std::to_string(p.stage) + ',' + std::to_string(p.cost.steps) + ','
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
        csv += '\n';
    }
    return csv;
}

namespace {

/// NaN for an empty cell; false if it is not a number.
bool parseCell(std::string_view cell, double &value)
{
    value = unknown;
    if (cell.empty())
        return true;
    const auto parsed = std::from_chars(cell.data(), cell.data() + cell.size(), value);
    return parsed.ec == std::errc() && parsed.ptr == cell.data() + cell.size();
}

} // namespace

Result<ReadTrace> readTraceCsv(const std::string &path)
{
    const auto text = readWholeFile(path);
    if (!text)
        return text.error();
    ReadTrace read;
    std::string_view rest = text.value();
    double bestExcess = unknown;
    for (int number = 1; !rest.empty(); ++number) {
        const std::size_t end = rest.find('\n');
        std::string_view line = rest.substr(0, end);
        rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
        if (line.ends_with('\r'))
            line.remove_suffix(1);
        if (number == 1) {
            if (line != traceCsvHeader)
                return Error{Error::Kind::Data,
                             "\"" + path + "\" is not a trace: its first line should be \"" + traceCsvHeader + "\"."};
            continue;
        }
        if (line.empty())
            continue;
        const auto cells = split(line, ',');
        double v[10] = {};
        bool good = cells.size() == 13;
        for (std::size_t k = 0; good && k < 10; ++k)
            good = parseCell(cells[k], v[k]);
        if (!good || std::isnan(v[0]) || std::isnan(v[1]) || std::isnan(v[3]))
            return Error{Error::Kind::Data,
                         "\"" + path + "\", line " + std::to_string(number)
                             + ": expected 13 cells, the first ten of them numbers."};
        TracePoint p;
        p.stage = static_cast<Index>(v[0]);
        p.cost = {.ticks = number,
                  .steps = static_cast<Index>(v[1]),
                  .accesses = static_cast<Index>(v[3]),
                  .fullAccesses = 0};
        p.seconds = v[4];
        p.loss = v[5];
        p.testError = v[7];
        p.gap = v[8];
        p.lambda = v[9];
        p.stageEnd = read.trace.points.empty() || read.trace.points.back().stage != p.stage;
        if (v[2] > 0)
            read.rows = v[3] / v[2];
        // The smallest excess gives F_opt with the fewest digits lost.
        if (!std::isnan(v[6]) && !(std::abs(v[6]) >= bestExcess)) {
            bestExcess = std::abs(v[6]);
            read.fOpt = v[5] - v[6];
        }
        if (read.trace.points.empty()) {
            read.method = cells[10];
            read.inner = cells[11];
        }
        read.trace.points.push_back(p);
        for (const std::string_view change :
             cells[12].empty() ? std::vector<std::string_view>{} : split(cells[12], ';')) {
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
            read.trace.events.push_back(std::move(event));
        }
    }
    if (read.trace.points.empty())
        return Error{Error::Kind::Data, "\"" + path + "\" holds no points."};
    return read;
}

} // namespace appa
