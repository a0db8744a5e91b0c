#include "ChartData.h"

#include "charts/PlotPainter.h"
#include "charts/PlotView.h"
#include "theme/Format.h"

#include <QApplication>
#include <QMouseEvent>
#include <QSignalSpy>
#include <QTest>
#include <QWheelEvent>

using namespace appa;
using namespace appa::ui;

namespace {

using testing::fOpt, testing::halvingCurve, testing::showCurves, testing::twoCurves;

void wheel(PlotView *plot, const QPointF &at, int delta, Qt::KeyboardModifiers modifiers = Qt::NoModifier)
{
    QWheelEvent event(at, plot->viewport()->mapToGlobal(at), {}, {0, delta}, Qt::NoButton, modifiers, Qt::NoScrollPhase,
                      false);
    QApplication::sendEvent(plot->viewport(), &event);
}

} // namespace

class TestCharts final : public QObject
{
    Q_OBJECT

private slots:
    /// A frame without news is a copy of the last one: so whatever changes must be in the next.
    void theKeptPictureFollowsEveryChange()
    {
        CurvesView view;
        view.resize(700, 500);
        CurvesData data = twoCurves();
        data.curves[1].status = RunStatus::Running;
        view.setData(data);
        view.show();
        PlotView *plot = view.plot(CurvePanel::Loss);
        QImage last;
        const auto changes = [&] {
            view.flush();
            QCoreApplication::processEvents(); // the chart's own layout
            const QImage now = plot->grab().toImage();
            const bool other = now != last;
            last = now;
            return other;
        };
        QVERIFY(changes());
        QVERIFY(!changes());
        plot->setValue(1, QStringLiteral("0.25"));
        const QImage withValue = plot->grab().toImage();
        QVERIFY(withValue != last);
        last = withValue;
        TracePoint point = data.curves[1].points.back();
        ++point.stage;
        point.cost.accesses += 200;
        view.updateCurve(2, RunStatus::Running, 21, std::span(&point, 1), 0, {});
        QVERIFY(changes());
        view.updateCurve(2, RunStatus::Running, 22, {}, 0, {});
        QVERIFY(!changes());
        RunEvent event;
        event.at = point.cost;
        event.label = "lambda";
        view.updateCurve(2, RunStatus::Running, 22, {}, 0, std::span(&event, 1));
        QVERIFY(changes());
        view.placeCursor(0, 3.0);
        QVERIFY(changes());
        view.setCurveVisible(1, false);
        QVERIFY(changes());
        view.setFloors({{.lambda = 1e-3, .value = fOpt + 1e-3, .colour = {}, .label = {}}});
        QVERIFY(changes());
        view.setOptimum(OptimumLine{fOpt - 0.01, 1e-12, true});
        QVERIFY(changes());
        view.setTheme(Theme::dark());
        QVERIFY(changes());
        view.resize(720, 500);
        QVERIFY(changes());
        plot->setCrosshair(5.0);
        QVERIFY(plot->grab().toImage() != last);
    }

    void badValuesNeverReachTheChart();
    void oneValueIsNotSeveral();
    void xAxesMeasureTheSamePoint_data();
    void xAxesMeasureTheSamePoint();
    void appendingEqualsReplacing();
    void stepBackDropsPoints();
    void aForkIsDrawnFromWhereItParts();
    void marksEventsAtTheirPlace();
    void divergedRunEndsInAMark();
    void aRunBelowTheOptimumIsSaid();
    void theTheorySaysOfWhichRunItIs();
    void otherCurvesHaveTheirOwnRanges();
    void wheelZoomsAboutTheCursorAndUndoes();
    void dragZoomsBothChartsInX();
    void legendHidesAndSolos();
    void aSinglePointIsSeen();
    void lossIsShownUntilTheOptimumIsKnown();
    void manyLinesEndUpDrawnFinely();
};

