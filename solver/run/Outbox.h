#pragma once

#include "run/Runner.h"

#include <map>
#include <vector>

namespace appa {

/// Updates that wait to be taken: one per run, later ones folded into earlier ones.
class Outbox
{
public:
    void put(RunUpdate update);
    void drop(RunId id) { m_updates.erase(id); }
    std::vector<RunUpdate> take();

private:
    std::map<RunId, RunUpdate> m_updates;
};

} // namespace appa
