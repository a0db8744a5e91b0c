#include "MethodRuns.h"
#include "ReferenceProblems.h"
#include "SmallOptimum.h"

#include <QTest>

#include <algorithm>
#include <cmath>
#include <random>

using namespace appa;
using reference::Storage;

Q_DECLARE_METATYPE(appa::ProblemPtr)

/// Mid-run changes: the reported point is carried over exactly, and what follows is at least as good as a fresh start.
class Switching : public QObject
{
    Q_OBJECT

private slots:
    void carriesTheIterateFromMethodToMethod_data();
    void carriesTheIterateFromMethodToMethod();
    void certifiedStagesNeverLoseByAChangeOfLambda_data();
    void certifiedStagesNeverLoseByAChangeOfLambda();
    void fixedStagesAreNoWorseThanAFreshStart_data();
    void fixedStagesAreNoWorseThanAFreshStart();
    void keepsTheIterateWhenLambdaChangesInsideAStage_data();
    void keepsTheIterateWhenLambdaChangesInsideAStage();
    void lambdaThereAndBackBetweenTwoTicksCostsNothing_data();
    void lambdaThereAndBackBetweenTwoTicksCostsNothing();
};

namespace {

/// The features of `logi`, three classes that no hyperplanes separate.
ProblemPtr threeClasses(double ridge)
{
    const ProblemPtr two = reference::logi();
    const Eigen::MatrixXd A = testing::plainMatrix(*two);
    Eigen::VectorXd b(A.rows());
    for (Index i = 0; i < A.rows(); ++i)
        b[i] = static_cast<double>(
            static_cast<int>(std::floor(10 + 1.5 * A(i, 0) + std::sin(3.1 * static_cast<double>(i)))) % 3);
    return reference::problem(reference::dataset("three", A, b, TargetKind::Classes), "softmax", ridge);
}

struct Choice
{
    std::string method;
    std::string inner;
};

std::vector<Choice> choices(const Problem &problem)
{
    std::vector<Choice> all;
    for (const MethodInfo &method : methods()) {
        if (method.inners.empty() && whyNot(problem, method.id, "").empty())
            all.push_back({method.id, ""});
        for (const std::string &inner : method.inners)
            if (whyNot(problem, method.id, inner).empty())
                all.push_back({method.id, inner});
    }
    return all;
}

/// What the method minimizes beside F: its own ridge, if lambda is one.
double ownRidge(const Method &run, const std::string &method)
{
    return findMethod(method)->lambda == LambdaMeaning::RidgeWeight ? run.effective().real("lambda") : 0;
}

bool dualBelongs(const Problem &problem, const Method &run, const Eigen::MatrixXd &A)
{
    const auto dual = run.dual();
    if (!dual)
        return true;
    const StageReport report = run.lastStage();
    const Vector x = testing::pointOf(run);
    const Vector s = report.centre.size() == x.size() ? report.centre : Vector(Vector::Zero(x.size()));
    const Vector xHat =
        s * ((dual->lambdaT - problem.ridge()) / dual->lambdaT) - A.transpose() * dual->y / dual->lambdaT;
    return (x - xHat).norm() <= 1e-9 * (1 + x.norm());
}

/// So many ticks, and one more if that is a stage's end.
void advanceIntoAStage(Method &run, Index ticks)
{
    Method::State state = Method::State::StageEnd;
    for (Index done = 0; done < ticks || state == Method::State::StageEnd; ++done) {
        Slice one = Slice::ticks(1);
        state = run.advance(one);
        if (state == Method::State::Done || state == Method::State::Failed)
            return;
    }
}

/// What the method minimizes, at its reported point.
double ownValue(const Problem &problem, const Method &run, const std::string &method)
{
    const Vector x = testing::pointOf(run);
    return problem.objective(x) + 0.5 * ownRidge(run, method) * x.squaredNorm();
}

} // namespace

