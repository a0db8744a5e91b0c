#include "problem/Losses.h"

#include <QTest>

#include <array>
#include <cmath>
#include <functional>
#include <random>
#include <vector>

using namespace appa;

namespace {

constexpr double epsilon = std::numeric_limits<double>::epsilon();

/// Calls f(loss, targets) for every loss of the registry that has a scalar dual, with weight w.
template <class F> void forScalarLoss(const QString &id, double w, F &&f)
{
    std::visit(
        [&](auto loss) {
            if constexpr (std::decay_t<decltype(loss)>::hasDual) {
                loss.w = w;
                f(loss, loss.isQuadratic ? std::vector<double>{-1.5, 0.0, 2.0} : std::vector<double>{-1.0, 1.0});
            }
        },
        makeLoss(id.toStdString(), 1, 2).value());
}

void scalarLosses()
{
    QTest::addColumn<QString>("id");
    for (const auto &info : losses())
        if (info.hasDual)
            QTest::newRow(std::string(info.id).c_str()) << QString::fromStdString(std::string(info.id));
}

/// argmin of a convex function on [lo, hi].
long double minimizer(const std::function<long double(long double)> &f, long double lo, long double hi)
{
    for (int k = 0; k < 300; ++k) {
        const long double a = lo + (hi - lo) / 3, b = hi - (hi - lo) / 3;
        (f(a) < f(b) ? hi : lo) = f(a) < f(b) ? b : a;
    }
    return (lo + hi) / 2;
}

long double sigmoidL(long double t)
{
    return t >= 0 ? 1 / (1 + std::exp(-t)) : std::exp(t) / (1 + std::exp(t));
}

/// Duals in the conjugate's domain, its edges included: u = -b y/w in [0, 1], or any number for squared.
std::vector<double> dualsFor(bool bounded, double w, double b)
{
    std::vector<double> ys;
    for (const double u : {0.0, 1e-300, 1e-12, 1e-3, 0.3, 0.5, 0.9, 1 - 1e-12, 1.0})
        ys.push_back(bounded ? -b * w * u : w * (8 * u - 4));
    return ys;
}

} // namespace

class TestLosses : public QObject
{
    Q_OBJECT

private slots:
    void registryFollowsTheVariant()
    {
        QCOMPARE(losses().size(), std::variant_size_v<AnyLoss>);
        for (const auto &info : losses()) {
            const auto loss = makeLoss(info.id, 50, 3);
            QVERIFY(loss.ok());
            QCOMPARE(infoOf(loss.value()).id, info.id);
            QCOMPARE(std::visit([](const auto &l) { return l.w; }, loss.value()), 0.02);
        }
        const auto unknown = makeLoss("hinge", 50, 2);
        QVERIFY(!unknown.ok());
        QVERIFY(unknown.error().kind == Error::Kind::Usage);
        QVERIFY(QString::fromStdString(unknown.error().message).contains("smoothed-hinge"));
    }

    void derivativesMatchFiniteDifferences_data() { scalarLosses(); }
    void derivativesMatchFiniteDifferences()
    {
        QFETCH(QString, id);
        const double h = 1e-5;
        forScalarLoss(id, 0.5, [&](const auto &loss, const auto &targets) {
            for (const double b : targets)
                for (const double z : {-30.0, -3.0, -0.7, -0.01, 0.3, 0.99, 2.5, 40.0}) {
                    const double first = (loss.value(z + h, b) - loss.value(z - h, b)) / (2 * h);
                    const double second = (loss.derivative(z + h, b) - loss.derivative(z - h, b)) / (2 * h);
                    QVERIFY(std::abs(first - loss.derivative(z, b)) < 1e-8);
                    QVERIFY(std::abs(second - loss.secondDerivative(z, b)) < 1e-8);
                    QVERIFY(loss.secondDerivative(z, b) <= loss.curvature() * (1 + 1e-15));
                }
        });
    }

