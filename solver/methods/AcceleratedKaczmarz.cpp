// Accelerated Kaczmarz (accelerated coordinate descent on the dual of A x = b): solves a consistent system.
//
// Rows scaled to unit length, l = lambda_min(A'A) of the scaled rows, i uniform; g_0 = 0 and in each step
//     g = the larger root of g^2 - g/n = (1 - g l/n) g_prev^2,  al = (n - g l)/(g (n^2 - l)),  be = 1 - g l/n,
//     y = al v + (1-al) x,  r = a_i.y - b_i,  x <- y - r a_i,  v <- be v + (1-be) y - g r a_i.
//
// E |x - x*|^2 falls like (1 + sqrt(l)/(2n))^(-2k) after k steps. Condition: the system has a solution; l at most the
// true lambda_min (larger: it may diverge). Automatic l = n mu/R^2: exact for rows of equal length, else a lower bound.
//
// x and v are kept as x = m11 p + m12 q, v = m21 p + m22 q: the mixing of a step changes the four numbers only, so a
// step is O(nnz). The matrix M loses its second direction geometrically; it is multiplied into p and q before that
// costs digits, which happens O(log) times in the beginning and then once in about n/sqrt(l) steps.
//
// Y.T. Lee, A. Sidford: Efficient accelerated coordinate descent methods. FOCS 2013. J. Liu, S. Wright: An accelerated
// randomized Kaczmarz algorithm. Mathematics of Computation 85 (2016).

#include "kernels/Kernels.h"
#include "methods/Alone.h"
#include "methods/Catalogue.h"
#include "methods/LeastSquares.h"

#include <algorithm>
#include <cmath>

namespace appa {

namespace {

const std::string label = "Accelerated Kaczmarz";

double automaticL(const Problem &problem, const Constants &constants)
{
    const double l = static_cast<double>(problem.n()) * constants.mu / (constants.R * constants.R);
    return std::isfinite(l) ? std::max(l, 0.0) : 0.0;
}

/// What a pass makes of E |x - x*|^2.
std::optional<double> factorPerPass(double l, Index rows)
{
    const auto n = static_cast<double>(rows);
    return l > 0 ? std::optional(std::pow(1 + std::sqrt(l) / (2 * n), -2 * n)) : std::nullopt;
}

class AcceleratedKaczmarz final : public InnerSolver
{
public:
    AcceleratedKaczmarz(ProblemPtr problem, const ParamSet &params)
        : m_problem(std::move(problem)), m_params(params) { }
    std::unique_ptr<InnerSolver> clone() const override { return std::make_unique<AcceleratedKaczmarz>(*this); }

    void begin(const Subproblem &, const Handover &from) override
    {
        m_steps = 0;
        m_watch.reset(*m_problem);
        restart(from.x);
    }
    void retune(const ParamSet &params) override
    {
        m_params = params;
        if (givenL() == m_l)
            return;
        Vector x;
        point(x);
        restart(x);
    }

    Knowledge needs() const override { return m_l < 0 ? Knowledge::Constants : Knowledge::Nothing; }
    void tick(Index maxSteps, IndexStream &stream, Cost &cost) override
    {
        if (m_l < 0)
            m_l = m_foundL = automaticL(*m_problem, *m_problem->constants());
        m_drawn.resize(static_cast<std::size_t>(std::min(maxSteps, rowsPerTick(*m_problem))));
        for (Index &i : m_drawn)
            i = stream.next();
        std::visit(
            [&](const auto &A) {
                for (std::size_t r = 0; r < m_drawn.size(); ++r)
                    step(A, std::span(m_drawn).subspan(r));
            },
            m_problem->data().train.features);
        const auto done = static_cast<Index>(m_drawn.size());
        m_steps += done;
        cost.steps += done;
        cost.accesses += done;
    }

    Index steps() const override { return m_steps; }
    void point(Vector &out) const override { out = m_m11 * m_p + m_m12 * m_q; }
    Handover handover() const override
    {
        Handover h;
        point(h.x);
        return h;
    }
    ParamSet effective() const override
    {
        ParamSet own;
        if (m_l >= 0)
            own.set("l", m_l);
        return own;
    }
    std::string warning() const override { return m_watch.message(*m_problem, factorPerPass(m_l, m_problem->n())); }
    std::size_t stateBytes() const override
    {
        return sizeof *this + static_cast<std::size_t>(m_p.size() + m_q.size()) * sizeof(double);
    }

private:
    /// Below 0: the automatic one, to be found in the first tick.
    double givenL() const { return m_params.contains("l") && !m_params.isAuto("l") ? m_params.real("l") : m_foundL; }
    void restart(const Vector &x)
    {
        m_l = givenL();
        m_p = x;
        m_q = x;
        m_m11 = m_m22 = 1;
        m_m12 = m_m21 = 0;
        m_g = 0;
    }

