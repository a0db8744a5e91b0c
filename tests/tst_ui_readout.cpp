#include "ChartData.h"

#include "charts/PlotView.h"
#include "theme/Format.h"

#include <QApplication>
#include <QContextMenuEvent>
#include <QMenu>
#include <QMouseEvent>
#include <QPushButton>
#include <QTest>

using namespace appa;
using namespace appa::ui;

namespace {

using testing::showCurves, testing::twoCurves;

} // namespace

class TestReadout final : public QObject
{
    Q_OBJECT

private slots:
    void readsTheLastPointBefore();
    void theCrosshairStandsOnMeasuredPoints();
    void cursorsShowDifferences();
    void cursorsArePlacedAndMovedWithoutAMouse();
    void theMenuPlacesCursors();
};

void TestReadout::readsTheLastPointBefore()
{
    CurvesView view;
    showCurves(view, twoCurves(), {800, 600});
    const auto readings = view.readingsAt(9.6); // stage 4 is at 8 passes, stage 5 at 10: not yet measured
    QCOMPARE(readings.size(), std::size_t(2));
    QCOMPARE(readings[0].x, 8.0);
    QCOMPARE(readings[0].excess, std::pow(0.5, 4));
    QCOMPARE(readings[0].testError, 0.1 + 0.4 * std::pow(0.5, 4));
    QCOMPARE(view.readingsAt(30).size(), std::size_t(1)); // run 1 ends at 20
}

void TestReadout::theCrosshairStandsOnMeasuredPoints()
{
    CurvesView view;
    view.resize(800, 600);
    CurvesData data = twoCurves();
    for (TracePoint &p : data.curves[1].points)
        p.cost.accesses += 60; // run 2 is measured 0.6 passes after run 1
    view.setData(data);
    view.show();
    view.flush();
    PlotView *plot = view.plot(CurvePanel::Loss);
    const auto hover = [&](double x) {
        const QPointF at = plot->frame().map({x, plot->frame().y.lo + 1});
        QMouseEvent move(QEvent::MouseMove, at, at, at, Qt::NoButton, Qt::NoButton, Qt::NoModifier);
        QApplication::sendEvent(plot->viewport(), &move);
    };
    hover(8.2); // between run 1's at 8 and run 2's at 8.6: on the nearer one
    QCOMPARE(plot->crosshair(), std::optional(8.0));
    QCOMPARE(plot->crosshairLabel(), formatX(8, XAxis::Passes));
    QCOMPARE(plot->series(1)->value, formatNumber(std::pow(0.5, 4), 3));
    QCOMPARE(plot->series(2)->value, formatNumber(std::pow(0.5, 3), 3)); // its next is in the future
    QCOMPARE(plot->crosshairDots().size(), std::size_t(2));
    QCOMPARE(plot->crosshairDots()[1].at.x(), 6.6); // and it is marked where it was measured
    // On a log axis, too, the point itself is read, not the one before it.
    CurvesOptions options = view.options();
    options.logX = true;
    view.setOptions(options);
    view.flush();
    hover(std::log10(8.05));
    QCOMPARE(plot->series(1)->value, formatNumber(std::pow(0.5, 4), 3));
    emit plot->cursorRequested(std::log10(6.05));
    emit plot->cursorRequested(std::log10(8.05));
    view.flush();
    QCOMPARE(plot->series(1)->value, QStringLiteral("× ") + formatNumber(0.5, 3));
}

void TestReadout::cursorsShowDifferences()
{
    CurvesView view;
    showCurves(view);
    PlotView *plot = view.plot(CurvePanel::Loss);
    QTest::mouseClick(plot->viewport(), Qt::LeftButton, Qt::ShiftModifier,
                      plot->frame().map({4, plot->frame().y.lo + 1}).toPoint());
    QTest::mouseClick(plot->viewport(), Qt::LeftButton, Qt::ShiftModifier,
                      plot->frame().map({10, plot->frame().y.lo + 1}).toPoint());
    view.flush();
    QVERIFY(view.placedCursor(0) && view.placedCursor(1));
    QCOMPARE(*view.placedCursor(0), 4.0); // on the points that are read
    QCOMPARE(*view.placedCursor(1), 10.0);
    // Three stages later the excess is an eighth.
    QCOMPARE(plot->series(1)->value, QStringLiteral("× ") + formatNumber(0.125, 3));
    QTest::keyClick(&view, Qt::Key_Escape);
    QVERIFY(!view.placedCursor(0) && !view.placedCursor(1));
}

void TestReadout::cursorsArePlacedAndMovedWithoutAMouse()
{
    QWidget window;
    CurvesView view(&window);
    QPushButton other(&window);
    window.resize(900, 600);
    view.resize(900, 560);
    view.setData(twoCurves());
    window.show();
    view.flush();
    const Range x = view.plot(CurvePanel::Loss)->frame().x;
    QVERIFY(QTest::qWaitForWindowActive(&window));
    other.setFocus(); // the keys are the charts' wherever the focus is
    QTest::keyClick(&other, Qt::Key_A);
    QVERIFY(view.placedCursor(0));
    QCOMPARE(*view.placedCursor(0), 20.0);
    QVERIFY(view.hasFocus()); // for the arrows
    QTest::keyClick(&view, Qt::Key_B);
    QTest::keyClick(&view, Qt::Key_Right, Qt::ShiftModifier);
    QCOMPARE(*view.placedCursor(1), 24.0);
    QTest::keyClick(&view, Qt::Key_Left); // to the point before
    view.flush();
    QCOMPARE(*view.placedCursor(1), 22.0);
    QCOMPARE(*view.placedCursor(0), 20.0); // the other one stays, and so does the view
    QCOMPARE(view.plot(CurvePanel::Loss)->frame().x, x);
    QTest::keyClick(&view, Qt::Key_Escape);
    QTest::keyClick(&view, Qt::Key_Right); // moves the view again
    view.flush();
    QVERIFY(view.plot(CurvePanel::Loss)->frame().x.lo > x.lo);
}

void TestReadout::theMenuPlacesCursors()
{
    CurvesView view;
    showCurves(view);
    PlotView *plot = view.plot(CurvePanel::TestError);
    const QPoint at = plot->frame().map({12.3, plot->frame().y.hi / 2}).toPoint();
    const auto choose = [&](int entry) {
        QContextMenuEvent event(QContextMenuEvent::Mouse, at, plot->viewport()->mapToGlobal(at));
        QApplication::sendEvent(plot->viewport(), &event);
        auto *menu = view.findChild<QMenu *>();
        QVERIFY(menu);
        menu->actions().at(entry)->trigger();
        delete menu;
    };
    choose(0);
    QCOMPARE(*view.placedCursor(0), 12.0);
    choose(1);
    QCOMPARE(*view.placedCursor(1), 12.0);
    choose(2);
    QVERIFY(!view.placedCursor(0) && !view.placedCursor(1));
}

QTEST_MAIN(TestReadout)
#include "tst_ui_readout.moc"
