// What the files of LandscapeView share.
#pragma once

#include "charts/ContourImage.h"
#include "charts/LandscapeView.h"

#include <QImage>
#include <QTimer>

#include <algorithm>
#include <atomic>
#include <memory>
#include <optional>
#include <vector>

namespace appa::ui {

struct LandscapeView::Private
{
    /// A picture being made in the background. The worker knows only this; the view asks whether it is done.
    struct Job
    {
        std::atomic<bool> cancelled{false};
        std::atomic<bool> done{false};
        LandscapeView::Function f;
        QRectF rect; ///< of the picture
        QRectF view; ///< of what is shown: it decides the levels
        QSize pixels;
        qreal ratio = 1;
        std::optional<double> fOpt;
        std::optional<ContourScale> scale; ///< a given one, or found by the first picture
        Theme theme;
        int columns = 0;
        int rows = 0;
        QImage image; ///< valid once done

        void run();
    };
    struct Picture
    {
        QImage image;
        QRectF rect;
    };
    struct ViewState
    {
        QPointF centre;
        double width = 4; ///< of the plane; the height follows from the plot's
        bool fitted = true;
    };
    enum class Drag { None, Zoom, Pan };

    explicit Private(LandscapeView *view) : q(view) { }

    LandscapeView *q;
    Theme theme = Theme::light();
    PlotPainter painter{Theme::light()};
    Function f;
    std::optional<double> fOpt;
    std::optional<QPointF> optimum;
    QString xName = QStringLiteral("x₁");
    QString yName = QStringLiteral("x₂");
    std::vector<LandscapePath> paths;
    int current = -1;
    ViewState view;
    std::vector<ViewState> history;
    bool otherPaths = false; ///< are shown than when the view was last fitted
    std::shared_ptr<Job> job;
    bool fineNext = false;
    Picture surroundings; ///< coarse, twice as wide and high as the view: what a gesture brings into it
    Picture picture;      ///< fine, of the view
    ContourScale scale;   ///< of both
    QTimer poll;
    QTimer settle;
    QTimer gesture;                                        ///< runs while wheel notches belong together
    std::optional<std::pair<QPointF, double>> centreValue; ///< F at the last centre: a pass over the data
    Drag drag = Drag::None;
    QPointF dragFrom; ///< pixels
    QPointF dragTo;
    QPointF grabbed; ///< of the plane
    bool moved = false;
    std::vector<LegendHit> legend;
    int pressedLegend = -1;

    LandscapePath *find(int id)
    {
        const auto it =
            std::find_if(paths.begin(), paths.end(), [id](const LandscapePath &p) { return p.runId == id; });
        return it == paths.end() ? nullptr : &*it;
    }
    const LandscapePath *currentPath() const;
    PlotContent content() const;
    std::vector<PlotSeries> legendSeries() const;
    PlotFrame frame() const;
    static QRectF rectOf(const PlotFrame &f) { return {f.x.lo, f.y.lo, f.x.span(), f.y.span()}; }
    static double pixelsPerUnit(const PlotFrame &f) { return f.plot.width() / f.x.span(); }

    bool fitView();
    /// The view within a margin: while everything is in there it stays.
    static QRectF roomOf(const PlotFrame &f);
    void start(bool fine);
    void changed();
    void setView(const QPointF &centre, double width, bool remember);
    void zoom(const QPointF &about, double factor, bool remember);
    void zoomInto(const QRectF &band);
    int legendAt(const QPointF &pixel) const;
    double valueAtCentre(const QPointF &centre);

    /// The signs of the picture and what they mean, as far as they occur.
    enum class Sign { Start, StageEnd, End, Centre, Reach, Optimum };
    std::vector<std::pair<Sign, QString>> signs() const;
    /// Row and left edge of each sign in the key below the title.
    std::vector<std::pair<int, double>> keyPlaces(double width) const;
    double barMargin() const;
    void drawSign(QPainter &p, Sign sign, const QPointF &at, const QColor &colour) const;
    void drawKey(QPainter &p, const PlotFrame &f) const;
    void drawBar(QPainter &p, const PlotFrame &f) const;
    void drawContours(QPainter &p, const PlotFrame &f) const;
    void drawPath(QPainter &p, const PlotFrame &f, const LandscapePath &path) const;
    void drawCentre(QPainter &p, const PlotFrame &f, const LandscapePath &path);
    void drawAxes(QPainter &p, const PlotFrame &f) const;
};

} // namespace appa::ui
