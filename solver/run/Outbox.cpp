#include "run/Outbox.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace appa {

namespace {

/// A picture of a path needs no more than this between two frames.
constexpr std::size_t longestPath = 4096;

/// `items` follow the first `keep` ones that the reader has; now only `nextKeep` of all these hold, then `next`.
template <class T> void append(std::size_t &keep, std::vector<T> &items, std::size_t nextKeep, std::vector<T> &&next)
{
    if (nextKeep <= keep) {
        keep = nextKeep;
        items = std::move(next);
        return;
    }
    items.resize(std::min(items.size(), nextKeep - keep));
    std::ranges::move(next, std::back_inserter(items));
}

} // namespace

void Outbox::put(RunUpdate update, bool isRefusal)
{
    const auto it = m_updates.find(update.id);
    if (it == m_updates.end()) {
        const RunId id = update.id;
        m_updates.emplace(id, Slot{std::move(update), isRefusal});
        return;
    }
    RunUpdate &into = it->second.update;
    append(into.keepPoints, into.points, update.keepPoints, std::move(update.points));
    append(into.keepEvents, into.events, update.keepEvents, std::move(update.events));
    std::ranges::move(update.path, std::back_inserter(into.path));
    if (into.path.size() > longestPath)
        into.path.erase(into.path.begin(), into.path.end() - static_cast<std::ptrdiff_t>(longestPath));
    // A refusal must be seen even if the run has gone on since.
    if (isRefusal || !it->second.isRefusal)
        into.message = std::move(update.message);
    it->second.isRefusal |= isRefusal;
    into.reports.insert(into.reports.end(), std::make_move_iterator(update.reports.begin()),
                        std::make_move_iterator(update.reports.end()));
    into.status = update.status;
    into.method = std::move(update.method);
    into.inner = std::move(update.inner);
    into.effective = std::move(update.effective);
    into.stage = update.stage;
    into.cost = update.cost;
    into.seconds = update.seconds;
    into.learning = update.learning;
    into.catchingUp = update.catchingUp;
    into.done = update.done;
}

std::vector<RunUpdate> Outbox::take()
{
    std::vector<RunUpdate> taken;
    taken.reserve(m_updates.size());
    for (auto &[id, slot] : m_updates)
        taken.push_back(std::move(slot.update));
    m_updates.clear();
    return taken;
}

} // namespace appa
