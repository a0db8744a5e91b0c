#pragma once

#include "base/Result.h"

#include <functional>
#include <string>

namespace CLI {
class App;
}

namespace appa::cli {

/// The exit codes that scripts rely on; `appa-lab --help` and the man page list them.
enum ExitCode { Done = 0, UsageError = 2, DataError = 3, IoError = 4, Interrupted = 130 };

inline Error usage(std::string message)
{
    return {Error::Kind::Usage, std::move(message)};
}
int exitCodeOf(const Error &error);
/// "appa-lab: sentence" on stderr; returns the exit code.
int fail(const Error &error);

/// What the chosen subcommand does once everything is parsed; returns the exit code.
using Action = std::function<int()>;

// Each declares its subcommand with its options and sets `chosen` when that is the one given. One file each.
void addMethodsCommand(CLI::App &app, Action &chosen);
void addLossesCommand(CLI::App &app, Action &chosen);
void addDataCommand(CLI::App &app, Action &chosen);
void addOptimumCommand(CLI::App &app, Action &chosen);
void addRunCommand(CLI::App &app, Action &chosen);
void addReplayCommand(CLI::App &app, Action &chosen);
void addSweepCommand(CLI::App &app, Action &chosen);
void addRenderCommand(CLI::App &app, Action &chosen);

/// Is this a command line for us rather than for the window?
bool isCommand(int argc, char **argv);
/// Parses and executes it.
int execute(int argc, char **argv);

} // namespace appa::cli
