#pragma once

namespace appa {

/// The program with its window; `argv` may name data files and sessions to open. Returns the exit code.
int runWindow(int argc, char **argv);

} // namespace appa
