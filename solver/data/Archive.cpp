#include "data/Archive.h"

#include "base/AtomicFile.h"
#include "data/Bytes.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <memory>

#include <zlib.h>

namespace appa {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t blockSize = 512; // of tar
constexpr std::size_t bufferSize = std::size_t{1} << 18;

/// Uncompressed bytes of a .gz file, in order.
class GzReader
{
public:
    explicit GzReader(const std::string &path) : m_path(path), m_file(gzopen(path.c_str(), "rb"))
    {
        std::error_code ignored;
        m_size = static_cast<double>(fs::file_size(path, ignored));
        if (m_file)
            gzbuffer(m_file, static_cast<unsigned>(bufferSize));
    }
    GzReader(const GzReader &) = delete;
    GzReader &operator=(const GzReader &) = delete;
    ~GzReader()
    {
        if (m_file)
            gzclose(m_file);
    }

    bool isOpen() const { return m_file != nullptr; }
    /// Fewer bytes than asked for only at the end; -1 if it cannot be read.
    int read(char *to, std::size_t size)
    {
        const int got = gzread(m_file, to, static_cast<unsigned>(size));
        int code = Z_OK;
        gzerror(m_file, &code);
        m_errno = code == Z_ERRNO ? errno : 0;
        return code == Z_OK || code == Z_STREAM_END ? got : -1;
    }
    double fraction() const { return m_size > 0 ? static_cast<double>(gzoffset(m_file)) / m_size : 0; }
    /// Why: the disk, or what is in the archive.
    Error error() const
    {
        return m_errno ? fileError("Cannot read", m_path, m_errno, FileUse::Reading)
                       : errorIn(m_path, "the archive is damaged or cut short. Download it again.");
    }

private:
    std::string m_path;
    gzFile m_file;
    int m_errno = 0;
    double m_size = 0;
};

/// One member of a tar archive.
struct Member
{
    std::string name;
    std::size_t size = 0;
    char type = '0';
};

/// Octal digits, or a big-endian number if the first bit is set.
std::size_t tarNumber(const char *field, std::size_t width)
{
    std::size_t value = 0;
    if (static_cast<unsigned char>(field[0]) & 0x80) {
        for (std::size_t k = 4; k < width; ++k)
            value = value << 8 | static_cast<unsigned char>(field[k]);
        return value;
    }
    for (std::size_t k = 0; k < width && field[k] != '\0'; ++k)
        if (field[k] >= '0' && field[k] <= '7')
            value = value * 8 + static_cast<std::size_t>(field[k] - '0');
    return value;
}

bool checksumHolds(const std::array<char, blockSize> &header)
{
    std::size_t sum = 0;
    for (std::size_t k = 0; k < blockSize; ++k)
        sum += k >= 148 && k < 156 ? std::size_t{' '} : static_cast<unsigned char>(header[k]);
    return sum == tarNumber(header.data() + 148, 8);
}

std::string fieldText(const char *field, std::size_t width)
{
    return {field, strnlen(field, width)};
}

/// Calls `begin(member)`, which says whether it wants the content, then `content(data, size)` until it is through.
template <class Begin, class Content>
std::optional<Error> walk(const std::string &archive, const ProgressRange &range, Begin &&begin, Content &&content)
{
    GzReader in(archive);
    if (!in.isOpen())
        return fileError("Cannot open", archive, errno, FileUse::Reading);
    std::array<char, blockSize> header;
    std::vector<char> buffer(bufferSize);
    std::string longName;
    for (;;) {
        const int got = in.read(header.data(), blockSize);
        if (got == 0 || (got == static_cast<int>(blockSize) && std::all_of(header.begin(), header.end(), [](char c) {
                             return c == '\0';
                         })))
            return std::nullopt;
        if (got != static_cast<int>(blockSize) || !checksumHolds(header))
            return in.error();
        Member member{
            .name = fieldText(header.data(), 100), .size = tarNumber(header.data() + 124, 12), .type = header[156]};
        if (!longName.empty())
            member.name = std::exchange(longName, {});
        const bool isName = member.type == 'L' && member.size < 65536;
        const bool isFile = member.type == '0' || member.type == '\0';
        const bool wanted = isFile && begin(member);
        std::size_t left = (member.size + blockSize - 1) / blockSize * blockSize, useful = member.size;
        while (left > 0) {
            if (range.cancelled())
                return cancelledError();
            range.report(in.fraction());
            const auto n = in.read(buffer.data(), std::min(left, buffer.size()));
            if (n <= 0)
                return in.error();
            const std::size_t use = std::min(useful, static_cast<std::size_t>(n));
            if (isName)
                longName.append(buffer.data(), use);
            if (wanted)
                if (auto error = content(std::string_view(buffer.data(), use)))
                    return error;
            useful -= use;
            left -= static_cast<std::size_t>(n);
        }
        longName = longName.c_str(); // without its closing zero
    }
}

std::string baseName(const std::string &path)
{
    return path.substr(path.rfind('/') == std::string::npos ? 0 : path.rfind('/') + 1);
}

std::optional<Error> missingMembers(const std::string &archive, const std::vector<std::string> &wanted,
                                    const std::vector<std::string> &found)
{
    for (const auto &name : wanted)
        if (std::find(found.begin(), found.end(), name) == found.end())
            return errorIn(archive, "there is no " + name + " in the archive. Download it again.");
    return std::nullopt;
}

} // namespace

