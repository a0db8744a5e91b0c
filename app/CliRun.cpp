// appa-lab run: one run from start to end, with planned changes, measured beside the solver.

#include "BackgroundOptimum.h"
#include "Cli.h"
#include "RunChanges.h"
#include "RunFiles.h"
#include "RunGoals.h"
#include "RunOptions.h"
#include "RunReport.h"
#include "RunResume.h"
#include "Terminal.h"

#include "methods/DefaultMethod.h"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <chrono>
#include <cstdio>
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
        const std::vector<Error> unwritten = m_files.write(*m_run, m_optimum.get());
        if (m_options.json)
            std::fputs(
                summaryJson(*m_run, {m_files.session.data, m_files.session.loss, m_files.session.ridge}, optimum())
                    .c_str(),
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
        m_changes = RunChanges(std::move(changes).value());
        if (m_options.stop == StopRules{.stages = 0})
            std::fprintf(stderr,
                         "appa-lab: nothing ends this run but Ctrl-C; --stages, --passes, --seconds, --excess or "
                         "--gap would.\n");

        if (auto error = m_files.check())
            return error;
        if (!m_options.quiet && ProgressLine::onTerminal()) {
            for (const ProvenanceStep &step : m_files.session.provenance)
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
        return m_files.begin(*m_run);
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
        Session &session = m_files.session;
        session.data = recipe.value();
        session.dataName = data.value()->name;
        session.dataHash = data.value()->hash;
        session.rows = data.value()->train.rows();
        session.columns = data.value()->train.cols();
        session.provenance = data.value()->provenance;
        session.loss = infoOf(problem.value()->loss()).id;
        session.ridge = m_options.problem.ridge;
        session.runs.resize(1);
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
        m_files.session = std::move(resumed.value().session);
        m_files.index = resumed.value().index;
        m_run = std::move(resumed.value().run);
        m_options.stop = m_run->stopRules();
        m_options.name = m_files.session.runs[m_files.index].name;
        m_firstStage = m_run->stage();
        m_reported = m_run->trace().points.size();
        return sparesData(m_files.session.data);
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
        if (const auto error = m_changes.apply(*m_run))
            return error;
        while (!interrupted()) {
            const Index before = m_run->stage();
            Slice slice(Clock::now() + std::chrono::milliseconds(8), m_changes.ticksToNext(*m_run));
            if (!m_run->advance(slice)) {
                report(begin);
                return m_changes.unreached(*m_run);
            }
            if (m_run->waiting())
                m_run->wait(Clock::now() + std::chrono::milliseconds(20));
            if (m_run->stage() != before || m_changes.ticksToNext(*m_run) == 0) {
                if (const auto error = m_changes.apply(*m_run))
                    return error;
            }
            report(begin);
            if (std::chrono::duration<double>(Clock::now() - saved).count() >= m_options.saveEvery) {
                saved = Clock::now();
                // A disk that is full now need not be at the end: the work goes on, and is written then.
                if (const auto error = m_files.save(*m_run, m_optimum.get(), Replace::Anything);
                    error && !m_saveFailed) {
                    m_saveFailed = true;
                    m_line.clear();
                    std::fprintf(stderr, "appa-lab: %s The run goes on; it is saved again later.\n",
                                 error->message.c_str());
                }
            }
        }
        m_run->pause();
        settle(*m_run);
        report(begin);
        return std::nullopt;
    }

    /// What has been measured, with the stage it was measured at; the solver may be a stage ahead of it.
    void report(Clock::time_point begin)
    {
        const std::vector<TracePoint> &points = m_run->trace().points;
        const bool news = points.size() != m_reported;
        if (news)
            m_goals.look(*m_run, fOpt(), m_changes.anyLeft(), m_changes.lastStage(m_firstStage));
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

    void tell(const std::string &sentence) // however quiet it is to be
    {
        m_line.clear();
        std::fprintf(stderr, "appa-lab: %s\n", sentence.c_str());
    }
    std::optional<Optimum> optimum() const { return m_optimum ? m_optimum->result() : std::nullopt; }
    std::optional<double> fOpt() const { return m_optimum ? m_optimum->value() : std::nullopt; }

    RunOptions m_options; ///< with what a session says in the place of what was not given
    RunChanges m_changes;
    RunFiles m_files{m_options, [this](const std::string &sentence) { tell(sentence); }};
    std::size_t m_reported = 0; ///< points of the trace
    bool m_saveFailed = false;
    Index m_firstStage = 0; ///< the one it began or went on with
    MeasureThread m_measurer;
    std::unique_ptr<Run> m_run;
    std::unique_ptr<BackgroundOptimum> m_optimum;
    ProgressLine m_line{!m_options.quiet && ProgressLine::onTerminal()};
    RunGoals m_goals{m_options, [this](const std::string &sentence) { tell(sentence); }};
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
        for (std::string *path : {&options->trace, &options->weights})
            if (isStandardOutput(*path))
                *path = "-";
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
