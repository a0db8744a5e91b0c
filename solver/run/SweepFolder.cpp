#include "run/SweepFolder.h"

#include "base/AtomicFile.h"
#include "base/JsonText.h"
#include "base/Text.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <filesystem>

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

namespace appa {

namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

constexpr int formatVersion = 1;
constexpr const char *lockName = "/.lock"; ///< in the study's folder; it stays there

Json jsonOf(double value)
{
    return std::isfinite(value) ? Json(value) : Json(nullptr);
}

double realOf(const Json &json)
{
    return json.is_number() ? json.get<double>() : unknown;
}

std::string planText(const SweepPlan &plan, const SweepContext &context)
{
    std::vector<std::string> methods;
    for (const SweepVariant &m : plan.methods)
        methods.push_back(m.id());
    const Json json = {{"format", "appa-lab sensitivity study"},
                       {"version", formatVersion},
                       {"dataset", context.dataset},
                       {"data_hash", hexText(context.dataHash)},
                       {"problem", context.problem},
                       {"loss", context.loss},
                       {"ridge", context.ridge},
                       {"n", context.n},
                       {"test_rows", context.testRows},
                       {"d", context.d},
                       {"real_targets", context.realTargets},
                       {"f_opt", jsonOf(context.fOpt)},
                       {"floor", context.floor},
                       {"optimum", context.optimumNote},
                       {"arithmetic", context.arithmetic},
                       {"methods", methods},
                       {"lambdas", plan.lambdas},
                       {"seeds", plan.seeds},
                       {"stages", plan.stages},
                       {"task", context.task.value_or("")}};
    return jsonText(json);
}

Result<SweepStudy> parsePlan(const std::string &text, const std::string &path)
{
    const auto wrong = [&](const std::string &what) { return Error{Error::Kind::Data, path + ": " + what}; };
    try {
        const Json json = Json::parse(text);
        if (json.at("format") != "appa-lab sensitivity study")
            return wrong("this is not the plan of a sensitivity study.");
        if (json.at("version").get<int>() > formatVersion)
            return wrong("the study was made by a newer version of this program.");
        SweepStudy study;
        SweepContext &c = study.context;
        c.dataset = json.at("dataset");
        c.dataHash = std::stoull(json.at("data_hash").get<std::string>(), nullptr, 16);
        c.problem = json.at("problem");
        c.loss = json.at("loss");
        c.ridge = json.at("ridge");
        c.n = json.at("n");
        c.testRows = json.at("test_rows");
        c.d = json.at("d");
        c.realTargets = json.at("real_targets");
        c.fOpt = realOf(json.at("f_opt"));
        c.floor = json.at("floor");
        c.optimumNote = json.at("optimum");
        c.arithmetic = json.value("arithmetic", 0);
        if (json.contains("task"))
            c.task = json.at("task").get<std::string>();
        for (const Json &id : json.at("methods")) {
            auto method = parseSweepMethods(id.get<std::string>());
            if (!method)
                return wrong(method.error().message);
            study.plan.methods.push_back(method.value().front());
        }
        study.plan.lambdas = json.at("lambdas").get<std::vector<double>>();
        study.plan.seeds = json.at("seeds").get<std::vector<std::uint64_t>>();
        study.plan.stages = json.at("stages");
        if (study.plan.size() == 0 || study.plan.stages < 1 || c.n < 1
            || !std::is_sorted(study.plan.lambdas.begin(), study.plan.lambdas.end())
            || !std::is_sorted(study.plan.seeds.begin(), study.plan.seeds.end()))
            return wrong("the plan is empty or out of order. Restore the file, or begin in another folder.");
        return study;
    } catch (const std::exception &e) {
        return wrong(std::string("the plan cannot be read (") + e.what()
                     + "). Restore the file, or begin in another folder.");
    }
}

/// What tells two problems apart; "" if nothing does.
std::string differenceOf(const SweepContext &there, const SweepContext &here)
{
    std::string text;
    const auto add = [&text](const std::string &what) { text += (text.empty() ? "" : ", ") + what; };
    if (there.dataHash != here.dataHash) {
        const auto named = [](const SweepContext &c) {
            return c.dataset + " (" + std::to_string(c.n) + " x " + std::to_string(c.d) + ")";
        };
        const std::string a = named(there), b = named(here);
        add(a == b ? "its " + a + " has other numbers" : "its data is " + a + ", not " + b);
    }
    if (there.loss != here.loss)
        add("its loss is " + there.loss + ", not " + here.loss);
    if (there.ridge != here.ridge)
        add("its ridge is " + formatParam(there.ridge) + ", not " + formatParam(here.ridge));
    return text;
}

/// What `old` has and `plan` has not, one of each kind by name.
std::string missingFrom(const SweepPlan &plan, const SweepPlan &old)
{
    std::string text;
    const auto compare = [&text](const char *kind, const auto &had, const auto &has, const auto &name) {
        std::size_t count = 0;
        std::string first;
        for (const auto &value : had)
            if (std::ranges::find(has, value) == has.end() && count++ == 0)
                first = name(value);
        if (count > 0)
            text += (text.empty() ? "" : ", ") + std::string(kind) + " " + first
                + (count > 1 ? " and " + std::to_string(count - 1) + " more" : "");
    };
    compare("method", old.methods, plan.methods, [](const SweepVariant &method) { return method.id(); });
    compare("lambda", old.lambdas, plan.lambdas, [](double lambda) { return formatParam(lambda); });
    compare("seed", old.seeds, plan.seeds, [](std::uint64_t seed) { return std::to_string(seed); });
    return text;
}

void sortByCase(std::vector<SweepResult> &results)
{
    std::sort(results.begin(), results.end(), [](const auto &a, const auto &b) { return a.index < b.index; });
}

/// The same numbers, whatever the seconds.
bool sameRun(const SweepResult &a, const SweepResult &b)
{
    const auto same = [](double u, double v) { return u == v || (std::isnan(u) && std::isnan(v)); };
    return a.status == b.status && a.stage == b.stage
        && std::equal(a.points.begin(), a.points.end(), b.points.begin(), b.points.end(),
                      [&](const TracePoint &p, const TracePoint &q) {
                          return p.stage == q.stage && p.cost.steps == q.cost.steps
                              && p.cost.accesses == q.cost.accesses && same(p.loss, q.loss)
                              && same(p.testError, q.testError) && same(p.gap, q.gap);
                      });
}

} // namespace

