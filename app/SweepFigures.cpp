#include "SweepFigures.h"

#include "FigurePath.h"
#include "HeadlessQt.h"

#include "base/AtomicFile.h"
#include "base/Text.h"
#include "charts/FigureExport.h"
#include "form/ParamText.h"
#include "sweep/SweepChart.h"
#include "theme/Format.h"
#include "theme/Theme.h"

#include <algorithm>
#include <cmath>
#include <filesystem>

namespace appa::cli {

namespace {

/// Does lambda weigh a quadratic term, so that ls(lambda) says where its method would end?
bool hasFloor(const SweepVariant &variant)
{
    const MethodInfo *info = findMethod(variant.method);
    return info && (info->lambda == LambdaMeaning::RidgeWeight || info->lambda == LambdaMeaning::ProximalWeight);
}

constexpr const char *figureEndings[] = {"png", "svg", "pdf"};

std::vector<std::string> figureFiles(const std::string &folder)
{
    std::vector<std::string> files;
    for (const char *name : {"/sensitivity.", "/curves."})
        for (const char *ending : figureEndings)
            files.push_back(folder + name + ending);
    return files;
}

} // namespace

std::vector<std::string> studyFiles(const std::string &folder)
{
    std::vector<std::string> files = figureFiles(folder);
    for (const char *name : {"plan.json", "results.csv", "summary.txt", "summary.csv", "floors.csv", "curves.csv"})
        files.push_back(folder + "/" + name);
    return files;
}

std::vector<BestCurve> bestCurves(const SweepTable &table)
{
    // The paper takes the trial that best minimized the objective.
    const SweepMeasure measure = table.naturalMeasure();
    std::vector<BestCurve> out;
    for (const SweepRow &row : table.rows(measure, table.plan().stages)) {
        if (const auto which = table.typicalCase(row, measure, table.plan().stages))
            out.push_back({*which, *table.find(*which)});
    }
    return out;
}

std::string curvesCsv(const SweepTable &table, const std::vector<BestCurve> &curves)
{
    const SweepPlan &plan = table.plan();
    std::string text =
        "curve,lambda,seed,stage,passes,passes_without_full_gradients,seconds,train_loss,excess_loss,test_error\n";
    for (const BestCurve &curve : curves) {
        const auto n = static_cast<double>(table.context().n);
        for (const TracePoint &p : curve.result.points)
            text += plan.methods[curve.which.method].id() + ',' + formatParam(plan.lambdas[curve.which.lambda]) + ','
                + std::to_string(plan.seeds[curve.which.seed]) + ',' + std::to_string(p.stage) + ','
                + exactNumber(static_cast<double>(p.cost.accesses) / n) + ','
                + exactNumber(static_cast<double>(p.cost.accesses - p.cost.fullAccesses) / n) + ','
                + exactNumber(p.seconds) + ',' + exactNumber(p.loss) + ',' + exactNumber(p.loss - table.context().fOpt)
                + ',' + exactNumber(p.testError) + '\n';
    }
    for (const auto &[lambda, value] : table.floors())
        text += "ls," + formatParam(lambda) + ",,,,,," + exactNumber(value) + ','
            + exactNumber(value - table.context().fOpt) + ",\n";
    return text;
}

std::optional<Error> writeSummary(const SweepTable &table, const std::string &folder)
{
    if (auto error = writeAtomically(folder + "/summary.txt", summaryText(table)))
        return error;
    return writeAtomically(folder + "/summary.csv", summaryCsv(table));
}

std::optional<Error> writeFloors(const SweepTable &table, const std::string &folder)
{
    std::string text = "lambda,train_loss,excess_loss\n";
    for (const auto &[lambda, value] : table.floors())
        text += formatParam(lambda) + ',' + exactNumber(value) + ',' + exactNumber(value - table.context().fOpt) + '\n';
    return writeAtomically(folder + "/floors.csv", text);
}

std::optional<Error> writeFigure(const SweepTable &table, const std::string &folder, const std::string &command)
{
    const HeadlessQt drawing;
    ui::SweepData data = ui::chartData(table, table.naturalMeasure(), table.plan().stages);
    if (data.ridgeFloor.size() < table.plan().lambdas.size())
        data.ridgeFloor.clear(); // those that go with the curves are no line over the grid
    ui::FigureText text = ui::figureText(table);
    text.command = QString::fromStdString(command);
    for (const char *ending : figureEndings) {
        if (auto error = writeFigureTo(folder + "/sensitivity." + ending,
                                       [&](const QString &path) { return ui::exportSensitivity(path, data, text); }))
            return error;
    }
    return std::nullopt;
}

void removeFigures(const std::string &folder)
{
    std::error_code ignored;
    for (const std::string &file : figureFiles(folder))
        std::filesystem::remove(file, ignored);
}

std::optional<Error> writeCurves(const SweepTable &table, const std::string &folder, const std::string &command,
                                 bool figure)
{
    const std::vector<BestCurve> best = bestCurves(table);
    if (auto error = writeAtomically(folder + "/curves.csv", curvesCsv(table, best)))
        return error;
    if (!figure)
        return std::nullopt;
    const HeadlessQt drawing;
    const SweepPlan &plan = table.plan();
    const ui::Theme theme = ui::Theme::print();
    const std::vector<std::string> labels = plan.shortLabels();
    ui::CurvesData data;
    for (const BestCurve &curve : best) {
        const SweepVariant &variant = plan.methods[curve.which.method];
        const MethodInfo *info = findMethod(variant.method);
        ui::Curve c;
        c.runId = static_cast<int>(curve.which.method) + 1;
        c.name = QStringLiteral("%1, %2").arg(QString::fromStdString(labels[curve.which.method]),
                                              ui::lambdaText(info ? info->lambda : LambdaMeaning::Unused,
                                                             ui::formatPower(plan.lambdas[curve.which.lambda])));
        c.colour = theme.series(static_cast<int>(curve.which.method));
        c.family = info ? info->family : MethodFamily::Reduction;
        c.status = curve.result.status;
        c.rows = static_cast<double>(table.context().n);
        c.plannedStages = static_cast<double>(plan.stages);
        c.points = curve.result.points;
        if (hasFloor(variant)) {
            const double lambda = plan.lambdas[curve.which.lambda];
            const bool drawn = std::any_of(data.floors.begin(), data.floors.end(),
                                           [&](const ui::FloorLine &line) { return line.lambda == lambda; });
            if (const auto floor = table.floors().find(lambda); floor != table.floors().end() && !drawn)
                data.floors.push_back({.lambda = lambda, .value = floor->second, .colour = c.colour, .label = {}});
        }
        data.curves.push_back(std::move(c));
    }
    if (table.hasOptimum())
        data.optimum = ui::OptimumLine{.value = table.context().fOpt, .floor = table.context().floor};
    data.options.xAxis = ui::XAxis::Stages;
    ui::FigureText text = ui::figureText(table);
    text.title = QStringLiteral("Learning curves at each method's best λ");
    const QString seeds = plan.seeds.size() == 1
        ? QStringLiteral("seed %1").arg(plan.seeds.front())
        : QStringLiteral("of %1 seeds %2")
              .arg(plan.seeds.size())
              .arg(plan.seeds.size() % 2 ? QStringLiteral("the median one")
                                         : QStringLiteral("the worse of the two in the middle"));
    text.parameters =
        QStringLiteral("%1 loss, ridge %2, %3")
            .arg(QString::fromStdString(table.context().loss), ui::formatPower(table.context().ridge), seeds);
    text.command = QString::fromStdString(command);
    for (const char *ending : figureEndings) {
        if (auto error = writeFigureTo(folder + "/curves." + ending,
                                       [&](const QString &path) { return ui::exportCurves(path, data, text); }))
            return error;
    }
    return std::nullopt;
}

} // namespace appa::cli
