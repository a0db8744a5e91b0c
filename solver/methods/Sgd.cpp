// SGD: stochastic gradient descent on F (or f_{s,lambda}) with a decaying step.
//
//     x <- x - (eta/sqrt(t)) (n phi_i'(a_i.x) a_i + gamma x + lambda (x - s)),   t = 1, 2, .. over all stages.
//
// The factor n makes the direction unbiased: F is a sum, not a mean. eta/sqrt(t) must stay below 2/L_max,
// L_max = n L R^2 + gamma; the default is eta = 1/L_max. Sublinear: E F - F_opt = O(log t / sqrt(t)).
//
// The iterate is kept as x = p z + q s with two numbers p and q, so the ridge and the proximal term cost O(1) a step
// and a step O(nnz), on dense rows as on sparse ones.
//
// H. Robbins, S. Monro: A stochastic approximation method. Annals of Mathematical Statistics 22 (1951).

#include "methods/Alone.h"
#include "methods/Catalogue.h"
#include "methods/CommonParams.h"
#include "methods/PrimalRows.h"
#include "methods/StepSizeSolver.h"

#include <cmath>

namespace appa {

namespace {

class Sgd final : public StepSizeSolver
{
public:
    using StepSizeSolver::StepSizeSolver;
    std::unique_ptr<InnerSolver> clone() const override { return std::make_unique<Sgd>(*this); }

    void tick(Index maxSteps, IndexStream &stream, Cost &cost) override
    {
        const std::size_t count = draw(maxSteps, stream);
        const double lambda = m_sub.lambda;
        const double shrink = lambdaT();
        const Index d = problem().d();
        const auto n = static_cast<double>(problem().n());
        const auto targets = problem().targets();
        dispatch(problem(), [&](const auto &A, const auto &loss) {
            const auto outputs = outputsOf(loss);
            double *margins = m_now.data();
            double *derivatives = m_now.data() + outputs;
            for (std::size_t r = 0; r < count; ++r) {
                const Index i = m_rows[r];
                for (int k = 0; k < outputs; ++k) {
                    const double *z = m_z.data() + k * d;
                    margins[k] = m_p * (k == 0 ? rowDotAhead(A, rowsFrom(r), z) : rowDot(A, i, z));
                    if (lambda > 0)
                        margins[k] += m_q * rowDot(A, i, m_sub.centre.data() + k * d);
                }
                derivativesAt(loss, margins, at(targets, i), derivatives);
                const double eta = m_eta / std::sqrt(static_cast<double>(++m_t));
                m_p *= 1 - eta * shrink;
                m_q += eta * (lambda - shrink * m_q);
                if (!(std::abs(m_p) > 1e-100 && std::abs(m_p) < 1e100))
                    rescale();
                for (int k = 0; k < outputs; ++k)
                    rowAxpy(A, i, -eta * n * derivatives[k] / m_p, m_z.data() + k * d);
            }
        });
        const auto done = static_cast<Index>(count);
        m_steps += done;
        cost.steps += done;
        cost.accesses += done;
    }

    void point(Vector &out) const override
    {
        out = m_p * m_z;
        if (m_sub.lambda > 0)
            out += m_q * m_sub.centre;
    }
    std::size_t stateBytes() const override { return sizeof *this + bytesOfVectors({m_z.size(), m_sub.centre.size()}); }

private:
    double automaticStep() const override { return 1 / lMax(); }
    void restart(const Vector &x) override
    {
        m_z = x;
        m_p = 1;
        m_q = 0;
        m_now.resize(2 * static_cast<std::size_t>(problem().outputs()));
    }
    void retuned() override { }

    /// p may become 0 (a step of exactly 1/shrink forgets x) or leave the range of doubles.
    void rescale()
    {
        m_z *= m_p;
        m_p = 1;
    }

    Vector m_z;
    double m_p = 1;
    double m_q = 0;
    Index m_t = 0;             ///< over all stages and subproblems
    std::vector<double> m_now; ///< a step's margins and derivatives
};

} // namespace

MethodInfo catalogue::sgd()
{
    const auto make = [](const ProblemPtr &problem, const ParamSet &params) {
        return std::make_unique<Sgd>(problem, params);
    };
    const auto specs = aloneParams(params::stepSizeLambda(std::string("auto")), {});
    return {
        .id = "sgd",
        .label = "SGD",
        .summary = "Steps along the gradient of one random term with a step that decays like 1/sqrt(t).",
        .citation = "Robbins and Monro (1951)",
        .update = "x ← x − (λ/√t) (n φᵢ′(aᵢ·x) aᵢ + γx)",
        .table1 = "",
        .family = MethodFamily::Stochastic,
        .lambda = LambdaMeaning::StepSize,
        .inners = {},
        .params = specs,
        .accessesPerStep = 1,
        .whyNot = [](const Problem &) { return std::string(); },
        .make =
            [make, specs](const ProblemPtr &problem, std::string_view, const ParamSet &params) {
                return makeAlone(problem, {.lambda = LambdaMeaning::StepSize, .params = specs, .make = make}, params);
            },
        .ratePerPass = [](const Problem &, const Constants &, const ParamSet &) -> std::optional<double> {
            return std::nullopt; // sublinear
        },
    };
}

} // namespace appa
