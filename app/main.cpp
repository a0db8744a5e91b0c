#include "Cli.h"
#include "Window.h"

#include <cstdio>
#include <cstdlib>
#include <string_view>

#ifdef __GLIBC__
#include <malloc.h>
#endif

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

/// A window lives long: a matrix that a background solve is done with goes back to the system, always. By itself the C
/// library keeps freed blocks as large as the largest one seen, up to 32 MiB each.
void returnLargeBlocksWhenFreed()
{
#ifdef __GLIBC__
    mallopt(M_MMAP_THRESHOLD, 4 << 20);
#endif
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
    returnLargeBlocksWhenFreed();
    return appa::runWindow(argc, argv);
}
