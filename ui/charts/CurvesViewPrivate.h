// What the files of CurvesView share.
#pragma once

#include "charts/CurvesView.h"
#include "charts/PlotView.h"

#include <QTimer>

#include <algorithm>
#include <array>
#include <optional>
#include <utility>
#include <vector>

namespace appa::ui {

struct CurvesView::Private
{
    /// What is shown of the plane; an axis that is `fitted` goes along with the data.
    struct ViewState
    {
        Range x{0, 20};
        std::array<Range, 2> y{Range{-3, 0}, Range{0, 0.5}};
        bool fittedX = true;
        std::array<bool, 2> fittedY{true, true};
    };

    explicit Private(CurvesView *view) : q(view) { }

    CurvesView *q;
    Theme theme = Theme::light();
    std::array<PlotView *, 2> plots{};
    std::array<std::vector<MappedCurve>, 2> mapped; ///< parallel to the curves
    ViewState view;
    std::vector<ViewState> history;
    int current = -1;
    std::optional<double> hover;                          ///< position of the mouse
    std::optional<std::pair<std::size_t, QPointF>> mouse; ///< the plot it is over, and its pixel there
    std::array<std::optional<double>, 2> cursors;         ///< in units of the x axis
    std::optional<int> moving; ///< the cursor that was placed without a mouse: the arrows have it
    QTimer sync;
    QTimer repaint;
    FrameClock clock;
    FrameClock::Clock::time_point overlayAt;
    bool ranges = true; ///< ranges or contents may have changed
    bool anew = true;   ///< the next ranges keep nothing of the present ones
    bool looks = true;  ///< names, colours, visibility
    bool testShown = false;
    bool testWanted = false;

    std::vector<Curve> &curves() { return q->m_data.curves; }
    Curve *find(int id)
    {
        const auto it = std::find_if(curves().begin(), curves().end(), [id](const Curve &c) { return c.runId == id; });
        return it == curves().end() ? nullptr : &*it;
    }
    std::size_t indexOf(const Curve &c) { return static_cast<std::size_t>(&c - curves().data()); }

    void later()
    {
        if (!sync.isActive())
            sync.start();
    }
    void remapAll();
    void remap(std::size_t i);
    void mapNew(std::size_t i);
    void showLook(const Curve &c);
    void fitRanges();
    void followLive();
    void updateValues();
    void refresh();
    void setView(const ViewState &state, bool remember);
    void request(int panel, const Range &x, const Range &y, bool first);
    /// The measured place nearest to a position, of all visible runs within the view; the position itself where there
    /// is none: beyond the curves' ends, or deep between two points.
    double snapped(double x) const;
    /// A run's last point measured at or before a position; null before its first and beyond its last.
    const QPointF *lastBefore(int panel, std::size_t i, double x, std::size_t *index = nullptr) const;
    void placeNearest(int which, double position);
    void addCursorActions();
    bool hasTest() const { return showsTestError(q->m_data, mapped[0], mapped[1]); }
    /// Two charts that nobody can read are worth less than one: in a low window the loss has all of it. A message that
    /// takes some of the height for a moment takes no chart away.
    bool showsTest() const { return hasTest() && q->height() >= theme.space(testWanted ? 29 : testShown ? 38 : 44); }
    bool isLow() const { return q->height() < theme.space(44); }
    void toggle(int id);
    void solo(int id);
};

} // namespace appa::ui