void Switching::carriesTheIterateFromMethodToMethod_data()
{
    QTest::addColumn<ProblemPtr>("problem");
    QTest::addColumn<QString>("first");
    QTest::addColumn<QString>("firstInner");
    const std::vector<std::pair<const char *, ProblemPtr>> problems = {
        {"consistent", reference::consistent()},
        {"squared, ridge", reference::sq(Storage::Double, 0.02)},
        {"logistic, sparse", reference::logi(Storage::SparseDouble, 0.02)},
        {"smoothed hinge", reference::logi(Storage::Single, 0.02, "smoothed-hinge")},
        {"softmax", threeClasses(0.02)},
    };
    for (const auto &[label, problem] : problems)
        for (const Choice &first : choices(*problem))
            QTest::addRow("%s, from %s(%s)", label, first.method.c_str(), first.inner.c_str())
                << problem << QString::fromStdString(first.method) << QString::fromStdString(first.inner);
}

void Switching::carriesTheIterateFromMethodToMethod()
{
    QFETCH(const ProblemPtr, problem);
    QFETCH(const QString, first);
    QFETCH(const QString, firstInner);

    static std::map<std::pair<const Problem *, double>, double> optima;
    const auto optimum = [&](double extra) {
        const auto [it, isNew] = optima.try_emplace({problem.get(), extra}, 0.0);
        if (isNew) {
            const Vector x = testing::smallMinimizer(*problem, extra);
            it->second = problem->objective(x) + 0.5 * extra * x.squaredNorm();
        }
        return it->second;
    };
    const Eigen::MatrixXd A = testing::plainMatrix(*problem);
    const double scale = problem->objective(Vector::Zero(problem->dim()));
    std::mt19937 random(11);
    for (const Choice &second : choices(*problem)) {
        const std::string pair =
            first.toStdString() + "(" + firstInner.toStdString() + ") -> " + second.method + "(" + second.inner + ")";
        const testing::Params params = {{"mu", 0.02}};
        const auto before = testing::started(problem, first.toStdString(), firstInner.toStdString(), params);
        advanceIntoAStage(*before, 1 + static_cast<Index>(random() % 60));
        const Vector x = testing::pointOf(*before);
        const Handover h = before->handover();
        QVERIFY2(h.x == x, pair.c_str());
        if (h.y)
            QVERIFY2((h.aty - A.transpose() * *h.y).norm() <= 1e-9 * (1 + h.aty.norm()), pair.c_str());

        // A pass is a single step of AGD, and every stage forgets its momentum.
        const testing::Params secondParams = {{"mu", 0.02}, {"passes", second.inner == "agd" ? 20.0 : 1.0}};
        const auto after = testing::make(problem, second.method, second.inner, secondParams);
        after->start(h, 1000);
        QVERIFY2(testing::pointOf(*after) == x, pair.c_str());

        const double extra = ownRidge(*after, second.method);
        const double target = optimum(extra);
        const auto value = [&] {
            const Vector at = testing::pointOf(*after);
            return problem->objective(at) + 0.5 * extra * at.squaredNorm();
        };
        // SGD has its own, sublinear rate; the others arrive.
        const double tolerance = second.method == "sgd" ? 0.2 * scale : 1e-9 * scale;
        int stages = 0;
        for (; stages < 3000 && (stages % 10 != 0 || !(value() - target <= tolerance)); ++stages) {
            const Method::State state = testing::stage(*after);
            QVERIFY2(state != Method::State::Failed, (pair + ": " + after->message()).c_str());
            if (stages < 3)
                QVERIFY2(dualBelongs(*problem, *after, A), pair.c_str());
            if (state == Method::State::Done)
                break;
        }
        QVERIFY2(value() - target <= tolerance,
                 qPrintable(QString("%1: %2 above the optimum after %3 stages")
                                .arg(pair.c_str())
                                .arg(value() - target)
                                .arg(stages)));
    }
}

