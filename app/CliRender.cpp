// appa-lab render: the charts of a session or of traces as a figure, without a window.

#include "Checks.h"
#include "Cli.h"
#include "CommandText.h"
#include "FigurePath.h"
#include "HeadlessQt.h"
#include "ProblemOptions.h"
#include "SharedPast.h"

#include "base/Text.h"
#include "charts/FigureExport.h"
#include "run/Labels.h"
#include "run/Session.h"
#include "run/TraceCsv.h"
#include "theme/Theme.h"

#include <CLI/CLI.hpp>

#include <QFileInfo>
#include <QStringList>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <memory>

namespace appa::cli {

namespace {

using namespace appa::ui;

struct RenderArguments
{
    std::vector<std::string> files;
    std::string out;
    std::string axis = "passes";
    std::string panels = "both";
    std::string size = "1000x720";
    std::string title;
    double fontScale = 1;
    bool linear = false;
    bool loss = false;
    bool noEvents = false;
    bool withoutFullGradients = false;
    bool quiet = false;
};

QString text(const std::string &value)
{
    return QString::fromStdString(value);
}

/// The dash is that of the method a run ends with, as in the window.
std::string methodInEffect(const std::string &first, const Trace &trace)
{
    std::string method = first;
    for (const RunEvent &event : trace.events)
        if (event.kind == RunEvent::Kind::Method)
            method = std::get<std::string>(event.to);
    return method;
}

void addCurve(CurvesData &data, QString name, const std::string &method, RunStatus status, double rows,
              const Trace &trace, std::size_t sharedEvents = 0)
{
    Curve curve;
    curve.runId = static_cast<int>(data.curves.size());
    curve.name = std::move(name);
    curve.colour = Theme::print().series(curve.runId);
    if (const MethodInfo *info = findMethod(methodInEffect(method, trace)))
        curve.family = info->family;
    curve.switches = familySwitches(trace);
    curve.status = status;
    curve.rows = rows;
    curve.points = trace.points;
    curve.events.assign(trace.events.begin() + static_cast<std::ptrdiff_t>(sharedEvents), trace.events.end());
    data.curves.push_back(std::move(curve));
}

/// What a file's losses are losses of, as far as it says.
struct Origin
{
    struct Stated
    {
        std::uint64_t dataHash = 0;
        std::string loss;
        double ridge = 0;
        bool operator==(const Stated &) const = default;
    };

    std::optional<Stated> problem; ///< a session's
    std::optional<double> fOpt;

