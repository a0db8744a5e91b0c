#include "ReferenceProblems.h"

#include "problem/Newton.h"

#include <Eigen/Dense>
#include <QTest>

#include <random>

// The paper's lemmas about the regularized problem f(x) = F(x) + (lambda/2)|x - s|^2 and its dual g, in their corrected
// form, over random and adversarial problems; and a counter-example to each statement that does not hold as printed.

using namespace appa;

namespace {

/// One problem with a centre and a lambda, dense in double so that everything can be computed another way.
struct Trial
{
    ProblemPtr problem;
    Eigen::MatrixXd A;
    Vector s;
    double lambda = 1;

    Index n() const { return A.rows(); }
    Index d() const { return A.cols(); }

    double F(const Vector &x) const { return problem->objective(x); }
    double f(const Vector &x) const { return F(x) + 0.5 * lambda * (x - s).squaredNorm(); }
    Vector gradF(const Vector &x) const
    {
        Vector g;
        problem->gradient(x, g);
        return g;
    }
    Vector gradf(const Vector &x) const { return gradF(x) + lambda * (x - s); }
    Vector yHat(const Vector &x) const
    {
        const Vector m = A * x;
        Vector y(n());
        each([&](const auto &loss, Index i, double b) { y[i] = loss.derivative(m[i], b); });
        return y;
    }
    Vector xHat(const Vector &y) const { return s - A.transpose() * y / lambda; }
    double g(const Vector &y) const
    {
        const Vector aty = A.transpose() * y;
        double sum = aty.squaredNorm() / (2 * lambda) - s.dot(aty);
        each([&](const auto &loss, Index i, double b) { sum += loss.conjugate(y[i], b); });
        return sum;
    }
    double kappa() const { return problem->curvature() * problem->radius() * problem->radius() / lambda; }
    /// The minimizer of f, and g's minimum -f(x*).
    Vector minimizer() const { return minimize(*problem, lambda, s, {})->x; }

    template <class Visit> void each(Visit &&visit) const
    {
        std::visit(
            [&](const auto &loss) {
                if constexpr (std::decay_t<decltype(loss)>::hasDual)
                    for (Index i = 0; i < n(); ++i)
                        visit(loss, i, problem->targets()[static_cast<std::size_t>(i)]);
            },
            problem->loss());
    }
};

class Random
{
public:
    explicit Random(std::uint64_t seed) : m_engine(seed) { }

    double uniform(double lo, double hi) { return lo + (hi - lo) * static_cast<double>(m_engine() >> 11) * 0x1p-53; }
    double decades(double lo, double hi) { return std::pow(10.0, uniform(lo, hi)); }
    Index integer(Index lo, Index hi)
    {
        return lo + static_cast<Index>(m_engine() % static_cast<std::uint64_t>(hi - lo + 1));
    }
    Vector vector(Index d, double scale)
    {
        Vector v(d);
        for (double &vj : v)
            vj = scale * uniform(-1, 1);
        return v;
    }

private:
    std::mt19937_64 m_engine;
};

/// A third each: plain random rows; all rows equal (what makes the bounds in n tight); rows of sizes over six decades.
Trial makeTrial(std::uint64_t seed, std::string_view loss)
{
    Random random(seed);
    const Index n = random.integer(1, 24), d = random.integer(1, 8);
    Trial t;
    t.A.resize(n, d);
    for (Index i = 0; i < n; ++i) {
        t.A.row(i) = random.vector(d, 1).transpose();
        if (seed % 3 == 1 && i > 0)
            t.A.row(i) = t.A.row(0);
        if (seed % 3 == 2)
            t.A.row(i) *= random.decades(-3, 1.5);
    }
    Vector b(n);
    for (double &bi : b)
        bi = loss == "squared" ? random.uniform(-3, 3) : random.uniform(-1, 1) > 0 ? 1 : -1;
    t.lambda = random.decades(-4, 2);
    t.s = random.vector(d, random.decades(-2, 1));
    t.problem = reference::problem(
        reference::dataset("trial", t.A, b, loss == "squared" ? TargetKind::Real : TargetKind::Binary), loss);
    return t;
}

constexpr std::uint64_t trials = 150;

/// `check(trial, random)` returns how far the claim is from holding: at most 0 is right.
template <class Check> void overTrials(const QString &loss, Check &&check)
{
    for (std::uint64_t seed = 1; seed <= trials; ++seed) {
        const Trial t = makeTrial(seed, loss.toStdString());
        Random random(seed + 1000000);
        const double excess = check(t, random);
        QVERIFY2(excess <= 0, qPrintable(QString("seed %1: off by %2").arg(seed).arg(excess)));
    }
}

/// |a - b| against the size of what was added up to get them.
double offBy(double a, double b, double scale, double relative = 1e-9)
{
    return std::abs(a - b) - relative * scale;
}

} // namespace

class TestLemmas : public QObject
{
    Q_OBJECT

