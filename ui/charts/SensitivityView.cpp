#include "charts/SensitivityView.h"

#include "charts/HeatMap.h"
#include "charts/PlotView.h"
#include "charts/SweepMapping.h"
#include "form/ParamText.h"
#include "theme/Format.h"

#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QPixmap>
#include <QStackedLayout>
#include <QTimer>

#include <algorithm>
#include <cmath>
#include <functional>

namespace appa::ui {

namespace {

/// The maps as a widget: paints, and tells which cell is under the mouse.
class HeatMapWidget final : public QWidget
{
public:
    std::function<void(const HeatCell *)> onHover;
    std::function<void(const HeatCell &)> onActivate;
    const SweepData *data = nullptr;
    Theme theme = Theme::light();

    void refresh()
    {
        m_picture = {};
        update();
    }

    explicit HeatMapWidget(QWidget *parent) : QWidget(parent) { setMouseTracking(true); }

protected:
    void paintEvent(QPaintEvent *) override
    {
        // Thousands of cells: painted once, not whenever the mouse goes from one to the next.
        const QSize pixels = size() * devicePixelRatioF();
        if (data && m_picture.size() != pixels) {
            m_picture = QPixmap(pixels);
            m_picture.setDevicePixelRatio(devicePixelRatioF());
            m_picture.fill(Qt::transparent);
            QPainter painter(&m_picture);
            painter.setRenderHint(QPainter::Antialiasing);
            m_cells = paintHeatMaps(painter, rect(), *data, theme);
        }
        QPainter p(this);
        p.drawPixmap(0, 0, m_picture);
        if (m_hover >= 0 && m_hover < static_cast<int>(m_cells.size())) {
            p.setPen(QPen(theme.text, 2));
            p.setBrush(Qt::NoBrush);
            p.drawRect(m_cells[static_cast<std::size_t>(m_hover)].rect);
        }
    }
    void mouseMoveEvent(QMouseEvent *event) override
    {
        const int cell = cellAt(event->position());
        if (cell == m_hover)
            return;
        m_hover = cell;
        update();
        onHover(cell < 0 ? nullptr : &m_cells[static_cast<std::size_t>(cell)]);
    }
    void mouseDoubleClickEvent(QMouseEvent *event) override
    {
        const int cell = cellAt(event->position());
        if (cell >= 0)
            onActivate(m_cells[static_cast<std::size_t>(cell)]);
    }
    void leaveEvent(QEvent *) override
    {
        m_hover = -1;
        update();
        onHover(nullptr);
    }

private:
    int cellAt(const QPointF &pixel) const
    {
        const auto it =
            std::find_if(m_cells.begin(), m_cells.end(), [&](const HeatCell &c) { return c.rect.contains(pixel); });
        return it == m_cells.end() ? -1 : static_cast<int>(it - m_cells.begin());
    }

    QPixmap m_picture;
    std::vector<HeatCell> m_cells; ///< where they are in it
    int m_hover = -1;
};

} // namespace

struct SensitivityView::Private
{
    explicit Private(SensitivityView *view) : q(view) { }

    SensitivityView *q;
    Theme theme = Theme::light();
    QStackedLayout *stack = nullptr;
    PlotView *plot = nullptr;
    HeatMapWidget *maps = nullptr;
    QTimer sync;
    std::optional<std::pair<Range, Range>> zoom; ///< nullopt: everything
    std::vector<std::optional<std::pair<Range, Range>>> history;
    std::vector<bool> hidden;
    std::vector<SweepCell> cells;