static void lambdaRows(bool proximalOnly)
{
    QTest::addColumn<ProblemPtr>("problem");
    QTest::addColumn<QString>("method");
    QTest::addColumn<QString>("inner");
    const std::vector<std::pair<const char *, ProblemPtr>> problems = {
        {"squared", reference::sq(Storage::Double, 0.001)},
        {"squared, no ridge", reference::sq()},
        {"logistic", reference::logi(Storage::Double, 0.01)},
        {"smoothed hinge, sparse, single", reference::logi(Storage::SparseSingle, 0.01, "smoothed-hinge")},
    };
    for (const auto &[label, problem] : problems)
        for (const Choice &choice : choices(*problem))
            if (const LambdaMeaning meaning = findMethod(choice.method)->lambda;
                meaning == LambdaMeaning::ProximalWeight || (!proximalOnly && meaning != LambdaMeaning::Unused))
                QTest::addRow("%s, %s(%s)", label, choice.method.c_str(), choice.inner.c_str())
                    << problem << QString::fromStdString(choice.method) << QString::fromStdString(choice.inner);
}

void Switching::certifiedStagesNeverLoseByAChangeOfLambda_data()
{
    lambdaRows(true);
}

void Switching::certifiedStagesNeverLoseByAChangeOfLambda()
{
    QFETCH(const ProblemPtr, problem);
    QFETCH(const QString, method);
    QFETCH(const QString, inner);

    std::mt19937 random(17);
    for (int power = 1; power <= 6; ++power)
        for (const double factor : {std::pow(10, -power), std::pow(10, power)}) {
            const double lambda = factor < 1 ? 1 : 1e-3;
            const auto run =
                testing::started(problem, method.toStdString(), inner.toStdString(),
                                 {{"lambda", lambda}, {"stages", std::string("certified")}, {"max-passes", 50.0}});
            testing::stage(*run);
            advanceIntoAStage(*run, 1 + static_cast<Index>(random() % 30));
            const double before = problem->objective(testing::pointOf(*run));
            run->retune(testing::paramSet({{"lambda", lambda * factor}}));
            testing::stage(*run);
            const double after = problem->objective(testing::pointOf(*run));
            QVERIFY2(after <= before * (1 + 1e-13),
                     qPrintable(QString("lambda times %1: %2 -> %3").arg(factor).arg(before).arg(after)));
        }
}

void Switching::fixedStagesAreNoWorseThanAFreshStart_data()
{
    lambdaRows(false);
}

void Switching::fixedStagesAreNoWorseThanAFreshStart()
{
    QFETCH(const ProblemPtr, problem);
    QFETCH(const QString, method);
    QFETCH(const QString, inner);

    const bool isStep = findMethod(method.toStdString())->lambda == LambdaMeaning::StepSize;
    std::mt19937 random(19);
    for (int power = 1; power <= 6; ++power)
        for (const double factor : {std::pow(10, -power), std::pow(10, power)}) {
            if (isStep && factor > 1)
                continue; // a step so long makes both diverge
            const double lambda = factor < 1 ? 0.1 : 1e-3;
            const Index inside = 1 + static_cast<Index>(random() % 30);
            // What the change leads to and what a fresh start from the same x does, over seeds.
            std::vector<double> changed, fresh;
            for (std::uint64_t seed = 1; seed <= 25; ++seed) {
                const auto run = testing::started(problem, method.toStdString(), inner.toStdString(),
                                                  {{"lambda", lambda}}, IndexStream::baseOf(seed));
                testing::stage(*run);
                advanceIntoAStage(*run, inside);
                run->retune(testing::paramSet({{"lambda", lambda * factor}}));
                const auto anew =
                    testing::make(problem, method.toStdString(), inner.toStdString(), {{"lambda", lambda * factor}});
                Handover h;
                h.x = testing::pointOf(*run);
                h.stage = run->handover().stage;
                anew->start(h, IndexStream::baseOf(seed + 100));
                // At equal accesses: where the fresh start makes its dual by a pass, the carried one goes on for it.
                const Index spent = run->cost().accesses;
                for (int t = 0; t < 2; ++t)
                    testing::stage(*anew);
                while (run->cost().accesses - spent < anew->cost().accesses)
                    testing::stage(*run);
                changed.push_back(ownValue(*problem, *run, method.toStdString()));
                fresh.push_back(ownValue(*problem, *anew, method.toStdString()));
            }
            std::ranges::sort(changed);
            const auto [best, worst] = std::ranges::minmax(fresh);
            QVERIFY2(changed[12] <= worst * (1 + 1e-12) + (worst - best),
                     qPrintable(QString("lambda times %1: median %2, a fresh start's %3 to %4")
                                    .arg(factor)
                                    .arg(changed[12], 0, 'g', 10)
                                    .arg(best, 0, 'g', 10)
                                    .arg(worst, 0, 'g', 10)));
        }
}

