#include "views/StageFeed.h"

#include <QEvent>

#include <algorithm>

namespace appa::ui {

namespace {

/// Why there may be nothing to draw, by what the run's method is and does now.
StageNotes notesFor(const RunRecord &run)
{
    const MethodInfo *info = findMethod(run.method);
    const bool proximal = info && info->lambda == LambdaMeaning::ProximalWeight;
    const bool reported = std::ranges::any_of(run.stages, &StageRow::reported);
    const QString unkept = StageFeed::tr("A session does not keep it: it is known of the stages still to come");
    StageNotes notes;
    if (!proximal) {
        notes.movement = StageFeed::tr("%1 has no centre that moves: its stages are only passes over the data")
                             .arg(methodLabel(run.method));
        notes.accuracy =
            StageFeed::tr("%1 solves no subproblems: no accuracy is asked for").arg(methodLabel(run.method));
    } else if (!reported) {
        notes.movement = notes.accuracy = unkept;
    } else {
        notes.movement = StageFeed::tr("One stage so far: the centre has not moved yet");
        notes.accuracy = StageFeed::tr("No accuracy was asked for: the stage rule “certified” does");
    }
    const InnerInfo *inner = findInner(run.inner);
    const bool dual = info && (info->family == MethodFamily::DualCoordinate || (proximal && inner && inner->hasDual));
    notes.gap = dual ? StageFeed::tr("No gap was measured yet")
                     : StageFeed::tr("%1 keeps no dual point, so there is no duality gap")
                           .arg(proximal ? innerLabel(run.inner) : methodLabel(run.method));
    return notes;
}

/// After which stages λ came to mean something else.
std::vector<Index> switchesOf(const RunRecord &run)
{
    const auto meaning = [](const ParamValue &id) {
        const auto *name = std::get_if<std::string>(&id);
        return name ? lambdaMeaning(*name) : LambdaMeaning::Unused;
    };
    std::vector<Index> stages;
    for (const RunEvent &event : run.trace.events)
        if (event.kind == RunEvent::Kind::Method && meaning(event.from) != meaning(event.to))
            stages.push_back(event.stage);
    return stages;
}

} // namespace

StageFeed::StageFeed(RunController &controller, StageView &stages, LandscapeView &landscape, QObject *parent)
    : QObject(parent), m_controller(controller), m_stages(stages), m_landscape(landscape)
{
    stages.installEventFilter(this);
    connect(&controller, &RunController::runUpdated, this, [this](int id) {
        const RunRecord *run = m_controller.model().find(id);
        if (!run)
            return;
        if (id == m_current)
            refreshStages();
        if (shows(*run))
            refreshPath(*run);
    });
    connect(&controller.model(), &RunModel::edited, this, [this](int id) {
        m_shown = {}; // all is drawn afresh, with the new name
        refreshStages();
        m_pathLength.remove(id);
        if (const RunRecord *run = m_controller.model().find(id); run && shows(*run))
            refreshPath(*run);
    });
    connect(&controller, &RunController::referenceChanged, this, [this] {
        if (m_planar && m_problem->optimum && m_problem->optimum->x.size() == 2)
            m_landscape.setOptimum(QPointF(m_problem->optimum->x[0], m_problem->optimum->x[1]),
                                   m_problem->optimum->value);
    });
    connect(&controller.model(), &QAbstractItemModel::rowsAboutToBeRemoved, this,
            [this](const QModelIndex &, int first, int last) {
                for (int row = first; row <= last; ++row) {
                    const RunId id = m_controller.model().runs()[static_cast<std::size_t>(row)]->id;
                    m_landscape.removePath(id);
                    m_pathLength.remove(id);
                }
            });
    connect(&landscape, &LandscapeView::visibilityChanged, &controller.model(),
            [&model = controller.model()](int id, bool visible) {
                if (const RunRecord *run = model.find(id); run && run->visible != visible)
                    model.setVisible(id, visible);
            });
    connect(&controller.model(), &RunModel::visibilityChanged, this, [this] {
        for (const auto &run : m_controller.model().runs())
            if (shows(*run))
                m_landscape.setPathVisible(run->id, run->visible);
    });
}

void StageFeed::setTheme(const Theme &theme)
{
    m_theme = theme;
    m_stages.setTheme(theme);
    m_landscape.setTheme(theme);
    m_shown = {};
    refreshStages();
    m_pathLength.clear();
    for (const auto &run : m_controller.model().runs())
        if (shows(*run))
            refreshPath(*run);
}

void StageFeed::setCurrentRun(RunId id)
{
    m_current = id;
    refreshStages();
    refreshProblem();
    m_landscape.setCurrentRun(id);
}

void StageFeed::refreshStages()
{
    if (!m_stages.isVisible())
        return;
    const RunRecord *run = m_controller.model().find(m_current);
    if (!run) {
        m_stages.setRun({}, {});
        m_stages.setStages({});
        m_shown = {};
        return;
    }
    const Shown now{run->id,
                    run->stages.size(),
                    std::ranges::count_if(run->stages, [](const StageRow &row) { return row.gap.has_value(); }),
                    run->takenBack,
                    run->stop.stages,
                    run->method,
                    run->inner};
    if (m_shown == now)
        return;
    m_stages.setRun(run->name, m_theme.series(run->colour), notesFor(*run), run->stop.stages);
    m_stages.setStages(run->stages, switchesOf(*run));
    m_shown = now;
}

bool StageFeed::eventFilter(QObject *watched, QEvent *event)
{
    if (watched == &m_stages && event->type() == QEvent::Show)
        refreshStages();
    return QObject::eventFilter(watched, event);
}

void StageFeed::refreshProblem()
{
    const RunRecord *run = m_controller.model().find(m_current);
    const ProblemStatePtr problem = run ? run->problem : m_controller.problem();
    if (problem == m_problem)
        return;
    m_problem = problem;
    m_pathLength.clear();
    m_landscape.clearPaths();
    m_planar = problem && problem->problem && problem->problem->dim() == 2;
    if (m_planar) {
        m_landscape.setFunction(
            [p = problem->problem](double x, double y) {
                return p->objective(Vector{{x, y}});
            },
            problem->optimum ? std::optional(problem->optimum->value) : std::nullopt);
        const bool weights = problem->problem->data().kind != TargetKind::Classes; // else a weight for each class
        const auto isAffine = [](const Transform &t) { return t.kind == Transform::Kind::Affine; };
        const bool intercept = std::ranges::any_of(problem->spec.recipe.transforms, isAffine);
        const auto weightOf = [&](Index j) {
            return tr("the weight of %1").arg(QString::fromStdString(problem->problem->data().columnName(j)));
        };
        m_landscape.setAxisNames(weights ? tr("x₁, %1").arg(weightOf(0)) : QStringLiteral("x₁"),
                                 !weights        ? QStringLiteral("x₂")
                                     : intercept ? tr("x₂, the intercept")
                                                 : tr("x₂, %1").arg(weightOf(1)));
        if (problem->optimum && problem->optimum->x.size() == 2)
            m_landscape.setOptimum(QPointF(problem->optimum->x[0], problem->optimum->x[1]), problem->optimum->value);
        for (const auto &other : m_controller.model().runs())
            if (shows(*other))
                refreshPath(*other);
    } else {
        m_landscape.setFunction({});
    }
    emit landscapeChanged(m_planar);
}

void StageFeed::refreshPath(const RunRecord &run)
{
    const double lambda = run.effective.real("lambda");
    const PathLength length{run.path.size(), run.centres.size(), run.ends.size(), run.takenBack, lambda};
    const auto known = m_pathLength.constFind(run.id);
    const PathLength shown = known == m_pathLength.constEnd() ? PathLength{} : *known;
    if (known == m_pathLength.constEnd() || length.takenBack != shown.takenBack)
        m_landscape.setPath({.runId = run.id,
                             .name = run.name,
                             .colour = m_theme.series(run.colour),
                             .visible = run.visible,
                             .iterates = run.path,
                             .centres = run.centres,
                             .lambda = lambda,
                             .stageEnds = run.ends});
    else if (length != shown)
        m_landscape.appendPath(run.id, std::span(run.path).subspan(shown.iterates),
                               std::span(run.centres).subspan(shown.centres), lambda,
                               std::span(run.ends).subspan(shown.ends));
    m_pathLength[run.id] = length;
}

} // namespace appa::ui
