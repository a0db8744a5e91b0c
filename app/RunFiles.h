#pragma once

#include "BackgroundOptimum.h"
#include "RunOptions.h"

#include "base/AtomicFile.h"
#include "run/Session.h"

#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace appa::cli {

/// What a run leaves behind: its session, saved while it goes on, and at its end its trace and its weights.
class RunFiles
{
public:
    /// `options` stay the caller's: the run's name is known only when it begins. What is at the session's path from now
    /// on may be replaced, unless another program writes there meanwhile.
    RunFiles(const RunOptions &options, std::function<void(const std::string &)> say)
        : m_options(options), m_say(std::move(say)), m_path(options.session), m_known(markOf(m_path))
    {
    }

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
    void giveWay();

    const RunOptions &m_options;
    std::function<void(const std::string &)> m_say;
    std::string m_path;              ///< of the session, as it is saved now
    std::optional<FileMark> m_known; ///< what may be replaced there
};

} // namespace appa::cli
