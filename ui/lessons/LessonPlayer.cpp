#include "lessons/LessonPlayer.h"

#include <algorithm>
#include <utility>

namespace appa::ui {

namespace {

/// No stage more would make it go on.
bool hasEndedForGood(const RunRecord &run)
{
    return run.status == RunStatus::Diverged || run.status == RunStatus::Failed
        || (run.status == RunStatus::Finished && run.done);
}

} // namespace

LessonPlayer::LessonPlayer(RunController &controller, QObject *parent) : QObject(parent), m_controller(controller)
{
    connect(&controller, &RunController::runUpdated, this, &LessonPlayer::advance);
    connect(&controller, &RunController::loadFailed, this, [this](const QString &sentence) {
        if (m_queue.empty() || !std::holds_alternative<lesson::SetProblem>(m_queue.front())) {
            advance(); // the problem that was there stays
            return;
        }
        fail(sentence);
    });
    connect(&controller, &RunController::loadingChanged, this, &LessonPlayer::changed);
    // One that was given up: commands that waited for it go on. Later, since "not busy" is told before the problem is.
    connect(&controller, &RunController::loadingChanged, this, &LessonPlayer::advance, Qt::QueuedConnection);
    // Deleted by hand: commands about it have nothing to wait for. Later, since one that is restarted is out of the
    // table for a moment, in which another problem may be chosen.
    connect(&controller.model(), &QAbstractItemModel::rowsRemoved, this, &LessonPlayer::advance, Qt::QueuedConnection);
    connect(&controller, &RunController::problemChanged, this, &LessonPlayer::advance, Qt::QueuedConnection);
}

void LessonPlayer::begin(Lesson lesson)
{
    leave();
    m_lesson = std::move(lesson);
    enter(0);
}

void LessonPlayer::leave()
{
    m_lesson.reset();
    m_queue.clear();
    m_asked.reset();
    m_runs.clear();
    m_targets.clear();
    m_claims.clear();
    m_problem.reset();
    m_reached = -1;
    backToOwnSpeed();
    emit changed();
}

void LessonPlayer::fail(const QString &sentence)
{
    leave();
    emit failed(tr("The lesson cannot go on: %1").arg(sentence));
}

void LessonPlayer::backToOwnSpeed()
{
    const std::optional<double> rate = std::exchange(m_rate, std::nullopt);
    if (rate && m_controller.stagesPerSecond() == 0) // else another was chosen meanwhile
        emit speedAsked(*rate);
}

void LessonPlayer::again()
{
    if (!m_lesson)
        return;
    std::vector<RunId> mine;
    for (const auto &[name, id] : m_runs)
        if (const RunId there = runOf(name))
            mine.push_back(there);
    Lesson lesson = *m_lesson;
    leave();
    m_controller.remove(mine);
    begin(std::move(lesson));
}

void LessonPlayer::next()
{
    if (!m_lesson)
        return;
    if (!m_controller.isLoading())
        m_asked.reset(); // a loading that was given up begins again
    if (!isLast())
        enter(m_step + 1);
    else
        advance();
    if (isBusy())
        hurry();
}

/// Whoever goes on does not want to wait.
void LessonPlayer::hurry()
{
    if (!m_rate)
        m_rate = m_controller.stagesPerSecond();
    m_controller.setStagesPerSecond(0);
    for (const auto &[name, target] : m_targets)
        if (const RunRecord *run = m_controller.model().find(runOf(name));
            run && run->status == RunStatus::Paused && run->reached() < target.stage)
            m_controller.resume(run->id);
}

void LessonPlayer::back()
{
    if (m_lesson && m_step > 0)
        enter(m_step - 1);
}

void LessonPlayer::enter(int step)
{
    m_step = step;
    const LessonStep &now = m_lesson->steps[static_cast<std::size_t>(step)];
    if (step > m_reached) { // each step's commands once
        m_reached = step;
        m_queue.insert(m_queue.end(), now.commands.begin(), now.commands.end());
        advance();
    } else {
        showAgain(now);
    }
    emit changed();
}

/// What it looked at then: its view, its axis, its last run.
void LessonPlayer::showAgain(const LessonStep &step)
{
    RunId last = 0;
    for (const LessonCommand &command : step.commands) {
        if (const auto *show = std::get_if<lesson::Show>(&command))
            emit viewAsked(show->view);
        else if (const auto *use = std::get_if<lesson::UseAxis>(&command))
            emit axisAsked(use->axis);
        else if (const auto *go = std::get_if<lesson::Go>(&command))
            last = runOf(go->run);
    }
    if (last > 0)
        emit runChosen(last);
}

void LessonPlayer::advance()
{
    if (m_advancing || m_queue.empty()) // what it does makes the controller speak
        return;
    m_advancing = true;
    const std::size_t before = m_queue.size();
    while (!m_queue.empty() && tryOut(LessonCommand(m_queue.front())))
        if (!m_queue.empty())
            m_queue.pop_front();
    m_advancing = false;
    if (m_queue.empty())
        backToOwnSpeed();
    if (m_queue.size() != before)
        emit changed();
}

RunId LessonPlayer::runOf(const std::string &name) const
{
    const auto at = m_runs.find(name);
    if (at == m_runs.end())
        return 0;
    if (m_controller.model().find(at->second))
        return at->second;
    // One that was restarted by hand is another run of the same name; one that was there before is not.
    for (const auto &run : m_controller.model().runs())
        if (run->id > at->second && run->problem == m_problem && run->name == QString::fromStdString(name))
            return run->id;
    return 0;
}

RunId LessonPlayer::runFor(const std::string &name)
{
    const RunId id = runOf(name);
    if (id == 0)
        emit said(
            tr("The lesson's run “%1” is gone. From the start makes it again.").arg(QString::fromStdString(name)));
    return id;
}

/// The problem that is there is the lesson's. What else was made of it is hidden: the lesson speaks of its own.
void LessonPlayer::takeProblem()
{
    m_problem = m_controller.problem();
    bool any = false;
    for (const auto &run : m_controller.model().runs()) {
        if (run->problem != m_problem || !run->visible || !run->isWorthKeeping()
            || std::ranges::any_of(m_runs, [&](const auto &mine) { return mine.second == run->id; }))
            continue;
        m_controller.model().setVisible(run->id, false);
        any = true;
    }
    if (any)
        emit said(tr("Your other runs of this problem are hidden for the lesson; Alt+H shows them."));
}

bool LessonPlayer::isOnItsWay(const std::string &name) const
{
    const RunRecord *run = m_controller.model().find(runOf(name));
    if (!run)
        return false;
    if (run->unborn)
        return true;
    const auto target = m_targets.find(name);
    if (target == m_targets.end())
        return false;
    if (hasEndedForGood(*run))
        return false;
    if (run->isRunning() || (run->status == target->second.status && run->reached() == target->second.from))
        return true;
    return !run->hasEnded() && run->reached() < target->second.stage;
}

bool LessonPlayer::isSettled() const
{
    return m_queue.empty() && std::ranges::none_of(m_runs, [this](const auto &run) { return isOnItsWay(run.first); });
}

QString LessonPlayer::waitsFor() const
{
    if (m_queue.empty())
        return {};
    if (m_controller.isLoading())
        return tr("Loading the data …");
    return std::visit(
        [this](const auto &command) -> QString {
            if constexpr (requires { command.run; }) {
                if (const auto target = m_targets.find(command.run); target != m_targets.end())
                    return tr("%1 goes to stage %2 …")
                        .arg(QString::fromStdString(command.run))
                        .arg(target->second.stage);
            }
            return {};
        },
        m_queue.front());
}

void LessonPlayer::adopt(const std::string &name, RunId id)
{
    m_runs[name] = id;
    m_targets.erase(name); // an earlier one's of that name
    m_made.insert(id);
    RunModel &model = m_controller.model();
    model.setData(model.index(model.rowOf(id), RunModel::Name), QString::fromStdString(name));
    emit runChosen(id);
    removeStandIn();
}

/// Made of this and here already; null if none is.
ProblemStatePtr LessonPlayer::problemOf(const ProblemSpec &spec) const
{
    for (const auto &run : m_controller.model().runs())
        if (run->problem->problem && run->problem->spec == spec)
            return run->problem;
    return nullptr;
}

/// A problem without runs has one that stands ready. The lesson's takes its place.
void LessonPlayer::removeStandIn()
{
    std::vector<const RunRecord *> others;
    for (const auto &run : m_controller.model().runs())
        if (run->problem == m_problem
            && std::ranges::none_of(m_runs, [&](const auto &mine) { return mine.second == run->id; }))
            others.push_back(run.get());
    if (others.size() == 1 && !others.front()->isWorthKeeping())
        m_controller.remove(others.front()->id);
}

bool LessonPlayer::tryOut(const LessonCommand &command)
{
    using namespace lesson;
    struct Visitor
    {
        LessonPlayer &self;
        RunController &controller = self.m_controller;

        bool operator()(const SetProblem &c)
        {
            if (!controller.problem() || controller.problem()->spec != c.spec)
                if (const ProblemStatePtr there = self.problemOf(c.spec))
                    controller.showProblem(there);
            if (controller.problem() && controller.problem()->problem && controller.problem()->spec == c.spec) {
                self.m_asked.reset();
                self.takeProblem();
                controller.cancelLoading(); // of another
                return true;
            }
            if (self.m_asked != c.spec) {
                self.m_asked = c.spec;
                controller.setProblem(c.spec, LossIs::ADemand);
            }
            return false;
        }
        bool operator()(const NewRun &c)
        {
            if (!controller.problem() || controller.isLoading())
                return false;
            if (!self.m_problem)
                self.takeProblem();
            if (controller.problem() != self.m_problem)
                controller.showProblem(self.m_problem);
            if (const RunId id = controller.create(c.spec)) {
                self.adopt(c.run, id);
                return true;
            }
            self.fail(tr("the problem's data is not here."));
            return false;
        }
        bool operator()(const Go &c)
        {
            if (self.isOnItsWay(c.run))
                return false;
            const RunId id = self.runFor(c.run);
            const RunRecord *run = controller.model().find(id);
            if (!run || (c.stage > 0 && run->reached() >= c.stage) || hasEndedForGood(*run))
                return true;
            self.m_targets.erase(c.run);
            if (c.stage > 0)
                self.m_targets[c.run] = {c.stage, run->reached(), run->status};
            controller.change(id, QStringLiteral("stages"), static_cast<double>(c.stage));
            controller.resume(id);
            return true;
        }
        bool operator()(const Change &c)
        {
            if (self.isOnItsWay(c.run))
                return false;
            const RunId id = self.runFor(c.run);
            if (id == 0)
                return true;
            for (const auto &[key, value] : c.values.values())
                controller.change(id, QString::fromStdString(key), value);
            emit self.runChosen(id);
            return true;
        }
        bool operator()(const Switch &c)
        {
            if (self.isOnItsWay(c.run))
                return false;
            const RunId id = self.runFor(c.run);
            if (id == 0)
                return true;
            controller.switchMethod(id, c.method, c.inner);
            emit self.runChosen(id);
            return true;
        }
        bool operator()(const Fork &c)
        {
            if (self.isOnItsWay(c.run))
                return false;
            if (const RunId id = controller.fork(self.runFor(c.run)))
                self.adopt(c.as, id);
            return true;
        }
        bool operator()(const Hide &c)
        {
            controller.model().setVisible(self.runOf(c.run), false);
            return true;
        }
        bool operator()(const Show &c)
        {
            emit self.viewAsked(c.view);
            return true;
        }
        bool operator()(const UseAxis &c)
        {
            emit self.axisAsked(c.axis);
            return true;
        }
        bool operator()(const SetSpeed &c)
        {
            if (self.m_rate)
                self.m_rate = c.stagesPerSecond;
            else
                emit self.speedAsked(c.stagesPerSecond);
            return true;
        }
        bool operator()(const Expect &c)
        {
            self.m_claims.push_back(c);
            return true;
        }
    };
    return std::visit(Visitor{*this}, command);
}

} // namespace appa::ui