    void conjugateIsTheSupremum_data() { scalarLosses(); }
    void conjugateIsTheSupremum()
    {
        QFETCH(QString, id);
        forScalarLoss(id, 0.25, [&](const auto &loss, const auto &targets) {
            for (const double b : targets)
                for (const double y : dualsFor(!loss.isQuadratic, loss.w, b)) {
                    const auto f = [&](long double z) {
                        return static_cast<long double>(loss.value(static_cast<double>(z), b))
                            - z * static_cast<long double>(y);
                    };
                    const long double z = minimizer(f, -60, 60);
                    QVERIFY(std::abs(static_cast<double>(-f(z)) - loss.conjugate(y, b)) < 1e-10);
                    QVERIFY(loss.feasible(y, b) == y || std::abs(loss.feasible(y, b) - y) < 1e-16);
                }
            if (!loss.isQuadratic)
                for (const double b : targets) {
                    QVERIFY(std::isinf(loss.conjugate(b * 0.01, b)));
                    QVERIFY(std::isinf(loss.conjugate(-b * loss.w * 1.01, b)));
                    QCOMPARE(loss.feasible(b * 7, b), 0.0);
                    QCOMPARE(loss.feasible(-b * 7, b), -b * loss.w);
                }
        });
    }

    void fenchelYoungIsNonNegativeAndTheSum_data() { scalarLosses(); }
    void fenchelYoungIsNonNegativeAndTheSum()
    {
        QFETCH(QString, id);
        forScalarLoss(id, 0.25, [&](const auto &loss, const auto &targets) {
            for (const double b : targets)
                for (const double m : {-1e5, -800.0, -36.0, -1.0, -1e-9, 0.0, 0.4, 1.0, 3.0, 40.0, 800.0, 1e5}) {
                    for (const double y : dualsFor(!loss.isQuadratic, loss.w, b)) {
                        const double gap = loss.fenchelYoung(m, y, b);
                        const double sum = loss.value(m, b) + loss.conjugate(y, b) - m * y;
                        QVERIFY(gap >= 0);
                        QVERIFY(std::abs(gap - sum) <= 1e-13 * (1 + loss.value(m, b) + std::abs(m * y)));
                    }
                    // Where y sits at its bound -b w, it cannot say how far the margin is beyond.
                    const bool saturated = std::abs(m) > 30 && b * m < 0;
                    QVERIFY(loss.fenchelYoung(m, loss.derivative(m, b), b)
                            <= (saturated ? epsilon : 1e-30 + 1e-30 * m * m));
                }
        });
    }

    void logisticGapIsAccurateNextToTheOptimum()
    {
        // KL(u || p) in long double, at differences that the plain sum of three terms cannot see.
        const LogisticLoss loss{.w = 1};
        for (const double t : {-600.0, -20.0, -2.0, 0.0, 1.0, 15.0, 30.0})
            for (const double relative : {0.3, 1e-3, 1e-5, 1e-7, -1e-7, -1e-4, -0.4}) {
                const double u =
                    t <= 0 ? LogisticLoss::sigmoid(t) * (1 + relative) : 1 - LogisticLoss::sigmoid(-t) * (1 + relative);
                if (!(u >= 0 && u <= 1))
                    continue;
                const long double p = sigmoidL(t), q = sigmoidL(-t);
                const long double e = t <= 0 ? u - p : q - (1 - static_cast<long double>(u));
                const auto h = [](long double x) {
                    return std::abs(x) > 1e-3L
                        ? (1 + x) * std::log1p(x) - x
                        : x * x * (0.5L - x * (1 / 6.0L - x * (1 / 12.0L - x * (1 / 20.0L - x / 30))));
                };
                const auto exact = static_cast<double>(p * h(e / p) + q * h(-e / q));
                const double got = loss.fenchelYoung(-t, -u, 1); // b = 1: t = -m, u = -y
                // u itself is only known to half an ulp of it: that is (eps u/e)^2 of the value.
                const double slack = 1e-9 + 8 * epsilon * (t <= 0 ? u : 1) / std::abs(static_cast<double>(e));
                QVERIFY2(std::abs(got - exact) <= slack * exact,
                         qPrintable(QString("t %1 rel %2: %3 against %4").arg(t).arg(relative).arg(got).arg(exact)));
            }
    }

