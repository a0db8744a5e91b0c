#include "Cli.h"

#include <cstdio>
#include <cstdlib>

int main(int argc, char **argv)
{
    if (appa::cli::isCommand(argc, argv))
        return appa::cli::execute(argc, argv);
    std::fputs("appa-lab: The window is not part of this build; see \"appa-lab --help\".\n", stderr);
    return EXIT_FAILURE;
}
