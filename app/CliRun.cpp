// appa-lab run: one run from start to end, with planned changes, measured beside the solver.

#include "BackgroundOptimum.h"
#include "Cli.h"
#include "RunGoals.h"
#include "RunOptions.h"
#include "RunReport.h"
#include "RunResume.h"
#include "Terminal.h"

#include "base/AtomicFile.h"
#include "base/Text.h"
#include "methods/DefaultMethod.h"
#include "run/Session.h"
#include "run/TraceCsv.h"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <limits>
#include <memory>
#include <set>
#include <utility>

namespace appa::cli {

namespace {

using Clock = std::chrono::steady_clock;

class Job
{
public:
    explicit Job(const RunOptions &options) : m_options(options) { }

    int execute()
    {
        if (const auto error = prepare())
            return fail(*error);
        const auto misplaced = drive(); // what was measured until then is kept all the same
        m_run->returnToLastPoint();     // the weights are those of the loss that is reported
        const bool stopped = interrupted();
        // The excess loss is worth waiting for, unless the user does not want to wait.
        if (m_optimum && !stopped)
            m_optimum->wait(!m_options.quiet);
        m_line.clear();
        if (const std::string why = m_optimum ? m_optimum->failure() : std::string(); !why.empty())
            std::fprintf(stderr, "appa-lab: %s The excess loss stays unknown.\n", why.c_str());
        const std::vector<Error> unwritten = write();
        if (m_options.json)
            std::fputs(summaryJson(*m_run, {m_session.data, m_session.loss, m_session.ridge}, optimum()).c_str(),
                       stdout);
        else if (!m_options.quiet && m_options.trace != "-" && m_options.weights != "-")
            std::fputs(summaryText(*m_run, optimum(), m_optimum != nullptr).c_str(), stdout);
        else if (const std::string noticed = m_run->warning(); !noticed.empty())
            m_goals.sayOnce(noticed);
        std::fflush(stdout); // the summary comes before what went wrong
        for (const Error &error : unwritten)
            fail(error);
        if (misplaced)
            return fail(*misplaced);
        if (!unwritten.empty())
            return exitCodeOf(unwritten.front());
        if (m_run->status() == RunStatus::Failed) {
            if (m_options.quiet || m_options.json)
                std::fprintf(stderr, "appa-lab: %s\n", m_run->message().c_str());
            return DataError;
        }
        return stopped || interrupted() ? Interrupted : Done;
    }

private:
    std::optional<Error> prepare()
    {
        if (auto error = m_options.contradiction())
            return error;
        if (const auto error = m_options.resume.empty() ? begin() : goOn())
            return error;
        if (auto error = m_options.contradiction()) // also with what the session says
            return error;
        const ProblemPtr &problem = m_run->problemPtr();
        auto changes = m_options.changes(problem, m_run->spec(), m_run->trace());
        if (!changes)
            return changes.error();
        m_changes = std::move(changes).value();
        if (m_options.stop == StopRules{.stages = 0})
            std::fprintf(stderr,
                         "appa-lab: nothing ends this run but Ctrl-C; --stages, --passes, --seconds, --excess or "
                         "--gap would.\n");

        // Before hours of work it should be known that the result can be kept.
        if (const auto error = reserveSession())
            return error;
        for (const std::string &path : {m_options.trace, m_options.weights})
            if (!path.empty() && path != "-")
                if (auto error = whyNotWritable(path))
                    return error;
        if (!m_options.quiet && ProgressLine::onTerminal()) {
            for (const ProvenanceStep &step : m_session.provenance)
                std::fprintf(stderr, "%s%s%s\n", step.what.c_str(), step.detail.empty() ? "" : ": ",
                             step.detail.c_str());
        }
        if (!m_options.noOptimum && m_options.tellsExcess())
            m_optimum = std::make_unique<BackgroundOptimum>(problem);
        if (m_optimum && m_options.stop.excessBelow > 0) {
            m_optimum->wait(!m_options.quiet, "give up");
            if (const auto value = m_optimum->value()) {
                m_run->setOptimum(*value);
                if (const double floor = optimum()->floor; floor > m_options.stop.excessBelow)
                    std::fprintf(stderr, "appa-lab: an excess loss below %.1g cannot be told from none here: %s\n",
                                 floor,
                                 RunGoals::onlyGoalsEnd(*m_run) ? "the run may go on for ever. Ctrl-C ends it."
                                                                : "--excess may never end the run.");
            } else if (const auto found = m_optimum->result())
                return Error{Error::Kind::Usage, "--excess needs an F_opt that is known. " + found->message};
            else if (!interrupted())
                return Error{Error::Kind::Data, "--excess needs the optimum. " + m_optimum->failure()};
        }
        return std::nullopt;
    }

