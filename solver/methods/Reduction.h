#pragma once

#include "methods/CommonParams.h"
#include "methods/Evaluation.h"
#include "methods/Registry.h"

namespace appa {

/// What the reductions share. A stage minimizes f_{s,lambda}(x) = F(x) + (lambda/2)|x - s|^2 approximately with an
/// inner solver that starts at the last stage's x; where s lies is what tells them apart.
///
/// Fixed stages take a number of steps. Certified ones go on until (c - 1) gap <= f_s(x_start) - f_s(x), which proves
/// the (c, lambda)-oracle's accuracy; without a dual |grad f_s(x)|^2/(2(lambda + mu)) stands in for the gap (with the
/// ridge for mu where mu is local). A check is a full pass in ticks, counted; the checks are spaced out as a stage gets
/// longer. A stage also ends at a gap of 1e-15 max(1, |f|), and when its budget runs out: then with the better of start
/// and result, and `warning` counts it.
///
/// lambda may decrease by itself: divided by a factor after a stage with gap <= threshold (F(x_start) - F(x)). Where
/// that has gone too far, a stage that is not solved makes F larger: it is undone, lambda goes back by the factor, and
/// the next decrease waits for 8 stages, then 16, ...
class Reduction : public Method
{
public:
    using AutomaticLambda = double (*)(const Problem &);

    Reduction(ProblemPtr problem, std::string_view inner, const std::vector<ParamSpec> &specs, const ParamSet &params,
              AutomaticLambda automaticLambda = params::autoProximalWeight);

    Knowledge needs() const final;
    void start(const Handover &from, std::uint64_t streamBase) final;
    State advance(Slice &slice) final;
    void retune(const ParamSet &changes) final;

    void point(Vector &out) const final;
    std::optional<Problem::DualPoint> dual() const final;
    Handover handover() const final;
    Cost cost() const final { return m_cost; }
    ParamSet effective() const final;
    StageReport lastStage() const final { return m_last; }
    std::string message() const final { return m_inner->message(); }
    std::string warning() const final;
    std::size_t stateBytes() const override;

protected:
    /// A candidate x of the running stage, evaluated.
    struct Check
    {
        double value;  ///< F(x)
        double f;      ///< f_s(x)
        double fStart; ///< f_s(x_start)
        double gap;    ///< f_s(x) - min f_s is at most this
        double gained; ///< what (c - 1) gap is held against
    };

    Reduction(const Reduction &other);

    /// s of the next stage; m_x is where it starts.
    virtual void nextCentre(Vector &s) = 0;
    /// c of the oracle that the theory asks for.
    virtual double asked() const = 0;
    /// Whether the inner solver's dual stays from one stage to the next (re-mapped to the new centre in O(d)).
    virtual bool keepsDual() const { return false; }
    virtual bool needsMu() const { return false; }
    /// What the order "auto" means.
    virtual IndexStream::Order automaticOrder() const { return IndexStream::Order::Random; }
    /// Start, change or decrease of lambda: momentum begins anew.
    virtual void restarted() { }
    /// The stage begins; asked again after every tick before its first step, until the solver's start is ready.
    virtual void stageBegun() { }
    /// m_x is about to become `x`.
    virtual void stageEnds(const Vector & /*x*/) { }
    /// What the stage has gained so far, in the terms of its certificate.
    virtual double gained(const Check &check) const { return check.fStart - check.f; }
    /// The running stage's x, and its y with x = x_hat(y) if there is one.
    virtual void candidate(Vector &x) const { m_inner->point(x); }
    virtual bool candidateDual(Vector &y) const { return m_inner->dual(y); }

    bool certified() const { return m_params.word("stages") == "certified"; }
    const Problem &problem() const { return *m_problem; }
    const InnerSolver &inner() const { return *m_inner; }
    const ParamSet &params() const { return m_params; }
    const Subproblem &sub() const { return m_sub; }
    double lambda() const { return m_lambda; }
    double mu() const { return m_mu.value_or(0); }

    Vector m_x; ///< the last stage's result

private:
    enum class Phase { Idle, Start, Solving, Checking };

    double resolvedLambda() const;
    void trustLambda();
    void changeLambda(double lambda);
    bool wantsMu() const { return !m_mu && (needsMu() || certified()); }
    void resolveMu();
    bool decreases() const { return m_params.flag("decrease"); }
    bool worked() const { return m_inner->steps() > 0 || m_inner->finished(); }

    void beginStage();
    void beginCheck();
    Check checked() const;
    bool solveTick();
    bool checkTick();
    void endStage(const Vector &x, std::optional<double> value);
    void noteCheck(const Check &check);

    ProblemPtr m_problem;
    AutomaticLambda m_automaticLambda;
    std::unique_ptr<InnerSolver> m_inner;
    ParamSet m_params;
    double m_lambda = 0;
    double m_highest = 0; ///< lambda as it was set, before it decreased by itself
    Index m_wait = 0;     ///< stages until the next decrease
    Index m_patience = 8;
    std::optional<double> m_mu; ///< resolved on first need
    IndexStream m_stream;
    Cost m_cost;

    Phase m_phase = Phase::Idle;
    Subproblem m_sub;
    Handover m_from;         ///< what the inner solver begins with ...
    bool m_begun = false;    ///< ... unless it has
    bool m_hasPair = false;  ///< the inner solver has the dual of the last or the running stage
    bool m_reverted = false; ///< the result was the start, the inner solver is elsewhere
    Index m_stage = 0;
    Index m_nextCheck = 0; ///< in steps of the inner solver
    Index m_stageAccesses = 0;
    Index m_certifiedStages = 0;   ///< those that were to be certified ...
    Index m_uncertified = 0;       ///< ... and those of them that the budget ended
    std::optional<double> m_value; ///< F(m_x)
    Evaluation m_evaluation;
    Vector m_scratch;
    Vector m_scratchDual;
    StageReport m_last;
};

/// The parameters of the reductions that approximate: lambda, the stage rule, passes, mu, order, the decrease of
/// lambda.
std::vector<ParamSpec> reductionParams(ParamSpec lambda = params::proximalWeight());

} // namespace appa
