#include "lessons/Lesson.h"

#include "base/Suggest.h"
#include "base/Text.h"
#include "data/Catalogue.h"
#include "data/TransformText.h"
#include "methods/Lookup.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>
#include <optional>
#include <string_view>

namespace appa::ui {

namespace {

/// What stands before and after the first `mark`, without the spaces around it; all of it before if there is none.
std::pair<std::string, std::string> cut(std::string_view text, std::string_view mark)
{
    const auto at = text.find(mark);
    if (at == text.npos)
        return {std::string(trimmed(text)), {}};
    return {std::string(trimmed(text.substr(0, at))), std::string(trimmed(text.substr(at + mark.size())))};
}

std::vector<std::string> words(std::string_view text)
{
    std::vector<std::string> out;
    for (auto [word, rest] = cut(text, " "); !word.empty(); std::tie(word, rest) = cut(rest, " "))
        out.push_back(word);
    return out;
}

/// A whole number from 0 to `most`.
std::optional<double> wholeNumber(std::string_view text, double most)
{
    const auto value = readNumber(text);
    return value && *value >= 0 && *value <= most && *value == std::floor(*value) ? value : std::nullopt;
}

/// Reads the commands of a lesson one after the other, each in the light of those before it.
class CommandReader
{
public:
    /// Puts the line's command behind those in `out`. What is wrong with it; "" if nothing is.
    std::string read(std::string_view line, std::vector<LessonCommand> &out)
    {
        m_out = &out;
        const auto [verb, rest] = cut(line, " ");
        using Reader = bool (CommandReader::*)(const std::string &);
        static const std::pair<const char *, Reader> readers[] = {
            {"problem", &CommandReader::readProblem}, {"new", &CommandReader::readNew},
            {"go", &CommandReader::readGo},           {"set", &CommandReader::readSet},
            {"switch", &CommandReader::readSwitch},   {"fork", &CommandReader::readFork},
            {"hide", &CommandReader::readHide},       {"show", &CommandReader::readShow},
            {"axis", &CommandReader::readAxis},       {"speed", &CommandReader::readSpeed},
            {"expect", &CommandReader::readExpect}};
        std::vector<std::string> verbs;
        for (const auto &[name, reader] : readers) {
            if (verb == name)
                return (this->*reader)(rest) ? std::string() : m_error;
            verbs.emplace_back(name);
        }
        return "There is no command " + inQuotes(verb) + "." + didYouMean(verb, verbs) + " There are " + joined(verbs)
            + ".";
    }

private:
    struct Solver
    {
        std::string method, inner;
    };

    bool fail(std::string sentence)
    {
        m_error = std::move(sentence);
        return false;
    }
    template <class Command> bool add(Command command)
    {
        m_out->push_back(std::move(command));
        return true;
    }
    bool known(const std::string &run)
    {
        if (m_runs.contains(run))
            return true;
        std::vector<std::string> names;
        for (const auto &[name, solver] : m_runs)
            names.push_back(inQuotes(name));
        return fail("There is no run " + inQuotes(run)
                    + (names.empty() ? " yet: \"new NAME: METHOD\" makes one." : ". There is " + joined(names) + "."));
    }
    bool unused(const std::string &run)
    {
        if (run.empty())
            return fail("The new run needs a name.");
        return !m_runs.contains(run) || fail("There is a run " + inQuotes(run) + " already.");
    }
    /// One of `choices`, as a number.
    std::optional<int> choice(const std::string &word, const std::vector<std::string> &choices)
    {
        if (const auto at = std::ranges::find(choices, word); at != choices.end())
            return static_cast<int>(at - choices.begin());
        fail(inQuotes(word) + " is none of " + joined(choices) + "." + didYouMean(word, choices));
        return std::nullopt;
    }
    /// METHOD[:INNER]
    std::optional<Solver> solver(const std::string &text)
    {
        const auto [id, inner] = cut(text, ":");
        const auto info = methodNamed(id);
        if (!info) {
            fail(info.error().message);
            return std::nullopt;
        }
        auto named = innerNamed(*info.value(), inner);
        if (!named) {
            fail(named.error().message);
            return std::nullopt;
        }
        return Solver{id, std::move(named).value()};
    }
    /// key=value, as the method's parameter of that name reads it.
    bool assign(const Solver &solver, const std::string &text, ParamSet &to)
    {
        const auto [key, value] = cut(text, "=");
        const auto spec = paramNamed(*findMethod(solver.method), solver.inner, key);
        if (!spec)
            return fail(spec.error().message);
        auto parsed = parseParam(spec.value(), value);
        if (!parsed)
            return fail(parsed.error().message);
        to.set(key, std::move(parsed).value());
        return true;
    }

