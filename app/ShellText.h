#pragma once

#include "base/Text.h"

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace appa {

/// A word as a shell takes it: between single quotes unless nothing in it needs them. What is not UTF-8 is written in
/// the manner of $'caf\xe9', so that the line can stand in a file that has to be.
inline std::string shellQuoted(std::string_view word)
{
    constexpr std::string_view plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./:=,+@%";
    constexpr std::string_view digits = "0123456789abcdef";
    if (!word.empty() && word.find_first_not_of(plain) == std::string_view::npos)
        return std::string(word);
    const bool isBytes = !isUtf8(word);
    std::string out = isBytes ? "$'" : "'";
    for (const char c : word) {
        const auto u = static_cast<unsigned char>(c);
        if (isBytes && (u < 0x20 || u >= 0x7f)) {
            out += "\\x";
            out += {digits[u / 16], digits[u % 16]};
        } else if (isBytes && (c == '\'' || c == '\\')) {
            out += {'\\', c};
        } else if (c == '\'') {
            out += "'\\''";
        } else {
            out += c;
        }
    }
    return out + "'";
}

/// The words of a line of such words.
inline std::vector<std::string> shellWords(std::string_view line)
{
    std::vector<std::string> words;
    bool inQuotes = false, inWord = false;
    bool isBytes = false; // within $'..'
    for (std::size_t k = 0; k < line.size(); ++k) {
        if (line[k] == ' ' && !inQuotes) {
            inWord = false;
            continue;
        }
        if (!std::exchange(inWord, true))
            words.emplace_back();
        int byte = 0;
        if (line[k] == '\'') {
            inQuotes = !inQuotes;
            isBytes = isBytes && inQuotes;
        } else if (!inQuotes && line.substr(k).starts_with("$'")) {
            isBytes = true;
        } else if (isBytes && line.substr(k).starts_with("\\x") && readInto(line.substr(k + 2, 2), byte, 16)) {
            words.back() += static_cast<char>(byte);
            k += 3;
        } else if (line[k] == '\\' && (isBytes || !inQuotes) && k + 1 < line.size()) {
            words.back() += line[++k];
        } else {
            words.back() += line[k];
        }
    }
    return words;
}

} // namespace appa
