#pragma once

#include <chrono>
#include <deque>

namespace appa::ui {

/// Intervals between frames and the cost of painting them, over the last 60 s.
class FrameClock final
{
public:
    using Clock = std::chrono::steady_clock;

    struct Statistics
    {
        double p99 = 0; ///< ms
        double max = 0;
        double paint = 0; ///< mean, ms
        int frames = 0;
    };

    void frame(double cost, Clock::time_point now = Clock::now());
    void addCost(double ms);           ///< of the second chart, painted in the same frame
    void reset() { m_frames.clear(); } ///< the next frame has no interval (it was switched on, or was hidden)
    Statistics statistics() const;

private:
    struct Frame
    {
        Clock::time_point at;
        double interval; ///< NaN for the first
        double cost;
    };
    std::deque<Frame> m_frames;
};

} // namespace appa::ui
