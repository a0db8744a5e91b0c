#include "data/Labels.h"

#include "base/Text.h"
#include "data/loaders/Fields.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <set>

namespace appa {

namespace {

/// More different whole-number labels than this are taken for real targets.
constexpr std::size_t mostClasses = 100;
/// With more than this many, whole numbers without names may be meant as real targets all the same.
constexpr std::size_t manyClasses = 20;

/// The different labels of both parts: as numbers in ascending order, and as they are shown and chosen.
struct Vocabulary
{
    std::vector<double> values;     ///< distinct; positions in `words` if the labels are words
    std::vector<std::string> texts; ///< "3" or "cat"
    std::vector<std::string> names; ///< "3 cat" where the format names its classes, else as `texts`
    std::vector<Index> counts;      ///< in the training part

    std::size_t size() const { return values.size(); }
};

/// One numbering for the label words of both parts.
std::vector<std::string> uniteWords(RawTable &train, RawTable *test)
{
    std::set<std::string> all(train.labelWords.begin(), train.labelWords.end());
    if (test)
        all.insert(test->labelWords.begin(), test->labelWords.end());
    std::vector<std::string> words(all.begin(), all.end());
    const auto renumber = [&](RawTable &table) {
        std::vector<double> position;
        for (const auto &word : table.labelWords)
            position.push_back(static_cast<double>(std::lower_bound(words.begin(), words.end(), word) - words.begin()));
        for (double &label : table.labels)
            label = position[static_cast<std::size_t>(label)];
        table.labelWords = words;
    };
    renumber(train);
    if (test)
        renumber(*test);
    return words;
}

/// Numbers written as words, so that a part with words and one with numbers can be united.
void numbersToWords(RawTable &table)
{
    std::map<double, std::size_t> position;
    for (const double label : table.labels)
        position.emplace(label, 0);
    std::vector<std::pair<std::string, double>> words;
    for (const auto &[value, unused] : position)
        words.emplace_back(numberText(value), value);
    std::sort(words.begin(), words.end());
    for (std::size_t k = 0; k < words.size(); ++k) {
        position[words[k].second] = k;
        table.labelWords.push_back(words[k].first);
    }
    for (double &label : table.labels)
        label = static_cast<double>(position[label]);
}

Vocabulary vocabularyOf(RawTable &train, RawTable *test)
{
    const bool words = !train.labelWords.empty() || (test && !test->labelWords.empty());
    if (words) {
        if (train.labelWords.empty())
            numbersToWords(train);
        if (test && test->labelWords.empty())
            numbersToWords(*test);
        uniteWords(train, test);
    }
    std::map<double, Index> counts;
    for (const double label : train.labels)
        ++counts[label];
    if (test)
        for (const double label : test->labels)
            counts.emplace(label, 0);
    Vocabulary out;
    for (const auto &[value, count] : counts) {
        out.values.push_back(value);
        out.counts.push_back(count);
        out.texts.push_back(words ? train.labelWords[static_cast<std::size_t>(value)] : numberText(value));
        const bool isNamed =
            !words && value >= 0 && value < static_cast<double>(train.classNames.size()) && value == std::floor(value);
        out.names.push_back(isNamed ? train.classNames[static_cast<std::size_t>(value)] : out.texts.back());
    }
    return out;
}

/// "FILE: message"
Error errorAbout(const RawTable &table, Error::Kind kind, const std::string &message, std::vector<Remedy> remedies = {})
{
    return {kind, table.origin + ": " + message, std::move(remedies)};
}

std::string listed(const std::vector<std::string> &items, std::size_t most = 12)
{
    std::string text;
    for (std::size_t k = 0; k < std::min(items.size(), most); ++k)
        text += (k ? ", " : "") + printable(items[k]);
    return items.size() > most ? text + ", ..." : text;
}

std::string countsText(const Vocabulary &v)
{
    std::string text;
    for (std::size_t k = 0; k < std::min<std::size_t>(v.size(), 12); ++k)
        text += (k ? ", " : "") + printable(v.names[k]) + ": " + std::to_string(v.counts[k]);
    return v.size() > 12 ? text + ", ..." : text;
}

/// Replaces every label by `map` of it.
void mapLabels(Dataset &data, const RawTable &train, const RawTable *test, const std::map<double, double> &map)
{
    const auto apply = [&](const std::vector<double> &labels, std::vector<double> &targets) {
        targets.resize(labels.size());
        for (std::size_t i = 0; i < labels.size(); ++i)
            targets[i] = map.at(labels[i]);
    };
    apply(train.labels, data.train.targets);
    if (test)
        apply(test->labels, data.test.targets);
}

Result<std::vector<bool>> choosePositive(const RawTable &train, const Vocabulary &v, std::vector<std::string> wanted)
{
    bool isPreset = false;
    if (wanted.size() == 1)
        for (const auto &preset : labelPresets())
            if (preset.name == wanted[0] && std::find(v.texts.begin(), v.texts.end(), wanted[0]) == v.texts.end()) {
                isPreset = true;
                wanted = std::vector<std::string>(preset.classes);
                break;
            }
    std::vector<bool> positive(v.size(), false);
    for (const auto &word : wanted) {
        const auto number = readNumber(word);
        bool found = false;
        for (std::size_t k = 0; k < v.size(); ++k) {
            if (v.texts[k] == word || v.names[k] == word || (number && readNumber(v.texts[k]) == number)) {
                positive[k] = true;
                found = true;
            }
        }
        // A part of a set need not have all of a preset's classes.
        if (!found && !isPreset)
            return errorAbout(train, Error::Kind::Usage,
                              "there is no class \"" + printable(word) + "\" in the data. Found: " + listed(v.names)
                                  + ". Choose the positive classes among these.");
    }
    if (std::find(positive.begin(), positive.end(), false) == positive.end())
        return errorAbout(train, Error::Kind::Usage,
                          "all classes of the data (" + listed(v.names)
                              + ") are chosen as positive. Leave at least one for the negative side.");
    return positive;
}

Dataset makeBinary(const RawTable &train, const RawTable *test, const Vocabulary &v, const std::vector<bool> &positive,
                   const std::string &why)
{
    Dataset data;
    data.kind = TargetKind::Binary;
    std::map<double, double> map;
    std::vector<std::string> sides[2];
    Index count = 0;
    for (std::size_t k = 0; k < v.size(); ++k) {
        map[v.values[k]] = positive[k] ? 1 : -1;
        sides[positive[k] ? 1 : 0].push_back(v.names[k]);
        count += positive[k] ? v.counts[k] : 0;
    }
    mapLabels(data, train, test, map);
    data.classNames = {listed(sides[0]), listed(sides[1])};
    const auto rows = static_cast<Index>(train.labels.size());
    const std::string unit = test ? " training rows" : " rows"; // a test set may still be taken from them
    data.provenance.push_back({"labels to -1 and +1" + why,
                               "+1: " + (sides[1].empty() ? "none" : data.classNames[1]) + " (" + std::to_string(count)
                                   + unit + "); -1: " + (sides[0].empty() ? "none" : data.classNames[0]) + " ("
                                   + std::to_string(rows - count) + ")"});
    return data;
}

std::optional<Error> refuseLargeTargets(const RawTable &table)
{
    constexpr double most = 1e100;
    const auto large = std::ranges::find_if(table.labels, [](double label) { return !(std::abs(label) <= most); });
    if (large == table.labels.end())
        return std::nullopt;
    return errorAbout(table, Error::Kind::Data,
                      "the label column has " + numberText(*large)
                          + ", which is too large to be squared. Expected at most " + numberText(most)
                          + ": give it in other units.");
}

/// `unasked`: the labels, where nobody has called them numbers.
Result<Dataset> makeReal(const RawTable &train, const RawTable *test, const Vocabulary *unasked)
{
    const RawTable &words = test && train.labelWords.empty() ? *test : train;
    const auto comma =
        std::ranges::find_if(words.labelWords, [](const std::string &word) { return withPoint(word).has_value(); });
    if (comma != words.labelWords.end())
        return errorAbout(words, Error::Kind::Data,
                          "the label column has numbers with a comma such as \"" + printable(*comma)
                              + "\". Expected a point: write " + *withPoint(*comma) + ", and so in the whole file.");
    if (!words.labelWords.empty() && unasked)
        return errorAbout(words, Error::Kind::Data,
                          "the label column has " + std::to_string(unasked->size()) + " different words, such as "
                              + listed(unasked->texts, 3) + ": unasked no more than " + std::to_string(mostClasses)
                              + " are taken for classes. Choose the positive ones, or \"classes\" to keep them all "
                                "apart, or another label column.",
                          {Remedy::PositiveClasses, Remedy::ChooseLabel});
    if (!words.labelWords.empty())
        return errorAbout(words, Error::Kind::Data,
                          "the label column has words such as \"" + printable(words.labelWords[0])
                              + "\". Regression needs numbers: choose another label column.",
                          {Remedy::ChooseLabel});
    if (auto error = refuseLargeTargets(train))
        return *error;
    if (auto error = test ? refuseLargeTargets(*test) : std::nullopt)
        return *error;
    Dataset data;
    data.kind = TargetKind::Real;
    data.train.targets = train.labels;
    if (test)
        data.test.targets = test->labels;
    const auto [low, high] = std::minmax_element(train.labels.begin(), train.labels.end());
    const std::string why = unasked ? ": " + std::to_string(unasked->size()) + " different values" : "";
    data.provenance.push_back({"real targets" + why, "from " + numberText(*low) + " to " + numberText(*high)});
    return data;
}

/// `mayBeReal`: nobody has called these numbers classes, and there are many.
Dataset makeClasses(const RawTable &train, const RawTable *test, const Vocabulary &v, bool mayBeReal)
{
    Dataset data;
    data.kind = TargetKind::Classes;
    std::map<double, double> map;
    for (std::size_t k = 0; k < v.size(); ++k)
        map[v.values[k]] = static_cast<double>(k);
    mapLabels(data, train, test, map);
    data.classNames = v.names;
    data.provenance.push_back({std::to_string(v.size()) + " classes kept", countsText(v)});
    if (mayBeReal) {
        ProvenanceStep &step = data.provenance.back();
        step.what += " (if these are numbers, load them for regression)";
        step.notice = step.what + ".";
        step.remedies = {Remedy::Regression};
    }
    return data;
}

/// The side of a lone label: 0 and -1 are negative, 1 is positive, in every format we know.
Result<Dataset> makeOneSided(const RawTable &train, const RawTable *test, const Vocabulary &v)
{
    const auto value = readNumber(v.texts[0]);
    if (value && (*value == 0 || *value == -1 || *value == 1))
        return makeBinary(train, test, v, {*value == 1}, ", although only one value occurs");
    return errorAbout(train, Error::Kind::Data,
                      "all rows have the same label, " + printable(v.texts[0])
                          + ". Expected at least two: choose another label column, or load it for regression.",
                      {Remedy::Regression});
}

} // namespace

std::span<const LabelPreset> labelPresets()
{
    static const std::vector<LabelPreset> presets = {
        {"12457", "digits 1, 2, 4, 5, 7 against the rest (MNIST, as in the paper)", {"1", "2", "4", "5", "7"}},
        {"animals",
         "CIFAR-10's animals (bird, cat, deer, dog, frog, horse) against its vehicles",
         {"2", "3", "4", "5", "6", "7"}},
        {"vehicles",
         "CIFAR-10's vehicles (airplane, automobile, ship, truck) against its animals",
         {"0", "1", "8", "9"}},
    };
    return presets;
}

Result<Dataset> applyLabels(RawTable &train, RawTable *test, const LabelChoice &choice)
{
    if (choice.regression)
        return makeReal(train, test, nullptr);
    const Vocabulary v = vocabularyOf(train, test);
    const bool keepClasses = choice.positive.size() == 1 && choice.positive[0] == "classes"
        && std::find(v.texts.begin(), v.texts.end(), "classes") == v.texts.end();
    const bool allWhole = std::all_of(v.values.begin(), v.values.end(), [](double x) { return x == std::floor(x); });
    const bool looksReal = !allWhole || v.size() > mostClasses;
    if (keepClasses) {
        // Who asks for them may have many, but not one for every row.
        if (!allWhole || (v.size() > mostClasses && v.size() >= train.labels.size())) {
            const bool isWords = !train.labelWords.empty();
            return errorAbout(train, Error::Kind::Data,
                              "the label column has " + std::to_string(v.size()) + " different values in "
                                  + std::to_string(train.labels.size()) + " rows, such as " + listed(v.texts, 3)
                                  + ": these are not classes. "
                                  + (isWords ? "Choose another label column."
                                             : "Load it for regression, or choose another label column."),
                              {isWords ? Remedy::ChooseLabel : Remedy::Regression});
        }
        return makeClasses(train, test, v, false);
    }
    if (!choice.positive.empty()) {
        auto positive = choosePositive(train, v, choice.positive);
        if (!positive)
            return positive.error();
        return makeBinary(train, test, v, positive.value(), "");
    }
    if (v.size() == 1)
        return makeOneSided(train, test, v);
    if (v.size() == 2)
        return makeBinary(train, test, v, {false, true}, "");
    if (v.size() - static_cast<std::size_t>(std::count(v.counts.begin(), v.counts.end(), Index{0})) == 2) {
        const auto unseen =
            static_cast<std::size_t>(std::find(v.counts.begin(), v.counts.end(), Index{0}) - v.counts.begin());
        const auto row = std::find(test->labels.begin(), test->labels.end(), v.values[unseen]) - test->labels.begin();
        return errorAbout(*test, Error::Kind::Data,
                          "row " + std::to_string(row + 1) + " of this test set has the label "
                              + printable(v.texts[unseen])
                              + ", which does not occur in the training set. Expected the training set's two labels: "
                                "choose the positive classes, or correct the test file.",
                          {Remedy::PositiveClasses});
    }
    if (looksReal)
        return makeReal(train, test, &v);
    const bool mayBeReal = v.size() > manyClasses && train.labelWords.empty() && train.classNames.empty();
    return makeClasses(train, test, v, mayBeReal);
}

void noteLoneClasses(Dataset &data)
{
    if (data.kind == TargetKind::Real)
        return;
    const auto note = [&data](const Samples &part, const std::string &rows, const std::string &so) {
        if (part.targets.size() < 2
            || std::ranges::adjacent_find(part.targets, std::not_equal_to()) != part.targets.end())
            return;
        const double target = part.targets[0];
        const bool isBinary = data.kind == TargetKind::Binary;
        const auto k = static_cast<std::size_t>(isBinary ? target > 0 : target);
        const std::string side = isBinary ? (target > 0 ? "+1" : "-1") : "";
        const std::string name = k < data.classNames.size() ? printable(data.classNames[k]) : side;
        const std::string what = "all " + std::to_string(part.targets.size()) + " " + rows + " rows are of one class, "
            + side + (side.empty() || readNumber(name) == target ? name : " (" + name + ")");
        data.provenance.push_back({what, so, {}, what + ": " + so + "."});
    };
    note(data.train, "training",
         "there is nothing to tell apart; check the labels, and which rows were taken or held out");
    note(data.test, "test", "the test error says nothing of the other rows; check which were taken or held out");
}

} // namespace appa
