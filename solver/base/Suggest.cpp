#include "base/Suggest.h"

#include <algorithm>
#include <numeric>

namespace appa {

namespace {

/// Levenshtein's distance, with a swap of neighbours counted as one error.
std::size_t distance(const std::string &a, const std::string &b)
{
    std::vector<std::size_t> older, previous(b.size() + 1), row(b.size() + 1);
    std::iota(previous.begin(), previous.end(), std::size_t(0));
    for (std::size_t i = 1; i <= a.size(); ++i) {
        row[0] = i;
        for (std::size_t j = 1; j <= b.size(); ++j) {
            row[j] = std::min({previous[j] + 1, row[j - 1] + 1, previous[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1)});
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                row[j] = std::min(row[j], older[j - 2] + 1);
        }
        older = previous;
        std::swap(previous, row);
    }
    return previous[b.size()];
}

} // namespace

std::string nearest(const std::string &word, const std::vector<std::string> &candidates)
{
    std::string best;
    std::size_t least = std::max<std::size_t>(2, word.size() / 3) + 1;
    for (const std::string &candidate : candidates) {
        // "--lam" means "--lambda", however much is missing.
        const bool begins = word.size() > 3 && candidate.starts_with(word);
        const std::size_t errors = begins ? 1 : distance(word, candidate);
        if (errors < least)
            least = errors, best = candidate;
    }
    return best;
}

std::string didYouMean(const std::string &word, const std::vector<std::string> &candidates)
{
    const std::string best = nearest(word, candidates);
    return best.empty() ? std::string() : " Did you mean \"" + best + "\"?";
}

} // namespace appa
