#pragma once

#include <bit>
#include <cstdint>
#include <cstring>

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

/// 10^n for the digits that eight bytes can hold.
inline constexpr std::uint64_t wholePowersOfTen[] = {1, 10, 100, 1000, 10000, 100000, 1000000, 10000000, 100000000};

/// The run of digits at `p`, up to eight, without a branch per digit: their number depends on the data, so each loop
/// over them would cost a mispredicted branch. `p` must have eight readable bytes.
inline int eightDigits(const char *p, std::uint64_t &value)
{
    std::uint64_t bytes;
    std::memcpy(&bytes, p, 8);
    // A byte is a digit if its upper half is 3 and stays so when 6 is added.
    const std::uint64_t high = 0xF0F0F0F0F0F0F0F0ull, threes = 0x3030303030303030ull;
    const std::uint64_t others = ((bytes & high) ^ threes) | (((bytes + 0x0606060606060606ull) & high) ^ threes);
    const int count = others == 0 ? 8 : std::countr_zero(others) / 8;
    // Shifted to the end, so that zeros lead; then pairs, fours and all eight are joined.
    std::uint64_t digits = (bytes ^ threes) << ((64 - 8 * count) & 63);
    digits = count == 0 ? 0 : digits;
    digits = (digits * 10 + (digits >> 8)) & 0x00FF00FF00FF00FFull;
    digits = (digits * 100 + (digits >> 16)) & 0x0000FFFF0000FFFFull;
    value = (digits * 10000 + (digits >> 32)) & 0xFFFFFFFFull;
    return count;
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
    // The sign is as good as random, so it is taken without a branch.
    const bool negative = *p == '-';
    p += static_cast<int>(negative) | static_cast<int>(*p == '+');
    std::uint64_t digits = 0;
    const char *first = p;
    while (detail::isDigit(*p))
        digits = digits * 10 + static_cast<unsigned char>(*p++ - '0');
    auto count = p - first;
    std::int64_t exponent = 0;
    if (*p == '.') {
        const char *point = ++p;
        if (end - p >= 8) {
            std::uint64_t eight = 0;
            const int n = detail::eightDigits(p, eight);
            digits = digits * detail::wholePowersOfTen[n] + eight;
            p += n;
        }
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
    const auto sign = static_cast<std::uint64_t>(negative) << 63;
    return {std::bit_cast<double>(std::bit_cast<std::uint64_t>(value) ^ sign), p, NumberStatus::Ok};
}

} // namespace appa
