#include "ChartData.h"

#include "charts/Decimate.h"
#include "charts/LabelPlacer.h"
#include "charts/PlotView.h"

#include <QTest>

using namespace appa;
using namespace appa::ui;

namespace {

/// A straight line of a plot in positions.
PlotSeries straight(int id, const QPointF &from, const QPointF &to, bool current = false)
{
    PlotSeries s;
    s.id = id;
    s.name = QStringLiteral("run %1").arg(id);
    s.colour = Theme::light().series(id);
    s.current = current;
    for (int k = 0; k <= 40; ++k)
        s.points.push_back(from + (to - from) * (k / 40.0));
    return s;
}

PlotContent unitSquare()
{
    PlotContent c;
    c.title = QStringLiteral("Excess training loss");
    c.x = {0, 1};
    c.y = {0, 1};
    return c;
}

void paint(PlotView &plot)
{
    plot.flush();
    QCoreApplication::processEvents(); // the chart's own layout
    plot.grab();
}

bool crosses(const QList<QPointF> &line, const QRectF &rect)
{
    return !clipPolyline(line, rect).isEmpty();
}

const PlotLabel *find(const PlotView &plot, PlotLabel::Kind kind, int id = 0)
{
    const auto it =
        std::ranges::find_if(plot.labels(), [&](const PlotLabel &l) { return l.kind == kind && l.id == id; });
    return it == plot.labels().end() ? nullptr : &*it;
}

} // namespace

class TestLabels final : public QObject
{
    Q_OBJECT

private slots:
    void aFreePlaceComesBeforeOneOnACurve();
    void aLabelStaysWhileItsPlaceIsAsGood();
    void noLabelLiesOnACurveOrOnAnother_data();
    void noLabelLiesOnACurveOrOnAnother();
    void theTheoryLabelLeavesTheCurveUncovered();
    void theLabelOfAShortTheoryKeepsOffTheCurve_data();
    void theLabelOfAShortTheoryKeepsOffTheCurve();
    void headsAtDifferentPlacesKeepTheirNames();
    void whereItIsCrowdedOnlyTheCurrentRunIsNamed();
    void inAPresentationOnlyTheCurrentRunIsTheCurrentOne();
    void eventsGoBelowACurveThatBeginsAtTheTop();
    void anEventsDotIsBesideItsOwnLine();
    void noLabelStandsBetweenTwoLinesThatItMayNameBoth();
    void linesThatLieOnOneAnotherAreBothNamed();
    void theWordsOfAnArrowAreBesideIt();
    void theBestIsNamedBesideItsPointOrNotAtAll();
    void noWordStandsNearerToAnotherMark();
    void eachBestIsNamedNearestToItsOwnPoint();
    void aPointFarAwayMovesNoLabel();
    void theLegendStaysAboveThePlotAtAnyWidth();
};

void TestLabels::aFreePlaceComesBeforeOneOnACurve()
{
    LabelPlacer placer({0, 0, 400, 200});
    placer.block(QList<QPointF>{{0, 50}, {400, 50}});
    placer.block(QList<QPointF>{{300, -1e6}, {300, 1e6}}); // beyond the area in both directions
    const QRectF onLine(20, 40, 60, 20);
    const QRectF beside(20, 70, 60, 20);
    const QRectF onBoth(280, 40, 60, 20);
    const QRectF outside(-10, 100, 60, 20);
    QCOMPARE(placer.covered(beside), 0.0);
    QVERIFY(placer.covered(onLine) > 0 && placer.covered(onLine) < placer.covered(onBoth));
    QVERIFY(std::isinf(placer.covered(outside)));
    QVERIFY(!placer.take(std::vector{onLine, onBoth}, 0, {})); // not at any price
    QCOMPARE(placer.take(std::vector{outside, onBoth, onLine}, 1, {}), std::optional<std::size_t>(2));
    QCOMPARE(placer.take(std::vector{onLine, beside}, 1, {}), std::optional<std::size_t>(1));
    QVERIFY(!placer.take(std::vector{beside, onLine}, 1, {})); // both are taken
}

