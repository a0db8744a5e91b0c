#pragma once

#include "BackgroundOptimum.h"
#include "RunOptions.h"

#include "run/Session.h"

#include <optional>
#include <vector>

namespace appa::cli {

/// What a run leaves behind: its session, saved while it goes on, and at its end its trace and its weights.
class RunFiles
{
public:
    /// `options` stay the caller's: the run's name and its session are known only when it begins.
    explicit RunFiles(const RunOptions &options) : m_options(options) { }

    Session session;       ///< what is to be saved, but for the run
    std::size_t index = 0; ///< of the run in the session

    /// Before hours of work it should be known that the result can be kept. Writes nothing yet.
    std::optional<Error> check() const;
    /// The first save, where there is no older session: that stays until there is something to put in its place.
    std::optional<Error> begin(const Run &run);
    std::optional<Error> save(const Run &run, const BackgroundOptimum *optimum, Replace replace);
    /// All that can be written is, even if one of the files cannot. Files come first: who reads the standard output may
    /// leave early, which ends the program.
    std::vector<Error> write(const Run &run, const BackgroundOptimum *optimum);

private:
    const RunOptions &m_options;
};

} // namespace appa::cli
