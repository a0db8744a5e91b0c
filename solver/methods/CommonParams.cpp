#include "methods/CommonParams.h"

#include "problem/GramSpectrum.h"

#include <algorithm>
#include <cmath>
#include <type_traits>
#include <variant>

namespace appa::params {

namespace {

// Wide enough for features of any unit: lambda goes with their square.
constexpr double smallest = 1e-40;
constexpr double largest = 1e40;

ParamSpec weight(std::string label, std::string help)
{
    return {.key = "lambda",
            .label = std::move(label),
            .help = std::move(help),
            .type = ParamSpec::Type::Real,
            .defaultValue = std::string("auto"),
            .min = smallest,
            .max = largest,
            .scale = ParamSpec::Scale::Log,
            .allowAuto = true,
            .choices = {}};
}

/// The steps of the logistic loss see a curvature that is mostly far below its bound.
double lossFactor(const Problem &problem)
{
    return std::holds_alternative<LogisticLoss>(problem.loss()) ? 0.5 : 1.0;
}

/// lambda for which lambda + ridge is `target`.
double besideRidge(const Problem &problem, double target)
{
    return std::clamp(std::max(target - problem.ridge(), 1e-3 * target), smallest, largest);
}

} // namespace

ParamSpec keptDualWeight()
{
    return weight(
        "λ (proximal weight)",
        "How strongly a stage holds on to its centre. Larger: easier stages, more of them. Automatic: λ + ridge "
        "is half of L times the mean of |a_i|²: one pass need not solve a stage, since its dual is kept.");
}

ParamSpec proximalWeight()
{
    return weight(
        "λ (proximal weight)",
        "How strongly a stage holds on to its centre. Larger: easier stages, more of them. Automatic: λ + ridge is "
        "L R² (half of it for the logistic loss), so that one pass nearly solves a stage.");
}

ParamSpec ridgeWeight()
{
    return weight(
        "λ (ridge weight)",
        "The method minimizes F + (λ/2)|x|², not F. Larger: faster, and further from F's minimizer. Automatic: "
        "nothing is added if F has a ridge already, else L R²/10.");
}

ParamSpec stepSizeLambda(ParamValue initial)
{
    ParamSpec spec =
        weight("λ (step size)",
               "The length of a step. Larger: faster, until the method diverges. Automatic: the step the theory "
               "allows for this data.");
    spec.defaultValue = std::move(initial);
    return spec;
}

ParamSpec stepSize()
{
    ParamSpec spec = weight("Inner step size",
                            "The length of the inner solver's steps. Automatic: what its theory allows for the "
                            "subproblem.");
    spec.key = "step";
    return spec;
}

ParamSpec passes()
{
    return {.key = "passes",
            .label = "Passes per stage",
            .help = "The length of a stage, in passes over the data. Stages much shorter than a pass can diverge for a "
                    "small λ.",
            .type = ParamSpec::Type::Real,
            .defaultValue = 1.0,
            .min = 0.01,
            .max = 1000,
            .scale = ParamSpec::Scale::Log,
            .choices = {}};
}

ParamSpec order()
{
    return {.key = "order",
            .label = "Order of rows",
            .help = "random: independent draws, as in the theory. permutation: each row once a pass, reshuffled; saves "
                    "SDCA and Dual APPA up to half of the passes, but short stages of APPA may stall with it. "
                    "cyclic: as stored. auto: permutation for SDCA and Dual APPA, else random.",
            .type = ParamSpec::Type::Choice,
            .defaultValue = std::string("auto"),
            .choices = {"auto", "random", "permutation", "cyclic"}};
}

ParamSpec stageRule()
{
    return {.key = "stages",
            .label = "Stage rule",
            .help = "fixed: a stage is a number of passes. certified: a stage goes on until a certificate proves the "
                    "accuracy that "
                    "the theory asks for; checking costs full passes, which are counted.",
            .type = ParamSpec::Type::Choice,
            .defaultValue = std::string("fixed"),
            .choices = {"fixed", "certified"}};
}

ParamSpec maxPasses()
{
    return {.key = "max-passes",
            .label = "Budget of a certified stage",
            .help = "A certified stage that has not reached its accuracy after so many passes of the inner solver (its "
                    "checks come on top) ends with the better of its start and its result.",
            .type = ParamSpec::Type::Real,
            .defaultValue = 1000.0,
            .min = 1,
            .max = 1e6,
            .scale = ParamSpec::Scale::Log,
            .choices = {},
            .onlyIf = "stages=certified"};
}

ParamSpec mu()
{
    return {
        .key = "mu",
        .label = "μ (strong convexity)",
        .help =
            "What the method takes F's strong convexity to be. Automatic: the constant measured on the data before the "
            "run "
            "begins. For losses other than squared that one holds near the optimum only, so the ridge is taken where "
            "there is one, and 0 where measuring would take minutes.",
        .type = ParamSpec::Type::Real,
        .defaultValue = std::string("auto"),
        .min = 1e-300,
        .max = largest,
        .scale = ParamSpec::Scale::Log,
        .allowAuto = true,
        .choices = {}};
}

ParamSpec dualStart()
{
    return {.key = "dual-start",
            .label = "Dual start",
            .help = "Where the dual starts, and what becomes of it when λ or the method changes. line-search: scaled "
                    "so that the "
                    "dual objective is least. zero: y = 0. paper: y(x) as printed, carried over unscaled "
                    "(astronomically far off "
                    "for a small λ).",
            .type = ParamSpec::Type::Choice,
            .defaultValue = std::string("line-search"),
            .choices = {"line-search", "zero", "paper"}};
}

ParamSpec decrease()
{
    return {.key = "decrease",
            .label = "Decrease λ automatically",
            .help =
                "Lowers λ whenever a stage is solved well: its gap at the end is a small part of what the stage "
                "gained. A stage that makes the loss larger is taken back and λ raised again, not above where it was "
                "set; the next attempt waits for 8 stages, then 16, and so on. Checking costs a pass a stage, which "
                "is counted.",
            .type = ParamSpec::Type::Switch,
            .defaultValue = false,
            .choices = {}};
}

ParamSpec decreaseFactor()
{
    return {.key = "decrease-factor",
            .label = "Decrease: factor",
            .help = "λ is divided by this.",
            .type = ParamSpec::Type::Real,
            .defaultValue = 10.0,
            .min = 1.01,
            .max = 1e6,
            .scale = ParamSpec::Scale::Log,
            .choices = {},
            .onlyIf = "decrease=on"};
}

ParamSpec decreaseThreshold()
{
    return {.key = "decrease-threshold",
            .label = "Decrease: threshold",
            .help =
                "λ is lowered when the gap at a stage's end is at most this part of the decrease of F over the stage.",
            .type = ParamSpec::Type::Real,
            .defaultValue = 0.3,
            .min = 1e-6,
            .max = 10,
            .scale = ParamSpec::Scale::Log,
            .choices = {},
            .onlyIf = "decrease=on"};
}

IndexStream::Order orderOf(const ParamSet &params, IndexStream::Order automatic)
{
    const std::string order = params.word("order");
    return order == "cyclic"     ? IndexStream::Order::Cyclic
        : order == "permutation" ? IndexStream::Order::Permutation
        : order == "random"      ? IndexStream::Order::Random
                                 : automatic;
}

void resolveOrder(ParamSet &params, IndexStream::Order automatic)
{
    if (params.isAuto("order"))
        params.set("order", std::string(automatic == IndexStream::Order::Permutation ? "permutation" : "random"));
}

Index stepsPerStage(const ParamSet &params, Index n)
{
    const double passes = params.contains("passes") ? params.real("passes") : 1.0;
    return std::max<Index>(1, static_cast<Index>(std::floor(passes * static_cast<double>(n))));
}

double autoProximalWeight(const Problem &problem)
{
    return besideRidge(problem, lossFactor(problem) * problem.curvature() * problem.radius() * problem.radius());
}

double autoKeptDualWeight(const Problem &problem)
{
    return besideRidge(problem, 0.5 * problem.curvature() * problem.meanSquaredNorm());
}

double autoRidgeWeight(const Problem &problem)
{
    if (problem.ridge() > 0)
        return 0;
    return std::clamp(0.1 * problem.curvature() * problem.radius() * problem.radius(), smallest, largest);
}

namespace {

bool givesMu(const ParamSet &params)
{
    return params.contains("mu") && !params.isAuto("mu");
}

} // namespace

bool muIsLocal(const ParamSet &params, const Problem &problem)
{
    return !givesMu(params) && problem.ridge() == 0 && !problem.isQuadratic();
}

Knowledge knowledgeForMu(const ParamSet &params, const Problem &problem)
{
    if (givesMu(params))
        return Knowledge::Nothing;
    const bool isQuick = gramIsQuick(problem.data().train.features);
    // With a ridge, only a quadratic of full rank has more than that.
    if (problem.ridge() > 0)
        return problem.isQuadratic() && problem.d() <= problem.n() && isQuick ? Knowledge::Constants
                                                                              : Knowledge::Nothing;
    return !muIsLocal(params, problem) || isQuick ? Knowledge::Constants : Knowledge::Nothing;
}

double resolvedMu(const ParamSet &params, const Problem &problem)
{
    if (givesMu(params))
        return params.real("mu");
    const double measured =
        knowledgeForMu(params, problem) == Knowledge::Constants ? problem.constants().value_or(Constants()).mu : 0;
    return std::max(problem.ridge(), std::isfinite(measured) ? measured : 0.0);
}

ParamSet completed(const std::vector<ParamSpec> &specs, const ParamSet &values)
{
    return overlaid(ParamSet(specs), values);
}

ParamSet overlaid(ParamSet values, const ParamSet &changes)
{
    for (const auto &[key, value] : changes.values())
        values.set(key, value);
    return values;
}

std::vector<ParamSpec> joined(std::vector<ParamSpec> specs, const std::vector<ParamSpec> &more)
{
    for (const ParamSpec &spec : more)
        if (std::ranges::find(specs, spec.key, &ParamSpec::key) == specs.end())
            specs.push_back(spec);
    return specs;
}

} // namespace appa::params