void TestLabels::aLabelStaysWhileItsPlaceIsAsGood()
{
    const std::vector places{QRectF(20, 20, 60, 20), QRectF(120, 20, 60, 20), QRectF(220, 20, 60, 20)};
    LabelPlacer free({0, 0, 400, 200});
    QCOMPARE(free.take(places, 1, 2), std::optional<std::size_t>(2));
    LabelPlacer crossed({0, 0, 400, 200});
    crossed.block(QList<QPointF>{{200, 30}, {300, 30}});
    QCOMPARE(crossed.take(places, 1, 2), std::optional<std::size_t>(0));
}

void TestLabels::noLabelLiesOnACurveOrOnAnother_data()
{
    QTest::addColumn<QSize>("size");
    QTest::addColumn<int>("runs");
    for (const QSize &size : {QSize(500, 260), QSize(760, 340), QSize(1040, 360)})
        for (const int runs : {1, 2, 4})
            QTest::addRow("%d x %d, %d runs", size.width(), size.height(), runs) << size << runs;
}

void TestLabels::noLabelLiesOnACurveOrOnAnother()
{
    QFETCH(QSize, size);
    QFETCH(int, runs);
    CurvesView view;
    view.resize(size.width(), 2 * size.height());
    CurvesData data;
    data.optimum = OptimumLine{testing::fOpt, 1e-12, true};
    for (int id = 1; id <= runs; ++id) {
        data.curves.push_back(testing::halvingCurve(id, 12 + 9 * id));
        const TracePoint &at = data.curves.back().points[static_cast<std::size_t>(3 + 4 * id)];
        RunEvent event;
        event.stage = at.stage;
        event.at = at.cost;
        event.label = "λ 1e-3 -> 1e-5";
        data.curves.back().events = {event};
    }
    data.curves.back().status = RunStatus::Running;
    data.curves.back().plannedStages = 80;
    data.floors = {{.lambda = 1e-3, .value = testing::fOpt + 1e-3, .colour = {}, .label = {}},
                   {.lambda = 1e-5, .value = testing::fOpt + 1e-5, .colour = {}, .label = {}}};
    data.theory = TheoryLine{.runId = runs, .passes = 10, .excess = 0.02, .ratePerPass = 0.72, .condition = {}};
    view.setData(data);
    view.setCurrentRun(runs);
    view.flush();
    PlotView *plot = view.plot(CurvePanel::Loss);
    paint(*plot);
    for (const auto kind : {PlotLabel::Kind::Theory, PlotLabel::Kind::Event, PlotLabel::Kind::Reference})
        QVERIFY(find(*plot, kind));
    QVERIFY(find(*plot, PlotLabel::Kind::Head, runs));
    const QList<QList<QPointF>> theory = theoryPieces(plot->content(), plot->frame());
    QVERIFY(!theory.isEmpty());
    for (const PlotLabel &label : plot->labels()) {
        QVERIFY(plot->frame().plot.contains(label.rect));
        for (int id = 1; id <= runs; ++id)
            QVERIFY2(!crosses(plot->drawnPoints(id), label.rect), qPrintable(label.text));
        for (const QList<QPointF> &piece : theory)
            QVERIFY2(!crosses(piece, label.rect), qPrintable(label.text));
        for (const PlotLabel &other : plot->labels())
            QVERIFY2(&other == &label || !other.rect.intersects(label.rect), qPrintable(label.text + other.text));
    }
}

void TestLabels::theTheoryLabelLeavesTheCurveUncovered()
{
    // A run that stays close to its prediction to the end of the frame.
    PlotView plot;
    plot.resize(900, 320);
    PlotContent content = unitSquare();
    content.theory = {{0.5, 0.5}, {1, 0.1}};
    content.theoryLabel = QStringLiteral("predicted by theory");
    plot.setContent(content);
    plot.setSeries(straight(1, {0, 1}, {0.5, 0.5}));
    plot.setSeries(straight(2, {0.5, 0.52}, {1, 0.08}));
    paint(plot);
    const PlotLabel *label = find(plot, PlotLabel::Kind::Theory);
    QVERIFY(label);
    QVERIFY(!crosses(plot.drawnPoints(2), label->rect));
    // Beside the line it names, at its later half.
    QVERIFY(label->rect.right() > plot.frame().map({0.75, 0}).x());
}