void TestCharts::badValuesNeverReachTheChart()
{
    CurvesData data = twoCurves();
    auto &points = data.curves[0].points;
    points[3].loss = fOpt;        // no excess
    points[4].loss = fOpt - 1e-3; // below the optimum
    points[5].loss = std::nan("");
    points[6].loss = std::numeric_limits<double>::infinity();
    points[7].testError = std::nan("");         // simply not measured
    data.curves[0].status = RunStatus::Running; // so that the chart itself draws it
    CurvesView view;
    showCurves(view, data);
    for (const CurvePanel panel : {CurvePanel::Loss, CurvePanel::TestError}) {
        const PlotSeries *series = view.plot(panel)->series(1);
        QVERIFY(series);
        QCOMPARE(series->points.size(), panel == CurvePanel::Loss ? points.size() - 2 : points.size() - 1);
        for (const QPointF &p : series->points)
            QVERIFY(std::isfinite(p.x()) && std::isfinite(p.y()));
        for (const QPointF &p : view.plot(panel)->drawnPoints(1))
            QVERIFY(std::isfinite(p.x()) && std::isfinite(p.y()));
    }
    QCOMPARE(view.plot(CurvePanel::Loss)->series(1)->points[3].y(), -12.0); // at the floor
    QVERIFY(view.plot(CurvePanel::Loss)->content().notice.contains(QStringLiteral("2 non-finite")));
}

void TestCharts::oneValueIsNotSeveral()
{
    CurvesView view;
    const auto notice = [&](auto change) {
        CurvesData data = twoCurves();
        change(data.curves[0].points);
        view.setData(data);
        view.flush();
        return view.plot(CurvePanel::Loss)->content().notice;
    };
    QCOMPARE(notice([](auto &p) { p[3].loss = fOpt; }), QStringLiteral("1 value drawn at the floor"));
    QCOMPARE(notice([](auto &p) { p[3].loss = p[4].loss = fOpt; }), QStringLiteral("2 values drawn at the floor"));
    QCOMPARE(notice([](auto &p) { p[3].loss = std::nan(""); }), QStringLiteral("1 non-finite value left out"));
}

void TestCharts::xAxesMeasureTheSamePoint_data()
{
    QTest::addColumn<int>("axis");
    QTest::addColumn<bool>("full");
    QTest::addColumn<double>("x");
    QTest::newRow("passes") << int(XAxis::Passes) << true << 20.0;
    QTest::newRow("passes without full gradients") << int(XAxis::Passes) << false << 10.0;
    QTest::newRow("stages") << int(XAxis::Stages) << true << 10.0;
    QTest::newRow("accesses") << int(XAxis::Accesses) << true << 2000.0;
    QTest::newRow("seconds") << int(XAxis::Seconds) << true << 5.0;
}

void TestCharts::xAxesMeasureTheSamePoint()
{
    QFETCH(int, axis);
    QFETCH(bool, full);
    QFETCH(double, x);
    CurvesView view;
    view.resize(800, 600);
    view.setData(twoCurves());
    CurvesOptions options;
    options.xAxis = XAxis(axis);
    options.countFullGradients = full;
    view.setOptions(options);
    view.flush();
    QCOMPARE(view.plot(CurvePanel::Loss)->series(1)->points.back().x(), x);
    const auto readings = view.readingsAt(x);
    QCOMPARE(readings.size(), std::size_t(2));
    QCOMPARE(readings[0].excess, std::pow(0.5, 10));
}

