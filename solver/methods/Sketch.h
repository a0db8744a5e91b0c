#pragma once

#include "methods/Inner.h"
#include "methods/PrimalRows.h"
#include "methods/SharedWork.h"

#include <Eigen/Core>

#include <cmath>
#include <vector>

namespace appa {

using RowMatrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

/// W = Q R by blocked Householder reflections, in ticks; Q is not kept. Rows can be added afterwards below R and
/// factored again, so that a matrix of any height needs the memory of a few blocks of rows.
class TallQr
{
public:
    /// O(1): the zeros come in ticks.
    void begin(Index rows, Index cols);
    /// True when all entries are zero (or what was added to them since).
    bool zeroTick();
    double *row(Index i) { return m_W.row(i).data(); }
    Index rows() const { return m_W.rows(); }
    Index cols() const { return m_W.cols(); }
    /// True when the upper triangle of the first `cols` rows is R, and all else zero.
    bool tick();
    /// b <- R^-1 b and b <- R^-T b.
    template <class B> void solve(B &b) const { triangle().solveInPlace(b); }
    void solveTransposed(Vector &b) const { triangle().transpose().solveInPlace(b); }
    /// Columns that depend on others leave a zero on the diagonal: replaced, so that R can precondition.
    void repairDiagonal();

private:
    using Upper =
        Eigen::TriangularView<const Eigen::Block<const RowMatrix, Eigen::Dynamic, Eigen::Dynamic, true>, Eigen::Upper>;

    const Upper triangle() const { return m_W.topRows(m_W.cols()).triangularView<Eigen::Upper>(); }
    void factorPanel(Index columns);

    RowMatrix m_W;
    Index m_zeroed = 0;  ///< rows
    Eigen::MatrixXd m_V; ///< the current panel's reflectors: H_1 .. H_b = I - V T V'
    Eigen::MatrixXd m_T;
    Index m_panel = 0;
    Index m_next = 0; ///< the next column to which the panel's reflectors are applied; m_panel: it is not factored yet
};

/// S A for the sparse embedding S of OSNAP: each row of A goes, with random signs and the factor 1/2, to one row in
/// each of four blocks of d. In ticks; sqrt(w) A and sqrt(gamma) I are what is embedded, so R'R is about F's Hessian.
class OsnapSketch
{
public:
    static constexpr int copies = 4;

    /// The first tick shapes `qr`.
    bool tick(const Problem &problem, TallQr &qr, IndexStream &stream, Cost &cost);

private:
    Index m_row = -1; ///< below 0 while `qr` is not zero yet
};

/// |R^-T sqrt(w) a_i|^2 for rows [from, to): the leverage scores if R'R is the Hessian, their estimates if R is of a
/// sketch. `Z` (d x k): the same from k random projections, |sqrt(w) a_i Z|^2 with Z = R^-1 G/sqrt(k).
void leverageScores(const Problem &problem, const TallQr &qr, Index from, Index to, double *scores);
void projectedLeverageScores(const Problem &problem, const RowMatrix &Z, Index from, Index to, double *scores);

/// Makes the preconditioner R'R of a SketchedSolver.
class SketchPreparation
{
public:
    virtual ~SketchPreparation() = default;
    /// True when `qr` holds it.
    virtual bool tick(const Problem &problem, IndexStream &stream, Cost &cost) = 0;

    TallQr qr;
};

/// Conjugate gradients on F's Hessian w A'A + gamma I (squared loss), preconditioned by R'R of a sketch. One iteration
/// is one stage; it ends when what is left is far below F's last digit, checked by the true gradient.
class SketchedSolver final : public InnerSolver
{
public:
    SketchedSolver(ProblemPtr problem, std::unique_ptr<SketchPreparation> preparation);
    std::unique_ptr<InnerSolver> clone() const override { return std::make_unique<SketchedSolver>(*this); }

    void begin(const Subproblem &sub, const Handover &from) override;
    void tick(Index maxSteps, IndexStream &stream, Cost &cost) override;
    void retune(const ParamSet &) override { }
    Index steps() const override { return m_steps; }
    bool finished() const override { return m_phase == Phase::Done; }
    bool failed() const override { return finished() && !std::isfinite(m_rz); }
    void point(Vector &out) const override { out = m_x; }
    Handover handover() const override
    {
        Handover h;
        h.x = m_x;
        return h;
    }
    ParamSet effective() const override { return {}; }
    std::string message() const override { return m_message; }
    std::size_t stateBytes() const override;

    static constexpr Index largestDimension = 3000;
    static std::string whyNot(const Problem &problem, const std::string &label);

private:
    enum class Phase { Prepare, Gradient, Product, Done };

    /// The preparation with a random stream of its own, so that copies which find it done draw nothing either.
    struct Prepared
    {
        explicit Prepared(std::unique_ptr<SketchPreparation> p) : preparation(std::move(p)) { }
        bool tick(Cost &cost, const Problem &problem, const IndexStream &from);

        std::unique_ptr<SketchPreparation> preparation;
        std::optional<IndexStream> stream;
    };

    void beginGradient();
    void gradientDone();
    void productDone();
    Vector preconditioned(const Vector &r) const;

    ProblemPtr m_problem;
    SharedWork<Prepared> m_prepared;
    Phase m_phase = Phase::Done;
    Vector m_x;
    Vector m_r;
    Vector m_p;
    Vector m_Hp;
    FullPass m_pass;
    HessianPass m_hessianPass;
    std::vector<double> m_margins;
    std::vector<double> m_curvatures;
    double m_rz = 0;
    double m_rzStop = 0;
    double m_rzFirst = 0;  ///< r'z at the very start
    double m_rzBefore = 0; ///< at the last true gradient
    Index m_steps = 0;
    std::string m_message;
};

} // namespace appa
