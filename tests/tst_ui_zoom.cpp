// What the charts show of the plane, asked for through the window: Fit, Undo zoom, and room that comes and goes.
#include "Actions.h"
#include "ChartData.h"
#include "WindowTest.h"

#include "charts/PlotView.h"
#include "charts/SensitivityView.h"
#include "dialogs/ExportDialog.h"
#include "sweep/SensitivityTab.h"

#include <QCheckBox>
#include <QTabWidget>

using namespace appa;
using namespace appa::ui;

class TestZoom : public WindowTest
{
    Q_OBJECT

    PlotView &loss() { return *m_window->curves().plot(CurvePanel::Loss); }

private slots:
    void cleanup() { closeWindow(); }

    void fitGivesUpTheRoomThatIsLeftOver()
    {
        openWindow();
        const RunId id = m_window->currentRun();
        controller().resume(id);
        QTRY_COMPARE_WITH_TIMEOUT(run(id).status, RunStatus::Finished, 20000);
        // With each step back there is more room below; at some time a range of its own would have less.
        bool gaveUp = false;
        for (Index stage = run(id).stage - 1; stage > 2 && !gaveUp; --stage) {
            controller().stepBackTo(id, stage);
            QTRY_COMPARE(run(id).stage, stage);
            m_window->curves().flush();
            const Range before = loss().content().y;
            QVERIFY(m_window->curves().isFitted());
            QVERIFY(m_window->actions().fit->isEnabled());
            m_window->actions().fit->trigger();
            m_window->curves().flush();
            QVERIFY(loss().content().y.span() <= before.span());
            gaveUp = loss().content().y.span() < before.span();
        }
        QVERIFY(gaveUp);
    }

    void fitAndUndoActOnTheViewThatIsShown()
    {
        openWindow();
        SensitivityView &view = m_window->sensitivity().view();
        const auto shown = [&] {
            view.flush();
            return view.plot()->content().x;
        };
        m_window->tabs().setCurrentWidget(&m_window->sensitivityPage());
        const Range all = shown();
        const Range part = {all.lo + 1, all.hi - 2};
        emit view.plot()->viewRequested(part, view.plot()->content().y, true);
        QCOMPARE(shown(), part);
        m_window->actions().fit->trigger();
        QCOMPARE(shown(), all);
        QVERIFY(m_window->actions().undoZoom->isEnabled());
        m_window->actions().undoZoom->trigger();
        QCOMPARE(shown(), part);
        // The curves' own keys leave the study as it is.
        m_window->tabs().setCurrentWidget(&m_window->curves());
        m_window->actions().fit->trigger();
        QCOMPARE(shown(), part);
    }

    void anExportIsOfThePartThatIsShown()
    {
        openWindow();
        const RunId id = m_window->currentRun();
        controller().resume(id);
        QTRY_COMPARE_WITH_TIMEOUT(run(id).status, RunStatus::Finished, 20000);
        CurvesView &curves = m_window->curves();
        curves.flush();
        const auto dialog = [&] {
            for (ExportDialog *old : m_window->findChildren<ExportDialog *>())
                delete old;
            m_window->actions().exportFigure->trigger();
            return m_window->findChild<ExportDialog *>();
        };
        QVERIFY(!dialog()->options().xMin);
        QVERIFY(dialog()->allField()->isHidden());
        const Range x{3, 8};
        Range y = loss().content().y;
        y.lo += 0.3;
        emit loss().viewRequested(x, y, true);
        ExportDialog *part = dialog();
        QVERIFY(!part->allField()->isHidden());
        FigureOptions options = part->options();
        QCOMPARE(options.xMin, std::optional(x.lo));
        QCOMPARE(options.xMax, std::optional(x.hi));
        QVERIFY(options.yMin && options.yMax);
        QVERIFY(std::abs(loss().content().yScale.position(*options.yMin) - y.lo) < 1e-9);
        QVERIFY(!options.errorMin && !options.errorMax); // only its x axis is that of the other chart
        const QImage whole = renderCurves(part->data(), part->text(), {});
        const QImage shown = renderCurves(part->data(), part->text(), options);
        QVERIFY(shown != whole);
        options.errorMax = 0.1;
        QVERIFY(renderCurves(part->data(), part->text(), options) != shown);
        part->allField()->setChecked(true);
        options = part->options();
        QVERIFY(!options.xMin && !options.xMax && !options.yMin && !options.yMax);
        m_window->actions().fit->trigger();
        QVERIFY(!dialog()->options().xMin);
    }

    void aLowChartHasOneRowOfNames()
    {
        CurvesView view;
        CurvesData data = testing::twoCurves();
        for (Curve &curve : data.curves) // too long for one row
            curve.name = QStringLiteral("a run with a name that needs much room");
        testing::showCurves(view, data);
        view.setTestErrorWanted(true);
        const auto plotHeight = [&](double units) {
            view.resize(520, Theme::light().space(units));
            QCoreApplication::processEvents();
            view.flush();
            return view.plot(CurvePanel::TestError)->frame().plot.height();
        };
        const double high = plotHeight(45);
        const double low = plotHeight(43);
        QVERIFY2(low > high, qPrintable(QStringLiteral("%1 %2").arg(low).arg(high)));
    }

    void noZoomIsLeftToUndoWhenAnotherQuantityIsShown()
    {
        CurvesView view;
        CurvesData data = testing::twoCurves();
        const auto optimum = std::exchange(data.optimum, std::nullopt);
        testing::showCurves(view, data);
        bool canUndo = false;
        connect(&view, &CurvesView::zoomChanged, this, [&](bool can) { canUndo = can; });
        view.zoomBy(0.5);
        QVERIFY(canUndo);
        view.setOptimum(optimum);
        QVERIFY(!canUndo);
    }

    void aMessageTakesNoChartAway()
    {
        CurvesView view;
        testing::showCurves(view);
        const auto shows = [&](double units) {
            view.resize(900, Theme::light().space(units));
            QCoreApplication::processEvents();
            view.flush();
            return !view.plot(CurvePanel::TestError)->isHidden();
        };
        QVERIFY(shows(45));
        QVERIFY(shows(39)); // for a moment
        QVERIFY(shows(45));
        QVERIFY(!shows(30));
        QVERIFY(!shows(39));
        QVERIFY(shows(45));
        view.setTestErrorWanted(true); // a lesson speaks of it
        QVERIFY(shows(30));
    }
};

QTEST_MAIN(TestZoom)
#include "tst_ui_zoom.moc"
