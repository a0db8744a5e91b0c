// Exact: the minimizer of f_{s,lambda}(x) = F(x) + (lambda/2)|x-s|^2 to rounding, in ticks; the oracle of PPA.
//
// Newton's method, x <- x + t p with H p = -grad f(x), H = sum_i phi_i'' a_i a_i' + (lambda+gamma) I:
// - dim <= 1500: H accumulated a few rows at a time, Cholesky tile by tile. Squared loss: A'A is made once and shared
//   by all stages and copies, the factor as long as lambda stays; further steps are iterative refinement.
// - larger: conjugate gradients on H with the diagonal as preconditioner, to a tolerance that tightens (truncated
//   Newton); squared loss: to 1e-13, restarted from the true gradient.
// The step is searched along the margins A x + t A p, which costs no rows (but ticks), until the decrease is at
// rounding level; from then on full steps are taken as long as they halve the gradient. The smoothed hinge's
// generalized Hessian is positive definite with lambda + gamma > 0, so p is a descent direction there, too (semismooth
// Newton).
//
// Condition: lambda + gamma > 0, or H positive definite.
//
// R. Dembo, T. Steihaug: Truncated-Newton algorithms for large-scale unconstrained optimization. Mathematical
// Programming 26 (1983). L. Qi, J. Sun: A nonsmooth version of Newton's method. Mathematical Programming 58 (1993).

#include "methods/Catalogue.h"
#include "methods/DenseSystem.h"
#include "methods/HessianCg.h"
#include "methods/PrimalRows.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace appa {

namespace {

constexpr Index largestDense = 1500;
constexpr int maxIterations = 200;
constexpr const char *indefinite =
    "The Hessian is not positive definite: choose a larger proximal weight, or add a ridge.";
constexpr Index termsPerTick = 1 << 14; ///< an exponential or two each: some hundred microseconds

class Exact final : public InnerSolver
{
public:
    explicit Exact(ProblemPtr problem)
        : m_problem(std::move(problem)), m_dense(m_problem->dim() <= largestDense),
          m_quadratic(std::holds_alternative<SquaredLoss>(m_problem->loss()))
    {
    }
    std::unique_ptr<InnerSolver> clone() const override { return std::make_unique<Exact>(*this); }

    void begin(const Subproblem &sub, const Handover &from) override
    {
        m_sub = sub;
        m_x = from.x;
        m_steps = 0;
        m_iterations = 0;
        m_previous = std::numeric_limits<double>::infinity();
        m_polishing = m_quadratic;
        m_polishBelow = 1e-9;
        m_message.clear();
        const auto rows = static_cast<std::size_t>(m_problem->n() * m_problem->outputs());
        m_margins.resize(rows);
        m_curvatures.resize(rows);
        m_lineMargins.resize(m_quadratic ? 0 : rows);
        evaluate();
    }
    void retune(const ParamSet &) override { }

    void tick(Index, IndexStream &, Cost &cost) override
    {
        const Index before = cost.accesses;
        switch (m_phase) {
        case Phase::Evaluate:
            if (m_pass.tick(*m_problem, m_x, m_g, {.margins = m_margins.data(), .curvatures = m_curvatures.data()},
                            cost)) {
                ++cost.steps;
                beginSum(Phase::Scale);
            }
            break;
        case Phase::Scale:
            if (scaleTick())
                evaluated();
            break;
        case Phase::Gram:
            if (m_gramPass.tick(*m_problem, m_curvatures, m_building, cost)) {
                m_H = std::make_shared<const Matrix>(std::move(m_building));
                m_building.resize(0, 0);
                beginFactor();
            }
            break;
        case Phase::Factor:
            if (m_newFactor.tick(*m_H)) {
                m_factor = std::make_shared<const TiledCholesky>(std::move(m_newFactor));
                m_newFactor = {};
                if (m_factor->failed())
                    fail(indefinite);
                else
                    directSolve();
            }
            break;
        case Phase::Cg:
            switch (m_cg.tick(*m_problem, m_curvatures, cost)) {
            case HessianCg::State::More:
                break;
            case HessianCg::State::Found:
                m_p = m_cg.solution();
                directionFound();
                break;
            case HessianCg::State::Indefinite:
                fail(indefinite);
            }
            break;
        case Phase::Line:
            if (m_linePass.tick(*m_problem, m_p, m_lineMargins, cost)) {
                m_t = 1;
                m_size = 0;
                beginSum(Phase::Search);
            }
            break;
        case Phase::Search:
            if (changeTick())
                judgeStep();
            break;
        case Phase::Done:
            break;
        }
        m_accesses += cost.accesses - before;
        while (m_accesses >= m_problem->n()) {
            m_accesses -= m_problem->n();
            m_steps += m_problem->n();
        }
    }

