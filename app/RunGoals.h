#pragma once

#include "RunOptions.h"

#include <functional>
#include <optional>
#include <set>
#include <string>

namespace appa::cli {

/// Watches a run whose end depends on what is measured: says, each thing once, why a goal (--gap, --excess) may never
/// end it, and puts the default number of stages in the place of a gap that there is none of.
class RunGoals
{
public:
    using Say = std::function<void(const std::string &)>;

    RunGoals(const RunOptions &options, Say say) : m_options(options), m_say(std::move(say)) { }

    /// Call when there are new points. `changesLeft`: planned ones are still to be made; `lastStage`: that of the
    /// last one planned, 0 if there is none.
    void look(Run &run, std::optional<double> fOpt, bool changesLeft, Index lastStage);
    void sayOnce(const std::string &sentence);
    /// No number of stages or passes and no time ends it.
    static bool onlyGoalsEnd(const Run &run);

private:
    void lookForGap(Run &run, bool changesLeft, Index lastStage);
    void lookForRidge(const Run &run, const TracePoint &newest, double fOpt);

    const RunOptions &m_options;
    Say m_say;
    std::set<std::string> m_said;
};

} // namespace appa::cli
