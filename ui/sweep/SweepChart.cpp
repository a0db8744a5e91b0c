#include "sweep/SweepChart.h"

#include "charts/SweepMapping.h"
#include "theme/Format.h"

#include <algorithm>

namespace appa::ui {

SweepQuantity quantityOf(SweepMeasure measure)
{
    switch (measure) {
    case SweepMeasure::Excess:
        return SweepQuantity::Excess;
    case SweepMeasure::TestError:
        return SweepQuantity::TestError;
    case SweepMeasure::PassesToTarget:
        return SweepQuantity::PassesToTarget;
    case SweepMeasure::Objective:
        break;
    }
    return SweepQuantity::Loss;
}

SweepPoint chartPoint(const SweepTable &table, const SweepResult &result)
{
    const SweepPlan &plan = table.plan();
    const SweepCase c = plan.at(result.index);
    SweepPoint out;
    out.method = QString::fromStdString(plan.methods[c.method].id());
    out.inner = QString::fromStdString(plan.methods[c.method].inner);
    out.lambda = plan.lambdas[c.lambda];
    out.seed = plan.seeds[c.seed];
    const auto n = static_cast<double>(table.context().n);
    const bool hasTest = table.context().testRows > 0;
    const auto push = [&](const TracePoint &p) {
        out.loss.push_back(p.loss);
        if (hasTest)
            out.testError.push_back(p.testError);
        const Index accesses = p.cost.accesses - (table.countsFullGradients() ? 0 : p.cost.fullAccesses);
        out.passes.push_back(static_cast<double>(accesses) / n);
    };
    for (const TracePoint &p : result.points)
        push(p);
    if (result.status == RunStatus::Diverged) {
        out.divergedAt = static_cast<int>(result.stage);
        const auto before = static_cast<std::size_t>(std::max<Index>(1, result.stage));
        if (out.loss.size() > before) {
            out.loss.resize(before);
            out.passes.resize(before);
            if (hasTest)
                out.testError.resize(before);
        }
    } else if (result.status == RunStatus::Finished && !result.points.empty()) {
        // A run that had nothing left to do stays where it is.
        while (out.loss.size() <= static_cast<std::size_t>(plan.stages))
            push(result.points.back());
    }
    return out;
}

SweepData chartData(const SweepTable &table, SweepMeasure measure, Index stage)
{
    const SweepPlan &plan = table.plan();
    SweepData out;
    const std::vector<std::string> labels = plan.shortLabels();
    for (std::size_t m = 0; m < plan.methods.size(); ++m) {
        const SweepVariant &variant = plan.methods[m];
        const MethodInfo *info = findMethod(variant.method);
        out.methods.push_back({.method = QString::fromStdString(variant.id()),
                               .inner = QString::fromStdString(variant.inner),
                               .label = QString::fromStdString(labels[m]),
                               .colour = {},
                               .family = info ? info->family : MethodFamily::Reduction,
                               .lambda = info ? info->lambda : LambdaMeaning::Unused});
    }
    for (std::size_t index = 0; index < plan.size(); ++index) {
        const SweepResult *result = table.find(plan.at(index));
        if (result && result->status != RunStatus::Failed)
            out.points.push_back(chartPoint(table, *result));
    }
    out.lambdas = plan.lambdas;
    if (table.hasOptimum())
        out.optimum = table.context().fOpt;
    out.optimumFloor = table.context().floor;
    out.ridgeFloor.assign(table.floors().begin(), table.floors().end());
    out.quantity = quantityOf(measure);
    out.target = table.target();
    out.stage = static_cast<int>(stage);
    return out;
}

std::optional<SweepCase> caseOf(const SweepPlan &plan, const SweepPoint &point)
{
    const auto method = std::find_if(plan.methods.begin(), plan.methods.end(), [&](const SweepVariant &v) {
        return QString::fromStdString(v.id()) == point.method;
    });
    const auto lambda = std::find(plan.lambdas.begin(), plan.lambdas.end(), point.lambda);
    const auto seed = std::find(plan.seeds.begin(), plan.seeds.end(), point.seed);
    if (method == plan.methods.end() || lambda == plan.lambdas.end() || seed == plan.seeds.end())
        return std::nullopt;
    return SweepCase{.method = static_cast<std::size_t>(method - plan.methods.begin()),
                     .lambda = static_cast<std::size_t>(lambda - plan.lambdas.begin()),
                     .seed = static_cast<std::size_t>(seed - plan.seeds.begin())};
}

QString problemTitle(const SweepContext &context)
{
    const QString title = QStringLiteral("%1, %2 loss")
                              .arg(QString::fromStdString(context.dataset), QString::fromStdString(context.loss));
    return context.ridge > 0 ? title + QStringLiteral(", ridge %1").arg(formatPower(context.ridge)) : title;
}

FigureText figureText(const SweepTable &table)
{
    const SweepContext &context = table.context();
    const SweepPlan &plan = table.plan();
    FigureText text;
    text.title = QStringLiteral("Sensitivity to λ after %1").arg(stagesText(plan.stages));
    text.dataset = QStringLiteral("%1 (n = %2, d = %3)")
                       .arg(QString::fromStdString(context.dataset), formatCount(context.n), formatCount(context.d));
    const QString seeds = plan.seeds.size() == 1
        ? QStringLiteral("seed %1").arg(plan.seeds.front())
        : QStringLiteral("%1 seeds (median, quartiles)").arg(plan.seeds.size());
    text.parameters = QStringLiteral("%1 loss, ridge %2, %3")
                          .arg(QString::fromStdString(context.loss), formatPower(context.ridge), seeds);
    return text;
}

} // namespace appa::ui