    bool readProblem(const std::string &text)
    {
        const std::vector<std::string> parts = words(text);
        if (parts.empty())
            return fail("\"problem\" needs the name of a data set.");
        std::vector<std::string> names;
        for (const CatalogueEntry &entry : catalogue())
            names.push_back(entry.name);
        const std::string name = cut(parts.front(), ":").first;
        std::error_code ignored;
        if (std::ranges::find(names, name) == names.end() && !std::filesystem::exists(parts.front(), ignored))
            return fail(inQuotes(parts.front()) + " is neither a file nor one of " + joined(names) + "."
                        + didYouMean(name, names));
        ProblemSpec spec;
        spec.recipe = defaultRecipe(parts.front());
        for (std::size_t i = 1; i < parts.size(); ++i) {
            const auto [key, value] = cut(parts[i], "=");
            if (key == "transforms") {
                auto list = parseTransforms(value);
                if (!list)
                    return fail(list.error().message);
                spec.recipe.transforms = std::move(list).value();
            } else if (key == "loss") {
                std::vector<std::string> ids;
                for (const LossInfo &info : losses())
                    ids.emplace_back(info.id);
                if (!choice(value, ids))
                    return false;
                spec.loss = value;
            } else if (const auto ridge = readNumber(value); key == "ridge" && ridge && *ridge >= 0) {
                spec.ridge = *ridge;
            } else {
                return fail(inQuotes(parts[i]) + " is none of transforms=LIST, loss=ID, ridge=NUMBER.");
            }
        }
        return add(lesson::SetProblem{std::move(spec)});
    }
    bool readNew(const std::string &text)
    {
        const auto [run, rest] = cut(text, ":");
        const std::vector<std::string> parts = words(rest);
        if (parts.empty())
            return fail("A new run needs a name and a method: \"new NAME: METHOD[:INNER] key=value ..\".");
        const auto chosen = unused(run) ? solver(parts.front()) : std::nullopt;
        if (!chosen)
            return false;
        RunSpec spec{.method = chosen->method, .inner = chosen->inner, .params = {}, .seed = 1};
        for (std::size_t i = 1; i < parts.size(); ++i) {
            const auto [key, value] = cut(parts[i], "=");
            if (key == "seed") {
                const auto seed = wholeNumber(value, 9007199254740992.0);
                if (!seed)
                    return fail("A seed is a whole number, not " + inQuotes(value) + ".");
                spec.seed = static_cast<std::uint64_t>(*seed);
            } else if (!assign(*chosen, parts[i], spec.params)) {
                return false;
            }
        }
        m_runs[run] = *chosen;
        return add(lesson::NewRun{run, std::move(spec)});
    }
    bool readGo(const std::string &text)
    {
        const auto [run, rest] = cut(text, ":");
        if (!known(run))
            return false;
        const auto stage = rest.empty() ? std::optional(0.0) : wholeNumber(rest, 1e6);
        if (!stage)
            return fail("A stage is a whole number, not " + inQuotes(rest) + ".");
        return add(lesson::Go{run, static_cast<Index>(*stage)});
    }
    bool readSet(const std::string &text)
    {
        const auto [run, rest] = cut(text, ":");
        if (!known(run))
            return false;
        lesson::Change change{run, {}};
        for (const std::string &part : words(rest))
            if (!assign(m_runs[run], part, change.values))
                return false;
        return change.values.values().empty() ? fail("\"set RUN: key=value ..\" changes something.")
                                              : add(std::move(change));
    }
    bool readSwitch(const std::string &text)
    {
        const auto [run, rest] = cut(text, ":");
        const auto chosen = known(run) ? solver(rest) : std::nullopt;
        if (!chosen)
            return false;
        m_runs[run] = *chosen;
        return add(lesson::Switch{run, chosen->method, chosen->inner});
    }
    bool readFork(const std::string &text)
    {
        const auto [run, as] = cut(text, ":");
        if (!known(run) || !unused(as))
            return false;
        m_runs[as] = m_runs[run];
        return add(lesson::Fork{run, as});
    }
    bool readHide(const std::string &text) { return known(text) && add(lesson::Hide{text}); }
    bool readShow(const std::string &text)
    {
        const auto view = choice(text, {"curves", "sensitivity", "stages", "landscape", "theory", "log"});
        return view && add(lesson::Show{static_cast<LessonView>(*view)});
    }
    bool readAxis(const std::string &text)
    {
        const auto axis = choice(text, {"passes", "stages", "accesses", "seconds"});
        return axis && add(lesson::UseAxis{static_cast<XAxis>(*axis)});
    }
    bool readSpeed(const std::string &text)
    {
        const auto rate = text == "full" ? std::optional(0.0) : readNumber(text);
        if (!rate || *rate < 0)
            return fail("A speed is a number of stages a second, or full, not " + inQuotes(text) + ".");
        return add(lesson::SetSpeed{*rate});
    }
    bool readExpect(const std::string &text)
    {
        using Kind = lesson::Expect::Kind;
        const auto [run, rest] = cut(text, ":");
        if (!known(run))
            return false;
        if (rest == "diverged")
            return add(lesson::Expect{run, Kind::Diverges, 0, {}});
        const auto [quantity, relation] = cut(rest, " ");
        const auto [sign, value] = cut(relation, " ");
        const auto [factor, than] = cut(value, " ");
        const auto bound = readNumber(factor);
        if ((quantity != "excess" && quantity != "error") || (sign != "<" && sign != ">") || !bound)
            return fail("Expected is \"diverged\" or \"excess < 1e-6\" (or error, or >, or \"0.1 RUN\"), not "
                        + inQuotes(rest) + ".");
        if (!than.empty() && !known(than))
            return false;
        const bool below = sign == "<";
        const Kind kind = quantity == "excess" ? (below ? Kind::ExcessBelow : Kind::ExcessAbove)
                                               : (below ? Kind::ErrorBelow : Kind::ErrorAbove);
        return add(lesson::Expect{run, kind, *bound, than});
    }

