#include "base/Params.h"

#include "base/Suggest.h"
#include "base/Text.h"

#include <algorithm>
#include <cmath>

namespace appa {

namespace {

constexpr std::string_view autoWord = "auto";

std::string named(const ParamSpec &spec)
{
    return "'" + spec.key + "'";
}

/// "a number from 0 to 1", "a whole number", "on or off", "one of fixed, certified"; with "or auto" where that is
/// allowed.
std::string expectation(const ParamSpec &spec)
{
    std::string what;
    switch (spec.type) {
    case ParamSpec::Type::Real:
    case ParamSpec::Type::Integer:
        what = spec.type == ParamSpec::Type::Real ? "a number" : "a whole number";
        if (spec.min < spec.max)
            what += " from " + numberText(spec.min) + " to " + numberText(spec.max);
        break;
    case ParamSpec::Type::Switch:
        what = "on or off";
        break;
    case ParamSpec::Type::Choice:
        what = "one of " + joined(spec.choices);
        break;
    }
    return spec.allowAuto ? what + ", or auto" : what;
}

Error misfit(const ParamSpec &spec, const std::string &given)
{
    return {Error::Kind::Usage,
            named(spec) + " must be " + expectation(spec) + ", not '" + given + "'."
                + (spec.type == ParamSpec::Type::Choice ? didYouMean(given, spec.choices) : std::string())};
}

bool fits(const ParamSpec &spec, const ParamValue &value)
{
    if (const auto *word = std::get_if<std::string>(&value); word && *word == autoWord && spec.allowAuto)
        return true;
    switch (spec.type) {
    case ParamSpec::Type::Real:
    case ParamSpec::Type::Integer: {
        const auto *number = std::get_if<double>(&value);
        if (!number || !std::isfinite(*number))
            return false;
        if (spec.type == ParamSpec::Type::Integer && *number != std::nearbyint(*number))
            return false;
        return !(spec.min < spec.max) || (*number >= spec.min && *number <= spec.max);
    }
    case ParamSpec::Type::Switch:
        return std::holds_alternative<bool>(value);
    case ParamSpec::Type::Choice: {
        const auto *word = std::get_if<std::string>(&value);
        return word && std::find(spec.choices.begin(), spec.choices.end(), *word) != spec.choices.end();
    }
    }
    return false;
}

} // namespace

ParamSet::ParamSet(const std::vector<ParamSpec> &specs)
{
    for (const auto &spec : specs)
        set(spec.key, spec.defaultValue);
}

bool ParamSet::isAuto(std::string_view key) const
{
    return word(key) == autoWord;
}

double ParamSet::real(std::string_view key) const
{
    const auto found = m_values.find(key);
    const auto *number = found == m_values.end() ? nullptr : std::get_if<double>(&found->second);
    return number ? *number : 0;
}

bool ParamSet::flag(std::string_view key) const
{
    const auto found = m_values.find(key);
    const auto *flag = found == m_values.end() ? nullptr : std::get_if<bool>(&found->second);
    return flag && *flag;
}

std::string ParamSet::word(std::string_view key) const
{
    const auto found = m_values.find(key);
    const auto *word = found == m_values.end() ? nullptr : std::get_if<std::string>(&found->second);
    return word ? *word : std::string();
}

Result<ParamValue> parseParam(const ParamSpec &spec, std::string_view text)
{
    const std::string_view given = trimmed(text);
    ParamValue value = std::string(given);
    if (given != autoWord || !spec.allowAuto) {
        if (spec.type == ParamSpec::Type::Switch) {
            if (given == "on" || given == "true" || given == "yes" || given == "1")
                value = true;
            else if (given == "off" || given == "false" || given == "no" || given == "0")
                value = false;
        } else if (spec.type != ParamSpec::Type::Choice) {
            const std::string_view digits = given.starts_with('+') ? given.substr(1) : given;
            double number = 0;
            if (readInto(digits, number))
                value = number;
        }
    }
    if (!fits(spec, value))
        return misfit(spec, std::string(given));
    return value;
}

std::string formatParam(const ParamValue &value)
{
    if (const auto *number = std::get_if<double>(&value))
        return numberText(*number);
    if (const auto *flag = std::get_if<bool>(&value))
        return *flag ? "on" : "off";
    return std::get<std::string>(value);
}

std::string checkParam(const ParamSpec &spec, const ParamValue &value)
{
    return fits(spec, value) ? std::string() : misfit(spec, formatParam(value)).message;
}

} // namespace appa
