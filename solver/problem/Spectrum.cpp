#include "problem/Spectrum.h"

#include "base/Text.h"
#include "data/Memory.h"

#include <Eigen/Eigenvalues>

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>
#include <vector>

namespace appa {

namespace {

/// |theta - eigenvalue| is at most the residual, and about residual^2/gap once the neighbour is apart.
double ritzError(double residual, double gap)
{
    return gap > 2 * residual ? std::min(residual, residual * residual / gap) : residual;
}

SpectrumEnds endsOf(const std::vector<double> &alpha, const std::vector<double> &beta, bool exhausted)
{
    const auto k = static_cast<Index>(alpha.size());
    const Vector diagonal = Eigen::Map<const Vector>(alpha.data(), k);
    const Vector off = Eigen::Map<const Vector>(beta.data(), k - 1);
    Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> ritz;
    ritz.computeFromTridiagonal(diagonal, off);
    const Vector &theta = ritz.eigenvalues();
    const double last = exhausted ? 0 : beta.back();
    const auto residual = [&](Index i) { return last * std::abs(ritz.eigenvectors()(k - 1, i)); };
    SpectrumEnds ends;
    ends.largest = theta[k - 1];
    ends.smallest = theta[0];
    ends.largestError = ritzError(residual(k - 1), k > 1 ? theta[k - 1] - theta[k - 2] : 0);
    ends.smallestError = ritzError(residual(0), k > 1 ? theta[1] - theta[0] : 0);
    return ends;
}

} // namespace

std::optional<SpectrumEnds> lanczos(const SymmetricProduct &product, Vector start, const LanczosOptions &options)
{
    const Index dim = start.size();
    const auto most = static_cast<Index>(std::min<Index>(options.maxProducts, dim));
    // They fill one after the other: the system would grant them all, and have no room for them later.
    const double bytes = static_cast<double>(dim) * static_cast<double>(most) * sizeof(double);
    if (refuseMemory(bytes, "the Lanczos vectors"))
        throw std::runtime_error("the " + std::to_string(most) + " vectors of Lanczos' method would take "
                                 + bytesText(bytes) + " of memory, and this machine has " + bytesText(availableMemory())
                                 + " left; take fewer features, or a method that asks for no constants (SDCA, say)");
    Eigen::MatrixXd Q(dim, most);
    std::vector<double> alpha, beta;
    SpectrumEnds ends;
    Vector w;
    Vector q = start.normalized();
    for (Index k = 0; k < most; ++k) {
        Q.col(k) = q;
        if (!product(q, w))
            return std::nullopt;
        alpha.push_back(q.dot(w));
        for (int twice = 0; twice < 2; ++twice)
            w -= Q.leftCols(k + 1) * (Q.leftCols(k + 1).transpose() * w);
        beta.push_back(w.norm());
        const bool exhausted =
            k + 1 == dim || beta.back() <= 1e-14 * std::max(std::abs(alpha.front()), std::abs(alpha.back()));
        if (exhausted || k + 1 == most || k % 5 == 4) {
            ends = endsOf(alpha, beta, exhausted);
            const bool done = ends.largestError <= options.tolerance * std::abs(ends.largest)
                && (options.smallestTolerance == 0
                    || ends.smallestError <= options.smallestTolerance * std::abs(ends.smallest));
            if (exhausted || done)
                break;
        }
        q = w / beta.back();
    }
    return ends;
}

Vector lanczosStart(Index dim)
{
    Vector start(dim);
    std::uint64_t state = 1;
    for (Index j = 0; j < dim; ++j) {
        state = state * 6364136223846793005ull + 1442695040888963407ull;
        start[j] = static_cast<double>(state >> 11) * 0x1p-53 - 0.5;
    }
    return start;
}

} // namespace appa
