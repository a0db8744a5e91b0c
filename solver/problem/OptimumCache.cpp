#include "problem/Optimum.h"

#include "base/AtomicFile.h"
#include "base/Checksum.h"
#include "base/Text.h"
#include "kernels/Kernels.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <filesystem>

namespace appa {

namespace {

// A file holds: the tag, the key, the optimum, and a checksum of all bytes before it. Numbers are as this machine
// stores them; a file from elsewhere, an older version or a damaged one fails the tag, the key or the checksum and is
// made anew. The tag tells whose arithmetic it was, and with which kernels: a local mu is made from the last bits of x.
std::string tag()
{
    return "appa-optimum-" + std::to_string(optimumArithmetic) + " " + std::string(nameOf(arithmeticOf(detectedIsa())))
        + "\n";
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
    std::string out = tag();
    put(out, std::string_view(key));
    put(out, optimum.value);
    put(out, optimum.certificate);
    put(out, optimum.floor);
    put(out, static_cast<char>(optimum.attained));
    put(out, static_cast<char>(optimum.known));
    put(out, static_cast<char>(optimum.restsOnRounding));
    put(out, optimum.seconds);
    put(out, std::string_view(optimum.message));
    put(out,
        std::string_view(reinterpret_cast<const char *>(optimum.x.data()),
                         static_cast<std::size_t>(optimum.x.size()) * sizeof(double)));
    put(out, fnv1a(out));
    return out;
}

std::optional<Optimum> decoded(std::string_view bytes, const std::string &key)
{
    std::uint64_t sum = 0;
    const std::string head = tag();
    if (bytes.size() < head.size() + sizeof sum || !bytes.starts_with(head))
        return std::nullopt;
    const auto body = bytes.substr(0, bytes.size() - sizeof sum);
    std::memcpy(&sum, bytes.data() + body.size(), sizeof sum);
    if (sum != fnv1a(body))
        return std::nullopt;
    Reader reader(body.substr(head.size()));
    Optimum optimum;
    std::string storedKey, x;
    char attained = 0, known = 0, restsOnRounding = 0;
    const bool whole = reader.take(storedKey) && reader.take(optimum.value) && reader.take(optimum.certificate)
        && reader.take(optimum.floor) && reader.take(attained) && reader.take(known) && reader.take(restsOnRounding)
        && reader.take(optimum.seconds) && reader.take(optimum.message) && reader.take(x);
    if (!whole || storedKey != key)
        return std::nullopt;
    optimum.attained = attained != 0;
    optimum.known = known != 0;
    optimum.restsOnRounding = restsOnRounding != 0;
    optimum.x.resize(static_cast<Index>(x.size() / sizeof(double)));
    std::memcpy(optimum.x.data(), x.data(), static_cast<std::size_t>(optimum.x.size()) * sizeof(double));
    return optimum;
}

std::optional<Optimum> cachedOrSolved(const Problem &problem, const std::string &folder, const Progress &progress)
{
    if (folder.empty())
        return referenceOptimum(problem, progress);
    const std::string key = keyOf(problem);
    const std::string path = folder + "/optimum-" + hexText(fnv1a(key)) + ".bin";
    if (const auto bytes = readWholeFile(path))
        if (auto known = decoded(bytes.value(), key); known && known->x.size() == problem.dim())
            return known;
    auto optimum = referenceOptimum(problem, progress);
    if (optimum) {
        // A cache that cannot be written is no error: the optimum is there all the same.
        std::error_code ignored;
        std::filesystem::create_directories(folder, ignored);
        static_cast<void>(writeAtomically(path, encoded(key, *optimum)));
    }
    return optimum;
}

} // namespace

std::optional<Optimum> cachedOptimum(const Problem &problem, const std::string &folder, const Progress &progress)
{
    auto optimum = cachedOrSolved(problem, folder, progress);
    if (optimum)
        problem.noteMinimizer({.x = optimum->x,
                               .attained = optimum->attained,
                               .leastValue = std::max(0.0, optimum->value - optimum->certificate)});
    return optimum;
}

} // namespace appa
