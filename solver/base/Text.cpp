#include "base/Text.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace appa {

std::string_view trimmed(std::string_view text)
{
    constexpr std::string_view blanks = " \t\r\n";
    const auto first = text.find_first_not_of(blanks);
    if (first == std::string_view::npos)
        return {};
    return text.substr(first, text.find_last_not_of(blanks) - first + 1);
}

std::vector<std::string_view> split(std::string_view text, char separator)
{
    std::vector<std::string_view> parts;
    while (true) {
        const std::size_t end = text.find(separator);
        parts.push_back(text.substr(0, end));
        if (end == std::string_view::npos)
            return parts;
        text.remove_prefix(end + 1);
    }
}

std::vector<std::string> listItems(std::string_view text)
{
    std::vector<std::string> items;
    while (!text.empty()) {
        text.remove_prefix(std::min(text.find_first_not_of(" \t\r\n"), text.size()));
        const bool isQuoted = text.starts_with('"');
        std::string quoted;
        if (isQuoted) {
            text.remove_prefix(1);
            while (!text.empty() && (text[0] != '"' || text.starts_with("\"\""))) {
                quoted += text[0];
                text.remove_prefix(text[0] == '"' ? 2 : 1);
            }
            text.remove_prefix(std::min<std::size_t>(1, text.size()));
        }
        const std::size_t end = std::min(text.find(','), text.size());
        if (std::string item = quoted + std::string(trimmed(text.substr(0, end))); isQuoted || !item.empty())
            items.push_back(std::move(item));
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    return items;
}

std::string listText(const std::vector<std::string> &items)
{
    return joined(items, ",", [](const std::string &item) {
        if (!item.empty() && trimmed(item) == item && item.find_first_of(",\"") == std::string::npos)
            return item;
        std::string quoted = "\"";
        for (const char c : item)
            quoted += c == '"' ? std::string(2, c) : std::string(1, c);
        return quoted + '"';
    });
}

std::string lowered(std::string_view text)
{
    std::string out(text);
    for (char &c : out)
        if (c >= 'A' && c <= 'Z')
            c = static_cast<char>(c - 'A' + 'a');
    return out;
}

std::string printable(std::string_view text, std::size_t most)
{
    std::string out;
    for (const char c : text.substr(0, most)) {
        const auto u = static_cast<unsigned char>(c);
        out += u < 0x20 || u >= 0x7f ? '.' : c;
    }
    return text.size() > most ? out + "..." : out;
}

std::string inQuotes(std::string_view text)
{
    std::string out(1, '"');
    out += printable(text);
    out += '"';
    return out;
}

bool isUtf8(std::string_view text)
{
    for (std::size_t k = 0; k < text.size();) {
        const auto byte = [&](std::size_t i) { return i < text.size() ? static_cast<unsigned char>(text[i]) : 0u; };
        const unsigned first = byte(k);
        const std::size_t length = first < 0x80 ? 1 : first < 0xc2 ? 0 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
        if (length == 0 || first > 0xf4)
            return false;
        for (std::size_t i = 1; i < length; ++i)
            if ((byte(k + i) & 0xc0u) != 0x80)
                return false;
        // Neither what fewer bytes would say, nor half of a pair of UTF-16, nor what lies beyond Unicode.
        const unsigned second = byte(k + 1);
        if ((first == 0xe0 && second < 0xa0) || (first == 0xed && second > 0x9f) || (first == 0xf0 && second < 0x90)
            || (first == 0xf4 && second > 0x8f))
            return false;
        k += length;
    }
    return true;
}

std::string percentEscaped(std::string_view bytes)
{
    constexpr std::string_view digits = "0123456789ABCDEF";
    std::string out;
    for (const char c : bytes) {
        const auto u = static_cast<unsigned char>(c);
        if (u < 0x20 || u >= 0x7f || c == '%')
            out += {'%', digits[u / 16], digits[u % 16]};
        else
            out += c;
    }
    return out;
}

std::string percentUnescaped(std::string_view text)
{
    std::string out;
    for (std::size_t k = 0; k < text.size(); ++k) {
        int byte = 0;
        if (text[k] == '%' && text.size() - k > 2 && readInto(text.substr(k + 1, 2), byte, 16)) {
            out += static_cast<char>(byte);
            k += 2;
        } else {
            out += text[k];
        }
    }
    return out;
}

std::string numberText(double value)
{
    std::array<char, 64> buffer;
    const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value).ptr;
    return {buffer.data(), end};
}

std::string numberText(double value, int digits, std::chars_format form)
{
    // A double has up to 309 digits before the point.
    std::array<char, 400> buffer;
    const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value, form, digits).ptr;
    return {buffer.data(), end};
}

std::string exactNumber(double value)
{
    return std::isnan(value) ? std::string() : numberText(value, 17);
}

std::string hexText(std::uint64_t value)
{
    std::string out(16, '0');
    for (auto digit = out.rbegin(); digit != out.rend(); ++digit, value >>= 4)
        *digit = "0123456789abcdef"[value & 15];
    return out;
}

std::string bytesText(double bytes)
{
    constexpr std::array<const char *, 6> units = {"bytes", "KiB", "MiB", "GiB", "TiB", "PiB"};
    std::size_t unit = 0;
    for (; bytes >= 1024 && unit + 1 < units.size(); ++unit)
        bytes /= 1024;
    const int digits = unit > 0 && bytes < 100 ? 1 : 0;
    return numberText(bytes, digits, std::chars_format::fixed) + " " + units[unit];
}

std::optional<double> readNumber(std::string_view text)
{
    if (text.starts_with('+'))
        text.remove_prefix(1);
    double value = 0;
    if (!readInto(text, value) || !std::isfinite(value))
        return std::nullopt;
    return value;
}

} // namespace appa
