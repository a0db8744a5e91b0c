#include "data/loaders/Fields.h"

#include "base/Text.h"

#include <iterator>

namespace appa {

namespace {

std::size_t startOfRows(std::string_view text, char separator, bool hasHeader)
{
    std::size_t start = skipPreamble(text);
    if (hasHeader)
        start += firstRecord(text.substr(start), separator).next;
    return start;
}

} // namespace

Field fieldAt(const char *p, const char *end, char separator)
{
    Field out;
    while (p < end && *p == ' ')
        ++p;
    if (p < end && *p == '"') {
        out.isQuoted = true;
        const char *first = ++p;
        while (p < end) {
            if (*p == '"') {
                if (p + 1 >= end || p[1] != '"')
                    break;
                ++p;
            }
            ++p;
        }
        out.isOpen = p >= end;
        out.content = trimmed({first, static_cast<std::size_t>(p - first)});
        if (p < end)
            ++p;
        while (p < end && *p != separator && *p != '\n')
            ++p;
        out.end = p;
        return out;
    }
    const char *first = p;
    while (p < end && *p != separator && *p != '\n')
        ++p;
    out.content = trimmed({first, static_cast<std::size_t>(p - first)});
    out.end = p;
    return out;
}

std::string unescaped(std::string_view content)
{
    std::string out;
    for (std::size_t k = 0; k < content.size(); ++k) {
        out += content[k];
        if (content[k] == '"' && k + 1 < content.size() && content[k + 1] == '"')
            ++k;
    }
    return out;
}

bool isBlankLine(std::string_view line)
{
    return line.find_first_not_of(" \r\n") == std::string_view::npos;
}

bool isMissing(std::string_view field)
{
    static constexpr std::string_view words[] = {"", "na", "n/a", "nan", "null", "none", "?", "-", "missing"};
    const std::string low = lowered(trimmed(field));
    return std::find(std::begin(words), std::end(words), low) != std::end(words);
}

std::optional<std::string> withPoint(std::string_view content)
{
    const auto comma = content.find(',');
    if (comma == std::string_view::npos)
        return std::nullopt;
    std::string pointed(content);
    pointed[comma] = '.';
    return readNumber(pointed) ? std::optional(pointed) : std::nullopt;
}

std::size_t skipPreamble(std::string_view text)
{
    const auto separators = [](std::string_view line) {
        return std::count_if(line.begin(), line.end(), [](char c) { return c == ',' || c == ';' || c == '\t'; });
    };
    std::size_t at = text.starts_with("\xEF\xBB\xBF") ? 3 : 0;
    while (at < text.size()) {
        const auto end = text.find('\n', at);
        if (end == std::string_view::npos)
            break;
        const auto line = text.substr(at, end - at);
        const auto below = text.substr(end + 1, text.find('\n', end + 1) - end - 1);
        const bool isComment =
            line.starts_with('#') && (separators(line) == 0 || separators(line) != separators(below));
        if (!isBlankLine(line) && !isComment)
            break;
        at = end + 1;
    }
    return at;
}

Record firstRecord(std::string_view text, char separator)
{
    Record out;
    const char *p = text.data(), *end = p + text.size();
    for (;;) {
        const Field field = fieldAt(p, end, separator);
        out.fields.push_back(field.isQuoted ? unescaped(field.content) : std::string(field.content));
        if (field.isOpen)
            out.openAt = static_cast<std::size_t>(p - text.data());
        p = field.end;
        if (p >= end || *p == '\n')
            break;
        ++p;
    }
    out.next = std::min(text.size(), static_cast<std::size_t>(p - text.data()) + 1);
    return out;
}

TableText::TableText(const Bytes &file, char separator, bool hasHeader)
    : start(startOfRows(file.text(), separator, hasHeader)), size(file.text().size() - start),
      quoted(file.text().substr(start).find('"') != std::string_view::npos), chunks(file.text().substr(start), quoted)
{
}

} // namespace appa
