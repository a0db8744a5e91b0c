// What the runner's threads do: take up a run, obey its commands, drive it for a slice, publish what came of it.

#include "run/RunnerWorkers.h"

#include "base/Failure.h"
#include "base/Priority.h"

#include <algorithm>
#include <utility>
#include <variant>

namespace appa {

namespace {

using Clock = Slice::Clock;
using std::chrono::milliseconds;

constexpr milliseconds sliceLength{8};

} // namespace

JobExecutor Runner::Shared::executor()
{
    return [this](JobPtr job) {
        const std::lock_guard lock(mutex);
        jobs.put(std::move(job), [this](const Job *done) {
            const std::lock_guard guard(mutex);
            jobs.forgetThread(done);
            poke();
        });
        poke();
    };
}

void Runner::Shared::drivesRuns(const std::stop_token &stop)
{
    std::unique_lock lock(mutex);
    while (!stop.stop_requested()) {
        auto until = Clock::time_point::max();
        const auto poked = [this, seen = pokes] { return pokes != seen; };
        if (const RunnerEntryPtr entry = nextEntry(Clock::now(), until)) {
            serve(entry, lock);
        } else if (until == Clock::time_point::max()) {
            wake.wait(lock, stop, poked);
        } else {
            wake.wait_until(lock, stop, until, poked);
        }
    }
}

/// Beside the solvers, and behind them: where there is a core too few, a curve comes later, but no step does.
void Runner::Shared::measures(const std::stop_token &stop)
{
    lowerPriority(Priority::Beside);
    std::unique_lock lock(mutex);
    while (!stop.stop_requested()) {
        if (!jobs.ready()) {
            wake.wait(lock, stop, [this, seen = pokes] { return pokes != seen; });
            continue;
        }
        const JobPtr job = jobs.begin();
        lock.unlock();
        job->perform();
        lock.lock();
        jobs.end(job);
        poke();
    }
}

/// The next run in turn that has something to do; else `until` when the first of them will.
RunnerEntryPtr Runner::Shared::nextEntry(Clock::time_point now, Clock::time_point &until)
{
    for (std::size_t k = 0; k < order.size(); ++k) {
        RunnerEntryPtr entry = order.front();
        order.pop_front();
        order.push_back(entry);
        if (entry->busy || !entry->run || entry->readers > 0)
            continue;
        const bool work = entry->running && !entry->run->waiting();
        const bool early = work && now < entry->notBefore;
        const bool commands = entry->inbox.ready(entry->run->catchingUp());
        if (commands || entry->changed || entry->run->canSettle() || (work && !early))
            return entry;
        if (early)
            until = std::min(until, entry->notBefore);
    }
    return nullptr;
}

void Runner::Shared::serve(const RunnerEntryPtr &entry, std::unique_lock<std::mutex> &lock)
{
    entry->busy = true;
    bool obeyed = false;
    while (auto command = entry->inbox.next(entry->run->catchingUp())) {
        lock.unlock();
        if (std::string why = failureOf("do that", [&] { obey(*entry, std::move(*command)); }); !why.empty())
            entry->refusal = std::move(why);
        obeyed = true;
        lock.lock();
        if (entry->removed)
            break;
    }
    if (!entry->removed) {
        // What a command did is seen at once, not after the next slice.
        publish(*entry);
        lock.unlock();
        if (obeyed && answered)
            answered();
        if (std::string why = failureOf("show the run", [&] { drive(*entry); }); !why.empty())
            entry->refusal = std::move(why);
        lock.lock();
    }
    entry->busy = false;
    if (entry->removed) {
        const std::unique_ptr<Run> dead = std::move(entry->run);
        forget(entry);
        lock.unlock(); // a run may hold the last reference to gigabytes of data
    } else {
        publish(*entry);
    }
    if (!lock.owns_lock())
        lock.lock();
    idle.notify_all();
    poke();
}

void Runner::Shared::forget(const RunnerEntryPtr &entry)
{
    entries.erase(entry->id);
    std::erase(order, entry);
    outbox.drop(entry->id);
    // Forks that came too late will never be born.
    for (const RunId id : entry->inbox.unborn()) {
        if (const auto child = entries.find(id); child != entries.end()) {
            const RunnerEntryPtr unborn = child->second;
            forget(unborn);
        }
    }
}

void Runner::Shared::obey(RunnerEntry &entry, Command command)
{
    Run &run = *entry.run;
    entry.changed = true;
    const auto refuse = [&entry](const std::optional<Error> &error) {
        if (error)
            entry.refusal = error->message;
    };
    if (std::holds_alternative<command::Resume>(command)) {
        entry.running = true;
        entry.stepTo.reset();
    } else if (std::holds_alternative<command::Pause>(command)) {
        entry.running = false;
        entry.stepTo.reset();
        run.pause();
    } else if (std::holds_alternative<command::StepStage>(command)) {
        run.allowStage();
        if (run.status() == RunStatus::Finished)
            run.setStopRules(run.stopRules());
        entry.running = true;
        entry.stepTo = run.stage() + 1;
    } else if (const auto *back = std::get_if<command::StepBack>(&command)) {
        entry.running = false;
        entry.stepTo.reset();
        run.beginStepBack(back->stage);
    } else if (const auto *fork = std::get_if<command::Fork>(&command)) {
        std::unique_ptr<Run> copy;
        const std::string why = failureOf("fork the run", [&] {
            copy = run.fork();
            if (fork->stage)
                copy->beginStepBack(*fork->stage);
        });
        const std::lock_guard lock(mutex);
        const auto it = entries.find(fork->to);
        if (it == entries.end())
            return;
        if (why.empty()) {
            it->second->run = std::move(copy);
        } else {
            const RunnerEntryPtr unborn = it->second;
            forget(unborn);
            RunUpdate stillborn;
            stillborn.id = fork->to;
            stillborn.status = RunStatus::Failed;
            stillborn.message = why;
            stillborn.method = run.method();
            stillborn.inner = run.inner();
            stillborn.effective = run.effective();
            outbox.put(std::move(stillborn));
        }
        poke();
    } else if (auto *change = std::get_if<command::Change>(&command)) {
        refuse(run.change(change->key, change->value));
    } else if (const auto *other = std::get_if<command::Switch>(&command)) {
        refuse(run.switchMethod(other->method, other->inner));
    } else if (const auto *stop = std::get_if<command::SetStop>(&command)) {
        run.setStopRules(stop->rules);
    } else if (const auto *optimum = std::get_if<command::SetOptimum>(&command)) {
        run.setOptimum(optimum->value);
    } else if (const auto *rate = std::get_if<command::SetRate>(&command)) {
        entry.rate = rate->stagesPerSecond;
        entry.notBefore = {};
    } else {
        entry.removed = true;
    }
}

void Runner::Shared::drive(RunnerEntry &entry)
{
    Run &run = *entry.run;
    const auto end = Clock::now() + sliceLength;
    if (run.canSettle()) {
        Slice slice(end);
        run.settle(slice);
        entry.changed = true;
    }
    if (run.catchingUp())
        return;
    // One that was told to go on while its method learns is running, though it has nothing to do yet.
    if (entry.running && run.learning() && run.status() != RunStatus::Running) {
        Slice none = Slice::ticks(0);
        run.advance(none);
        entry.changed = true;
    }
    const bool drawn = run.problem().dim() == 2;
    while (entry.running && !run.waiting() && Clock::now() < end && Clock::now() >= entry.notBefore) {
        const Index before = run.stage();
        // In the plane every tick is drawn.
        Slice slice(end, drawn ? 1 : std::numeric_limits<Index>::max());
        entry.changed = true;
        if (!run.advance(slice)) {
            entry.running = false;
            entry.stepTo.reset();
        }
        if (drawn) {
            entry.path.emplace_back();
            run.point(entry.path.back());
        }
        if (run.stage() == before)
            continue;
        entry.reports.push_back(run.lastStage());
        if (entry.stepTo && run.stage() >= *entry.stepTo) {
            entry.running = false;
            entry.stepTo.reset();
            run.pause();
        }
        if (entry.rate > 0) {
            const auto pause =
                std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(1 / entry.rate));
            const auto now = Clock::now();
            entry.notBefore = std::max(entry.notBefore + pause, now - pause);
            if (entry.notBefore < now)
                entry.notBefore = now + pause;
        }
    }
}

