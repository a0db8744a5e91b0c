#include "run/Labels.h"

#include "base/Text.h"

#include <cmath>
#include <cstdlib>

namespace appa {

std::string shortNumber(double value)
{
    if (!std::isfinite(value))
        return std::isnan(value) ? "unknown" : value > 0 ? "∞" : "−∞";
    const double magnitude = std::abs(value);
    if (magnitude == 0 || (magnitude >= 0.01 && magnitude < 1e4))
        return numberText(value, 4);
    const std::string scientific = numberText(value, 2, std::chars_format::scientific);
    const std::size_t e = scientific.find('e');
    std::string mantissa = scientific.substr(0, e);
    while (mantissa.back() == '0')
        mantissa.pop_back();
    if (mantissa.back() == '.')
        mantissa.pop_back();
    return mantissa + "e" + std::to_string(std::atoi(scientific.c_str() + e + 1));
}

std::string shortValue(const ParamValue &value)
{
    const double *number = std::get_if<double>(&value);
    return number ? shortNumber(*number) : formatParam(value);
}

std::string changeLabel(const ParamSpec &spec, const std::map<std::string, ParamValue, std::less<>> &before,
                        const ParamValue &to)
{
    // "λ (proximal weight)" is "λ" at a marker.
    std::string name = spec.label.substr(0, spec.label.find(" ("));
    const auto held = before.find(spec.key);
    return name + " " + shortValue(held != before.end() ? held->second : spec.defaultValue) + " → " + shortValue(to);
}

std::string switchLabel(const MethodInfo &from, const std::string &fromInner, const MethodInfo &to,
                        const std::string &toInner)
{
    if (&from != &to)
        return from.label + " → " + to.label;
    const auto labelOf = [](const std::string &id) {
        const InnerInfo *inner = findInner(id);
        return inner ? inner->label : id;
    };
    return labelOf(fromInner) + " → " + labelOf(toInner);
}

} // namespace appa
