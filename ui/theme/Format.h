#pragma once

#include <QString>

#include <cstdint>

namespace appa::ui {

/// One number style for the whole program: a true minus (U+2212), a narrow no-break space between thousands,
/// powers of ten with real superscripts. Non-finite values become a word or a dash, never "nan".

/// "0.1532", "12 480", "4.33×10⁻⁴": `digits` significant ones, fixed notation from 10⁻³ up to 10⁶.
QString formatNumber(double value, int digits = 4);
/// `decimals` places after the point, thousands separated: for axes and columns that line up.
QString formatFixed(double value, int decimals);
/// "10⁻³", "3.16×10⁻⁴", "1": for λ, step sizes and log axes; at most `digits` significant digits.
QString formatPower(double value, int digits = 3);
/// "20 000".
QString formatCount(std::int64_t value);
/// "0.35 s", "12.4 s", "3 min 05 s", "1 h 02 min".
QString formatSeconds(double seconds);
/// "784 MiB".
QString formatBytes(double bytes);
/// "10ⁿ" of an integer exponent.
QString powerOfTen(int exponent);
/// "⁻¹²".
QString superscript(int exponent);
/// Numbers inside a text as typed ("λ 1e-3 -> 1e-05") in this style ("λ 10⁻³ → 10⁻⁵").
QString prettyText(const QString &text);
/// Formulas as the methods' heads write them, with their indices set low: "s_new", "g_{s,λ}".
QString mathHtml(const QString &text);

} // namespace appa::ui
