#pragma once

#include "problem/Optimum.h"
#include "run/Sweep.h"
#include "run/SweepSummary.h"

#include <QObject>
#include <QTimer>

#include <map>
#include <memory>
#include <optional>

namespace appa::ui {

/// A study in the window: executes it, takes its results over on a timer, and knows the problem it is about.
/// Results, pausing and cancelling never wait for the workers. Another study in its place does, until they have left
/// the step they are in.
class SweepController final : public QObject
{
    Q_OBJECT
public:
    explicit SweepController(QObject *parent = nullptr);
    ~SweepController() override;

    /// The problem new studies are about, and the command line's options for it. A study under way goes on with its
    /// own.
    void setProblem(const ProblemPtr &problem, const QString &options = {});
    const QString &problemOptions() const { return m_problemOptions; }
    const ProblemPtr &problem() const { return m_problem; }
    /// Of the current problem, when it is known; an F_opt that is not known leaves the objective itself to be shown.
    void setOptimum(const std::optional<Optimum> &optimum);
    void setFloors(const std::map<double, double> &floors); ///< lambda -> ls(lambda) of the current problem

    /// Where studies are kept; each gets a folder of its own. "": nothing is written.
    void setStudiesFolder(const QString &folder) { m_studies = folder; }
    static QString defaultStudiesFolder();
    QString folder() const { return m_folder; } ///< of this study, "" if it has none

    /// "" or why not. A study that is under way is given up; what it has stays in its folder.
    QString start(const SweepPlan &plan, int jobs);
    /// Shows a study from its folder. It can be continued if the current problem is its own.
    QString open(const QString &folder);
    /// Goes on with a study that was cancelled, opened incomplete, or failed to write.
    QString continueStudy(int jobs);
    bool canContinue() const;
    void pause();
    void resume();
    void cancel();

    bool isActive() const; ///< running or paused
    SweepState state() const { return m_progress.state; }
    const SweepProgress &progress() const { return m_progress; }
    const SweepTable &table() const { return m_table; }
    SweepTable &table() { return m_table; }
    bool hasStudy() const { return m_table.plan().size() > 0; }
    /// Whether the study is about the problem now in the window: only then its runs can be opened.
    bool isOfCurrentProblem() const;
    /// Takes over what is finished, now (the timer does it otherwise).
    void poll();

signals:
    void studyChanged(); ///< another one, or another F_opt
    void resultAdded(const appa::SweepResult &result);
    void progressed();
    void stateChanged();
    void failed(const QString &sentence);

private:
    void show(SweepTable table);
    QString launch(const SweepPlan &plan, int jobs, const QString &folder, SweepFolder::Mode mode);
    SweepContext currentContext() const;
    QString newFolder() const;

    ProblemPtr m_problem;
    QString m_problemOptions;
    std::optional<Optimum> m_optimum;
    std::map<double, double> m_floors;
    QString m_studies;
    QString m_folder;
    SweepTable m_table;
    SweepProgress m_progress;
    std::shared_ptr<SweepFolder> m_disk;
    std::unique_ptr<Sweep> m_sweep;
    QTimer m_timer;
};

} // namespace appa::ui