void TestLabels::theLabelOfAShortTheoryKeepsOffTheCurve_data()
{
    QTest::addColumn<QSize>("size");
    QTest::addColumn<QList<QPointF>>("curve");
    QTest::addColumn<QList<QPointF>>("theory");
    QTest::addRow("curve close below") << QSize(900, 320) << QList<QPointF>{{0, 0.9},    {0.3, 0.5},  {0.5, 0.41},
                                                                            {0.9, 0.36}, {0.95, 0.2}, {1, 0.21}}
                                       << QList<QPointF>{{0.9, 0.36}, {1, 0.27}};
    QTest::addRow("hill before it") << QSize(705, 290)
                                    << QList<QPointF>{{0, 0.87},    {0.1, 0.58},  {0.14, 0.47}, {0.19, 0.52},
                                                      {0.24, 0.34}, {0.33, 0.15}, {0.43, 0.01}, {0.48, 0.05},
                                                      {0.52, 0.2},  {0.62, 0.35}, {0.71, 0.39}, {0.76, 0.31},
                                                      {0.86, 0.2},  {0.9, 0.24},  {0.95, 0.14}, {1, 0.13}}
                                    << QList<QPointF>{{0.86, 0.2}, {1, 0.06}};
}

void TestLabels::theLabelOfAShortTheoryKeepsOffTheCurve()
{
    // A prediction for the end of the frame, long words, and the curve close to it: there is room farther away.
    QFETCH(QSize, size);
    QFETCH(QList<QPointF>, curve);
    QFETCH(QList<QPointF>, theory);
    PlotView plot;
    plot.resize(size);
    PlotContent content = unitSquare();
    content.theory = {theory.begin(), theory.end()};
    content.theoryLabel = QStringLiteral("predicted by theory, if each stage is solved well enough");
    plot.setContent(content);
    PlotSeries run = straight(1, {0, 0.9}, {0, 0});
    run.points = {curve.begin(), curve.end()};
    plot.setSeries(run);
    paint(plot);
    const PlotLabel *label = find(plot, PlotLabel::Kind::Theory);
    QVERIFY(label);
    QVERIFY(!crosses(plot.drawnPoints(1), label->rect));
    QVERIFY(label->rect.bottom() > plot.frame().map({0, 0.7}).y()
            && label->rect.right() > plot.frame().map({0.8, 0}).x());
}

void TestLabels::headsAtDifferentPlacesKeepTheirNames()
{
    PlotView plot;
    plot.resize(900, 320);
    plot.setContent(unitSquare());
    for (int id = 1; id <= 4; ++id) // ends at one height, far apart
        plot.setSeries(straight(id, {0, 0.9}, {0.18 * id, 0.3}));
    paint(plot);
    for (int id = 1; id <= 4; ++id)
        QVERIFY(find(plot, PlotLabel::Kind::Head, id));
}

void TestLabels::whereItIsCrowdedOnlyTheCurrentRunIsNamed()
{
    PlotView plot;
    plot.resize(600, 320);
    plot.setContent(unitSquare());
    // A curtain of lines: nothing is free anywhere.
    PlotSeries curtain = straight(0, {0, 0}, {0, 0});
    curtain.points.clear();
    for (int k = 0; k <= 1000; ++k)
        curtain.points.emplace_back(k / 1000.0, k % 2);
    plot.setSeries(curtain);
    plot.setSeries(straight(1, {0, 0.9}, {0.4, 0.5}));
    plot.setSeries(straight(2, {0, 0.8}, {0.6, 0.3}, true));
    paint(plot);
    QVERIFY(!find(plot, PlotLabel::Kind::Head, 1));
    QVERIFY(find(plot, PlotLabel::Kind::Head, 2));
}