    void dualLosses()
    {
        QTest::addColumn<QString>("loss");
        for (const auto &info : losses())
            if (info.hasDual)
                QTest::newRow(std::string(info.id).c_str()) << QString::fromStdString(std::string(info.id));
    }

private slots:
    void gapIsPrimalPlusDual_data() { dualLosses(); }
    void gapIsPrimalPlusDual()
    {
        // At x = x_hat(y): f(x) + g(y) = sum of the Fenchel-Young terms, and that is never negative.
        QFETCH(QString, loss);
        overTrials(loss, [](const Trial &t, Random &random) {
            const Vector y = t.yHat(random.vector(t.d(), 2)) * random.uniform(0, 1);
            const Vector x = t.xHat(y);
            const Problem::DualPoint dual{y, t.lambda};
            const double gap = *t.problem->measure(x, &dual).gap;
            const double scale = 1 + t.f(x) + std::abs(t.g(y)) + t.lambda * x.squaredNorm();
            return std::max(offBy(gap, t.f(x) + t.g(y), scale), -gap);
        });
    }

    void dualMapsInvertEachOtherAtTheOptimum_data() { dualLosses(); }
    void dualMapsInvertEachOtherAtTheOptimum()
    {
        QFETCH(QString, loss);
        overTrials(loss, [](const Trial &t, Random &) {
            const Vector x = t.minimizer();
            const Vector y = t.yHat(x);
            const double scale = 1 + x.norm() + t.s.norm();
            return std::max((t.xHat(y) - x).norm() - 1e-8 * scale, offBy(t.f(x), -t.g(y), 1 + t.f(x)));
        });
    }

    void gapAtYHatIsTheSquaredGradient_data() { dualLosses(); }
    void gapAtYHatIsTheSquaredGradient()
    {
        // gap(x, y_hat(x)) = |grad f(x)|^2/(2 lambda), for every centre s.
        QFETCH(QString, loss);
        overTrials(loss, [](const Trial &t, Random &random) {
            const Vector x = random.vector(t.d(), 3);
            const double gap = t.f(x) + t.g(t.yHat(x));
            const double claim = t.gradf(x).squaredNorm() / (2 * t.lambda);
            const double scale =
                1 + t.f(x) + claim + t.lambda * t.s.squaredNorm() + t.gradF(x).squaredNorm() / t.lambda;
            return offBy(gap, claim, scale);
        });
    }

    void printedGapIdentityFailsAwayFromTheCentre()
    {
        // As printed: gap = |grad F(x)|^2/(2 lambda) + (lambda/2)|x - s|^2. The cross term grad F(x).(x - s) is
        // missing.
        const auto p = reference::sq();
        Trial t{.problem = p, .A = {}, .s = Vector::Constant(8, 0.3), .lambda = 0.1};
        t.A.resize(60, 8);
        for (Index i = 0; i < 60; ++i)
            t.A.row(i) =
                Eigen::Map<const Eigen::RowVectorXd>(std::get<DenseMatrix<double>>(p->data().train.features).row(i), 8);
        const Vector x = Vector::LinSpaced(8, 0.1, 0.8);
        const double gap = t.f(x) + t.g(t.yHat(x));
        const double printed = t.gradF(x).squaredNorm() / (2 * t.lambda) + 0.5 * t.lambda * (x - t.s).squaredNorm();
        QVERIFY(std::abs(gap - t.gradf(x).squaredNorm() / (2 * t.lambda)) < 1e-12);
        QVERIFY(std::abs(gap - printed) > 1e-2 * gap);
        QVERIFY(std::abs(gap - printed - t.gradF(x).dot(x - t.s)) < 1e-12);
    }

    void initialDualErrorIsAtMostNKappa_data() { dualLosses(); }
    void initialDualErrorIsAtMostNKappa()
    {
        // g(y_hat(x)) - g_opt <= n kappa_lambda (f(x) - f_opt), for every centre: f is (nLR^2 + lambda)-smooth, so
        // gap = |grad f|^2/(2 lambda) <= (nLR^2 + lambda)/lambda (f - f_opt), and the primal's own error is part of the
        // gap.
        QFETCH(QString, loss);
        overTrials(loss, [](const Trial &t, Random &random) {
            const Vector x = random.vector(t.d(), 3);
            const Vector best = t.minimizer();
            const double primal = t.f(x) - t.f(best);
            const double dual = t.g(t.yHat(x)) + t.f(best);
            const double bound = static_cast<double>(t.n()) * t.kappa() * primal;
            return dual - bound - 1e-9 * (1 + std::abs(t.g(t.yHat(x))) + t.f(x));
        });
    }