    /// The step on the first of the rows to come.
    template <class Matrix> void step(const Matrix &A, std::span<const Index> rows)
    {
        const Index i = rows[0];
        const auto n = static_cast<double>(m_problem->n());
        // g^2 + c g - g_prev^2 = 0
        const double c = (m_l * m_g * m_g - 1) / n;
        m_g = 0.5 * (std::sqrt(c * c + 4 * m_g * m_g) - c);
        // l = n^2 belongs to a single row of a single entry, which x fulfils in any case.
        const double al = m_l < n * n ? (n - m_g * m_l) / (m_g * (n * n - m_l)) : 1;
        const double be = 1 - m_g * m_l / n;

        // y = y1 p + y2 q
        const double y1 = al * m_m21 + (1 - al) * m_m11;
        const double y2 = al * m_m22 + (1 - al) * m_m12;
        const double norm2 = m_problem->squaredNorms()[static_cast<std::size_t>(i)];
        double r = 0; // of the unit row, over its length
        if (norm2 > 0) {
            const double raw = y1 * rowDotAhead(A, rows, m_p.data()) + y2 * rowDot(A, i, m_q.data())
                - m_problem->targets()[static_cast<std::size_t>(i)];
            m_watch.add(raw, m_problem->n());
            r = raw / norm2;
        }
        m_m21 = be * m_m21 + (1 - be) * y1;
        m_m22 = be * m_m22 + (1 - be) * y2;
        m_m11 = y1;
        m_m12 = y2;

        double determinant = m_m11 * m_m22 - m_m12 * m_m21;
        if (!(std::abs(determinant) > 1e-3)) {
            multiplyOut();
            determinant = 1;
        }
        // M^-1 (-r, -g r)
        rowAxpy(A, i, -r * (m_m22 - m_g * m_m12) / determinant, m_p.data());
        rowAxpy(A, i, -r * (m_g * m_m11 - m_m21) / determinant, m_q.data());
    }

    void multiplyOut()
    {
        for (Index j = 0; j < m_p.size(); ++j) {
            const double p = m_p[j];
            const double q = m_q[j];
            m_p[j] = m_m11 * p + m_m12 * q;
            m_q[j] = m_m21 * p + m_m22 * q;
        }
        m_m11 = m_m22 = 1;
        m_m12 = m_m21 = 0;
    }

    ProblemPtr m_problem;
    ParamSet m_params;
    double m_l = -1;
    double m_foundL = -1; ///< the automatic one, once it is found
    double m_g = 0;
    Vector m_p;
    Vector m_q;
    double m_m11 = 1, m_m12 = 0, m_m21 = 0, m_m22 = 1;
    Index m_steps = 0;
    std::vector<Index> m_drawn;
    leastSquares::ConsistencyWatch m_watch;
};

ParamSpec lSpec()
{
    return {
        .key = "l",
        .label = "λ_min of the unit rows",
        .help =
            "The smallest eigenvalue of A'A with every row scaled to length 1. Too small: slower; too large: it may "
            "diverge. Automatic: nμ/R², exact when all rows have the same length.",
        .type = ParamSpec::Type::Real,
        .defaultValue = std::string("auto"),
        .min = 0,
        .max = 1e12,
        .scale = ParamSpec::Scale::Linear,
        .allowAuto = true,
        .choices = {}};
}

} // namespace

MethodInfo catalogue::acceleratedKaczmarz()
{
    const auto specs = aloneParams(std::nullopt, {lSpec()});
    return {
        .id = "accelerated-kaczmarz",
        .label = label,
        .summary = "Kaczmarz's projections with momentum. For consistent systems Ax = b.",
        .citation = "Lee and Sidford (FOCS 2013); Liu and Wright (2016)",
        .update = "y = αv + (1−α)x;  r = aᵢ·y − bᵢ;  x ← y − r aᵢ;  v ← βv + (1−β)y − g r aᵢ",
        .table1 = "Acc. coord.: d n √κ log(ε₀/ε), on Ax = b",
        .family = MethodFamily::LeastSquares,
        .lambda = LambdaMeaning::Unused,
        .inners = {},
        .params = specs,
        .accessesPerStep = 1,
        .whyNot = [](const Problem &problem) { return leastSquares::needsLinearSystem(problem, label); },
        .make =
            [specs](const ProblemPtr &problem, std::string_view, const ParamSet &params) {
                const auto make = [](const ProblemPtr &p, const ParamSet &own) {
                    return std::make_unique<AcceleratedKaczmarz>(p, own);
                };
                return makeAlone(problem, {.lambda = LambdaMeaning::Unused, .params = specs, .make = make}, params);
            },
        .ratePerPass = [](const Problem &problem, const Constants &constants,
                          const ParamSet &effective) -> std::optional<double> {
            const bool given = effective.contains("l") && !effective.isAuto("l");
            return factorPerPass(given ? effective.real("l") : automaticL(problem, constants), problem.n());
        },
    };
}

} // namespace appa
