#pragma once

#include "data/Recipe.h"
#include "run/Run.h"

#include <optional>
#include <string>
#include <vector>

namespace appa {

/// A run as it is kept in a session: enough to show it, to go on with it (Run::restore) and to verify it (replay).
struct SavedRun
{
    std::string name;
    RunSpec spec;
    StopRules stop;
    int measuresPerPass = 0;
    RunStatus status = RunStatus::Ready; ///< Running is saved as Paused
    std::string message;
    std::string method; ///< in effect at the end
    std::string inner;
    Trace trace;
};

/// One problem and the runs on it: what a `.appa` file holds.
struct Session
{
    DataRecipe data;
    std::string dataName;
    std::uint64_t dataHash = 0;
    Index rows = 0; ///< n and d of the training part, so that curves can be drawn without the data
    Index columns = 0;
    std::vector<ProvenanceStep> provenance;
    std::string loss = "logistic";
    double ridge = 0;
    std::optional<double> fOpt; ///< only if it is known
    double fOptFloor = 0;       ///< below this an excess means nothing
    std::vector<SavedRun> runs;
    std::string view; ///< what the window wants to find again, as JSON text; the solver does not look into it
};

/// A run as it is now. Names are the user's.
SavedRun savedRun(const Run &run, std::string name);

/// May a session be written over what is at the path?
enum class Replace {
    Sessions, ///< only over nothing, or a session that can be read: never over a damaged or a newer one
    Anything  ///< the caller wrote it
};

std::string sessionText(const Session &session);
/// `path` only for the messages.
Result<Session> parseSession(const std::string &text, const std::string &path);
Result<Session> readSession(const std::string &path);
/// Why `Replace::Sessions` would not write there.
std::optional<Error> whyNotReplaced(const std::string &path);
bool isSessionFile(const std::string &path); ///< as its first bytes say, whole or not
std::optional<Error> writeSession(const std::string &path, const Session &session, Replace replace = Replace::Sessions);

/// The recipe with files that have moved together with the session found beside it.
DataRecipe locatedBeside(const DataRecipe &recipe, const std::string &sessionPath);
/// "" if this is the data the session was made with, else what differs, without a full stop.
std::string dataMismatch(const Session &session, const Dataset &data);

} // namespace appa
