#include "Bench.h"

#include <time.h>

#include <algorithm>
#include <cstdio>
#include <limits>

namespace appa::bench {

namespace {

double now(clockid_t clock)
{
    timespec t{};
    clock_gettime(clock, &t);
    return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

std::vector<double> best(clockid_t clock, int repetitions, int goes, const std::vector<Contender> &contenders)
{
    std::vector<double> seconds(contenders.size(), std::numeric_limits<double>::infinity());
    for (int k = 0; k <= repetitions; ++k) // the first round only warms up
        for (std::size_t c = 0; c < contenders.size(); ++c)
            for (int go = 0; go < goes; ++go) {
                const double begin = now(clock);
                [[maybe_unused]] const volatile double sink = contenders[c].work();
                if (k > 0)
                    seconds[c] = std::min(seconds[c], now(clock) - begin);
            }
    return seconds;
}

} // namespace

std::vector<double> bestOf(int repetitions, const std::vector<Contender> &contenders)
{
    return best(CLOCK_THREAD_CPUTIME_ID, repetitions, 2, contenders);
}

std::vector<double> bestWallOf(int repetitions, const std::vector<Contender> &contenders)
{
    return best(CLOCK_MONOTONIC, repetitions, 1, contenders);
}

Table::Table(std::vector<std::string> columns) : m_columns(columns.size())
{
    row(columns);
    row(std::vector<std::string>(m_columns, "---"));
}

void Table::row(const std::vector<std::string> &cells) const
{
    for (const auto &cell : cells)
        std::printf("| %s ", cell.c_str());
    std::printf("|\n");
    std::fflush(stdout);
}

std::string number(double value, int digits)
{
    char text[64];
    std::snprintf(text, sizeof text, "%.*g", digits, value);
    return text;
}

} // namespace appa::bench