void TestLabels::inAPresentationOnlyTheCurrentRunIsTheCurrentOne()
{
    const Curve curve = testing::halvingCurve(1, 10);
    for (const double scale : {1.0, 2.0}) {
        QVERIFY(seriesLook(curve, {}, true, scale).current);
        QVERIFY(!seriesLook(curve, {}, false, scale).current);
    }
    // The ends of many runs at one place of the margin, with type as large as its room: names go, but not its own.
    CurvesView view;
    view.setTheme(Theme::light(2));
    view.resize(1200, 700);
    CurvesData data;
    data.optimum = OptimumLine{testing::fOpt, 1e-12, true};
    for (int id = 1; id <= 8; ++id) {
        data.curves.push_back(testing::halvingCurve(id, 20));
        for (TracePoint &p : data.curves.back().points) // a curtain: no place is free
            p.loss = testing::fOpt + (p.stage % 2 == 0 ? 1.0 : 1e-6);
        data.curves.back().points.resize(static_cast<std::size_t>(21 - id));
    }
    view.setData(data);
    view.setCurrentRun(5);
    view.flush();
    PlotView *plot = view.plot(CurvePanel::Loss);
    paint(*plot);
    QVERIFY(find(*plot, PlotLabel::Kind::Head, 5));
    for (const PlotLabel &label : plot->labels()) {
        if (label.id == 5)
            continue;
        for (int id = 1; id <= 8; ++id)
            QVERIFY2(!crosses(plot->drawnPoints(id), label.rect), qPrintable(label.text));
    }
}

void TestLabels::eventsGoBelowACurveThatBeginsAtTheTop()
{
    PlotView plot;
    plot.resize(700, 320);
    PlotContent content = unitSquare();
    content.events = {{0.02, QStringLiteral("λ 10⁻³ → 10⁻⁵"), QStringLiteral("lambda"), {}}};
    plot.setContent(content);
    plot.setSeries(straight(1, {0, 0.97}, {1, 0.9}));
    paint(plot);
    const PlotLabel *label = find(plot, PlotLabel::Kind::Event);
    QVERIFY(label);
    QVERIFY(!crosses(plot.drawnPoints(1), label->rect));
}

void TestLabels::anEventsDotIsBesideItsOwnLine()
{
    PlotView plot;
    plot.resize(700, 320);
    PlotContent content = unitSquare();
    content.events = {{0.5, QStringLiteral("λ 10⁻³ → 10⁻⁵"), QStringLiteral("lambda"), {}},
                      {0.98, QStringLiteral("Dual APPA → APPA"), QStringLiteral("method"), {}}}; // no room at its right
    plot.setContent(content);
    plot.setSeries(straight(1, {0, 0.2}, {1, 0.1}));
    paint(plot);
    const QImage picture = plot.grab().toImage();
    for (const int id : {0, 1}) {
        const PlotLabel *label = find(plot, PlotLabel::Kind::Event, id);
        QVERIFY(label);
        const double line = plot.frame().map({content.events[static_cast<std::size_t>(id)].x, 0}).x();
        QCOMPARE(label->rect.center().x() < line, id == 1);
        QVERIFY(std::abs(label->dot().x() - line) < 16);
        // It is drawn there, and not at the other end.
        const QPointF other(2 * label->rect.center().x() - label->dot().x(), label->dot().y());
        QCOMPARE(picture.pixelColor(label->dot().toPoint()), label->ink);
        QVERIFY(picture.pixelColor(other.toPoint()) != label->ink);
    }
}

void TestLabels::noLabelStandsBetweenTwoLinesThatItMayNameBoth()
{
    PlotView plot;
    plot.resize(700, 320);
    PlotContent content = unitSquare();
    content.refLines = {{0.50, QStringLiteral("upper"), {}, false},
                        {0.45, QStringLiteral("middle"), {}, false},
                        {0.40, QStringLiteral("lower"), {}, false}};
    plot.setContent(content);
    plot.setSeries(straight(1, {0, 0.99}, {1, 0.97}));
    paint(plot);
    const auto top = [&](std::size_t line) { return plot.frame().map({0, content.refLines[line].y}).y(); };
    QVERIFY(find(plot, PlotLabel::Kind::Reference, 0)->rect.bottom() <= top(0));
    QVERIFY(!find(plot, PlotLabel::Kind::Reference, 1));
    QVERIFY(find(plot, PlotLabel::Kind::Reference, 2)->rect.top() >= top(2));
}

void TestLabels::linesThatLieOnOneAnotherAreBothNamed()
{
    PlotView plot;
    plot.resize(700, 320);
    PlotContent content = unitSquare();
    content.refLines = {{0.3, QStringLiteral("ridge floor"), {}, false},
                        {0.3, QStringLiteral("resolution"), {}, true},
                        {0.3001, QStringLiteral("another floor"), {}, false}};
    plot.setContent(content);
    plot.setSeries(straight(1, {0, 0.99}, {1, 0.97}));
    paint(plot);
    for (const int line : {0, 1, 2})
        QVERIFY(find(plot, PlotLabel::Kind::Reference, line));
}

