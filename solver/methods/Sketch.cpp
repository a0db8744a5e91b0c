#include "methods/Sketch.h"

#include "methods/LeastSquares.h"

#include <Eigen/Householder>

#include <algorithm>
#include <cmath>
#include <limits>

namespace appa {

namespace {

constexpr Index panelColumns = 32;
constexpr Index tileColumns = 64;
constexpr Index workPerTick = Index{1} << 22;
constexpr Index zerosPerTick = Index{1} << 19; ///< 4 MiB of fresh memory

/// Narrower where the panel is tall, so that factoring it stays a matter of milliseconds.
Index panelWidth(Index height)
{
    Index width = panelColumns;
    while (width > 8 && 2 * height * width * width > 4 * workPerTick)
        width /= 2;
    return width;
}

} // namespace

// --- QR
// -----------------------------------------------------------------------------------------------------------------

void TallQr::begin(Index rows, Index cols)
{
    m_W.resize(rows, cols);
    m_zeroed = 0;
    m_panel = m_next = 0;
}

bool TallQr::zeroTick()
{
    const Index rows = std::min(m_W.rows() - m_zeroed, std::max<Index>(1, zerosPerTick / m_W.cols()));
    m_W.middleRows(m_zeroed, rows).setZero();
    m_zeroed += rows;
    return m_zeroed == m_W.rows();
}

bool TallQr::tick()
{
    const Index cols = std::min(m_W.cols(), m_W.rows());
    for (Index work = 0; m_panel < cols && work < workPerTick;) {
        const Index height = m_W.rows() - m_panel;
        const Index width = std::min(panelWidth(height), cols - m_panel);
        if (m_next == m_panel) {
            factorPanel(width);
            m_next = m_panel + width;
            work += 2 * height * width * width;
        } else {
            const Index columns = std::min(tileColumns, m_W.cols() - m_next);
            auto C = m_W.block(m_panel, m_next, height, columns);
            const Eigen::MatrixXd VtC = m_T.transpose() * (m_V.transpose() * C);
            C.noalias() -= m_V * VtC;
            m_next += columns;
            work += 2 * height * width * columns;
        }
        if (m_next >= m_W.cols()) {
            m_panel += width;
            m_next = m_panel;
        }
    }
    if (m_panel < cols)
        return false;
    m_panel = m_next = 0;
    return true;
}

void TallQr::factorPanel(Index columns)
{
    const Index height = m_W.rows() - m_panel;
    m_V = m_W.block(m_panel, m_panel, height, columns);
    m_T.setZero(columns, columns);
    Vector workspace(columns);
    for (Index j = 0; j < columns; ++j) {
        double tau = 0;
        double beta = 0;
        m_V.col(j).tail(height - j).makeHouseholderInPlace(tau, beta);
        m_V(j, j) = beta;
        m_V.bottomRightCorner(height - j, columns - j - 1)
            .applyHouseholderOnTheLeft(m_V.col(j).tail(height - j - 1), tau, workspace.data());
        m_T(j, j) = tau;
    }
    auto block = m_W.block(m_panel, m_panel, height, columns);
    block.setZero();
    block.topRows(columns) = m_V.topRows(columns).triangularView<Eigen::Upper>();
    for (Index j = 0; j < columns; ++j) {
        m_V.col(j).head(j).setZero();
        m_V(j, j) = 1;
        m_T.col(j).head(j) = m_T.topLeftCorner(j, j).triangularView<Eigen::Upper>()
            * (-m_T(j, j) * (m_V.leftCols(j).transpose() * m_V.col(j)));
    }
}

void TallQr::repairDiagonal()
{
    auto diagonal = m_W.topRows(m_W.cols()).diagonal();
    const double largest = diagonal.cwiseAbs().maxCoeff();
    for (Index j = 0; j < diagonal.size(); ++j)
        if (!(std::abs(diagonal[j]) > 1e-13 * largest))
            diagonal[j] = largest > 0 ? largest : 1;
}

// --- sketch and leverage scores
// -----------------------------------------------------------------------------------------

bool OsnapSketch::tick(const Problem &problem, TallQr &qr, IndexStream &stream, Cost &cost)
{
    if (m_row < 0) {
        const Index columns = problem.d();
        const double gamma = problem.ridge();
        if (qr.rows() == 0)
            qr.begin(gamma > 0 ? (copies + 1) * columns : copies * columns, columns);
        if (!qr.zeroTick())
            return false;
        for (Index j = 0; gamma > 0 && j < columns; ++j)
            qr.row(copies * columns + j)[j] = std::sqrt(gamma);
        m_row = 0;
        return false;
    }
    const Index to = std::min(problem.n(), m_row + rowsPerTick(problem));
    const auto d = static_cast<std::uint64_t>(problem.d());
    const double scale = std::sqrt(std::get<SquaredLoss>(problem.loss()).w / copies);
    std::visit(
        [&](const auto &A) {
            for (Index i = m_row; i < to; ++i)
                for (int block = 0; block < copies; ++block) {
                    const std::uint64_t bits = stream.bits();
                    const auto target = block * problem.d() + static_cast<Index>((bits >> 1) % d);
                    rowAxpy(A, i, bits & 1 ? scale : -scale, qr.row(target));
                }
        },
        problem.data().train.features);
    cost.accesses += to - m_row;
    cost.fullAccesses += to - m_row;
    m_row = to;
    return m_row == problem.n();
}

void leverageScores(const Problem &problem, const TallQr &qr, Index from, Index to, double *scores)
{
    const double scale = std::sqrt(std::get<SquaredLoss>(problem.loss()).w);
    Vector a(problem.d());
    std::visit(
        [&](const auto &A) {
            for (Index i = from; i < to; ++i) {
                a.setZero();
                rowAxpy(A, i, scale, a.data());
                qr.solveTransposed(a);
                scores[i - from] = a.squaredNorm();
            }
        },
        problem.data().train.features);
}

void projectedLeverageScores(const Problem &problem, const RowMatrix &Z, Index from, Index to, double *scores)
{
    const double w = std::get<SquaredLoss>(problem.loss()).w;
    Vector projected(Z.cols());
    std::visit(
        [&](const auto &A) {
            for (Index i = from; i < to; ++i) {
                projected.setZero();
                if constexpr (std::decay_t<decltype(A)>::isSparse) {
                    for (const auto &e : A.row(i))
                        projected += static_cast<double>(e.value) * Z.row(e.column).transpose();
                } else {
                    const auto *a = A.row(i);
                    for (Index j = 0; j < A.cols(); ++j)
                        projected += static_cast<double>(a[j]) * Z.row(j).transpose();
                }
                scores[i - from] = w * projected.squaredNorm();
            }
        },
        problem.data().train.features);
}

// --- conjugate gradients
// ------------------------------------------------------------------------------------------------

std::string SketchedSolver::whyNot(const Problem &problem, const std::string &label)
{
    std::string why = leastSquares::needsSquaredLoss(problem, label);
    if (why.empty() && problem.d() > largestDimension)
        why = label + " factors a sketch with " + std::to_string(problem.d()) + " columns and is offered up to "
            + std::to_string(largestDimension) + " features: choose an iterative method.";
    return why;
}

SketchedSolver::SketchedSolver(ProblemPtr problem, std::unique_ptr<SketchPreparation> preparation)
    : m_problem(std::move(problem)), m_prepared(std::move(preparation))
{
}

bool SketchedSolver::Prepared::tick(Cost &cost, const Problem &problem, const IndexStream &from)
{
    if (!stream)
        stream = from;
    if (!preparation->tick(problem, *stream, cost))
        return false;
    preparation->qr.repairDiagonal();
    return true;
}

std::size_t SketchedSolver::stateBytes() const
{
    const Index vectors = m_x.size() + m_r.size() + m_p.size() + m_Hp.size();
    return sizeof *this + (static_cast<std::size_t>(vectors) + m_margins.size() + m_curvatures.size()) * sizeof(double);
}

void SketchedSolver::begin(const Subproblem &, const Handover &from)
{
    m_x = from.x;
    m_steps = 0;
    m_rzFirst = 0;
    m_rzBefore = std::numeric_limits<double>::infinity();
    m_message.clear();
    m_margins.resize(static_cast<std::size_t>(m_problem->n()));
    m_curvatures.assign(static_cast<std::size_t>(m_problem->n()), std::get<SquaredLoss>(m_problem->loss()).w);
    if (m_prepared.finished())
        beginGradient();
    else
        m_phase = Phase::Prepare;
}

void SketchedSolver::tick(Index, IndexStream &stream, Cost &cost)
{
    switch (m_phase) {
    case Phase::Prepare:
        if (m_prepared.tick(cost, *m_problem, stream))
            beginGradient();
        break;
    case Phase::Gradient:
        if (m_pass.tick(*m_problem, m_x, m_r, {.margins = m_margins.data()}, cost))
            gradientDone();
        break;
    case Phase::Product:
        if (m_hessianPass.tick(*m_problem, m_curvatures, m_p, m_Hp, cost)) {
            ++cost.steps;
            m_steps += m_problem->n();
            productDone();
        }
        break;
    case Phase::Done:
        break;
    }
}

void SketchedSolver::beginGradient()
{
    m_pass.begin(*m_problem, m_r);
    m_phase = Phase::Gradient;
}

void SketchedSolver::gradientDone()
{
    m_r = -m_r - m_problem->ridge() * m_x;
    m_p = preconditioned(m_r);
    m_rz = m_r.dot(m_p);
    if (m_rzFirst == 0)
        m_rzFirst = m_rz;
    // r'z/2 is about F(x) - F_opt: below 2^-60 F it cannot be seen.
    m_rzStop = std::max(0x1p-59 * m_problem->objectiveAt(m_margins, m_x), 1e-30 * m_rzFirst);
    if (!std::isfinite(m_rz) || m_rz <= m_rzStop || m_rz > 0.1 * m_rzBefore) {
        m_message = std::isfinite(m_rz) ? "Solved to the precision of F." : "The gradient is not finite.";
        m_phase = Phase::Done;
        return;
    }
    m_rzBefore = m_rz;
    m_hessianPass.begin(*m_problem, m_Hp);
    m_phase = Phase::Product;
}

void SketchedSolver::productDone()
{
    m_Hp += m_problem->ridge() * m_p;
    const double alpha = m_rz / m_p.dot(m_Hp);
    if (!std::isfinite(alpha))
        return beginGradient();
    m_x += alpha * m_p;
    m_r -= alpha * m_Hp;
    const Vector z = preconditioned(m_r);
    const double rz = m_r.dot(z);
    if (!(rz > m_rzStop))
        return beginGradient();
    m_p = z + (rz / m_rz) * m_p;
    m_rz = rz;
    m_hessianPass.begin(*m_problem, m_Hp);
}

Vector SketchedSolver::preconditioned(const Vector &r) const
{
    const TallQr &factor = m_prepared.result().preparation->qr;
    Vector z = r;
    factor.solveTransposed(z);
    factor.solve(z);
    return z;
}

} // namespace appa
