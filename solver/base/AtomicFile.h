#pragma once

#include "base/Result.h"

#include <optional>
#include <string>
#include <string_view>

namespace appa {

enum class FileUse { Reading, Writing };
/// The sentence for an errno: "`what` "path": No space left on device. Free some space or choose another folder."
Error fileError(const std::string &what, const std::string &path, int code, FileUse use = FileUse::Writing);

/// Puts `content` at `path` so that there is always either the old file or the new one, whatever happens meanwhile:
/// a temporary file beside it, synced, then renamed. Devices and pipes are written to directly.
std::optional<Error> writeAtomically(const std::string &path, std::string_view content);
/// Why `writeAtomically` would fail there, as far as that can be told without trying.
std::optional<Error> whyNotWritable(const std::string &path);

/// The whole file. An error names it and what to do.
Result<std::string> readWholeFile(const std::string &path);

} // namespace appa