    /// One F_opt would be wrong for one of the two. A trace's is a difference of two columns: not exact.
    bool contradicts(const Origin &other) const
    {
        if (problem && other.problem)
            return *problem != *other.problem;
        if (!fOpt || !other.fOpt) // the one's would be taken for the other's
            return fOpt.has_value() != other.fOpt.has_value();
        return std::abs(*fOpt - *other.fOpt) > 1e-9 * std::max(1.0, std::abs(*fOpt));
    }
};

std::optional<Error> addSession(CurvesData &data, FigureText &figure, Origin &origin, const std::string &path)
{
    const auto read = readSession(path);
    if (!read)
        return read.error();
    const Session &session = read.value();
    origin.problem = {session.dataHash, session.loss, session.ridge};
    origin.fOpt = session.fOpt;
    QStringList parameters{text(session.loss) + " loss, ridge " + text(shortNumber(session.ridge))};
    for (auto run = session.runs.begin(); run != session.runs.end(); ++run) {
        // The changes of a fork's past are marked once, at its parent.
        std::size_t shared = 0;
        for (auto earlier = session.runs.begin(); earlier != run; ++earlier)
            shared = std::max(shared, sharedPast(run->spec, run->trace, earlier->spec, earlier->trace));
        addCurve(data, text(run->name), run->spec.method, run->status,
                 static_cast<double>(std::max<Index>(1, session.rows)), run->trace, shared);
        parameters << text(run->name) + ": " + courseText(run->spec, run->trace);
    }
    if (session.fOpt && !data.optimum)
        data.optimum = OptimumLine{.value = *session.fOpt, .floor = session.fOptFloor};
    figure.dataset = QString("%1 (n = %2, d = %3)").arg(text(session.dataName)).arg(session.rows).arg(session.columns);
    figure.parameters = parameters.join("; ");
    return std::nullopt;
}

std::optional<Error> addTrace(CurvesData &data, FigureText &figure, Origin &origin, const std::string &path)
{
    const auto read = readTraceCsv(path);
    if (!read)
        return read.error();
    for (const ReadTrace &trace : read.value()) {
        if (trace.fOpt && !origin.fOpt)
            origin.fOpt = trace.fOpt;
        addCurve(data, trace.name.empty() ? QFileInfo(text(path)).completeBaseName() : text(trace.name), trace.method,
                 RunStatus::Finished, trace.rows, trace.trace);
        if (trace.fOpt && !data.optimum)
            data.optimum = OptimumLine{.value = *trace.fOpt, .floor = 0};
        const QString line = text(trace.method) + (trace.inner.empty() ? QString() : ":" + text(trace.inner));
        figure.parameters += (figure.parameters.isEmpty() ? "" : "; ") + line;
    }
    return std::nullopt;
}

std::optional<QSize> parseSize(const std::string &size)
{
    int width = 0, height = 0;
    const auto sides = split(size, 'x');
    if (sides.size() != 2 || !readInto(sides[0], width) || !readInto(sides[1], height) || width < 200 || height < 150
        || width > 10000 || height > 10000)
        return std::nullopt;
    return QSize(width, height);
}

int render(const RenderArguments &arguments)
{
    const auto size = parseSize(arguments.size);
    if (!size)
        return fail({Error::Kind::Usage,
                     "--size must be WIDTHxHEIGHT, from 200x150 to 10000x10000, not \"" + arguments.size + "\"."});

    CurvesData data;
    FigureText figure;
    std::vector<Origin> origins;
    for (const std::string &path : arguments.files) {
        if (areOneFile(path, arguments.out))
            return fail(usage("--out would be written over what is drawn, \"" + path + "\". Choose another name."));
        const bool isTrace = text(path).endsWith(".csv", Qt::CaseInsensitive);
        Origin origin;
        if (const auto error = isTrace ? addTrace(data, figure, origin, path) : addSession(data, figure, origin, path))
            return fail(*error);
        for (std::size_t k = 0; k < origins.size() && !arguments.loss; ++k)
            if (origin.contradicts(origins[k]))
                return fail({Error::Kind::Usage,
                             arguments.files[k] + " and " + path
                                 + " are of different problems, which have no F_opt in common: draw their losses "
                                   "(--loss), or each of them alone."});
        origins.push_back(std::move(origin));
    }
    if (data.curves.empty())
        return fail({Error::Kind::Data, "There is no run in it: nothing to draw."});
    figure.title = text(arguments.title);
    data.options.xAxis = arguments.axis == "stages" ? XAxis::Stages
        : arguments.axis == "accesses"              ? XAxis::Accesses
        : arguments.axis == "seconds"               ? XAxis::Seconds
                                                    : XAxis::Passes;
    data.options.logLoss = !arguments.linear;
    data.options.forceLoss = arguments.loss;
    data.options.countFullGradients = !arguments.withoutFullGradients;

    const HeadlessQt qt;
    FigureOptions options;
    options.size = *size;
    options.pixelRatio = 1; // a PNG has the pixels that were asked for
    options.fontScale = arguments.fontScale;
    options.panels = arguments.panels == "loss" ? FigurePanels::LossOnly
        : arguments.panels == "test"            ? FigurePanels::TestErrorOnly
                                                : FigurePanels::Both;
    options.showEvents = !arguments.noEvents;
    const auto write = [&](const QString &path) { return exportCurves(path, data, figure, options); };
    if (const auto error = writeFigureTo(arguments.out, write))
        return fail(*error);
    if (!arguments.quiet)
        std::printf("%s\n", arguments.out.c_str());
    return Done;
}

} // namespace

void addRenderCommand(CLI::App &app, Action &chosen)
{
    CLI::App *sub = app.add_subcommand("render", "Draw the charts of a session or of traces: PNG, SVG or PDF");
    const auto arguments = std::make_shared<RenderArguments>();
    sub->add_option("FILE", arguments->files, "A session (.appa), or traces (.csv)")->required();
    sub->add_option("--out", arguments->out, "The figure; its ending says the format: .png, .svg or .pdf")->required();
    sub->add_option("--axis", arguments->axis, "What runs along the x axis")
        ->check(oneOf({"passes", "stages", "accesses", "seconds"}))
        ->capture_default_str();
    sub->add_option("--panels", arguments->panels, "Which of the two charts")
        ->check(oneOf({"both", "loss", "test"}))
        ->capture_default_str();
    sub->add_option("--size", arguments->size, "In pixels (PNG), or units of 1/96 inch (SVG, PDF)")
        ->capture_default_str();
    sub->add_option("--font-scale", arguments->fontScale, "Larger or smaller type")->check(between(0.5, 4));
    sub->add_option("--title", arguments->title, "Above the charts");
    sub->add_flag("--linear", arguments->linear, "A linear axis for the loss");
    sub->add_flag("--loss", arguments->loss, "The loss itself, even where the excess is known");
    sub->add_flag("--no-events", arguments->noEvents, "Without the markers of changes");
    sub->add_flag("--without-full-gradients", arguments->withoutFullGradients,
                  "Do not count SVRG's full gradients as passes");
    sub->add_flag("--quiet", arguments->quiet, "Do not print the figure's path");
    sub->callback([&chosen, arguments] { chosen = [arguments] { return render(*arguments); }; });
}

} // namespace appa::cli
