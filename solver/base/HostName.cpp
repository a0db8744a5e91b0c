#include "base/HostName.h"

#include <algorithm>
#include <unistd.h>

namespace appa {

std::string hostName()
{
    char name[256] = {};
    if (::gethostname(name, sizeof name - 1) != 0)
        return {};
    std::string text = name;
    std::ranges::replace(text, '/', '_');
    return text;
}

} // namespace appa
