#pragma once

#include "methods/Inner.h"
#include "methods/PrimalRows.h"

#include <Eigen/Core>

#include <vector>

namespace appa {

using RowMatrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

/// W = Q R by blocked Householder reflections, in ticks; Q is not kept. Rows can be added afterwards below R and
/// factored again, so that a matrix of any height needs the memory of a few blocks of rows.
class TallQr
{
public:
    /// All zero.
    void begin(Index rows, Index cols);
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
    std::size_t bytes() const
    {
        return static_cast<std::size_t>(m_W.size() + m_V.size() + m_T.size()) * sizeof(double);
    }

private:
    using Upper =
        Eigen::TriangularView<const Eigen::Block<const RowMatrix, Eigen::Dynamic, Eigen::Dynamic, true>, Eigen::Upper>;

    const Upper triangle() const { return m_W.topRows(m_W.cols()).triangularView<Eigen::Upper>(); }
    void factorPanel(Index columns);

    RowMatrix m_W;
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

    void begin(const Problem &problem, TallQr &qr);
    bool tick(const Problem &problem, TallQr &qr, IndexStream &stream, Cost &cost);

private:
    Index m_row = 0;
};

/// |R^-T sqrt(w) a_i|^2 for rows [from, to): the leverage scores if R'R is the Hessian, their estimates if R is of a
/// sketch. `Z` (d x k): the same from k random projections, |sqrt(w) a_i Z|^2 with Z = R^-1 G/sqrt(k).
void leverageScores(const Problem &problem, const TallQr &qr, Index from, Index to, double *scores);
void projectedLeverageScores(const Problem &problem, const RowMatrix &Z, Index from, Index to, double *scores);

/// Conjugate gradients on F's Hessian w A'A + gamma I (squared loss), preconditioned by R'R of a sketch that the
/// derived class prepares. One iteration is one stage; it ends when what is left is far below F's last digit, checked
/// by the true gradient.
class SketchedSolver : public InnerSolver
{
public:
    explicit SketchedSolver(ProblemPtr problem) : m_problem(std::move(problem)) { }

    void begin(const Subproblem &sub, const Handover &from) final;
    void tick(Index maxSteps, IndexStream &stream, Cost &cost) final;
    void retune(const ParamSet &) final { }
    Index steps() const final { return m_steps; }
    bool finished() const final { return m_phase == Phase::Done; }
    void point(Vector &out) const final { out = m_x; }
    Handover handover() const final
    {
        Handover h;
        h.x = m_x;
        return h;
    }
    ParamSet effective() const final { return {}; }
    std::string message() const final { return m_message; }
    std::size_t stateBytes() const override;

    static constexpr Index largestDimension = 3000;
    static std::string whyNot(const Problem &problem, const std::string &label);

protected:
    virtual void beginPreparing() = 0;
    /// True when `m_qr` holds the preconditioner.
    virtual bool prepare(IndexStream &stream, Cost &cost) = 0;

    ProblemPtr m_problem;
    TallQr m_qr; ///< while preparing

private:
    enum class Phase { Prepare, Gradient, Product, Done };

    void beginGradient();
    void gradientDone();
    void productDone();
    Vector preconditioned(const Vector &r) const;

    Phase m_phase = Phase::Done;
    std::shared_ptr<const TallQr> m_preconditioner; ///< shared by copies
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
