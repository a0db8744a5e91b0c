#pragma once

#include <charconv>
#include <cmath>
#include <cstdint>
#include <string_view>

namespace appa {

enum class NumberStatus { Ok, NotANumber, NotFinite };

/// What stands at the start of a text.
struct ParsedNumber
{
    double value = 0;
    const char *end = nullptr; ///< behind the last character used
    NumberStatus status = NumberStatus::NotANumber;
};

namespace detail {

inline constexpr double powersOfTen[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                                         1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};

inline bool isDigit(char c)
{
    return static_cast<unsigned char>(c - '0') < 10;
}

/// Everything the fast path leaves: many digits, large exponents, "inf", "nan", no number at all.
ParsedNumber parseHardNumber(const char *p, const char *end);

} // namespace detail

/// Reads a decimal number, correctly rounded, independent of the locale. `[p, end)` must be followed by at least one
/// readable character that is not part of a number (a line's end): the loop then needs no bounds check.
///
/// Up to 2^53 the digits are exact in a double, and so are the powers of ten up to 10^22: one multiplication or
/// division rounds once, hence correctly (Clinger 1990). All else goes to std::from_chars.
inline ParsedNumber parseNumber(const char *p, const char *end)
{
    const char *start = p;
    const bool negative = *p == '-';
    if (*p == '-' || *p == '+')
        ++p;
    std::uint64_t digits = 0;
    const char *first = p;
    while (detail::isDigit(*p))
        digits = digits * 10 + static_cast<unsigned char>(*p++ - '0');
    auto count = p - first;
    std::int64_t exponent = 0;
    if (*p == '.') {
        const char *point = ++p;
        while (detail::isDigit(*p))
            digits = digits * 10 + static_cast<unsigned char>(*p++ - '0');
        exponent = point - p;
        count += p - point;
    }
    if (count == 0 || count > 19) // 19 digits fit 64 bits
        return detail::parseHardNumber(start, end);
    if ((*p | 0x20) == 'e') {
        const char *e = p + 1;
        const bool negativeExponent = *e == '-';
        if (*e == '-' || *e == '+')
            ++e;
        if (!detail::isDigit(*e))
            return detail::parseHardNumber(start, end);
        std::int64_t power = 0;
        while (detail::isDigit(*e) && power < 100000)
            power = power * 10 + (*e++ - '0');
        if (detail::isDigit(*e))
            return detail::parseHardNumber(start, end);
        exponent += negativeExponent ? -power : power;
        p = e;
    }
    if (digits > (std::uint64_t{1} << 53) || exponent < -22 || exponent > 22) {
        if (digits != 0)
            return detail::parseHardNumber(start, end);
        exponent = 0;
    }
    auto value = static_cast<double>(digits);
    value = exponent < 0 ? value / detail::powersOfTen[-exponent] : value * detail::powersOfTen[exponent];
    return {negative ? -value : value, p, NumberStatus::Ok};
}

} // namespace appa
