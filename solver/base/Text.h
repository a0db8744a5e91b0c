#pragma once

#include <charconv>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

namespace appa {

/// Without blanks at either end.
std::string_view trimmed(std::string_view text);
/// The parts between the separators; one, perhaps empty, if there is none.
std::vector<std::string_view> split(std::string_view text, char separator);
/// "a, b, c": what `textOf` gives for each of the items.
template <class Items, class TextOf = std::identity>
std::string joined(const Items &items, std::string_view between = ", ", TextOf textOf = {})
{
    std::string list;
    bool first = true;
    for (const auto &item : items) {
        if (!first)
            list += between;
        first = false;
        list += std::invoke(textOf, item);
    }
    return list;
}
/// The items of a list "a, b": between commas, without the blanks around them; an item in double quotes may hold commas
/// and blanks, and "" in it is a quote.
std::vector<std::string> listItems(std::string_view text);
/// As `listItems` reads it back: "a,b".
std::string listText(const std::vector<std::string> &items);
/// Lower-case ASCII.
std::string lowered(std::string_view text);
/// Fit to be quoted in a message: control characters replaced, cut after `most` bytes.
std::string printable(std::string_view text, std::size_t most = 40);
/// The same between double quotes.
std::string inQuotes(std::string_view text);
/// Can it stand in a text that has to be UTF-8, a JSON file for example? A path need not be.
bool isUtf8(std::string_view text);
/// Any bytes as printable ASCII: what is not, and the percent sign, as %FF.
std::string percentEscaped(std::string_view bytes);
/// The bytes again.
std::string percentUnescaped(std::string_view text);
/// The shortest text that reads back to `value`; independent of the locale.
std::string numberText(double value);
/// As printf writes it with "%.<digits>g" (or e, or f), but with a point in every locale: Qt's application brings the
/// user's along.
std::string numberText(double value, int digits, std::chars_format form = std::chars_format::general);
/// 17 significant digits, which give the same double back; "" if it is not known (NaN).
std::string exactNumber(double value);
/// 16 hexadecimal digits.
std::string hexText(std::uint64_t value);
/// "2.7 GiB"
std::string bytesText(double bytes);
/// A finite number that takes up the whole text.
std::optional<double> readNumber(std::string_view text);
/// Whether the whole text is a number that fits into `value`, as std::from_chars reads it: no sign before a whole
/// number but a minus. If it is not, `value` is not to be used.
template <class Number, class... Base> bool readInto(std::string_view text, Number &value, Base... base)
{
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, base...);
    return error == std::errc() && end == text.data() + text.size();
}

} // namespace appa