void Runner::Shared::publish(RunnerEntry &entry)
{
    if (!entry.changed)
        return;
    entry.changed = false;
    Run &run = *entry.run;
    const Run::News news = run.takeNews();
    const Trace &trace = run.trace();
    RunUpdate update;
    update.id = entry.id;
    update.status = run.status();
    if (std::string warning = run.warning(); warning.empty() == entry.warned) {
        entry.warned = !warning.empty();
        // A run that has finished says it itself.
        if (entry.refusal.empty() && run.status() != RunStatus::Finished)
            entry.refusal = std::move(warning);
    }
    const bool refused = !entry.refusal.empty();
    update.message = refused ? std::exchange(entry.refusal, {}) : run.message();
    update.method = run.method();
    update.inner = run.inner();
    update.effective = run.effective();
    update.stage = run.stage();
    update.cost = run.cost();
    update.seconds = run.seconds();
    update.learning = run.learning();
    update.catchingUp = run.catchingUp();
    update.done = run.done();
    update.keepPoints = news.points;
    update.points.assign(trace.points.begin() + static_cast<std::ptrdiff_t>(news.points), trace.points.end());
    update.keepEvents = news.events;
    update.events.assign(trace.events.begin() + static_cast<std::ptrdiff_t>(news.events), trace.events.end());
    update.reports = std::exchange(entry.reports, {});
    update.path = std::exchange(entry.path, {});
    outbox.put(std::move(update), refused);
}

void Runner::Shared::send(RunId id, Command command)
{
    const std::lock_guard lock(mutex);
    const auto it = entries.find(id);
    if (it == entries.end())
        return;
    it->second->inbox.put(std::move(command));
    poke();
}

} // namespace appa
