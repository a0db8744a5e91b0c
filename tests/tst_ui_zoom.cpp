// What the charts show of the plane, asked for through the window: Fit, Undo zoom, and room that comes and goes.
#include "Actions.h"
#include "ChartData.h"
#include "WindowTest.h"

#include "charts/PlotView.h"
#include "charts/SensitivityView.h"
#include "sweep/SensitivityTab.h"

#include <QTabWidget>

using namespace appa;
using namespace appa::ui;

class TestZoom : public WindowTest
{
    Q_OBJECT

    PlotView &loss() { return *m_window->curves().plot(CurvePanel::Loss); }

private slots:
    void initTestCase() { useOwnFolders(); }
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
