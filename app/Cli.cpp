#include "Cli.h"

#include "base/Failure.h"
#include "base/Suggest.h"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <iostream>

namespace appa::cli {

namespace {

constexpr const char *footer =
    "Exit codes: 0 done (a diverged run is a result), 2 wrong usage, 3 the data, 4 reading or writing,\n"
    "130 interrupted (what was measured so far is written).\n"
    "Without a command the window opens, with the session, data or lesson file if one is given.";

std::vector<std::string> commandNames(const CLI::App &app)
{
    std::vector<std::string> names;
    for (const CLI::App *sub : app.get_subcommands([](const CLI::App *) { return true; }))
        names.push_back(sub->get_name());
    return names;
}

std::vector<std::string> optionNames(const CLI::App &app)
{
    std::vector<std::string> names;
    for (const CLI::Option *option : app.get_options()) {
        for (const std::string &name : option->get_lnames())
            names.push_back("--" + name);
    }
    return names;
}

/// The innermost command that was recognized.
const CLI::App &innermost(const CLI::App &app)
{
    const auto given = app.get_subcommands();
    return given.empty() ? app : innermost(*given.front());
}

std::string fullName(const CLI::App &app)
{
    const CLI::App *parent = app.get_parent();
    return parent ? fullName(*parent) + " " + app.get_name() : std::string("appa-lab");
}

/// What the parser says of an option's value, as a user would put it.
std::string inASentence(const CLI::App &app, const CLI::ParseError &error, std::string message)
{
    const auto optionIn = [&app](const std::string &text) -> const CLI::Option * {
        for (const CLI::Option *option : app.get_options())
            for (const std::string &name : option->get_lnames())
                if (text.find("--" + name) != std::string::npos
                    && text.find("--" + name + "-") == std::string::npos) // --data in "--data-seed"
                    return option;
        return nullptr;
    };
    if (dynamic_cast<const CLI::ValidationError *>(&error)) {
        // "--stages: must be .."
        if (const std::size_t colon = message.find(": must be"); colon != std::string::npos)
            message.erase(colon, 1);
    } else if (dynamic_cast<const CLI::ConversionError *>(&error)) {
        // "Could not convert: --stages = 2.5"
        const CLI::Option *option = optionIn(message);
        const std::size_t equals = message.find(" = ");
        if (option && equals != std::string::npos) {
            const bool whole = option->get_type_name().find("INT") != std::string::npos;
            message = option->get_name() + " must be " + (whole ? "a whole number" : "a number") + ", not \""
                + message.substr(equals + 3) + "\".";
        }
    } else if (dynamic_cast<const CLI::ArgumentMismatch *>(&error)) {
        const std::string name = message.substr(0, message.find(':'));
        if (message.find("At Most 1") != std::string::npos)
            message = name + " is given more than once.";
        else if (message.find("missing") != std::string::npos || message.find("required") != std::string::npos)
            message = name + " needs a value.";
    } else if (dynamic_cast<const CLI::ExcludesError *>(&error)) {
        // "--affine excludes --transforms"
        if (const std::size_t at = message.find(" excludes "); at != std::string::npos)
            message = message.substr(0, at) + " and " + message.substr(at + 10)
                + " cannot be given together: choose one of them.";
    } else if (dynamic_cast<const CLI::RequiresError *>(&error)) {
        // "--name requires --session"
        if (const std::size_t at = message.find(" requires "); at != std::string::npos)
            message = message.substr(0, at) + " needs " + message.substr(at + 10) + " as well.";
    } else if (dynamic_cast<const CLI::RequiredError *>(&error) && !commandNames(app).empty()) {
        message = "one of these must follow:";
        for (const std::string &name : commandNames(app))
            message += " " + name;
    }
    return message;
}

int wrongUsage(const CLI::App &where, const std::string &message)
{
    const std::string name = fullName(where);
    std::fprintf(stderr, "%s: %s\nSee \"%s --help\".\n", name.c_str(), message.c_str(), name.c_str());
    return UsageError;
}

/// An option that was given nothing, as in --trace "": it would be ignored.
const CLI::Option *emptyOption(const CLI::App &app)
{
    for (const CLI::Option *option : app.get_options())
        if (option->count() > 0 && std::ranges::find(option->results(), std::string()) != option->results().end())
            return option;
    return nullptr;
}

/// The exit code of a command whose output could not be written.
int unwritten(int code)
{
    std::fputs("appa-lab: Cannot write the output.\n", stderr);
    return code == Done ? static_cast<int>(IoError) : code;
}

int explain(const CLI::App &app, const CLI::ParseError &error)
{
    if (error.get_exit_code() == 0) { // --help, --version
        app.exit(error);
        std::cout.flush();
        return std::cout ? static_cast<int>(Done) : unwritten(Done);
    }
    const CLI::App &where = innermost(app);
    std::string message = error.what();
    std::vector<std::string> rest = where.remaining();
    if (rest.empty())
        rest = app.remaining();
    const bool unknownWord = dynamic_cast<const CLI::ExtrasError *>(&error)
        || (dynamic_cast<const CLI::RequiredError *>(&error) && !commandNames(where).empty());
    if (unknownWord && !rest.empty()) {
        const std::string &word = rest.front();
        const std::string name = word.substr(0, word.find('='));
        if (word.starts_with("-"))
            message = "there is no option \"" + name + "\"." + didYouMean(name, optionNames(where));
        else if (const auto names = commandNames(where); !names.empty())
            message = (where.get_parent() ? "there is no command \"" : "there is no command or file \"") + word + "\"."
                + didYouMean(word, names);
        else
            message = "\"" + word + "\" is not expected here.";
    }
    if (message == error.what())
        message = inASentence(where, error, std::move(message));
    while (!message.empty() && (message.back() == '\n' || message.back() == ' '))
        message.pop_back();
    return wrongUsage(where, message);
}

} // namespace

int exitCodeOf(const Error &error)
{
    switch (error.kind) {
    case Error::Kind::Usage:
        return UsageError;
    case Error::Kind::Data:
        return DataError;
    case Error::Kind::Io:
        return IoError;
    case Error::Kind::Cancelled:
        return Interrupted;
    }
    return DataError;
}

int fail(const Error &error)
{
    std::fprintf(stderr, "appa-lab: %s\n", error.message.c_str());
    return exitCodeOf(error);
}

namespace {

void addCommands(CLI::App &app, Action &chosen)
{
    addRunCommand(app, chosen);
    addReplayCommand(app, chosen);
    addSweepCommand(app, chosen);
    addRenderCommand(app, chosen);
    addOptimumCommand(app, chosen);
    addDataCommand(app, chosen);
    addMethodsCommand(app, chosen);
    addLossesCommand(app, chosen);
}

} // namespace

bool isCommand(int argc, char **argv)
{
    if (argc < 2)
        return false;
    const std::string first = argv[1];
    // A command stays one where a file has its name ("run" in /, say).
    CLI::App app;
    Action ignoredAction;
    addCommands(app, ignoredAction);
    for (const CLI::App *command : app.get_subcommands({}))
        if (command->get_name() == first)
            return true;
    // The window takes a file to open, and Qt's own options, which begin with one dash.
    std::error_code ignored;
    if (std::filesystem::exists(first, ignored))
        return false;
    return first == "-h" || !(first.size() > 1 && first[0] == '-' && first[1] != '-');
}

int execute(int argc, char **argv)
{
    CLI::App app("A laboratory for approximate proximal point algorithms.", "appa-lab");
    app.set_version_flag("--version", "appa-lab " APPA_VERSION);
    app.footer(footer);
    app.require_subcommand(1);
    app.get_formatter()->column_width(34);
    Action chosen;
    addCommands(app, chosen);
    try {
        app.parse(argc, argv);
    } catch (const CLI::ParseError &error) {
        return explain(app, error);
    }
    const CLI::App &command = innermost(app);
    if (const CLI::Option *empty = emptyOption(command))
        return wrongUsage(command, empty->get_name() + " needs a value that is not empty.");
    if (!chosen)
        return UsageError;
    std::signal(SIGXFSZ, SIG_IGN); // a file that may not grow is an error that is told, not the end
    int code = Done;
    if (const std::string why = failureOf("do this", [&] { code = chosen(); }); !why.empty())
        code = fail({Error::Kind::Data, why});
    return std::fflush(stdout) != 0 || std::ferror(stdout) ? unwritten(code) : code;
}

} // namespace appa::cli
