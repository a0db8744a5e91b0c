#include "data/TransformText.h"

#include "base/Suggest.h"
#include "base/Text.h"
#include "data/FourierFeatures.h"

#include <array>
#include <optional>
#include <vector>

namespace appa {

namespace {

using Kind = Transform::Kind;

struct Word
{
    Kind kind;
    std::string_view name;
    std::string_view form; ///< with its numbers, as a message shows it
};

constexpr std::array words = {
    Word{Kind::MeanNorm, "mean-norm", "mean-norm"},
    Word{Kind::NormalizeRows, "rows", "rows"},
    Word{Kind::StandardizeColumns, "columns", "columns"},
    Word{Kind::Affine, "affine", "affine"},
    Word{Kind::FourierFeatures, "rff", "rff[:D[:bandwidth[:seed]]]"},
    Word{Kind::FirstRows, "first", "first:N"},
    Word{Kind::RandomRows, "random", "random:N[:seed]"},
};

/// One number of a transform that is out of its range.
Error refused(std::string_view text, const Word &word, const char *what, std::string_view value, const char *range)
{
    return {Error::Kind::Usage,
            inQuotes(text) + ": the " + what + " must be " + range + ", not " + inQuotes(value) + ". Expected "
                + std::string(word.form) + "."};
}

Result<Transform> parseOne(std::string_view text, std::uint64_t seed)
{
    const auto parts = split(text, ':');
    const Word *word = nullptr;
    std::vector<std::string> names;
    for (const Word &w : words) {
        names.emplace_back(w.name);
        if (w.name == parts[0])
            word = &w;
    }
    if (!word)
        return Error{Error::Kind::Usage,
                     inQuotes(text) + " is not a transform." + didYouMean(std::string(parts[0]), names)
                         + " Known: " + joined(words, ", ", &Word::form) + "."};
    Transform t{.kind = word->kind,
                .seed = word->kind == Kind::FourierFeatures || word->kind == Kind::RandomRows ? seed : 1};
    const bool isMap = t.kind == Kind::FourierFeatures, isRandom = t.kind == Kind::RandomRows;
    const bool takesRows = isRandom || t.kind == Kind::FirstRows;
    const std::size_t least = takesRows ? 2 : 1, most = isMap ? 4 : isRandom ? 3 : takesRows ? 2 : 1;
    bool ok = parts.size() >= least && parts.size() <= most;
    if (ok && parts.size() > 1)
        ok = (isMap && parts[1] == "auto") || (readInto(parts[1], t.count) && t.count >= 1);
    if (ok && isMap && parts.size() > 2 && !(readInto(parts[2], t.bandwidth) && FourierFeatures::takes(t.bandwidth)))
        return refused(text, *word, "bandwidth", parts[2], FourierFeatures::bandwidths);
    if (ok && parts.size() == most && (isMap || isRandom) && !readInto(parts[most - 1], t.seed))
        return refused(text, *word, "seed", parts[most - 1],
                       "a whole number from 0 to 18446744073709551615 (2^64 - 1)");
    if (!ok)
        return Error{
            Error::Kind::Usage,
            inQuotes(text) + " can't be read. Expected " + std::string(word->form)
                + (takesRows   ? ", N a whole number from 1."
                       : isMap ? ", D a whole number from 1 or auto (n/5), the bandwidth above 0: such as rff:1200:0.7."
                               : " without numbers.")};
    return t;
}

} // namespace

Result<std::vector<Transform>> parseTransforms(std::string_view text, std::uint64_t seed)
{
    std::vector<Transform> transforms;
    if (text == "none")
        return transforms;
    for (const std::string_view part : split(text, ',')) {
        auto one = parseOne(trimmed(part), seed);
        if (!one)
            return one.error();
        transforms.push_back(one.value());
    }
    return transforms;
}

std::string textOf(std::span<const Transform> transforms, std::uint64_t seed)
{
    std::string text;
    for (const Transform &t : transforms) {
        for (const Word &w : words)
            if (w.kind == t.kind)
                text += (text.empty() ? "" : ",") + std::string(w.name);
        if (t.kind == Kind::FirstRows || t.kind == Kind::RandomRows)
            text += ':' + std::to_string(t.count);
        if (t.kind == Kind::FourierFeatures && (t.count > 0 || t.bandwidth != 1 || t.seed != seed))
            text += ':' + (t.count > 0 ? std::to_string(t.count) : "auto") + ':' + numberText(t.bandwidth);
        if (t.kind == Kind::RandomRows || (t.kind == Kind::FourierFeatures && t.seed != seed))
            text += ':' + std::to_string(t.seed);
    }
    return text.empty() ? "none" : text;
}

} // namespace appa
