// Row sampling: least squares (with ridge) by conjugate gradients, preconditioned by the QR factor of a sample of rows.
//
//     tau_i: leverage scores a_i'(A'A + (gamma/w) I)^-1 a_i, estimated by the factor of an OSNAP sketch;
//     row i is kept with p_i = min(1, 4 d ln(d+1) tau_i/sum tau), scaled by 1/sqrt(p_i);
//     [sqrt(w) sample; sqrt(gamma) I] = Q R;  CG on w A'A + gamma I with R'R as preconditioner, one iteration a stage.
//
// The sample keeps the lengths of all A x to a constant factor, so the number of iterations does not depend on A's
// condition number. For rows that behave like Gaussian ones the excess falls by d/m, m = 4 d ln(d+1), an iteration.
//
// M. Li, G. Miller, R. Peng: Iterative row sampling. FOCS 2013. M. Cohen, Y.T. Lee, C. Musco, C. Musco, R. Peng, A.
// Sidford: Uniform sampling for matrix approximation. ITCS 2015.

#include "methods/Alone.h"
#include "methods/Catalogue.h"
#include "methods/Sketch.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace appa {

namespace {

const std::string label = "Row sampling";
constexpr Index largestExact = 64; ///< up to here the scores take all of R, above that some random projections
constexpr Index projections = 16;

class RowSampling final : public SketchPreparation
{
public:
    bool tick(const Problem &problem, IndexStream &stream, Cost &cost) override
    {
        switch (m_step) {
        case Step::Sketch:
            if (m_sketch.tick(problem, qr, stream, cost))
                m_step = Step::SketchQr;
            return false;
        case Step::SketchQr:
            if (qr.tick())
                beginScores(problem, stream);
            return false;
        case Step::Project:
            project();
            return false;
        case Step::Score:
            score(problem, cost);
            return false;
        case Step::Zero:
            if (qr.zeroTick())
                beginSample(problem);
            return false;
        case Step::Sample:
            sample(problem, stream, cost);
            return false;
        case Step::SampleQr:
            if (!qr.tick())
                return false;
            if (m_row == problem.n()) {
                m_tau = {};
                m_Z.resize(0, 0);
                return true;
            }
            m_filled = problem.d(); // R stays on top, the next rows go below it
            m_step = Step::Sample;
            return false;
        }
        return true;
    }

private:
    enum class Step { Sketch, SketchQr, Project, Score, Zero, Sample, SampleQr };

    void beginScores(const Problem &problem, IndexStream &stream)
    {
        qr.repairDiagonal();
        m_tau.resize(static_cast<std::size_t>(problem.n()));
        m_row = 0;
        m_step = Step::Score;
        const Index d = problem.d();
        if (d <= largestExact)
            return;
        m_Z.resize(d, projections);
        for (Index j = 0; j < m_Z.size(); ++j) {
            const double radius = std::sqrt(-2 * std::log(1 - stream.uniform()) / projections);
            m_Z.data()[j] = radius * std::cos(2 * std::numbers::pi * stream.uniform());
        }
        m_projected = 0;
        m_step = Step::Project;
    }

    /// One column of Z = R^-1 G/sqrt(k).
    void project()
    {
        Vector z = m_Z.col(m_projected);
        qr.solve(z);
        m_Z.col(m_projected) = z;
        if (++m_projected == projections)
            m_step = Step::Score;
    }

    void score(const Problem &problem, Cost &cost)
    {
        // Scoring a row costs d^2 or d k, not d.
        const Index perRow = m_Z.size() > 0 ? projections : problem.d();
        const Index rows = std::max<Index>(4, rowsPerTick(problem) * 16 / std::max<Index>(16, perRow));
        const Index to = std::min(problem.n(), m_row + rows);
        if (m_Z.size() > 0)
            projectedLeverageScores(problem, m_Z, m_row, to, m_tau.data() + m_row);
        else
            leverageScores(problem, qr, m_row, to, m_tau.data() + m_row);
        cost.accesses += to - m_row;
        cost.fullAccesses += to - m_row;
        m_row = to;
        if (m_row < problem.n())
            return;
        m_sumTau = 0;
        for (const double tau : m_tau)
            m_sumTau += tau;
        qr.begin(4 * problem.d() + 4, problem.d());
        m_step = Step::Zero;
    }

    void beginSample(const Problem &problem)
    {
        const Index d = problem.d();
        const double gamma = problem.ridge();
        m_filled = 0;
        for (; gamma > 0 && m_filled < d; ++m_filled)
            qr.row(m_filled)[m_filled] = std::sqrt(gamma);
        m_row = 0;
        m_step = Step::Sample;
    }

    void sample(const Problem &problem, IndexStream &stream, Cost &cost)
    {
        const double w = std::get<SquaredLoss>(problem.loss()).w;
        const auto d = static_cast<double>(problem.d());
        const double expected = 4 * d * std::log(d + 1);
        const Index to = std::min(problem.n(), m_row + 4 * rowsPerTick(problem));
        std::visit(
            [&](const auto &A) {
                for (; m_row < to && m_filled < qr.rows(); ++m_row) {
                    const double p = std::min(1.0, expected * m_tau[static_cast<std::size_t>(m_row)] / m_sumTau);
                    if (!(stream.uniform() < p))
                        continue;
                    rowAxpy(A, m_row, std::sqrt(w / p), qr.row(m_filled++));
                    ++cost.accesses;
                    ++cost.fullAccesses;
                }
            },
            problem.data().train.features);
        if (m_row == problem.n() || m_filled == qr.rows())
            m_step = Step::SampleQr;
    }

    OsnapSketch m_sketch;
    Step m_step = Step::Sketch;
    Index m_row = 0;
    Index m_filled = 0; ///< rows of m_qr in use
    RowMatrix m_Z;
    Index m_projected = 0; ///< columns of Z
    std::vector<double> m_tau;
    double m_sumTau = 0;
};

} // namespace

MethodInfo catalogue::rowSampling()
{
    return {
        .id = "row-sampling",
        .label = label,
        .summary = "Least squares by conjugate gradients, preconditioned by rows sampled by their leverage scores.",
        .citation = "Li, Miller and Peng (FOCS 2013); Cohen et al. (ITCS 2015)",
        .update =
            "keep row i with pᵢ = min(1, 4 d ln(d+1) τᵢ/Στ), scaled 1/√pᵢ: sample = QR;  CG preconditioned by R'R",
        .table1 = "Row sampling: (n d + d^ω) log(ε₀/ε), on |Ax − b|²",
        .family = MethodFamily::LeastSquares,
        .lambda = LambdaMeaning::Unused,
        .inners = {},
        .params = {},
        .accessesPerStep = 0,
        .whyNot = [](const Problem &problem) { return SketchedSolver::whyNot(problem, label); },
        .make =
            [](const ProblemPtr &problem, std::string_view, const ParamSet &params) {
                const auto make = [](const ProblemPtr &p, const ParamSet &) {
                    return std::make_unique<SketchedSolver>(p, std::make_unique<RowSampling>());
                };
                return makeAlone(problem, {.lambda = LambdaMeaning::Unused, .params = {}, .make = make}, params);
            },
        .ratePerPass = [](const Problem &problem, const Constants &, const ParamSet &) -> std::optional<double> {
            const auto d = static_cast<double>(problem.d());
            return 1 / (4 * std::log(d + 1));
        },
    };
}

} // namespace appa
