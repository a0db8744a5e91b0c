#include "charts/FrameClock.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace appa::ui {

void FrameClock::frame(double cost, Clock::time_point now)
{
    double interval = std::numeric_limits<double>::quiet_NaN();
    if (!m_frames.empty())
        interval = std::chrono::duration<double, std::milli>(now - m_frames.back().at).count();
    m_frames.push_back({now, interval, cost});
    while (m_frames.front().at + std::chrono::seconds(60) < now)
        m_frames.pop_front();
}

void FrameClock::addCost(double ms)
{
    if (!m_frames.empty())
        m_frames.back().cost += ms;
}

FrameClock::Statistics FrameClock::statistics() const
{
    Statistics s;
    std::vector<double> intervals;
    double cost = 0;
    for (const Frame &f : m_frames) {
        if (std::isfinite(f.interval))
            intervals.push_back(f.interval);
        cost += f.cost;
    }
    s.frames = static_cast<int>(m_frames.size());
    s.paint = m_frames.empty() ? 0 : cost / static_cast<double>(m_frames.size());
    if (intervals.empty())
        return s;
    std::sort(intervals.begin(), intervals.end());
    s.max = intervals.back();
    s.p99 = intervals[static_cast<std::size_t>(std::ceil(0.99 * static_cast<double>(intervals.size()))) - 1];
    return s;
}

} // namespace appa::ui
