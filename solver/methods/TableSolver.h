#pragma once

#include "methods/AffineIterate.h"
#include "methods/StepSizeSolver.h"

namespace appa {

/// SAG and SAGA: a table of the derivatives phi_j' as they were when row j was last visited, and its gradient
/// G = sum_j table_j a_j. The table is filled at x0 by one full pass, in ticks, counted.
/// `direction` says whether G takes the new derivative before the step (SAG) or after it (SAGA).
template <AffineIterate::Direction direction> class TableSolver final : public StepSizeSolver
{
public:
    /// Default step: 1/(`steepness` L_max).
    TableSolver(ProblemPtr problem, const ParamSet &params, double steepness)
        : StepSizeSolver(std::move(problem), params), m_steepness(steepness)
    {
    }
    std::unique_ptr<InnerSolver> clone() const override { return std::make_unique<TableSolver>(*this); }

    void tick(Index maxSteps, IndexStream &stream, Cost &cost) override
    {
        if (!m_filling)
            return takeSteps(maxSteps, stream, cost);
        if (m_pass.tick(problem(), m_x0, m_g, {.derivatives = m_table.data()}, cost)) {
            if (m_sub.lambda > 0)
                m_g -= m_sub.lambda * m_sub.centre;
            m_x.load(m_x0, m_g);
            m_filling = false;
            m_x0.resize(0);
            m_g.resize(0);
        }
    }

    void point(Vector &out) const override
    {
        if (m_filling)
            out = m_x0;
        else
            m_x.point(out);
    }
    std::size_t stateBytes() const override
    {
        return sizeof *this + m_x.bytes()
            + bytesOfVectors({m_x0.size(), m_g.size(), static_cast<Index>(m_table.size()), m_sub.centre.size()});
    }

private:
    double automaticStep() const override { return 1 / (m_steepness * lMax()); }
    void restart(const Vector &x) override
    {
        m_table.resize(static_cast<std::size_t>(problem().n() * problem().outputs()));
        m_now.resize(2 * static_cast<std::size_t>(problem().outputs()));
        m_x.reset(problem());
        m_x.setStep(m_eta, lambdaT());
        m_x0 = x;
        m_pass.begin(problem(), m_g);
        m_filling = true;
    }
    void retuned() override { m_x.setStep(m_eta, lambdaT()); }

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
                double *entry = m_table.data() + i * outputs;
                for (int k = 0; k < outputs; ++k) {
                    const double now = delta[k];
                    delta[k] = now - entry[k];
                    entry[k] = now;
                }
                m_x.template step<direction>(A, i, outputs, delta);
            }
        });
        const auto done = static_cast<Index>(count);
        m_steps += done;
        cost.steps += done;
        cost.accesses += done;
    }

    double m_steepness;
    AffineIterate m_x;
    Vector m_x0; ///< only while the table is being filled
    Vector m_g;
    FullPass m_pass;
    bool m_filling = true;
    std::vector<double> m_table; ///< n x K
    std::vector<double> m_now;   ///< a step's margins and derivatives
};

} // namespace appa
