#include "base/AtomicFile.h"

#include "base/HostName.h"

#include <atomic>
#include <cerrno>
#include <charconv>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>
#include <vector>

namespace appa {

Error fileError(const std::string &what, const std::string &path, int code, FileUse use)
{
    std::string message = what + " \"" + path + "\": " + std::strerror(code) + ".";
    const bool isReading = use == FileUse::Reading;
    if (code == ENOSPC || code == EDQUOT || code == EFBIG)
        message += " Free some space or choose another folder.";
    else if (code == EACCES || code == EROFS || code == EPERM)
        message += isReading ? " Allow yourself to read it, or copy it to a place where you may."
                             : " Choose a folder you may write to.";
    else if (code == ENAMETOOLONG)
        message += " Choose a shorter name.";
    else if (code == ENOTDIR)
        message += " Part of the path is a file: choose another folder.";
    else if (code == EISDIR)
        message += " Give the name of a file in it.";
    else if (code == ENOENT)
        message += isReading ? " Check the path." : " Make its folder, or choose another.";
    return {Error::Kind::Io, std::move(message)};
}

int writeAll(int file, std::string_view content)
{
    while (!content.empty()) {
        const ssize_t written = ::write(file, content.data(), content.size());
        if (written < 0 && errno == EINTR)
            continue;
        if (written < 0)
            return errno;
        content.remove_prefix(static_cast<std::size_t>(written));
    }
    return 0;
}

namespace {

std::optional<Error> writeDirectly(const std::string &path, std::string_view content)
{
    const int file = ::open(path.c_str(), O_WRONLY | O_CLOEXEC);
    if (file < 0)
        return fileError("Cannot write", path, errno);
    const int code = writeAll(file, content);
    ::close(file);
    return code ? std::optional(fileError("Cannot write", path, code)) : std::nullopt;
}

std::string folderOf(const std::string &path)
{
    const std::size_t slash = path.rfind('/');
    return slash == std::string::npos ? "." : slash == 0 ? "/" : path.substr(0, slash);
}

void syncFolder(const std::string &folder)
{
    // Best effort: some file systems refuse it, and the file itself is safe already.
    const int handle = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (handle < 0)
        return;
    ::fsync(handle);
    ::close(handle);
}

/// What a temporary file's name ends with. The host's part is cut: a name has no more than 255 bytes.
std::string temporarySuffix()
{
    return "@" + hostName().substr(0, 64) + ".tmp";
}

/// The longest name of a file, less what a temporary one has behind it.
constexpr std::size_t longestStem = 255 - 96;

/// Temporary files of `name` whose writer, a process of this machine, was killed: "name.PID-K@HOST.tmp".
void removeLeftOvers(const std::string &folder, const std::string &name)
{
    DIR *entries = ::opendir(folder.c_str());
    if (!entries)
        return;
    const std::string prefix = name + ".";
    const std::string suffix = temporarySuffix();
    while (const dirent *entry = ::readdir(entries)) {
        const std::string_view file = entry->d_name;
        if (!file.starts_with(prefix) || !file.ends_with(suffix) || file.size() < prefix.size() + suffix.size())
            continue;
        const char *begin = file.data() + prefix.size();
        pid_t writer = 0;
        const auto parsed = std::from_chars(begin, file.data() + file.size() - suffix.size(), writer);
        if (parsed.ec == std::errc() && *parsed.ptr == '-' && writer > 0 && ::kill(writer, 0) != 0 && errno == ESRCH)
            ::unlinkat(::dirfd(entries), entry->d_name, 0);
    }
    ::closedir(entries);
}

} // namespace

std::optional<Error> whyNotWritable(const std::string &path)
{
    struct stat info = {};
    const bool exists = ::stat(path.c_str(), &info) == 0;
    if (!exists && (errno == ENAMETOOLONG || errno == ENOTDIR || errno == ELOOP))
        return fileError("Cannot write", path, errno);
    if (exists && S_ISDIR(info.st_mode))
        return fileError("Cannot write", path, EISDIR);
    if (exists && ::access(path.c_str(), W_OK) != 0)
        return fileError("Cannot write", path, errno);
    if (exists && !S_ISREG(info.st_mode))
        return std::nullopt;
    if (::access(folderOf(path).c_str(), W_OK | X_OK) != 0)
        return fileError("Cannot write", path, errno);
    return std::nullopt;
}

NewFile::NewFile(std::string path, std::optional<mode_t> mode) : m_path(std::move(path)), m_mode(mode)
{
    const std::size_t nameAt = m_path.rfind('/') + 1; // 0 where there is none
    const std::string stem = m_path.substr(0, nameAt + longestStem);
    removeLeftOvers(folderOf(m_path), stem.substr(nameAt));
    static std::atomic<unsigned> counter = 0;
    m_temporary = stem + "." + std::to_string(::getpid()) + "-" + std::to_string(++counter) + temporarySuffix();
    m_file = ::open(m_temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode ? 0600 : 0666);
    if (m_file >= 0)
        return;
    m_error = errno;
    m_temporary.clear();
}

NewFile::~NewFile()
{
    if (m_file >= 0)
        ::close(m_file);
    if (!m_temporary.empty())
        ::unlink(m_temporary.c_str());
}

bool NewFile::write(std::string_view content)
{
    if (m_error == 0)
        m_error = writeAll(m_file, content);
    return m_error == 0;
}

bool NewFile::close()
{
    if (m_file < 0)
        return m_error == 0;
    if (m_error == 0 && m_mode)
        static_cast<void>(::fchmod(m_file, *m_mode)); // some file systems (FAT, say) have no modes
    if (m_error == 0 && ::fsync(m_file) != 0)
        m_error = errno;
    if (::close(std::exchange(m_file, -1)) != 0 && m_error == 0)
        m_error = errno;
    return m_error == 0;
}

bool NewFile::commit()
{
    if (!close())
        return false;
    if (::rename(m_temporary.c_str(), m_path.c_str()) != 0) {
        m_error = errno;
        return false;
    }
    m_temporary.clear();
    syncFolder(folderOf(m_path));
    return true;
}

std::optional<Error> writeAtomically(const std::string &path, std::string_view content)
{
    std::string target = path;
    struct stat info = {};
    std::optional<mode_t> mode; // of the file there is; a new one gets what the umask leaves
    if (::stat(path.c_str(), &info) == 0) {
        if (S_ISDIR(info.st_mode))
            return fileError("Cannot write", path, EISDIR);
        if (!S_ISREG(info.st_mode))
            return writeDirectly(path, content);
        // A rename would replace a file that may not be written to, and a link instead of what it points at.
        if (::access(path.c_str(), W_OK) != 0)
            return fileError("Cannot write", path, errno);
        if (char *real = ::realpath(path.c_str(), nullptr)) {
            target = real;
            std::free(real);
        }
        mode = info.st_mode & 07777;
    }

    NewFile file(target, mode);
    if (!file.write(content) || !file.commit())
        return fileError("Cannot write", path, file.code());
    return std::nullopt;
}

std::optional<FileMark> markOf(const std::string &path)
{
    struct stat info = {};
    if (::stat(path.c_str(), &info) != 0 || !S_ISREG(info.st_mode))
        return std::nullopt;
    return FileMark{.device = info.st_dev,
                    .inode = info.st_ino,
                    .size = info.st_size,
                    .written = {info.st_mtim.tv_sec, info.st_mtim.tv_nsec}};
}

namespace {

/// 0, or errno.
int readAll(const std::string &path, std::string &content)
{
    const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (file < 0)
        return errno;
    std::vector<char> buffer(std::size_t(1) << 16);
    int code = 0;
    for (ssize_t count = 1; count > 0;) {
        count = ::read(file, buffer.data(), buffer.size());
        if (count < 0 && errno == EINTR)
            count = 1;
        else if (count < 0)
            code = errno;
        else
            content.append(buffer.data(), static_cast<std::size_t>(count));
    }
    ::close(file);
    return code;
}

} // namespace

Result<std::string> readWholeFile(const std::string &path)
{
    std::string content;
    if (const int code = readAll(path, content))
        return fileError("Cannot read", path, code, FileUse::Reading);
    return content;
}

Result<std::optional<std::string>> readFileIfThere(const std::string &path)
{
    std::string content;
    const int code = readAll(path, content);
    if (code == ENOENT)
        return std::optional<std::string>();
    if (code)
        return fileError("Cannot read", path, code, FileUse::Reading);
    return std::optional(std::move(content));
}

} // namespace appa
