#pragma once

#include "charts/PlotPainter.h"
#include "theme/Theme.h"

#include <QColor>
#include <QPointF>
#include <QRectF>
#include <QString>
#include <QWidget>

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

namespace appa::ui {

/// One run in the plane.
struct LandscapePath
{
    int runId = 0;
    QString name;
    QColor colour;
    bool visible = true;
    std::vector<QPointF> iterates;
    std::vector<QPointF> centres;       ///< s of each stage, the newest last
    double lambda = 0;                  ///< of the newest stage
    std::vector<std::size_t> stageEnds; ///< indices into `iterates`
};

/// F over the plane as filled contours, the iterates on it, the proximal centre with its quadratic, the optimum.
/// F is evaluated on a grid in a background thread; the callable must be safe to call from there and to outlive nothing
/// but itself (capture shared pointers by value). Both axes have one scale. The mouse does what it does in the charts:
/// the wheel, + and - zoom, dragging zooms into a rectangle; the middle button, Ctrl or Alt and dragging, and the
/// arrows move; double-click and Home show everything, Backspace undoes a zoom; a click on a name hides or shows the
/// run.
class LandscapeView final : public QWidget
{
    Q_OBJECT

public:
    using Function = std::function<double(double x, double y)>;

    explicit LandscapeView(QWidget *parent = nullptr);
    ~LandscapeView() override;

    void setTheme(const Theme &theme);
    /// A new problem. Empty function: "only for problems with two features".
    void setFunction(Function f, std::optional<double> fOpt = std::nullopt);
    void setAxisNames(const QString &x, const QString &y);
    void setOptimum(std::optional<QPointF> x, std::optional<double> fOpt);
    void setPath(LandscapePath path);
    /// What came since; the stages' ends count from the path's beginning.
    void appendPath(int runId, std::span<const QPointF> iterates, std::span<const QPointF> centres, double lambda,
                    std::span<const std::size_t> stageEnds);
    void setPathVisible(int runId, bool visible);
    void removePath(int runId);
    void clearPaths();
    void setCurrentRun(int runId); ///< whose centre and quadratic are drawn
    bool isComputing() const;
    QRectF viewRect() const; ///< the part of the plane shown
    QRectF plotRect() const; ///< where, in pixels
    QPointF pixelOf(const QPointF &x) const;
    const std::vector<LegendHit> &legend() const; ///< as it was painted last

public slots:
    void fit();
    void undoZoom();

signals:
    void contoursReady();
    void visibilityChanged(int runId, bool visible); ///< by a click on a legend entry

protected:
    void paintEvent(QPaintEvent *event) override;
    void resizeEvent(QResizeEvent *event) override;
    void mousePressEvent(QMouseEvent *event) override;
    void mouseMoveEvent(QMouseEvent *event) override;
    void mouseReleaseEvent(QMouseEvent *event) override;
    void mouseDoubleClickEvent(QMouseEvent *event) override;
    void wheelEvent(QWheelEvent *event) override;
    void keyPressEvent(QKeyEvent *event) override;
    bool event(QEvent *event) override;

private:
    struct Private;
    std::unique_ptr<Private> d;
};

} // namespace appa::ui
