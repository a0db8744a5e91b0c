#include "problem/Cholesky.h"
#include "problem/Hessian.h"
#include "problem/Newton.h"
#include "problem/Optimum.h"
#include "problem/Products.h"
#include "problem/Smoothness.h"
#include "problem/Spectrum.h"

#include <cmath>
#include <limits>

namespace appa {

namespace {

constexpr double epsilon = std::numeric_limits<double>::epsilon();

/// Is forming the d x d Gram matrix a matter of a second or two?
bool gramIsQuick(const Features &features)
{
    const auto n = static_cast<double>(rowsOf(features)), d = static_cast<double>(colsOf(features));
    const double perRow = static_cast<double>(nonZerosOf(features)) / std::max(1.0, n);
    return d <= 3000 && n * (isSparse(features) ? 4 * perRow * perRow : 0.5 * d * d) <= 4e10;
}

/// The smallest eigenvalue of G (its lower triangle given; taken over) whose largest is known, by Lanczos on G^-1.
/// 0 if it cannot be told from 0 in double arithmetic.
std::optional<double> smallestEigenvalue(Eigen::MatrixXd G, double largest, const Progress &progress)
{
    const Index d = G.rows();
    const double resolution = static_cast<double>(d) * epsilon * largest;
    Cholesky factor;
    switch (factor.factor(std::move(G), resolution, passThreads(), progress.stop)) {
    case Cholesky::Outcome::Stopped:
        return std::nullopt;
    case Cholesky::Outcome::NotPositive:
        return 0;
    case Cholesky::Outcome::Done:
        break;
    }
    const auto inverse = [&](const Vector &v, Vector &out) {
        out = v;
        factor.solveInPlace(out);
        return !progress.cancelled();
    };
    const auto ends = lanczos(inverse, lanczosStart(d), {.tolerance = 1e-11, .maxProducts = 100});
    if (!ends)
        return std::nullopt;
    const double smallest = 1 / ends->largest;
    return smallest > resolution ? smallest : 0;
}

/// What can be said of the smallest eigenvalue from products alone: the Ritz value less its error, 0 if nothing is
/// left.
double cautious(const SpectrumEnds &ends)
{
    return std::max(0.0, ends.smallest - ends.smallestError - 1e-13 * ends.largest);
}

struct GramSpectrum
{
    double largest = 0;
    double smallest = 0;
};

/// Of A' diag(c) A. `wantSmallest` false leaves the smallest 0.
std::optional<GramSpectrum> gramSpectrum(const Features &A, std::span<const double> c, bool wantSmallest,
                                         const Progress &progress)
{
    const Index d = colsOf(A);
    wantSmallest = wantSmallest && d <= rowsOf(A);
    if (!wantSmallest || !gramIsQuick(A)) {
        const auto product = [&](const Vector &v, Vector &out) {
            progress(0.5, "largest eigenvalue");
            return weightedProduct(A, c, v, out, passThreads(), progress.stop);
        };
        const auto ends =
            lanczos(product, lanczosStart(d),
                    {.tolerance = 1e-11, .smallestTolerance = wantSmallest ? 1e-3 : 0, .maxProducts = 100});
        if (!ends)
            return std::nullopt;
        return GramSpectrum{ends->largest, wantSmallest ? cautious(*ends) : 0};
    }
    Eigen::MatrixXd G;
    if (!weightedGram(A, c, G, passThreads(), progress, "forming the Gram matrix"))
        return std::nullopt;
    const auto product = [&](const Vector &v, Vector &out) {
        out.noalias() = G.selfadjointView<Eigen::Lower>() * v;
        return !progress.cancelled();
    };
    const auto ends = lanczos(product, lanczosStart(d), {.tolerance = 1e-13, .maxProducts = 200});
    if (!ends)
        return std::nullopt;
    const auto smallest = smallestEigenvalue(std::move(G), ends->largest, progress);
    if (!smallest)
        return std::nullopt;
    return GramSpectrum{ends->largest, *smallest};
}

/// The smallest eigenvalue of F's Hessian at its minimizer; 0 if there is none.
std::optional<double> localCurvature(const Problem &problem, const Progress &progress)
{
    const auto optimum = referenceOptimum(problem, progress);
    if (!optimum)
        return std::nullopt;
    if (!optimum->attained)
        return 0;
    std::vector<double> m;
    problem.margins(optimum->x, m, passThreads());
    Hessian hessian(problem);
    hessian.moveTo(m);
    if (problem.outputs() == 1) {
        const auto spectrum = gramSpectrum(problem.data().train.features, hessian.rowWeights(), true, progress);
        return spectrum ? std::optional(spectrum->smallest) : std::nullopt;
    }
    // Softmax does not see a vector added to all classes: only the directions whose sum over the classes is 0 count.
    Vector start = lanczosStart(problem.dim());
    auto blocks = start.reshaped(problem.d(), problem.outputs());
    blocks.colwise() -= Vector(blocks.rowwise().mean());
    const auto product = [&](const Vector &v, Vector &out) {
        return hessian.apply(v, out, passThreads(), progress.stop);
    };
    const auto ends = lanczos(product, start, {.tolerance = 1, .smallestTolerance = 1e-3, .maxProducts = 150});
    return ends ? std::optional(cautious(*ends)) : std::nullopt;
}

} // namespace

std::optional<Constants> Problem::knownConstants() const
{
    const std::lock_guard lock(m_mutex);
    return m_constants;
}

std::optional<double> smoothnessOf(const Problem &problem, const Progress &progress)
{
    if (std::visit([](const auto &l) { return l.isQuadratic; }, problem.loss()) || problem.knownConstants()) {
        const auto all = problem.constants(progress);
        return all ? std::optional(all->M) : std::nullopt;
    }
    // The same computation as in `constants`, so the same bits whichever is asked first.
    const auto spectrum = gramSpectrum(problem.data().train.features, {}, false, progress);
    return spectrum ? std::optional(problem.curvature() * spectrum->largest + problem.ridge()) : std::nullopt;
}

std::optional<Constants> Problem::constants(const Progress &progress) const
{
    if (auto known = knownConstants())
        return known;
    const bool quadratic = std::visit([](const auto &l) { return l.isQuadratic; }, m_loss);
    const auto spectrum = gramSpectrum(m_data->train.features, {}, quadratic, progress);
    if (!spectrum)
        return std::nullopt;
    Constants c;
    c.L = m_L;
    c.R = m_R;
    c.normA2 = spectrum->largest;
    c.M = m_L * spectrum->largest + m_ridge;
    c.mu = m_ridge;
    if (quadratic) {
        c.mu += m_L * spectrum->smallest;
    } else if (m_ridge == 0) {
        const auto local = localCurvature(*this, progress);
        if (!local)
            return std::nullopt;
        c.mu = *local;
        c.muIsLocal = true;
    }
    c.kappa = c.kappaAt(c.mu);
    const std::lock_guard lock(m_mutex);
    m_constants = c;
    return c;
}

} // namespace appa