    Index steps() const override { return m_steps; }
    bool finished() const override { return m_phase == Phase::Done; }
    bool failed() const override { return !m_message.empty(); }
    bool exact() const override { return true; }
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
        const Index vectors =
            m_x.size() + m_g.size() + m_p.size() + m_previousX.size() + m_sub.centre.size() + m_building.size();
        return sizeof *this + m_newFactor.bytes() + m_cg.bytes()
            + (static_cast<std::size_t>(vectors) + m_margins.size() + m_curvatures.size() + m_lineMargins.size())
            * sizeof(double);
    }

private:
    enum class Phase { Evaluate, Scale, Gram, Factor, Cg, Line, Search, Done };

    double lambdaT() const { return m_sub.lambdaT(m_problem->ridge()); }

    void evaluate()
    {
        m_pass.begin(*m_problem, m_g);
        m_phase = Phase::Evaluate;
    }

    /// A sum over the rows' numbers, in ticks.
    void beginSum(Phase phase)
    {
        m_sum = m_bend = 0;
        m_sumRow = 0;
        m_phase = phase;
    }
    std::size_t rowsOfSum()
    {
        const auto outputs = static_cast<Index>(m_problem->outputs());
        m_sumRow = std::min(m_problem->n(), m_sumRow + std::max<Index>(1, termsPerTick / outputs));
        return static_cast<std::size_t>(m_sumRow);
    }

    void evaluated()
    {
        m_g += lambdaT() * m_x - m_sub.lambda * m_sub.centre;
        const double norm = m_g.norm();
        // sum_i |phi_i'(m_i)| |a_i| + ..: what the gradient's terms add up to before they cancel.
        const double terms = m_sum + lambdaT() * m_x.norm() + m_sub.lambda * m_sub.centre.norm();
        // And what the rounding of the margins, of the size |a_i| |x|, brings into them.
        const double scale = terms + m_bend * m_x.norm();
        if (!std::isfinite(norm))
            return fail("The gradient is not finite.");
        if (norm <= 0x1p-53 * terms)
            return done();
        if (m_polishing && m_iterations > 0 && norm > 0.5 * m_previous) {
            if (m_quadratic || m_previous <= 0x1p-44 * scale || m_polishBelow < 1e-20) {
                if (norm > m_previous)
                    m_x = m_previousX;
                return done();
            }
            // A full step across a kink, or too early: back to the line search.
            m_polishing = false;
            m_polishBelow *= 1e-3;
        }
        if (norm <= 0x1p-53 * scale)
            m_polishing = true;
        if (++m_iterations > maxIterations)
            return fail("Newton's method stopped after " + std::to_string(maxIterations) + " iterations.");
        m_first = m_iterations == 1 ? norm : m_first;
        m_previous = norm;
        m_previousX = m_x;
        if (!m_dense) {
            const double tolerance = m_quadratic ? 1e-13 : std::min(0.1, std::sqrt(m_previous / m_first));
            m_cg.begin(*m_problem, -m_g, lambdaT(), {.tolerance = tolerance, .most = m_quadratic ? 10000 : 1000});
            m_phase = Phase::Cg;
        } else if (!m_quadratic || !m_H) {
            m_gramPass.begin(*m_problem, m_building);
            m_phase = Phase::Gram;
        } else {
            beginFactor();
        }
    }

    bool scaleTick()
    {
        std::size_t i = static_cast<std::size_t>(m_sumRow);
        const std::size_t to = rowsOfSum();
        dispatch(*m_problem, [&](const auto &, const auto &loss) {
            const auto outputs = static_cast<std::size_t>(static_cast<int>(outputsOf(loss)));
            const auto targets = m_problem->targets();
            const auto norms = m_problem->squaredNorms();
            std::vector<double> derivative(outputs);
            for (; i < to; ++i) {
                derivativesAt(loss, m_margins.data() + i * outputs, targets[i], derivative.data());
                double size = 0;
                for (const double v : derivative)
                    size += v * v;
                m_sum += std::sqrt(size * norms[i]);
                for (std::size_t k = 0; k < outputs; ++k)
                    m_bend += curvatureOf(loss, m_curvatures[i * outputs + k]) * norms[i];
            }
        });
        return m_sumRow == m_problem->n();
    }

    // --- direct ---------------------------------------------------------------------------------------------------

    void beginFactor()
    {
        if (m_quadratic && m_factor && m_factor->shift() == lambdaT())
            return directSolve();
        m_newFactor.begin(m_problem->dim(), lambdaT());
        m_phase = Phase::Factor;
    }
    void directSolve()
    {
        m_p = -m_g;
        m_factor->solve(m_p);
        directionFound();
    }

    // --- the step
    // -----------------------------------------------------------------------------------------------------