    /// A new run, as the options describe it.
    std::optional<Error> begin()
    {
        // What is wrong is said before the data is read, unless it depends on the data.
        if (!m_options.method.empty())
            if (const auto early = m_options.spec(m_options.method); !early)
                return early.error();
        auto recipe = m_options.problem.recipe();
        if (!recipe)
            return recipe.error();
        if (auto error = sparesData(recipe.value()))
            return error;
        const auto data = loadData(recipe.value(), m_options.quiet);
        if (!data)
            return data.error();
        const auto problem = makeProblem(data.value(), m_options.problem.loss, m_options.problem.ridge);
        if (!problem)
            return problem.error();
        const DefaultMethod method =
            m_options.method.empty() ? defaultMethodFor(*problem.value()) : DefaultMethod{m_options.method, {}};
        if (!method.because.empty() && !m_options.quiet)
            std::fprintf(stderr, "appa-lab: %s: %s is used. --method chooses another.\n", method.because.c_str(),
                         method.id.c_str());
        const auto spec = m_options.spec(method.id);
        if (!spec)
            return spec.error();
        if (const std::string note = m_options.withoutEffect(spec.value()); !note.empty() && !m_options.quiet)
            std::fprintf(stderr, "appa-lab: %s\n", note.c_str());
        auto run = Run::create(problem.value(), spec.value(), m_options.stop, m_options.measures);
        if (!run)
            return run.error();
        m_run = std::move(run).value();
        m_run->setExecutor(m_measurer.executor());
        m_session.data = recipe.value();
        m_session.dataName = data.value()->name;
        m_session.dataHash = data.value()->hash;
        m_session.rows = data.value()->train.rows();
        m_session.columns = data.value()->train.cols();
        m_session.provenance = data.value()->provenance;
        m_session.loss = infoOf(problem.value()->loss()).id;
        m_session.ridge = m_options.problem.ridge;
        m_session.runs.resize(1);
        if (m_options.name.empty())
            m_options.name = m_run->spec().method;
        return std::nullopt;
    }

    /// The run of a session, where it was.
    std::optional<Error> goOn()
    {
        auto resumed = resumeRun(m_options, m_measurer.executor());
        if (!resumed)
            return resumed.error();
        m_session = std::move(resumed.value().session);
        m_index = resumed.value().index;
        m_run = std::move(resumed.value().run);
        m_options.stop = m_run->stopRules();
        m_options.name = m_session.runs[m_index].name;
        m_firstStage = m_run->stage();
        m_reported = m_run->trace().points.size();
        return sparesData(m_session.data);
    }

    /// None of the results is written over what the data is read from; a session is not in any case.
    std::optional<Error> sparesData(const DataRecipe &recipe) const
    {
        if (auto error = whyNotOver(recipe, "--trace", m_options.trace))
            return error;
        return whyNotOver(recipe, "--weights", m_options.weights);
    }

    std::optional<Error> drive()
    {
        const auto begin = Clock::now();
        auto saved = begin;
        if (const auto error = applyChanges())
            return error;
        while (!interrupted()) {
            const Index before = m_run->stage();
            Slice slice(Clock::now() + std::chrono::milliseconds(8), ticksToNextChange());
            if (!m_run->advance(slice)) {
                report(begin);
                return unreached();
            }
            if (m_run->waiting())
                m_run->wait(Clock::now() + std::chrono::milliseconds(20));
            if (m_run->stage() != before || ticksToNextChange() == 0) {
                if (const auto error = applyChanges())
                    return error;
            }
            report(begin);
            if (std::chrono::duration<double>(Clock::now() - saved).count() >= m_options.saveEvery) {
                saved = Clock::now();
                // A disk that is full now need not be at the end: the work goes on, and is written then.
                if (const auto error = save(Replace::Anything); error && !m_saveFailed) {
                    m_saveFailed = true;
                    m_line.clear();
                    std::fprintf(stderr, "appa-lab: %s The run goes on; it is saved again later.\n",
                                 error->message.c_str());
                }
            }
        }
        m_run->pause();
        settle();
        report(begin);
        return std::nullopt;
    }

