#include "Cli.h"
#include "Window.h"

int main(int argc, char **argv)
{
    return appa::cli::isCommand(argc, argv) ? appa::cli::execute(argc, argv) : appa::runWindow(argc, argv);
}
