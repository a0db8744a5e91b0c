#include "ChartData.h"

#include "charts/PlotView.h"

#include <QTest>

#include <algorithm>
#include <cmath>

using namespace appa;
using namespace appa::ui;

namespace {

using testing::halvingCurve, testing::showCurves, testing::twoCurves;

} // namespace

class TestAxes final : public QObject
{
    Q_OBJECT

private slots:
    void withoutATestSetTheLossHasTheRoom();
    void inALowWindowTheLossHasTheRoom();
    void testErrorBeginsAtZeroUnlessItHardlyChanges();
    void anUntrainedStartDoesNotSqueezeTheTestError();
    void theFirstStagesMoveTheAxesOnce();
    void aPlanOfVeryManyStagesLeavesTheCurveItsRoom();
    void aNearlyExactRunDoesNotFlattenTheOthers();
    void whatDescendsStaysInSight();
};

void TestAxes::withoutATestSetTheLossHasTheRoom()
{
    CurvesData data = twoCurves();
    for (Curve &c : data.curves)
        for (TracePoint &p : c.points)
            p.testError = unknown;
    CurvesView view;
    showCurves(view, data);
    PlotView *plot = view.plot(CurvePanel::Loss);
    QVERIFY(!view.plot(CurvePanel::TestError)->isVisible());
    QTRY_COMPARE(plot->height(), view.height());
    QVERIFY(plot->content().showXAxis);
    QVERIFY(plot->content().subtitle.contains(QStringLiteral("no test set")));
    view.setData(twoCurves());
    view.flush();
    QVERIFY(view.plot(CurvePanel::TestError)->isVisible());
    QVERIFY(!plot->content().showXAxis && plot->content().subtitle.isEmpty());
}

void TestAxes::inALowWindowTheLossHasTheRoom()
{
    CurvesView view;
    showCurves(view);
    PlotView *plot = view.plot(CurvePanel::Loss);
    const PlotView *test = view.plot(CurvePanel::TestError);
    QVERIFY(test->isVisible());
    view.resize(900, 300);
    QTRY_VERIFY(!test->isVisible());
    QTRY_COMPARE(plot->height(), view.height());
    QVERIFY(plot->content().showXAxis && plot->content().subtitle.isEmpty());
    view.resize(900, 450);
    QTRY_VERIFY(test->isVisible());
    view.setTheme(Theme::make(ThemeMode::Light, 2)); // the same height holds half as many lines
    QTRY_VERIFY(!test->isVisible());
}

void TestAxes::testErrorBeginsAtZeroUnlessItHardlyChanges()
{
    const auto range = [](double first, double last, int points, Range previous = {1, 0}) {
        CurvesData data;
        data.curves = {halvingCurve(1, points - 1)};
        for (int k = 0; k < points; ++k)
            data.curves[0].points[static_cast<std::size_t>(k)].testError =
                points == 1 ? first : first + (last - first) * k / (points - 1);
        std::vector<MappedCurve> mapped(1);
        mapCurve(mapped[0], data.curves[0], CurvePanel::TestError, data);
        return fitY(data, CurvePanel::TestError, mapped, previous);
    };
    QCOMPARE(range(0.47, 0.47, 1).lo, 0.0); // the first point decides nothing
    for (const double last : {0.30, 0.2, 0.14, 0.12, 0.1, 0.02})
        QCOMPARE(range(0.47, last, 8), (Range{0, 0.5})); // and the axis rests while the error falls
    const Range flat = range(0.47, 0.44, 8);
    QVERIFY(flat.lo > 0.4 && flat.hi < 0.5);
}

void TestAxes::anUntrainedStartDoesNotSqueezeTheTestError()
{
    CurvesData data = twoCurves();
    for (Curve &c : data.curves)
        for (TracePoint &p : c.points)
            p.testError = p.stage == 0 ? 0.473 : 0.09 + 0.02 / static_cast<double>(p.stage);
    CurvesView view;
    showCurves(view, data);
    const PlotView *plot = view.plot(CurvePanel::TestError);
    QCOMPARE(plot->content().y.lo, 0.0);
    QVERIFY(plot->content().y.hi > 0.11 && plot->content().y.hi < 0.2);
    // What is above the frame is said.
    QCOMPARE(plot->content().marks.size(), std::size_t(1));
    QCOMPARE(plot->content().marks[0].text, QStringLiteral("0.473 at the start"));
    // Another run that has not begun to learn moves nothing.
    const Range before = plot->content().y;
    Curve fresh = halvingCurve(3, 0);
    fresh.points[0].testError = 0.473;
    view.setCurve(fresh);
    view.flush();
    QCOMPARE(plot->content().y, before);
}

