#pragma once

#include "RunOptions.h"

#include <optional>
#include <vector>

namespace appa::cli {

/// The changes that --at asks for, each made when it is due.
class RunChanges
{
public:
    RunChanges() = default;
    /// In the order of their stages.
    explicit RunChanges(std::vector<PlannedChange> changes) : m_changes(std::move(changes)) { }

    bool anyLeft() const { return m_next < m_changes.size(); }
    /// The stage of the last one; `otherwise` if none is planned.
    Index lastStage(Index otherwise) const { return m_changes.empty() ? otherwise : m_changes.back().stage; }
    /// How far the run may go until one has to be made within a stage.
    Index ticksToNext(const Run &run) const;
    /// Makes all that are due. An error if one is not where it was to be made.
    std::optional<Error> apply(Run &run);
    /// That error of a run which has ended with the stage of the next change.
    std::optional<Error> unreached(const Run &run) const;

private:
    std::vector<PlannedChange> m_changes;
    std::size_t m_next = 0;
};

/// Waits until everything measured so far is in the trace.
void settle(Run &run);

} // namespace appa::cli
