#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace appa {

/// Without blanks at either end.
std::string_view trimmed(std::string_view text);
/// Lower-case ASCII.
std::string lowered(std::string_view text);
/// Fit to be quoted in a message: control characters replaced, cut after `most` bytes.
std::string printable(std::string_view text, std::size_t most = 40);
/// The same between double quotes.
std::string inQuotes(std::string_view text);
/// The shortest text that reads back to `value`; independent of the locale.
std::string numberText(double value);
/// "2.7 GiB"
std::string bytesText(double bytes);
/// A finite number that takes up the whole text.
std::optional<double> readNumber(std::string_view text);

} // namespace appa