    void directionFound()
    {
        if (!m_p.allFinite())
            return fail("The Newton step is not finite.");
        if (m_polishing) {
            m_x += m_p;
            return evaluate();
        }
        m_linePass.begin();
        m_phase = Phase::Line;
    }

    /// F's part of f(x + t p) - f(x), term by term, so that small changes are not lost in f; with t = 1 f's size, too.
    bool changeTick()
    {
        std::size_t i = static_cast<std::size_t>(m_sumRow);
        const std::size_t to = rowsOfSum();
        dispatch(*m_problem, [&](const auto &, const auto &loss) {
            const auto outputs = static_cast<std::size_t>(static_cast<int>(outputsOf(loss)));
            const auto targets = m_problem->targets();
            std::vector<double> moved(outputs);
            for (; i < to; ++i) {
                const double *m = m_margins.data() + i * outputs;
                const double *dm = m_lineMargins.data() + i * outputs;
                for (std::size_t k = 0; k < outputs; ++k)
                    moved[k] = m[k] + m_t * dm[k];
                double before = 0;
                if constexpr (isScalarLoss<std::decay_t<decltype(loss)>>) {
                    before = loss.value(m[0], targets[i]);
                    m_sum += loss.value(moved[0], targets[i]) - before;
                } else {
                    before = loss.value({m, outputs}, targets[i]);
                    m_sum += loss.value(moved, targets[i]) - before;
                }
                if (m_t == 1)
                    m_size += std::abs(before);
            }
        });
        return m_sumRow == m_problem->n();
    }

    /// f's change with the step t p is known: take it, or try half of it.
    void judgeStep()
    {
        const double slope = m_g.dot(m_p); // minus the squared Newton decrement
        if (m_t == 1) {
            m_size +=
                0.5 * m_problem->ridge() * m_x.squaredNorm() + 0.5 * m_sub.lambda * (m_x - m_sub.centre).squaredNorm();
            if (-slope <= m_polishBelow * m_size) {
                m_polishing = true;
                m_x += m_p;
                return evaluate();
            }
        }
        const double linear = lambdaT() * m_x.dot(m_p) - m_sub.lambda * m_sub.centre.dot(m_p);
        const double change = m_sum + m_t * linear + 0.5 * m_t * m_t * lambdaT() * m_p.squaredNorm();
        if (!(change <= 1e-4 * m_t * slope)) {
            // Downhill, and yet nothing is lower as far as x can tell points apart: what is left is rounding.
            if (m_t < 0x1p-60 && m_t * m_p.norm() <= 0x1p-54 * m_x.norm())
                return done();
            m_t *= 0.5;
            return beginSum(Phase::Search);
        }
        m_x += m_t * m_p;
        evaluate();
    }

    void done() { m_phase = Phase::Done; }
    void fail(std::string why)
    {
        m_message = std::move(why);
        if (m_previousX.size() == m_x.size() && std::isfinite(m_previous))
            m_x = m_previousX;
        done();
    }

    ProblemPtr m_problem;
    bool m_dense;
    bool m_quadratic;
    Subproblem m_sub;
    Phase m_phase = Phase::Done;
    Vector m_x;
    Vector m_g;
    Vector m_p; ///< the Newton direction
    FullPass m_pass;
    std::vector<double> m_margins;
    std::vector<double> m_curvatures;
    Index m_steps = 0;
    Index m_accesses = 0; ///< not yet a full pass
    int m_iterations = 0;
    bool m_polishing = false; ///< the decrease is at rounding level: full steps while they halve the gradient
    double m_polishBelow = 0; ///< what that level is, relative to f
    double m_first = 0;       ///< |grad f| at the start
    double m_previous = 0;    ///< |grad f| at m_previousX, where the last step began
    Vector m_previousX;
    std::string m_message;

    GramPass m_gramPass;
    Matrix m_building;
    std::shared_ptr<const Matrix> m_H; ///< shared by copies and, for the squared loss, by all stages
    TiledCholesky m_newFactor;
    std::shared_ptr<const TiledCholesky> m_factor;

    HessianCg m_cg;

    MarginPass m_linePass;
    std::vector<double> m_lineMargins; ///< A p
    double m_t = 1;                    ///< the step that is tried
    double m_size = 0;                 ///< of f
    double m_sum = 0;
    double m_bend = 0; ///< sum_i phi_i'' |a_i|^2
    Index m_sumRow = 0;
};

} // namespace

InnerInfo catalogue::exactInner()
{
    return {
        .id = "exact",
        .label = "Exact (Newton)",
        .params = {},
        .whyNot = [](const Problem &) { return std::string(); },
        .make = [](const ProblemPtr &problem, const ParamSet &) { return std::make_unique<Exact>(problem); },
    };
}

} // namespace appa
