#include "charts/ContourImage.h"
#include "charts/CurvesView.h"
#include "charts/Decimate.h"
#include "charts/FigureExport.h"
#include "charts/LandscapeView.h"
#include "charts/PlotView.h"
#include "charts/SensitivityView.h"
#include "charts/StageView.h"
#include "charts/SweepMapping.h"
#include "theme/Format.h"
#include "theme/Icons.h"
#include "theme/Theme.h"

#include <QApplication>
#include <QFile>
#include <QImage>
#include <QMouseEvent>
#include <QSignalSpy>
#include <QSvgRenderer>
#include <QTemporaryDir>
#include <QTest>
#include <QWheelEvent>

#include <cmath>

using namespace appa;
using namespace appa::ui;

namespace {

constexpr double fOpt = 0.1;

/// A run of `stages` stages of one pass whose excess halves each stage.
Curve halvingCurve(int id, int stages, double rows = 100)
{
    Curve c;
    c.runId = id;
    c.name = QStringLiteral("run %1").arg(id);
    c.colour = Theme::light().series(id);
    c.status = RunStatus::Finished;
    c.rows = rows;
    for (int k = 0; k <= stages; ++k) {
        TracePoint p;
        p.stage = k;
        p.cost.ticks = k * 10;
        p.cost.accesses = static_cast<Index>(k * rows * 2);
        p.cost.fullAccesses = static_cast<Index>(k * rows);
        p.seconds = 0.5 * k;
        p.loss = fOpt + std::pow(0.5, k);
        p.testError = 0.1 + 0.4 * std::pow(0.5, k);
        c.points.push_back(p);
    }
    return c;
}

CurvesData twoCurves()
{
    CurvesData data;
    data.curves = {halvingCurve(1, 10), halvingCurve(2, 20)};
    data.optimum = OptimumLine{fOpt, 1e-12, true};
    return data;
}

void wheel(PlotView *plot, const QPointF &at, int delta, Qt::KeyboardModifiers modifiers = Qt::NoModifier)
{
    QWheelEvent event(at, plot->viewport()->mapToGlobal(at), {}, {0, delta}, Qt::NoButton, modifiers, Qt::NoScrollPhase,
                      false);
    QApplication::sendEvent(plot->viewport(), &event);
}

QByteArray contentsOf(const QString &path)
{
    QFile file(path);
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

SweepData smallSweep()
{
    SweepData data;
    data.methods = {
        {QStringLiteral("dual-appa"), QStringLiteral("sdca"), QStringLiteral("Dual APPA"), {}, MethodFamily::Reduction},
        {QStringLiteral("sgd"), {}, QStringLiteral("SGD"), {}, MethodFamily::Stochastic}};
    data.optimum = fOpt;
    for (int e = -4; e <= 2; ++e) {
        for (std::uint64_t seed = 1; seed <= 3; ++seed) {
            SweepPoint a;
            a.method = QStringLiteral("dual-appa");
            a.inner = QStringLiteral("sdca");
            a.lambda = std::pow(10.0, e);
            a.seed = seed;
            SweepPoint b = a;
            b.method = QStringLiteral("sgd");
            b.inner.clear();
            for (int t = 0; t <= 5; ++t) {
                const double shape = 1 + std::abs(e + 2);
                a.loss.push_back(fOpt + std::pow(0.1, t) * shape * (1 + 0.1 * static_cast<double>(seed)));
                b.loss.push_back(fOpt + std::pow(0.7, t) * shape);
                a.testError.push_back(0.1 + 0.01 * shape);
                a.passes.push_back(t);
                b.passes.push_back(t);
            }
            if (e >= 1) {
                b.divergedAt = 2;
                b.loss.resize(3);
            }
            data.points.push_back(a);
            data.points.push_back(b);
        }
    }
    return data;
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

    void formatsNumbers_data();
    void formatsNumbers();
    void scalesPassOnlyFinitePositions_data();
    void scalesPassOnlyFinitePositions();
    void ticksHaveLabelsOnAnyRange_data();
    void ticksHaveLabelsOnAnyRange();
    void autoRangeStaysWhileDataFits();
    void decimationKeepsExtremesAndEnds();
    void simplifyingStaysWithinTolerance();
    void clippingCutsAtTheFrame();
    void labelsDoNotOverlap();
    void badValuesNeverReachTheChart();
    void xAxesMeasureTheSamePoint_data();
    void xAxesMeasureTheSamePoint();
    void appendingEqualsReplacing();
    void stepBackDropsPoints();
    void readsValuesOfTheNearestPoint();
    void marksEventsAtTheirPlace();
    void divergedRunEndsInAMark();
    void wheelZoomsAboutTheCursorAndUndoes();
    void dragZoomsBothChartsInX();
    void legendHidesAndSolos();
    void cursorsShowDifferences();
    void lossIsShownUntilTheOptimumIsKnown();
    void manyLinesEndUpDrawnFinely();
    void sweepFindsBestLambdaAndDivergence();
    void sweepDoubleClickOpensARun();
    void stageRowsMeasureTheMovement();
    void landscapeIsComputedInTheBackground();
    void figuresAreValidFiles_data();
    void figuresAreValidFiles();
    void figureErrorsNameTheFile();
    void themesHaveContrast_data();
    void themesHaveContrast();
    void everyIconRenders();
};

void TestCharts::formatsNumbers_data()
{
    QTest::addColumn<QString>("made");
    QTest::addColumn<QString>("expected");
    QTest::newRow("power") << formatPower(1e-3) << QStringLiteral("10⁻³");
    QTest::newRow("mantissa") << formatPower(3.162e-7) << QStringLiteral("3.16×10⁻⁷");
    QTest::newRow("plain") << formatPower(0.5) << QStringLiteral("0.5");
    QTest::newRow("minus") << formatNumber(-0.25, 3) << QStringLiteral("−0.250");
    QTest::newRow("small") << formatNumber(4.33e-4, 3) << QStringLiteral("4.33×10⁻⁴");
    QTest::newRow("rounds up") << formatNumber(9.9996e-5, 3) << QStringLiteral("1.00×10⁻⁴");
    QTest::newRow("thousands") << formatCount(1234567) << QStringLiteral("1\u202f234\u202f567");
    QTest::newRow("nan") << formatNumber(std::nan("")) << QStringLiteral("–");
    QTest::newRow("no minus zero") << formatFixed(-0.0001, 2) << QStringLiteral("0.00");
    QTest::newRow("text") << prettyText(QStringLiteral("λ 1e-3 -> 1e-05")) << QStringLiteral("λ 10⁻³ → 10⁻⁵");
    QTest::newRow("minutes") << formatSeconds(185) << QStringLiteral("3\u202fmin 05\u202fs");
}

void TestCharts::formatsNumbers()
{
    QFETCH(QString, made);
    QFETCH(QString, expected);
    QCOMPARE(made, expected);
}

void TestCharts::scalesPassOnlyFinitePositions_data()
{
    QTest::addColumn<double>("value");
    QTest::addColumn<bool>("drawable");
    QTest::newRow("zero") << 0.0 << true;
    QTest::newRow("negative") << -3.0 << true;
    QTest::newRow("denormal") << 5e-324 << true;
    QTest::newRow("ordinary") << 0.25 << true;
    QTest::newRow("huge") << 1e300 << true;
    QTest::newRow("inf") << std::numeric_limits<double>::infinity() << false;
    QTest::newRow("nan") << std::nan("") << false;
}

void TestCharts::scalesPassOnlyFinitePositions()
{
    QFETCH(double, value);
    QFETCH(bool, drawable);
    const AxisScale scale{true, 1e-15};
    const double at = scale.position(value);
    QCOMPARE(std::isfinite(at), drawable);
    if (drawable)
        QVERIFY(at >= -15.0 - 1e-9);
    QCOMPARE(scale.clamps(value), drawable && value < 1e-15);
}

void TestCharts::ticksHaveLabelsOnAnyRange_data()
{
    QTest::addColumn<bool>("log");
    QTest::addColumn<double>("lo");
    QTest::addColumn<double>("hi");
    QTest::newRow("many decades") << true << -16.0 << 2.0;
    QTest::newRow("one decade") << true << -3.2 << -2.1;
    QTest::newRow("part of a decade") << true << -1.02 << -0.97;
    QTest::newRow("passes") << false << 0.0 << 20.0;
    QTest::newRow("narrow") << false << 0.10001 << 0.10004;
    QTest::newRow("accesses") << false << 0.0 << 1.2e8;
}

void TestCharts::ticksHaveLabelsOnAnyRange()
{
    QFETCH(bool, log);
    QFETCH(double, lo);
    QFETCH(double, hi);
    const std::vector<Tick> ticks = makeTicks({log, 1e-300}, {lo, hi}, 600, 60);
    QStringList labels;
    for (const Tick &t : ticks) {
        QVERIFY(t.position >= lo - 1e-9 && t.position <= hi + 1e-9);
        if (!t.label.isEmpty())
            labels << t.label;
    }
    QVERIFY(labels.size() >= 2);
    QVERIFY(labels.size() <= 11);
    QCOMPARE(labels.removeDuplicates(), 0);
}

void TestCharts::autoRangeStaysWhileDataFits()
{
    const AxisScale log{true, 1e-16};
    const Range first = steppedRange(log, -3.1, 0.2, {1, 0}, false);
    QCOMPARE(steppedRange(log, -3.4, 0.2, first, false), first);
    const Range moved = steppedRange(log, -6.5, 0.2, first, false);
    QVERIFY(moved.lo <= -6.5 && moved.lo == std::floor(moved.lo));
    QVERIFY(steppedRange(log, std::nan(""), 1, {1, 0}, false).valid());
}

void TestCharts::decimationKeepsExtremesAndEnds()
{
    std::vector<QPointF> points;
    for (int i = 0; i < 10000; ++i)
        points.emplace_back(i, std::sin(i * 0.7) * 0.1);
    points[4321].setY(5);
    points[8765].setY(-7);
    const QList<QPointF> thin = decimate(points, {0, 9999}, 200);
    QVERIFY(thin.size() <= 4 * 201 + 2);
    QVERIFY(thin.contains(points[4321]));
    QVERIFY(thin.contains(points[8765]));
    QCOMPARE(thin.first(), points.front());
    QCOMPARE(thin.last(), points.back());
    QVERIFY(std::is_sorted(thin.begin(), thin.end(), [](const QPointF &a, const QPointF &b) { return a.x() < b.x(); }));
    // Cut at the ends of a narrower range, by interpolation.
    const QList<QPointF> part = decimate(std::vector<QPointF>{{0, 0}, {10, 10}}, {2, 4}, 100);
    QCOMPARE(part, (QList<QPointF>{{2, 2}, {4, 4}}));
}

void TestCharts::simplifyingStaysWithinTolerance()
{
    QList<QPointF> line;
    for (int i = 0; i <= 2000; ++i)
        line.append({i * 0.5, 200 + 150 * std::sin(i * 0.004)});
    line[1000].ry() -= 40; // a spike must survive
    const QList<QPointF> thin = simplify(line, 0.2);
    QVERIFY(thin.size() < 200);
    QVERIFY(thin.contains(line[1000]));
    double worst = 0;
    qsizetype k = 1;
    for (const QPointF &p : line) {
        while (k + 1 < thin.size() && thin[k].x() < p.x())
            ++k;
        const QPointF a = thin[k - 1];
        const QPointF b = thin[k];
        worst = std::max(worst, std::abs(a.y() + (p.x() - a.x()) / (b.x() - a.x()) * (b.y() - a.y()) - p.y()));
    }
    QVERIFY2(worst <= 0.41, qPrintable(QString::number(worst)));
}

void TestCharts::clippingCutsAtTheFrame()
{
    const QRectF frame(0, 0, 10, 10);
    const auto pieces = clipPolyline({{-5, 5}, {5, 5}, {5, 20}, {8, 20}, {8, 5}}, frame);
    QCOMPARE(pieces.size(), 2);
    QCOMPARE(pieces[0], (QList<QPointF>{{0, 5}, {5, 5}, {5, 10}}));
    QCOMPARE(pieces[1], (QList<QPointF>{{8, 10}, {8, 5}}));
}

void TestCharts::labelsDoNotOverlap()
{
    const std::vector<double> places = spreadLabels({10, 11, 12, 80, 99, 99}, 10, 0, 100);
    for (std::size_t i = 1; i < places.size(); ++i)
        QVERIFY(places[i] - places[i - 1] >= 10 - 1e-9);
    QVERIFY(places.front() >= 0 && places.back() <= 100 + 1e-9);
    QCOMPARE(places[3], 80.0); // one that has room is left where it is
}

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
    view.resize(900, 600);
    view.setData(data);
    view.flush();
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

void TestCharts::readsValuesOfTheNearestPoint()
{
    CurvesView view;
    view.resize(800, 600);
    view.setData(twoCurves());
    view.show();
    view.flush();
    const auto readings = view.readingsAt(8.6); // stage 4 is at 8 passes, stage 5 at 10
    QCOMPARE(readings.size(), std::size_t(2));
    QCOMPARE(readings[0].x, 8.0);
    QCOMPARE(readings[0].excess, std::pow(0.5, 4));
    QCOMPARE(readings[0].testError, 0.1 + 0.4 * std::pow(0.5, 4));
    QCOMPARE(view.readingsAt(30).size(), std::size_t(1)); // run 1 ends at 20
    // And so does the mouse.
    PlotView *plot = view.plot(CurvePanel::Loss);
    const QPointF at = plot->frame().map({8.4, plot->frame().y.lo + 1});
    QMouseEvent move(QEvent::MouseMove, at, at, at, Qt::NoButton, Qt::NoButton, Qt::NoModifier);
    QApplication::sendEvent(plot->viewport(), &move);
    QCOMPARE(plot->series(1)->value, formatNumber(std::pow(0.5, 4), 3));
    QVERIFY(plot->crosshairLabel().contains(QStringLiteral("passes")));
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
    view.resize(900, 600);
    view.setData(data);
    view.flush();
    const PlotContent &content = view.plot(CurvePanel::Loss)->content();
    QCOMPARE(content.marks.size(), std::size_t(1));
    QCOMPARE(content.marks[0].kind, PointMark::Kind::Diverged);
    QCOMPARE(content.marks[0].text, QStringLiteral("diverged"));
    // It does not push the others into a strip.
    QVERIFY(content.y.hi <= 1);
}

void TestCharts::wheelZoomsAboutTheCursorAndUndoes()
{
    CurvesView view;
    view.resize(900, 600);
    view.setData(twoCurves());
    view.show();
    view.flush();
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
    QCOMPARE(zoomed.last().at(0).toBool(), false);
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
    view.resize(900, 600);
    view.setData(twoCurves());
    view.show();
    view.flush();
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

void TestCharts::cursorsShowDifferences()
{
    CurvesView view;
    view.resize(900, 600);
    view.setData(twoCurves());
    view.show();
    view.flush();
    PlotView *plot = view.plot(CurvePanel::Loss);
    QTest::mouseClick(plot->viewport(), Qt::LeftButton, Qt::ShiftModifier,
                      plot->frame().map({4, plot->frame().y.lo + 1}).toPoint());
    QTest::mouseClick(plot->viewport(), Qt::LeftButton, Qt::ShiftModifier,
                      plot->frame().map({10, plot->frame().y.lo + 1}).toPoint());
    view.flush();
    QVERIFY(view.placedCursor(0) && view.placedCursor(1));
    QVERIFY(std::abs(*view.placedCursor(0) - 4) < 0.2 && std::abs(*view.placedCursor(1) - 10) < 0.2);
    // Three stages later the excess is an eighth.
    QCOMPARE(plot->series(1)->value, QStringLiteral("× ") + formatNumber(0.125, 3));
    QTest::keyClick(&view, Qt::Key_Escape);
    QVERIFY(!view.placedCursor(0) && !view.placedCursor(1));
}

void TestCharts::lossIsShownUntilTheOptimumIsKnown()
{
    CurvesData data = twoCurves();
    data.optimum.reset();
    CurvesView view;
    view.resize(900, 600);
    view.setData(data);
    view.flush();
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

void TestCharts::sweepFindsBestLambdaAndDivergence()
{
    const SweepData data = smallSweep();
    const std::vector<SweepSummary> summaries = summarize(data);
    QCOMPARE(summaries.size(), std::size_t(2));
    QCOMPARE(summaries[0].bestLambda, 0.01);
    QVERIFY(std::abs(summaries[0].bestValue - 1.2e-5) < 1e-12); // the median seed
    QVERIFY(!summaries[0].divergesFrom);
    QVERIFY(summaries[1].divergesFrom);
    QCOMPARE(*summaries[1].divergesFrom, 10.0);
    QCOMPARE(std::round(summaries[1].decadesWithin2x), 2.0);
    const SweepPlot plot = sweepPlot(data, Theme::light());
    for (const PlotSeries &s : plot.series) {
        for (const QPointF &p : s.points)
            QVERIFY(std::isfinite(p.x()) && std::isfinite(p.y()));
    }
    const auto arrows = std::count_if(plot.content.marks.begin(), plot.content.marks.end(),
                                      [](const PointMark &m) { return m.kind == PointMark::Kind::Diverged; });
    QCOMPARE(arrows, 2);
    // Two methods that diverge at one place: two arrows side by side, the word once.
    SweepData both = data;
    for (SweepPoint &p : both.points) {
        if (p.lambda == 10)
            p.divergedAt = 2;
    }
    std::vector<QString> words;
    std::vector<double> shifts;
    for (const PointMark &m : sweepPlot(both, Theme::light()).content.marks) {
        if (m.kind == PointMark::Kind::Diverged && m.at.x() == 1) {
            words.push_back(m.text);
            shifts.push_back(m.shift);
        }
    }
    QCOMPARE(words.size(), std::size_t(2));
    QCOMPARE(std::count(words.begin(), words.end(), QString()), 1);
    QVERIFY(shifts[0] != shifts[1]);
    // A finite value far above the start is not a hole: an arrow at the edge, a dot again where the zoom shows it.
    SweepData high = data;
    for (SweepPoint &p : high.points) {
        if (p.lambda == 0.1 && p.method == QLatin1String("sgd"))
            p.loss.back() = 1e30;
    }
    const SweepPlot beyond = sweepPlot(high, Theme::light());
    const auto off = std::find_if(beyond.content.marks.begin(), beyond.content.marks.end(),
                                  [](const PointMark &m) { return m.kind == PointMark::Kind::Beyond; });
    QVERIFY(off != beyond.content.marks.end());
    QCOMPARE(off->at.x(), -1.0);
    QVERIFY(off->at.y() > beyond.content.y.hi);
    QVERIFY(!off->text.isEmpty());
    // One diverged seed of three is a wider band, not a hole.
    SweepData mixed = data;
    for (SweepPoint &p : mixed.points) {
        if (p.method == QLatin1String("dual-appa") && p.seed == 3)
            p.divergedAt = 1;
    }
    QVERIFY(std::isfinite(sweepCells(mixed)[0].median));
}

void TestCharts::sweepDoubleClickOpensARun()
{
    SensitivityView view;
    view.resize(900, 600);
    view.setData(smallSweep());
    view.flush();
    QSignalSpy activated(&view, &SensitivityView::pointActivated);
    emit view.plot()->seriesDoubleClicked(0, -1.9);
    QCOMPARE(activated.size(), 1);
    const auto point = activated[0][0].value<SweepPoint>();
    QCOMPARE(point.method, QStringLiteral("dual-appa"));
    QCOMPARE(point.lambda, 0.01);
    view.setMode(SensitivityView::Mode::HeatMap);
    QVERIFY(!view.grab().isNull());
}

void TestCharts::stageRowsMeasureTheMovement()
{
    StageReport report;
    report.stage = 2;
    report.lambda = 1e-3;
    report.centre = Vector::Constant(4, 1.0);
    report.asked = 4;
    report.reached = 9;
    report.accesses = 300;
    const Vector before = Vector::Zero(4);
    const StageRow row = makeStageRow(report, &before, 100);
    QCOMPARE(row.movement, 2.0);
    QVERIFY(std::isnan(makeStageRow(report, nullptr, 100).movement));
    StageView view;
    view.resize(700, 500);
    view.appendStage(row);
    StageRow next = row;
    next.stage = 3;
    view.appendStage(next);
    view.appendStage(row); // the run went back
    QCOMPARE(view.stages().size(), std::size_t(1));
    QVERIFY(!view.grab().isNull());
}

void TestCharts::landscapeIsComputedInTheBackground()
{
    LandscapeView view;
    view.resize(400, 300);
    QSignalSpy ready(&view, &LandscapeView::contoursReady);
    view.setFunction([](double x, double y) { return x * x + 10 * y * y; }, 0.0);
    view.setPath({1, QStringLiteral("run"), Qt::red, true, {{1, 1}, {0.5, 0.2}}, {{1, 1}}, 1.0, {1}});
    view.setCurrentRun(1);
    QVERIFY(view.viewRect().contains(QPointF(1, 1)));
    QVERIFY(ready.wait(10000));
    QVERIFY(!view.isComputing());
    // The valley is coloured otherwise than the walls.
    const std::atomic<bool> go{false};
    const FunctionGrid grid =
        sampleFunction([](double x, double y) { return x * x + y * y; }, {-1, -1, 2, 2}, 21, 21, go);
    const QImage image = contourImage(grid, 0, {100, 100}, Theme::dark(), go);
    QVERIFY(image.pixelColor(50, 50) != image.pixelColor(2, 2));
    const std::atomic<bool> stop{true};
    QVERIFY(sampleFunction([](double, double) { return 0.0; }, {0, 0, 1, 1}, 10, 10, stop).values.empty());
}

void TestCharts::figuresAreValidFiles_data()
{
    QTest::addColumn<QString>("suffix");
    QTest::addColumn<bool>("sweep");
    for (const char *suffix : {"png", "svg", "pdf"}) {
        QTest::addRow("curves.%s", suffix) << QString::fromLatin1(suffix) << false;
        QTest::addRow("sweep.%s", suffix) << QString::fromLatin1(suffix) << true;
    }
}

void TestCharts::figuresAreValidFiles()
{
    QFETCH(QString, suffix);
    QFETCH(bool, sweep);
    QTemporaryDir folder;
    const QString path = folder.filePath(QStringLiteral("figure.") + suffix);
    const FigureText text{QStringLiteral("A title"), QStringLiteral("mnist-6k"), QStringLiteral("squared loss, seed 7"),
                          QStringLiteral("appa-lab run")};
    FigureOptions options;
    options.size = {800, 600};
    const auto error =
        sweep ? exportSensitivity(path, smallSweep(), text, options) : exportCurves(path, twoCurves(), text, options);
    QVERIFY2(!error, error ? error->message.c_str() : "");
    const QByteArray bytes = contentsOf(path);
    if (suffix == QLatin1String("png")) {
        const QImage image(path);
        QCOMPARE(image.size(), QSize(1600, 1200));
        QCOMPARE(image.pixelColor(1, 1), QColor(Qt::white));
        QVERIFY(image.text(QStringLiteral("Description")).contains(QStringLiteral("seed 7")));
    } else if (suffix == QLatin1String("svg")) {
        QVERIFY(QSvgRenderer(bytes).isValid());
        QVERIFY(bytes.contains("mnist-6k") && bytes.contains("seed 7") && bytes.contains("A title"));
    } else {
        QVERIFY(bytes.startsWith("%PDF-1."));
        QVERIFY(bytes.trimmed().endsWith("%%EOF"));
        QVERIFY(bytes.contains("seed 7")); // the metadata
    }
}

void TestCharts::figureErrorsNameTheFile()
{
    const auto ending = exportCurves(QStringLiteral("figure.gif"), twoCurves(), {});
    QVERIFY(ending && ending->message.find("figure.gif") != std::string::npos);
    const auto folder = exportCurves(QStringLiteral("/nowhere/at/all/figure.png"), twoCurves(), {});
    QVERIFY(folder && folder->kind == Error::Kind::Io);
}

void TestCharts::themesHaveContrast_data()
{
    QTest::addColumn<bool>("dark");
    QTest::newRow("light") << false;
    QTest::newRow("dark") << true;
}

void TestCharts::themesHaveContrast()
{
    QFETCH(bool, dark);
    const Theme t = dark ? Theme::dark() : Theme::light();
    for (const QColor &ground : {t.window, t.panel, t.base, t.alternate, t.plot}) {
        QVERIFY(contrastRatio(t.text, ground) >= 7);
        QVERIFY(contrastRatio(t.textMuted, ground) >= 4.5);
        QVERIFY(contrastRatio(t.outline, ground) >= 3);
        QVERIFY(contrastRatio(t.danger, ground) >= 4.5);
        QVERIFY(contrastRatio(t.good, ground) >= 4.5);
        QVERIFY(contrastRatio(t.warning, ground) >= 4.5);
    }
    QVERIFY(contrastRatio(t.accentText, t.accentFill) >= 4.5);
    QVERIFY(contrastRatio(t.selectionText, t.selection) >= 7);
    for (int i = 0; i < Theme::seriesCount(); ++i)
        QVERIFY2(contrastRatio(t.series(i), t.plot) >= 3, qPrintable(t.series(i).name()));
    QVERIFY(Theme::light(1.5).font(TextRole::Body).pixelSize() > Theme::light().font(TextRole::Body).pixelSize());
}

void TestCharts::everyIconRenders()
{
    for (const char *name :
         {"run",  "pause", "stop", "step", "back",  "restart", "fork",    "export", "fit",  "zoom", "open",
          "save", "theme", "help", "undo", "trash", "eye",     "eye-off", "plus",   "copy", "pan"}) {
        const QImage image = icon(QString::fromLatin1(name), Theme::dark()).pixmap(24).toImage();
        int painted = 0;
        for (int y = 0; y < image.height(); ++y) {
            for (int x = 0; x < image.width(); ++x)
                painted += qAlpha(image.pixel(x, y)) > 128 ? 1 : 0;
        }
        QVERIFY2(painted > 10, name);
    }
    QVERIFY(!applicationIcon().pixmap(64).isNull());
}

QTEST_MAIN(TestCharts)
#include "tst_ui_charts.moc"
