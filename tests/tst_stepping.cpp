#include "MethodRuns.h"
#include "ReferenceProblems.h"

#include <QTest>

#include <cstdlib>
#include <random>

// Every allocation of the program, Eigen's too, goes through malloc; the sanitizers bring their own.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
static constexpr bool countsAllocations = false;
static thread_local long allocations = 0;
#else
static constexpr bool countsAllocations = true;
static thread_local long allocations = 0;
extern "C" {
void *__libc_malloc(std::size_t);
void *malloc(std::size_t bytes)
{
    ++allocations;
    return __libc_malloc(bytes);
}
}
#endif

using namespace appa;

Q_DECLARE_METATYPE(appa::ProblemPtr)

/// Where a method is cut, copied or looked at has no influence on what it computes; and its steps allocate nothing.
class Stepping : public QObject
{
    Q_OBJECT

private slots:
    void slicesAndClonesGiveTheSameBits_data() { everyMethod(); }
    void slicesAndClonesGiveTheSameBits();
    void aSliceWithoutATickChangesNothing_data() { everyMethod(); }
    void aSliceWithoutATickChangesNothing();
    void stepsAllocateNothing_data() { everyMethod(); }
    void stepsAllocateNothing();

private:
    static void everyMethod();
};

void Stepping::everyMethod()
{
    QTest::addColumn<ProblemPtr>("problem");
    QTest::addColumn<QString>("method");
    QTest::addColumn<QString>("inner");
    using reference::Storage;
    const std::vector<std::pair<const char *, ProblemPtr>> problems = {
        {"squared", reference::sq(Storage::Double, 0.01)},
        {"logistic, sparse, single", reference::logi(Storage::SparseSingle, 0.01)},
        {"consistent", reference::consistent(Storage::Single)},
    };
    for (const auto &[label, problem] : problems)
        for (const MethodInfo &method : methods()) {
            const std::vector<std::string> inners =
                method.inners.empty() ? std::vector<std::string>{""} : method.inners;
            for (const std::string &inner : inners)
                if (whyNot(*problem, method.id, inner).empty())
                    QTest::addRow("%s, %s(%s)", label, method.id.c_str(), inner.c_str())
                        << problem << QString::fromStdString(method.id) << QString::fromStdString(inner);
        }
}

namespace {

struct Seen
{
    std::vector<Vector> points; ///< at the stages' ends, and after the change
    Cost cost;
    ParamSet effective;
};

/// Some stages, a change of lambda `changeAt` ticks into the second, some more stages.
template <class Advance> Seen session(std::unique_ptr<Method> run, Index changeAt, Advance &&advance)
{
    Seen seen;
    const auto stages = [&](int count) {
        for (int t = 0; t < count; ++t) {
            while (advance(run, std::numeric_limits<Index>::max()) == Method::State::More) { }
            seen.points.push_back(testing::pointOf(*run));
        }
    };
    stages(1);
    const Index target = run->cost().ticks + changeAt;
    while (run->cost().ticks < target && advance(run, target - run->cost().ticks) == Method::State::More) { }
    if (const ParamSet now = run->effective(); now.contains("lambda") && now.real("lambda") > 0)
        run->retune(testing::paramSet({{"lambda", now.real("lambda") * 0.5}}));
    seen.points.push_back(testing::pointOf(*run));
    stages(3);
    seen.cost = run->cost();
    seen.effective = run->effective();
    return seen;
}

} // namespace

