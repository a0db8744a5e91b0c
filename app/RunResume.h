#pragma once

#include "RunOptions.h"

#include "run/Session.h"

#include <memory>

namespace appa::cli {

/// A run of a session that is to go on, and the session it is to be saved in again.
struct ResumedRun
{
    Session session;
    std::size_t index = 0; ///< of the run among the session's
    std::unique_ptr<Run> run;
};

/// The run that --resume (and --name, where the session has several) asks for, executed again up to its last point,
/// with the rules that are given or else its own. What it has to know of the problem for that is left to `executor`.
Result<ResumedRun> resumeRun(const RunOptions &options, JobExecutor executor);

} // namespace appa::cli
