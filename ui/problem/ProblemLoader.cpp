#include "problem/ProblemLoader.h"

#include "data/TransformText.h"
#include "theme/Format.h"

#include <QFileInfo>

namespace appa::ui {

namespace {

Result<ProblemStatePtr> makeProblem(const ProblemSpec &spec, DatasetPtr data, const Progress &progress)
{
    if (!data) {
        auto loaded = loadDataset(spec.recipe, progress);
        if (!loaded.ok())
            return loaded.error();
        data = std::move(loaded).value();
    }
    auto loss = makeLoss(spec.loss, data->train.rows(), data->classes());
    if (!loss.ok())
        return loss.error();
    if (std::string why = Problem::whyNot(*data, loss.value(), spec.ridge); !why.empty())
        return Error{Error::Kind::Data, std::move(why)};
    auto state = std::make_shared<ProblemState>();
    state->spec = spec;
    state->title = titleOf(spec, data.get());
    state->problem = std::make_shared<const Problem>(std::move(data), loss.value(), spec.ridge);
    return state;
}

} // namespace

QStringList partsOf(const ProblemSpec &spec, const Dataset *data)
{
    const QString source = QString::fromStdString(spec.recipe.source);
    const QFileInfo file(source);
    return {data && !data->name.empty() ? QString::fromStdString(data->name)
                : file.isFile()         ? file.fileName()
                                        : source,
            ProblemLoader::tr("%1 loss").arg(lossLabel(spec.loss).toLower()),
            spec.ridge > 0 ? ProblemLoader::tr("ridge %1").arg(formatPower(spec.ridge)) : ProblemLoader::tr("no ridge"),
            QString::fromStdString(textOf(spec.recipe.transforms))};
}

QString titleOf(const ProblemSpec &spec, const Dataset *data)
{
    return partsOf(spec, data).mid(0, spec.ridge > 0 ? 3 : 2).join(QStringLiteral(", "));
}

ProblemLoader::ProblemLoader(QObject *parent) : QObject(parent)
{
    connect(&m_background, &Background::progressed, this, &ProblemLoader::progressed);
    connect(&m_background, &Background::busyChanged, this, &ProblemLoader::busyChanged);
}

void ProblemLoader::load(const ProblemSpec &spec, const ProblemStatePtr &like)
{
    m_spec = spec;
    DatasetPtr data;
    if (like && like->problem && like->spec.recipe == spec.recipe)
        data = like->problem->dataPtr();
    m_background.start([spec, data](const Progress &progress) { return makeProblem(spec, data, progress); },
                       [this](Result<ProblemStatePtr> result) {
                           if (result.ok())
                               emit loaded(result.value());
                           else if (result.error().kind != Error::Kind::Cancelled)
                               emit failed(QString::fromStdString(result.error().message));
                       });
}

void ProblemLoader::cancel()
{
    m_background.cancel();
}

} // namespace appa::ui