void TestCharts::appendingEqualsReplacing()
{
    const Curve whole = halvingCurve(1, 40);
    CurvesView grown;
    CurvesView set;
    for (CurvesView *v : {&grown, &set}) {
        v->resize(800, 600);
        v->setOptimum(OptimumLine{fOpt, 1e-12, true});
    }
    Curve start = whole;
    start.points.resize(1);
    grown.setCurve(start);
    for (std::size_t k = 1; k < whole.points.size(); k += 5) {
        const std::size_t n = std::min<std::size_t>(5, whole.points.size() - k);
        grown.updateCurve(1, RunStatus::Running, k, std::span(whole.points).subspan(k, n), 0, {});
        grown.flush();
    }
    grown.updateCurve(1, RunStatus::Finished, whole.points.size(), {}, 0, {});
    set.setCurve(whole);
    grown.flush();
    set.flush();
    QCOMPARE(grown.plot(CurvePanel::Loss)->series(1)->points, set.plot(CurvePanel::Loss)->series(1)->points);
}

void TestCharts::stepBackDropsPoints()
{
    CurvesView view;
    view.resize(800, 600);
    view.setData(twoCurves());
    view.flush();
    view.updateCurve(2, RunStatus::Paused, 6, {}, 0, {});
    view.flush();
    QCOMPARE(view.plot(CurvePanel::Loss)->series(2)->points.size(), std::size_t(6));
    QCOMPARE(view.plot(CurvePanel::TestError)->series(2)->points.size(), std::size_t(6));
}

void TestCharts::aForkIsDrawnFromWhereItParts()
{
    CurvesData data;
    data.curves = {halvingCurve(1, 10), halvingCurve(2, 14)};
    for (auto it = data.curves[1].points.begin() + 7; it != data.curves[1].points.end(); ++it)
        it->loss += 0.01; // seven points, up to six stages, are the same
    CurvesView view;
    showCurves(view, data);
    const auto drawnFrom = [&](int id, CurvePanel panel) {
        view.flush();
        return view.plot(panel)->series(id)->from;
    };
    constexpr double all = std::numeric_limits<double>::lowest();
    for (const CurvePanel panel : {CurvePanel::Loss, CurvePanel::TestError}) {
        QCOMPARE(drawnFrom(1, panel), all);
        QCOMPARE(drawnFrom(2, panel), 12.0); // two passes a stage
    }
    CurvesOptions options = view.options();
    options.xAxis = XAxis::Stages;
    view.setOptions(options);
    QCOMPARE(drawnFrom(2, CurvePanel::Loss), 6.0);

    // Nobody else draws its past: where the other one is hidden or gone, or went back before they parted.
    view.setCurveVisible(1, false);
    QCOMPARE(drawnFrom(2, CurvePanel::Loss), all);
    view.setCurveVisible(1, true);
    QCOMPARE(drawnFrom(2, CurvePanel::Loss), 6.0);
    view.updateCurve(1, RunStatus::Paused, 4, {}, 0, {});
    QCOMPARE(drawnFrom(2, CurvePanel::Loss), 3.0);
    view.removeCurve(1);
    QCOMPARE(drawnFrom(2, CurvePanel::Loss), all);

    // A line that is the same to its end is not left out.
    view.setCurve(halvingCurve(3, 10));
    view.setCurve(halvingCurve(4, 10));
    QCOMPARE(drawnFrom(4, CurvePanel::Loss), all);
    // It parts as it goes on.
    view.updateCurve(4, RunStatus::Running, 11, std::vector{halvingCurve(4, 11).points.back()}, 0, {});
    QCOMPARE(drawnFrom(4, CurvePanel::Loss), 10.0);

    const PlotFrame frame{.outer = {}, .title = {}, .plot = {0, 0, 100, 100}, .x = {0, 10}, .y = {0, 10}};
    PlotSeries line;
    line.points = {{0, 0}, {4, 4}, {8, 0}};
    line.from = 4;
    QCOMPARE(PlotPainter::outline(frame, line, 100), (QList<QPointF>{{40, 60}, {80, 100}}));
}

