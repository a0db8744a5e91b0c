#include "charts/ContourImage.h"
#include "charts/LandscapeView.h"

#include <QApplication>
#include <QImage>
#include <QMouseEvent>
#include <QSignalSpy>
#include <QTest>

#include <array>
#include <atomic>
#include <cmath>
#include <memory>

using namespace appa;
using namespace appa::ui;

class TestLandscape final : public QObject
{
    Q_OBJECT

private slots:
    void landscapeIsComputedInTheBackground();
    void landscapeIsMovedByKeys();
    void repaintingTheLandscapeEvaluatesNothingAnew();
    void theLandscapeTakesTheMouseAsTheChartsDo();
    void theLandscapeIsNeverBlank();
    void theLandscapeKeepsTheWholePathInView();
    void whatIsNewIsBroughtIntoView();
    void contoursStayAtTheirLevelsWhileTheViewMoves();
};

void TestLandscape::landscapeIsComputedInTheBackground()
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
    const QImage image = contourImage(grid, contourScale(grid, grid.rect, 0.0), {100, 100}, Theme::dark(), go);
    QVERIFY(image.pixelColor(50, 50) != image.pixelColor(2, 2));
    const std::atomic<bool> stop{true};
    QVERIFY(sampleFunction([](double, double) { return 0.0; }, {0, 0, 1, 1}, 10, 10, stop).values.empty());
}

void TestLandscape::landscapeIsMovedByKeys()
{
    LandscapeView view;
    view.resize(400, 300);
    view.setFunction([](double x, double y) { return x * x + y * y; }, 0.0);
    QVERIFY(view.focusPolicy() & Qt::TabFocus);
    const QRectF before = view.viewRect();
    QTest::keyClick(&view, Qt::Key_Right);
    QTest::keyClick(&view, Qt::Key_Up);
    QVERIFY(view.viewRect().center().x() > before.center().x() && view.viewRect().center().y() > before.center().y());
    QTest::keyClick(&view, Qt::Key_Plus);
    QVERIFY(view.viewRect().width() < before.width());
    QTest::keyClick(&view, Qt::Key_Home);
    QVERIFY(view.viewRect().contains(QPointF(0, 0)));
}

void TestLandscape::repaintingTheLandscapeEvaluatesNothingAnew()
{
    LandscapeView view;
    view.resize(400, 300);
    const auto calls = std::make_shared<std::atomic<int>>(0);
    QSignalSpy ready(&view, &LandscapeView::contoursReady);
    view.setFunction(
        [calls](double x, double y) {
            ++*calls;
            return x * x + y * y;
        },
        0.0);
    view.setPath({1, QStringLiteral("run"), Qt::red, true, {{1, 1}, {0.5, 0.2}}, {{1, 1}}, 1.0, {1}});
    view.setCurrentRun(1);
    QVERIFY(ready.wait(10000));
    view.grab(); // F at the centre, for its circle
    const int before = *calls;
    view.grab();
    QTest::mouseMove(&view, QPoint(200, 150));
    view.grab();
    QCOMPARE(calls->load(), before);
    view.appendPath(1, std::array{QPointF(0.2, 0.1)}, std::array{QPointF(0.5, 0.2)}, 1.0,
                    std::array{std::size_t(2)}); // another centre
    view.grab();
    QVERIFY(*calls > before);
}

void TestLandscape::theLandscapeTakesTheMouseAsTheChartsDo()
{
    LandscapeView view;
    view.resize(600, 400);
    view.setFunction([](double x, double y) { return x * x + y * y; }, 0.0);
    view.setPath({1, QStringLiteral("run"), Qt::red, true, {{1, 1}, {0.5, 0.2}}, {{1, 1}}, 1.0, {1}});
    view.grab();
    const auto drag = [&](const QPointF &from, const QPointF &to, Qt::KeyboardModifiers modifiers) {
        QTest::mousePress(&view, Qt::LeftButton, modifiers, from.toPoint());
        QMouseEvent move(QEvent::MouseMove, to, to, to, Qt::NoButton, Qt::LeftButton, modifiers);
        QApplication::sendEvent(&view, &move);
        QTest::mouseRelease(&view, Qt::LeftButton, modifiers, to.toPoint());
    };
    const QRectF before = view.viewRect();
    const QRectF plot = view.plotRect();
    // A drag zooms: the rectangle is in view, and the axes still have one scale.
    drag(plot.center() - QPointF(50, 20), plot.center() + QPointF(50, 20), Qt::NoModifier);
    const QRectF zoomed = view.viewRect();
    QVERIFY(std::abs(zoomed.width() / before.width() - 100 / plot.width()) < 0.02);
    QVERIFY(std::abs(zoomed.width() / zoomed.height() - plot.width() / plot.height()) < 0.05);
    // With Ctrl it moves; Backspace takes back both.
    drag(plot.center(), plot.center() + QPointF(30, 0), Qt::ControlModifier);
    QVERIFY(view.viewRect().center().x() < zoomed.center().x());
    QCOMPARE(view.viewRect().width(), zoomed.width());
    QTest::keyClick(&view, Qt::Key_Backspace);
    QCOMPARE(view.viewRect(), zoomed);
    QTest::keyClick(&view, Qt::Key_Backspace);
    QCOMPARE(view.viewRect(), before);
    // The legend names the run, and hides it.
    QCOMPARE(view.legend().size(), std::size_t(1));
    QSignalSpy hidden(&view, &LandscapeView::visibilityChanged);
    QTest::mouseClick(&view, Qt::LeftButton, Qt::NoModifier, view.legend()[0].rect.center().toPoint());
    QCOMPARE(hidden.size(), 1);
    QCOMPARE(hidden[0][1].toBool(), false);
}

