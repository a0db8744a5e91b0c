#include "Checks.h"

#include "base/Suggest.h"
#include "base/Text.h"
#include "run/Labels.h"

#include <algorithm>
#include <cstdint>

namespace appa::cli {

namespace {

template <class Number> bool isWhole(const std::string &text, Number least)
{
    Number value = 0;
    return readInto(text, value) && value >= least;
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
        const auto value = readNumber(text);
        return value && *value >= 0;
    });
}

CLI::Validator positive()
{
    return check("> 0", "a positive number", [](const std::string &text) {
        const auto value = readNumber(text);
        return value && *value > 0;
    });
}

CLI::Validator between(double least, double most)
{
    const std::string range = shortNumber(least) + " to " + shortNumber(most);
    return check(range, "a number from " + range, [least, most](const std::string &text) {
        const auto value = readNumber(text);
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
    return check(">= 0", "a whole number from 0 to 18446744073709551615 (2^64 - 1)",
                 [](const std::string &text) { return isWhole<std::uint64_t>(text, 0); });
}

CLI::Validator oneOf(std::vector<std::string> words)
{
    const std::string braces = joined(words, "|");
    return CLI::Validator(
        [words = std::move(words)](std::string &text) {
            if (std::ranges::find(words, text) != words.end())
                return std::string();
            return "must be one of " + joined(words) + ", not \"" + text + "\"." + didYouMean(text, words);
        },
        braces);
}

} // namespace appa::cli
