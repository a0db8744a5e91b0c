#include "methods/DualSolver.h"

#include "methods/DualMap.h"

#include <algorithm>
#include <utility>

namespace appa {

namespace {

constexpr double largestDrop = 1e4;

} // namespace

DualSolver::DualSolver(ProblemPtr problem, const ParamSet &params)
    : m_problem(std::move(problem)), m_rowsPerTick(rowsPerTick(*m_problem))
{
    DualSolver::retune(params);
}

void DualSolver::retune(const ParamSet &params)
{
    const std::string start = params.word("dual-start");
    m_start = start == "zero" ? DualStart::Zero : start == "paper" ? DualStart::Paper : DualStart::LineSearch;
}

void DualSolver::begin(const Subproblem &sub, const Handover &from)
{
    const Index n = m_problem->n();
    m_lambdaT = sub.lambdaT(m_problem->ridge());
    m_sT = sub.centreT(m_problem->ridge());
    m_steps = 0;
    m_row = 0;
    m_phase = Phase::Ready;
    if (m_y.size() != n) {
        m_y.resize(n);
        useHugePages(m_y.data(), static_cast<std::size_t>(n) * sizeof(double));
    }
    if (m_start == DualStart::Zero) {
        m_y.setZero();
        m_x = m_sT;
        restart(from.x);
    } else if (from.y && from.lambdaT <= largestDrop * m_lambdaT) {
        m_y = *from.y;
        m_aty = from.aty;
        m_from = from;
        beginScale();
    } else {
        m_phase = from.y ? Phase::Summing : Phase::Mapping;
        m_from = from;
        if (from.y)
            m_y = *from.y;
        m_aty = Vector::Zero(m_problem->d());
    }
}

bool DualSolver::recentre(const Subproblem &sub)
{
    if (m_phase != Phase::Ready)
        return false;
    Vector x0;
    currentPoint(x0);
    settle();
    const double lambdaT = sub.lambdaT(m_problem->ridge());
    // x' = s_new + (lambda_old/lambda_new)(x - s_old): A'y is the same.
    m_x -= m_sT;
    m_x *= m_lambdaT / lambdaT;
    m_sT = sub.centreT(m_problem->ridge());
    m_x += m_sT;
    m_lambdaT = lambdaT;
    m_steps = 0;
    restart(x0);
    return true;
}

void DualSolver::tick(Index maxSteps, IndexStream &stream, Cost &cost)
{
    if (m_phase == Phase::Ready) {
        const Index done = work(std::min(maxSteps, m_rowsPerTick), stream, cost);
        m_steps += done;
        cost.steps += done;
        cost.accesses += done;
        return;
    }
    if (m_phase == Phase::Scaling) {
        if (m_scale.tick(*m_problem, m_y))
            finishScale(m_scale.theta());
        return;
    }
    const Index rows = std::min(m_rowsPerTick, m_problem->n() - m_row);
    if (m_phase == Phase::Mapping)
        mapRows(*m_problem, m_from.x, m_row, rows, m_y, m_aty);
    else
        sumRows(*m_problem, m_y, m_row, rows, m_aty);
    m_row += rows;
    cost.accesses += rows;
    if (m_row == m_problem->n())
        beginScale();
}

void DualSolver::beginScale()
{
    if (m_start == DualStart::Paper)
        return finishScale(1);
    // What one tick can do is done at once.
    m_scale.begin(*m_problem, m_y, m_aty, m_sT, m_lambdaT);
    m_phase = Phase::Scaling;
    if (m_scale.tick(*m_problem, m_y))
        finishScale(m_scale.theta());
}

void DualSolver::finishScale(double theta)
{
    m_phase = Phase::Ready;
    const Handover from = std::exchange(m_from, {});
    const Vector aty = std::exchange(m_aty, Vector());
    if (theta != 1)
        m_y *= theta;
    m_x = m_sT - (theta / m_lambdaT) * aty;
    restart(from.x);
}

void DualSolver::point(Vector &out) const
{
    if (m_phase == Phase::Ready)
        currentPoint(out);
    else
        out = m_from.x;
}

bool DualSolver::dual(Vector &y) const
{
    if (m_phase != Phase::Ready || !pointIsDual())
        return false;
    currentDual(y);
    return true;
}

Handover DualSolver::handover() const
{
    if (m_phase != Phase::Ready)
        return m_from;
    Handover h;
    currentPoint(h.x);
    currentDual(h.y.emplace());
    currentAty(h.aty);
    h.lambdaT = m_lambdaT;
    return h;
}

ParamSet DualSolver::effective() const
{
    ParamSet own;
    own.set("dual-start",
            std::string(m_start == DualStart::Zero        ? "zero"
                            : m_start == DualStart::Paper ? "paper"
                                                          : "line-search"));
    return own;
}

std::size_t DualSolver::stateBytes() const
{
    const Index numbers = m_x.size() + m_y.size() + m_sT.size() + m_aty.size() + m_from.x.size() + m_from.aty.size()
        + (m_from.y ? m_from.y->size() : 0);
    return sizeof *this + static_cast<std::size_t>(numbers) * sizeof(double);
}

std::string whyNoDual(const Problem &problem, std::string_view label)
{
    if (!problem.hasDual())
        return std::string(label) + " works on the dual, and the " + std::string(infoOf(problem.loss()).label)
            + " loss has none here. Choose a primal method (SVRG, say), or another loss.";
    return {};
}

} // namespace appa
