#pragma once

#include <string>

namespace appa {

/// This machine's, as a part of a file's name: a folder may be shared by several machines, and of the processes of
/// another one nothing is known here.
std::string hostName();

} // namespace appa
