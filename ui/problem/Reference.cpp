#include "problem/Reference.h"

#include "theme/Format.h"

#include <QDir>
#include <QStandardPaths>

#include <algorithm>
#include <utility>

namespace appa::ui {

namespace {

QString notComputed()
{
    return Reference::tr("F_opt was not computed");
}

} // namespace

Reference::Reference(QObject *parent) : QObject(parent)
{
    connect(&m_optimum, &Background::progressed, this, &Reference::progressed);
    connect(&m_optimum, &Background::busyChanged, this, &Reference::busyChanged);
    connect(&m_constants, &Background::busyChanged, this, &Reference::busyChanged);
}

QString Reference::cacheFolder()
{
    const QString base = QStandardPaths::writableLocation(QStandardPaths::GenericCacheLocation);
    return base.isEmpty() ? QString() : base + QStringLiteral("/appa-lab/optima");
}

void Reference::study(const ProblemStatePtr &problem)
{
    cancel();
    if (!problem || !problem->problem)
        return;
    if (problem->optimum) {
        findConstants(problem);
        return;
    }
    m_solved = problem;
    note(problem, tr("F_opt is being computed"));
    QString folder = cacheFolder();
    if (!folder.isEmpty() && !QDir().mkpath(folder))
        folder.clear();
    m_optimum.start([p = problem->problem, folder = folder.toStdString()](
                        const Progress &progress) { return cachedOptimum(*p, folder, progress); },
                    [this, problem](std::optional<Optimum> optimum) {
                        m_solved.reset();
                        problem->optimum = std::move(optimum);
                        if (problem->optimum)
                            problem->optimumNote = problem->optimum->attained && !problem->optimum->restsOnRounding
                                ? QString()
                                : prettyText(QString::fromStdString(problem->optimum->message));
                        else
                            problem->optimumNote = notComputed();
                        emit optimumChanged(problem);
                        findConstants(problem);
                    });
}

void Reference::want(const ProblemStatePtr &problem)
{
    if (!problem || !problem->problem || problem == m_solved || (problem->optimum && problem->constants))
        return;
    if (!busy()) {
        study(problem);
        return;
    }
    m_next = problem;
    if (!problem->optimum)
        note(problem, tr("F_opt is computed next"));
}

void Reference::tell(const ProblemStatePtr &problem)
{
    if (problem->optimum)
        emit optimumChanged(problem);
}

void Reference::studyNext()
{
    const ProblemStatePtr next = std::exchange(m_next, nullptr);
    if (next && !(next->optimum && next->constants))
        study(next);
}

void Reference::findConstants(const ProblemStatePtr &problem)
{
    if (problem->constants) {
        studyNext();
        return;
    }
    m_constants.start([p = problem->problem](const Progress &progress) { return p->constants(progress); },
                      [this, problem](const std::optional<Constants> &constants) {
                          problem->constants = constants;
                          emit constantsFound(problem);
                          studyNext();
                      });
}

void Reference::wantFloors(FloorsOf whom, const ProblemStatePtr &problem, const std::vector<double> &lambdas)
{
    if (!problem || !problem->problem)
        return;
    m_wanted[static_cast<std::size_t>(whom)] = {problem, lambdas};
    if (!m_floors.busy())
        nextFloor();
}

void Reference::nextFloor()
{
    for (WantedFloors &wanted : m_wanted)
        std::erase_if(wanted.lambdas, [&](double lambda) { return wanted.problem->floors.contains(lambda); });
    const auto next = std::ranges::find_if(m_wanted, [](const WantedFloors &w) { return !w.lambdas.empty(); });
    if (next == m_wanted.end())
        return;
    const ProblemStatePtr problem = next->problem;
    const double lambda = next->lambdas.front();
    next->lambdas.erase(next->lambdas.begin());
    m_floors.start(
        [p = problem->problem, lambda](const Progress &progress) { return ridgeSolutionValue(*p, lambda, progress); },
        [this, problem, lambda](const std::optional<double> &value) {
            if (value) {
                problem->floors[lambda] = *value;
                emit floorFound(problem);
            }
            nextFloor();
        });
}

void Reference::cancel()
{
    m_optimum.cancel();
    m_constants.cancel();
    m_floors.cancel();
    m_wanted = {};
    for (const ProblemStatePtr &problem : {std::exchange(m_solved, nullptr), std::exchange(m_next, nullptr)})
        if (problem && !problem->optimum)
            note(problem, notComputed());
}

void Reference::note(const ProblemStatePtr &problem, const QString &sentence)
{
    problem->optimumNote = sentence;
    emit optimumChanged(problem);
}

} // namespace appa::ui
