#include "problem/GramSpectrum.h"
#include "problem/Hessian.h"
#include "problem/Optimum.h"
#include "problem/Products.h"
#include "problem/Spectrum.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace appa {

namespace {

/// Both ends at once from the Gram matrix.
bool formsGram(const Problem &problem)
{
    return problem.isQuadratic() && problem.d() <= problem.n() && gramIsQuick(problem.data().train.features);
}

} // namespace

std::optional<Constants> Problem::knownConstants() const
{
    const std::lock_guard lock(m_mutex);
    return m_constants;
}

bool Problem::knowsLocked(Knowledge what) const
{
    return what == Knowledge::Nothing || m_constants || (what == Knowledge::Smoothness && m_normA2);
}

bool Problem::knows(Knowledge what) const
{
    const std::lock_guard lock(m_mutex);
    return knowsLocked(what);
}

bool Problem::learn(Knowledge what, const Progress &progress) const
{
    std::unique_lock lock(m_mutex);
    m_learnt.wait(lock, progress.stop, [&] { return knowsLocked(what) || !m_learning; });
    if (knowsLocked(what))
        return true;
    if (progress.cancelled())
        return false;
    m_learning = true;
    lock.unlock();
    const auto ended = [&] {
        lock.lock();
        m_learning = false;
        m_learnt.notify_all();
    };
    try {
        const bool learnt = compute(what, progress);
        ended();
        return learnt;
    } catch (...) {
        ended();
        throw;
    }
}

/// The smallest eigenvalue of F's Hessian at its minimizer; 0 if there is none.
std::optional<double> Problem::localCurvature(const Progress &progress) const
{
    std::optional<Minimizer> minimizer;
    {
        const std::lock_guard lock(m_mutex);
        minimizer = m_minimizer;
    }
    if (!minimizer) {
        auto optimum = referenceOptimum(*this, progress);
        if (!optimum)
            return std::nullopt;
        minimizer = {.x = std::move(optimum->x), .attained = optimum->attained};
    }
    if (!minimizer->attained)
        return 0;
    std::vector<double> m;
    margins(minimizer->x, m, passThreads(), progress.stop);
    if (progress.cancelled())
        return std::nullopt;
    Hessian hessian(*this);
    hessian.moveTo(m);
    if (m_outputs == 1) {
        const Features &A = m_data->train.features;
        if (d() > n())
            return 0;
        if (!gramIsQuick(A))
            return smallestByProducts(A, hessian.rowWeights(), progress);
        const auto spectrum = formedSpectrum(A, hessian.rowWeights(), progress);
        return spectrum ? std::optional(spectrum->smallest) : std::nullopt;
    }
    // Softmax does not see a vector added to all classes: only the directions whose sum over the classes is 0 count.
    Vector start = lanczosStart(dim());
    auto blocks = start.reshaped(d(), m_outputs);
    blocks.colwise() -= Vector(blocks.rowwise().mean());
    const auto product = [&](const Vector &v, Vector &out) {
        return hessian.apply(v, out, passThreads(), progress.stop);
    };
    const auto ends = lanczos(product, start, {.tolerance = 1, .smallestTolerance = 1e-3, .maxProducts = 150});
    return ends ? std::optional(cautious(*ends)) : std::nullopt;
}

void Problem::noteMinimizer(Minimizer found) const
{
    const std::lock_guard lock(m_mutex);
    m_minimizer = std::move(found);
}

double Problem::knownLeastValue() const
{
    const std::lock_guard lock(m_mutex);
    return m_minimizer ? m_minimizer->leastValue : 0;
}

/// The same bits whatever was asked for first: what the smoothness needs is computed in the same way for both.
bool Problem::compute(Knowledge what, const Progress &progress) const
{
    const Features &A = m_data->train.features;
    Constants c;
    c.L = m_L;
    c.R = m_R;
    c.mu = m_ridge;
    if (formsGram(*this)) {
        const auto spectrum = formedSpectrum(A, {}, progress);
        if (!spectrum)
            return false;
        c.normA2 = spectrum->largest;
        c.mu += m_L * spectrum->smallest;
    } else {
        std::optional<double> largest;
        {
            const std::lock_guard lock(m_mutex);
            largest = m_normA2;
        }
        if (!largest)
            largest = largestByProducts(A, progress);
        if (!largest)
            return false;
        c.normA2 = *largest;
        {
            const std::lock_guard lock(m_mutex);
            m_normA2 = *largest;
        }
        m_learnt.notify_all(); // for those who need no more than this
        if (what == Knowledge::Smoothness)
            return true;
        if (isQuadratic() && d() <= n()) {
            const auto smallest = smallestByProducts(A, {}, progress);
            if (!smallest)
                return false;
            c.mu += m_L * *smallest;
        } else if (!isQuadratic() && m_ridge == 0) {
            const auto local = localCurvature(progress);
            if (!local)
                return false;
            c.mu = *local;
            c.muIsLocal = true;
        }
    }
    c.M = m_L * c.normA2 + m_ridge;
    c.kappa = c.kappaAt(c.mu);
    const std::lock_guard lock(m_mutex);
    m_normA2 = c.normA2;
    m_constants = c;
    return true;
}

std::optional<Constants> Problem::constants(const Progress &progress) const
{
    return learn(Knowledge::Constants, progress) ? knownConstants() : std::nullopt;
}

std::optional<double> Problem::smoothness(const Progress &progress) const
{
    if (!learn(Knowledge::Smoothness, progress))
        return std::nullopt;
    const std::lock_guard lock(m_mutex);
    return m_L * *m_normA2 + m_ridge;
}

} // namespace appa
