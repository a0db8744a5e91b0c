#include "theme/Format.h"

#include <QRegularExpression>
#include <QStringList>

#include <cmath>

namespace appa::ui {

namespace {

constexpr QChar minusSign(0x2212);
constexpr QChar thinSpace(0x202F);
constexpr QChar times(0x00D7);
constexpr QChar enDash(0x2013);

QString groupThousands(QString digits)
{
    const qsizetype point = digits.indexOf(u'.');
    const qsizetype end = point < 0 ? digits.size() : point;
    const qsizetype begin = digits.startsWith(u'-') ? 1 : 0;
    // Four digits stay together: "1000" reads better than "1 000".
    if (end - begin > 4) {
        for (qsizetype i = end - 3; i > begin; i -= 3)
            digits.insert(i, thinSpace);
    }
    if (begin == 1)
        digits[0] = minusSign;
    return digits;
}

QString nonFinite(double value)
{
    if (std::isnan(value))
        return QString(enDash);
    return value > 0 ? QString(QChar(0x221E)) : QString(minusSign) + QChar(0x221E);
}

QString trimZeros(QString text)
{
    if (!text.contains(u'.'))
        return text;
    while (text.endsWith(u'0'))
        text.chop(1);
    if (text.endsWith(u'.'))
        text.chop(1);
    return text;
}

/// Mantissa and exponent of a value rounded to `digits` significant digits: 9.996 rounds to 1.00e1, not 10.0e0.
struct Scientific
{
    QString mantissa;
    int exponent;
};

Scientific scientific(double value, int digits)
{
    const QString text = QString::number(value, 'e', digits - 1);
    const qsizetype e = text.indexOf(u'e');
    return {text.left(e), text.mid(e + 1).toInt()};
}

} // namespace

QString superscript(int exponent)
{
    static constexpr char16_t digits[] = u"\u2070\u00B9\u00B2\u00B3\u2074\u2075\u2076\u2077\u2078\u2079";
    QString out;
    const QString plain = QString::number(exponent);
    for (const QChar c : plain)
        out += c == u'-' ? QChar(0x207B) : QChar(digits[c.digitValue()]);
    return out;
}

QString powerOfTen(int exponent)
{
    return QStringLiteral("10") + superscript(exponent);
}

QString formatFixed(double value, int decimals)
{
    if (!std::isfinite(value))
        return nonFinite(value);
    QString text = QString::number(value, 'f', decimals);
    if (text.startsWith(u'-') && text.toDouble() == 0)
        text.remove(0, 1);
    return groupThousands(text);
}

QString formatNumber(double value, int digits)
{
    if (!std::isfinite(value))
        return nonFinite(value);
    if (value == 0)
        return QStringLiteral("0");
    const Scientific s = scientific(value, digits);
    if (s.exponent >= -3 && s.exponent < 6)
        return formatFixed(value, std::max(0, digits - 1 - s.exponent));
    QString mantissa = s.mantissa;
    mantissa.replace(u'-', minusSign);
    return mantissa + times + powerOfTen(s.exponent);
}

QString formatPower(double value, int digits)
{
    if (!std::isfinite(value))
        return nonFinite(value);
    if (value == 0)
        return QStringLiteral("0");
    const Scientific s = scientific(value, digits);
    QString mantissa = trimZeros(s.mantissa);
    if (s.exponent >= -1 && s.exponent <= 2) // 0.1, 1, 25, 100 are shorter as they are
        return groupThousands(trimZeros(QString::number(value, 'f', std::max(0, digits - 1 - s.exponent))));
    mantissa.replace(u'-', minusSign);
    if (mantissa == u"1")
        return powerOfTen(s.exponent);
    if (mantissa == QString(minusSign) + u'1')
        return QString(minusSign) + powerOfTen(s.exponent);
    return mantissa + times + powerOfTen(s.exponent);
}

QString formatCount(std::int64_t value)
{
    return groupThousands(QString::number(value));
}

QString formatSeconds(double seconds)
{
    if (!std::isfinite(seconds))
        return nonFinite(seconds);
    const QString space(thinSpace);
    if (seconds < 1e-3)
        return formatFixed(seconds * 1e6, 0) + space + QStringLiteral("µs");
    if (seconds < 1)
        return formatFixed(seconds * 1e3, seconds < 0.1 ? 1 : 0) + space + QStringLiteral("ms");
    if (seconds < 59.95)
        return formatFixed(seconds, seconds < 10 ? 2 : 1) + space + QStringLiteral("s");
    const auto total = static_cast<std::int64_t>(std::llround(seconds));
    const auto two = [](std::int64_t v) { return QStringLiteral("%1").arg(v, 2, 10, QLatin1Char('0')); };
    if (total < 3600)
        return QString::number(total / 60) + space + QStringLiteral("min ") + two(total % 60) + space
            + QStringLiteral("s");
    return formatCount(total / 3600) + space + QStringLiteral("h ") + two(total % 3600 / 60) + space
        + QStringLiteral("min");
}

QString formatBytes(double bytes)
{
    static const QStringList units = {QStringLiteral("B"), QStringLiteral("KiB"), QStringLiteral("MiB"),
                                      QStringLiteral("GiB"), QStringLiteral("TiB")};
    qsizetype unit = 0;
    while (bytes >= 1000 && unit + 1 < units.size()) {
        bytes /= 1024;
        ++unit;
    }
    return formatFixed(bytes, unit > 0 && bytes < 9.95 ? 1 : 0) + thinSpace + units[unit];
}

QString prettyText(const QString &text)
{
    static const QRegularExpression number(QStringLiteral(R"((?<![\w.])(-?\d+(?:\.\d+)?)[eE]([-+]?\d+)(?!\w))"));
    QString out;
    qsizetype last = 0;
    for (auto it = number.globalMatch(text); it.hasNext();) {
        const QRegularExpressionMatch m = it.next();
        out += QStringView(text).mid(last, m.capturedStart() - last);
        out += formatPower(m.captured().toDouble(), 4);
        last = m.capturedEnd();
    }
    out += QStringView(text).mid(last);
    out.replace(QStringLiteral(" - "), QStringLiteral(" %1 ").arg(minusSign));
    out.replace(QStringLiteral("->"), QString(QChar(0x2192)));
    out.replace(QStringLiteral("<="), QString(QChar(0x2264)));
    return out;
}

QString mathHtml(const QString &text)
{
    static const QRegularExpression braced(QStringLiteral(R"(_\{([^}]*)\})"));
    static const QRegularExpression word(QStringLiteral(R"(_(\w+))"), QRegularExpression::UseUnicodePropertiesOption);
    static const QRegularExpression power(QStringLiteral(R"(\^\(([^)]*)\)|\^(\w+))"),
                                          QRegularExpression::UseUnicodePropertiesOption);
    QString out = text.toHtmlEscaped();
    out.replace(power, QStringLiteral("<sup>\\1\\2</sup>"));
    out.replace(braced, QStringLiteral("<sub>\\1</sub>")).replace(word, QStringLiteral("<sub>\\1</sub>"));
    out.replace(QStringLiteral(" - "), QStringLiteral(" − ")).replace(QStringLiteral("A&#39;"), QStringLiteral("Aᵀ"));
    out.replace(QStringLiteral("A'"), QStringLiteral("Aᵀ"));
    return out;
}

} // namespace appa::ui
