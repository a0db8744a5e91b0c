#include "Cli.h"

// The command line stands on its own; the window is there when its sources are.
#if __has_include("Window.h")
#include "Window.h"
#define APPA_HAS_WINDOW 1
#endif

#include <cstdio>
#include <cstdlib>

namespace {

bool isSet(const char *name)
{
    const char *value = std::getenv(name);
    return value && *value;
}

} // namespace

int main(int argc, char **argv)
{
    if (appa::cli::isCommand(argc, argv))
        return appa::cli::execute(argc, argv);
    if (argc == 1 && !isSet("DISPLAY") && !isSet("WAYLAND_DISPLAY") && !isSet("QT_QPA_PLATFORM")) {
        std::fputs("appa-lab: There is no display for the window. \"appa-lab run\" works without one; see \"appa-lab "
                   "--help\".\n",
                   stderr);
        return appa::cli::UsageError;
    }
#ifdef APPA_HAS_WINDOW
    return appa::runWindow(argc, argv);
#else
    std::fputs("appa-lab: This build has no window; see \"appa-lab --help\".\n", stderr);
    return appa::cli::UsageError;
#endif
}
