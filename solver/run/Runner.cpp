#include "run/Runner.h"

#include "run/RunnerWorkers.h"

#include <algorithm>
#include <utility>

namespace appa {

Runner::Runner(int threads) : m_shared(std::make_unique<Shared>())
{
    if (threads <= 0)
        threads = static_cast<int>(std::thread::hardware_concurrency());
    const auto count = static_cast<std::size_t>(std::max(2, threads));
    Shared *shared = m_shared.get();
    const std::lock_guard lock(shared->mutex);
    for (std::size_t k = 0; k < count; ++k)
        shared->workers.emplace_back([shared](const std::stop_token &stop) { shared->drivesRuns(stop); });
    for (std::size_t k = 1; k < count; ++k)
        shared->workers.emplace_back([shared](const std::stop_token &stop) { shared->measures(stop); });
}

Runner::~Runner()
{
    {
        const std::lock_guard lock(m_shared->mutex);
        for (std::jthread &worker : m_shared->workers)
            worker.request_stop();
        m_shared->jobs.cancel();
    }
    for (std::jthread &worker : m_shared->workers)
        worker.join();
    std::vector<std::jthread> lasting;
    {
        const std::lock_guard lock(m_shared->mutex);
        lasting = m_shared->jobs.takeThreads();
    }
}

void Runner::setAnswered(std::function<void()> answered)
{
    m_shared->answered = std::move(answered);
}

void Runner::add(RunId id, std::unique_ptr<Run> run)
{
    run->setExecutor(m_shared->executor());
    auto entry = std::make_shared<RunnerEntry>();
    entry->id = id;
    entry->run = std::move(run);
    const std::lock_guard lock(m_shared->mutex);
    if (m_shared->entries.contains(id))
        return;
    m_shared->entries[id] = entry;
    m_shared->order.push_back(std::move(entry));
    m_shared->poke();
}

void Runner::resume(RunId id)
{
    m_shared->send(id, command::Resume{});
}
void Runner::pause(RunId id)
{
    m_shared->send(id, command::Pause{});
}
void Runner::stepStage(RunId id)
{
    m_shared->send(id, command::StepStage{});
}
void Runner::stepBack(RunId id, Index stage)
{
    m_shared->send(id, command::StepBack{stage});
}
void Runner::change(RunId id, std::string key, ParamValue value)
{
    m_shared->send(id, command::Change{std::move(key), std::move(value)});
}
void Runner::setStopRules(RunId id, StopRules stop)
{
    m_shared->send(id, command::SetStop{stop});
}
void Runner::setOptimum(RunId id, double fOpt)
{
    m_shared->send(id, command::SetOptimum{fOpt});
}
void Runner::setStagesPerSecond(RunId id, double rate)
{
    m_shared->send(id, command::SetRate{rate});
}
void Runner::remove(RunId id)
{
    m_shared->send(id, command::Remove{});
}

void Runner::switchMethod(RunId id, std::string method, std::string inner)
{
    m_shared->send(id, command::Switch{std::move(method), std::move(inner)});
}

void Runner::fork(RunId id, RunId newId, std::optional<Index> stage)
{
    {
        // The new run can be given commands at once; they wait for its birth.
        const std::lock_guard lock(m_shared->mutex);
        if (!m_shared->entries.contains(id) || m_shared->entries.contains(newId))
            return;
        auto entry = std::make_shared<RunnerEntry>();
        entry->id = newId;
        m_shared->entries[newId] = entry;
        m_shared->order.push_back(std::move(entry));
    }
    m_shared->send(id, command::Fork{newId, stage});
}

std::vector<RunUpdate> Runner::take()
{
    Outbox taken;
    {
        const std::lock_guard lock(m_shared->mutex);
        std::swap(taken, m_shared->outbox);
    }
    return taken.take();
}

bool Runner::idle() const
{
    const std::lock_guard lock(m_shared->mutex);
    const auto rests = [](const auto &known) {
        const RunnerEntry &entry = *known.second;
        // While a worker has it, the rest of the entry is that worker's.
        return !entry.busy && entry.inbox.empty() && entry.run && !entry.running && !entry.changed
            && !entry.run->canSettle();
    };
    return m_shared->jobs.empty() && m_shared->outbox.empty() && std::ranges::all_of(m_shared->entries, rests);
}

std::optional<Vector> Runner::pointOf(RunId id)
{
    std::unique_lock lock(m_shared->mutex);
    const auto it = m_shared->entries.find(id);
    if (it == m_shared->entries.end())
        return std::nullopt;
    const RunnerEntryPtr entry = it->second;
    ++entry->readers;
    m_shared->idle.wait(lock, [&] { return !entry->busy; });
    std::optional<Vector> x;
    if (entry->run)
        entry->run->point(x.emplace());
    --entry->readers;
    m_shared->poke();
    return x;
}

} // namespace appa
