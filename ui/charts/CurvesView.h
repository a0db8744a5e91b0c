#pragma once

#include "charts/Curve.h"
#include "charts/CurveMapping.h"
#include "charts/FigureExport.h"
#include "charts/FrameClock.h"
#include "theme/Theme.h"

#include <QWidget>

#include <array>
#include <memory>
#include <optional>
#include <span>
#include <vector>

namespace appa::ui {

class PlotView;

/// Excess training loss over test error, one shared x axis, linked zoom, crosshair, cursors.
///
/// Gestures: wheel zooms about the cursor (over an axis: that axis only; Ctrl: x only; Shift: y only), dragging zooms
/// into a rectangle, the middle button, Ctrl or Alt pans, double-click or Home fits, Backspace undoes a zoom, arrows
/// pan, + and - zoom, Shift+click (or A and B at the crosshair, wherever the focus is; or the context menu) places the
/// two cursors, Escape removes them. Without a crosshair A and B place them in the middle, and the arrows move the last
/// one from point to point (with Shift: farther). Crosshair and cursors keep to measured points: each run is read at
/// its last one at or before them, and marked there.
class CurvesView final : public QWidget
{
    Q_OBJECT

public:
    explicit CurvesView(QWidget *parent = nullptr);
    ~CurvesView() override;

    void setTheme(const Theme &theme);

    // ---- data
    void setData(CurvesData data);
    const CurvesData &data() const { return m_data; }
    void setCurve(Curve curve); ///< adds or replaces
    /// A run went on: truncate to the first `keepPoints`/`keepEvents`, append. Costs what is new.
    void updateCurve(int runId, RunStatus status, std::size_t keepPoints, std::span<const TracePoint> points,
                     std::size_t keepEvents, std::span<const RunEvent> events);
    void setCurveLook(int runId, const QString &name, const QColor &colour, MethodFamily family,
                      std::vector<FamilySwitch> switches);
    void setCurveVisible(int runId, bool visible);
    void setPlannedStages(int runId, double stages);
    void removeCurve(int runId);
    void clear();
    void setOptimum(std::optional<OptimumLine> optimum);
    void setOptimumNote(const QString &note);
    void setEmptyNote(const QString &note); ///< instead of the call to run, while there is nothing to run
    void setFloors(std::vector<FloorLine> floors);
    void setTheory(std::optional<TheoryLine> theory);
    void setCurrentRun(int runId); ///< drawn stronger; its stages are ticked. -1: none

    // ---- view
    const CurvesOptions &options() const { return m_data.options; }
    void setOptions(const CurvesOptions &options);
    void setFollow(bool follow); ///< a zoomed view slides along with the running run
    bool follow() const { return m_follow; }
    void setTestErrorWanted(bool wanted); ///< a lesson speaks of it: shown also where the room is scarce
    void setFrameCounterVisible(bool visible);
    void placeCursor(int which, std::optional<double> xValue); ///< 0: A, 1: B; in units of the x axis
    std::optional<double> placedCursor(int which) const;
    bool isFitted() const;
    void copyPart(FigureOptions &figure) const; ///< the part that is shown, where that is not all

    // ---- what is read off
    struct Reading
    {
        int runId = 0;
        double x = 0; ///< of its last point measured at or before the asked x
        double loss = 0;
        double excess = 0; ///< NaN while F_opt is unknown
        double testError = 0;
    };
    /// Every visible run at an x (in units of the x axis); runs that do not reach it are left out.
    std::vector<Reading> readingsAt(double xValue) const;

    PlotView *plot(CurvePanel panel) const;
    /// Brings everything up to date now instead of before the next frame.
    void flush();

    /// While the frame counter is on.
    FrameClock::Statistics frameStatistics() const;

public slots:
    void fit();
    void undoZoom();
    void zoomBy(double factor); ///< below 1 zooms in
    void clearCursors();

    /// That of one chart: the other goes where there is no room for both.
    QSize minimumSizeHint() const override { return {240, 120}; }

signals:
    void visibilityChanged(int runId, bool visible); ///< by a click on a legend entry
    void runActivated(int runId);                    ///< a curve was clicked
    void zoomChanged(bool canUndo);

protected:
    void keyPressEvent(QKeyEvent *event) override;
    void contextMenuEvent(QContextMenuEvent *event) override;
    void resizeEvent(QResizeEvent *event) override;
    void hideEvent(QHideEvent *event) override;

private:
    struct Private;
    std::unique_ptr<Private> d;
    CurvesData m_data;
    bool m_follow = true;
};

} // namespace appa::ui