    /// Everything measured so far is in the trace.
    void settle()
    {
        Slice slice = Slice::ticks(0);
        while (!m_run->settle(slice))
            m_run->wait(Clock::now() + std::chrono::seconds(1));
    }

    Index ticksToNextChange() const
    {
        if (m_next == m_changes.size() || m_changes[m_next].tick == PlannedChange::atTheEnd)
            return std::numeric_limits<Index>::max();
        return std::max<Index>(0, m_changes[m_next].tick - m_run->cost().ticks);
    }

    std::optional<Error> applyChanges()
    {
        while (m_next < m_changes.size() && (m_changes[m_next].stage <= m_run->stage() || ticksToNextChange() == 0)) {
            // What this stage's values decide (a rule, divergence) is decided first, however fast they are measured.
            settle();
            if (m_run->status() == RunStatus::Finished || m_run->status() == RunStatus::Diverged
                || m_run->status() == RunStatus::Failed)
                return std::nullopt;
            const PlannedChange &change = m_changes[m_next++];
            if (auto error = misplaced(change))
                return error;
            if (auto error = m_run->change(change.key, change.value))
                return error;
        }
        return std::nullopt;
    }

    /// Why the run, now that `change` is due, is not where it was to be made: its tick is not one of its stage. Only
    /// the run itself can tell.
    std::optional<Error> misplaced(const PlannedChange &change) const
    {
        const Index ticks = m_run->cost().ticks;
        const Index stage = m_run->stage();
        // A stage is over at its last tick, and where the change before this one ended it.
        if (change.tick == PlannedChange::atTheEnd
            || (change.tick == ticks && (stage + 1 == change.stage || stage == change.stage)))
            return std::nullopt;
        const std::vector<TracePoint> &points = m_run->trace().points;
        const auto end = std::ranges::find_if(
            points, [&](const TracePoint &p) { return p.stageEnd && p.stage > 0 && p.cost.ticks >= change.tick; });
        const Index found = end != points.end() ? end->stage : stage + 1;
        return Error{
            Error::Kind::Usage,
            "--at " + std::to_string(change.stage) + "@" + std::to_string(change.tick) + ":" + change.key + ": "
                + (change.tick > ticks
                       ? "stage " + std::to_string(stage) + " ends before that, at tick " + std::to_string(ticks) + "."
                       : "tick " + std::to_string(change.tick) + " lies in stage " + std::to_string(found) + ".")};
    }

    /// The same of a run that has ended with the stage of the next change.
    std::optional<Error> unreached() const
    {
        const bool due = m_next < m_changes.size() && m_changes[m_next].stage <= m_run->stage();
        return due ? misplaced(m_changes[m_next]) : std::nullopt;
    }

    /// What has been measured, with the stage it was measured at; the solver may be a stage ahead of it.
    void report(Clock::time_point begin)
    {
        const std::vector<TracePoint> &points = m_run->trace().points;
        const bool news = points.size() != m_reported;
        if (news)
            m_goals.look(*m_run, fOpt(), m_next < m_changes.size(),
                         m_changes.empty() ? m_firstStage : m_changes.back().stage);
        const Index stages = m_run->stopRules().stages;
        const std::size_t reported = std::exchange(m_reported, points.size());
        if (m_options.quiet)
            return;
        if (m_options.progress && !ProgressLine::onTerminal()) {
            for (std::size_t k = std::min(reported, points.size()); k < points.size(); ++k)
                if (points[k].stageEnd && points[k].stage > 0)
                    std::fprintf(stderr, "%s\n", progressText(points[k], stages, fOpt()).c_str());
        } else if (m_line.enabled() && m_run->learning()) {
            m_line.show("measuring what the method has to know of the data");
        } else if (m_line.enabled() && !points.empty()) {
            const TracePoint &last = points.back();
            std::string text = progressText(last, stages, fOpt());
            const double elapsed = std::chrono::duration<double>(Clock::now() - begin).count();
            if (stages > 0 && last.stage > m_firstStage)
                text += "  ETA "
                    + durationText(elapsed * static_cast<double>(stages - last.stage)
                                   / static_cast<double>(last.stage - m_firstStage));
            m_line.show(text, news);
        }
    }

    std::optional<Optimum> optimum() const { return m_optimum ? m_optimum->result() : std::nullopt; }
    std::optional<double> fOpt() const { return m_optimum ? m_optimum->value() : std::nullopt; }

