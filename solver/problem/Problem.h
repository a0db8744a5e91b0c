#pragma once

#include "base/Progress.h"
#include "data/Dataset.h"
#include "problem/Losses.h"

#include <Eigen/Core>

#include <condition_variable>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <vector>

namespace appa {

using Vector = Eigen::VectorXd;

/// Numbers of a problem that the theory is stated in.
struct Constants
{
    double L = 0;           ///< curvature bound of phi_i, weight w included
    double R = 0;           ///< max |a_i|
    double normA2 = 0;      ///< |A|_2^2, the largest eigenvalue of A'A
    double M = 0;           ///< L |A|_2^2 + gamma: F's smoothness (softmax: with its own curvature)
    double mu = 0;          ///< F's strong convexity; see muIsLocal
    bool muIsLocal = false; ///< mu is the Hessian's at the optimum (not squared, no ridge); else it holds everywhere
    double kappa = 0;       ///< ceil(L R^2 / mu); infinite if mu = 0

    double kappaAt(double lambda) const; ///< ceil(L R^2 / lambda)
};

/// What a method may have to know of its problem before it can begin, beyond what is always there.
enum class Knowledge { Nothing, Smoothness, Constants };

/// What one pass over the margins m = A x yields.
struct Measurement
{
    double loss = 0; ///< F(x)
    double testError =
        0; ///< fraction misclassified (sign or argmax), or mean squared error for real targets; NaN without a test set
    std::optional<double> gap; ///< Fenchel-Young gap of the regularized problem at (x_hat(y), y), if there is a dual
};

/// What a dual step reads of its row besides the entries, side by side: at a random row one cache miss instead of two.
struct RowScalars
{
    double target;
    double squaredNorm;
};

/// F(x) = sum_i phi_i(a_i.x) + (gamma/2)|x|^2 with phi_i = loss/n over the training rows of a data set.
/// For softmax, x is K x d, stored as K blocks of d. Immutable and shared between threads.
class Problem
{
public:
    /// `ridge` >= 0. Check `whyNot` first.
    Problem(DatasetPtr data, AnyLoss loss, double ridge);

    /// "" if the loss fits the targets, else the sentence for the user.
    static std::string whyNot(const Dataset &data, const AnyLoss &loss, double ridge);

    const Dataset &data() const { return *m_data; }
    const DatasetPtr &dataPtr() const { return m_data; }
    const AnyLoss &loss() const { return m_loss; }
    double ridge() const { return m_ridge; }
    Index n() const { return m_data->train.rows(); }
    Index d() const { return m_data->train.cols(); }
    int outputs() const { return m_outputs; }     ///< K for softmax, 1 otherwise
    Index dim() const { return d() * m_outputs; } ///< length of x
    std::span<const double> targets() const { return m_data->train.targets; }
    std::span<const double> squaredNorms() const { return m_data->train.squaredNorms; }
    std::span<const RowScalars> rowScalars() const { return m_rowScalars; } ///< for the losses with a dual
    bool hasDual() const;                                                   ///< every loss but softmax
    bool isQuadratic() const;                                               ///< F's Hessian is constant

    /// Margins of the training rows, row-major n x K; rows split over `threads`, the same bits for any number.
    /// When `stop` is requested it returns soon, with numbers that mean nothing.
    void margins(const Vector &x, std::vector<double> &out, int threads = 1, const std::stop_token &stop = {}) const;
    double objective(const Vector &x, int threads = 1) const;
    /// F and its gradient in one pass.
    double gradient(const Vector &x, Vector &grad, int threads = 1) const;
    double testError(const Vector &x, int threads = 1) const;
    /// F from margins that are already there; `x` only for the ridge.
    double objectiveAt(std::span<const double> margins, const Vector &x) const;

    /// A dual point of f_{s,lambda} as the methods hand it over: x = sT - A'y/lambdaT (s~ and lambda~ of the ridge
    /// included).
    struct DualPoint
    {
        Vector y;
        double lambdaT = 0;
    };
    /// Loss, test error and (if given a dual point that belongs to x) the gap: margins once. The second thread's work.
    /// When `stop` is requested it returns within 50 ms, with numbers that mean nothing.
    Measurement measure(const Vector &x, const DualPoint *dual, int threads = 1,
                        const std::stop_token &stop = {}) const;

    /// Computes what is asked for, once: whoever asks meanwhile waits for it, but no longer than for what he needs.
    /// False when cancelled.
    bool learn(Knowledge what, const Progress &progress = {}) const;
    bool knows(Knowledge what) const;
    /// Full-precision constants, learnt on first use; nullopt when cancelled.
    std::optional<Constants> constants(const Progress &progress = {}) const;
    /// M alone, without the reference solve that mu may need.
    std::optional<double> smoothness(const Progress &progress = {}) const;
    /// Where F's minimum is, as the reference solve found it, so that a local mu need not solve for it again.
    struct Minimizer
    {
        Vector x;
        bool attained = true;
        double leastValue = 0; ///< F is nowhere below this
    };
    void noteMinimizer(Minimizer found) const;
    /// A bound that F is nowhere below; 0 before the reference solve.
    double knownLeastValue() const;
    /// The constants if they are there already.
    std::optional<Constants> knownConstants() const;
    /// L, R: cheap, always there. nLR^2 bounds M - gamma.
    double curvature() const { return m_L; }
    double radius() const { return m_R; }
    double meanSquaredNorm() const { return m_meanSquaredNorm; }

private:
    DatasetPtr m_data;
    AnyLoss m_loss;
    double m_ridge;
    int m_outputs;
    double m_L;
    double m_R;
    double m_meanSquaredNorm = 0;
    std::vector<RowScalars> m_rowScalars;
    bool knowsLocked(Knowledge what) const;
    bool compute(Knowledge what, const Progress &progress) const;
    std::optional<double> localCurvature(const Progress &progress) const;

    mutable std::mutex m_mutex;
    mutable std::condition_variable_any m_learnt;
    mutable bool m_learning = false; ///< a thread is at it
    mutable std::optional<double> m_normA2;
    mutable std::optional<Constants> m_constants;
    mutable std::optional<Minimizer> m_minimizer;
};

using ProblemPtr = std::shared_ptr<const Problem>;

/// Calls `f(matrix, loss)` with the concrete types of features and loss: one dispatch per slice of work, none inside.
template <class F> decltype(auto) dispatch(const Problem &problem, F &&f)
{
    return std::visit([&](const auto &A, const auto &loss) -> decltype(auto) { return f(A, loss); },
                      problem.data().train.features, problem.loss());
}

} // namespace appa
