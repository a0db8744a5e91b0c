#include "runs/RunRecord.h"

#include <QCoreApplication>

namespace appa::ui {

double excessOf(const RunRecord &run, double loss)
{
    if (!run.problem || !run.problem->optimum || !run.problem->optimum->attained)
        return unknown;
    return loss - run.problem->optimum->value;
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

QString statusText(const RunRecord &run)
{
    const auto tr = [](const char *text) { return QCoreApplication::translate("RunModel", text); };
    switch (run.status) {
    case RunStatus::Ready:
        return tr("Ready");
    case RunStatus::Running:
        return tr("Running");
    case RunStatus::Paused:
        return run.stopped ? tr("Stopped") : tr("Paused");
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
