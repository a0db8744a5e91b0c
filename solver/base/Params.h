#pragma once

#include "base/Result.h"

#include <map>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace appa {

/// A number, a switch, or a word (one of the choices, or "auto").
using ParamValue = std::variant<double, bool, std::string>;

/// A parameter, declared once. The form in the window and the options of the command line are built from it.
struct ParamSpec
{
    enum class Type { Real, Integer, Switch, Choice };
    enum class Scale { Linear, Log };
    enum class Change { Live, Restart }; ///< may it change while a run goes on?

    std::string key;   ///< as on the command line: "lambda"
    std::string label; ///< as in the window: "λ (proximal weight)"
    std::string help;  ///< one or two sentences: what it does, and what a larger value brings
    Type type = Type::Real;
    ParamValue defaultValue = 0.0;
    double min = 0;
    double max = 0;
    Scale scale = Scale::Linear;
    Change change = Change::Live;
    bool allowAuto = false;           ///< may be the word "auto": chosen from the data, shown when resolved
    std::vector<std::string> choices; ///< Type::Choice only
    std::string onlyIf = {};          ///< "stages=certified": without effect otherwise, and then not shown
};

/// Values by key. Keys that are not set have their spec's default.
class ParamSet
{
public:
    ParamSet() = default;
    explicit ParamSet(const std::vector<ParamSpec> &specs); ///< all defaults

    bool contains(std::string_view key) const { return m_values.find(key) != m_values.end(); }
    bool isAuto(std::string_view key) const;
    double real(std::string_view key) const; ///< 0 if the key is absent or not a number
    bool flag(std::string_view key) const;
    std::string word(std::string_view key) const; ///< "" if the key is absent or not a word

    void set(std::string key, ParamValue value) { m_values.insert_or_assign(std::move(key), std::move(value)); }
    const std::map<std::string, ParamValue, std::less<>> &values() const { return m_values; }
    bool operator==(const ParamSet &) const = default;

private:
    std::map<std::string, ParamValue, std::less<>> m_values;
};

/// Reads a value as a user types it ("1e-3", "on", "certified", "auto") and checks it against the spec.
Result<ParamValue> parseParam(const ParamSpec &spec, std::string_view text);
/// The shortest text that `parseParam` reads back to the same value.
std::string formatParam(const ParamValue &value);
/// An error's sentence if a value does not fit its spec, "" if it does.
std::string checkParam(const ParamSpec &spec, const ParamValue &value);

} // namespace appa
