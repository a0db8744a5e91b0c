#include "MethodRuns.h"
#include "ReferenceProblems.h"
#include "SmallOptimum.h"

#include <QTest>

#include <cmath>

using namespace appa;
using reference::Storage;

Q_DECLARE_METATYPE(appa::ProblemPtr)

/// Every method on every loss it supports, dense and sparse, single and double, arrives at the optimum.
class Convergence : public QObject
{
    Q_OBJECT

private slots:
    void reachesTheOptimum_data();
    void reachesTheOptimum();
};

namespace {

ProblemPtr softmax(Storage storage)
{
    Eigen::MatrixXd A(60, 4);
    Eigen::VectorXd b(60);
    for (int i = 1; i <= 60; ++i) {
        for (int j = 1; j <= 4; ++j)
            A(i - 1, j - 1) = std::cos(0.37 * i * j + 0.2 * i) / j;
        b[i - 1] = static_cast<double>((i * 7 + (A(i - 1, 0) > 0)) % 3);
    }
    return reference::problem(reference::dataset("softmax", A, b, TargetKind::Classes, storage), "softmax", 0.02);
}

} // namespace

void Convergence::reachesTheOptimum_data()
{
    QTest::addColumn<ProblemPtr>("problem");
    QTest::addColumn<QString>("method");
    QTest::addColumn<QString>("inner");
    for (const auto &[storage, storageName] :
         {std::pair(Storage::Double, "double"), std::pair(Storage::Single, "single"),
          std::pair(Storage::SparseDouble, "sparse double"), std::pair(Storage::SparseSingle, "sparse single")}) {
        const std::vector<std::pair<const char *, ProblemPtr>> problems = {
            {"squared", reference::sq(storage, 0.02)},
            {"consistent", reference::consistent(storage)},
            {"logistic", reference::logi(storage, 0.02)},
            {"smoothed hinge", reference::logi(storage, 0.02, "smoothed-hinge")},
            {"softmax", softmax(storage)},
        };
        for (const auto &[label, problem] : problems)
            for (const MethodInfo &method : methods()) {
                const std::vector<std::string> inners =
                    method.inners.empty() ? std::vector<std::string>{""} : method.inners;
                for (const std::string &inner : inners)
                    if (whyNot(*problem, method.id, inner).empty())
                        QTest::addRow("%s, %s, %s(%s)", label, storageName, method.id.c_str(), inner.c_str())
                            << problem << QString::fromStdString(method.id) << QString::fromStdString(inner);
            }
    }
}

void Convergence::reachesTheOptimum()
{
    QFETCH(const ProblemPtr, problem);
    QFETCH(const QString, method);
    QFETCH(const QString, inner);

    const auto run = testing::started(problem, method.toStdString(), inner.toStdString());
    const double extra =
        findMethod(method.toStdString())->lambda == LambdaMeaning::RidgeWeight ? run->effective().real("lambda") : 0;
    const auto value = [&](const Vector &x) { return problem->objective(x) + 0.5 * extra * x.squaredNorm(); };
    static std::map<std::pair<const Problem *, double>, double> optima;
    const auto [it, isNew] = optima.try_emplace({problem.get(), extra}, 0.0);
    if (isNew)
        it->second = value(testing::smallMinimizer(*problem, extra));
    const double fOpt = it->second;
    const double scale = value(Vector::Zero(problem->dim()));

    if (method == "sgd") {
        // eta/sqrt(t): the excess falls like 1/sqrt(t), here from 10 to 160 passes.
        for (int t = 0; t < 10; ++t)
            testing::stage(*run);
        const double early = value(testing::pointOf(*run)) - fOpt;
        for (int t = 0; t < 150; ++t)
            testing::stage(*run);
        const double late = value(testing::pointOf(*run)) - fOpt;
        QVERIFY2(late <= std::max(0.5 * early, 0.02 * scale),
                 qPrintable(QString("%1, then %2 of F(0)").arg(early / scale).arg(late / scale)));
        return;
    }
    double excess = scale;
    int stages = 0;
    for (; stages < 5000 && !(excess <= 1e-10 * scale); ++stages) {
        const Method::State state = testing::stage(*run);
        QVERIFY2(state != Method::State::Failed, run->message().c_str());
        excess = value(testing::pointOf(*run)) - fOpt;
        if (state == Method::State::Done)
            break;
    }
    QVERIFY2(excess <= 1e-10 * scale,
             qPrintable(QString("%1 of F(0) after %2 stages").arg(excess / scale).arg(stages)));
}

QTEST_GUILESS_MAIN(Convergence)
#include "tst_convergence.moc"
