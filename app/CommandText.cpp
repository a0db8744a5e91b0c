#include "CommandText.h"

#include "RunController.h"
#include "theme/Format.h"

#include <QStringList>

#include <cmath>

namespace appa {

using namespace ui;

namespace {

QString quoted(const QString &word)
{
    static const QString plain =
        QStringLiteral("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./:=,+@%");
    for (const QChar c : word)
        if (!plain.contains(c))
            return u'\'' + QString(word).replace(u'\'', QLatin1String("'\\''")) + u'\'';
    return word.isEmpty() ? QStringLiteral("''") : word;
}

QString exact(double v)
{
    return std::isfinite(v) ? QString::number(v, 'g', 17) : QString();
}

void addProblem(QStringList &words, const ProblemState &problem)
{
    const ProblemSpec &spec = problem.spec;
    const DataRecipe &r = spec.recipe;
    words << QStringLiteral("--data") << quoted(QString::fromStdString(r.source));
    if (!r.testFile.empty())
        words << QStringLiteral("--test") << quoted(QString::fromStdString(r.testFile));
    if (r.format != "auto")
        words << QStringLiteral("--format") << QString::fromStdString(r.format);
    if (!r.label.empty())
        words << QStringLiteral("--label") << quoted(QString::fromStdString(r.label));
    if (!r.positive.empty()) {
        QStringList classes;
        for (const std::string &c : r.positive)
            classes << QString::fromStdString(c);
        words << QStringLiteral("--positive") << quoted(classes.join(u','));
    }
    if (r.regression)
        words << QStringLiteral("--regression");
    if (r.holdout > 0)
        words << QStringLiteral("--holdout") << QString::number(r.holdout);
    QString normalize = QStringLiteral("none");
    QString features = QStringLiteral("none");
    for (const Transform &t : r.transforms) {
        switch (t.kind) {
        case Transform::Kind::MeanNorm:
            normalize = QStringLiteral("mean-norm");
            break;
        case Transform::Kind::NormalizeRows:
            normalize = QStringLiteral("rows");
            break;
        case Transform::Kind::StandardizeColumns:
            normalize = QStringLiteral("columns");
            break;
        case Transform::Kind::Affine:
            words << QStringLiteral("--affine");
            break;
        case Transform::Kind::FourierFeatures: {
            const Index count = t.count > 0 || !problem.problem ? t.count : problem.problem->n() / 5;
            features = count > 0 ? QStringLiteral("rff:%1:%2").arg(count).arg(t.bandwidth) : QStringLiteral("rff");
            break;
        }
        case Transform::Kind::FirstRows:
        case Transform::Kind::RandomRows:
            words << QStringLiteral("--rows") << QString::number(t.count);
            break;
        }
    }
    words << QStringLiteral("--normalize") << normalize << QStringLiteral("--features") << features;
    if (r.precision == Precision::Double)
        words << QStringLiteral("--precision") << QStringLiteral("double");
    if (r.seed != 1)
        words << QStringLiteral("--data-seed") << QString::number(r.seed);
    words << QStringLiteral("--loss") << QString::fromStdString(spec.loss);
    if (spec.ridge > 0)
        words << QStringLiteral("--ridge") << exact(spec.ridge);
}

} // namespace

QString problemText(const ProblemState &problem)
{
    QStringList words;
    addProblem(words, problem);
    return words.join(u' ');
}

QString commandText(const RunRecord &run)
{
    QStringList words{QStringLiteral("appa-lab"), QStringLiteral("run")};
    if (run.problem)
        addProblem(words, *run.problem);
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
                  << quoted(QStringLiteral("%1:%2=%3")
                                .arg(event.stage)
                                .arg(QString::fromStdString(key), QString::fromStdString(value)));
        };
        at(event.key, formatParam(event.to));
        if (event.kind == RunEvent::Kind::Method && !event.inner.empty())
            at("inner", event.inner);
    }
    return words.join(u' ');
}

QByteArray csvText(const std::vector<const RunRecord *> &runs)
{
    QByteArray out =
        "run,stage,step,passes,accesses,seconds,train_loss,excess_loss,test_error,gap,lambda,method,inner,event\n";
    for (const RunRecord *run : runs) {
        QString name = run->name;
        if (name.contains(u',') || name.contains(u'"'))
            name = u'"' + name.replace(u'"', QLatin1String("\"\"")) + u'"';
        std::string method = run->spec.method;
        std::string inner = run->spec.inner;
        std::size_t next = 0;
        for (const TracePoint &p : run->trace.points) {
            QStringList events;
            for (; next < run->trace.events.size() && run->trace.events[next].at.ticks <= p.cost.ticks; ++next) {
                const RunEvent &event = run->trace.events[next];
                if (event.kind == RunEvent::Kind::Method) {
                    method = std::get<std::string>(event.to);
                    inner = event.inner;
                }
                events << QString::fromStdString(event.key + "=" + formatParam(event.to));
            }
            const QStringList cells{name,
                                    QString::number(p.stage),
                                    QString::number(p.cost.steps),
                                    exact(passesOf(*run, p.cost)),
                                    QString::number(p.cost.accesses),
                                    exact(p.seconds),
                                    exact(p.loss),
                                    exact(excessOf(*run, p.loss)),
                                    exact(p.testError),
                                    exact(p.gap),
                                    exact(p.lambda),
                                    QString::fromStdString(method),
                                    QString::fromStdString(inner),
                                    events.join(u';')};
            out += cells.join(u',').toUtf8() + '\n';
        }
    }
    return out;
}

QString parameterText(const std::vector<const RunRecord *> &runs)
{
    QStringList parts;
    for (const RunRecord *run : runs) {
        QString text = QStringLiteral("%1: %2").arg(run->name, methodLabel(run->spec.method));
        if (!run->spec.inner.empty())
            text += QStringLiteral(" (%1)").arg(innerLabel(run->spec.inner));
        const double lambda = run->trace.points.empty() ? run->effective.real("lambda") : firstLambda(run->trace);
        if (lambda > 0)
            text += QStringLiteral(", λ = %1").arg(formatPower(lambda));
        parts << text + QStringLiteral(", seed %1").arg(run->spec.seed);
    }
    return parts.join(QStringLiteral("; "));
}

} // namespace appa