void TestCharts::marksEventsAtTheirPlace()
{
    CurvesData data = twoCurves();
    RunEvent event;
    event.at.ticks = 50;
    event.at.accesses = 1000;
    event.stage = 5;
    event.label = "λ 1e-3 → 1e-5";
    data.curves[1].events = {event};
    CurvesView view;
    view.resize(900, 600);
    view.setTheme(Theme::light());
    view.setData(data);
    view.show();
    view.flush();
    const PlotView *plot = view.plot(CurvePanel::Loss);
    QCOMPARE(plot->content().events.size(), std::size_t(1));
    QCOMPARE(plot->content().events[0].x, 10.0);
    QCOMPARE(plot->content().events[0].label, QStringLiteral("λ 10⁻³ → 10⁻⁵"));
    // Its line is on the screen: accent pixels in that column and none beside it.
    const QImage image = view.plot(CurvePanel::TestError)->grab().toImage();
    const PlotFrame f = view.plot(CurvePanel::TestError)->frame();
    const int x = static_cast<int>(std::floor(f.map({10.0, f.y.lo}).x()));
    const auto accents = [&](int column) {
        int count = 0;
        for (int y = static_cast<int>(f.plot.top()) + 2; y < static_cast<int>(f.plot.bottom()) - 8; ++y)
            count += image.pixelColor(column, y) == Theme::light().accent ? 1 : 0;
        return count;
    };
    QVERIFY(accents(x) > f.plot.height() / 5);
    QCOMPARE(accents(x + 3), 0);
}

void TestCharts::divergedRunEndsInAMark()
{
    CurvesData data = twoCurves();
    for (std::size_t k = 0; k < data.curves[0].points.size(); ++k)
        data.curves[0].points[k].loss = fOpt + std::pow(10.0, static_cast<double>(k));
    data.curves[0].status = RunStatus::Diverged;
    CurvesView view;
    showCurves(view, data);
    const PlotContent &content = view.plot(CurvePanel::Loss)->content();
    QCOMPARE(content.marks.size(), std::size_t(1));
    QCOMPARE(content.marks[0].kind, PointMark::Kind::Diverged);
    QCOMPARE(content.marks[0].text, QStringLiteral("run 1 diverged"));
    // It does not push the others into a strip.
    QVERIFY(content.y.hi <= 1);
    // Its last finite value is none to be compared with the others'.
    for (const CurvePanel panel : {CurvePanel::Loss, CurvePanel::TestError}) {
        QCOMPARE(view.plot(panel)->series(1)->value, QStringLiteral("diverged"));
        QVERIFY(view.plot(panel)->series(2)->value != QStringLiteral("diverged"));
    }
    view.setCurveVisible(2, false);
    view.flush();
    QCOMPARE(view.plot(CurvePanel::Loss)->content().marks[0].text, QStringLiteral("diverged"));
}

void TestCharts::aRunBelowTheOptimumIsSaid()
{
    CurvesData data = twoCurves();
    data.optimum = OptimumLine{fOpt, 1e-12, true, 1e-6};
    data.curves[0].points.back().loss = fOpt - 1e-7; // as it may be
    CurvesView view;
    showCurves(view, data);
    QCOMPARE(view.plot(CurvePanel::Loss)->content().notice, QStringLiteral("1 value drawn at the floor"));
    data.curves[0].points.back().loss = fOpt - 1e-3;
    view.setData(data);
    view.flush();
    const QString notice = view.plot(CurvePanel::Loss)->content().notice;
    QVERIFY2(notice.contains(QStringLiteral("run 1 is below F_opt")), qPrintable(notice));
}

void TestCharts::theTheorySaysOfWhichRunItIs()
{
    CurvesData data = twoCurves();
    data.theory = TheoryLine{2, 0, 1, 0.9, {}};
    CurvesView view;
    showCurves(view, data);
    const PlotView *plot = view.plot(CurvePanel::Loss);
    QCOMPARE(plot->content().theoryLabel, QStringLiteral("theory for run 2"));
    QCOMPARE(plot->content().theoryColour, data.curves[1].colour);
    view.setCurveVisible(1, false);
    view.flush();
    QCOMPARE(plot->content().theoryLabel, QStringLiteral("predicted by theory"));
}