void TestLabels::theWordsOfAnArrowAreBesideIt()
{
    PlotView plot;
    plot.resize(700, 320);
    PlotContent content = unitSquare();
    content.marks = {{PointMark::Kind::Beyond, {0.2, 3}, QStringLiteral("3.0 at the start"), Qt::red, 9}};
    plot.setContent(content);
    plot.setSeries(straight(1, {0, 2}, {0.4, 0}));
    paint(plot);
    const PlotLabel *label = find(plot, PlotLabel::Kind::Mark);
    QVERIFY(label);
    const QPointF arrow = placeOfMark(content.marks[0], {}, plot.frame())->at;
    QVERIFY(label->rect.top() < arrow.y() && label->rect.bottom() > arrow.y());
    QVERIFY(std::abs(label->rect.left() - arrow.x()) < 12);
    QVERIFY(!crosses(plot.drawnPoints(1), label->rect));
    // Where there is no room for them it stands alone.
    plot.setSeries(straight(2, {0, 0.97}, {1, 0.95}));
    plot.setSeries(straight(3, {0, 0.92}, {1, 0.90}));
    paint(plot);
    QVERIFY(!find(plot, PlotLabel::Kind::Mark));
}

void TestLabels::theBestIsNamedBesideItsPointOrNotAtAll()
{
    PlotView plot;
    plot.resize(700, 320);
    PlotContent content = unitSquare();
    content.marks = {{PointMark::Kind::Best, {0.5, 0.6}, QStringLiteral("best 10⁻⁴"), Qt::red}};
    plot.setContent(content);
    plot.setSeries(straight(1, {0, 0.6}, {1, 0.6}));
    paint(plot);
    const auto placeOf = [&](std::size_t i) { return placeOfMark(content.marks[i], {}, plot.frame())->at; };
    const PlotLabel *label = find(plot, PlotLabel::Kind::Mark);
    QVERIFY(label);
    QCOMPARE(label->text, QStringLiteral("best 10⁻⁴"));
    // Right below its point, off the curve.
    QVERIFY(std::abs(label->rect.center().x() - placeOf(0).x()) < 1);
    QVERIFY(label->rect.top() > placeOf(0).y() && label->rect.top() - placeOf(0).y() < label->rect.height());
    QVERIFY(!crosses(plot.drawnPoints(1), label->rect));
    // Below there is a curve: then above, as near.
    plot.setSeries(straight(2, {0, 0.54}, {1, 0.54}));
    paint(plot);
    label = find(plot, PlotLabel::Kind::Mark);
    QVERIFY(label);
    QVERIFY(label->rect.bottom() < placeOf(0).y() && placeOf(0).y() - label->rect.bottom() < label->rect.height());
    // Its neighbourhood is full of curves; below them there would be room.
    for (int i = 0; i < 12; ++i)
        plot.setSeries(straight(3 + i, {0, 0.76 - 0.025 * i}, {1, 0.76 - 0.025 * i}));
    QTRY_VERIFY((paint(plot), !find(plot, PlotLabel::Kind::Mark))); // so many lines are drawn one after the other
}

void TestLabels::noWordStandsNearerToAnotherMark()
{
    PlotView plot;
    plot.resize(700, 320);
    PlotContent content = unitSquare();
    // The arrow's own place is full of curves; the first free one is beside another method's best.
    content.marks = {{PointMark::Kind::Diverged, {0.5, 1.001}, QStringLiteral("diverged"), Qt::red},
                     {PointMark::Kind::Best, {0.52, 0.74}, {}, Qt::blue}};
    plot.setContent(content);
    for (int i = 0; i < 5; ++i)
        plot.setSeries(straight(1 + i, {0, 0.99 - 0.03 * i}, {1, 0.99 - 0.03 * i}));
    paint(plot);
    const PlotLabel *label = find(plot, PlotLabel::Kind::Mark);
    const QPointF arrow = placeOfMark(content.marks[0], {}, plot.frame())->at;
    QVERIFY(!label || label->rect.top() - arrow.y() < label->rect.height());
    // Without the other one it may be there.
    content.marks.pop_back();
    plot.setContent(content);
    paint(plot);
    label = find(plot, PlotLabel::Kind::Mark);
    QVERIFY(label && label->rect.top() - arrow.y() > label->rect.height());
}

