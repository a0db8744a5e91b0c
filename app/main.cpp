#include "Cli.h"
#include "Window.h"

#include <cstdio>
#include <cstdlib>
#include <string_view>

namespace {

/// Qt would abort without one; a platform that was asked for by name (offscreen) needs none.
bool hasDisplay(int argc, char **argv)
{
    for (const char *name : {"DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM"}) {
        if (const char *value = std::getenv(name); value && *value)
            return true;
    }
    return argc > 1 && std::string_view(argv[1]) == "-platform";
}

} // namespace

int main(int argc, char **argv)
{
    if (appa::cli::isCommand(argc, argv))
        return appa::cli::execute(argc, argv);
    if (!hasDisplay(argc, argv)) {
        std::fputs("appa-lab: There is no display for the window. \"appa-lab run\" works without one; see \"appa-lab "
                   "--help\".\n",
                   stderr);
        return appa::cli::UsageError;
    }
    return appa::runWindow(argc, argv);
}
