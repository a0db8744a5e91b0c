#include "methods/DualScale.h"

#include <algorithm>
#include <cmath>

namespace appa {

namespace {

constexpr Index termsPerTick = 1 << 14; ///< a logarithm each: some hundred microseconds
constexpr double smallestTheta = 1e-30;
/// Relative. A secant's step of this size leaves far less of the distance, and g notices only the square of that.
constexpr double lastStep = 1e-5;
constexpr int maxSteps = 100;

} // namespace

void DualScale::begin(const Problem &problem, const Vector &y, const Vector &aty, const Vector &sT, double lambdaT)
{
    m_quadratic = aty.squaredNorm() / lambdaT;
    m_linear = sT.dot(aty);
    if (const auto *loss = std::get_if<SquaredLoss>(&problem.loss())) {
        // g(theta y) = (theta^2/2)(|y|^2/w + |A'y|^2/lambda) + theta (b.y - s.A'y)
        const auto b = problem.targets();
        double by = 0;
        for (Index i = 0; i < y.size(); ++i)
            by += b[static_cast<std::size_t>(i)] * y[i];
        const double curvature = y.squaredNorm() / loss->w + m_quadratic;
        finish(curvature > 0 ? std::clamp((m_linear - by) / curvature, 0.0, 1.0) : 0.0);
        return;
    }
    m_phase = Phase::AtOne;
    m_steps = 0;
    m_moved = End::Neither;
    evaluateAt(1);
}

void DualScale::evaluateAt(double t)
{
    m_theta = t;
    m_row = 0;
    m_sum = t * m_quadratic - m_linear;
}

bool DualScale::tick(const Problem &problem, const Vector &y)
{
    const auto b = problem.targets();
    std::visit(
        [&](const auto &loss) {
            if constexpr (std::decay_t<decltype(loss)>::hasDual) {
                for (Index left = termsPerTick; left > 0 && m_phase != Phase::Done;) {
                    const Index end = std::min(y.size(), m_row + left);
                    left -= end - m_row;
                    for (; m_row < end; ++m_row)
                        if (const double yi = y[m_row]; yi != 0)
                            m_sum += yi * loss.conjugateDerivative(m_theta * yi, b[static_cast<std::size_t>(m_row)]);
                    if (m_row == y.size())
                        next(m_sum);
                }
            } else {
                finish(0);
            }
        },
        problem.loss());
    return m_phase == Phase::Done;
}

/// The derivative at m_theta is known; it increases with theta, so its root is bracketed from 1 downwards.
void DualScale::next(double slope)
{
    switch (m_phase) {
    case Phase::AtOne:
        if (slope <= 0)
            return finish(1);
        m_low = m_high = 1;
        m_atLow = m_atHigh = slope;
        m_phase = Phase::Bracketing;
        break;
    case Phase::Bracketing:
        m_low = m_theta, m_atLow = slope;
        break;
    case Phase::Narrowing:
        if (slope == 0)
            return finish(m_theta);
        // Illinois: false position that halves the value of an end that has stayed twice.
        if (slope < 0) {
            m_low = m_theta, m_atLow = slope;
            if (m_moved == End::Low)
                m_atHigh *= 0.5;
            m_moved = End::Low;
        } else {
            m_high = m_theta, m_atHigh = slope;
            if (m_moved == End::High)
                m_atLow *= 0.5;
            m_moved = End::High;
        }
        return narrow();
    case Phase::Done:
        return;
    }
    if (m_atLow <= 0) {
        m_phase = Phase::Narrowing;
        return narrow();
    }
    m_high = m_low, m_atHigh = m_atLow;
    if (m_low / 16 < smallestTheta)
        return finish(0);
    evaluateAt(m_low / 16);
}

void DualScale::narrow()
{
    if (m_steps++ >= maxSteps)
        return finish(m_low);
    // Bisection while an end is infinite.
    double t = std::isfinite(m_atLow) && std::isfinite(m_atHigh)
        ? (m_low * m_atHigh - m_high * m_atLow) / (m_atHigh - m_atLow)
        : 0.5 * (m_low + m_high);
    if (!(t > m_low && t < m_high))
        t = 0.5 * (m_low + m_high);
    if (std::abs(t - m_theta) <= lastStep * t)
        return finish(t);
    evaluateAt(t);
}

void DualScale::finish(double theta)
{
    m_theta = theta;
    m_phase = Phase::Done;
}

double dualScale(const Problem &problem, const Vector &y, const Vector &aty, const Vector &sT, double lambdaT)
{
    DualScale scale;
    scale.begin(problem, y, aty, sT, lambdaT);
    while (!scale.tick(problem, y)) { }
    return scale.theta();
}

} // namespace appa
