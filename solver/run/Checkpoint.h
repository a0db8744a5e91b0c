#pragma once

#include "run/Run.h"

namespace appa {

/// A run's state at a measured place. Immutable, shared by forks.
struct Run::Checkpoint
{
    Checkpoint(Engine e, double s, std::size_t count)
        : engine(std::move(e)), seconds(s), events(count), bytes(engine.current().stateBytes() + sizeof(Checkpoint))
    {
    }

    Engine engine;
    double seconds;
    std::size_t events; ///< applied
    std::size_t bytes;
};

/// A job that is cancelled when the last run that waits for it has gone.
template <class JobType> struct Claim
{
    explicit Claim(std::shared_ptr<JobType> j) : job(std::move(j)) { }
    Claim(const Claim &) = delete;
    Claim &operator=(const Claim &) = delete;
    ~Claim() { job->cancel(); }

    std::shared_ptr<JobType> job;
};

struct Run::Ticket : Claim<MeasureJob>
{
    using Claim::Claim;
};

struct Run::Learning : Claim<LearnJob>
{
    using Claim::Claim;
};

} // namespace appa