void TestCharts::otherCurvesHaveTheirOwnRanges()
{
    CurvesData deep = twoCurves();
    for (Curve &c : deep.curves)
        c.points.resize(10);
    CurvesData shallow = twoCurves();
    for (Curve &c : shallow.curves)
        c.points.resize(9); // so little less that a run which goes back would leave the range as it is
    CurvesView fresh;
    fresh.resize(900, 600);
    fresh.setData(shallow);
    fresh.flush();
    const Range wanted = fresh.plot(CurvePanel::Loss)->content().y;
    CurvesView view;
    view.resize(900, 600);
    view.setData(deep);
    view.flush();
    const PlotView *plot = view.plot(CurvePanel::Loss);
    QVERIFY(plot->content().y.lo < wanted.lo);
    view.setData(shallow);
    view.flush();
    QCOMPARE(plot->content().y, wanted);
    // Where a curve goes the range stays, so as not to jump; Fit gives it up.
    view.setCurveVisible(2, false);
    view.setCurve(halvingCurve(1, 9));
    view.flush();
    view.setCurve(shallow.curves[0]);
    view.flush();
    QVERIFY(plot->content().y.lo < wanted.lo);
    view.fit();
    view.flush();
    QCOMPARE(plot->content().y, wanted);
}

void TestCharts::wheelZoomsAboutTheCursorAndUndoes()
{
    CurvesView view;
    showCurves(view);
    PlotView *plot = view.plot(CurvePanel::Loss);
    const Range x0 = plot->content().x;
    const Range y0 = plot->content().y;
    const QPointF at = plot->frame().plot.center() + QPointF(50, 20);
    const QPointF under = plot->frame().unmap(at);
    QSignalSpy zoomed(&view, &CurvesView::zoomChanged);
    wheel(plot, at, 120);
    view.flush();
    QVERIFY(plot->content().x.span() < x0.span());
    QVERIFY(plot->content().y.span() < y0.span());
    const QPointF still = plot->frame().unmap(at);
    QVERIFY(std::abs(still.x() - under.x()) < 0.02 * x0.span());
    QVERIFY(std::abs(still.y() - under.y()) < 0.02 * y0.span());
    QCOMPARE(view.plot(CurvePanel::TestError)->content().x, plot->content().x);
    QCOMPARE(zoomed.last().at(0).toBool(), true);
    view.undoZoom();
    view.flush();
    QCOMPARE(plot->content().x, x0);
    QCOMPARE(plot->content().y, y0);
    QVERIFY(view.isFitted());
    wheel(plot, at, 120, Qt::ControlModifier);
    view.flush();
    QCOMPARE(plot->content().y, y0);
    view.fit();
    view.flush();
    QCOMPARE(plot->content().x, x0);
}

void TestCharts::dragZoomsBothChartsInX()
{
    CurvesView view;
    showCurves(view);
    PlotView *plot = view.plot(CurvePanel::TestError);
    const PlotFrame f = plot->frame();
    const Range lossY = view.plot(CurvePanel::Loss)->content().y;
    const QPoint from = f.map({10, f.y.lo + 0.6 * f.y.span()}).toPoint();
    const QPoint to = f.map({20, f.y.lo + 0.2 * f.y.span()}).toPoint();
    QTest::mousePress(plot->viewport(), Qt::LeftButton, {}, from);
    QTest::mouseMove(plot->viewport(), to);
    QTest::mouseRelease(plot->viewport(), Qt::LeftButton, {}, to);
    view.flush();
    for (const CurvePanel panel : {CurvePanel::Loss, CurvePanel::TestError}) {
        QVERIFY(std::abs(view.plot(panel)->content().x.lo - 10) < 0.2);
        QVERIFY(std::abs(view.plot(panel)->content().x.hi - 20) < 0.2);
    }
    QCOMPARE(view.plot(CurvePanel::Loss)->content().y, lossY);
    QTest::keyClick(&view, Qt::Key_Backspace);
    view.flush();
    QVERIFY(view.isFitted());
}

