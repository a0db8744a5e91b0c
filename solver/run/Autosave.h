#pragma once

#include "base/HostName.h"

#include <string>
#include <vector>

namespace appa {

/// $XDG_STATE_HOME/appa-lab (~/.local/state/appa-lab), made if need be; "" if that cannot be.
std::string stateFolder();
/// Where the process `pid` (0: this one) of `host` saves its work every few seconds; one file per problem, numbered.
std::string autosavePath(int number, long pid = 0, const std::string &host = hostName());

struct LeftOver
{
    std::string path;
    long pid = 0;          ///< of the process that wrote it
    long long savedAt = 0; ///< seconds since 1970
};
/// Autosaves whose process is gone without having removed them, newest first. Those of other machines are not: of their
/// processes nothing is known here.
std::vector<LeftOver> leftOverAutosaves();

} // namespace appa
