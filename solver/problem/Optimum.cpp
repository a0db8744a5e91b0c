#include "problem/Optimum.h"

#include "base/Clock.h"
#include "base/Text.h"
#include "data/Rows.h"
#include "problem/Cholesky.h"
#include "problem/Hessian.h"
#include "problem/Newton.h"
#include "problem/Products.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <numeric>
#include <type_traits>

namespace appa {

namespace {

/// Of the margins: the Hessian is about the same after it.
constexpr double smallStep = 0.1;

bool canSeparate(const Problem &problem)
{
    return problem.ridge() == 0
        && (std::holds_alternative<LogisticLoss>(problem.loss())
            || std::holds_alternative<SoftmaxLoss>(problem.loss()));
}

/// Does x put every row on its right side, by more than the margins' rounding? Then t x drives F to 0 as t grows.
bool separates(const Problem &problem, const Vector &x)
{
    std::vector<double> m, absolute;
    problem.margins(x, m, passThreads());
    absoluteMargins(problem, x, absolute, passThreads());
    const auto b = problem.targets();
    const auto K = static_cast<std::size_t>(problem.outputs());
    const auto rounding = [&](std::size_t at) { return 1e-13 * absolute[at]; };
    for (std::size_t i = 0; i < b.size(); ++i) {
        if (K == 1) {
            if (!(b[i] * m[i] > rounding(i)))
                return false;
            continue;
        }
        const std::size_t own = i * K + static_cast<std::size_t>(b[i]);
        for (std::size_t other = i * K; other < (i + 1) * K; ++other)
            if (other != own && !(m[own] - m[other] > rounding(own) + rounding(other)))
                return false;
    }
    return true;
}

/// Looks for a direction v along which no row gets worse and some get better for ever: b_i a_i.v >= 0 for all i, and
/// not 0 for all (Albert and Anderson 1984: just then there is no minimizer). Tried is the part of x that only the rows
/// with large margins see: the others' null space is where x has grown. What is found is verified; a v that misses it
/// by more than rounding is none. Returns the rows that v leaves as they are, all of them if there is no v; nullopt
/// when cancelled.
std::optional<std::vector<Index>> rowsLeftBehind(const Problem &problem, const Vector &x, const Progress &progress)
{
    constexpr double large = 20; // there is next to no slope left
    constexpr int steps = 6;
    const Features &A = problem.data().train.features;
    const auto b = problem.targets();
    const int threads = passThreads();
    std::vector<Index> all(b.size());
    std::iota(all.begin(), all.end(), Index(0));
    std::vector<double> m, absolute;
    problem.margins(x, m, threads, progress.stop);
    if (progress.cancelled())
        return std::nullopt;
    std::vector<double> others(b.size());
    for (std::size_t i = 0; i < b.size(); ++i)
        others[i] = b[i] * m[i] > large ? 0 : 1;
    if (std::ranges::all_of(others, [](double weight) { return weight > 0; }))
        return all;

    // v <- v - (C + delta D)^-1 C v with C = A' diag(others) A: the null space of C stays, and of a direction with the
    // eigenvalue c (in units of D) delta/(c + delta) is left each time.
    constexpr double delta = 1e-10;
    Eigen::MatrixXd C;
    Vector scale;
    if (!Hessian(problem).diagonal(std::vector<double>(b.size(), 1.0), scale, progress.stop)
        || !weightedGram(A, others, C, threads, progress, "looking for separable parts"))
        return std::nullopt;
    C.diagonal() += delta * (scale.array() == 0).select(1.0, scale);
    Cholesky factor;
    const auto pivot = [&](Index j, double found) { return std::max(found, 0.1 * delta * std::max(scale[j], 1e-300)); };
    if (factor.factor(std::move(C), pivot, threads, progress.stop) != Cholesky::Outcome::Done)
        return std::nullopt;
    Vector v = x, product;
    for (int k = 0; k < steps; ++k) {
        if (!weightedProduct(A, others, v, product, threads, progress.stop))
            return std::nullopt;
        factor.solveInPlace(product);
        v -= product;
    }

    problem.margins(v, m, threads, progress.stop);
    absoluteMargins(problem, x, absolute, threads, progress.stop);
    if (progress.cancelled())
        return std::nullopt;
    // A row that gets better, but by so little that it might be rounding, counts as left behind: the problem of those
    // rows then still has a way to infinity, which is looked for in turn.
    std::vector<Index> left;
    double most = 0;
    for (const Index i : all) {
        const auto k = static_cast<std::size_t>(i);
        const double gain = b[k] * m[k];
        if (!(gain >= -1e-12 * absolute[k]))
            return all;
        if (!(gain > std::max(1e-3, 1e-6 * absolute[k])))
            left.push_back(i);
        most = std::max(most, gain);
    }
    return most > 1 ? left : all;
}

/// F over some of its rows, each with the weight that it has in F; nothing when cancelled.
std::optional<Problem> restrictedTo(const std::vector<Index> &rows, const Problem &problem, const Progress &progress)
{
    Dataset data;
    data.name = problem.data().name;
    data.kind = problem.data().kind;
    data.classNames = problem.data().classNames;
    if (!selectRows(problem.data().train, rows, data.train, {.progress = progress, .what = "the other rows"}))
        return std::nullopt;
    data.test.features = noRows(problem.data().train.features);
    return std::optional<Problem>(std::in_place, finish(std::move(data)), problem.loss(), problem.ridge());
}

std::string digits(double certificate, double value)
{
    std::string out = "F(x) - F_opt <= " + numberText(certificate, 1, std::chars_format::scientific);
    if (value > 0 && certificate > 0 && certificate < value)
        out += ", " + std::to_string(static_cast<int>(std::floor(-std::log10(certificate / value)))) + " digits hold";
    return out;
}

/// What is to be said of a logistic problem without a ridge whose minimizer may lie at infinity; `optimum` is what
/// Newton found. False when cancelled.
bool lookToInfinity(const Problem &problem, const NewtonResult &newton, const Progress &progress, Optimum &optimum)
{
    constexpr const char *advice = " Add a ridge (1e-5, say) for a minimum that is attained";
    const auto allSeparated = [&] {
        optimum.attained = optimum.known = false;
        optimum.certificate = newton.value;
        optimum.value = 0;
        optimum.floor = std::numeric_limits<double>::min();
        optimum.message =
            std::string("The classes can be separated: the infimum 0 is not attained, the weights grow without bound.")
            + advice + ", or read the loss itself.";
        return true;
    };
    if (separates(problem, newton.x))
        return allSeparated();
    const auto n = static_cast<std::size_t>(problem.n());
    std::size_t left = n;
    std::optional<Optimum> rest;
    if (problem.outputs() == 1 && newton.direct) {
        const auto rows = rowsLeftBehind(problem, newton.x, progress);
        if (!rows)
            return false;
        left = rows->size();
        if (left == 0)
            return allSeparated();
        if (left < n) {
            const auto others = restrictedTo(*rows, problem, progress);
            if (!others || !(rest = referenceOptimum(*others, progress)))
                return false;
        }
    }
    if (left == n && newton.marginStep <= smallStep)
        return true;
    optimum.attained = false;
    optimum.known = rest && rest->known;
    optimum.message =
        "Part of the data can be separated: the infimum is approached only as some weights grow without bound.";
    if (optimum.known) {
        // Along v those rows cost less and less and the others the same: inf F is that of the others.
        optimum.value = rest->value;
        optimum.floor = std::max(rest->floor, newton.floor);
        const double accuracy = rest->certificate + optimum.floor;
        optimum.certificate = std::max(0.0, newton.value - rest->value) + accuracy; // x leaves the others something
        optimum.message += " It is what the other " + std::to_string(left) + " of " + std::to_string(n)
            + " rows cost at the least, known to " + numberText(accuracy, 1, std::chars_format::scientific) + ".";
    }
    optimum.message += std::string(advice) + (optimum.known ? "." : ", or read the loss itself.");
    return true;
}

/// Would margins at x be noticeably others, had the features' rounding to single precision turned out otherwise? So it
/// is where columns depend on each other but for that rounding (indicators of all values of a word, standardized, say):
/// what is left of their dependence serves as one more column, with weights of millions.
bool restsOnRounding(const Problem &problem, const Vector &x)
{
    constexpr double noticeable = 0.05, rounding = 0x1p-24;
    const bool isSingle =
        std::visit([](const auto &A) { return std::is_same_v<typename std::decay_t<decltype(A)>::Scalar, float>; },
                   problem.data().train.features);
    if (!isSingle)
        return false;
    std::vector<double> m, absolute;
    problem.margins(x, m, passThreads());
    absoluteMargins(problem, x, absolute, passThreads());
    const auto norm = [](const std::vector<double> &v) {
        return Eigen::Map<const Vector>(v.data(), static_cast<Index>(v.size())).norm();
    };
    return rounding * norm(absolute) > noticeable * norm(m);
}

/// F(x) - D(y), never below F(x) - F_opt, where y is the dual point phi_i'(a_i.x) moved by what the next Newton step p
/// does to it, phi_i'' (a_i.p), within the conjugates' domain: about half the decrement if no row bends on the way,
/// more if some do. D(y) = -sum phi_i*(y_i) - |A'y|^2/(2 gamma); the gap is summed up of what is not negative, so that
/// it tells digits that F(x) has not. Without a ridge it is infinite unless A'y is 0 but for rounding. nullopt when
/// cancelled.
std::optional<double> dualityGap(const Problem &problem, const NewtonResult &newton, const Progress &progress)
{
    const int threads = passThreads();
    const double gamma = problem.ridge();
    const auto b = problem.targets();
    std::vector<double> m, y;
    problem.margins(newton.x, m, threads, progress.stop);
    problem.margins(newton.step, y, threads, progress.stop);
    double gap = 0, squares = 0;
    std::visit(
        [&](const auto &loss) {
            if constexpr (std::decay_t<decltype(loss)>::hasDual)
                for (std::size_t i = 0; i < y.size(); ++i) {
                    y[i] = loss.feasible(loss.derivative(m[i], b[i]) + loss.secondDerivative(m[i], b[i]) * y[i], b[i]);
                    gap += loss.fenchelYoung(m[i], y[i], b[i]);
                    squares += y[i] * y[i];
                }
        },
        problem.loss());
    Vector rest;
    if (!transposedProduct(problem.data().train.features, y, rest, threads, progress.stop))
        return std::nullopt;
    rest += gamma * newton.x;
    if (gamma > 0)
        return gap + rest.squaredNorm() / (2 * gamma);
    // Column by column beside the most that it could be, |a_j| |y|.
    Vector columns;
    if (!Hessian(problem).diagonal(std::vector<double>(y.size(), 1.0), columns, progress.stop))
        return std::nullopt;
    const double share = (columns.array() > 0).select(rest.array().square() / columns.array(), 0.0).sum();
    constexpr double rounding = 4 * std::numeric_limits<double>::epsilon();
    return share <= rounding * rounding * squares ? gap : std::numeric_limits<double>::infinity();
}

std::string description(const Problem &problem, const NewtonResult &newton)
{
    const bool squared = std::holds_alternative<SquaredLoss>(problem.loss());
    const int refinements = std::max(0, newton.iterations - 1);
    if (squared)
        return newton.direct
            ? "Cholesky with " + std::to_string(refinements) + (refinements == 1 ? " refinement" : " refinements")
            : "conjugate gradients, " + std::to_string(newton.products) + " products";
    return "Newton, " + std::to_string(newton.iterations) + " steps, " + std::to_string(newton.products)
        + " Hessian products"
        + (newton.direct ? ", " + std::to_string(newton.factorizations)
                   + (newton.factorizations == 1 ? " Cholesky factor" : " Cholesky factors")
                         : "");
}

} // namespace

std::optional<Optimum> referenceOptimum(const Problem &problem, const Progress &progress, std::optional<bool> direct)
{
    const auto begin = std::chrono::steady_clock::now();
    const auto newton = minimize(problem, 0, Vector::Zero(problem.dim()), progress, direct);
    if (!newton)
        return std::nullopt;
    Optimum optimum;
    optimum.x = newton->x;
    optimum.value = newton->value;
    optimum.floor = newton->floor;

    // nu^2/2 with a margin of 2: exact for squared; for the others only where the Hessian stays about the same on the
    // way to the optimum. With a ridge, |grad|^2/(2 gamma) and the duality gap hold whatever the loss; and no F is
    // negative.
    const bool bends = std::holds_alternative<SmoothedHingeLoss>(problem.loss()); // from one row to the next
    const bool near = problem.isQuadratic() || (!bends && newton->marginStep <= smallStep);
    double bound = newton->decrement + newton->missed, sure = newton->value;
    if (problem.hasDual() && !problem.isQuadratic()) {
        const auto gap = dualityGap(problem, *newton, progress);
        if (!gap)
            return std::nullopt;
        if (problem.ridge() > 0)
            sure = std::min(sure, *gap);
        else if (bends)
            bound = std::max(bound, *gap);
    }
    if (const double gamma = problem.ridge(); gamma > 0) {
        sure = std::min(sure, newton->gradientNorm * newton->gradientNorm / (2 * gamma));
        if (!near)
            bound = sure;
    }
    bound = std::min(bound, sure);
    optimum.certificate = bound + optimum.floor;
    // A solve that did not get down to the rounding resolves no more than it certifies.
    if (!newton->converged)
        optimum.floor = std::max(optimum.floor, optimum.certificate);
    optimum.message = description(problem, *newton) + "; " + digits(optimum.certificate, optimum.value) + ".";
    // What is left open must be little beside what was gained from x = 0, or an excess over it would tell nothing.
    const double gained = problem.objective(Vector::Zero(problem.dim())) - newton->value;
    if (optimum.certificate > 1e-3 * gained && optimum.certificate > 1e3 * newton->floor) {
        optimum.attained = optimum.known = false;
        optimum.message = "The reference solve left F_opt open: " + optimum.message
            + " Add a ridge (1e-8, say) for a problem with one solution, or read the loss itself.";
    }

    if (canSeparate(problem) && !lookToInfinity(problem, *newton, progress, optimum))
        return std::nullopt;
    if (optimum.attained && restsOnRounding(problem, newton->x)) {
        optimum.restsOnRounding = true;
        optimum.message =
            "F_opt rests on how single precision rounds the features: some columns depend on each other but"
            " for that, and methods will stay above it. Read the data in double precision, leave one of"
            " those columns out, or add a ridge (1e-8, say). ("
            + optimum.message + ")";
    }
    optimum.seconds = secondsSince(begin);
    return optimum;
}

std::optional<double> ridgeSolutionValue(const Problem &problem, double lambda, const Progress &progress)
{
    const auto newton = minimize(problem, lambda, Vector::Zero(problem.dim()), progress);
    if (!newton)
        return std::nullopt;
    return newton->value - 0.5 * lambda * newton->x.squaredNorm();
}

} // namespace appa