    void printedInitialDualErrorFails()
    {
        // As printed: 2 kappa_lambda. With n equal rows the error is n kappa_lambda times the primal's, so any n > 2
        // will do.
        const Index n = 30;
        Trial t;
        t.A = Eigen::MatrixXd::Ones(n, 1);
        t.s = Vector::Constant(1, 0.5);
        t.lambda = 1e-3;
        t.problem = reference::problem(reference::dataset("equal", t.A, Vector::Ones(n), TargetKind::Real), "squared");
        const Vector x = t.s, best = t.minimizer();
        const double primal = t.f(x) - t.f(best);
        const double dual = t.g(t.yHat(x)) + t.f(best);
        const double kappa = std::ceil(t.kappa());
        QVERIFY(dual > 2 * kappa * primal);
        QVERIFY(dual <= static_cast<double>(n) * kappa * primal);
        QVERIFY(dual > 0.9 * static_cast<double>(n) * t.kappa() * primal); // tight
    }

    void dualErrorBoundsPrimalByNKappa_data() { dualLosses(); }
    void dualErrorBoundsPrimalByNKappa()
    {
        // f(x_hat(y)) - f_opt <= L|A|^2/lambda (g(y) - g_opt), and L|A|^2 <= nLR^2.
        QFETCH(QString, loss);
        overTrials(loss, [](const Trial &t, Random &random) {
            const Vector best = t.minimizer();
            // From near the optimum to far away, inside the domain (a mixture of two derivatives is).
            const double far = random.uniform(0, 1);
            const Vector y = (1 - far) * t.yHat(best) + far * t.yHat(random.vector(t.d(), 3));
            const double dual = t.g(y) + t.f(best);
            const double primal = t.f(t.xHat(y)) - t.f(best);
            const double norm = t.A.jacobiSvd().singularValues()[0];
            const double sharp = t.problem->curvature() * norm * norm / t.lambda;
            if (sharp > static_cast<double>(t.n()) * t.kappa() * (1 + 1e-12))
                return 1.0;
            return primal - sharp * dual - 1e-9 * (1 + t.f(t.xHat(y)) + sharp * (1 + std::abs(t.g(y))));
        });
    }

    void printedDualErrorBoundIsLooseByOrders()
    {
        // As printed: 2 (n kappa)^2. On equal rows n kappa is reached, so the printed bound is off by 2 n kappa.
        const Index n = 30;
        Trial t;
        t.A = Eigen::MatrixXd::Ones(n, 1);
        t.s = Vector::Zero(1);
        t.lambda = 1e-3;
        t.problem = reference::problem(reference::dataset("equal", t.A, Vector::Ones(n), TargetKind::Real), "squared");
        const Vector best = t.minimizer();
        const Vector y = t.yHat(best) * 1.1;
        const double ratio = (t.f(t.xHat(y)) - t.f(best)) / (t.g(y) + t.f(best));
        const double nKappa = static_cast<double>(n) * t.kappa();
        QVERIFY(ratio <= nKappa * (1 + 1e-6));
        QVERIFY(ratio > 0.9 * nKappa);
        QVERIFY(2 * nKappa * nKappa > 1000 * ratio);
    }

    void proximalStepContractsBySquare_data()
    {
        QTest::addColumn<QString>("loss");
        QTest::addColumn<double>("ridge");
        for (const double ridge : {0.01, 1.0})
            for (const auto &info : losses())
                if (info.hasDual)
                    QTest::addRow("%s, ridge %g", std::string(info.id).c_str(), ridge)
                        << QString::fromStdString(std::string(info.id)) << ridge;
    }
    void proximalStepContractsBySquare()
    {
        // x+ = argmin F + (lambda/2)|. - x|^2: F(x+) - F_opt <= (lambda/(lambda+mu))^2 (F(x) - F_opt), mu the ridge
        // here.
        QFETCH(QString, loss);
        QFETCH(double, ridge);
        overTrials(loss, [&](const Trial &t, Random &random) {
            const Problem ridged(t.problem->dataPtr(), t.problem->loss(), ridge);
            const Vector x = random.vector(t.d(), 3);
            const double best = minimize(ridged, 0, Vector::Zero(t.d()), {})->value;
            const double before = ridged.objective(x) - best;
            const double after = ridged.objective(minimize(ridged, t.lambda, x, {})->x) - best;
            const double rate = t.lambda / (t.lambda + ridge);
            return after - rate * rate * before - 1e-11 * (1 + ridged.objective(x));
        });
    }

    void proximalContractionIsTight()
    {
        // F = (mu/2) x^2 alone (a zero row): x+ = lambda/(lambda+mu) x.
        const auto data = reference::dataset("flat", Eigen::MatrixXd::Zero(1, 1), Vector::Zero(1), TargetKind::Real);
        const auto p = reference::problem(data, "squared", 0.2);
        const double after = p->objective(minimize(*p, 0.6, Vector::Constant(1, 2.0), {})->x);
        QVERIFY(std::abs(after / p->objective(Vector::Constant(1, 2.0)) - 0.75 * 0.75) < 1e-12);
    }
};

QTEST_GUILESS_MAIN(TestLemmas)
#include "tst_lemmas.moc"
