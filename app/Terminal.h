#pragma once

#include <chrono>
#include <stop_token>
#include <string>
#include <string_view>

namespace appa::cli {

/// From the first call on Ctrl-C (and a polite kill) no longer ends the program but is requested here; a second one
/// ends it.
std::stop_token interruption();
bool interrupted();

/// One line on stderr that is written over and over; it leaves nothing behind.
class ProgressLine
{
public:
    explicit ProgressLine(bool enabled) : m_enabled(enabled) { }
    ~ProgressLine() { clear(); }
    ProgressLine(const ProgressLine &) = delete;
    ProgressLine &operator=(const ProgressLine &) = delete;

    static bool onTerminal(); ///< is stderr one?
    bool enabled() const { return m_enabled; }
    /// At most ten times a second, unless `now`.
    void show(std::string_view text, bool now = false);
    void show(std::string_view what, double fraction);
    void clear();

private:
    bool m_enabled;
    bool m_shown = false;
    std::chrono::steady_clock::time_point m_last{};
};

/// One line on stderr about something that nobody asked for once it has taken seconds; for output that is no
/// terminal, where a progress line says it from the beginning.
class SlowNotice
{
public:
    SlowNotice(bool enabled, std::string text)
        : m_enabled(enabled && !ProgressLine::onTerminal()), m_text(std::move(text))
    {
    }
    void tick();

private:
    bool m_enabled;
    std::string m_text;
    std::chrono::steady_clock::time_point m_begin = std::chrono::steady_clock::now();
};

/// What `run` and `sweep` say of the optimum that the excess loss needs.
inline constexpr const char *optimumNotice = "computing the reference optimum, which the excess loss needs";

/// "12 s", "3 min 5 s", "2 h 7 min"
std::string durationText(double seconds);

/// $XDG_CACHE_HOME/appa-lab/optima (~/.cache/...), made if need be; "" if that cannot be.
std::string optimumCache();

} // namespace appa::cli