void TestAxes::theFirstStagesMoveTheAxesOnce()
{
    // The first stage costs two passes, as where a dual is made; the others one.
    const Curve whole = halvingCurve(1, 10);
    CurvesData data;
    data.curves = {halvingCurve(1, 0)};
    data.curves[0].status = RunStatus::Running;
    data.curves[0].plannedStages = 40;
    CurvesView view;
    showCurves(view, data);
    const PlotView *plot = view.plot(CurvePanel::TestError);
    QCOMPARE(plot->content().x, (Range{0, 40}));
    QCOMPARE(plot->content().y, (Range{0, 0.5})); // one value: neither more nor less than it needs
    for (int k = 1; k <= 10; ++k) {
        TracePoint p = whole.points[static_cast<std::size_t>(k)];
        p.cost.accesses = (k + 1) * 100;
        view.updateCurve(1, RunStatus::Running, static_cast<std::size_t>(k), std::span(&p, 1), 0, {});
        view.flush();
        QCOMPARE(plot->content().x, (Range{0, k == 1 ? 40.0 : 41.0}));
    }
    // With nothing but the start there is no time yet: an axis all the same.
    data.options.xAxis = XAxis::Seconds;
    view.setData(data);
    view.flush();
    QCOMPARE(plot->content().x, (Range{0, 1}));
}

namespace {

/// At the resolution of F after one stage.
Curve exactCurve(int id)
{
    Curve c = halvingCurve(id, 5);
    for (TracePoint &p : c.points)
        if (p.stage > 0)
            p.loss = testing::fOpt;
    return c;
}

qsizetype arrowsBelow(const PlotContent &content)
{
    return std::ranges::count(content.marks, PointMark::Kind::Beneath, &PointMark::kind);
}

} // namespace

void TestAxes::aPlanOfVeryManyStagesLeavesTheCurveItsRoom()
{
    const auto endFor = [](double planned) {
        CurvesData data;
        data.options.xAxis = XAxis::Stages;
        data.curves = {halvingCurve(1, 30)};
        data.curves[0].status = RunStatus::Running;
        data.curves[0].plannedStages = planned;
        CurvesView view;
        showCurves(view, data);
        return view.plot(CurvePanel::Loss)->content().x.hi;
    };
    QVERIFY(endFor(100) >= 100); // the whole plan is in sight
    QVERIFY2(endFor(1e6) < 100, qPrintable(QString::number(endFor(1e6))));
}

void TestAxes::aNearlyExactRunDoesNotFlattenTheOthers()
{
    CurvesData data;
    data.curves = {halvingCurve(1, 10), exactCurve(2)}; // one ends at 1e-3
    data.optimum = OptimumLine{testing::fOpt, 1e-12, true};
    CurvesView view;
    showCurves(view, data);
    const PlotView *plot = view.plot(CurvePanel::Loss);
    QVERIFY(plot->content().y.lo > -6);
    // Where it ends is said, at the edge.
    QCOMPARE(arrowsBelow(plot->content()), qsizetype(1));
    QVERIFY(plot->content().marks.back().text.startsWith(QStringLiteral("run 2: ")));
    QVERIFY(plot->content().marks.back().at.x() > 0);
    // When the others come near, all is shown.
    data.curves[0] = halvingCurve(1, 30);
    view.setData(data);
    view.flush();
    QVERIFY(plot->content().y.lo <= -12);
    QCOMPARE(arrowsBelow(plot->content()), qsizetype(0));
}

void TestAxes::whatDescendsStaysInSight()
{
    const auto lowest = [](const CurvesData &data) {
        std::vector<MappedCurve> mapped(data.curves.size());
        for (std::size_t i = 0; i < mapped.size(); ++i)
            mapCurve(mapped[i], data.curves[i], CurvePanel::Loss, data);
        return fitY(data, CurvePanel::Loss, mapped, {1, 0}).lo;
    };
    CurvesData data;
    data.optimum = OptimumLine{testing::fOpt, 1e-12, true};
    data.curves = {exactCurve(1)}; // alone
    QVERIFY(lowest(data) <= -12);
    data.curves.push_back(halvingCurve(2, 0)); // not begun
    QVERIFY(lowest(data) <= -12);
    data.curves[1] = halvingCurve(2, 10);
    data.curves[1].status = RunStatus::Diverged;
    QVERIFY(lowest(data) <= -12);
    data.curves[1].status = RunStatus::Finished;
    QVERIFY(lowest(data) > -6);
    data.curves.push_back(exactCurve(3)); // more of them than of the others
    QVERIFY(lowest(data) <= -12);
    data.curves = {halvingCurve(1, 10), halvingCurve(2, 10)}; // a leap, but not to the end
    for (TracePoint &p : data.curves[1].points)
        if (p.stage > 0)
            p.loss = testing::fOpt + 1e-8 * std::pow(0.5, p.stage);
    data.optimum->floor = 1e-16;
    QVERIFY(lowest(data) <= -11);
    data.optimum.reset(); // the loss itself
    QVERIFY(std::isfinite(lowest(data)));
}

QTEST_MAIN(TestAxes)
#include "tst_ui_axes.moc"
