#include "data/Memory.h"

#include "base/Text.h"

#include <algorithm>
#include <fstream>
#include <limits>
#include <string>

namespace appa {

namespace {

std::optional<double> firstNumber(const std::string &path)
{
    std::ifstream in(path);
    double value = 0;
    if (in >> value)
        return value;
    return std::nullopt;
}

/// The number after `key` in a file of such lines.
std::optional<double> numberAfter(std::string_view key, const std::string &path)
{
    std::ifstream in(path);
    for (std::string word; in >> word; in.ignore(std::numeric_limits<std::streamsize>::max(), '\n')) {
        double value = 0;
        if (word == key && in >> value)
            return value;
    }
    return std::nullopt;
}

} // namespace

double availableMemory(const std::string &root)
{
    double bytes = std::numeric_limits<double>::infinity();
    if (const auto kib = numberAfter("MemAvailable:", root + "/proc/meminfo"))
        bytes = *kib * 1024;
    const std::string group = root + "/sys/fs/cgroup";
    const auto limit = firstNumber(group + "/memory.max");
    const auto used = firstNumber(group + "/memory.current");
    if (limit && used) {
        // The files read lately count as used, but give way.
        const double cached = numberAfter("inactive_file", group + "/memory.stat").value_or(0);
        bytes = std::min(bytes, std::max(0.0, *limit - *used + cached));
    }
    return bytes;
}

std::optional<Error> refuseMemory(double bytes, std::string_view what)
{
    // Below this nobody needs to ask.
    if (bytes < 64e6)
        return std::nullopt;
    const double available = availableMemory();
    if (bytes <= 0.95 * available)
        return std::nullopt;
    return Error{Error::Kind::Data,
                 "Not enough memory: " + std::string(what) + " would take " + bytesText(bytes)
                     + ", and this machine has " + bytesText(available)
                     + " left. Take fewer rows or fewer features, or single precision."};
}

} // namespace appa
