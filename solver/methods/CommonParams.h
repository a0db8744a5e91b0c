#pragma once

#include "base/Params.h"
#include "methods/IndexStream.h"
#include "problem/Problem.h"

#include <string>
#include <vector>

/// The parameters that several methods share, each declared once, and how their "auto" is resolved.
namespace appa::params {

ParamSpec keptDualWeight();                   ///< "lambda", auto: see `autoKeptDualWeight`
ParamSpec proximalWeight();                   ///< "lambda", auto: see `autoProximalWeight`
ParamSpec ridgeWeight();                      ///< "lambda", auto: see `autoRidgeWeight`
ParamSpec stepSizeLambda(ParamValue initial); ///< "lambda" where it is the step size; "auto" or a number
ParamSpec stepSize();                         ///< "step": the step size of an inner solver, auto by default
ParamSpec passes();                           ///< "passes" per stage
ParamSpec order();                            ///< "order" of the rows, auto: the method's choice
ParamSpec stageRule();                        ///< "stages": fixed or certified
ParamSpec maxPasses();                        ///< "max-passes": a certified stage's budget
ParamSpec mu();                               ///< "mu", auto: the problem's constant, or the ridge
ParamSpec dualStart();                        ///< "dual-start"
ParamSpec decrease();                         ///< "decrease": lower lambda by itself
ParamSpec decreaseFactor();
ParamSpec decreaseThreshold();

IndexStream::Order orderOf(const ParamSet &params, IndexStream::Order automatic);
/// "order" in the parameters in effect: the word that auto stands for.
void resolveOrder(ParamSet &params, IndexStream::Order automatic);
/// floor(passes n), at least one step.
Index stepsPerStage(const ParamSet &params, Index n);

/// lambda + gamma = c L R^2 with c = 1 (losses whose curvature is L everywhere) or 1/2 (logistic, whose curvature is
/// below L): kappa_lambda is about 1, so that one pass solves a subproblem to about a constant factor. Never below a
/// thousandth of it.
double autoProximalWeight(const Problem &problem);
/// The same where the dual is kept from stage to stage, so that a stage need not be solved as well: smaller.
double autoKeptDualWeight(const Problem &problem);
/// 0 if F has a ridge of its own, else L R^2 / 10: fast, with a bias that can be seen.
double autoRidgeWeight(const Problem &problem);

/// "mu" as given; auto: the problem's constant. For losses other than squared that one takes a reference solve and
/// holds near the optimum only: the ridge if there is one, and 0 where the solve is not quick, both of which are valid
/// bounds.
double resolvedMu(const ParamSet &params, const Problem &problem);
/// `resolvedMu` is the Hessian's at the optimum only: good for a pace, no bound.
bool muIsLocal(const ParamSet &params, const Problem &problem);
/// What `resolvedMu` has to know.
Knowledge knowledgeForMu(const ParamSet &params, const Problem &problem);

/// `values` over the defaults of `specs`.
ParamSet completed(const std::vector<ParamSpec> &specs, const ParamSet &values);
/// `changes` over `values`.
ParamSet overlaid(ParamSet values, const ParamSet &changes);
/// Appends those of `more` whose keys are not there yet.
std::vector<ParamSpec> joined(std::vector<ParamSpec> specs, const std::vector<ParamSpec> &more);

} // namespace appa::params