void TestLabels::eachBestIsNamedNearestToItsOwnPoint()
{
    PlotView plot;
    plot.resize(700, 320);
    PlotContent content = unitSquare();
    const QPointF lowest[] = {{0.02, 0.5}, {0.45, 0.4}, {0.55, 0.34}, {0.97, 0.3}}; // at the edges, and two together
    for (std::size_t i = 0; i < std::size(lowest); ++i) {
        const int id = static_cast<int>(i);
        content.marks.push_back({PointMark::Kind::Best, lowest[i], QStringLiteral("best 10⁻⁴"), Qt::red});
        PlotSeries valley = straight(id + 1, {0, 0.9}, lowest[i]);
        for (const QPointF &p : straight(0, lowest[i], {1, 0.9}).points)
            valley.points.push_back(p);
        plot.setSeries(valley);
    }
    plot.setContent(content);
    paint(plot);
    const auto distance = [&](const QRectF &rect, std::size_t i) {
        const QPointF at = placeOfMark(content.marks[i], {}, plot.frame())->at;
        const double dx = std::max({rect.left() - at.x(), at.x() - rect.right(), 0.0});
        const double dy = std::max({rect.top() - at.y(), at.y() - rect.bottom(), 0.0});
        return std::hypot(dx, dy);
    };
    for (std::size_t i = 0; i < std::size(lowest); ++i) {
        const PlotLabel *label = find(plot, PlotLabel::Kind::Mark, static_cast<int>(i));
        QVERIFY2(label, qPrintable(QString::number(i)));
        QVERIFY(plot.frame().plot.contains(label->rect));
        for (std::size_t k = 0; k < std::size(lowest); ++k) {
            QVERIFY2(k == i || distance(label->rect, i) < distance(label->rect, k), qPrintable(QString::number(i)));
            if (const PlotLabel *other = find(plot, PlotLabel::Kind::Mark, static_cast<int>(k)); other && k != i)
                QVERIFY(!other->rect.intersects(label->rect));
        }
    }
}

void TestLabels::aPointFarAwayMovesNoLabel()
{
    PlotView plot;
    plot.resize(900, 320);
    PlotContent content = unitSquare();
    content.theory = {{0.1, 0.9}, {1, 0.3}};
    content.theoryLabel = QStringLiteral("predicted by theory");
    content.events = {{0.2, QStringLiteral("λ 10⁻³ → 10⁻⁵"), QStringLiteral("lambda"), {}}};
    content.refLines = {{0.8, QStringLiteral("ridge floor"), {}, false}};
    plot.setContent(content);
    PlotSeries run = straight(1, {0, 1}, {0.3, 0.6}, true);
    run.live = true;
    plot.setSeries(run);
    paint(plot);
    const std::vector<PlotLabel> before = plot.labels();
    QCOMPARE(before.size(), std::size_t(4));
    const QPointF next(0.32, 0.59);
    plot.appendPoints(1, run.points.size(), std::span(&next, 1));
    paint(plot);
    QCOMPARE(plot.labels().size(), before.size());
    for (std::size_t i = 0; i < before.size(); ++i) {
        if (before[i].kind != PlotLabel::Kind::Head) // goes with its curve
            QCOMPARE(plot.labels()[i].rect, before[i].rect);
        QCOMPARE(plot.labels()[i].choice, before[i].choice);
    }
}

void TestLabels::theLegendStaysAboveThePlotAtAnyWidth()
{
    PlotView plot;
    plot.setContent(unitSquare());
    for (int id = 1; id <= 4; ++id) {
        plot.setSeries(straight(id, {0, 0.9}, {1, 0.1 * id}));
        plot.setValue(id, QStringLiteral("0.1"));
    }
    plot.setSharedMargins(120, 0); // the plot below has long labels
    for (int width = 300; width <= 1100; width += 3) {
        plot.resize(width, 240);
        paint(plot);
        QVERIFY(!plot.legend().empty());
        for (const LegendHit &entry : plot.legend())
            QVERIFY2(entry.rect.bottom() <= plot.frame().plot.top() + 1, qPrintable(QString::number(width)));
    }
}

QTEST_MAIN(TestLabels)
#include "tst_ui_labels.moc"