    void later()
    {
        if (!sync.isActive())
            sync.start();
    }
    void refresh()
    {
        sync.stop();
        hidden.resize(q->m_data.methods.size(), false);
        cells = sweepCells(q->m_data);
        SweepPlot made = sweepPlot(q->m_data, theme);
        if (zoom) {
            made.content.x = zoom->first;
            made.content.y = zoom->second;
        }
        for (std::size_t m = 0; m < hidden.size(); ++m) {
            if (!hidden[m])
                continue;
            const QColor colour = sweepColour(q->m_data, static_cast<int>(m), theme);
            std::erase_if(made.content.marks, [&](const PointMark &mark) { return mark.colour == colour; });
        }
        plot->clearSeries();
        for (PlotSeries &s : made.series) {
            s.visible = s.id < 0 || !hidden[static_cast<std::size_t>(s.id)];
            plot->setSeries(std::move(s));
        }
        plot->setContent(made.content);
        plot->flush();
        maps->refresh();
    }
    /// The cell whose point is nearest to a pixel of the plot.
    const SweepCell *cellNear(const QPointF &pixel) const
    {
        const PlotFrame f = plot->frame();
        const SweepCell *best = nullptr;
        double nearest = 24;
        for (const SweepCell &c : cells) {
            if (hidden[static_cast<std::size_t>(c.method)])
                continue;
            const double y = std::isfinite(c.median) ? plot->content().yScale.position(c.median) : f.y.hi;
            const QPointF off = f.map({std::log10(c.lambda), y}) - pixel;
            const double distance = std::hypot(off.x(), off.y());
            if (distance < nearest) {
                nearest = distance;
                best = &c;
            }
        }
        return best;
    }
    void activate(int method, double lambda)
    {
        const SweepMethod &m = q->m_data.methods[static_cast<std::size_t>(method)];
        for (const SweepPoint &p : q->m_data.points) {
            if (p.method == m.method && p.inner == m.inner && p.lambda == lambda) {
                emit q->pointActivated(p);
                return;
            }
        }
    }
    QString describe(const SweepCell &c) const
    {
        const SweepMethod &method = q->m_data.methods[static_cast<std::size_t>(c.method)];
        const bool reaches = effectiveQuantity(q->m_data) == SweepQuantity::PassesToTarget;
        QString value = std::isfinite(c.median) ? formatNumber(c.median, 3)
            : reaches                           ? SensitivityView::tr("not reached")
                                                : SensitivityView::tr("diverged");
        if (c.seeds > 1 && std::isfinite(c.upper))
            value +=
                SensitivityView::tr(" (quartiles %1 to %2)").arg(formatNumber(c.lower, 3), formatNumber(c.upper, 3));
        QString out = SensitivityView::tr("%1, %2: %3")
                          .arg(method.label, lambdaText(method.lambda, formatPower(c.lambda)), value);
        if (c.diverged > 0)
            out += (reaches ? SensitivityView::tr(", by %1 of %2 seeds not reached")
                            : SensitivityView::tr(", %1 of %2 seeds diverged"))
                       .arg(c.diverged)
                       .arg(c.seeds);
        return out;
    }
};

SensitivityView::SensitivityView(QWidget *parent) : QWidget(parent), d(std::make_unique<Private>(this))
{
    setFocusPolicy(Qt::StrongFocus);
    setAccessibleName(tr("Sensitivity to lambda"));
    d->stack = new QStackedLayout(this);
    d->plot = new PlotView(this);
    d->maps = new HeatMapWidget(this);
    d->maps->data = &m_data;
    d->stack->addWidget(d->plot);
    d->stack->addWidget(d->maps);
    d->sync.setSingleShot(true);
    d->sync.setInterval(0);
    connect(&d->sync, &QTimer::timeout, this, [this] { d->refresh(); });
    connect(d->plot, &PlotView::viewRequested, this, [this](const Range &x, const Range &y, bool first) {
        if (first)
            d->history.push_back(d->zoom);
        if (x.valid() && y.valid() && x.span() > 1e-6 && x.span() < 1e3 && y.span() > 1e-9 && y.span() < 1e12)
            d->zoom = {x, y};
        d->later();
    });
    connect(d->plot, &PlotView::fitRequested, this, &SensitivityView::fit);
    connect(d->plot, &PlotView::legendClicked, this, [this](int id) {
        if (id >= 0 && id < static_cast<int>(d->hidden.size()))
            d->hidden[static_cast<std::size_t>(id)] = !d->hidden[static_cast<std::size_t>(id)];
        d->later();
    });
    connect(d->plot, &PlotView::legendDoubleClicked, this, [this](int id) {
        const auto count = static_cast<int>(d->hidden.size());
        bool alone = true;
        for (int k = 0; k < count; ++k)
            alone = alone && (k == id || d->hidden[static_cast<std::size_t>(k)]);
        for (int k = 0; k < count; ++k)
            d->hidden[static_cast<std::size_t>(k)] = !alone && k != id;
        d->later();
    });
    connect(d->plot, &PlotView::hovered, this, [this](double, const QPointF &pixel) {
        const SweepCell *cell = d->cellNear(pixel);
        if (!cell) {
            d->plot->setCrosshair({});
            emit hovered({});
            return;
        }
        const double y =
            std::isfinite(cell->median) ? d->plot->content().yScale.position(cell->median) : d->plot->content().y.hi;
        const double x = std::log10(cell->lambda);
        d->plot->setCrosshair(x, {{PointMark::Kind::Dot, {x, y}, {}, sweepColour(m_data, cell->method, d->theme)}});
        emit hovered(d->describe(*cell));
    });
    connect(d->plot, &PlotView::hoverLeft, this, [this] {
        d->plot->setCrosshair({});
        emit hovered({});
    });
    connect(d->plot, &PlotView::seriesDoubleClicked, this, [this](int id, double x) {
        const SweepCell *best = nullptr;
        for (const SweepCell &c : d->cells) {
            if (c.method == id
                && (!best || std::abs(std::log10(c.lambda) - x) < std::abs(std::log10(best->lambda) - x)))
                best = &c;
        }
        if (best)
            d->activate(id, best->lambda);
    });
    d->maps->onHover = [this](const HeatCell *cell) { emit hovered(cell ? cell->text : QString()); };
    d->maps->onActivate = [this](const HeatCell &cell) { d->activate(cell.method, cell.lambda); };
    setTheme(d->theme);
}

SensitivityView::~SensitivityView() = default;

void SensitivityView::setTheme(const Theme &theme)
{
    d->theme = theme;
    d->plot->setTheme(theme);
    d->maps->theme = theme;
    d->later();
}

void SensitivityView::setData(SweepData data)
{
    // More of the same study, a floor, say: what the user zoomed into and hid stays so.
    const auto label = [](const auto &method) { return method.label; };
    const bool same = std::ranges::equal(m_data.methods, data.methods, {}, label, label);
    m_data = std::move(data);
    if (!same) {
        d->zoom.reset();
        d->history.clear();
        d->hidden.assign(m_data.methods.size(), false);
    }
    d->later();
}

void SensitivityView::addPoint(const SweepPoint &point)
{
    m_data.points.push_back(point);
    d->later();
}

void SensitivityView::setQuantity(SweepQuantity quantity)
{
    if (m_data.quantity == quantity)
        return;
    m_data.quantity = quantity;
    d->zoom.reset();
    d->history.clear();
    d->later();
}

void SensitivityView::setStage(int stage)
{
    m_data.stage = stage;
    d->later();
}

void SensitivityView::setTarget(double target)
{
    m_data.target = target;
    d->later();
}

void SensitivityView::setMode(Mode mode)
{
    d->stack->setCurrentIndex(mode == Mode::Lines ? 0 : 1);
}

SensitivityView::Mode SensitivityView::mode() const
{
    return d->stack->currentIndex() == 0 ? Mode::Lines : Mode::HeatMap;
}

PlotView *SensitivityView::plot() const
{
    return d->plot;
}

void SensitivityView::flush()
{
    d->refresh();
}

void SensitivityView::fit()
{
    if (!d->zoom)
        return;
    d->history.push_back(d->zoom);
    d->zoom.reset();
    d->later();
}

void SensitivityView::undoZoom()
{
    if (d->history.empty())
        return;
    d->zoom = d->history.back();
    d->history.pop_back();
    d->later();
}

} // namespace appa::ui
