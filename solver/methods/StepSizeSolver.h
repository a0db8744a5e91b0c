#pragma once

#include "methods/Inner.h"

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <span>
#include <vector>

namespace appa {

/// What the primal methods share: the subproblem, and a step size "step" that is a number or chosen from the data.
/// L_max = n L R^2 + gamma + lambda is the smoothness of n phi_i + (gamma/2)|x|^2 + (lambda/2)|x-s|^2.
class StepSizeSolver : public InnerSolver
{
public:
    StepSizeSolver(ProblemPtr problem, const ParamSet &params) : m_problem(std::move(problem)), m_params(params) { }

    /// An automatic step that takes knowledge is found in the first tick, so that what is seen before that tick does
    /// not tell whether the problem was known already.
    Knowledge needs() const override { return stepIsUnknown() ? knowledgeForStep() : Knowledge::Nothing; }
    void begin(const Subproblem &sub, const Handover &from) final
    {
        m_sub = sub;
        m_steps = 0;
        resolveStep();
        restart(from.x);
    }
    void retune(const ParamSet &params) final
    {
        m_params = params;
        resolveStep();
        retuned();
    }
    Index steps() const final { return m_steps; }
    Handover handover() const final
    {
        Handover h;
        point(h.x);
        return h;
    }
    ParamSet effective() const override
    {
        ParamSet own;
        if (m_eta > 0)
            own.set("step", m_eta);
        return own;
    }

protected:
    virtual double automaticStep() const = 0;
    /// What `automaticStep` has to know of the problem.
    virtual Knowledge knowledgeForStep() const { return Knowledge::Nothing; }
    virtual void restart(const Vector &x) = 0; ///< of the subproblem m_sub with the step m_eta
    virtual void retuned() = 0;                ///< m_params and m_eta have changed: they act at the next step

    const Problem &problem() const { return *m_problem; }
    double lMax() const
    {
        const double R = m_problem->radius();
        return static_cast<double>(m_problem->n()) * m_problem->curvature() * R * R + lambdaT();
    }
    /// 1/(M + lambda): the step of the full gradient. (M contains the ridge.)
    double fullGradientStep() const { return 1 / (*m_problem->smoothness() + m_sub.lambda); }
    bool stepIsUnknown() const { return m_eta == 0 && stepIsAutomatic(); }
    void findStep()
    {
        const double eta = automaticStep();
        m_eta = std::isfinite(eta) ? eta : 1.0; // a problem without a single non-zero
        m_found = true;
    }
    double lambdaT() const { return m_sub.lambdaT(m_problem->ridge()); }

    /// Draws the next rows ahead, so that they can be prefetched.
    std::size_t draw(Index maxSteps, IndexStream &stream)
    {
        m_rows.resize(static_cast<std::size_t>(std::min(maxSteps, rowsPerTick(*m_problem))));
        for (Index &i : m_rows)
            i = stream.next();
        return m_rows.size();
    }
    /// The r-th of them and those behind it.
    std::span<const Index> rowsFrom(std::size_t r) const { return std::span(m_rows).subspan(r); }
    /// Row i's target.
    static double at(std::span<const double> values, Index i) { return values[static_cast<std::size_t>(i)]; }
    static std::size_t bytesOfVectors(std::initializer_list<Index> lengths)
    {
        Index sum = 0;
        for (const Index length : lengths)
            sum += length;
        return static_cast<std::size_t>(sum) * sizeof(double);
    }

    ProblemPtr m_problem;
    ParamSet m_params;
    Subproblem m_sub;
    double m_eta = 0; ///< 0 until it is found
    Index m_steps = 0;
    std::vector<Index> m_rows; ///< of the current tick

private:
    bool stepIsAutomatic() const { return !m_params.contains("step") || m_params.isAuto("step"); }
    void resolveStep()
    {
        if (!stepIsAutomatic())
            m_eta = m_params.real("step");
        else if (m_found || knowledgeForStep() == Knowledge::Nothing)
            findStep();
        else
            m_eta = 0;
    }

    bool m_found = false; ///< an automatic step, before: what it takes is known
};

} // namespace appa
