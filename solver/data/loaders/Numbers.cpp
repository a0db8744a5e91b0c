#include "data/loaders/Numbers.h"

#include <algorithm>
#include <charconv>
#include <cmath>

namespace appa::detail {

ParsedNumber parseHardNumber(const char *p, const char *end)
{
    const char *first = p < end && *p == '+' ? p + 1 : p;
    ParsedNumber out{.end = p};
    if (first != p && first < end && *first == '-')
        return out;
    const auto [last, ec] = std::from_chars(first, end, out.value);
    if (ec == std::errc::invalid_argument)
        return out;
    out.end = last;
    out.status = NumberStatus::Ok;
    if (ec == std::errc::result_out_of_range) {
        // Too small is 0, as a correctly rounded value is; too large is none. from_chars does not tell which: the
        // decimal exponent does.
        std::int64_t magnitude = 0;
        bool seen = false, point = false;
        const char *q = first;
        for (; q < last && (*q | 0x20) != 'e'; ++q) {
            point = point || *q == '.';
            if (!isDigit(*q))
                continue;
            seen = seen || *q != '0';
            magnitude += seen && !point ? 1 : !seen && point ? -1 : 0;
        }
        if (q < last) {
            const char *digits = q + 1 + (q[1] == '+');
            std::int64_t power = 0;
            const auto result = std::from_chars(digits, last, power);
            if (result.ec == std::errc::result_out_of_range)
                power = *digits == '-' ? -1000000 : 1000000;
            magnitude += std::clamp<std::int64_t>(power, -1000000, 1000000);
        }
        out.value = 0;
        if (magnitude > 0)
            out.status = NumberStatus::NotFinite;
        else if (*first == '-')
            out.value = -0.0;
    } else if (!std::isfinite(out.value)) {
        out.status = NumberStatus::NotFinite;
    }
    return out;
}

} // namespace appa::detail
