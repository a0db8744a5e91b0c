#include "Terminal.h"

#include <atomic>
#include <cmath>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <mutex>
#include <sys/ioctl.h>
#include <thread>
#include <time.h>
#include <unistd.h>

namespace appa::cli {

namespace {

/// A handler may only write to a pipe; a thread reads it and requests the stop.
int wakeUp[2] = {-1, -1};

std::atomic<long long> firstSignal = 0; ///< in milliseconds of the monotonic clock

extern "C" void onSignal(int number)
{
    timespec now = {};
    ::clock_gettime(CLOCK_MONOTONIC, &now);
    const long long moment = 1000LL * now.tv_sec + now.tv_nsec / 1000000 + 1;
    long long first = 0;
    if (firstSignal.compare_exchange_strong(first, moment)) {
        const char byte = 1;
        [[maybe_unused]] const auto written = ::write(wakeUp[1], &byte, 1);
    } else if (moment - first > 500) {
        // Not the same one again: timeout(1), say, signals a command and then its whole group.
        std::signal(number, SIG_DFL);
        std::raise(number);
    }
}

std::stop_source &source()
{
    static std::stop_source instance;
    return instance;
}

/// The columns that `text` takes: bytes that begin a character.
std::size_t widthOf(std::string_view text)
{
    std::size_t width = 0;
    for (const char c : text)
        width += (static_cast<unsigned char>(c) & 0xC0) != 0x80;
    return width;
}

std::size_t terminalWidth()
{
    struct winsize size = {};
    return ::ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 10 ? size.ws_col : 80;
}

} // namespace

std::stop_token interruption()
{
    static std::once_flag once;
    std::call_once(once, [] {
        if (::pipe(wakeUp) != 0)
            return;
        std::thread([] {
            char byte = 0;
            while (::read(wakeUp[0], &byte, 1) < 0) { }
            source().request_stop();
        }).detach();
        std::signal(SIGINT, onSignal);
        std::signal(SIGTERM, onSignal);
        // A terminal or a connection that is closed; nohup(1) wants it ignored.
        if (std::signal(SIGHUP, SIG_IGN) != SIG_IGN)
            std::signal(SIGHUP, onSignal);
    });
    return source().get_token();
}

bool interrupted()
{
    return interruption().stop_requested();
}

bool ProgressLine::onTerminal()
{
    return ::isatty(STDERR_FILENO) == 1;
}

void ProgressLine::show(std::string_view text, bool now)
{
    if (!m_enabled)
        return;
    const auto moment = std::chrono::steady_clock::now();
    if (!now && m_shown && moment - m_last < std::chrono::milliseconds(100))
        return;
    m_last = moment;
    m_shown = true;
    std::string line(text);
    while (widthOf(line) >= terminalWidth())
        line.pop_back();
    std::fprintf(stderr, "\r\033[K%s", line.c_str());
    std::fflush(stderr);
}

void ProgressLine::show(std::string_view what, double fraction)
{
    char percent[16];
    std::snprintf(percent, sizeof percent, " %3.0f %%", 100 * fraction);
    show(std::string(what) + percent);
}

void ProgressLine::clear()
{
    if (!m_shown)
        return;
    std::fputs("\r\033[K", stderr);
    std::fflush(stderr);
    m_shown = false;
}

void SlowNotice::tick()
{
    if (!m_enabled || std::chrono::steady_clock::now() - m_begin < std::chrono::seconds(2))
        return;
    m_enabled = false;
    std::fprintf(stderr, "appa-lab: %s\n", m_text.c_str());
}

std::string durationText(double seconds)
{
    char text[48];
    const long whole = std::lround(std::max(0.0, seconds));
    if (seconds < 0.0995)
        std::snprintf(text, sizeof text, "%.1f ms", 1000 * seconds);
    else if (seconds < 9.95)
        std::snprintf(text, sizeof text, "%.1f s", seconds);
    else if (whole < 60)
        std::snprintf(text, sizeof text, "%ld s", whole);
    else if (whole < 3600)
        std::snprintf(text, sizeof text, "%ld min %ld s", whole / 60, whole % 60);
    else
        std::snprintf(text, sizeof text, "%ld h %ld min", whole / 3600, whole % 3600 / 60);
    return text;
}

std::string optimumCache()
{
    namespace fs = std::filesystem;
    const char *cache = std::getenv("XDG_CACHE_HOME");
    const char *home = std::getenv("HOME");
    fs::path folder;
    if (cache && *cache == '/')
        folder = fs::path(cache) / "appa-lab" / "optima";
    else if (home && *home)
        folder = fs::path(home) / ".cache" / "appa-lab" / "optima";
    else
        return {};
    std::error_code failed;
    fs::create_directories(folder, failed);
    return failed ? std::string() : folder.string();
}

} // namespace appa::cli
