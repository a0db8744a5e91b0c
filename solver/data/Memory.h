#pragma once

#include "base/Result.h"

#include <optional>
#include <string>
#include <string_view>

namespace appa {

/// Bytes that can be taken without swapping: what the system has left, or what is left of the control group's limit.
/// `root`: where the system's files are, for tests.
double availableMemory(const std::string &root = {});
/// The error that refuses `bytes` for `what` ("the Fourier features") if the machine has not that much.
std::optional<Error> refuseMemory(double bytes, std::string_view what);

} // namespace appa