/// What there is in the folder, or why it cannot become this study's. Changes nothing on disk.
Result<SweepFolder::Contents> SweepFolder::look(Mode mode)
{
    Contents there;
    auto planThere = readFileIfThere(planPath());
    if (!planThere)
        return planThere.error();
    auto resultsThere = readFileIfThere(resultsPath());
    if (!resultsThere)
        return resultsThere.error();
    there.plan = std::move(planThere).value();
    there.results = std::move(resultsThere).value();
    there.intact = resultsHeader();
    if (mode == Mode::New && (there.plan || there.results))
        return Error{Error::Kind::Usage,
                     m_path + " already holds a study: resume it (--resume), or choose another folder."};
    if (there.results && !there.plan)
        return Error{Error::Kind::Data,
                     m_path
                         + " has a results.csv but no plan.json: it cannot be resumed. Restore that file, or choose "
                           "another folder."};
    if (!there.plan)
        return there;

    const auto old = parsePlan(*there.plan, planPath());
    if (!old)
        return old.error();
    const SweepContext &known = old.value().context;
    if (const std::string what = differenceOf(known, m_context); !what.empty())
        return Error{Error::Kind::Usage,
                     m_path + " holds a study of another problem: " + what + ". Choose another folder."};
    if (old.value().plan.stages != m_plan.stages)
        return Error{Error::Kind::Usage,
                     m_path + " holds a study of " + std::to_string(old.value().plan.stages)
                         + (old.value().plan.stages == 1 ? " stage" : " stages")
                         + ": resume it with as many, or choose another folder."};
    if (const auto &part = known.task; part && *part != m_context.task.value_or(""))
        return Error{Error::Kind::Usage,
                     m_path + " holds " + (part->empty() ? "a whole study" : "task " + *part + " of a study")
                         + ": resume it as that, or choose another folder."};
    // Its F_opt goes on, unless today's would be another.
    if (std::isfinite(known.fOpt) && known.arithmetic == optimumArithmetic)
        m_context.takeOptimum(known);
    if (const std::string missing = missingFrom(m_plan, old.value().plan); !missing.empty())
        return Error{Error::Kind::Usage,
                     m_path + " holds a study of more than is asked for here: " + missing
                         + ". Resume it with a grid that has them, or choose another folder."};
    auto rows = parseResults(m_plan, there.results.value_or(""), resultsPath());
    if (!rows)
        return rows.error();
    if (rows.value().intactBytes > 0)
        there.intact = there.results->substr(0, rows.value().intactBytes);
    m_earlier = std::move(rows.value().results);
    // A run that failed is not done.
    if (std::erase_if(m_earlier, [](const SweepResult &r) { return r.status == RunStatus::Failed; }) > 0) {
        there.intact = resultsHeader();
        for (const SweepResult &result : m_earlier)
            there.intact += rowsOf(m_plan, m_context, result);
    }
    return there;
}

