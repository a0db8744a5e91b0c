// Normal equations: the minimizer of F with the squared loss, directly.
//
//     (w A'A + gamma I) p = -grad F(x),  x <- x + p,
// A'A a few rows at a time, Cholesky tile by tile, then the same solve twice more from the true gradient (iterative
// refinement), one a stage. Cost n d^2 + d^3/3.
//
// Condition: d moderate (the matrix is d x d). Columns that are linearly dependent make the matrix singular: then the
// smallest shift that Cholesky accepts is added and more refinements follow, each a proximal point step of that weight,
// which un-regularizes what the shift did.
//
// C.F. Gauss (1809); A. Bjorck: Numerical methods for least squares problems (1996).

#include "methods/Alone.h"
#include "methods/Catalogue.h"
#include "methods/DenseSystem.h"
#include "methods/LeastSquares.h"
#include "methods/PrimalRows.h"
#include "methods/SharedWork.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace appa {

namespace {

const std::string label = "Normal equations";
constexpr Index largestDimension = 5000;
constexpr int refinements = 2;
constexpr int shiftedRefinements = 10;

/// w A'A + gamma I = L L', with the smallest shift that Cholesky accepts.
class Factor
{
public:
    bool tick(Cost &cost, const Problem &problem)
    {
        if (m_curvatures.empty()) {
            m_curvatures.assign(static_cast<std::size_t>(problem.n()), std::get<SquaredLoss>(problem.loss()).w);
            m_gram.begin(problem, m_H);
        }
        if (!m_hasGram) {
            m_hasGram = m_gram.tick(problem, m_curvatures, m_H, cost);
            if (m_hasGram)
                m_cholesky.begin(problem.dim(), problem.ridge());
            return false;
        }
        if (!m_cholesky.tick(m_H))
            return false;
        if (m_cholesky.failed()) {
            const double trace = m_H.trace();
            if (!std::isfinite(trace) || !(trace > 0)) {
                m_message = "The Gram matrix is zero or not finite.";
                return true;
            }
            m_shifted = m_shifted == 0 ? 0x1p-50 * trace : 16 * m_shifted;
            m_cholesky.begin(problem.dim(), problem.ridge() + m_shifted);
            return false;
        }
        m_H.resize(0, 0);
        m_curvatures = {0};
        return true;
    }
    const TiledCholesky &cholesky() const { return m_cholesky; }
    double shifted() const { return m_shifted; } ///< what had to be added to the ridge
    const std::string &message() const { return m_message; }

private:
    GramPass m_gram;
    bool m_hasGram = false;
    Matrix m_H;
    std::vector<double> m_curvatures;
    TiledCholesky m_cholesky;
    double m_shifted = 0;
    std::string m_message;
};

class NormalEquations final : public InnerSolver
{
public:
    explicit NormalEquations(ProblemPtr problem) : m_problem(std::move(problem)) { }
    std::unique_ptr<InnerSolver> clone() const override { return std::make_unique<NormalEquations>(*this); }

    void begin(const Subproblem &, const Handover &from) override
    {
        m_x = from.x;
        m_steps = 0;
        m_solves = 0;
        m_best = std::numeric_limits<double>::infinity();
        m_message.clear();
        m_failed = false;
        if (m_factor.finished())
            factored();
        else
            m_phase = Phase::Factor;
    }
    void retune(const ParamSet &) override { }

    void tick(Index, IndexStream &, Cost &cost) override
    {
        switch (m_phase) {
        case Phase::Factor:
            if (m_factor.tick(cost, *m_problem))
                factored();
            break;
        case Phase::Gradient:
            if (m_pass.tick(*m_problem, m_x, m_g, {}, cost)) {
                m_g += m_problem->ridge() * m_x;
                m_p = -m_g;
                m_solved = 0;
                m_phase = Phase::Solve;
            }
            break;
        case Phase::Solve:
            if (m_factor.result().cholesky().solveTick(m_p, m_solved)) {
                ++cost.steps;
                m_steps += m_problem->n();
                solved();
            }
            break;
        case Phase::Done:
            break;
        }
    }

    Index steps() const override { return m_steps; }
    bool finished() const override { return m_phase == Phase::Done; }
    bool failed() const override { return m_failed; }
    void point(Vector &out) const override { out = m_x; }
    Handover handover() const override
    {
        Handover h;
        h.x = m_x;
        return h;
    }
    ParamSet effective() const override { return {}; }
    std::string message() const override { return m_message; }
    std::size_t stateBytes() const override
    {
        return sizeof *this + static_cast<std::size_t>(m_x.size() + m_g.size() + m_p.size()) * sizeof(double);
    }

private:
    enum class Phase { Factor, Gradient, Solve, Done };

    void factored()
    {
        if (m_factor.result().message().empty())
            beginGradient();
        else
            fail(m_factor.result().message());
    }
    void beginGradient()
    {
        m_pass.begin(*m_problem, m_g);
        m_phase = Phase::Gradient;
    }
    void solved()
    {
        if (!m_p.allFinite())
            return fail("The solution is not finite.");
        m_x += m_p;
        ++m_solves;
        const bool shifted = m_factor.result().shifted() > 0;
        const double norm = m_g.norm();
        const bool enough = shifted ? m_solves > shiftedRefinements || norm > 0.5 * m_best : m_solves > refinements;
        m_best = norm;
        if (!enough)
            return beginGradient();
        end(shifted ? "Solved; the columns are linearly dependent, so this is one of many minimizers."
                    : "Solved directly.");
    }
    void fail(std::string why)
    {
        m_failed = true;
        end(std::move(why));
    }
    void end(std::string why)
    {
        m_message = std::move(why);
        m_phase = Phase::Done;
    }

    ProblemPtr m_problem;
    Phase m_phase = Phase::Done;
    SharedWork<Factor> m_factor;
    Vector m_x;
    Vector m_g;
    Vector m_p;
    Index m_solved = 0; ///< how far m_p is
    FullPass m_pass;
    Index m_steps = 0;
    int m_solves = 0;
    double m_best = 0;
    std::string m_message;
    bool m_failed = false;
};

} // namespace

MethodInfo catalogue::normalEquations()
{
    return {
        .id = "normal-equations",
        .label = label,
        .summary = "Solves the least-squares problem directly: Gram matrix, Cholesky, two refinements.",
        .citation = "Gauss (1809); Björck (1996)",
        .update = "(A'A/n + γI) p = −∇F(x);  x ← x + p",
        .table1 = "Naive mult.: n d², on |Ax − b|²",
        .family = MethodFamily::LeastSquares,
        .lambda = LambdaMeaning::Unused,
        .inners = {},
        .params = {},
        .accessesPerStep = 0,
        .whyNot =
            [](const Problem &problem) {
                std::string why = leastSquares::needsSquaredLoss(problem, label);
                if (why.empty() && problem.d() > largestDimension)
                    why = label + " need a " + std::to_string(problem.d()) + " x " + std::to_string(problem.d())
                        + " matrix and are offered up to " + std::to_string(largestDimension)
                        + " features: choose an iterative method.";
                return why;
            },
        .make =
            [](const ProblemPtr &problem, std::string_view, const ParamSet &params) {
                const auto make = [](const ProblemPtr &p, const ParamSet &) {
                    return std::make_unique<NormalEquations>(p);
                };
                return makeAlone(problem, {.lambda = LambdaMeaning::Unused, .params = {}, .make = make}, params);
            },
        .ratePerPass = [](const Problem &, const Constants &, const ParamSet &) -> std::optional<double> {
            return std::nullopt; // direct
        },
    };
}

} // namespace appa
