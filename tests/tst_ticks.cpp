#include "MethodRuns.h"
#include "ReferenceProblems.h"
#include "TouchedPages.h"

#include <QTest>

#include <cmath>
#include <map>
#include <random>
#include <tuple>

using namespace appa;

Q_DECLARE_METATYPE(appa::DatasetPtr)

/// A run answers between two ticks, so no tick and no change may take a pass over the data. Counted, not timed: a row
/// is a page of memory, and the pages that are read are seen.
class Ticks : public QObject
{
    Q_OBJECT

private slots:
    void noTickReadsMoreThanItsShare_data();
    void noTickReadsMoreThanItsShare();
    void changesAndCopiesReadABlockAtMost_data() { noTickReadsMoreThanItsShare_data(); }
    void changesAndCopiesReadABlockAtMost();
};

namespace {

constexpr Index rows = 1280;
constexpr Index columns = 512; // of doubles: a row is a page

DatasetPtr pages(TargetKind kind)
{
    std::mt19937_64 random(5);
    const auto uniform = [&] { return static_cast<double>(random() >> 11) * 0x1p-53 - 0.5; };
    Eigen::MatrixXd A(rows, columns);
    for (Index i = 0; i < A.size(); ++i)
        A.data()[i] = uniform() / std::sqrt(columns);
    Eigen::VectorXd x(columns);
    for (double &v : x)
        v = uniform();
    Eigen::VectorXd b = A * x;
    if (kind == TargetKind::Binary)
        for (double &label : b) // noise: a minimum that is attained
            label = uniform() > 0 ? 1 : -1;
    if (kind == TargetKind::Classes)
        for (Index i = 0; i < rows; ++i)
            b[i] = static_cast<double>(random() % 3);
    return reference::dataset("pages", A, b, kind);
}

/// A problem of which nothing is known. If the method says that it needs to know something, one that knows it.
std::pair<ProblemPtr, std::unique_ptr<Method>> startedOn(const DatasetPtr &data, const std::string &loss, double ridge,
                                                         const std::string &method, const std::string &inner,
                                                         const testing::Params &params)
{
    ProblemPtr problem = reference::problem(data, loss, ridge);
    auto run = testing::started(problem, method, inner, params);
    const Knowledge needs = run->needs();
    if (needs == Knowledge::Nothing)
        return {problem, std::move(run)};
    static std::map<std::tuple<std::string, double, Knowledge>, ProblemPtr> learnt;
    ProblemPtr &known = learnt.try_emplace({loss, ridge, needs}, problem).first->second;
    known->learn(needs);
    return {known, testing::started(known, method, inner, params)};
}

const double *firstRow(const Problem &problem)
{
    return std::get<DenseMatrix<double>>(problem.data().train.features).row(0);
}

} // namespace

void Ticks::noTickReadsMoreThanItsShare_data()
{
    QTest::addColumn<DatasetPtr>("data");
    QTest::addColumn<QString>("loss");
    QTest::addColumn<double>("ridge");
    QTest::addColumn<QString>("method");
    QTest::addColumn<QString>("inner");
    QTest::addColumn<QString>("rule");
    const DatasetPtr real = pages(TargetKind::Real), binary = pages(TargetKind::Binary),
                     classes = pages(TargetKind::Classes);
    struct Case
    {
        const char *loss;
        DatasetPtr data;
        double ridge;
    };
    for (const auto &[loss, data, ridge] :
         {Case{"squared", real, 0}, Case{"squared", real, 1e-3}, Case{"logistic", binary, 0},
          Case{"logistic", binary, 1e-3}, Case{"smoothed-hinge", binary, 0}, Case{"softmax", classes, 1e-3}}) {
        const ProblemPtr problem = reference::problem(data, loss, ridge);
        for (const MethodInfo &method : methods())
            for (const std::string &inner : method.inners.empty() ? std::vector<std::string>{""} : method.inners) {
                if (!whyNot(*problem, method.id, inner).empty())
                    continue;
                for (const char *rule : {"fixed", "certified"})
                    if (rule == std::string("fixed") || std::ranges::any_of(method.params, [](const ParamSpec &spec) {
                            return spec.key == "stages";
                        }))
                        QTest::addRow("%s, ridge %g, %s(%s), %s", loss, ridge, method.id.c_str(), inner.c_str(), rule)
                            << data << QString(loss) << ridge << QString::fromStdString(method.id)
                            << QString::fromStdString(inner) << QString(rule);
            }
    }
}

void Ticks::noTickReadsMoreThanItsShare()
{
    QFETCH(const DatasetPtr, data);
    QFETCH(const QString, loss);
    QFETCH(const double, ridge);
    QFETCH(const QString, method);
    QFETCH(const QString, inner);
    QFETCH(const QString, rule);

    const auto [problem, run] =
        startedOn(data, loss.toStdString(), ridge, method.toStdString(), inner.toStdString(),
                  {{"stages", rule.toStdString()}, {"max-passes", 3.0}, {"order", std::string("cyclic")}});
    testing::TouchedPages touched(firstRow(*problem), rows * columns * sizeof(double));
    const long share = 4 * rowsPerTick(*problem);
    QVERIFY(share < rows / 3);
    for (int tick = 0; tick < 160; ++tick) {
        QVERIFY(problem->knows(run->needs()));
        Method::State state = Method::State::More;
        const Index accesses = run->cost().accesses;
        const long read = touched.during([&] {
            Slice one = Slice::ticks(1);
            state = run->advance(one);
        });
        QVERIFY2(read <= share, qPrintable(QString("tick %1 reads %2 of %3 rows").arg(tick).arg(read).arg(rows)));
        QVERIFY(run->cost().accesses - accesses <= share);
        if (state == Method::State::Done || state == Method::State::Failed)
            break;
    }
}

void Ticks::changesAndCopiesReadABlockAtMost()
{
    QFETCH(const DatasetPtr, data);
    QFETCH(const QString, loss);
    QFETCH(const double, ridge);
    QFETCH(const QString, method);
    QFETCH(const QString, inner);
    QFETCH(const QString, rule);

    const auto [problem, run] = startedOn(data, loss.toStdString(), ridge, method.toStdString(), inner.toStdString(),
                                          {{"stages", rule.toStdString()}, {"max-passes", 3.0}});
    testing::TouchedPages touched(firstRow(*problem), rows * columns * sizeof(double));
    const auto changes = [&, &p = problem, &r = run] {
        const std::unique_ptr<Method> copy = r->clone();
        const Handover h = r->handover();
        static_cast<void>(r->dual());
        const auto next = testing::make(p, method.toStdString(), inner.toStdString(), {});
        next->start(h, 7);
        if (const ParamSet now = r->effective(); now.contains("lambda"))
            copy->retune(testing::paramSet({{"lambda", 0.5 * std::max(1e-6, now.real("lambda"))}}));
        copy->retune(testing::paramSet({{"passes", 2.0}}));
        static_cast<void>(testing::pointOf(*copy));
    };
    for (int tick = 0; tick < 40; ++tick) {
        QVERIFY(touched.during(changes) <= 4); // whose share of x SDCA still owes
        Slice one = Slice::ticks(1);
        run->advance(one);
    }
}

QTEST_GUILESS_MAIN(Ticks)
#include "tst_ticks.moc"
