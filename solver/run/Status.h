#pragma once

#include <array>
#include <cstddef>
#include <string_view>

namespace appa {

enum class RunStatus { Ready, Running, Paused, Finished, Diverged, Failed };

/// As sessions, studies and the command line write them, in the order of the statuses.
inline constexpr std::array<std::string_view, 6> runStatusNames = {"ready",    "running",  "paused",
                                                                   "finished", "diverged", "failed"};

/// "paused"
inline std::string_view nameOf(RunStatus status)
{
    return runStatusNames[static_cast<std::size_t>(status)];
}

} // namespace appa
