#pragma once

#include "base/Result.h"
#include "data/Matrix.h"
#include "data/Parallel.h"

#include <memory>
#include <string>
#include <string_view>

namespace appa {

/// The content of a file: mapped into memory, or inflated if it is gz-compressed. Moves, never copies.
class Bytes
{
public:
    Bytes() = default;
    /// Text that lives elsewhere (embedded data, tests).
    static Bytes view(std::string_view text, std::string name);
    /// Opens `path`; gz is recognized by its content.
    static Result<Bytes> open(const std::string &path, const ProgressRange &range);
    /// Inflates gz-compressed `packed`. Memory grows with what really comes out, never with what a header says.
    /// `most` stops early (for a look at the head only).
    static Result<Bytes> inflate(std::string_view packed, std::string name, const ProgressRange &range,
                                 std::size_t most = static_cast<std::size_t>(-1));
    /// The first bytes of the file's content, at most `most`; nothing more is read.
    static Result<Bytes> head(const std::string &path, std::size_t most);

    std::string_view text() const { return m_text; }
    const std::string &name() const { return m_name; }
    bool wasCompressed() const { return m_wasCompressed; }

private:
    std::shared_ptr<const void> m_owner; ///< of the mapping or the inflated memory
    std::string_view m_text;
    std::string m_name;
    bool m_wasCompressed = false;
};

/// "FILE, line 3, column 7: message": the place is counted from `text` and `offset` only now that it is needed.
Error errorAt(std::string_view name, std::string_view text, std::size_t offset, const std::string &message,
              std::vector<Remedy> remedies = {});
/// "FILE: message"
Error errorIn(std::string_view name, const std::string &message, std::vector<Remedy> remedies = {},
              std::string column = {});
Error cancelledError();

} // namespace appa
