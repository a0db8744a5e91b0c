#include "data/loaders/Chunks.h"

#include <algorithm>

namespace appa {

namespace {

/// Behind the first line's end at or after `from`, or npos. `at` is where a line starts.
std::size_t plainEnd(std::string_view text, std::size_t, std::size_t from)
{
    const auto end = text.find('\n', from);
    return end == std::string_view::npos ? end : end + 1;
}

std::size_t quotedEnd(std::string_view text, std::size_t at, std::size_t from)
{
    bool inside = false;
    for (std::size_t k = at; k < text.size(); ++k) {
        if (text[k] == '"')
            inside = !inside;
        else if (text[k] == '\n' && !inside && k >= from)
            return k + 1;
    }
    return std::string_view::npos;
}

} // namespace

LineChunks::LineChunks(std::string_view text, bool quoted, std::size_t size)
{
    std::size_t at = 0, last = 0;
    while (at < text.size()) {
        std::size_t goal = std::min(at + size, text.size()) - 1;
        std::size_t end = quoted ? quotedEnd(text, at, goal) : plainEnd(text, at, goal);
        if (end == std::string_view::npos) {
            // The last piece: cut behind its last whole line.
            end = at;
            for (std::size_t next = at; next != std::string_view::npos;
                 next = quoted ? quotedEnd(text, next, next) : std::string_view::npos)
                end = next;
            if (!quoted && text.rfind('\n') != std::string_view::npos)
                end = std::max(at, text.rfind('\n') + 1);
            last = end;
            if (end > at) {
                m_pieces.push_back(text.substr(at, end - at));
                m_offsets.push_back(at);
            }
            break;
        }
        m_pieces.push_back(text.substr(at, end - at));
        m_offsets.push_back(at);
        at = last = end;
    }
    if (last < text.size()) {
        m_last = std::string(text.substr(last)) + '\n';
        m_pieces.push_back(m_last);
        m_offsets.push_back(last);
    }
}

} // namespace appa