void TestCharts::legendHidesAndSolos()
{
    CurvesView view;
    view.resize(1100, 600);
    CurvesData data = twoCurves();
    data.curves.push_back(halvingCurve(3, 5));
    view.setData(data);
    view.show();
    view.flush();
    QSignalSpy changed(&view, &CurvesView::visibilityChanged);
    PlotView *plot = view.plot(CurvePanel::Loss);
    plot->grab(); // lays the legend out
    emit plot->legendClicked(2);
    view.flush();
    QCOMPARE(changed.size(), 1);
    QVERIFY(!plot->series(2)->visible);
    QVERIFY(plot->drawnPoints(2).isEmpty());
    QVERIFY(!view.plot(CurvePanel::TestError)->series(2)->visible);
    emit plot->legendClicked(3); // as the first click of a double-click does
    emit plot->legendDoubleClicked(3);
    view.flush();
    QVERIFY(plot->series(3)->visible);
    QVERIFY(!plot->series(1)->visible && !plot->series(2)->visible);
    emit plot->legendDoubleClicked(3);
    view.flush();
    QVERIFY(plot->series(1)->visible && plot->series(2)->visible && plot->series(3)->visible);
}

void TestCharts::aSinglePointIsSeen()
{
    CurvesData data;
    data.optimum = OptimumLine{fOpt, 1e-12, true};
    data.curves = {halvingCurve(1, 0)};
    CurvesView view;
    showCurves(view, data);
    for (const CurvePanel panel : {CurvePanel::Loss, CurvePanel::TestError}) {
        const std::vector<PointMark> &marks = view.plot(panel)->content().marks;
        QCOMPARE(marks.size(), std::size_t(1));
        QCOMPARE(marks[0].kind, PointMark::Kind::Dot);
    }
    view.setCurve(halvingCurve(1, 1)); // then there is a line
    view.flush();
    QVERIFY(view.plot(CurvePanel::Loss)->content().marks.empty());
}

void TestCharts::lossIsShownUntilTheOptimumIsKnown()
{
    CurvesData data = twoCurves();
    data.optimum.reset();
    CurvesView view;
    showCurves(view, data);
    const PlotView *plot = view.plot(CurvePanel::Loss);
    QCOMPARE(plot->content().title, QStringLiteral("Training loss"));
    QVERIFY(!plot->content().subtitle.isEmpty());
    QCOMPARE(plot->series(1)->points[0].y(), std::log10(fOpt + 1));
    view.setOptimum(OptimumLine{fOpt, 1e-12, true});
    view.flush();
    QCOMPARE(plot->content().title, QStringLiteral("Excess training loss"));
    QCOMPARE(plot->series(1)->points[0].y(), 0.0);
    view.setOptimum(OptimumLine{fOpt, 1e-12, false});
    view.flush();
    QCOMPARE(plot->content().title, QStringLiteral("Training loss"));
}

void TestCharts::manyLinesEndUpDrawnFinely()
{
    CurvesView view;
    view.resize(1000, 600);
    CurvesData data;
    data.optimum = OptimumLine{fOpt, 1e-15, true};
    for (int id = 0; id < 40; ++id) {
        Curve c = halvingCurve(id, 30);
        for (TracePoint &p : c.points)
            p.loss = fOpt + (p.loss - fOpt) * (1 + id);
        data.curves.push_back(c);
    }
    view.setData(data);
    view.show();
    view.flush();
    for (int id = 0; id < 40; ++id)
        QTRY_VERIFY(view.plot(CurvePanel::Loss)->drawnPoints(id).size() >= 2);
}

QTEST_MAIN(TestCharts)
#include "tst_ui_charts.moc"