    /// An older session of that name stays until there is something to put in its place.
    std::optional<Error> reserveSession()
    {
        const std::string &path = m_options.session;
        std::error_code ignored;
        if (path.empty())
            return std::nullopt;
        if (!std::filesystem::exists(path, ignored))
            return save(Replace::Sessions);
        if (std::filesystem::is_regular_file(path, ignored))
            if (const auto present = readSession(path); !present)
                return Error{Error::Kind::Io,
                             "Nothing was saved: " + present.error().message + " Choose another name."};
        return whyNotWritable(path);
    }

    std::optional<Error> save(Replace replace)
    {
        std::error_code ignored;
        if (m_options.session.empty()
            || (m_run->trace().points.empty() && std::filesystem::exists(m_options.session, ignored)))
            return std::nullopt;
        if (fOpt()) {
            m_session.fOpt = fOpt();
            m_session.fOptFloor = optimum()->floor;
        }
        m_session.runs[m_index] = savedRun(*m_run, m_options.name);
        return writeSession(m_options.session, m_session, replace);
    }

    /// All that can be written is, even if one of the files cannot. Files come first: who reads the standard output may
    /// leave early, which ends the program.
    std::vector<Error> write()
    {
        std::vector<Error> errors;
        std::string toStandardOutput;
        const bool measured = !m_run->trace().points.empty();
        const auto keep = [&errors](const std::optional<Error> &error) {
            if (error)
                errors.push_back(*error);
        };
        const auto put = [&](const std::string &path, const std::string &text) {
            std::error_code ignored;
            if (path == "-")
                toStandardOutput = text;
            else if (measured || !std::filesystem::is_regular_file(path, ignored)) // an older result stays, else
                keep(writeAtomically(path, text));
        };
        keep(save(Replace::Anything));
        if (!m_options.trace.empty())
            put(m_options.trace, traceCsv(m_run->trace(), m_run->spec(), m_run->problem().n(), fOpt()));
        if (!m_options.weights.empty()) {
            Vector x;
            m_run->point(x);
            std::string text;
            for (const double value : x)
                text += exactNumber(value) + "\n";
            put(m_options.weights, text);
        }
        std::fputs(toStandardOutput.c_str(), stdout);
        return errors;
    }

    RunOptions m_options; ///< with what a session says in the place of what was not given
    std::vector<PlannedChange> m_changes;
    std::size_t m_next = 0;
    std::size_t m_reported = 0; ///< points of the trace
    bool m_saveFailed = false;
    Session m_session;
    std::size_t m_index = 0; ///< of the run in the session
    Index m_firstStage = 0;  ///< the one it began or went on with
    MeasureThread m_measurer;
    std::unique_ptr<Run> m_run;
    std::unique_ptr<BackgroundOptimum> m_optimum;
    ProgressLine m_line{!m_options.quiet && ProgressLine::onTerminal()};
    RunGoals m_goals{m_options, [this](const std::string &sentence) { // however quiet it is to be
                         m_line.clear();
                         std::fprintf(stderr, "appa-lab: %s\n", sentence.c_str());
                     }};
};

/// What a run that goes on has already.
bool sessionSays(const CLI::Option &option)
{
    static const std::set<std::string> ofTheRun = {"--method", "--inner", "--lambda", "--set", "--seed", "--measures"};
    return option.get_group() == ProblemOptions::group || ofTheRun.contains(option.get_name());
}

} // namespace

void addRunCommand(CLI::App &app, Action &chosen)
{
    CLI::App *sub = app.add_subcommand("run", "Run a method on a problem");
    const auto options = std::make_shared<RunOptions>();
    options->addTo(*sub);
    sub->callback([&chosen, sub, options] {
        options->stagesGiven = sub->count("--stages") > 0;
        options->stopGiven = options->stagesGiven || options->stop != StopRules{};
        // Who says when it is to end does not mean the default.
        if (!options->stagesGiven && options->stopGiven)
            options->stop.stages = 0;
        if (!options->resume.empty()) {
            for (const CLI::Option *option : sub->get_options())
                if (option->count() > 0 && sessionSays(*option))
                    throw CLI::ValidationError(option->get_name()
                                               + " is what the session of --resume says: leave it out.");
            if (options->session.empty())
                options->session = options->resume;
        }
        for (const char *option : {"--save-every", "--name"})
            if (sub->count(option) > 0 && options->session.empty())
                throw CLI::RequiresError(option, "--session");
        chosen = [options] { return Job(*options).execute(); };
    });
}

} // namespace appa::cli
