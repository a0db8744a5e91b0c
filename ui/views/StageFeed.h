#pragma once

#include "RunController.h"
#include "charts/LandscapeView.h"
#include "charts/StageView.h"

#include <QHash>
#include <QObject>

namespace appa::ui {

/// Keeps the stage anatomy and the landscape in step with the model.
class StageFeed final : public QObject
{
    Q_OBJECT
public:
    StageFeed(RunController &controller, StageView &stages, LandscapeView &landscape, QObject *parent = nullptr);

    void setTheme(const Theme &theme);
    void setCurrentRun(RunId id);
    bool hasLandscape() const { return m_planar; }
    bool eventFilter(QObject *watched, QEvent *event) override;

signals:
    void landscapeChanged(bool there); ///< the problem shown has two features, or no longer

private:
    void refreshStages(); ///< once they are seen
    void refreshProblem();
    void refreshPath(const RunRecord &run);
    bool shows(const RunRecord &run) const { return m_planar && run.problem == m_problem; }

    RunController &m_controller;
    StageView &m_stages;
    LandscapeView &m_landscape;
    Theme m_theme = Theme::light();
    RunId m_current = 0;
    ProblemStatePtr m_problem;
    bool m_planar = false;
    struct Shown ///< of the stages
    {
        RunId run = 0;
        std::size_t stages = 0;
        std::ptrdiff_t gaps = 0;
        std::size_t takenBack = 0;
        Index planned = 0;
        std::string method;
        std::string inner;
        bool operator==(const Shown &) const = default;
    };
    Shown m_shown;
    struct PathLength
    {
        std::size_t iterates = 0;
        std::size_t centres = 0;
        std::size_t ends = 0;
        std::size_t takenBack = 0;
        double lambda = 0; ///< how far the stage reaches
        bool operator==(const PathLength &) const = default;
    };
    QHash<RunId, PathLength> m_pathLength; ///< as it is drawn
};

} // namespace appa::ui
