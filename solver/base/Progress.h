#pragma once

#include <functional>
#include <stop_token>
#include <string_view>

namespace appa {

/// Handed to anything that may take longer than a blink: it reports how far it is and asks whether to go on.
/// Both members may be empty. Ask `cancelled()` at least every 50 ms of work.
struct Progress
{
    std::function<void(double fraction, std::string_view what)> report;
    std::stop_token stop;

    void operator()(double fraction, std::string_view what) const
    {
        if (report)
            report(fraction, what);
    }
    bool cancelled() const { return stop.stop_requested(); }
};

} // namespace appa
