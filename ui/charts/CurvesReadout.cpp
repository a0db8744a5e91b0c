// What is read off the curves: crosshair, the two cursors, values in the title row.
#include "charts/CurvesViewPrivate.h"
#include "theme/Format.h"

#include <QAction>
#include <QContextMenuEvent>
#include <QMenu>

#include <cmath>
#include <limits>

namespace appa::ui {

void CurvesView::Private::addCursorActions()
{
    const QString names[] = {CurvesView::tr("Place cursor A"), CurvesView::tr("Place cursor B")};
    for (const int which : {0, 1}) {
        auto *place = new QAction(names[which], q);
        place->setShortcut(which == 0 ? Qt::Key_A : Qt::Key_B); // whatever has the focus, while the charts are in view
        QObject::connect(place, &QAction::triggered, q, [this, which] {
            placeNearest(which, hover.value_or(0.5 * (view.x.lo + view.x.hi)));
            moving = hover ? std::nullopt : std::optional(which);
            q->setFocus(Qt::ShortcutFocusReason); // for the arrows, and Escape
        });
        q->addAction(place);
    }
}

void CurvesView::contextMenuEvent(QContextMenuEvent *event)
{
    // Where the mouse is; with the keyboard's menu key, or beside the charts: in the middle.
    double position = 0.5 * (d->view.x.lo + d->view.x.hi);
    for (const PlotView *plot : d->plots) {
        const QPointF pixel = plot->mapFrom(this, event->pos());
        if (event->reason() == QContextMenuEvent::Mouse && plot->isVisible() && plot->frame().plot.contains(pixel))
            position = plot->frame().unmap(pixel).x();
    }
    auto *menu = new QMenu(this);
    menu->setAttribute(Qt::WA_DeleteOnClose);
    const QString names[] = {tr("Cursor A here"), tr("Cursor B here")};
    for (const int which : {0, 1}) {
        const QString key = actions().at(which)->shortcut().toString(QKeySequence::NativeText);
        menu->addAction(names[which] + u'\t' + key, this,
                        [this, which, position] { d->placeNearest(which, position); });
    }
    menu->addAction(tr("Remove the cursors"), this, &CurvesView::clearCursors)
        ->setEnabled(d->cursors[0] || d->cursors[1]);
    menu->addSeparator();
    menu->addAction(tr("Show all of the curves"), this, &CurvesView::fit); // also room left over
    menu->addAction(tr("Undo zoom"), this, &CurvesView::undoZoom)->setEnabled(!d->history.empty());
    menu->popup(event->globalPos());
}

void CurvesView::placeCursor(int which, std::optional<double> xValue)
{
    d->cursors[which == 0 ? 0 : 1] = xValue;
    d->ranges = true;
    d->later();
}

std::optional<double> CurvesView::placedCursor(int which) const
{
    return d->cursors[which == 0 ? 0 : 1];
}

void CurvesView::clearCursors()
{
    d->cursors = {};
    d->moving.reset();
    d->ranges = true;
    d->later();
}

namespace {

constexpr double endSlack = 0.01; ///< of the width: so far beyond its last point a run is still read
constexpr double rounding = 1e-9; ///< of the width: a value's way through a log scale and back

} // namespace

double CurvesView::Private::snapped(double x) const
{
    double best = x;
    double distance = std::numeric_limits<double>::infinity();
    bool within = false;
    for (std::size_t i = 0; i < mapped[0].size(); ++i) {
        const std::vector<QPointF> &points = mapped[0][i].points;
        if (!q->m_data.curves[i].visible || points.empty())
            continue;
        within = within || x <= points.back().x() + endSlack * view.x.span();
        const auto next =
            std::lower_bound(points.begin(), points.end(), x, [](const QPointF &p, double v) { return p.x() < v; });
        for (auto it = next == points.begin() ? next : next - 1; it != points.end() && it <= next; ++it) {
            if (view.x.contains(it->x()) && std::abs(it->x() - x) < distance) {
                distance = std::abs(it->x() - x);
                best = it->x();
            }
        }
    }
    return within ? best : x;
}

const QPointF *CurvesView::Private::lastBefore(int panel, std::size_t i, double x, std::size_t *index) const
{
    const MappedCurve &m = mapped[static_cast<std::size_t>(panel)][i];
    const double span = view.x.span();
    const auto next = std::upper_bound(m.points.begin(), m.points.end(), x + rounding * span,
                                       [](double v, const QPointF &p) { return v < p.x(); });
    if (next == m.points.begin() || x > m.points.back().x() + endSlack * span)
        return nullptr;
    if (index)
        *index = m.index[static_cast<std::size_t>(next - 1 - m.points.begin())];
    return &*(next - 1);
}

void CurvesView::Private::placeNearest(int which, double position)
{
    q->placeCursor(which, xScaleOf(q->m_data).value(snapped(position)));
}

void CurvesView::Private::updateValues()
{
    const AxisScale scale = xScaleOf(q->m_data);
    const bool both = cursors[0] && cursors[1];
    QString difference;
    if (both) {
        const double delta = *cursors[1] - *cursors[0];
        difference = QStringLiteral("A → B: ")
            + (q->m_data.options.xAxis == XAxis::Stages ? tr("%1 stages").arg(formatFixed(delta, 1))
                                                        : formatX(delta, q->m_data.options.xAxis));
    }
    const std::optional<double> line = hover ? std::optional(snapped(*hover)) : std::nullopt;
    const QString at = line ? formatX(scale.value(*line), q->m_data.options.xAxis) : QString();
    for (int panel = 0; panel < 2; ++panel) {
        PlotView *plot = plots[static_cast<std::size_t>(panel)];
        const auto which = static_cast<CurvePanel>(panel);
        const bool ratio = panel == 0 && q->m_data.options.logLoss;
        std::vector<PointMark> dots;
        for (std::size_t i = 0; i < curves().size(); ++i) {
            const Curve &c = curves()[i];
            const auto valueAt = [&](double position, bool dot) {
                std::size_t k = 0;
                const QPointF *p = c.visible ? lastBefore(panel, i, position, &k) : nullptr;
                if (!p)
                    return std::numeric_limits<double>::quiet_NaN();
                if (dot)
                    dots.push_back({PointMark::Kind::Dot, *p, {}, c.colour});
                return yValue(c.points[k], which, q->m_data);
            };
            QString value;
            if (both) {
                const double a = valueAt(scale.position(*cursors[0]), false);
                const double b = valueAt(scale.position(*cursors[1]), false);
                if (std::isfinite(a) && std::isfinite(b))
                    value = ratio ? QStringLiteral("× ") + formatNumber(b / a, 3)
                                  : (b >= a ? QStringLiteral("+") : QString()) + formatFixed(b - a, 4);
            } else if (!hover) {
                value = endText(c, mapped[static_cast<std::size_t>(panel)][i], which, q->m_data);
            }
            if (line) {
                const double v = valueAt(*line, true);
                if (!both)
                    value = valueText(v, which, q->m_data);
            }
            plot->setValue(c.runId, value);
        }
        plot->setReadLabel(difference);
        plot->setCrosshair(line, std::move(dots), at);
    }
}

std::vector<CurvesView::Reading> CurvesView::readingsAt(double xAt) const
{
    std::vector<Reading> out;
    const double position = xScaleOf(m_data).position(xAt);
    for (std::size_t i = 0; i < m_data.curves.size() && i < d->mapped[0].size(); ++i) {
        const Curve &c = m_data.curves[i];
        std::size_t k = 0;
        if (!c.visible || !d->lastBefore(0, i, position, &k))
            continue;
        const TracePoint &p = c.points[k];
        out.push_back({c.runId, xValue(c, p, m_data.options), p.loss,
                       m_data.optimum && m_data.optimum->known ? p.loss - m_data.optimum->value : unknown,
                       p.testError});
    }
    return out;
}

} // namespace appa::ui
