#pragma once

#include "base/Result.h"

#include <optional>
#include <string>
#include <string_view>
#include <sys/types.h>
#include <utility>

namespace appa {

enum class FileUse { Reading, Writing };
/// The sentence for an errno: "`what` "path": No space left on device. Free some space or choose another folder."
Error fileError(const std::string &what, const std::string &path, int code, FileUse use = FileUse::Writing);

/// Writes all of it to an open file: 0, or errno.
int writeAll(int file, std::string_view content);

/// A file that is written piece by piece and gets its name only by `commit`: until then whatever is there stays. The
/// pieces go to a temporary file beside it, which goes away with this object.
class NewFile
{
public:
    /// `mode`: of the file that it replaces; a new one gets what the umask leaves.
    explicit NewFile(std::string path, std::optional<mode_t> mode = std::nullopt);
    NewFile(const NewFile &) = delete;
    NewFile &operator=(const NewFile &) = delete;
    ~NewFile();

    const std::string &path() const { return m_path; }
    /// False from the first error on, also in the following ones.
    bool write(std::string_view content);
    /// All of it is on the disk; the name is not given yet.
    bool close();
    bool commit();
    int code() const { return m_error; } ///< errno of the first error, or 0
    Error error() const { return fileError("Cannot write", m_path, m_error); }

private:
    std::string m_path;
    std::string m_temporary; ///< "" if it is not there
    std::optional<mode_t> m_mode;
    int m_file = -1;
    int m_error = 0;
};

/// Puts `content` at `path` so that there is always either the old file or the new one, whatever happens meanwhile:
/// a temporary file beside it, synced, then renamed. Devices and pipes are written to directly.
std::optional<Error> writeAtomically(const std::string &path, std::string_view content);
/// Why `writeAtomically` would fail there, as far as that can be told without trying.
std::optional<Error> whyNotWritable(const std::string &path);

/// Tells one writing of a file from any other: `writeAtomically` never writes into the file that is there.
struct FileMark
{
    dev_t device = 0;
    ino_t inode = 0;
    off_t size = 0;
    std::pair<time_t, long> written; ///< seconds and nanoseconds

    bool operator==(const FileMark &) const = default;
};
/// Of the regular file at the path; nothing if there is none.
std::optional<FileMark> markOf(const std::string &path);

/// The whole file. An error names it and what to do.
Result<std::string> readWholeFile(const std::string &path);
/// The same, but nothing where there is no such file. One that is there and cannot be read is an error.
Result<std::optional<std::string>> readFileIfThere(const std::string &path);

} // namespace appa
