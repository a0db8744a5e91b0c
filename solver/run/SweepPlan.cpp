#include "run/SweepPlan.h"

#include "base/Text.h"
#include "methods/Lookup.h"

#include <algorithm>
#include <cmath>

namespace appa {

namespace {

Error usage(std::string message)
{
    return {Error::Kind::Usage, std::move(message)};
}

std::vector<std::string_view> fieldsOf(std::string_view text, char separator)
{
    std::vector<std::string_view> fields = split(text, separator);
    std::ranges::transform(fields, fields.begin(), trimmed);
    return fields;
}

std::string quoted(std::string_view text)
{
    return "\"" + std::string(text) + "\"";
}

Result<SweepVariant> parseMethod(std::string_view text)
{
    const auto parts = fieldsOf(text, ':');
    SweepVariant out;
    out.method = parts.front();
    const auto found = methodNamed(out.method);
    if (!found)
        return found.error();
    const MethodInfo *const info = found.value();
    if (info->lambda == LambdaMeaning::Unused)
        return usage(info->label + " has no lambda to vary: leave it out of the study.");
    for (std::size_t k = 1; k < parts.size(); ++k) {
        if (parts[k].find('=') != std::string_view::npos)
            continue;
        if (k > 1)
            return usage(quoted(text) + ": " + quoted(parts[k]) + " should be key=value.");
        out.inner = parts[k];
    }
    auto inner = innerNamed(*info, out.inner);
    if (!inner)
        return inner.error();
    out.inner = std::move(inner).value();
    for (std::size_t k = 1; k < parts.size(); ++k) {
        const auto equals = parts[k].find('=');
        if (equals == std::string_view::npos)
            continue;
        const std::string key(trimmed(parts[k].substr(0, equals)));
        if (key == "lambda")
            return usage(quoted(text) + ": lambda is what the study varies; give it in the grid.");
        const auto spec = paramNamed(*info, out.inner, key);
        if (!spec)
            return spec.error();
        auto value = parseParam(spec.value(), trimmed(parts[k].substr(equals + 1)));
        if (!value)
            return value.error();
        if (out.params.contains(key))
            return usage(quoted(text) + ": " + quoted(key) + " is set more than once.");
        out.params.set(key, std::move(value).value());
    }
    return out;
}

} // namespace

std::string SweepVariant::id() const
{
    std::string text = method;
    if (!inner.empty())
        text += ":" + inner;
    for (const auto &[key, value] : params.values())
        text += ":" + key + "=" + formatParam(value);
    return text;
}

std::string SweepVariant::settings() const
{
    return joined(params.values(), " ",
                  [](const auto &param) { return param.first + "=" + formatParam(param.second); });
}

std::string SweepVariant::label() const
{
    const MethodInfo *info = findMethod(method);
    std::string text = info ? info->label : method;
    // The inner solver is said where there is a choice.
    if (!inner.empty() && (!info || info->inners.size() > 1)) {
        const InnerInfo *in = findInner(inner);
        text += " (" + (in ? in->label : inner) + ")";
    }
    for (const auto &[key, value] : params.values())
        text += ", " + key + "=" + formatParam(value);
    return text;
}

SweepCase SweepPlan::at(std::size_t index) const
{
    SweepCase c;
    c.seed = index % seeds.size();
    index /= seeds.size();
    c.lambda = index % lambdas.size();
    c.method = index / lambdas.size();
    return c;
}

std::vector<std::string> SweepPlan::shortLabels() const
{
    std::vector<std::string> labels;
    for (const SweepVariant &variant : methods) {
        const bool otherInner = std::any_of(methods.begin(), methods.end(), [&](const SweepVariant &other) {
            return other.method == variant.method && other.inner != variant.inner;
        });
        const MethodInfo *info = findMethod(variant.method);
        std::string text = info ? info->label : variant.method;
        if (otherInner) {
            const InnerInfo *inner = findInner(variant.inner);
            text += " (" + (inner ? inner->label : variant.inner) + ")";
        }
        for (const auto &[key, value] : variant.params.values())
            text += ", " + key.substr(key.rfind('-') + 1) + "=" + formatParam(value);
        labels.push_back(std::move(text));
    }
    // Two keys may end in the same word.
    for (std::size_t k = 0; k < labels.size(); ++k) {
        if (std::count(labels.begin(), labels.end(), labels[k]) == 1)
            continue;
        for (std::size_t m = 0; m < labels.size(); ++m)
            labels[m] = methods[m].label();
        break;
    }
    return labels;
}

RunSpec SweepPlan::specOf(std::size_t index) const
{
    const SweepCase c = at(index);
    RunSpec spec;
    spec.method = methods[c.method].method;
    spec.inner = methods[c.method].inner;
    spec.params = methods[c.method].params;
    spec.params.set("lambda", lambdas[c.lambda]);
    spec.seed = seeds[c.seed];
    return spec;
}

StopRules SweepPlan::stopRules() const
{
    StopRules stop;
    stop.stages = stages;
    return stop;
}

std::string SweepPlan::whyNot(const Problem &problem) const
{
    if (methods.empty())
        return "Choose at least one method.";
    if (lambdas.empty())
        return "The grid of lambda is empty.";
    if (seeds.empty())
        return "Choose at least one seed.";
    if (stages < 1)
        return "A study needs at least one stage.";
    if (size() > mostRuns)
        return "These are " + std::to_string(size()) + " runs (methods: " + std::to_string(methods.size())
            + ", values: " + std::to_string(lambdas.size()) + ", seeds: " + std::to_string(seeds.size())
            + "); a study may have " + std::to_string(mostRuns) + " at the most.";
    for (const SweepVariant &m : methods) {
        if (std::string why = appa::whyNot(problem, m.method, m.inner); !why.empty())
            return why;
        const MethodInfo *info = findMethod(m.method);
        if (!info)
            return "There is no method " + quoted(m.method) + ".";
        const std::vector<ParamSpec> specs = paramsOf(*info, m.inner);
        for (const ParamSpec &spec : specs) {
            if (spec.key != "lambda")
                continue;
            for (const double lambda : {lambdas.front(), lambdas.back()}) {
                if (std::string why = checkParam(spec, lambda); !why.empty())
                    return info->label + ": " + why;
            }
        }
    }
    return {};
}

Result<std::vector<SweepVariant>> parseSweepMethods(std::string_view text)
{
    std::vector<SweepVariant> out;
    for (const std::string_view part : fieldsOf(text, ',')) {
        if (part.empty())
            return usage("The list of methods " + quoted(text) + " has an empty entry.");
        auto method = parseMethod(part);
        if (!method)
            return method.error();
        if (std::find(out.begin(), out.end(), method.value()) == out.end())
            out.push_back(std::move(method).value());
    }
    return out;
}

std::vector<double> logGrid(double lo, double hi, int count)
{
    if (count == 1 || lo == hi)
        return {lo};
    const double from = std::log10(lo), to = std::log10(hi);
    std::vector<double> grid;
    for (int k = 0; k < count; ++k) {
        const double exponent = from + (to - from) * k / (count - 1);
        const double whole = std::round(exponent);
        const bool isDecade = std::abs(exponent - whole) < 1e-9;
        // As one would type it: 1e-3 to the last bit, and 12 digits between the decades.
        grid.push_back(*readNumber(isDecade ? "1e" + std::to_string(static_cast<int>(whole))
                                            : numberText(std::pow(10, exponent), 12)));
    }
    grid.front() = lo;
    grid.back() = hi;
    return grid;
}

bool isLogGrid(const std::vector<double> &lambdas)
{
    return logGrid(lambdas.front(), lambdas.back(), static_cast<int>(lambdas.size())) == lambdas;
}

Result<std::vector<double>> parseLambdas(std::string_view text)
{
    std::vector<double> out;
    for (const std::string_view part : fieldsOf(text, ',')) {
        const auto fields = fieldsOf(part, ':');
        double lo = 0, hi = 0;
        int count = 1;
        const bool readable = fields.size() == 1
            ? readInto(fields[0], lo)
            : fields.size() == 3 && readInto(fields[0], lo) && readInto(fields[1], hi) && readInto(fields[2], count);
        if (!readable)
            return usage("The grid " + quoted(part)
                         + " is not understood: write lo:hi:count (1e-8:1e8:17) or a list (1e-3,1,1e3).");
        if (fields.size() == 1)
            hi = lo;
        if (!(lo > 0 && hi > 0 && std::isfinite(lo) && std::isfinite(hi)))
            return usage("The grid " + quoted(part) + " must have positive, finite lambdas.");
        if (count < 1 || count > 100000 || (lo != hi && count < 2))
            return usage("The grid " + quoted(part) + " must have between 2 and 100000 values.");
        const auto grid = logGrid(std::min(lo, hi), std::max(lo, hi), count);
        out.insert(out.end(), grid.begin(), grid.end());
    }
    std::sort(out.begin(), out.end());
    out.erase(std::unique(out.begin(), out.end()), out.end());
    return out;
}

Result<std::vector<std::uint64_t>> parseSeeds(std::string_view text)
{
    constexpr std::uint64_t mostSeeds = 100000;
    std::vector<std::uint64_t> out;
    for (const std::string_view part : fieldsOf(text, ',')) {
        std::uint64_t first = 0, last = 0;
        const auto dots = part.find("..");
        const bool readable = dots == std::string_view::npos
            ? readInto(part, first) && readInto(part, last)
            : readInto(trimmed(part.substr(0, dots)), first) && readInto(trimmed(part.substr(dots + 2)), last);
        if (!readable || last < first)
            return usage("The seeds " + quoted(part)
                         + " are not understood: write first..last (1..5) or a list (1,2,7) of whole numbers from 0 to "
                           "18446744073709551615 (2^64 - 1).");
        if (last - first >= mostSeeds)
            return usage("The seeds " + quoted(part) + " are too many: a range may have " + std::to_string(mostSeeds)
                         + " at the most.");
        for (std::uint64_t seed = first;; ++seed) {
            out.push_back(seed);
            if (seed == last)
                break;
        }
    }
    std::sort(out.begin(), out.end());
    out.erase(std::unique(out.begin(), out.end()), out.end());
    return out;
}

std::string optionsOf(const SweepPlan &plan)
{
    const std::size_t count = plan.lambdas.size();
    const bool isGrid = count > 2 && isLogGrid(plan.lambdas);
    const bool isRange = plan.seeds.size() > 1 && plan.seeds.back() - plan.seeds.front() + 1 == plan.seeds.size();
    const auto real = [](double value) { return numberText(value); };
    const auto whole = [](std::uint64_t value) { return std::to_string(value); };
    return "--methods " + joined(plan.methods, ",", &SweepVariant::id) + " --lambdas "
        + (isGrid ? real(plan.lambdas.front()) + ":" + real(plan.lambdas.back()) + ":" + std::to_string(count)
                  : joined(plan.lambdas, ",", real))
        + " --seeds "
        + (isRange ? whole(plan.seeds.front()) + ".." + whole(plan.seeds.back()) : joined(plan.seeds, ",", whole))
        + " --stages " + std::to_string(plan.stages);
}

std::vector<std::size_t> casesOfTask(const SweepPlan &plan, std::size_t task, std::size_t tasks)
{
    std::vector<std::size_t> cases;
    for (std::size_t index = task - 1; index < plan.size(); index += tasks)
        cases.push_back(index);
    return cases;
}

} // namespace appa
