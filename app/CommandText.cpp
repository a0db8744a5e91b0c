#include "CommandText.h"

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

QString quoted(const std::string &word)
{
    return QString::fromStdString(shellQuoted(word));
}

QString quoted(const QString &word)
{
    return quoted(word.toStdString());
}

QString exact(double v)
{
    return std::isfinite(v) ? QString::number(v, 'g', 17) : QString();
}

/// The short options where they say it all; they have a fixed order, and one seed. Else the list itself.
void addTransforms(QStringList &words, const DataRecipe &r)
{
    using Kind = Transform::Kind;
    const auto rank = [](const Transform &t) {
        return t.kind == Kind::FirstRows ? 1 : t.kind == Kind::FourierFeatures ? 3 : t.kind == Kind::Affine ? 4 : 2;
    };
    QString normalize = QStringLiteral("none");
    QString features = QStringLiteral("none");
    QStringList rest;
    int last = 0;
    bool isPlain = true;
    for (const Transform &t : r.transforms) {
        const QString text = QString::fromStdString(textOf({&t, 1}));
        isPlain = isPlain && rank(t) > last && t.kind != Kind::RandomRows
            && (t.kind != Kind::FourierFeatures || t.seed == r.seed);
        last = rank(t);
        if (t.kind == Kind::FirstRows)
            rest << QStringLiteral("--rows") << QString::number(t.count);
        else if (t.kind == Kind::Affine)
            rest << QStringLiteral("--affine");
        else if (t.kind == Kind::FourierFeatures)
            features = text.section(u':', 0, 2);
        else
            normalize = text;
    }
    if (isPlain)
        words << rest << QStringLiteral("--normalize") << normalize << QStringLiteral("--features") << features;
    else
        words << QStringLiteral("--transforms") << QString::fromStdString(textOf(r.transforms, r.seed));
}

void addProblem(QStringList &words, const ProblemSpec &spec)
{
    const DataRecipe &r = spec.recipe;
    words << QStringLiteral("--data") << quoted(r.source);
    if (!r.testFile.empty())
        words << QStringLiteral("--test") << quoted(r.testFile);
    if (r.format != "auto")
        words << QStringLiteral("--format") << QString::fromStdString(r.format);
    if (!r.label.empty())
        words << QStringLiteral("--label") << quoted(r.label);
    const auto addList = [&](const QString &option, const std::vector<std::string> &list) {
        if (!list.empty())
            words << option << quoted(joined(list, ","));
    };
    addList(QStringLiteral("--columns"), r.columns.only);
    addList(QStringLiteral("--drop"), r.columns.dropped);
    if (r.columns.words != ColumnChoice::Words::Refuse)
        words << QStringLiteral("--words") << QString::fromStdString(std::string(r.columns.wordsName()));
    if (r.columns.missing != ColumnChoice::Missing::Refuse)
        words << QStringLiteral("--missing") << QString::fromStdString(std::string(r.columns.missingName()));
    addList(QStringLiteral("--positive"), r.positive);
    if (r.regression)
        words << QStringLiteral("--regression");
    if (r.holdout > 0)
        words << QStringLiteral("--holdout") << QString::fromStdString(formatParam(r.holdout));
    addTransforms(words, r);
    if (r.precision == Precision::Double)
        words << QStringLiteral("--precision") << QStringLiteral("double");
    if (r.seed != 1)
        words << QStringLiteral("--data-seed") << QString::number(r.seed);
    words << QStringLiteral("--loss") << QString::fromStdString(spec.loss);
    if (spec.ridge > 0)
        words << QStringLiteral("--ridge") << exact(spec.ridge);
}

} // namespace

QString problemText(const ProblemSpec &problem)
{
    QStringList words;
    addProblem(words, problem);
    return words.join(u' ');
}

QString commandText(const RunRecord &run)
{
    QStringList words{QStringLiteral("appa-lab"), QStringLiteral("run")};
    if (run.problem)
        addProblem(words, run.problem->spec);
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
        QString name = run->name;
        if (name.contains(u',') || name.contains(u'"'))
            name = u'"' + name.replace(u'"', QLatin1String("\"\"")) + u'"';
        const auto &optimum = run->problem ? run->problem->optimum : std::nullopt;
        out += traceCsvRows(run->trace, run->spec, run->n(),
                            optimum && optimum->known ? std::optional(optimum->value) : std::nullopt,
                            name.toStdString() + ",");
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
