#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace appa {

/// A word as a shell takes it: between single quotes unless nothing in it needs them.
inline std::string shellQuoted(std::string_view word)
{
    constexpr std::string_view plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./:=,+@%";
    if (!word.empty() && word.find_first_not_of(plain) == std::string_view::npos)
        return std::string(word);
    std::string out = "'";
    for (const char c : word) {
        if (c == '\'')
            out += "'\\''";
        else
            out += c;
    }
    return out + "'";
}

/// The words of a line of such words.
inline std::vector<std::string> shellWords(std::string_view line)
{
    std::vector<std::string> words;
    bool inQuotes = false, inWord = false;
    for (std::size_t k = 0; k < line.size(); ++k) {
        if (line[k] == ' ' && !inQuotes) {
            inWord = false;
            continue;
        }
        if (!std::exchange(inWord, true))
            words.emplace_back();
        if (line[k] == '\'')
            inQuotes = !inQuotes;
        else if (line[k] == '\\' && !inQuotes && k + 1 < line.size())
            words.back() += line[++k];
        else
            words.back() += line[k];
    }
    return words;
}

} // namespace appa