std::optional<Error> SweepFolder::lock()
{
    // A file that is open for writing: over NFS, where a folder of several machines lies, nothing else is locked on all
    // of them.
    const std::string lockPath = m_path + lockName;
    m_lock = ::open(lockPath.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (m_lock < 0)
        return fileError("Cannot write", lockPath, errno);
    if (::flock(m_lock, LOCK_EX | LOCK_NB) == 0)
        return std::nullopt;
    if (errno == EWOULDBLOCK)
        return Error{Error::Kind::Usage,
                     "Another study is being written to " + m_path
                         + ". Wait until it has ended, or choose another folder."};
    if (errno != EOPNOTSUPP && errno != ENOSYS) // file systems without locks: Lustre, as it is often mounted
        return fileError("Cannot lock", lockPath, errno);
    return std::nullopt;
}

Result<std::unique_ptr<SweepFolder>> SweepFolder::open(const std::string &folder, const SweepPlan &plan,
                                                       const SweepContext &context, Mode mode)
{
    std::error_code error;
    fs::create_directories(folder, error);
    if (error)
        return fileError("Cannot make the folder", folder, error.value());
    std::unique_ptr<SweepFolder> out(new SweepFolder);
    out->m_path = folder;
    out->m_plan = plan;
    out->m_context = context;
    // Where no study was before, a refusal leaves no lock behind. What counts is what is there once it is locked.
    if (!fs::exists(folder + lockName, error))
        if (const auto seen = out->look(mode); !seen)
            return seen.error();
    if (auto failed = out->lock())
        return *failed;
    const auto there = out->look(mode);
    if (!there)
        return there.error();
    const auto &[oldPlan, oldResults, intact] = there.value();
    if (const std::string json = planText(plan, out->m_context); json != oldPlan) {
        if (auto failed = writeAtomically(out->planPath(), json))
            return *failed;
    }
    if (oldResults && oldResults->size() > intact.size() && oldResults->starts_with(intact)) {
        // What a crash tore off is redone.
        if (::truncate(out->resultsPath().c_str(), static_cast<off_t>(intact.size())) != 0)
            return fileError("Cannot write", out->resultsPath(), errno);
    } else if (intact != oldResults) {
        if (auto failed = writeAtomically(out->resultsPath(), intact))
            return *failed;
    }
    out->m_file = ::open(out->resultsPath().c_str(), O_WRONLY | O_APPEND | O_CLOEXEC);
    if (out->m_file < 0)
        return fileError("Cannot write", out->resultsPath(), errno);
    return out;
}

bool SweepFolder::isLocked(const std::string &folder)
{
    const int lock = ::open((folder + lockName).c_str(), O_RDONLY | O_CLOEXEC);
    if (lock < 0)
        return false;
    const bool locked = ::flock(lock, LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK;
    ::close(lock);
    return locked;
}

SweepFolder::~SweepFolder()
{
    if (m_file >= 0)
        ::close(m_file);
    if (m_lock >= 0)
        ::close(m_lock);
}

std::optional<Error> SweepFolder::append(const SweepResult &result)
{
    const std::lock_guard guard(m_mutex);
    const std::string rows = rowsOf(m_plan, m_context, result);
    const off_t end = ::lseek(m_file, 0, SEEK_END);
    if (end >= 0 && writeAll(m_file, rows) == 0 && ::fdatasync(m_file) == 0)
        return std::nullopt;
    const Error error = fileError("Cannot write", resultsPath(), errno);
    if (end >= 0) [[maybe_unused]]
        const int restored = ::ftruncate(m_file, end);
    return error;
}

std::optional<Error> SweepFolder::setContext(const SweepContext &context)
{
    const std::lock_guard guard(m_mutex);
    m_context = context;
    return writeAtomically(planPath(), planText(m_plan, m_context));
}

std::optional<Error> SweepFolder::finish(std::vector<SweepResult> all)
{
    sortByCase(all);
    const std::lock_guard guard(m_mutex);
    std::string text = resultsHeader();
    for (const SweepResult &result : all)
        text += rowsOf(m_plan, m_context, result);
    return writeAtomically(resultsPath(), text);
}

Result<SweepStudy> readStudy(const std::string &folder)
{
    const std::string planPath = folder + "/plan.json";
    const auto planJson = readFileIfThere(planPath);
    if (!planJson)
        return planJson.error();
    if (!planJson.value())
        return Error{Error::Kind::Io, folder + " does not hold a study (no plan.json). Check the path."};
    auto study = parsePlan(*planJson.value(), planPath);
    if (!study)
        return study;
    const std::string resultsPath = folder + "/results.csv";
    const auto results = readFileIfThere(resultsPath);
    if (!results)
        return results.error();
    auto rows = parseResults(study.value().plan, results.value().value_or(""), resultsPath);
    if (!rows)
        return rows.error();
    study.value().results = std::move(rows.value().results);
    sortByCase(study.value().results);
    return study;
}

Result<SweepStudy> mergeStudies(const std::vector<std::string> &folders)
{
    std::optional<SweepStudy> merged;
    std::vector<std::optional<SweepResult>> byCase;
    for (const std::string &folder : folders) {
        auto part = readStudy(folder);
        if (!part)
            return part;
        if (!merged) {
            merged = SweepStudy{part.value().plan, part.value().context, {}};
            merged->context.task.reset();
            byCase.resize(merged->plan.size());
        } else if (!(merged->plan == part.value().plan) || !merged->context.sameProblem(part.value().context)) {
            return Error{Error::Kind::Usage, folder + " is part of another study than " + folders.front() + "."};
        }
        // A part that was interrupted early may not have it yet.
        if (!std::isfinite(merged->context.fOpt) && std::isfinite(part.value().context.fOpt))
            merged->context.takeOptimum(part.value().context);
        for (SweepResult &result : part.value().results) {
            auto &slot = byCase[result.index];
            // What failed in one part may have been made again in another.
            if (slot && result.status == RunStatus::Failed)
                continue;
            if (slot && slot->status != RunStatus::Failed && !sameRun(*slot, result))
                return Error{Error::Kind::Data,
                             folder + " has other numbers than an earlier part for the same run ("
                                 + merged->plan.methods[merged->plan.at(result.index).method].id() + ", lambda "
                                 + formatParam(merged->plan.lambdas[merged->plan.at(result.index).lambda]) + ")."};
            slot = std::move(result);
        }
    }
    if (!merged)
        return Error{Error::Kind::Usage, "There is nothing to merge."};
    for (auto &slot : byCase) {
        if (slot)
            merged->results.push_back(std::move(*slot));
    }
    return std::move(*merged);
}

} // namespace appa
