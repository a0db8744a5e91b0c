#include "run/Sweep.h"

#include "base/Clock.h"
#include "base/Failure.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <condition_variable>
#include <mutex>
#include <numeric>
#include <thread>

namespace appa {

namespace {

using Clock = std::chrono::steady_clock;

constexpr double sliceMilliseconds = 8;

/// A clock that can be stopped.
class Stopwatch
{
public:
    void go() { m_since = Clock::now(); }
    void halt()
    {
        m_passed = seconds();
        m_since.reset();
    }
    double seconds() const { return m_passed + (m_since ? secondsSince(*m_since) : 0); }

private:
    double m_passed = 0;
    std::optional<Clock::time_point> m_since;
};

} // namespace

struct Sweep::Shared
{
    /// A run under way.
    struct Slot
    {
        std::optional<std::size_t> index;
        Index stage = 0;
        Stopwatch watch;
    };
    struct MethodTime
    {
        double seconds = 0;
        std::size_t runs = 0;
    };

    ProblemPtr problem;
    SweepPlan plan;
    Options options;
    int jobs = 1;

    std::mutex mutex;
    std::condition_variable changed;
    std::stop_source stopping;
    SweepState state = SweepState::Ready;
    std::string message;
    std::vector<std::size_t> queue; ///< in the order of execution
    std::size_t next = 0;
    std::size_t share = 0;
    std::vector<Slot> slots;
    std::size_t working = 0;
    std::vector<MethodTime> times;
    std::vector<SweepResult> all;
    std::size_t taken = 0; ///< how many of `all` the outbox's reader has
    std::size_t diverged = 0;
    std::size_t failed = 0;
    double busySeconds = 0;
    Stopwatch watch;
    std::vector<std::jthread> workers; ///< destroyed (joined) first

