#include "problem/ProblemLoader.h"

#include "data/Catalogue.h"
#include "data/TransformText.h"
#include "problem/MakeProblem.h"
#include "theme/Format.h"

#include <QFileInfo>

#include <algorithm>
#include <cmath>

namespace appa::ui {

namespace {

Result<ProblemStatePtr> makeState(ProblemSpec spec, DatasetPtr data, double columnRatio, LossIs loss,
                                  const Progress &progress)
{
    const bool maySwap = !data && loss == LossIs::AWish; // it was chosen for other data
    if (!data) {
        auto loaded = loadDataset(spec.recipe, progress);
        if (!loaded.ok())
            return loaded.error();
        data = std::move(loaded).value();
        // What is built in or generated is as uneven as it is meant to be.
        if (!isNamed(spec.recipe.source) && QFileInfo(QString::fromStdString(spec.recipe.source)).isFile())
            columnRatio = describe(*data).columnRatio;
    }
    auto made = makeProblem(data, spec.loss, spec.ridge);
    if (!made.ok() && maySwap) {
        if (auto fitting = makeProblem(data, {}, spec.ridge); fitting.ok()) {
            spec.loss = fittingLoss(data->kind);
            made = std::move(fitting);
        }
    }
    if (!made.ok())
        return made.error();
    auto state = std::make_shared<ProblemState>();
    state->title = titleOf(spec, data.get());
    state->spec = std::move(spec);
    state->columnRatio = columnRatio;
    state->problem = std::move(made).value();
    return state;
}

} // namespace

/// A name whose letters run from right to left must not turn what stands beside it around: it is isolated from that
/// (U+2068, U+2069).
static QString isolated(const QString &name)
{
    const auto runsLeft = [](QChar c) { return c.direction() == QChar::DirR || c.direction() == QChar::DirAL; };
    return std::ranges::any_of(name, runsLeft) ? QChar(0x2068) + name + QChar(0x2069) : name;
}

QStringList partsOf(const ProblemSpec &spec, const Dataset *data)
{
    const QString source = QString::fromStdString(spec.recipe.source);
    const QFileInfo file(source);
    return {isolated(data && !data->name.empty() ? QString::fromStdString(data->name)
                         : file.isFile()         ? file.fileName()
                                                 : source),
            ProblemLoader::tr("%1 loss").arg(lossLabel(spec.loss).toLower()),
            spec.ridge > 0 ? ProblemLoader::tr("ridge %1").arg(formatPower(spec.ridge)) : ProblemLoader::tr("no ridge"),
            spec.recipe.transforms.empty() ? QString() : QString::fromStdString(textOf(spec.recipe.transforms))};
}

QString titleOf(const ProblemSpec &spec, const Dataset *data)
{
    return partsOf(spec, data).mid(0, spec.ridge > 0 ? 3 : 2).join(QStringLiteral(", "));
}

QString unevenColumnsText(double ratio)
{
    if (!(ratio > 100))
        return {};
    const double digit = std::pow(10, std::floor(std::log10(ratio)));
    return ProblemLoader::tr("The columns differ about %1-fold in size")
        .arg(formatNumber(digit * std::round(ratio / digit), 1));
}

ProblemLoader::ProblemLoader(QObject *parent) : QObject(parent)
{
    connect(&m_background, &Background::progressed, this, &ProblemLoader::progressed);
    connect(&m_background, &Background::busyChanged, this, &ProblemLoader::busyChanged);
}

void ProblemLoader::load(const ProblemSpec &spec, const ProblemStatePtr &like, LossIs loss)
{
    m_spec = spec;
    DatasetPtr data;
    double columnRatio = 1;
    if (like && like->problem && like->spec.recipe == spec.recipe) {
        data = like->problem->dataPtr();
        columnRatio = like->columnRatio;
    }
    m_background.start([spec, data, columnRatio,
                        loss](const Progress &progress) { return makeState(spec, data, columnRatio, loss, progress); },
                       [this](Result<ProblemStatePtr> result) {
                           if (result.ok()) {
                               emit loaded(result.value());
                           } else if (result.error().kind != Error::Kind::Cancelled) {
                               m_error = result.error();
                               emit failed(QString::fromStdString(m_error.message));
                           }
                       });
}

void ProblemLoader::cancel()
{
    m_background.cancel();
}

} // namespace appa::ui
