#include "form/ParamText.h"

#include <QCoreApplication>
#include <QLocale>

#include <cmath>

namespace appa::ui {

namespace {

constexpr QChar trueMinus(0x2212);

} // namespace

QString paramText(const ParamValue &value)
{
    if (const auto *on = std::get_if<bool>(&value))
        return *on ? QStringLiteral("on") : QStringLiteral("off");
    if (const auto *word = std::get_if<std::string>(&value))
        return QString::fromStdString(*word);
    const double v = std::get<double>(value);
    if (v == 0)
        return QStringLiteral("0");
    if (!std::isfinite(v))
        return QString::fromStdString(formatParam(value));
    const QString shortest = QString::number(v, 'e', QLocale::FloatingPointShortest);
    const qsizetype at = shortest.indexOf(u'e');
    const int exponent = shortest.mid(at + 1).toInt();
    QString text = exponent >= -2 && exponent < 5 ? QString::number(v, 'f', QLocale::FloatingPointShortest)
                                                  : QStringLiteral("%1e%2").arg(shortest.left(at)).arg(exponent);
    return text.replace(u'-', trueMinus);
}

QString shortText(const ParamSpec &spec, const ParamValue &value)
{
    constexpr qsizetype mostCharacters = 11;
    const auto *number = std::get_if<double>(&value);
    if (number && spec.type == ParamSpec::Type::Integer)
        return QString::number(*number, 'f', 0);
    const QString text = paramText(value);
    return number && text.size() > mostCharacters ? paramText(QString::number(*number, 'g', 5).toDouble()) : text;
}

QString lambdaText(LambdaMeaning meaning, const QString &value)
{
    return (meaning == LambdaMeaning::StepSize ? QCoreApplication::translate("ParamText", "step size %1")
                                               : QStringLiteral("λ = %1"))
        .arg(value);
}

QString plainText(QString text)
{
    return text.replace(trueMinus, u'-').remove(QChar(0x202F)).remove(QChar(0x2009)).trimmed();
}

} // namespace appa::ui
