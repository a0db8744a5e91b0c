#include "data/loaders/Loaders.h"

#include "base/Text.h"
#include "data/loaders/Table.h"

#include <algorithm>
#include <array>

namespace appa {

namespace {

constexpr std::array<std::pair<std::string_view, Format>, 5> formats = {{{"libsvm", Format::Libsvm},
                                                                         {"csv", Format::Csv},
                                                                         {"idx", Format::Idx},
                                                                         {"cifar", Format::Cifar},
                                                                         {"kdd", Format::Kdd}}};

constexpr std::size_t cifarRecord = 3073;

bool isIdx(std::string_view head)
{
    static constexpr std::string_view types = "\x08\x09\x0B\x0C\x0D\x0E";
    return head.size() >= 8 && head[0] == 0 && head[1] == 0 && types.find(head[2]) != std::string_view::npos
        && head[3] >= 1 && head[3] <= 8;
}

bool isCifar(std::string_view head, std::size_t size)
{
    if (head.size() < cifarRecord || (size != 0 && size % cifarRecord != 0))
        return false;
    for (std::size_t at = 0; at < head.size(); at += cifarRecord)
        if (static_cast<unsigned char>(head[at]) > 9)
            return false;
    return true;
}

bool isBinary(std::string_view head)
{
    const auto odd = std::count_if(head.begin(), head.end(), [](char c) {
        const auto u = static_cast<unsigned char>(c);
        return u < 0x20 && c != '\n' && c != '\r' && c != '\t';
    });
    return odd > 0;
}

/// "3:0.5": digits, a colon, the start of a number.
bool isPair(std::string_view word)
{
    const auto colon = word.find(':');
    if (colon == std::string_view::npos || colon == 0 || colon + 1 >= word.size())
        return false;
    const auto index = word.substr(0, colon);
    return index == "qid" || std::all_of(index.begin(), index.end(), [](char c) { return c >= '0' && c <= '9'; });
}

/// Lines that say something, from the first few kilobytes; a last line that may be cut is left out if there are others.
std::vector<std::string_view> linesOf(std::string_view head, std::size_t most)
{
    std::vector<std::string_view> lines;
    while (!head.empty() && lines.size() < most) {
        const auto end = head.find('\n');
        const auto line = trimmed(head.substr(0, end));
        const bool isCut = end == std::string_view::npos;
        if (!line.empty() && line[0] != '#' && !(isCut && !lines.empty()))
            lines.push_back(line);
        head.remove_prefix(isCut ? head.size() : end + 1);
    }
    return lines;
}

/// LIBSVM's row of zeros: a number alone. In other files a title or a count may look so.
bool isLabelAlone(std::string_view line)
{
    const auto blank = std::min(line.find_first_of(" \t"), line.size());
    const auto rest = trimmed(line.substr(blank));
    return readNumber(line.substr(0, blank)) && (rest.empty() || rest[0] == '#');
}

/// "-1 3:0.5 ..": by the first pair only, what is wrong further on is the reader's to say.
bool isLibsvm(std::string_view line)
{
    const auto rest = trimmed(line.substr(std::min(line.find_first_of(" \t"), line.size())));
    return isPair(rest.substr(0, rest.find_first_of(" \t")));
}

bool isKdd(std::string_view line)
{
    const auto record = firstRecord(line, '\t');
    return record.fields.size() == 77 && readNumber(record.fields[0]) && readNumber(record.fields[1])
        && (record.fields[2] == "0" || record.fields[2] == "1");
}

} // namespace

std::string_view nameOf(Format format)
{
    for (const auto &[name, f] : formats)
        if (f == format)
            return name;
    return {};
}

std::optional<Format> formatOf(std::string_view name)
{
    for (const auto &[n, format] : formats)
        if (n == name)
            return format;
    return std::nullopt;
}

Detection detectFormat(std::string_view head, std::size_t size)
{
    if (isIdx(head))
        return {Format::Idx, "IDX by its first bytes"};
    if (isCifar(head, size))
        return {Format::Cifar, "CIFAR-10 by its record length and labels"};
    if (head.starts_with("\xFF\xFE") || head.starts_with("\xFE\xFF"))
        return {std::nullopt,
                "this is text in UTF-16. Expected UTF-8 or plain ASCII: save it so (in a spreadsheet: "
                "\"CSV UTF-8\")."};
    if (isBinary(head))
        return {std::nullopt,
                "this is binary data of an unknown kind. Expected LIBSVM or CSV text, MNIST's IDX or CIFAR-10's .bin, "
                "plain or .gz: "
                "convert it, or choose the format if you know better."};
    if (head.find('\r') != std::string_view::npos && head.find('\n') == std::string_view::npos)
        return {
            std::nullopt,
            "its lines end with a carriage return alone. Expected a line feed: save it with ordinary line ends (in a "
            "spreadsheet: \"CSV UTF-8\"; on the command line: tr '\\r' '\\n')."};
    if (head.starts_with("\xEF\xBB\xBF"))
        head.remove_prefix(3);
    const auto lines = linesOf(head, 50);
    if (lines.empty())
        return {std::nullopt, "there is nothing but blank lines or comments at its start. Expected rows of data."};
    // One row decides, the first that shows its kind: a mistake in a later one is found, with its line, by the reader.
    const auto telling = std::find_if_not(lines.begin(), lines.end(), isLabelAlone);
    const std::string_view row = telling != lines.end() ? *telling : lines[0];
    if (isLibsvm(row))
        return {Format::Libsvm, "LIBSVM by its index:value pairs"};
    if (isKdd(lines[0]))
        return {Format::Kdd, "KDD Cup 2004 by its 77 fields"};
    // Not by lines: a quoted field may hold a line's end.
    const std::string_view table = head.substr(skipPreamble(head));
    const auto separates = [&](char c) {
        const Record first = firstRecord(table, c);
        return first.fields.size() > 1
            || first.openAt; // a quote that swallows the separators is the reader's to refuse
    };
    if (separates(',') || separates(';') || separates('\t'))
        return {Format::Csv, "CSV by its separators"};
    return {std::nullopt,
            "the row \"" + printable(row)
                + "\" is neither LIBSVM (\"label index:value ..\") nor fields separated by comma, "
                  "semicolon or tab. Convert the file, or choose its format."};
}

} // namespace appa
