// What the files of LandscapeView share.
#pragma once

#include "charts/LandscapeView.h"

#include <QFontMetricsF>
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
        QRectF rect;
        QSize pixels;
        qreal ratio = 1;
        std::optional<double> fOpt;
        Theme theme;
        int columns = 0;
        int rows = 0;
        // results, valid once done
        QImage image;
        double lowest = 0;

        void run();
    };

    explicit Private(LandscapeView *view) : q(view) { }

    LandscapeView *q;
    Theme theme = Theme::light();
    Function f;
    std::optional<double> fOpt;
    std::optional<QPointF> optimum;
    std::vector<LandscapePath> paths;
    int current = -1;
    bool fitted = true;
    QRectF view{-2, -2, 4, 4}; ///< of the plane; y upwards
    std::shared_ptr<Job> job;
    bool fineNext = false;
    QImage image;
    QRectF imageRect; ///< what the image shows
    QTimer poll;
    QTimer settle;
    std::optional<std::pair<QPointF, double>> centreValue; ///< F at the last centre: a pass over the data
    bool panning = false;
    QPointF grabbed;

    QRectF plot() const
    {
        const QFontMetricsF m(theme.font(TextRole::Small));
        return QRectF(theme.space(2) + m.horizontalAdvance(QStringLiteral("−0.000")), theme.space(1.5), 0, 0)
            .adjusted(0, 0, q->width() - theme.space(4) - m.horizontalAdvance(QStringLiteral("−0.000")),
                      q->height() - theme.space(3) - m.height());
    }
    double pixelsPerUnit() const { return plot().width() / view.width(); }
    QPointF map(const QPointF &x) const
    {
        const QRectF p = plot();
        return {p.left() + (x.x() - view.left()) * pixelsPerUnit(),
                p.bottom() - (x.y() - view.top()) * pixelsPerUnit()};
    }
    QPointF unmap(const QPointF &pixel) const
    {
        const QRectF p = plot();
        return {view.left() + (pixel.x() - p.left()) / pixelsPerUnit(),
                view.top() + (p.bottom() - pixel.y()) / pixelsPerUnit()};
    }
    void setCentreAndWidth(const QPointF &centre, double width)
    {
        const QRectF p = plot();
        const double height = width * p.height() / std::max(1.0, p.width());
        view = QRectF(centre.x() - width / 2, centre.y() - height / 2, width, height);
    }
    LandscapePath *find(int id)
    {
        const auto it =
            std::find_if(paths.begin(), paths.end(), [id](const LandscapePath &p) { return p.runId == id; });
        return it == paths.end() ? nullptr : &*it;
    }
    bool fitView();
    void start(bool fine);
    void changed();
    void moveBy(const QPointF &way);
    void zoom(const QPointF &about, double factor);
    double valueAtCentre(const QPointF &centre);
    void drawPath(QPainter &p, const LandscapePath &path) const;
    void drawCentre(QPainter &p, const LandscapePath &path);
    void drawAxes(QPainter &p) const;
};

} // namespace appa::ui
