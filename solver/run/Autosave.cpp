#include "run/Autosave.h"

#include "base/Text.h"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <optional>
#include <sstream>
#include <string_view>
#include <sys/stat.h>
#include <unistd.h>

namespace appa {

namespace fs = std::filesystem;

namespace {

constexpr std::string_view prefix = "autosave-";
constexpr std::string_view suffix = ".appa";

/// What the system says of a process.
struct ProcessFacts
{
    bool ended = false;             ///< a zombie: only its parent has not taken note yet
    std::optional<long long> start; ///< in seconds since 1970, if that can be told
};

ProcessFacts factsOf(long pid)
{
    ProcessFacts facts;
    std::ifstream stat("/proc/" + std::to_string(pid) + "/stat");
    std::string text((std::istreambuf_iterator<char>(stat)), {});
    const std::size_t name = text.rfind(')');
    if (name == std::string::npos)
        return facts;
    std::istringstream fields(text.substr(name + 1));
    std::string field;
    fields >> field; // the third of proc(5): the state
    facts.ended = field == "Z" || field == "X";
    for (int k = 4; k <= 22 && fields >> field; ++k) { }
    long long ticks = 0;
    if (std::from_chars(field.data(), field.data() + field.size(), ticks).ec != std::errc())
        return facts;
    std::ifstream system("/proc/stat");
    for (std::string line; std::getline(system, line) && !facts.start;) {
        if (line.rfind("btime ", 0) == 0)
            facts.start = std::atoll(line.c_str() + 6) + ticks / ::sysconf(_SC_CLK_TCK);
    }
    return facts;
}

/// The process of this machine that wrote a file of this name: "autosave-PID-NUMBER@HOST.appa", formerly without the
/// host, and before that without the number.
std::optional<long> writerOf(std::string_view name)
{
    if (!name.starts_with(prefix) || !name.ends_with(suffix) || name.size() <= prefix.size() + suffix.size())
        return std::nullopt;
    name = name.substr(prefix.size(), name.size() - prefix.size() - suffix.size());
    if (const std::size_t at = name.find('@'); at != std::string_view::npos) {
        if (name.substr(at + 1) != hostName())
            return std::nullopt;
        name = name.substr(0, at);
    }
    const std::size_t dash = name.find('-');
    long pid = 0;
    int number = 0;
    if (!readInto(name.substr(0, dash), pid)
        || (dash != std::string_view::npos && !readInto(name.substr(dash + 1), number)))
        return std::nullopt;
    return pid;
}

/// Is the process that wrote a file at `savedAt` still there, and not another one with its number?
bool stillRuns(long pid, long long savedAt)
{
    if (::kill(static_cast<pid_t>(pid), 0) != 0 && errno == ESRCH)
        return false;
    const ProcessFacts facts = factsOf(pid);
    return !facts.ended && (!facts.start || *facts.start <= savedAt + 1);
}

} // namespace

std::string stateFolder()
{
    const char *state = std::getenv("XDG_STATE_HOME");
    const char *home = std::getenv("HOME");
    fs::path folder;
    if (state && *state == '/')
        folder = fs::path(state) / "appa-lab";
    else if (home && *home)
        folder = fs::path(home) / ".local" / "state" / "appa-lab";
    else
        return {};
    std::error_code failed;
    fs::create_directories(folder, failed);
    return failed ? std::string() : folder.string();
}

std::string autosavePath(int number, long pid, const std::string &host)
{
    const std::string folder = stateFolder();
    if (folder.empty())
        return {};
    return folder + "/" + std::string(prefix) + std::to_string(pid ? pid : static_cast<long>(::getpid())) + "-"
        + std::to_string(number) + "@" + host + std::string(suffix);
}

std::vector<LeftOver> leftOverAutosaves()
{
    std::vector<LeftOver> found;
    const std::string folder = stateFolder();
    if (folder.empty())
        return found;
    std::error_code failed;
    for (const fs::directory_entry &entry : fs::directory_iterator(folder, failed)) {
        const std::optional<long> pid = writerOf(entry.path().filename().string());
        struct stat info = {};
        if (pid && ::stat(entry.path().c_str(), &info) == 0 && !stillRuns(*pid, info.st_mtime))
            found.push_back({entry.path().string(), *pid, info.st_mtime});
    }
    std::ranges::sort(found, std::ranges::greater(), &LeftOver::savedAt);
    return found;
}

} // namespace appa