    std::vector<LessonCommand> *m_out = nullptr;
    std::map<std::string, Solver> m_runs; ///< as they are after the commands so far
    std::string m_error;
};

} // namespace

Result<Lesson> parseLesson(const std::string &text, const std::string &file)
{
    Lesson lesson;
    CommandReader reader;
    QString *prose = &lesson.about;
    bool inCommands = false;
    int lineNumber = 0;
    const auto wrong = [&](const std::string &sentence) {
        return Error{Error::Kind::Data, file + ", line " + std::to_string(lineNumber) + ": " + sentence};
    };
    for (std::string_view rest = text; !rest.empty();) {
        const std::string_view line = rest.substr(0, rest.find('\n'));
        rest.remove_prefix(std::min(rest.size(), line.size() + 1));
        ++lineNumber;
        const std::string_view plain = trimmed(line);
        const auto titleAfter = [&](std::size_t mark) {
            const std::string_view title = trimmed(plain.substr(mark));
            return QString::fromUtf8(title.data(), static_cast<qsizetype>(title.size()));
        };
        if (inCommands) {
            if (plain == "```")
                inCommands = false;
            else if (plain.empty())
                continue;
            else if (const std::string error = reader.read(plain, lesson.steps.back().commands); !error.empty())
                return wrong(error);
        } else if (plain == "```do") {
            if (lesson.steps.empty())
                return wrong("Commands belong to a step: \"## TITLE\" begins one.");
            inCommands = true;
        } else if (plain.starts_with("## ")) {
            prose = &lesson.steps.emplace_back().text;
            lesson.steps.back().title = titleAfter(3);
        } else if (plain.starts_with("# ")) {
            lesson.title = titleAfter(2);
        } else {
            *prose += QString::fromUtf8(line.data(), static_cast<qsizetype>(line.size())) + u'\n';
        }
    }
    if (inCommands)
        return wrong("The commands have no end: a line \"```\" is missing.");
    if (lesson.title.isEmpty())
        return Error{Error::Kind::Data, file + ": a lesson has a title, a line \"# TITLE\"."};
    if (lesson.steps.empty())
        return Error{Error::Kind::Data, file + ": a lesson has steps, each with a line \"## TITLE\"."};
    lesson.about = lesson.about.trimmed();
    for (LessonStep &step : lesson.steps)
        step.text = step.text.trimmed();
    return lesson;
}

} // namespace appa::ui
