#include "problem/GramSpectrum.h"

#include "problem/Cholesky.h"
#include "problem/Products.h"

#include <algorithm>
#include <limits>

namespace appa {

namespace {

constexpr double epsilon = std::numeric_limits<double>::epsilon();

/// The smallest eigenvalue of G (its lower triangle given; taken over) whose largest is known, by Lanczos on G^-1.
/// 0 if it cannot be told from 0 in double arithmetic.
std::optional<double> smallestEigenvalue(Eigen::MatrixXd G, double largest, const Progress &progress)
{
    const Index d = G.rows();
    const double resolution = static_cast<double>(d) * epsilon * largest;
    const auto pivot = [resolution](Index, double found) { return found > resolution ? found : 0; };
    Cholesky factor;
    switch (factor.factor(std::move(G), pivot, passThreads(), progress.stop)) {
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

/// By products with A alone, each a pass; the largest, or a lower bound of the smallest.
std::optional<SpectrumEnds> productSpectrum(const Features &A, std::span<const double> c, const LanczosOptions &options,
                                            std::string_view what, const Progress &progress)
{
    int products = 0;
    const auto product = [&](const Vector &v, Vector &out) {
        progress(static_cast<double>(products++) / options.maxProducts, what);
        return weightedProduct(A, c, v, out, passThreads(), progress.stop);
    };
    return lanczos(product, lanczosStart(colsOf(A)), options);
}

} // namespace

bool gramIsQuick(const Features &features)
{
    const auto n = static_cast<double>(rowsOf(features)), d = static_cast<double>(colsOf(features));
    const double perRow = static_cast<double>(nonZerosOf(features)) / std::max(1.0, n);
    return d <= 3000 && n * (isSparse(features) ? 4 * perRow * perRow : 0.5 * d * d) <= 4e10;
}

double cautious(const SpectrumEnds &ends)
{
    return std::max(0.0, ends.smallest - ends.smallestError - 1e-13 * ends.largest);
}

std::optional<GramSpectrum> formedSpectrum(const Features &A, std::span<const double> c, const Progress &progress)
{
    Eigen::MatrixXd G;
    if (!weightedGram(A, c, G, passThreads(), progress, "forming the Gram matrix"))
        return std::nullopt;
    const auto product = [&](const Vector &v, Vector &out) {
        out.noalias() = G.selfadjointView<Eigen::Lower>() * v;
        return !progress.cancelled();
    };
    const auto ends = lanczos(product, lanczosStart(G.rows()), {.tolerance = 1e-13, .maxProducts = 200});
    if (!ends)
        return std::nullopt;
    const auto smallest = smallestEigenvalue(std::move(G), ends->largest, progress);
    if (!smallest)
        return std::nullopt;
    return GramSpectrum{ends->largest, *smallest};
}

std::optional<double> largestByProducts(const Features &A, const Progress &progress)
{
    const auto ends = productSpectrum(A, {}, {.tolerance = 1e-11, .maxProducts = 100}, "largest eigenvalue", progress);
    return ends ? std::optional(ends->largest) : std::nullopt;
}

std::optional<double> smallestByProducts(const Features &A, std::span<const double> c, const Progress &progress)
{
    const auto ends = productSpectrum(A, c, {.tolerance = 1, .smallestTolerance = 1e-3, .maxProducts = 100},
                                      "smallest eigenvalue", progress);
    return ends ? std::optional(cautious(*ends)) : std::nullopt;
}

} // namespace appa
