#pragma once

#include "RunController.h"
#include "charts/CurvesView.h"
#include "theme/Theme.h"

#include <QObject>

namespace appa::ui {

/// Keeps the charts in step with the model: what is new is handed over, nothing is copied twice. The charts show the
/// runs of one problem at a time (one F_opt): the problem of the current run.
class CurvesFeed final : public QObject
{
    Q_OBJECT
public:
    CurvesFeed(RunController &controller, CurvesView &view, QObject *parent = nullptr);

    void setTheme(const Theme &theme);
    void setCurrentRun(RunId id);
    void setTheoryShown(bool shown);
    void setFloorsShown(bool shown);
    /// What an empty chart says instead of how to run; "": that.
    void setCall(const QString &call);
    bool theoryShown() const { return m_theory; }
    bool floorsShown() const { return m_floors; }
    const ProblemStatePtr &shownProblem() const { return m_problem; }

private:
    bool shows(const RunRecord &run) const { return run.problem == m_problem; }
    Curve curveOf(const RunRecord &run) const;
    void rebuild();
    void refreshReference();
    void refreshTheory();
    QString nameOf(const RunRecord &run) const;
    void updateLook(const RunRecord &run);
    void refreshNames();
    void wantFloors();
    void refreshEmptyNote();

    RunController &m_controller;
    CurvesView &m_view;
    Theme m_colours = Theme::light();
    ProblemStatePtr m_problem;
    RunId m_current = 0;
    bool m_severalMethods = false; ///< are there, so that they are named
    QString m_call;
    bool m_theory = true;
    bool m_floors = true;
    QTimer m_floorPause;
};

} // namespace appa::ui
