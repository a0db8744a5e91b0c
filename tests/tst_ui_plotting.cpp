#include "charts/Decimate.h"
#include "charts/PlotView.h"
#include "theme/Format.h"
#include "theme/Icons.h"
#include "theme/Theme.h"

#include <QImage>
#include <QTest>

#include <algorithm>
#include <cmath>

using namespace appa;
using namespace appa::ui;

class TestPlotting final : public QObject
{
    Q_OBJECT

private slots:
    void formatsNumbers_data();
    void formatsNumbers();
    void scalesPassOnlyFinitePositions_data();
    void scalesPassOnlyFinitePositions();
    void ticksHaveLabelsOnAnyRange_data();
    void ticksHaveLabelsOnAnyRange();
    void fewDecadesCanBeRead();
    void noTickLiesBetweenTwoStages();
    void autoRangeStaysWhileDataFits();
    void decimationKeepsExtremesAndEnds();
    void simplifyingStaysWithinTolerance();
    void clippingCutsAtTheFrame();
    void aLineThatLeavesTheFrameFarIsDashedNearItOnly();
    void aLineIsCutWhereItsDashChanges();
    void labelsDoNotOverlap();
    void themesHaveContrast_data();
    void themesHaveContrast();
    void everyIconRenders();
};

void TestPlotting::formatsNumbers_data()
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
    QTest::newRow("formula") << prettyText(QStringLiteral("F(x) - F_opt <= 1e-8"))
                             << QStringLiteral("F(x) − F_opt ≤ 10⁻⁸");
    QTest::newRow("text") << prettyText(QStringLiteral("λ 1e-3 -> 1e-05")) << QStringLiteral("λ 10⁻³ → 10⁻⁵");
    QTest::newRow("minutes") << formatSeconds(185) << QStringLiteral("3\u202fmin 05\u202fs");
}

void TestPlotting::formatsNumbers()
{
    QFETCH(QString, made);
    QFETCH(QString, expected);
    QCOMPARE(made, expected);
}

void TestPlotting::scalesPassOnlyFinitePositions_data()
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

void TestPlotting::scalesPassOnlyFinitePositions()
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

void TestPlotting::ticksHaveLabelsOnAnyRange_data()
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

void TestPlotting::ticksHaveLabelsOnAnyRange()
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

void TestPlotting::fewDecadesCanBeRead()
{
    for (double span = 0.1; span < 3; span += 0.05) {
        for (const double lo : {-3.0, -2.6, 0.25}) {
            std::vector<double> labelled;
            for (const Tick &tick : makeTicks({true, 1e-300}, {lo, lo + span}, 400, 50))
                if (!tick.label.isEmpty())
                    labelled.push_back(tick.position);
            const auto where = QStringLiteral("%1 decades from %2").arg(span).arg(lo);
            QVERIFY2(labelled.size() >= 3, qPrintable(where));
            for (std::size_t k = 1; k < labelled.size(); ++k)
                QVERIFY2((labelled[k] - labelled[k - 1]) * 400 / span >= 35, qPrintable(where));
            // No half of the axis is without a label.
            QVERIFY2(labelled.front() - lo <= 0.51 * span && lo + span - labelled.back() <= 0.51 * span,
                     qPrintable(where));
        }
    }
}

void TestPlotting::noTickLiesBetweenTwoStages()
{
    for (const Range &range : {Range{0.4, 8}, Range{0, 3}, Range{2, 400}})
        for (const Tick &tick : makeTicks({.counts = true}, range, 900, 60))
            QCOMPARE(tick.position, std::floor(tick.position));
    QVERIFY(makeTicks({.counts = true}, {3.1, 3.9}, 900, 60).size() >= 2); // zoomed into one
}

void TestPlotting::autoRangeStaysWhileDataFits()
{
    const AxisScale log{true, 1e-16};
    const Range first = steppedRange(log, -3.1, 0.2, {1, 0}, false);
    QCOMPARE(steppedRange(log, -3.4, 0.2, first, false), first);
    const Range moved = steppedRange(log, -6.5, 0.2, first, false);
    QVERIFY(moved.lo <= -6.5 && moved.lo == std::floor(moved.lo));
    QVERIFY(steppedRange(log, std::nan(""), 1, {1, 0}, false).valid());
}

