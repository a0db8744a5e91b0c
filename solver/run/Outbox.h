#pragma once

#include "run/Runner.h"

#include <map>
#include <vector>

namespace appa {

/// Updates that wait to be taken: one per run, later ones folded into earlier ones.
class Outbox
{
public:
    /// `isRefusal`: the message says why something was refused; it stays until it is taken.
    void put(RunUpdate update, bool isRefusal = false);
    void drop(RunId id) { m_updates.erase(id); }
    bool empty() const { return m_updates.empty(); }
    std::vector<RunUpdate> take();

private:
    struct Slot
    {
        RunUpdate update;
        bool isRefusal = false;
    };
    std::map<RunId, Slot> m_updates;
};

} // namespace appa
