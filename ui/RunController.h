#pragma once

#include "Level.h"
#include "problem/ProblemLoader.h"
#include "problem/Reference.h"
#include "runs/RunModel.h"

#include <QElapsedTimer>
#include <QObject>
#include <QTimer>

#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <span>

namespace appa::ui {

/// Parameters of a run that belong to no method: the seed, and when to stop.
const std::vector<ParamSpec> &runParams();

/// The only bridge between the Runner and the window. Commands go straight into the Runner's inbox; a timer takes the
/// outbox and feeds the model. It never waits for anything.
class RunController final : public QObject
{
    Q_OBJECT
public:
    explicit RunController(QObject *parent = nullptr, int threads = 0);
    ~RunController() override;

    RunModel &model() { return m_model; }
    const RunModel &model() const { return m_model; }

    // --- the problem -------------------------------------------------------------------------------------------------
    const ProblemStatePtr &problem() const { return m_problem; }           ///< null before the first one is there
    void setProblem(const ProblemSpec &spec, LossIs loss = LossIs::AWish); ///< in the background
    void adoptProblem(const ProblemStatePtr &problem);                     ///< one that is already made
    void showProblem(const ProblemStatePtr &problem);                      ///< back to one that was adopted before
    void cancelLoading();
    bool isLoading() const { return m_loader.busy(); }
    Reference &reference() { return m_reference; }
    ProblemLoader &loader() { return m_loader; }

    // --- runs --------------------------------------------------------------------------------------------------------
    /// A new run on the current problem, Ready. 0 if there is no problem yet.
    RunId create(RunSpec spec, const StopRules &stop = {});
    /// A run from a session: with its trace, and a Run to go on with if its data is there.
    RunId restore(RunRecord record, std::unique_ptr<Run> run);
    void resume(RunId id); ///< goes on; a finished run for as many stages again
    void pause(RunId id);
    void toggle(RunId id);
    void stepStage(RunId id);
    void stepBack(RunId id);
    void stepBackTo(RunId id, Index stage);
    void stop(RunId id);
    void pauseAll();
    RunId
    restart(RunId id); ///< afresh, with the parameters that waited for it; the old course can be had back by `undo`
    RunId fork(RunId id, std::optional<Index> stage = std::nullopt); ///< starts paused
    void change(RunId id, const QString &key, const ParamValue &value);
    void switchMethod(RunId id, const std::string &method, const std::string &inner);
    void setStagesPerSecond(double rate); ///< 0: as fast as it goes
    double stagesPerSecond() const { return m_rate; }
    /// As one deletion. Runs that never began are gone for good; how many of the others `undo` brings back.
    int remove(std::span<const RunId> ids);
    int remove(RunId id) { return remove({&id, 1}); }
    bool canUndo() const { return !m_removed.empty(); }
    /// The last deletion, all of it; the first of the runs that came back. What came of a restart
    /// goes, unless it was gone on with; it is the last that undo brings back.
    RunId undo();
    bool canGoOn(RunId id) const; ///< the Runner has it, or soon will

    /// As the user set them, "auto" included: what the run started with, and the changes since.
    static ParamSet wanted(const RunRecord &run);
    /// The factor per pass that theory promises for the run's method now.
    static std::optional<double> theoryRate(const RunRecord &run);
    /// On what that rests beyond the parameters, for the line's label and the panel; empty: on nothing.
    static QString theoryCondition(const RunRecord &run);

signals:
    void problemChanged();
    void loadProgressed(double fraction, const QString &what);
    void loadingChanged(bool loading);
    void loadFailed(const QString &sentence);
    void loadingCancelled(); ///< whoever did it; what was there before is what is in effect
    void referenceProgressed(double fraction, const QString &what);
    void referenceChanged(); ///< optimum, constants or floors of some problem
    void runUpdated(int id); ///< anything about it
    void tookOutbox();       ///< a frame's worth of updates is in the model: what shows them may draw
    void undoChanged();
    void said(appa::ui::Level level, int runId, const QString &sentence);   ///< for the message bar
    void logged(appa::ui::Level level, int runId, const QString &sentence); ///< for the log

private:
    /// The making of a run that has not begun, and what is to happen to it then. It is made anew with each change, also
    /// after it was told to run: what is asked of it holds until it has begun.
    struct Build
    {
        std::unique_ptr<Background> work;
        bool resume = false;
        bool step = false;
    };
    struct Removed
    {
        RunRecord run;
        int row = 0;
        int batch = 0;        ///< of one deletion
        RunId replacedBy = 0; ///< a restart, of which nothing was made yet: undo takes this one away again
    };

    void take();
    int putAside(std::span<const RunId> ids); ///< out of the table, for `undo`
    /// The one that is here already, made of the same numbers in the same way: new runs stand beside its own. Null if
    /// there is none; a file that has changed since is another problem.
    ProblemStatePtr knownAs(const ProblemState &problem) const;
    void hold(RunId id);
    void wake();
    void prepare(RunId id); ///< (re)makes the Run of a run that has not begun, in the background
    struct Before           ///< an update
    {
        RunStatus status = RunStatus::Ready;
        bool started = false;
        std::size_t events = 0; ///< that are still there
    };
    void note(const RunRecord &run, const RunUpdate &update, const Before &before);
    void introduce(const RunRecord &run); ///< tells its engine, new or back again, what all of them know
    void dismiss(RunId id);               ///< for good
    void claim(RunId id); ///< the user goes on with it: undoing the restart it came from leaves it where it is
    bool isBeingMade(RunId id) const;
    RunId engineOf(RunId id) const;

    RunModel m_model;
    ProblemLoader m_loader;
    Reference m_reference;
    ProblemStatePtr m_problem;
    std::unique_ptr<Runner> m_runner;
    std::map<RunId, Build> m_builds;
    std::deque<Removed> m_removed;
    QTimer m_timer;
    QElapsedTimer m_sinceCommand;
    double m_rate = 0;
    int m_named = 0;
    RunId m_nextEngine = 1;
};

} // namespace appa::ui
