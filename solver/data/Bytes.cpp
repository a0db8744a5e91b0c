#include "data/Bytes.h"

#include "base/AtomicFile.h"
#include "base/Text.h"
#include "data/Memory.h"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <new>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

namespace appa {

namespace {

constexpr std::size_t step = std::size_t{1} << 20;

bool isGzip(std::string_view text)
{
    return text.size() >= 2 && text[0] == '\x1f' && text[1] == '\x8b';
}

/// A file descriptor that closes itself.
class File
{
public:
    /// Without waiting: a pipe that nobody writes to would never open, and Ctrl-C would not end it.
    explicit File(const std::string &path) : m_fd(::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC)) { }
    File(const File &) = delete;
    File &operator=(const File &) = delete;
    ~File()
    {
        if (m_fd >= 0)
            ::close(m_fd);
    }
    int fd() const { return m_fd; }

private:
    int m_fd;
};

Error emptyFile(const std::string &path)
{
    return errorIn(path, "the file is empty. Expected rows of data: download or write it again.");
}

/// The size of the regular file behind `file`, or why it can't be read.
Result<std::size_t> sizeOf(const File &file, const std::string &path)
{
    if (file.fd() < 0) {
        if (errno == ENOENT)
            return Error{Error::Kind::Io,
                         path + ": there is no such file. Check the path, or see the list of data sets for names."};
        return fileError("Cannot open", path, errno, FileUse::Reading);
    }
    struct stat info
    {
    };
    if (fstat(file.fd(), &info) != 0)
        return fileError("Cannot read", path, errno, FileUse::Reading);
    if (S_ISDIR(info.st_mode))
        return Error{Error::Kind::Data,
                     path
                         + ": this is a folder without the data files of MNIST (train-images-idx3-ubyte ..) or "
                           "CIFAR-10 (data_batch_1.bin ..). Give a file, or a folder that holds such a set."};
    if (!S_ISREG(info.st_mode))
        return Error{Error::Kind::Io, path + ": not a regular file. Write the data to a file first."};
    return static_cast<std::size_t>(info.st_size);
}

/// Memory that grows without copying where the system can remap it.
class Growing
{
public:
    Growing() = default;
    Growing(const Growing &) = delete;
    Growing &operator=(const Growing &) = delete;
    ~Growing() { std::free(m_data); }

    void reserve(std::size_t capacity)
    {
        void *p = std::realloc(m_data, capacity);
        if (!p)
            throw std::bad_alloc();
        m_data = static_cast<char *>(p);
        m_capacity = capacity;
    }
    char *data() const { return m_data; }
    std::size_t capacity() const { return m_capacity; }

private:
    char *m_data = nullptr;
    std::size_t m_capacity = 0;
};

struct Inflater
{
    z_stream z{};
    bool ok = inflateInit2(&z, 15 + 16) == Z_OK;
    Inflater() = default;
    Inflater(const Inflater &) = delete;
    Inflater &operator=(const Inflater &) = delete;
    ~Inflater() { inflateEnd(&z); }
};

} // namespace

Error cancelledError()
{
    return {Error::Kind::Cancelled, "Loading was cancelled."};
}

Error errorIn(std::string_view name, const std::string &message, std::vector<Remedy> remedies, std::string column)
{
    return {Error::Kind::Data, std::string(name) + ": " + message, std::move(remedies), std::move(column)};
}

Error errorAt(std::string_view name, std::string_view text, std::size_t offset, const std::string &message,
              std::vector<Remedy> remedies)
{
    const std::string_view before = text.substr(0, std::min(offset, text.size()));
    const auto line = std::count(before.begin(), before.end(), '\n') + 1;
    const auto start = before.rfind('\n');
    const std::size_t column = start == std::string_view::npos ? before.size() + 1 : before.size() - start;
    return {Error::Kind::Data,
            std::string(name) + ", line " + std::to_string(line) + ", column " + std::to_string(column) + ": "
                + message,
            std::move(remedies)};
}

Bytes Bytes::view(std::string_view text, std::string name)
{
    Bytes bytes;
    bytes.m_text = text;
    bytes.m_name = std::move(name);
    return bytes;
}

Result<Bytes> Bytes::open(const std::string &path, const ProgressRange &range)
{
    const File file(path);
    const auto size = sizeOf(file, path);
    if (!size)
        return size.error();
    if (size.value() == 0)
        return emptyFile(path);
    void *p = mmap(nullptr, size.value(), PROT_READ, MAP_PRIVATE, file.fd(), 0);
    if (p == MAP_FAILED)
        return fileError("Cannot read", path, errno, FileUse::Reading);
    madvise(p, size.value(), MADV_SEQUENTIAL);
    Bytes bytes;
    bytes.m_name = path;
    bytes.m_owner =
        std::shared_ptr<const void>(p, [n = size.value()](const void *q) { munmap(const_cast<void *>(q), n); });
    bytes.m_text = {static_cast<const char *>(p), size.value()};
    if (isGzip(bytes.m_text))
        return inflate(bytes.m_text, path, range);
    return bytes;
}

