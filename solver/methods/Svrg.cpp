// SVRG: stochastic variance-reduced gradient on F (or f_{s,lambda}).
//
// A snapshot x0 with its full gradient is taken every n steps (times "snapshot"); in between
//     x <- x - eta (n (phi_i'(a_i.x) - phi_i'(a_i.x0)) a_i + sum_j phi_j'(a_j.x0) a_j + gamma x + lambda (x - s)).
// The snapshot is the last iterate. phi_j'(a_j.x0) are kept, so a step touches one row once; the full gradient's n
// accesses are counted, and counted apart.
//
// Converges for eta < 1/(2 L_max) and enough steps per snapshot, L_max = n L R^2 + gamma + lambda: each snapshot
// contracts E F - F_opt by 1/(mu eta (1 - 2 L_max eta) m) + 2 L_max eta/(1 - 2 L_max eta). Default eta = 0.1/L_max.
//
// R. Johnson, T. Zhang: Accelerating stochastic gradient descent using predictive variance reduction. NIPS 2013.

#include "methods/AffineIterate.h"
#include "methods/Alone.h"
#include "methods/Catalogue.h"
#include "methods/CommonParams.h"
#include "methods/StepSizeSolver.h"

#include <algorithm>
#include <cmath>

namespace appa {

namespace {

class Svrg final : public StepSizeSolver
{
public:
    using StepSizeSolver::StepSizeSolver;
    std::unique_ptr<InnerSolver> clone() const override { return std::make_unique<Svrg>(*this); }

    void tick(Index maxSteps, IndexStream &stream, Cost &cost) override
    {
        if (m_left == 0 && !m_passing)
            takeSnapshot();
        if (!m_passing) {
            takeSteps(std::min(maxSteps, m_left), stream, cost);
        } else if (m_pass.tick(problem(), m_x0, m_g, {.derivatives = m_derivatives.data()}, cost)) {
            if (m_sub.lambda > 0)
                m_g -= m_sub.lambda * m_sub.centre;
            m_x.load(m_x0, m_g);
            m_passing = false;
            m_left = snapshotSteps();
        }
    }

    void point(Vector &out) const override
    {
        if (m_passing)
            out = m_x0;
        else
            m_x.point(out);
    }
    ParamSet effective() const override
    {
        ParamSet own = StepSizeSolver::effective();
        own.set("snapshot", m_params.contains("snapshot") ? m_params.real("snapshot") : 1.0);
        return own;
    }
    std::size_t stateBytes() const override
    {
        return sizeof *this + m_x.bytes()
            + bytesOfVectors({m_x0.size(), m_g.size(), static_cast<Index>(m_derivatives.size()), m_sub.centre.size()});
    }

private:
    double automaticStep() const override { return 0.1 / lMax(); }
    void restart(const Vector &x) override
    {
        m_derivatives.resize(static_cast<std::size_t>(problem().n() * problem().outputs()));
        m_now.resize(2 * static_cast<std::size_t>(problem().outputs()));
        m_x.reset(problem());
        m_x.setStep(m_eta, lambdaT());
        m_x0 = x;
        startPass();
    }
    void retuned() override
    {
        m_x.setStep(m_eta, lambdaT());
        m_left = std::min(m_left, snapshotSteps());
    }
    Index snapshotSteps() const
    {
        const double passes = m_params.contains("snapshot") ? m_params.real("snapshot") : 1.0;
        return std::max<Index>(1, static_cast<Index>(passes * static_cast<double>(problem().n())));
    }
    void takeSnapshot()
    {
        m_x.point(m_x0);
        startPass();
    }
    void startPass()
    {
        m_pass.begin(problem(), m_g);
        m_passing = true;
        m_left = 0;
    }
    void takeSteps(Index maxSteps, IndexStream &stream, Cost &cost)
    {
        const std::size_t count = draw(maxSteps, stream);
        const auto targets = problem().targets();
        dispatch(problem(), [&](const auto &A, const auto &loss) {
            const auto outputs = outputsOf(loss);
            double *margins = m_now.data();
            double *delta = m_now.data() + outputs;
            for (std::size_t r = 0; r < count; ++r) {
                const Index i = m_rows[r];
                m_x.margins(A, rowsFrom(r), outputs, margins);
                derivativesAt(loss, margins, at(targets, i), delta);
                const double *atSnapshot = m_derivatives.data() + i * outputs;
                for (int k = 0; k < outputs; ++k)
                    delta[k] -= atSnapshot[k];
                m_x.template step<AffineIterate::Direction::Kept>(A, i, outputs, delta);
            }
        });
        const auto done = static_cast<Index>(count);
        m_left -= done;
        m_steps += done;
        cost.steps += done;
        cost.accesses += done;
    }

