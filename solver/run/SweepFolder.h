#pragma once

#include "run/SweepResults.h"

#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace appa {

/// A study on disk: plan.json (what is studied) and results.csv (a run's rows appended as it finishes, sorted at the
/// end). Safe against kill -9 at any moment; locked against a second process.
class SweepFolder
{
public:
    enum class Mode { New, Resume };

    /// New: the folder must not hold a study. Resume: it may, and then it must be of the same problem and task, and its
    /// plan part of this one; `context` takes over F_opt from it.
    static Result<std::unique_ptr<SweepFolder>> open(const std::string &folder, const SweepPlan &plan,
                                                     const SweepContext &context, Mode mode);
    /// Is a study being written to it? Changes nothing.
    static bool isLocked(const std::string &folder);
    ~SweepFolder();
    SweepFolder(const SweepFolder &) = delete;
    SweepFolder &operator=(const SweepFolder &) = delete;

    const std::string &path() const { return m_path; }
    std::string resultsPath() const { return m_path + "/results.csv"; }
    const SweepContext &context() const { return m_context; }
    /// The runs that were there when it was opened, but for those that had failed.
    const std::vector<SweepResult> &earlier() const { return m_earlier; }

    /// Any thread. On disk (fdatasync) when it returns; after an error the file is as before.
    std::optional<Error> append(const SweepResult &result);
    /// F_opt has become known: kept in plan.json.
    std::optional<Error> setContext(const SweepContext &context);
    /// Replaces results.csv by the sorted one, in one step.
    std::optional<Error> finish(std::vector<SweepResult> all);

private:
    struct Contents
    {
        std::optional<std::string> plan;
        std::optional<std::string> results;
        std::string intact; ///< what of the results stays, or their header
    };

    SweepFolder() = default;
    Result<Contents> look(Mode mode);
    std::optional<Error> lock();
    std::string planPath() const { return m_path + "/plan.json"; }

    std::string m_path;
    SweepPlan m_plan;
    SweepContext m_context;
    std::vector<SweepResult> m_earlier;
    std::mutex m_mutex;
    int m_lock = -1;
    int m_file = -1;
};

/// A whole study as read back (for merging, showing and drawing it without its data).
struct SweepStudy
{
    SweepPlan plan;
    SweepContext context;
    std::vector<SweepResult> results; ///< sorted by case
};

Result<SweepStudy> readStudy(const std::string &folder);
/// Joins the parts made by `--task K/N`; they must be of one plan and one problem. Runs that are missing are allowed
/// (`results.size() < plan.size()`); a run in two parts must have the same numbers.
Result<SweepStudy> mergeStudies(const std::vector<std::string> &folders);

} // namespace appa