    void dualStepLandsOnTheOptimalityCondition_data() { scalarLosses(); }
    void dualStepLandsOnTheOptimalityCondition()
    {
        // After the step y = phi'(m - q delta), to 1e-9/n: what is left beyond is the rounding of the margin itself.
        QFETCH(QString, id);
        for (const double w : {1.0, 1e-3, 1.0 / 60000})
            forScalarLoss(id, w, [&](const auto &loss, const auto &targets) {
                for (const double b : targets)
                    for (const double m : {-1e4, -700.0, -30.0, -1.0, -1e-3, 0.0, 1e-8, 0.5, 1.0, 7.0, 300.0, 1e4})
                        for (const double y : dualsFor(!loss.isQuadratic, w, b))
                            for (const double k : {0.0, 1e-12, 1e-3, 0.3, 1.0, 4.0, 100.0, 1e4, 1e6, 1e9}) {
                                const double q = k / w;
                                const auto [delta, stepped] = loss.dualStep(y, b, q)(m);
                                const double after = m - q * delta;
                                const double rounding =
                                    8 * epsilon * (std::abs(m) + k * (1 + std::abs(y / w)) + q * std::abs(delta));
                                const double off = std::abs((stepped - loss.derivative(after, b)) / w);
                                QVERIFY2(off <= 1e-9 + rounding,
                                         qPrintable(QString("w %1 b %2 m %3 y %4 k %5: %6")
                                                        .arg(w)
                                                        .arg(b)
                                                        .arg(m)
                                                        .arg(y)
                                                        .arg(k)
                                                        .arg(off)));
                                QVERIFY(std::isfinite(loss.conjugate(stepped, b)));
                            }
            });
    }

    void logisticStepLandsThereFromAnywhere()
    {
        // Random margins, duals up to the ends of their interval, all stiffnesses: whatever way the root is found.
        std::mt19937_64 random(7);
        const auto uniform = [&] { return static_cast<double>(random() >> 11) * 0x1p-53; };
        const LogisticLoss loss{.w = 1};
        for (int trial = 0; trial < 200000; ++trial) {
            const double b = trial % 2 ? 1 : -1;
            const double m = (uniform() < 0.5 ? 1 : -1) * std::pow(10, 6 * uniform() - 3);
            const double k = std::pow(10, 14 * uniform() - 6);
            const double end = std::pow(10, -12 * uniform());
            const double u = uniform() < 0.5 ? end : 1 - end;
            const auto [delta, stepped] = loss.dualStep(-b * u, b, k)(m);
            const double off = std::abs(stepped - loss.derivative(m - k * delta, b));
            QVERIFY2(off <= 1e-10 + 8 * epsilon * (std::abs(m) + 2 * k),
                     qPrintable(QString("b %1 m %2 u %3 k %4: %5").arg(b).arg(m).arg(u).arg(k).arg(off)));
        }
    }

    void logisticRootIsExactWhereverItsSeriesEnds()
    {
        // Roots around the place where the search begins, on both sides of where the series there is trusted.
        std::mt19937_64 random(11);
        const auto uniform = [&] { return static_cast<double>(random() >> 11) * 0x1p-53; };
        for (int trial = 0; trial < 200000; ++trial) {
            const double k = std::pow(10, 5 * uniform() - 2.5);
            const double before = 24 * uniform() - 12;
            const double root = before + 0.1 * uniform() - 0.05;
            const auto C = static_cast<double>(-root - k * sigmoidL(root));
            long double om = root;
            for (int i = 0; i < 4; ++i) {
                const long double s = sigmoidL(om);
                om -= (om + C + k * s) / (1 + k * s * (1 - s));
            }
            const double got = LogisticRoot(k, LogisticLoss::sigmoid(before)).at(C);
            const auto off = static_cast<double>(std::abs(got - sigmoidL(om)));
            QVERIFY2(off <= 2e-11, qPrintable(QString("k %1 from %2 to %3: %4").arg(k).arg(before).arg(root).arg(off)));
        }
    }

    void whatIsNotANumberEndsAStepToo_data() { scalarLosses(); }
    void whatIsNotANumberEndsAStepToo()
    {
        // A run that has left all bounds goes on until it is measured: its steps may be wrong, but they must end.
        QFETCH(QString, id);
        constexpr double nan = std::numeric_limits<double>::quiet_NaN(), inf = std::numeric_limits<double>::infinity();
        forScalarLoss(id, 0.5, [&](const auto &loss, const auto &targets) {
            for (const double b : targets)
                for (const double m : {nan, inf, -inf, 1e308, -1e308, 0.0})
                    for (const double y : {nan, inf, -inf, -0.25 * b, 0.0})
                        for (const double q : {nan, inf, 1e308, 1.0, 0.0})
                            if (std::isfinite(m) && std::isfinite(y) && q == 1)
                                QVERIFY(std::isfinite(loss.dualStep(y, b, q)(m).y));
                            else
                                (void)loss.dualStep(y, b, q)(m);
        });
    }