Result<Bytes> Bytes::inflate(std::string_view packed, std::string name, const ProgressRange &range, std::size_t most)
{
    Inflater inflater;
    if (!inflater.ok)
        throw std::bad_alloc();
    z_stream &z = inflater.z;
    const auto memory = std::make_shared<Growing>();
    std::size_t used = 0, at = 0;
    bool ended = false;
    while (used < most) {
        if (range.cancelled())
            return cancelledError();
        range.report(static_cast<double>(at) / static_cast<double>(packed.size()));
        if (memory->capacity() - used < step) {
            const std::size_t wanted = std::max(memory->capacity() * 2, 2 * step);
            if (auto error = refuseMemory(static_cast<double>(wanted - memory->capacity()), name + ", uncompressed,"))
                return *error;
            memory->reserve(wanted);
        }
        const std::size_t in = std::min(step, packed.size() - at);
        z.next_in = reinterpret_cast<Bytef *>(const_cast<char *>(packed.data() + at));
        z.avail_in = static_cast<uInt>(in);
        z.next_out = reinterpret_cast<Bytef *>(memory->data() + used);
        z.avail_out = static_cast<uInt>(step);
        const int code = ::inflate(&z, Z_NO_FLUSH);
        at += in - z.avail_in;
        used += step - z.avail_out;
        if (code == Z_STREAM_END) {
            // Several gz files in a row are one file, and some programs fill up their last block with zeros.
            const std::string_view rest = packed.substr(at);
            ended = rest.find_first_not_of('\0') == std::string_view::npos;
            if (ended)
                break;
            if (!isGzip(rest))
                return errorIn(
                    name,
                    std::to_string(rest.size()) + (rest.size() == 1 ? " byte" : " bytes")
                        + " behind the end of the compressed data, from byte " + std::to_string(at + 1)
                        + " on, are not compressed data. Expected nothing or another gz file there: download "
                          "or copy the file again, or unpack it with gzip -d, which leaves them out.");
            inflateReset(&z);
        } else if (code != Z_OK && code != Z_BUF_ERROR) {
            return errorIn(name,
                           std::string("the compressed data is damaged (") + (z.msg ? z.msg : "bad gz header")
                               + ") after " + std::to_string(used)
                               + " bytes of content. Download or copy the file again.");
        } else if (at == packed.size() && z.avail_out > 0) {
            return errorIn(name,
                           "the compressed data ends early, after " + std::to_string(used)
                               + " bytes of content: the file is cut short. Download or copy it again.");
        }
    }
    if (ended && used == 0)
        return errorIn(name, "the compressed file has nothing in it. Expected rows of data.");
    Bytes bytes;
    bytes.m_name = std::move(name);
    bytes.m_text = {memory->data(), std::min(used, most)};
    bytes.m_owner = memory;
    bytes.m_wasCompressed = true;
    return bytes;
}

Result<Bytes> Bytes::head(const std::string &path, std::size_t most)
{
    const File file(path);
    const auto size = sizeOf(file, path);
    if (!size)
        return size.error();
    if (size.value() == 0)
        return emptyFile(path);
    const auto memory = std::make_shared<std::string>(std::min(most, size.value()), '\0');
    std::size_t used = 0;
    while (used < memory->size()) {
        const ssize_t got = ::read(file.fd(), memory->data() + used, memory->size() - used);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return fileError("Cannot read", path, errno, FileUse::Reading);
        if (got == 0)
            break;
        used += static_cast<std::size_t>(got);
    }
    Bytes bytes;
    bytes.m_name = path;
    bytes.m_text = std::string_view(*memory).substr(0, used);
    bytes.m_owner = memory;
    if (!isGzip(bytes.m_text))
        return bytes;
    // A cut head of a gz file: whatever comes out of it is the head of the content.
    Inflater inflater;
    const auto out = std::make_shared<std::string>(most, '\0');
    inflater.z.next_in = reinterpret_cast<Bytef *>(const_cast<char *>(bytes.m_text.data()));
    inflater.z.avail_in = static_cast<uInt>(bytes.m_text.size());
    inflater.z.next_out = reinterpret_cast<Bytef *>(out->data());
    inflater.z.avail_out = static_cast<uInt>(most);
    const int code = ::inflate(&inflater.z, Z_NO_FLUSH);
    if (code != Z_OK && code != Z_STREAM_END && code != Z_BUF_ERROR)
        return errorIn(path, "the compressed data is damaged. Download or copy the file again.");
    Bytes content;
    content.m_name = path;
    content.m_text = std::string_view(*out).substr(0, most - inflater.z.avail_out);
    content.m_owner = out;
    content.m_wasCompressed = true;
    if (content.m_text.empty() && code == Z_STREAM_END)
        return errorIn(path, "the compressed file has nothing in it. Expected rows of data.");
    if (content.m_text.empty())
        return errorIn(path, "the compressed data ends early: the file is cut short. Download or copy it again.");
    return content;
}

} // namespace appa
