#include "problem/Newton.h"

#include "data/Memory.h"
#include "problem/Cholesky.h"
#include "problem/GramSpectrum.h"
#include "problem/Hessian.h"
#include "problem/Products.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace appa {

namespace {

constexpr double epsilon = std::numeric_limits<double>::epsilon();

/// Relative to the columns' own curvature: conjugate gradients alone do not follow what is flatter, as with columns
/// that depend on each other to seven digits or more.
constexpr double flatCurvature = 1e-14;

/// Multiplications that forming A' diag(c) A takes.
double gramWork(const Features &features)
{
    return std::visit(
        [](const auto &A) {
            if constexpr (std::decay_t<decltype(A)>::isSparse) {
                double work = 0; // scattered additions are some eight times as slow as packed ones
                for (Index i = 0; i < A.rows(); ++i) {
                    const auto entries = static_cast<double>(A.row(i).size());
                    work += 8 * 0.5 * entries * entries;
                }
                return work;
            } else {
                return 0.5 * static_cast<double>(A.rows()) * static_cast<double>(A.cols())
                    * static_cast<double>(A.cols());
            }
        },
        features);
}

class NewtonSolver
{
public:
    NewtonSolver(const Problem &problem, double lambda, const Vector &s, const Progress &progress, bool direct)
        : m_problem(problem), m_lambda(lambda), m_ridge(problem.ridge() + lambda), m_s(s), m_progress(progress),
          m_threads(passThreads()), m_quadratic(problem.isQuadratic()), m_hessian(problem)
    {
        m_result.direct = direct;
    }

    std::optional<NewtonResult> run();

private:
    bool evaluate(); ///< margins, value, gradient at x
    bool prepare();  ///< a preconditioner for the Hessian here
    bool factor(std::span<const double> weights);
    bool findDependent(std::span<const double> weights);
    std::optional<bool> areDependent(std::span<const Index> columns, std::span<const double> weights) const;
    bool solveForStep(); ///< p, and the decrement
    bool moveAlongStep();
    double lineSearch(std::span<const double> stepMargins) const;
    void precondition(const Vector &r, Vector &z) const;
    bool cancelled() const { return m_progress.cancelled(); }
    void report() const;

    const Problem &m_problem;
    const double m_lambda;
    const double m_ridge;
    const Vector &m_s;
    const Progress &m_progress;
    const int m_threads;
    const bool m_quadratic;

