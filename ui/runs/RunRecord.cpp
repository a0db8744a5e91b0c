#include "runs/RunRecord.h"

#include "charts/Curve.h"
#include "theme/Format.h"

#include <QCoreApplication>
#include <QRegularExpression>

#include <algorithm>

namespace appa::ui {

double excessOf(const RunRecord &run, double loss)
{
    if (!run.problem || !run.problem->optimum || !run.problem->optimum->known)
        return unknown;
    return loss - run.problem->optimum->value;
}

bool isBelowOptimum(const RunRecord &run, double loss)
{
    return run.problem && run.problem->optimum
        && isBelowOptimum(excessOf(run, loss), run.problem->optimum->certificate, run.problem->optimum->floor);
}

QString belowOptimumMeaning(const RunRecord &run, double loss)
{
    return QCoreApplication::translate(
               "RunModel",
               "F(x) is below F_opt by %1, more than F_opt can be wrong by (%2): what was found "
               "for F_opt is not the minimum of F, and no excess can be told.")
        .arg(formatNumber(-excessOf(run, loss), 3), formatNumber(run.problem->optimum->certificate, 2));
}

double passesOf(const RunRecord &run, const Cost &cost, bool countFull)
{
    return static_cast<double>(countFull ? cost.accesses : cost.accesses - cost.fullAccesses)
        / static_cast<double>(run.n());
}

QString methodLabel(const std::string &id)
{
    const MethodInfo *info = findMethod(id);
    return QString::fromStdString(info ? info->label : id);
}

MethodFamily familyOf(const std::string &method)
{
    const MethodInfo *info = findMethod(method);
    return info ? info->family : MethodFamily::Reduction;
}

QString shownName(const RunRecord &run)
{
    static const QRegularExpression numbered(QRegularExpression::anchoredPattern(
        QCoreApplication::translate("appa::ui::RunController", "run %1").arg(R"(\d+)")));
    return numbered.match(run.name).hasMatch() ? QStringLiteral("%1, %2").arg(run.name, methodLabel(run.method))
                                               : run.name;
}

QString innerLabel(const std::string &id)
{
    const InnerInfo *info = findInner(id);
    return QString::fromStdString(info ? info->label : id);
}

QString lossLabel(const std::string &id)
{
    for (const LossInfo &info : losses())
        if (info.id == id)
            return QString::fromUtf8(info.label.data(), static_cast<qsizetype>(info.label.size()));
    return QString::fromStdString(id);
}

LambdaMeaning lambdaMeaning(const std::string &method)
{
    const MethodInfo *info = findMethod(method);
    return info ? info->lambda : LambdaMeaning::Unused;
}

double gapOf(const RunRecord &run)
{
    const LambdaMeaning meaning = lambdaMeaning(run.method);
    if (run.trace.points.empty() || meaning == LambdaMeaning::StepSize || meaning == LambdaMeaning::Unused)
        return unknown;
    const TracePoint &last = run.trace.points.back();
    for (auto event = run.trace.events.rbegin(); event != run.trace.events.rend() && event->at.ticks >= last.cost.ticks;
         ++event)
        if (event->kind == RunEvent::Kind::Method)
            return unknown;
    return last.gap;
}

QString gapLabel(const RunRecord &run)
{
    switch (lambdaMeaning(run.method)) {
    case LambdaMeaning::ProximalWeight:
        return QCoreApplication::translate("RunModel", "Gap of the stage");
    case LambdaMeaning::RidgeWeight:
        return QCoreApplication::translate("RunModel", "Gap of F + (λ/2)|x|²");
    default:
        return QCoreApplication::translate("RunModel", "Duality gap");
    }
}

QString gapMeaning(const RunRecord &run)
{
    switch (lambdaMeaning(run.method)) {
    case LambdaMeaning::ProximalWeight:
        return QCoreApplication::translate(
            "RunModel",
            "The duality gap of the stage's subproblem F + (λ/2)|x − s|², whose centre s moves from stage to stage: "
            "how "
            "exactly it is solved. It is not the gap of F, whose excess is shown beside it.");
    case LambdaMeaning::RidgeWeight:
        return QCoreApplication::translate(
            "RunModel",
            "The duality gap of F + (λ/2)|x|², which the method minimizes. It is not the gap of F, whose excess is "
            "shown beside it.");
    default:
        return QCoreApplication::translate("RunModel", "This method keeps no dual point, so there is no gap.");
    }
}

std::size_t sharedChanges(std::span<const RunEvent> a, std::span<const RunEvent> b)
{
    const auto same = [](const RunEvent &one, const RunEvent &other) {
        return one.at.ticks == other.at.ticks && one.label == other.label;
    };
    return static_cast<std::size_t>(std::ranges::mismatch(a, b, same).in1 - a.begin());
}

QString statusText(const RunRecord &run)
{
    const auto tr = [](const char *text) { return QCoreApplication::translate("RunModel", text); };
    switch (run.status) {
    case RunStatus::Ready:
        return tr("Ready");
    case RunStatus::Running:
        return tr("Running");
    case RunStatus::Paused:
        // Its stage counts up to where it was, and Space takes effect only there.
        return run.catchingUp ? tr("Recomputing") : run.stopped ? tr("Stopped") : tr("Paused");
    case RunStatus::Finished:
        return tr("Finished");
    case RunStatus::Diverged:
        return tr("Diverged");
    case RunStatus::Failed:
        return tr("Failed");
    }
    return {};
}

} // namespace appa::ui
