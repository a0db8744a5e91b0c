#include "data/loaders/Columns.h"

#include "base/Text.h"

#include <algorithm>
#include <set>

namespace appa {

namespace {

Error usage(std::string message)
{
    return {Error::Kind::Usage, std::move(message)};
}

/// The columns of one file, to be found by name or by number.
class Finder
{
public:
    Finder(const Bytes &file, const TableLayout &layout, std::size_t fields)
        : m_file(file.name()), m_names(layout.names), m_fields(fields)
    {
    }

    /// All columns of that name, in either case.
    std::vector<std::size_t> named(const std::string &name) const
    {
        std::vector<std::size_t> out;
        for (std::size_t k = 0; k < m_names.size(); ++k)
            if (lowered(m_names[k]) == lowered(name))
                out.push_back(k);
        return out;
    }
    /// What a word says: a name, a number or, with `ranges`, "3-7". `what` is what the column is wanted for.
    Result<std::vector<std::size_t>> find(const std::string &word, const std::string &what, bool ranges) const
    {
        if (const auto same = named(word); same.size() == 1 || (ranges && !same.empty()))
            return same;
        else if (same.size() > 1)
            return usage(m_file + ": " + std::to_string(same.size()) + " columns are called \"" + printable(word)
                         + "\". Choose the " + what + " by its number, from 1 to " + std::to_string(m_fields) + ".");
        const auto dash = ranges ? word.find('-') : std::string::npos;
        const std::size_t first = number(word.substr(0, dash));
        const std::size_t last = dash == std::string::npos ? first : number(word.substr(dash + 1));
        if (first == 0 || last < first)
            return usage(m_file + ": there is no " + what + " \"" + printable(word) + "\". Expected a number from 1 to "
                         + std::to_string(m_fields) + (ranges ? ", a range such as 2-3" : "") + known());
        std::vector<std::size_t> out;
        for (std::size_t k = first; k <= last; ++k)
            out.push_back(k - 1);
        return out;
    }

private:
    /// From 1 to the number of columns; 0 for all else.
    std::size_t number(const std::string &word) const
    {
        std::size_t value = 0;
        return readInto(trimmed(word), value) && value <= m_fields ? value : 0;
    }
    std::string known() const
    {
        if (m_names.empty())
            return "; the file has no header with names.";
        constexpr std::size_t most = 12;
        const std::vector<std::string> some(
            m_names.begin(), m_names.begin() + static_cast<std::ptrdiff_t>(std::min(most, m_names.size())));
        return " or a name: " + joined(some, ", ", [](const std::string &name) { return printable(name); })
            + (m_names.size() > most ? ", ..." : ".");
    }

    std::string m_file;
    const std::vector<std::string> &m_names;
    std::size_t m_fields;
};

Result<ColumnPlan> findLabel(const Finder &finder, std::size_t fields, const LoadOptions &options)
{
    ColumnPlan plan;
    if (options.training && !options.training->label.empty())
        if (const auto same = finder.named(options.training->label); same.size() == 1) {
            plan.label = same[0];
            plan.whyLabel = "as in the training file";
            return plan;
        }
    if (!options.label.empty()) {
        const auto found = finder.find(options.label, "label column", false);
        if (!found)
            return found.error();
        plan.label = found.value()[0];
        plan.whyLabel = "as chosen";
        return plan;
    }
    for (const char *usual : {"label", "class", "target", "y"})
        if (const auto same = finder.named(usual); !same.empty()) {
            plan.label = same[0];
            plan.whyLabel = "by its name";
            return plan;
        }
    plan.label = fields - 1;
    plan.whyLabel = "the last one";
    return plan;
}

/// The training file's columns by their names, in its order; nothing if names do not tell the columns apart.
Result<std::vector<std::size_t>> followTraining(const Finder &finder, const Bytes &file, const TableColumns &training)
{
    std::vector<std::size_t> out;
    std::set<std::string> seen;
    for (const SourceColumn &column : training.features) {
        const auto same = finder.named(column.name);
        if (column.name.empty() || same.size() > 1 || !seen.insert(lowered(column.name)).second)
            return std::vector<std::size_t>();
        if (same.empty())
            return errorIn(file.name(),
                           "there is no column " + inQuotes(column.name)
                               + " in it, which the training file has. Expected its columns, in any order: add it, or "
                                 "leave it out of the training rows too.");
        out.push_back(same[0]);
    }
    return out;
}

} // namespace

std::vector<std::string> TableColumns::featureNames() const
{
    if (std::all_of(features.begin(), features.end(), [](const SourceColumn &c) { return c.name.empty(); }))
        return {};
    std::vector<std::string> out;
    for (const SourceColumn &column : features) {
        const std::string name = column.name.empty() ? "feature " + std::to_string(out.size() + 1) : column.name;
        if (column.words.empty())
            out.push_back(name);
        else if (column.width() == 1)
            out.push_back(name + "=" + column.words.back());
        else
            for (const std::string &word : column.words)
                out.push_back(name + "=" + word);
    }
    return out;
}

Result<ColumnPlan> chooseColumns(const Bytes &file, const TableLayout &layout, std::size_t fields,
                                 const LoadOptions &options)
{
    const Finder finder(file, layout, fields);
    auto found = findLabel(finder, fields, options);
    if (!found)
        return found;
    ColumnPlan &plan = found.value();
    if (options.training && layout.hasHeader) {
        auto same = followTraining(finder, file, *options.training);
        if (!same)
            return same.error();
        plan.features = std::move(same).value();
        if (std::ranges::find(plan.features, plan.label) != plan.features.end())
            return errorIn(
                file.name(),
                "there is no label column "
                    + (options.training->label.empty() ? std::string() : inQuotes(options.training->label) + " ")
                    + "in it, which the training file has. Expected a label for each test row: add the "
                      "column, or leave this file out and hold back a part of the training rows.");
        if (!plan.features.empty())
            return found;
    }
    std::vector<bool> used(fields, options.columns.only.empty());
    for (const std::string &word : options.columns.only) {
        const auto columns = finder.find(word, "column", true);
        if (!columns)
            return columns.error();
        for (const std::size_t k : columns.value())
            used[k] = true;
    }
    for (const std::string &word : options.columns.dropped) {
        const auto columns = finder.find(word, "column", true);
        if (!columns)
            return columns.error();
        for (const std::size_t k : columns.value()) {
            if (k == plan.label)
                return usage(file.name() + ": " + layout.fieldName(static_cast<Index>(k))
                             + " is the label's, so it can't be left out. Choose another label.");
            used[k] = false;
        }
    }
    for (std::size_t k = 0; k < fields; ++k)
        if (used[k] && k != plan.label)
            plan.features.push_back(k);
    if (plan.features.empty())
        return usage(file.name() + ": no column is left as a feature. Leave fewer columns out.");
    return found;
}

} // namespace appa