void Stepping::slicesAndClonesGiveTheSameBits()
{
    QFETCH(const ProblemPtr, problem);
    QFETCH(const QString, method);
    QFETCH(const QString, inner);

    for (const char *order : {"random", "permutation", "cyclic"})
        for (const char *rule : {"fixed", "certified"}) {
            const testing::Params params = {
                {"order", std::string(order)}, {"stages", std::string(rule)}, {"mu", 0.02}, {"max-passes", 20.0}};
            const auto make = [&] {
                return testing::started(problem, method.toStdString(), inner.toStdString(), params);
            };
            const Seen whole = session(make(), 7, [](std::unique_ptr<Method> &run, Index ticks) {
                Slice slice = Slice::ticks(ticks);
                return run->advance(slice);
            });
            std::mt19937 random(7);
            const Seen sliced = session(make(), 7, [&](std::unique_ptr<Method> &run, Index ticks) {
                // Looking changes nothing, a copy goes on as its original would.
                static_cast<void>(run->handover());
                static_cast<void>(run->dual());
                static_cast<void>(run->effective());
                if (random() % 3 == 0)
                    run = run->clone();
                Slice slice = Slice::ticks(std::min<Index>(ticks, static_cast<Index>(random() % 4)));
                return run->advance(slice);
            });
            QCOMPARE(sliced.points.size(), whole.points.size());
            for (std::size_t t = 0; t < whole.points.size(); ++t)
                QVERIFY2(sliced.points[t] == whole.points[t],
                         qPrintable(QString("%1, %2, point %3").arg(order, rule).arg(t)));
            QVERIFY(sliced.cost == whole.cost);
            QVERIFY(sliced.effective == whole.effective);
        }
}

void Stepping::aSliceWithoutATickChangesNothing()
{
    QFETCH(const ProblemPtr, problem);
    QFETCH(const QString, method);
    QFETCH(const QString, inner);

    // An event is logged with its tick: what a method does before it asks for that tick no replay could tell.
    for (const char *rule : {"fixed", "certified"}) {
        const testing::Params params = {{"stages", std::string(rule)}, {"mu", 0.02}, {"max-passes", 20.0}};
        const auto plain = testing::started(problem, method.toStdString(), inner.toStdString(), params);
        const auto looked = testing::started(problem, method.toStdString(), inner.toStdString(), params);
        for (int change = 0; change < 4; ++change) {
            Slice none = Slice::ticks(0);
            QCOMPARE(looked->advance(none), Method::State::More);
            const Handover a = plain->handover(), b = looked->handover();
            const QByteArray where = QStringLiteral("%1, change %2").arg(rule).arg(change).toUtf8();
            QVERIFY2(a.x == b.x && a.y == b.y && a.aty == b.aty && a.stage == b.stage, where);
            if (const ParamSet now = plain->effective();
                now.contains("lambda") && !now.isAuto("lambda") && now.real("lambda") > 0)
                for (Method *run : {plain.get(), looked.get()})
                    run->retune(testing::paramSet({{"lambda", now.real("lambda") * 0.5}}));
            const bool done = testing::stage(*plain) == Method::State::Done;
            testing::stage(*looked);
            QVERIFY2(testing::pointOf(*plain) == testing::pointOf(*looked), where);
            QVERIFY2(plain->cost() == looked->cost(), where);
            if (done)
                break;
        }
    }
}

void Stepping::stepsAllocateNothing()
{
    if (!countsAllocations)
        QSKIP("the sanitizers' allocator is in place");
    QFETCH(const ProblemPtr, problem);
    QFETCH(const QString, method);
    QFETCH(const QString, inner);

    if (inner == "exact")
        QSKIP("a Newton step makes its matrices anew");
    const auto run =
        testing::started(problem, method.toStdString(), inner.toStdString(), {{"mu", 0.02}, {"passes", 4.0}});
    for (int t = 0; t < 2; ++t)
        testing::stage(*run); // the first ticks make their scratch
    long counted = 0;
    bool first = true;
    for (int tick = 0; tick < 200; ++tick) {
        const long before = allocations;
        const Index steps = run->cost().steps;
        Slice one = Slice::ticks(1);
        const Method::State state = run->advance(one);
        // A stage's beginning and end may allocate; what a solver does from step to step may not.
        if (!first && state == Method::State::More && run->cost().steps > steps)
            counted += allocations - before;
        first = state != Method::State::More;
        if (state == Method::State::Done || state == Method::State::Failed)
            break;
    }
    QCOMPARE(counted, 0);
}

QTEST_GUILESS_MAIN(Stepping)
#include "tst_stepping.moc"