    AffineIterate m_x;
    Vector m_x0; ///< the snapshot
    Vector m_g;  ///< its gradient's part that steps do not change: sum_j phi_j'(a_j.x0) a_j - lambda s
    FullPass m_pass;
    bool m_passing = true;
    Index m_left = 0;                  ///< steps until the next snapshot
    std::vector<double> m_derivatives; ///< phi_j'(a_j.x0), n x K
    std::vector<double> m_now;         ///< a step's margins and derivatives
};

ParamSpec snapshotSpec()
{
    return {.key = "snapshot",
            .label = "Passes per snapshot",
            .help =
                "A full gradient is taken after so many passes of steps. Larger: fewer full gradients, noisier steps "
                "at the end of each.",
            .type = ParamSpec::Type::Real,
            .defaultValue = 1.0,
            .min = 0.01,
            .max = 100,
            .scale = ParamSpec::Scale::Log,
            .choices = {}};
}

std::unique_ptr<InnerSolver> make(const ProblemPtr &problem, const ParamSet &params)
{
    return std::make_unique<Svrg>(problem, params);
}

std::optional<double> ratePerPass(const Problem &problem, const Constants &constants, const ParamSet &effective)
{
    const auto n = static_cast<double>(problem.n());
    const double L = n * constants.L * constants.R * constants.R + problem.ridge();
    const double eta = effective.isAuto("lambda") ? 0.1 / L : effective.real("lambda");
    const double passes = effective.contains("snapshot") ? effective.real("snapshot") : 1.0;
    if (!(eta > 0) || eta >= 0.5 / L || !(constants.mu > 0))
        return std::nullopt;
    const double contraction =
        1 / (constants.mu * eta * (1 - 2 * L * eta) * passes * n) + 2 * L * eta / (1 - 2 * L * eta);
    if (contraction >= 1)
        return std::nullopt;
    return std::pow(contraction, 1 / (passes + 1)); // a snapshot's steps and its full gradient
}

} // namespace

MethodInfo catalogue::svrg()
{
    const auto specs = aloneParams(params::stepSizeLambda(std::string("auto")), {snapshotSpec()});
    return {
        .id = "svrg",
        .label = "SVRG",
        .summary = "Stochastic gradient steps whose noise is cancelled by the full gradient at a snapshot of x.",
        .citation = "Johnson and Zhang (NIPS 2013)",
        .update = "x ← x − λ (n (φᵢ′(aᵢ·x) − φᵢ′(aᵢ·x₀)) aᵢ + ∇F(x₀))",
        .table1 = "SAG, SVRG: d n κ log(ε₀/ε), on F",
        .family = MethodFamily::Stochastic,
        .lambda = LambdaMeaning::StepSize,
        .inners = {},
        .params = specs,
        .accessesPerStep = 1,
        .whyNot = [](const Problem &) { return std::string(); },
        .make =
            [specs](const ProblemPtr &problem, std::string_view, const ParamSet &params) {
                return makeAlone(problem, {.lambda = LambdaMeaning::StepSize, .params = specs, .make = make}, params);
            },
        .ratePerPass = ratePerPass,
    };
}

InnerInfo catalogue::svrgInner()
{
    return {
        .id = "svrg",
        .label = "SVRG",
        .params = {params::order(), params::stepSize(), snapshotSpec()},
        .whyNot = [](const Problem &) { return std::string(); },
        .make = make,
    };
}

} // namespace appa
