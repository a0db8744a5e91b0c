#pragma once

#include "data/Matrix.h"

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace appa {

/// Text cut into pieces that end behind a line's end, to be parsed side by side. Each piece is followed by a readable
/// character; a last line without an end is moved to a piece of its own that has one.
class LineChunks
{
public:
    /// `size`: about this many bytes a piece. With `quoted`, a line's end between double quotes is none.
    explicit LineChunks(std::string_view text, bool quoted = false, std::size_t size = std::size_t{1} << 20);

    std::size_t count() const { return m_pieces.size(); }
    std::string_view piece(std::size_t k) const { return m_pieces[k]; } ///< ends with '\n'
    /// Where in the whole text a position of piece k lies.
    std::size_t offset(std::size_t k, const char *p) const
    {
        return m_offsets[k] + static_cast<std::size_t>(p - m_pieces[k].data());
    }

private:
    std::vector<std::string_view> m_pieces;
    std::vector<std::size_t> m_offsets;
    std::string m_last; ///< a last line without its end
};

} // namespace appa