void Switching::keepsTheIterateWhenLambdaChangesInsideAStage_data()
{
    QTest::addColumn<ProblemPtr>("problem");
    QTest::addColumn<QString>("method");
    QTest::addColumn<QString>("inner");
    const ProblemPtr problem = reference::consistent();
    for (const Choice &choice : choices(*problem))
        QTest::addRow("%s(%s)", choice.method.c_str(), choice.inner.c_str())
            << problem << QString::fromStdString(choice.method) << QString::fromStdString(choice.inner);
}

void Switching::keepsTheIterateWhenLambdaChangesInsideAStage()
{
    QFETCH(const ProblemPtr, problem);
    QFETCH(const QString, method);
    QFETCH(const QString, inner);

    const Eigen::MatrixXd A = testing::plainMatrix(*problem);
    const auto run = testing::started(problem, method.toStdString(), inner.toStdString(), {{"mu", 0.02}});
    for (const double factor : {0.1, 10.0, 1e-3, 1e3, 1e-6, 1e6}) {
        advanceIntoAStage(*run, 5);
        const ParamSet now = run->effective();
        if (!now.contains("lambda") || now.isAuto("lambda") || !(now.real("lambda") > 0))
            return;
        const Vector x = testing::pointOf(*run);
        run->retune(testing::paramSet({{"lambda", now.real("lambda") * factor}}));
        QVERIFY(testing::pointOf(*run) == x);
        QCOMPARE(run->effective().real("lambda"), now.real("lambda") * factor);
        if (findMethod(method.toStdString())->lambda == LambdaMeaning::StepSize)
            return;
        testing::stage(*run);
        QVERIFY(dualBelongs(*problem, *run, A));
    }
}

void Switching::lambdaThereAndBackBetweenTwoTicksCostsNothing_data()
{
    lambdaRows(false);
}

void Switching::lambdaThereAndBackBetweenTwoTicksCostsNothing()
{
    QFETCH(const ProblemPtr, problem);
    QFETCH(const QString, method);
    QFETCH(const QString, inner);

    // A pause, lambda drawn far down and back again: what a dual would have become there is nobody's business.
    const double lambda = 0.01;
    const auto run = testing::started(problem, method.toStdString(), inner.toStdString(), {{"lambda", lambda}});
    for (int t = 0; t < 8; ++t)
        testing::stage(*run);
    const auto drawn = run->clone();
    for (const double there : {1e-4 * lambda, 1e-9 * lambda, lambda})
        drawn->retune(testing::paramSet({{"lambda", there}}));
    const Handover before = run->handover(), after = drawn->handover();
    QVERIFY(after.x == before.x);
    QCOMPARE(after.stage, before.stage);
    QCOMPARE(after.y.has_value(), before.y.has_value());
    if (before.y)
        QVERIFY2((*after.y - *before.y).norm() <= 1e-2 * before.y->norm(),
                 qPrintable(QString::number((*after.y - *before.y).norm() / before.y->norm())));
}

QTEST_GUILESS_MAIN(Switching)
#include "tst_switching.moc"