    void work(std::size_t slot);
    std::optional<std::size_t> begin(std::size_t slot);
    bool mayGoOn(std::size_t slot, Index stage);
    void end(std::size_t slot, SweepResult result);
    void fail(std::string why);
    void leave();
    void count(const SweepResult &result);
    double eta() const;
    void wakeReader() const
    {
        if (options.wake)
            options.wake();
    }
};

void Sweep::Shared::count(const SweepResult &result)
{
    diverged += result.status == RunStatus::Diverged;
    failed += result.status == RunStatus::Failed;
}

std::optional<std::size_t> Sweep::Shared::begin(std::size_t slot)
{
    std::unique_lock lock(mutex);
    changed.wait(lock, [&] { return state != SweepState::Paused; });
    if (state != SweepState::Running || next == queue.size())
        return std::nullopt;
    slots[slot].index = queue[next++];
    slots[slot].stage = 0;
    slots[slot].watch = {};
    slots[slot].watch.go();
    return slots[slot].index;
}

bool Sweep::Shared::mayGoOn(std::size_t slot, Index stage)
{
    std::unique_lock lock(mutex);
    slots[slot].stage = stage;
    if (state == SweepState::Paused) {
        slots[slot].watch.halt();
        changed.wait(lock, [&] { return state != SweepState::Paused; });
        slots[slot].watch.go();
    }
    return state == SweepState::Running;
}

void Sweep::Shared::end(std::size_t slot, SweepResult result)
{
    // On disk before anyone is told.
    if (options.folder) {
        if (const auto error = options.folder->append(result))
            return fail(error->message);
    }
    {
        const std::lock_guard guard(mutex);
        const double seconds = slots[slot].watch.seconds();
        slots[slot].index.reset();
        busySeconds += seconds;
        MethodTime &time = times[plan.at(result.index).method];
        time.seconds += seconds;
        ++time.runs;
        count(result);
        all.push_back(std::move(result));
    }
    wakeReader();
}

void Sweep::Shared::fail(std::string why)
{
    {
        const std::lock_guard guard(mutex);
        if (state == SweepState::Running || state == SweepState::Paused) {
            state = SweepState::Failed;
            message = std::move(why);
            watch.halt();
        }
        stopping.request_stop();
    }
    changed.notify_all();
    wakeReader();
}

/// The last worker out closes the study.
void Sweep::Shared::leave()
{
    std::unique_lock lock(mutex);
    if (--working > 0)
        return;
    const auto active = [&] { return state == SweepState::Running || state == SweepState::Paused; };
    if (active() && all.size() == share) {
        std::optional<Error> error;
        if (options.folder) {
            lock.unlock();
            const std::string why = failureOf("write the results", [&] { error = options.folder->finish(all); });
            if (!why.empty())
                error = Error{Error::Kind::Io, why};
            lock.lock();
        }
        if (active()) {
            state = error ? SweepState::Failed : SweepState::Finished;
            message = error ? error->message : std::string();
            watch.halt();
        }
    }
    lock.unlock();
    changed.notify_all();
    wakeReader();
}

void Sweep::Shared::work(std::size_t slot)
{
    std::string why = failureOf("go on with the study", [&] {
        while (const auto index = begin(slot)) {
            auto result = runCase(
                problem, plan, *index, [&](Index stage) { return mayGoOn(slot, stage); }, stopping.get_token());
            if (!result)
                break;
            end(slot, std::move(*result));
        }
    });
    if (!why.empty())
        fail(std::move(why));
    {
        const std::lock_guard guard(mutex);
        slots[slot].index.reset();
    }
    leave();
}

double Sweep::Shared::eta() const
{
    // A method's next run takes what its earlier ones took; before there is one, what those under way promise.
    std::vector<double> guess(times.size(), unknown);
    double sum = 0;
    std::size_t known = 0;
    for (std::size_t m = 0; m < times.size(); ++m) {
        double seconds = times[m].seconds;
        double runs = static_cast<double>(times[m].runs);
        if (times[m].runs == 0) {
            for (const Slot &slot : slots) {
                if (slot.index && plan.at(*slot.index).method == m && slot.stage > 0) {
                    seconds += slot.watch.seconds();
                    runs += static_cast<double>(slot.stage) / static_cast<double>(plan.stages);
                }
            }
        }
        if (runs > 0) {
            guess[m] = seconds / runs;
            sum += guess[m];
            ++known;
        }
    }
    if (known == 0)
        return unknown;
    const double typical = sum / static_cast<double>(known);
    const auto secondsOf = [&](std::size_t index) {
        const double g = guess[plan.at(index).method];
        return std::isnan(g) ? typical : g;
    };
    double left = 0, longest = 0;
    for (std::size_t k = next; k < queue.size(); ++k)
        left += secondsOf(queue[k]);
    for (const Slot &slot : slots) {
        if (slot.index) {
            const double rest = std::max(0.0, secondsOf(*slot.index) - slot.watch.seconds());
            left += rest;
            longest = std::max(longest, rest);
        }
    }
    return std::max(left / jobs, longest);
}

Sweep::Sweep(ProblemPtr problem, SweepPlan plan, Options options) : m_shared(std::make_shared<Shared>())
{
    Shared &s = *m_shared;
    s.problem = std::move(problem);
    s.plan = std::move(plan);
    s.options = std::move(options);
    std::vector<std::size_t> share = s.options.cases;
    if (share.empty())
        share = casesOfTask(s.plan);
    s.share = share.size();
    std::vector<bool> there(s.plan.size());
    if (s.options.folder) {
        std::vector<bool> mine(s.plan.size());
        for (const std::size_t index : share)
            mine[index] = true;
        for (const SweepResult &result : s.options.folder->earlier()) {
            there[result.index] = true;
            s.all.push_back(result);
            s.count(result);
            s.share += !mine[result.index]; // kept, though another task's
        }
    }
    std::erase_if(share, [&](std::size_t index) { return there[index]; });
    // The whole picture for one seed first, then the next: the bands grow from there.
    std::stable_sort(share.begin(), share.end(), [&](std::size_t a, std::size_t b) {
        const SweepCase u = s.plan.at(a), v = s.plan.at(b);
        return std::tie(u.seed, u.lambda, u.method) < std::tie(v.seed, v.lambda, v.method);
    });
    s.queue = std::move(share);
    s.times.resize(s.plan.methods.size());
    const unsigned cores = std::max(1u, std::thread::hardware_concurrency());
    // No more than there are runs; without one, one worker closes the study.
    const std::size_t wanted = s.options.jobs > 0 ? static_cast<std::size_t>(s.options.jobs) : cores;
    s.jobs = static_cast<int>(std::clamp<std::size_t>(wanted, 1, std::max<std::size_t>(1, s.queue.size())));
    s.slots.resize(static_cast<std::size_t>(s.jobs));
}

Sweep::~Sweep()
{
    cancel();
    for (std::jthread &worker : m_shared->workers)
        worker.join();
}

void Sweep::start()
{
    Shared &s = *m_shared;
    std::string why;
    {
        const std::lock_guard guard(s.mutex);
        if (s.state != SweepState::Ready)
            return;
        s.state = SweepState::Running;
        s.watch.go();
        // Where the system grants fewer threads, those do all of it.
        why = failureOf("start a thread for the study", [&s] {
            while (s.working < s.slots.size()) {
                s.workers.emplace_back([&s, slot = s.working] { s.work(slot); });
                ++s.working;
            }
        });
        s.jobs = std::max(1, static_cast<int>(s.working));
    }
    if (s.workers.empty())
        s.fail(why + " Close other programs, and start it again.");
}

void Sweep::pause()
{
    const std::lock_guard guard(m_shared->mutex);
    if (m_shared->state == SweepState::Running) {
        m_shared->state = SweepState::Paused;
        m_shared->watch.halt();
    }
}

void Sweep::resume()
{
    {
        const std::lock_guard guard(m_shared->mutex);
        if (m_shared->state != SweepState::Paused)
            return;
        m_shared->state = SweepState::Running;
        m_shared->watch.go();
    }
    m_shared->changed.notify_all();
}

void Sweep::cancel()
{
    {
        const std::lock_guard guard(m_shared->mutex);
        if (m_shared->state == SweepState::Running || m_shared->state == SweepState::Paused
            || m_shared->state == SweepState::Ready) {
            m_shared->state = SweepState::Cancelled;
            m_shared->watch.halt();
        }
        m_shared->stopping.request_stop();
    }
    m_shared->changed.notify_all();
}

void Sweep::wait()
{
    std::unique_lock lock(m_shared->mutex);
    m_shared->changed.wait(lock, [&] { return m_shared->working == 0 && m_shared->state != SweepState::Running; });
}

const SweepPlan &Sweep::plan() const
{
    return m_shared->plan;
}

SweepProgress Sweep::progress() const
{
    const std::lock_guard guard(m_shared->mutex);
    const Shared &s = *m_shared;
    SweepProgress p;
    p.state = s.state;
    p.message = s.message;
    p.runs = s.share;
    p.done = s.all.size();
    p.diverged = s.diverged;
    p.failed = s.failed;
    double work = static_cast<double>(s.all.size());
    for (const Shared::Slot &slot : s.slots) {
        if (slot.index)
            work += std::min(1.0, static_cast<double>(slot.stage) / static_cast<double>(s.plan.stages));
    }
    p.fraction = s.share > 0 ? work / static_cast<double>(s.share) : 1;
    p.seconds = s.watch.seconds();
    p.eta = s.eta();
    p.busySeconds = s.busySeconds;
    return p;
}

std::vector<SweepResult> Sweep::take()
{
    const std::lock_guard guard(m_shared->mutex);
    const auto from = m_shared->all.begin() + static_cast<std::ptrdiff_t>(m_shared->taken);
    std::vector<SweepResult> out(from, m_shared->all.end());
    m_shared->taken = m_shared->all.size();
    return out;
}

std::optional<SweepResult> runCase(const ProblemPtr &problem, const SweepPlan &plan, std::size_t index,
                                   const std::function<bool(Index stage)> &onSlice, std::stop_token stop)
{
    SweepResult result;
    result.index = index;
    auto made = Run::create(problem, plan.specOf(index), plan.stopRules());
    if (!made) {
        result.status = RunStatus::Failed;
        result.note = made.error().message;
        return result;
    }
    Run &run = *made.value();
    run.setCheckpointBudget(0);
    // Measurements are made here, between two calls, so that a cancelled study need not wait for one to end.
    std::vector<JobPtr> jobs;
    run.setExecutor([&](JobPtr given) { jobs.push_back(std::move(given)); });
    bool finite = true;
    for (bool more = true; more;) {
        Slice slice = Slice::milliseconds(sliceMilliseconds);
        more = run.advance(slice);
        for (const JobPtr &job : jobs) {
            const std::stop_callback cancelling(stop, [&] { job->cancel(); });
            job->perform();
            if (const auto *measured = dynamic_cast<const MeasureJob *>(job.get()))
                finite = std::isfinite(measured->result().loss);
        }
        jobs.clear();
        if (stop.stop_requested() || (onSlice && !onSlice(run.stage())))
            return std::nullopt;
    }
    for (const TracePoint &point : run.trace().points) {
        if (std::isfinite(point.loss))
            result.points.push_back(point);
    }
    result.stage = run.stage();
    if (run.status() == RunStatus::Diverged || run.status() == RunStatus::Failed) {
        result.status = run.status();
        result.note = run.message();
        // The run has gone back to its last finite point; it diverged in the stage after that.
        if (run.status() == RunStatus::Diverged && !finite && !result.points.empty())
            result.stage = result.points.back().stage + 1;
    }
    return result;
}

} // namespace appa