Result<std::string> unpackGz(const std::string &archive, const std::string &target, const ProgressRange &range)
{
    GzReader in(archive);
    if (!in.isOpen())
        return fileError("Cannot open", archive, errno, FileUse::Reading);
    NewFile out(target);
    std::vector<char> buffer(bufferSize);
    for (;;) {
        if (range.cancelled())
            return cancelledError();
        range.report(in.fraction());
        const int got = in.read(buffer.data(), buffer.size());
        if (got < 0)
            return in.error();
        if (got == 0)
            break;
        if (!out.write({buffer.data(), static_cast<std::size_t>(got)}))
            return out.error();
    }
    if (!out.commit())
        return out.error();
    return target;
}

Result<std::vector<std::string>> unpackTarGz(const std::string &archive, const std::vector<std::string> &wanted,
                                             const std::string &folder, const ProgressRange &range)
{
    std::vector<std::unique_ptr<NewFile>> files;
    std::vector<std::string> found;
    auto error = walk(
        archive, range,
        [&](const Member &member) {
            const std::string name = baseName(member.name);
            if (std::find(wanted.begin(), wanted.end(), name) == wanted.end()
                || std::find(found.begin(), found.end(), name) != found.end())
                return false;
            files.push_back(std::make_unique<NewFile>((fs::path(folder) / name).string()));
            found.push_back(name);
            return true;
        },
        [&](std::string_view data) -> std::optional<Error> {
            if (!files.back()->write(data))
                return files.back()->error();
            return std::nullopt;
        });
    if (!error)
        error = missingMembers(archive, wanted, found);
    if (error)
        return *error;
    for (const auto &file : files)
        if (!file->close())
            return file->error();
    std::vector<std::string> paths;
    for (const auto &file : files) {
        if (!file->commit())
            return file->error();
        paths.push_back(file->path());
    }
    return paths;
}

Result<std::map<std::string, std::string>> readTarGz(const std::string &archive, const std::vector<std::string> &wanted,
                                                     const ProgressRange &range)
{
    std::map<std::string, std::string> contents;
    std::string *current = nullptr;
    std::vector<std::string> found;
    auto error = walk(
        archive, range,
        [&](const Member &member) {
            const std::string name = baseName(member.name);
            if (std::find(wanted.begin(), wanted.end(), name) == wanted.end())
                return false;
            current = &contents[name];
            current->clear();
            found.push_back(name);
            return true;
        },
        [&](std::string_view data) -> std::optional<Error> {
            current->append(data);
            return std::nullopt;
        });
    if (!error)
        error = missingMembers(archive, wanted, found);
    if (error)
        return *error;
    return contents;
}

} // namespace appa