void TestPlotting::decimationKeepsExtremesAndEnds()
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

void TestPlotting::simplifyingStaysWithinTolerance()
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

void TestPlotting::clippingCutsAtTheFrame()
{
    const QRectF frame(0, 0, 10, 10);
    const auto pieces = clipPolyline({{-5, 5}, {5, 5}, {5, 20}, {8, 20}, {8, 5}}, frame);
    QCOMPARE(pieces.size(), 2);
    QCOMPARE(pieces[0], (QList<QPointF>{{0, 5}, {5, 5}, {5, 10}}));
    QCOMPARE(pieces[1], (QList<QPointF>{{8, 10}, {8, 5}}));
}

void TestPlotting::aLineThatLeavesTheFrameFarIsDashedNearItOnly()
{
    PlotFrame frame;
    frame.plot = {0, 0, 100, 100};
    frame.x = frame.y = {0, 1};
    PlotSeries series;
    series.points = {{0, 0}, {0.5, 0.5}, {0.7, 1e25}, {1, -1e25}};
    const QList<QPointF> outline = PlotPainter::outline(frame, series, 100);
    for (const QPointF &q : outline)
        QVERIFY(q.y() >= -100 && q.y() <= 200);
    QCOMPARE(outline.first(), QPointF(0, 100)); // what is in the frame is as it was
    QVERIFY(std::ranges::any_of(outline, [](const QPointF &q) { return q == QPointF(50, 50); }));
    QVERIFY(strokes(outline, {4, 3}).size() < 200);
    // Upwards and downwards at once: both edges, in the order of the way.
    const QList<QPointF> across = between({{0, 10}, {10, -10}}, -5, 5);
    QCOMPARE(across, (QList<QPointF>{{0, 5}, {2.5, 5}, {7.5, -5}, {10, -5}}));
}

void TestPlotting::aLineIsCutWhereItsDashChanges()
{
    const QList<QPointF> line = {{0, 0}, {10, 20}, {20, 0}};
    const auto [first, second] = cutAcross(line, 15);
    QCOMPARE(first, (QList<QPointF>{{0, 0}, {10, 20}, {15, 10}}));
    QCOMPARE(second, (QList<QPointF>{{15, 10}, {20, 0}}));
    QCOMPARE(cutAcross(line, -1).second, line);
    QVERIFY(cutAcross(line, -1).first.isEmpty());
    QCOMPARE(cutAcross(line, 20).first, line);
    QVERIFY(cutAcross(line, 20).second.isEmpty());

    const PlotFrame frame{.outer = {}, .title = {}, .plot = {0, 0, 100, 100}, .x = {0, 100}, .y = {0, 100}};
    PlotSeries series;
    series.before = {{10, {4, 2}}, {15, {7, 3}}};
    QVERIFY(!series.isSolid());
    const auto pieces = PlotPainter::pieces(frame, series, line);
    QCOMPARE(pieces.size(), std::size_t(3));
    QCOMPARE(pieces[0].dash, (QList<qreal>{4, 2}));
    QCOMPARE(pieces[1].dash, (QList<qreal>{7, 3}));
    QVERIFY(pieces[2].dash.isEmpty());
    QCOMPARE(pieces[1].line.first(), QPointF(10, 20));
    QCOMPARE(pieces[2].line, second);
}

void TestPlotting::labelsDoNotOverlap()
{
    const std::vector<double> places = spreadLabels({10, 11, 12, 80, 99, 99}, 10, 0, 100);
    for (std::size_t i = 1; i < places.size(); ++i)
        QVERIFY(places[i] - places[i - 1] >= 10 - 1e-9);
    QVERIFY(places.front() >= 0 && places.back() <= 100 + 1e-9);
    QCOMPARE(places[3], 80.0); // one that has room is left where it is
}

void TestPlotting::themesHaveContrast_data()
{
    QTest::addColumn<bool>("dark");
    QTest::newRow("light") << false;
    QTest::newRow("dark") << true;
}

void TestPlotting::themesHaveContrast()
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

void TestPlotting::everyIconRenders()
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

QTEST_MAIN(TestPlotting)
#include "tst_ui_plotting.moc"
