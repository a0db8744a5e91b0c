// Randomized Kaczmarz: solves a consistent system A x = b (the minimizer of F with the squared loss when F_opt = 0).
//
//     x <- x + (b_i - a_i.x)/|a_i|^2 a_i,   row i drawn with p_i = |a_i|^2/|A|_F^2
// (order "cyclic" or "permutation": the rows in that order). x is projected onto the hyperplane of one equation.
//
// E |x - x*|^2 contracts by 1 - lambda_min(A'A)/|A|_F^2 a step. Condition: the system has a solution; else x hovers
// around the least-squares solution at a distance set by the residual, and a warning says so.
//
// T. Strohmer, R. Vershynin: A randomized Kaczmarz algorithm with exponential convergence. J. Fourier Anal. Appl. 15
// (2009). S. Kaczmarz (1937).

#include "kernels/Kernels.h"
#include "methods/Alone.h"
#include "methods/Catalogue.h"
#include "methods/LeastSquares.h"

#include <algorithm>
#include <cmath>

namespace appa {

namespace {

const std::string label = "Kaczmarz";

/// What a pass makes of E |x - x*|^2: (1 - lambda_min(A'A)/|A|_F^2)^n with lambda_min(A'A) = n mu and
/// |A|_F^2 = n mean |a_i|^2.
std::optional<double> factorPerPass(const Problem &problem, const Constants &constants)
{
    if (!(problem.meanSquaredNorm() > 0) || !(constants.mu > 0))
        return std::nullopt;
    return std::pow(std::max(0.0, 1 - constants.mu / problem.meanSquaredNorm()), static_cast<double>(problem.n()));
}

class Kaczmarz final : public InnerSolver
{
public:
    explicit Kaczmarz(ProblemPtr problem)
        : m_problem(std::move(problem)),
          m_rows(std::make_shared<const leastSquares::AliasTable>(m_problem->squaredNorms()))
    {
    }
    std::unique_ptr<InnerSolver> clone() const override { return std::make_unique<Kaczmarz>(*this); }

    void begin(const Subproblem &, const Handover &from) override
    {
        m_x = from.x;
        m_steps = 0;
        m_watch.reset(*m_problem);
    }
    void retune(const ParamSet &) override { }

    void tick(Index maxSteps, IndexStream &stream, Cost &cost) override
    {
        const Index n = m_problem->n();
        m_drawn.resize(static_cast<std::size_t>(std::min(maxSteps, rowsPerTick(*m_problem))));
        const bool byNorm = stream.order() == IndexStream::Order::Random;
        for (Index &i : m_drawn)
            i = byNorm ? (*m_rows)(stream.uniform()) : stream.next();
        std::visit(
            [&](const auto &A) {
                for (std::size_t r = 0; r < m_drawn.size(); ++r) {
                    const auto i = static_cast<std::size_t>(m_drawn[r]);
                    const double residual =
                        m_problem->targets()[i] - rowDotAhead(A, std::span(m_drawn).subspan(r), m_x.data());
                    m_watch.add(residual, n);
                    if (const double norm2 = m_problem->squaredNorms()[i]; norm2 > 0)
                        rowAxpy(A, m_drawn[r], residual / norm2, m_x.data());
                }
            },
            m_problem->data().train.features);
        const auto done = static_cast<Index>(m_drawn.size());
        m_steps += done;
        cost.steps += done;
        cost.accesses += done;
    }

    Index steps() const override { return m_steps; }
    void point(Vector &out) const override { out = m_x; }
    Handover handover() const override
    {
        Handover h;
        h.x = m_x;
        return h;
    }
    ParamSet effective() const override { return {}; }
    std::string warning() const override
    {
        const auto constants = m_problem->knownConstants();
        return m_watch.message(*m_problem, constants ? factorPerPass(*m_problem, *constants) : std::nullopt);
    }
    std::size_t stateBytes() const override
    {
        return sizeof *this + static_cast<std::size_t>(m_x.size()) * sizeof(double);
    }

private:
    ProblemPtr m_problem;
    std::shared_ptr<const leastSquares::AliasTable> m_rows;
    Vector m_x;
    Index m_steps = 0;
    std::vector<Index> m_drawn;
    leastSquares::ConsistencyWatch m_watch;
};

} // namespace

MethodInfo catalogue::kaczmarz()
{
    const auto specs = aloneParams(std::nullopt, {});
    return {
        .id = "kaczmarz",
        .label = label,
        .summary = "Projects x onto the solutions of one equation at a time. For consistent systems Ax = b.",
        .citation = "Strohmer and Vershynin (2009)",
        .update = "x ← x + (bᵢ − aᵢ·x)/|aᵢ|² aᵢ,  row i with probability |aᵢ|²/|A|²",
        .table1 = "R. Kaczmarz: d n κ log(ε₀/ε), on Ax = b",
        .family = MethodFamily::LeastSquares,
        .lambda = LambdaMeaning::Unused,
        .inners = {},
        .params = specs,
        .accessesPerStep = 1,
        .whyNot = [](const Problem &problem) { return leastSquares::needsLinearSystem(problem, label); },
        .make =
            [specs](const ProblemPtr &problem, std::string_view, const ParamSet &params) {
                const auto make = [](const ProblemPtr &p, const ParamSet &) { return std::make_unique<Kaczmarz>(p); };
                return makeAlone(problem, {.lambda = LambdaMeaning::Unused, .params = specs, .make = make}, params);
            },
        .ratePerPass = [](const Problem &problem, const Constants &constants,
                          const ParamSet &) { return factorPerPass(problem, constants); },
    };
}

} // namespace appa
