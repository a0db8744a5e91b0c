#include "CommandText.h"

#include "ProblemOptions.h"
#include "RunController.h"
#include "ShellText.h"
#include "base/Text.h"
#include "data/TransformText.h"
#include "form/ParamText.h"
#include "run/TraceCsv.h"
#include "theme/Format.h"

#include <QStringList>

#include <cmath>
#include <limits>

namespace appa {

using namespace ui;

namespace {

QString quoted(const QString &word)
{
    return QString::fromStdString(shellQuoted(word.toStdString()));
}

/// The short options where they say it all; they have a fixed order, and one seed. Else the list itself.
void setTransforms(cli::ProblemOptions &options, const DataRecipe &r)
{
    using Kind = Transform::Kind;
    const auto rank = [](const Transform &t) {
        return t.kind == Kind::FirstRows ? 1 : t.kind == Kind::FourierFeatures ? 3 : t.kind == Kind::Affine ? 4 : 2;
    };
    cli::ProblemOptions plain = options;
    plain.normalize = plain.features = "none";
    int last = 0;
    for (const Transform &t : r.transforms) {
        if (rank(t) <= last || t.kind == Kind::RandomRows || (t.kind == Kind::FourierFeatures && t.seed != r.seed)) {
            options.transforms = textOf(r.transforms, r.seed);
            return;
        }
        last = rank(t);
        if (t.kind == Kind::FirstRows)
            plain.rows = t.count;
        else if (t.kind == Kind::Affine)
            plain.affine = true;
        else if (t.kind == Kind::FourierFeatures)
            plain.features = textOf({&t, 1}, t.seed);
        else
            plain.normalize = textOf({&t, 1});
    }
    options = std::move(plain);
}

cli::ProblemOptions optionsOf(const ProblemSpec &spec)
{
    const DataRecipe &r = spec.recipe;
    const auto list = [](const std::vector<std::string> &items) {
        return items.empty() ? std::vector<std::string>() : std::vector{listText(items)};
    };
    cli::ProblemOptions options;
    options.data = r.source;
    options.test = r.testFile;
    options.format = r.format;
    options.label = r.label;
    options.columns = list(r.columns.only);
    options.drop = list(r.columns.dropped);
    options.words = r.columns.wordsName();
    options.missing = r.columns.missingName();
    options.positive = list(r.positive);
    options.regression = r.regression;
    options.holdout = r.holdout;
    setTransforms(options, r);
    options.precision = r.precision == Precision::Double ? "double" : "single";
    options.dataSeed = r.seed;
    options.loss = spec.loss;
    options.ridge = spec.ridge;
    return options;
}

} // namespace

QString problemText(const ProblemSpec &problem)
{
    return QString::fromStdString(optionsOf(problem).text());
}

QString commandText(const RunRecord &run)
{
    QStringList words{QStringLiteral("appa-lab"), QStringLiteral("run")};
    if (run.problem)
        words << problemText(run.problem->spec);
    words << QStringLiteral("--method") << QString::fromStdString(run.spec.method);
    if (!run.spec.inner.empty())
        words << QStringLiteral("--inner") << QString::fromStdString(run.spec.inner);
    for (const auto &[key, value] : run.spec.params.values()) {
        const QString text = QString::fromStdString(formatParam(value));
        if (key == "lambda")
            words << QStringLiteral("--lambda") << text;
        else
            words << QStringLiteral("--set") << quoted(QString::fromStdString(key) + u'=' + text);
    }
    words << QStringLiteral("--stages") << QString::number(run.stop.stages) << QStringLiteral("--seed")
          << QString::number(run.spec.seed);
    for (const RunEvent &event : run.trace.events) {
        const auto at = [&](const std::string &key, const std::string &value) {
            words << QStringLiteral("--at")
                  << quoted(QStringLiteral("%1%2:%3=%4")
                                .arg(event.stage)
                                .arg(event.midStage ? QStringLiteral("@%1").arg(event.at.ticks) : QString(),
                                     QString::fromStdString(key), QString::fromStdString(value)));
        };
        at(event.key, formatParam(event.to));
        if (event.kind == RunEvent::Kind::Method && !event.inner.empty())
            at("inner", event.inner);
    }
    return words.join(u' ');
}

QByteArray csvText(const std::vector<const RunRecord *> &runs)
{
    std::string out = std::string("run,") + traceCsvHeader + "\n";
    for (const RunRecord *run : runs) {
        const auto &optimum = run->problem ? run->problem->optimum : std::nullopt;
        out += traceCsvRows(run->trace, run->spec, run->n(),
                            optimum && optimum->known ? std::optional(optimum->value) : std::nullopt,
                            listText({run->name.toStdString()}) + ",");
    }
    return QByteArray::fromStdString(out);
}

QString courseText(const RunSpec &spec, const Trace &trace)
{
    QStringList parts;
    auto point = trace.points.begin();
    // A method and its λ as they were in effect until some tick, each value once in a row; of many, the first and last.
    const auto stretch = [&](const QString &when, const std::string &id, const std::string &inner, Index until) {
        parts << when + methodLabel(id) + (inner.empty() ? QString() : QStringLiteral(" (%1)").arg(innerLabel(inner)));
        QStringList lambdas;
        for (; point != trace.points.end() && point->cost.ticks <= until; ++point) {
            const QString value = point->lambda > 0 ? formatPower(point->lambda) : QString();
            if (!value.isEmpty() && (lambdas.isEmpty() || lambdas.back() != value))
                lambdas << value;
        }
        if (lambdas.size() > 4)
            lambdas = {lambdas.front(), QStringLiteral("…"), lambdas.back()};
        if (!lambdas.isEmpty())
            parts << lambdaText(lambdaMeaning(id), lambdas.join(QStringLiteral(" → ")));
    };
    QString when;
    std::string method = spec.method;
    std::string inner = spec.inner;
    for (const RunEvent &event : trace.events) {
        if (event.kind != RunEvent::Kind::Method)
            continue;
        stretch(when, method, inner, event.at.ticks);
        when = QStringLiteral("after stage %1 ").arg(event.stage);
        method = std::get<std::string>(event.to);
        inner = event.inner;
    }
    stretch(when, method, inner, std::numeric_limits<Index>::max());
    parts << QStringLiteral("seed %1").arg(spec.seed);
    return parts.join(QStringLiteral(", "));
}

QString parameterText(const std::vector<const RunRecord *> &runs)
{
    QStringList parts;
    for (const RunRecord *run : runs) {
        parts << QStringLiteral("%1: %2").arg(run->name, courseText(run->spec, run->trace));
    }
    return parts.join(QStringLiteral("; "));
}

} // namespace appa