    void apcgStepMinimizesItsModel_data() { scalarLosses(); }
    void apcgStepMinimizesItsModel()
    {
        QFETCH(QString, id);
        std::mt19937_64 random(1);
        const auto uniform = [&] { return static_cast<double>(random() >> 11) * 0x1p-53; };
        for (const double w : {1.0, 0.01})
            forScalarLoss(id, w, [&](const auto &loss, const auto &targets) {
                const double c = 1 / loss.curvature();
                for (int trial = 0; trial < 400; ++trial) {
                    const double b = targets[static_cast<std::size_t>(trial) % targets.size()];
                    const double stiffness = c * std::pow(10.0, 6 * uniform() - 2);
                    const double Z = loss.isQuadratic ? w * (4 * uniform() - 2) : -b * w * uniform();
                    const double D = 20 * uniform() - 10;
                    const double h = loss.apcgStep(D, Z, stiffness, b);
                    const auto model = [&](long double y) {
                        const long double step = y - Z;
                        const long double u = -b * y / w;
                        long double conjugate = 0;
                        if constexpr (std::is_same_v<std::decay_t<decltype(loss)>, LogisticLoss>)
                            conjugate = w * ((u > 0 ? u * std::log(u) : 0) + (u < 1 ? (1 - u) * std::log1p(-u) : 0));
                        else
                            conjugate =
                                static_cast<long double>(loss.conjugate(loss.feasible(static_cast<double>(y), b), b));
                        return 0.5L * stiffness * step * step + D * step + conjugate - 0.5L * c * y * y;
                    };
                    const long double lo = loss.isQuadratic ? -1e4 * w : std::min(0.0, -b * w),
                                      hi = loss.isQuadratic ? 1e4 * w : std::max(0.0, -b * w);
                    const long double best = minimizer(model, lo, hi);
                    // Compared by value: where the model is flat, many points are as good.
                    const long double excess = model(static_cast<long double>(Z) + h) - model(best);
                    QVERIFY2(excess <= 1e-13L * (1 + std::abs(model(best))) * w * 100,
                             qPrintable(QString::number(static_cast<double>(excess))));
                    QVERIFY(loss.isQuadratic || std::abs(loss.feasible(Z + h, b) - (Z + h)) <= 4 * epsilon * w);
                }
            });
    }

    void softmaxDerivativeMatchesFiniteDifferences()
    {
        const SoftmaxLoss loss{.w = 0.5, .classes = 4};
        const std::array<double, 4> m = {0.3, -2, 1.7, 0.1};
        std::array<double, 4> grad;
        for (const double target : {0.0, 1.0, 2.0, 3.0}) {
            loss.derivative(m, target, grad);
            double sum = 0;
            for (std::size_t k = 0; k < 4; ++k) {
                auto up = m, down = m;
                up[k] += 1e-5;
                down[k] -= 1e-5;
                QVERIFY(std::abs((loss.value(up, target) - loss.value(down, target)) / 2e-5 - grad[k]) < 1e-9);
                sum += grad[k];
            }
            QVERIFY(std::abs(sum) < 1e-16);
        }
    }

    void softmaxOfTwoClassesIsLogistic()
    {
        const SoftmaxLoss softmax{.w = 0.25, .classes = 2};
        const LogisticLoss logistic{.w = 0.25};
        std::array<double, 2> grad;
        for (const double m : {-1e4, -800.0, -40.0, -1.0, 0.0, 1e-9, 3.0, 36.0, 700.0, 1e4}) {
            const std::array<double, 2> margins = {0, m};
            for (const double b : {-1.0, 1.0}) {
                const double target = b > 0 ? 1 : 0;
                const double value = logistic.value(m, b), slope = logistic.derivative(m, b);
                QVERIFY(std::abs(softmax.value(margins, target) - value) <= 4 * epsilon * value);
                softmax.derivative(margins, target, grad);
                QVERIFY(std::abs(grad[1] - slope) <= 4 * epsilon * std::abs(slope));
                QCOMPARE(grad[0], -grad[1]);
            }
        }
    }
};

QTEST_GUILESS_MAIN(TestLosses)
#include "tst_losses.moc"
