#include "data/Memory.h"

#include "data/Text.h"

#include <algorithm>
#include <fstream>
#include <limits>
#include <string>

namespace appa {

namespace {

std::optional<double> firstNumber(const char *path)
{
    std::ifstream in(path);
    double value = 0;
    if (in >> value)
        return value;
    return std::nullopt;
}

} // namespace

double availableMemory()
{
    double bytes = std::numeric_limits<double>::infinity();
    std::ifstream in("/proc/meminfo");
    for (std::string key; in >> key; in.ignore(std::numeric_limits<std::streamsize>::max(), '\n')) {
        double kib = 0;
        if (key == "MemAvailable:" && in >> kib)
            bytes = kib * 1024;
    }
    const auto limit = firstNumber("/sys/fs/cgroup/memory.max");
    const auto used = firstNumber("/sys/fs/cgroup/memory.current");
    if (limit && used)
        bytes = std::min(bytes, std::max(0.0, *limit - *used));
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