    NewtonResult m_result;
    Hessian m_hessian;
    std::vector<double> m_margins, m_absolute, m_derivatives;
    Vector m_g, m_p;
    double m_rho = 0;  ///< damping, in units of P
    Vector m_diagonal; ///< of P
    Cholesky m_factor;
    std::vector<Index> m_suspects; ///< columns whose pivot in P may be rounding
    std::vector<bool> m_dependent; ///< of the columns: combinations of others
    bool m_lifts = false;          ///< some are nearly so
    int m_productsSinceFactor = 0;
    double m_firstDecrement = 0;
};

bool NewtonSolver::evaluate()
{
    m_problem.margins(m_result.x, m_margins, m_threads, m_progress.stop);
    if (cancelled())
        return false;
    const Vector &x = m_result.x;
    m_result.value = m_problem.objectiveAt(m_margins, x) + 0.5 * m_lambda * (x - m_s).squaredNorm();
    lossDerivatives(m_problem, m_margins, m_derivatives);
    m_g = m_problem.ridge() * x + m_lambda * (x - m_s);
    const auto K = static_cast<std::size_t>(m_problem.outputs());
    std::vector<double> column(K == 1 ? 0 : m_derivatives.size() / K);
    Vector part;
    for (std::size_t k = 0; k < K; ++k) {
        for (std::size_t i = 0; i < column.size(); ++i)
            column[i] = m_derivatives[i * K + k];
        if (!transposedProduct(m_problem.data().train.features, K == 1 ? m_derivatives : column, part, m_threads,
                               m_progress.stop))
            return false;
        m_g.segment(static_cast<Index>(k) * m_problem.d(), m_problem.d()) += part;
    }
    m_result.gradientNorm = m_g.norm();
    m_hessian.moveTo(m_margins);
    absoluteMargins(m_problem, x, m_absolute, m_threads, m_progress.stop);
    m_result.floor = roundingFloor(m_result.value, m_derivatives, m_absolute);
    return !cancelled();
}

bool NewtonSolver::prepare()
{
    // A little of the curvature bound keeps P definite where rows have none. Where no row has any (a hinge at x = 0), P
    // is that of the bound and the step its minimizer's.
    std::vector<double> weights = m_hessian.rowWeights();
    if (!m_quadratic) {
        const bool flat = std::ranges::none_of(weights, [](double c) { return c > 0; });
        for (double &c : weights)
            c += (flat ? 1 : 1e-6) * m_problem.curvature();
        if (flat)
            m_rho = std::max(m_rho, 1.0);
    }
    if (!m_result.direct) {
        if (!m_hessian.diagonal(weights, m_diagonal, m_progress.stop))
            return false;
        m_diagonal.array() += m_ridge;
        m_diagonal = (m_diagonal.array() == 0).select(1.0, m_diagonal);
        return true;
    }
    if (!factor(weights) || (m_dependent.empty() && !findDependent(weights)))
        return false;
    ++m_result.factorizations;
    m_productsSinceFactor = 0;
    return true;
}

bool NewtonSolver::factor(std::span<const double> weights)
{
    Eigen::MatrixXd P;
    if (!weightedGram(m_problem.data().train.features, weights, P, m_threads, m_progress, "forming the Hessian"))
        return false;
    // Each column by its own measure: beside a column of milliseconds since 1970 one of order 1 would drown. Zero
    // columns (a pixel that is never lit) have no part in F: any pivot will do there.
    m_diagonal = P.diagonal().array() + m_ridge;
    m_diagonal = (m_diagonal.array() == 0).select(1.0, m_diagonal);
    P.diagonal() = m_diagonal;
    if (m_lifts)
        P.diagonal() *= 1 + 10 * static_cast<double>(m_problem.d()) * epsilon;
    // A dependent column's pivot would be rounding. With its diagonal entry in that place the column stays where it is,
    // and the others do all that it could: x does not drift along both.
    const bool first = m_dependent.empty();
    m_suspects.clear();
    const auto pivot = [&](Index j, double found) {
        if (found > (first ? 1e-8 : epsilon) * m_diagonal[j] && (first || !m_dependent[static_cast<std::size_t>(j)]))
            return found;
        m_suspects.push_back(j);
        return m_diagonal[j];
    };
    m_progress(1, "factoring the Hessian");
    const auto outcome = m_factor.factor(std::move(P), pivot, m_threads, m_progress.stop);
    if (outcome == Cholesky::Outcome::NotPositive)
        throw std::runtime_error("the Hessian has entries that are not finite");
    return outcome == Cholesky::Outcome::Done;
}

/// Which of the suspects depend on other columns, whatever the rows' weights? The others may differ from combinations
/// by so little that the Gram matrix has lost it, but it counts (seconds since 1970, beside a constant): the factor is
/// lifted for them, so that it is definite, and conjugate gradients do the rest.
bool NewtonSolver::findDependent(std::span<const double> weights)
{
    m_dependent.assign(static_cast<std::size_t>(m_problem.d()), false);
    const std::vector<Index> suspects = m_suspects;
    const auto mark = [this](Index j) { m_dependent[static_cast<std::size_t>(j)] = true; };
    auto dependent = areDependent(suspects, weights);
    if (dependent == true)
        std::ranges::for_each(suspects, mark);
    if (dependent != false)
        return dependent.has_value();
    m_lifts = true;
    constexpr std::size_t most = 32; // passes are not for nothing
    for (std::size_t k = 0; k < suspects.size() && suspects.size() <= most; ++k) {
        dependent = areDependent(std::span(suspects).subspan(k, 1), weights);
        if (!dependent)
            return false;
        if (*dependent)
            mark(suspects[k]);
    }
    return factor(weights);
}

/// A sum of the columns less what the others can cancel of it, by three steps of refinement: rounding if they depend.
std::optional<bool> NewtonSolver::areDependent(std::span<const Index> columns, std::span<const double> weights) const
{
    if (columns.empty())
        return true;
    Vector v = Vector::Zero(m_problem.d()), product;
    for (const Index j : columns)
        v[j] = 1 / std::sqrt(m_diagonal[j]);
    for (int step = 0;; ++step) {
        if (!weightedProduct(m_problem.data().train.features, weights, v, product, m_threads, m_progress.stop))
            return std::nullopt;
        product += m_ridge * v;
        if (step == 3)
            break;
        m_factor.solveInPlace(product);
        v -= product;
    }
    const double rounding = 1e3 * epsilon * m_diagonal.cwiseSqrt().dot(v.cwiseAbs());
    return v.dot(product) <= rounding * rounding;
}

void NewtonSolver::precondition(const Vector &r, Vector &z) const
{
    z = r;
    const Index d = m_problem.d();
    for (Index k = 0; k < m_problem.outputs(); ++k) {
        if (m_result.direct)
            m_factor.solveInPlace(z.segment(k * d, d));
        else
            z.segment(k * d, d).array() /= m_diagonal.array();
    }
}

bool NewtonSolver::solveForStep()
{
    // Conjugate gradients on (H + rho P) p = -g. The damping needs P z for directions z = P^-1 r only, so it costs
    // nothing: with the recurrence p_k = z + beta p_{k-1}, P p_k = r + beta P p_{k-1}.
    m_p.setZero(m_g.size());
    Vector r = -m_g, z, direction, Pdirection, product;
    precondition(r, z);
    double rz = r.dot(z);
    const double rz0 = rz;
    // Superlinear: the inner accuracy follows the decrease of the decrement. Quadratic: all the way at once.
    const double forcing = m_quadratic ? (m_result.direct ? 1e-10 : 1e-13)
                                       : std::clamp(0.1 * std::sqrt(rz0 / m_firstDecrement), 1e-8, 0.1);
    const int most = m_result.direct ? 500 : 20000;
    const double flat = m_quadratic ? (m_result.direct ? 1e-9 : flatCurvature) : m_ridge > 0 ? 0 : 1e-13;
    // The square of g's rounding in the norm of P^-1: for squared loss u^2 sum_j (sum_i |a_ij phi_i'|)^2 / P_jj is at
    // most 2 u^2 d F, u = eps/2, and mostly cancels. Steps for less would only carry x along dependent columns.
    const double rounding = m_quadratic && !m_result.direct
        ? 0.25 * epsilon * epsilon * static_cast<double>(m_problem.d()) * m_result.value
        : 0;
    double missed = 0; // of the decrement, by a direction that was left out
    for (int k = 0; k < most && rz > std::max(forcing * forcing * rz0, rounding); ++k) {
        if (k == 0) {
            direction = z;
            Pdirection = r;
        }
        if (!m_hessian.apply(direction, product, m_threads, m_progress.stop))
            return false;
        ++m_result.products;
        ++m_productsSinceFactor;
        product += m_ridge * direction + m_rho * Pdirection;
        const double curvature = direction.dot(product);
        // Flat along it: the null space, or rows without curvature. What is nearly flat may be a way to infinity along
        // which F still falls, far more than the decrement would tell without it. A ridge, however small, ends it.
        if (!(curvature > flat * direction.dot(Pdirection))) {
            if (!m_quadratic && curvature > 0)
                missed = rz * (rz / curvature);
            break;
        }
        const double step = rz / curvature;
        m_p += step * direction;
        r -= step * product;
        precondition(r, z);
        const double next = r.dot(z);
        const double beta = next / rz;
        rz = next;
        direction = z + beta * direction;
        Pdirection = r + beta * Pdirection;
        if (k % 16 == 15)
            report();
    }
    if (!m_quadratic && m_p.isZero(0))
        m_p = z;
    // A factored P is about H, and rz about r'H^-1 r; a diagonal one may be far from it. A slope that is no rounding,
    // and was left all the same, may lead anywhere.
    const bool gaveUp = m_quadratic && rz > std::max(forcing * forcing * rz0, 1e4 * rounding);
    m_result.missed = m_ridge > 0 ? r.squaredNorm() / m_ridge
        : m_result.direct         ? 0
        : gaveUp                  ? std::numeric_limits<double>::infinity()
                                  : rz / flatCurvature;
    m_result.decrement = std::max(0.0, -m_g.dot(m_p)) + std::max(rz, missed);
    return true;
}

double NewtonSolver::lineSearch(std::span<const double> stepMargins) const
{
    // f along the step is convex and costs O(n) to look at: Newton in t inside a bracket of f'(t) = 0.
    const Vector &x = m_result.x;
    const double linear = m_problem.ridge() * x.dot(m_p) + m_lambda * (x - m_s).dot(m_p);
    const double square = m_ridge * m_p.squaredNorm();
    const auto at = [&](double t) {
        auto d = lineDerivatives(m_problem, m_margins, stepMargins, t);
        d.first += linear + t * square;
        d.second += square;
        return d;
    };
    const double slope = std::abs(at(0).first);
    double lo = 0, hi = std::numeric_limits<double>::infinity(), t = 1;
    for (int k = 0; k < 40; ++k) {
        const auto d = at(t);
        if (std::abs(d.first) <= 1e-2 * slope || cancelled())
            break;
        (d.first > 0 ? hi : lo) = t;
        double next = d.second > 0 ? t - d.first / d.second : 2 * t;
        if (!(next > lo && next < hi) || next > 16 * t)
            next = std::isinf(hi) ? 2 * t : 0.5 * (lo + hi);
        t = next;
        if (t > 1e6)
            break;
    }
    return t;
}

bool NewtonSolver::moveAlongStep()
{
    std::vector<double> stepMargins;
    m_problem.margins(m_p, stepMargins, m_threads, m_progress.stop);
    if (cancelled())
        return false;
    // Once f cannot tell the points apart, its slope along the step cannot either: the full step is the best there is.
    const double t = m_quadratic || m_result.decrement <= 100 * m_result.floor ? 1 : lineSearch(stepMargins);
    m_result.x += t * m_p;
    m_rho = t < 0.5 ? std::max(10 * m_rho, 1e-6) : t > 0.9 ? 0.1 * m_rho : m_rho;
    if (m_rho < 1e-12)
        m_rho = 0;
    return true;
}

void NewtonSolver::report() const
{
    // Digits gained of those to gain.
    const double begin = std::log(std::max(m_firstDecrement, 1e-300)), end = std::log(std::max(m_result.floor, 1e-300));
    const double now = std::log(std::max(m_result.decrement, 1e-300));
    m_progress(begin > end ? std::clamp((begin - now) / (begin - end), 0.0, 1.0) : 0, "reference optimum");
}

std::optional<NewtonResult> NewtonSolver::run()
{
    m_result.x = m_lambda > 0 ? m_s : Vector::Zero(m_problem.dim());
    m_rho = m_quadratic ? 0 : 1e-4;
    if (!evaluate())
        return std::nullopt;
    // Products that cost as much as forming and factoring anew.
    const int patience = static_cast<int>(std::clamp<Index>(m_problem.d() / 16, 12, 400));
    double best = std::numeric_limits<double>::infinity(); ///< decrement
    double mark = best;                                    ///< F when it last got on
    int stalled = 0;
    for (int k = 0; k < 200; ++k) {
        if ((k == 0 || m_productsSinceFactor > patience || !m_result.direct) && (k == 0 || !m_quadratic) && !prepare())
            return std::nullopt;
        if (k == 0) {
            Vector z;
            precondition(m_g, z);
            m_firstDecrement = std::max(m_g.dot(z), std::numeric_limits<double>::min());
        }
        if (!solveForStep())
            return std::nullopt;
        report();
        // Stop where a step no longer helps: the decrement is far below the rounding, or has stopped shrinking there.
        m_result.converged = m_result.decrement <= 2 * m_result.floor;
        // (With rows that bend here and there it may rise for a while; then F itself has to fall.)
        const bool falls = m_result.value < mark - 0.02 * m_result.decrement;
        stalled = m_result.decrement < 0.25 * best || falls ? 0 : stalled + 1;
        if (stalled == 0)
            mark = m_result.value;
        if (m_result.decrement < 1e-12 * m_result.floor || (m_result.converged && stalled > 0) || stalled > 20)
            break;
        best = std::min(best, m_result.decrement);
        const NewtonResult before = m_result;
        if (!moveAlongStep() || !evaluate())
            return std::nullopt;
        ++m_result.iterations;
        if (!(m_result.value <= before.value + 10 * before.floor)) {
            const bool rounding = m_quadratic || before.decrement <= 100 * before.floor || m_rho > 1e6;
            m_result = before;
            if (!evaluate())
                return std::nullopt;
            if (rounding)
                break; // it has the last word
            // Rows that were flat where the step began bent on the way: from the same point, more cautiously.
            m_rho = std::max(100 * m_rho, 1e-3);
        }
    }
    if (!m_quadratic) {
        m_problem.margins(m_p, m_margins, m_threads, m_progress.stop);
        if (cancelled())
            return std::nullopt;
        m_result.marginStep =
            Eigen::Map<const Vector>(m_margins.data(), static_cast<Index>(m_margins.size())).lpNorm<Eigen::Infinity>();
    }
    m_result.step = std::move(m_p);
    return m_result;
}

} // namespace

double roundingFloor(double value, std::span<const double> derivatives, std::span<const double> absolute)
{
    double sum = 0;
    for (std::size_t i = 0; i < derivatives.size(); ++i)
        sum += derivatives[i] * derivatives[i] * absolute[i] * absolute[i];
    return 2 * epsilon * (std::abs(value) + std::sqrt(sum));
}

bool mayFactor(const Problem &problem)
{
    const auto d = static_cast<double>(problem.d());
    // Where runs use a local mu (see knowledgeForMu), the memory that happens to be free has no say in its last bits.
    const Features &A = problem.data().train.features;
    if (gramIsQuick(A))
        return true;
    return 2 * d * d * sizeof(double) <= 0.5 * availableMemory() && gramWork(A) <= 6e12 && d * d * d / 6 <= 6e12;
}

std::optional<NewtonResult> minimize(const Problem &problem, double lambda, const Vector &s, const Progress &progress,
                                     std::optional<bool> direct)
{
    return NewtonSolver(problem, lambda, s, progress, direct ? *direct : mayFactor(problem)).run();
}

} // namespace appa
