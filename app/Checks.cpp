#include "Checks.h"

#include "base/Suggest.h"
#include "run/Labels.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <optional>

namespace appa::cli {

namespace {

std::optional<double> numberOf(const std::string &text)
{
    double value = 0;
    const char *begin = text.data() + (text.starts_with('+') ? 1 : 0);
    const auto [end, status] = std::from_chars(begin, text.data() + text.size(), value);
    if (status != std::errc() || end != text.data() + text.size() || !std::isfinite(value))
        return std::nullopt;
    return value;
}

template <class Number> bool isWhole(const std::string &text, Number least)
{
    Number value = 0;
    const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), value);
    return status == std::errc() && end == text.data() + text.size() && value >= least;
}

/// A validator that accepts what `fits` does, and otherwise says " must be `what`, not ..".
template <class Fits> CLI::Validator check(std::string description, std::string what, Fits fits)
{
    return CLI::Validator(
        [what = std::move(what), fits](std::string &text) {
            return fits(text) ? std::string() : "must be " + what + ", not \"" + text + "\".";
        },
        std::move(description));
}

} // namespace

CLI::Validator notNegative()
{
    return check(">= 0", "a number that is not negative", [](const std::string &text) {
        const auto value = numberOf(text);
        return value && *value >= 0;
    });
}

CLI::Validator positive()
{
    return check("> 0", "a positive number", [](const std::string &text) {
        const auto value = numberOf(text);
        return value && *value > 0;
    });
}

CLI::Validator between(double least, double most)
{
    const std::string range = shortNumber(least) + " to " + shortNumber(most);
    return check(range, "a number from " + range, [least, most](const std::string &text) {
        const auto value = numberOf(text);
        return value && *value >= least && *value <= most;
    });
}

CLI::Validator wholeNumber(bool zeroToo)
{
    return check(zeroToo ? ">= 0" : ">= 1",
                 zeroToo ? "a whole number that is not negative" : "a whole number from 1 on",
                 [zeroToo](const std::string &text) { return isWhole<std::int64_t>(text, zeroToo ? 0 : 1); });
}

CLI::Validator seedNumber()
{
    return check(">= 0", "a whole number that is not negative",
                 [](const std::string &text) { return isWhole<std::uint64_t>(text, 0); });
}

CLI::Validator oneOf(std::vector<std::string> words)
{
    std::string list, braces;
    for (const std::string &word : words) {
        list += (list.empty() ? "" : ", ") + word;
        braces += (braces.empty() ? "" : "|") + word;
    }
    return CLI::Validator(
        [words = std::move(words), list](std::string &text) {
            if (std::ranges::find(words, text) != words.end())
                return std::string();
            return "must be one of " + list + ", not \"" + text + "\"." + didYouMean(text, words);
        },
        braces);
}

} // namespace appa::cli
