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

struct Run::Ticket
{
    explicit Ticket(MeasureJobPtr j) : job(std::move(j)) { }
    Ticket(const Ticket &) = delete;
    Ticket &operator=(const Ticket &) = delete;
    ~Ticket() { job->cancel(); }

    MeasureJobPtr job;
};

} // namespace appa
