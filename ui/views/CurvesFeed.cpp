#include "views/CurvesFeed.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

namespace appa::ui {

namespace {

constexpr std::size_t mostFloors = 6;

/// The changes of a fork's past are marked once, at its parent.
std::size_t sharedEvents(const RunRecord &run)
{
    return std::min(run.sharedEvents, run.trace.events.size());
}

/// Whether λ regularizes F: minimized with it, F has the floor ls(λ). A step size has none.
bool lambdaHasFloor(const RunRecord &run)
{
    const MethodInfo *info = findMethod(run.method);
    return info && (info->lambda == LambdaMeaning::ProximalWeight || info->lambda == LambdaMeaning::RidgeWeight);
}

} // namespace

CurvesFeed::CurvesFeed(RunController &controller, CurvesView &view, QObject *parent)
    : QObject(parent), m_controller(controller), m_view(view)
{
    RunModel &model = controller.model();
    m_floorPause.setSingleShot(true);
    m_floorPause.setInterval(400);
    connect(&m_floorPause, &QTimer::timeout, this, &CurvesFeed::wantFloors);
    connect(&model, &RunModel::traceChanged, this, [this](int id, std::size_t keepPoints, std::size_t keepEvents) {
        const RunRecord *run = m_controller.model().find(id);
        if (!run || !shows(*run))
            return;
        const auto &points = run->trace.points;
        const auto &events = run->trace.events;
        const std::size_t shared = sharedEvents(*run);
        const std::size_t from = std::max(keepEvents, shared);
        m_view.updateCurve(id, run->status, keepPoints, std::span(points).subspan(keepPoints), from - shared,
                           std::span(events).subspan(std::min(from, events.size())));
    });
    connect(&controller, &RunController::runUpdated, this, [this](int id) {
        const RunRecord *run = m_controller.model().find(id);
        if (!run || !shows(*run))
            return;
        m_view.updateCurve(id, run->status, run->trace.points.size(), {}, run->trace.events.size() - sharedEvents(*run),
                           {});
        m_view.setPlannedStages(id, static_cast<double>(run->stop.stages));
        updateLook(*run); // its method, which a switch or the way back changes, is in its name and in its dash
        refreshNames();
        if (id == m_current)
            refreshTheory();
        if (!m_floorPause.isActive())
            m_floorPause.start();
    });
    // The curves are drawn with the figures beside them: one frame, not two.
    connect(&controller, &RunController::tookOutbox, &view, &CurvesView::flush);
    connect(&model, &QAbstractItemModel::rowsInserted, this, [this](const QModelIndex &, int first) {
        // With those after it, anew: the legend has the order of the table, also of what came back.
        const auto &runs = m_controller.model().runs();
        for (auto row = static_cast<std::size_t>(first); row < runs.size(); ++row) {
            if (!shows(*runs[row]))
                continue;
            m_view.removeCurve(runs[row]->id);
            m_view.setCurve(curveOf(*runs[row]));
        }
        refreshNames();
    });
    connect(&model, &QAbstractItemModel::rowsRemoved, this, [this] {
        refreshNames();
        refreshReference(); // the floor of a λ that no run has any more goes with the run
    });
    connect(&model, &QAbstractItemModel::rowsAboutToBeRemoved, this, [this](const QModelIndex &, int first, int last) {
        for (int row = first; row <= last; ++row)
            m_view.removeCurve(m_controller.model().runs()[static_cast<std::size_t>(row)]->id);
    });
    connect(&model, &RunModel::edited, this, [this](int id) {
        if (const RunRecord *run = m_controller.model().find(id); run && shows(*run))
            updateLook(*run);
    });
    connect(&model, &RunModel::visibilityChanged, this, [this] {
        for (const auto &run : m_controller.model().runs())
            if (shows(*run))
                m_view.setCurveVisible(run->id, run->visible);
        m_floorPause.start();
    });
    connect(&view, &CurvesView::visibilityChanged, &model, [&model](int id, bool visible) {
        if (const RunRecord *run = model.find(id); run && run->visible != visible)
            model.setVisible(id, visible);
    });
    connect(&controller, &RunController::referenceChanged, this, &CurvesFeed::refreshReference);
    connect(&controller, &RunController::referenceProgressed, this, [this](double fraction, const QString &) {
        if (m_problem && m_problem == m_controller.reference().solved())
            m_view.setOptimumNote(tr("F_opt %1 %").arg(qRound(100 * fraction)));
    });
    connect(&controller, &RunController::loadingChanged, this, &CurvesFeed::refreshEmptyNote);
    refreshEmptyNote();
    connect(&controller, &RunController::problemChanged, this, [this] {
        refreshEmptyNote();
        const RunRecord *run = m_controller.model().find(m_current);
        if (!run || run->problem != m_problem) {
            m_problem = run ? run->problem : m_controller.problem();
            rebuild();
        }
    });
}

Curve CurvesFeed::curveOf(const RunRecord &run) const
{
    return {
        .runId = run.id,
        .name = nameOf(run),
        .colour = m_colours.series(run.colour),
        .family = familyOf(run.method),
        .switches = familySwitches(run.trace),
        .status = run.status,
        .rows = static_cast<double>(run.n()),
        .plannedStages = static_cast<double>(run.stop.stages),
        .visible = run.visible,
        .points = run.trace.points,
        .events = {run.trace.events.begin() + static_cast<std::ptrdiff_t>(sharedEvents(run)), run.trace.events.end()}};
}

void CurvesFeed::setTheme(const Theme &theme)
{
    m_colours = theme;
    m_view.setTheme(theme);
    for (const auto &run : m_controller.model().runs())
        if (shows(*run))
            updateLook(*run);
    refreshReference();
}

QString CurvesFeed::nameOf(const RunRecord &run) const
{
    return m_severalMethods ? shownName(run) : run.name;
}

void CurvesFeed::refreshNames()
{
    const RunRecord *first = nullptr;
    bool several = false;
    for (const auto &run : m_controller.model().runs())
        if (shows(*run)) {
            several = several || (first && run->method != first->method);
            first = run.get();
        }
    if (std::exchange(m_severalMethods, several) != several)
        for (const auto &run : m_controller.model().runs())
            if (shows(*run))
                updateLook(*run);
}

void CurvesFeed::updateLook(const RunRecord &run)
{
    m_view.setCurveLook(run.id, nameOf(run), m_colours.series(run.colour), familyOf(run.method),
                        familySwitches(run.trace));
}

void CurvesFeed::setCurrentRun(RunId id)
{
    m_current = id;
    const RunRecord *run = m_controller.model().find(id);
    const ProblemStatePtr &problem = run ? run->problem : m_controller.problem();
    if (problem != m_problem) {
        m_problem = problem;
        rebuild();
    }
    m_view.setCurrentRun(id > 0 ? id : -1);
    refreshTheory();
}

void CurvesFeed::rebuild()
{
    CurvesData data;
    data.options = m_view.options();
    data.emptyNote = m_view.data().emptyNote;
    for (const auto &run : m_controller.model().runs())
        if (shows(*run))
            data.curves.push_back(curveOf(*run));
    m_view.setData(std::move(data));
    refreshNames();
    m_view.setCurrentRun(m_current > 0 ? m_current : -1);
    refreshReference();
    m_floorPause.start();
}

void CurvesFeed::refreshReference()
{
    if (!m_problem)
        return;
    if (m_problem->optimum) {
        m_view.setOptimum(OptimumLine{.value = m_problem->optimum->value,
                                      .floor = m_problem->optimum->floor,
                                      .known = m_problem->optimum->known,
                                      .certificate = m_problem->optimum->certificate,
                                      .attained = m_problem->optimum->attained});
        m_view.setOptimumNote(m_problem->optimum->known ? QString() : tr("no optimum: the infimum is not attained"));
    } else {
        m_view.setOptimum(std::nullopt);
        m_view.setOptimumNote(m_problem->optimumNote);
    }
    std::vector<FloorLine> floors;
    if (m_floors && m_problem->optimum && m_problem->optimum->known) {
        std::set<double> seen;
        for (const auto &run : m_controller.model().runs()) {
            const double lambda = run->effective.real("lambda");
            const auto at = m_problem->floors.find(lambda);
            if (!run->visible || !shows(*run) || !lambdaHasFloor(*run) || at == m_problem->floors.end()
                || !seen.insert(lambda).second || floors.size() >= mostFloors)
                continue;
            floors.push_back({.lambda = lambda, .value = at->second, .colour = {}, .label = {}});
        }
    }
    m_view.setFloors(std::move(floors));
    refreshTheory();
}

void CurvesFeed::wantFloors()
{
    if (!m_floors || !m_problem || !m_problem->optimum || !m_problem->optimum->known)
        return;
    std::vector<double> lambdas;
    for (const auto &run : m_controller.model().runs()) {
        const double lambda = run->effective.real("lambda");
        if (run->visible && shows(*run) && lambda > 0 && lambdaHasFloor(*run) && lambdas.size() < mostFloors)
            lambdas.push_back(lambda);
    }
    m_controller.reference().wantFloors(Reference::FloorsOf::Curves, m_problem, lambdas);
    refreshReference();
}

void CurvesFeed::refreshTheory()
{
    const RunRecord *run = m_controller.model().find(m_current);
    std::optional<TheoryLine> line;
    // A method that minimizes F + (λ/2)|x|² gains at its rate there, not on F.
    const MethodInfo *info = run ? findMethod(run->method) : nullptr;
    const bool onF = info && info->lambda != LambdaMeaning::RidgeWeight;
    if (m_theory && onF && run->visible && !run->trace.points.empty()) {
        // From where the present settings began: the last change, or the beginning.
        const auto points = pointsSinceLastChange(run->trace);
        const std::optional<double> rate = RunController::theoryRate(*run);
        if (!points.empty() && rate && *rate > 0 && *rate < 1) {
            const double excess = excessOf(*run, points.front().loss);
            if (std::isfinite(excess) && excess > 0)
                line = TheoryLine{run->id, passesOf(*run, points.front().cost), excess, *rate,
                                  RunController::theoryCondition(*run)};
        }
    }
    m_view.setTheory(line);
}

void CurvesFeed::setTheoryShown(bool shown)
{
    m_theory = shown;
    refreshTheory();
}

void CurvesFeed::setFloorsShown(bool shown)
{
    m_floors = shown;
    refreshReference();
    m_floorPause.start();
}

void CurvesFeed::setCall(const QString &call)
{
    m_call = call;
    refreshEmptyNote();
}

void CurvesFeed::refreshEmptyNote()
{
    m_view.setEmptyNote(m_controller.isLoading()      ? tr("Loading the data …")
                            : !m_controller.problem() ? tr("Choose a data set")
                                                      : m_call);
}

} // namespace appa::ui