void TestLandscape::theLandscapeIsNeverBlank()
{
    const Theme theme = Theme::dark();
    LandscapeView view;
    view.resize(600, 400);
    view.setTheme(theme);
    QSignalSpy ready(&view, &LandscapeView::contoursReady);
    view.setFunction([](double x, double y) { return x * x + y * y; }, 0.0);
    QVERIFY(ready.wait(10000));
    const QRectF plot = view.plotRect();
    for (int k = 0; k < 12; ++k) { // farther out than anything that was computed
        QTest::keyClick(&view, Qt::Key_Minus);
        const QImage image = view.grab().toImage();
        const QPointF inside = plot.topLeft() + QPointF(9, 9);
        QVERIFY(image.pixelColor(inside.toPoint()) != theme.plot);
        QVERIFY(image.pixelColor(inside.toPoint()) != QColor(Qt::white));
    }
}

void TestLandscape::theLandscapeKeepsTheWholePathInView()
{
    LandscapeView view;
    view.resize(900, 300);
    view.setFunction([](double x, double y) { return x * x + y * y; }, 0.0);
    view.setPath({1, QStringLiteral("run"), Qt::red, true, {{0, 8}, {0.5, 0.2}}, {{0, 8}}, 1.0, {1}});
    for (const QSize size : {QSize(300, 700), QSize(1200, 260), QSize(500, 500)}) {
        view.resize(size);
        view.grab();
        QVERIFY(view.viewRect().contains(QPointF(0, 8)));
        QVERIFY(view.plotRect().contains(view.pixelOf({0, 8})));
        QVERIFY(view.plotRect().contains(view.pixelOf({0, 0})));
    }
}

void TestLandscape::whatIsNewIsBroughtIntoView()
{
    LandscapeView view;
    view.resize(600, 400);
    view.setFunction([](double x, double y) { return x * x + y * y; }, 0.0);
    view.setPath({1, QStringLiteral("run"), Qt::red, true, {{0, 0}, {1, 1}}, {}, 1.0, {}});
    view.setPath({2, QStringLiteral("other"), Qt::blue, false, {{0, 0}, {-30, 1}}, {}, 1.0, {}});
    const auto append = [&](const QPointF &iterate, std::vector<QPointF> centres = {}) {
        view.appendPath(1, std::span(&iterate, 1), centres, 1.0, {});
    };
    const QRectF before = view.viewRect();
    append({0.5, 0.5});
    QCOMPARE(view.viewRect(), before);
    append({9, 1});
    QVERIFY(view.viewRect().contains(QPointF(9, 1)) && view.viewRect().contains(QPointF(0, 0)));
    append({1, 1}, {{1, -20}});
    QVERIFY(view.viewRect().contains(QPointF(1, -20)));
    QVERIFY(!view.viewRect().contains(QPointF(-30, 1)));
    view.setPathVisible(2, true);
    append({1, 1});
    QVERIFY(view.viewRect().contains(QPointF(-30, 1)));
}

void TestLandscape::contoursStayAtTheirLevelsWhileTheViewMoves()
{
    const std::atomic<bool> go{false};
    const auto bowl = [](double x, double y) { return x * x + y * y; };
    const auto scaleOf = [&](const QRectF &rect) {
        return contourScale(sampleFunction(bowl, rect, 41, 41, go), rect, 0.0);
    };
    for (const double shift : {0.0, 0.3, 1.7}) {
        const double steps = scaleOf({-1 + shift, -1, 2, 2}).top * levelsPerDecade;
        QCOMPARE(steps, std::round(steps)); // whole steps: a line is at 10^(k/4) always
    }
    QCOMPARE(scaleOf({-1, -1, 2, 2}).top, 0.5); // log10(2) = 0.301
}

QTEST_MAIN(TestLandscape)
#include "tst_ui_landscape.moc"
