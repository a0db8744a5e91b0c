#include "problem/Optimum.h"

#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <filesystem>
#include <fstream>

namespace appa {

namespace {

// A file holds: the tag, the key, the optimum, and a checksum of all bytes before it. Numbers are as this machine
// stores them; a file from elsewhere, an older version or a damaged one fails the tag, the key or the checksum and is
// made anew.
constexpr std::string_view tag = "appa-optimum-1\n";

std::uint64_t fnv(std::string_view bytes)
{
    std::uint64_t h = 0xcbf29ce484222325ull;
    for (const char c : bytes)
        h = (h ^ static_cast<unsigned char>(c)) * 0x100000001b3ull;
    return h;
}

template <class T> void put(std::string &out, const T &value)
{
    out.append(reinterpret_cast<const char *>(&value), sizeof value);
}

void put(std::string &out, std::string_view text)
{
    put(out, static_cast<std::uint64_t>(text.size()));
    out.append(text);
}

/// Reads what `put` wrote; false once the bytes run out.
class Reader
{
public:
    explicit Reader(std::string_view bytes) : m_rest(bytes) { }

    template <class T> bool take(T &value)
    {
        std::string_view bytes;
        if (!take(bytes, sizeof value))
            return false;
        std::memcpy(&value, bytes.data(), sizeof value);
        return true;
    }
    bool take(std::string &text)
    {
        std::uint64_t size = 0;
        std::string_view bytes;
        if (!take(size) || !take(bytes, size))
            return false;
        text = bytes;
        return true;
    }
    bool take(std::string_view &bytes, std::uint64_t count)
    {
        if (count > m_rest.size())
            return false;
        bytes = m_rest.substr(0, count);
        m_rest.remove_prefix(count);
        return true;
    }

private:
    std::string_view m_rest;
};

std::string keyOf(const Problem &problem)
{
    std::string key;
    put(key, problem.data().hash);
    put(key, infoOf(problem.loss()).id);
    put(key, std::bit_cast<std::uint64_t>(problem.ridge()));
    put(key, static_cast<std::uint64_t>(problem.dim()));
    return key;
}

std::string encoded(const std::string &key, const Optimum &optimum)
{
    std::string out(tag);
    put(out, std::string_view(key));
    put(out, optimum.value);
    put(out, optimum.certificate);
    put(out, optimum.floor);
    put(out, static_cast<char>(optimum.attained));
    put(out, optimum.seconds);
    put(out, std::string_view(optimum.message));
    put(out,
        std::string_view(reinterpret_cast<const char *>(optimum.x.data()),
                         static_cast<std::size_t>(optimum.x.size()) * sizeof(double)));
    put(out, fnv(out));
    return out;
}

std::optional<Optimum> decoded(std::string_view bytes, const std::string &key)
{
    std::uint64_t sum = 0;
    if (bytes.size() < tag.size() + sizeof sum || !bytes.starts_with(tag))
        return std::nullopt;
    const auto body = bytes.substr(0, bytes.size() - sizeof sum);
    std::memcpy(&sum, bytes.data() + body.size(), sizeof sum);
    if (sum != fnv(body))
        return std::nullopt;
    Reader reader(body.substr(tag.size()));
    Optimum optimum;
    std::string storedKey, x;
    char attained = 0;
    const bool whole = reader.take(storedKey) && reader.take(optimum.value) && reader.take(optimum.certificate)
        && reader.take(optimum.floor) && reader.take(attained) && reader.take(optimum.seconds)
        && reader.take(optimum.message) && reader.take(x);
    if (!whole || storedKey != key)
        return std::nullopt;
    optimum.attained = attained != 0;
    optimum.x.resize(static_cast<Index>(x.size() / sizeof(double)));
    std::memcpy(optimum.x.data(), x.data(), static_cast<std::size_t>(optimum.x.size()) * sizeof(double));
    return optimum;
}

std::optional<std::string> contents(const std::filesystem::path &path)
{
    std::ifstream file(path, std::ios::binary);
    if (!file)
        return std::nullopt;
    return std::string(std::istreambuf_iterator<char>(file), {});
}

/// A cache that cannot be written is no error: the optimum is there all the same.
void store(const std::filesystem::path &path, const std::string &bytes)
{
    namespace fs = std::filesystem;
    std::error_code ignored;
    fs::create_directories(path.parent_path(), ignored);
    fs::path part = path;
    part += ".part" + std::to_string(::getpid());
    {
        std::ofstream file(part, std::ios::binary | std::ios::trunc);
        file.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
        file.close();
        if (!file) {
            fs::remove(part, ignored);
            return;
        }
    }
    fs::rename(part, path, ignored);
    if (ignored)
        fs::remove(part, ignored);
}

std::string hex(std::uint64_t value)
{
    std::string out(16, '0');
    for (auto digit = out.rbegin(); digit != out.rend(); ++digit, value >>= 4)
        *digit = "0123456789abcdef"[value & 15];
    return out;
}

} // namespace

std::optional<Optimum> cachedOptimum(const Problem &problem, const std::string &folder, const Progress &progress)
{
    if (folder.empty())
        return referenceOptimum(problem, progress);
    const std::string key = keyOf(problem);
    const auto path = std::filesystem::path(folder) / ("optimum-" + hex(fnv(key)) + ".bin");
    if (const auto bytes = contents(path))
        if (auto known = decoded(*bytes, key); known && known->x.size() == problem.dim())
            return known;
    auto optimum = referenceOptimum(problem, progress);
    if (optimum)
        store(path, encoded(key, *optimum));
    return optimum;
}

} // namespace appa
