#include "charts/StageView.h"

#include "charts/PlotPainter.h"
#include "theme/Format.h"

#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace appa::ui {

namespace {

constexpr double none = std::numeric_limits<double>::quiet_NaN();

/// A strip of the view: one quantity over the stages, or two of them.
struct Strip
{
    QString title;
    QString yLabel;
    bool log = true;
    bool bars = false;
    double (*value)(const StageRow &);
    double (*second)(const StageRow &) = nullptr; ///< drawn hollow: what was asked for
    QString valueName;
    QString secondName;
};

} // namespace

StageRow makeStageRow(const StageReport &report, const Vector *previousCentre, double rows)
{
    StageRow row;
    row.stage = report.stage + 1; // methods count from 0, people from 1
    row.lambda = report.lambda;
    row.movement = previousCentre && previousCentre->size() == report.centre.size() && report.centre.size() > 0
        ? (report.centre - *previousCentre).norm()
        : none;
    row.asked = report.asked;
    row.reached = report.reached;
    row.gap = report.gap;
    row.accesses = report.accesses;
    row.rows = rows;
    row.centred = report.centre.size() > 0;
    return row;
}

struct StageView::Private
{
    Theme theme = Theme::light();
    QString name;
    QColor colour = Qt::blue;
    StageNotes notes;
    Index planned = 0;
    std::vector<Index> switches;
    int chosen = -1; ///< index into the stages
    QRectF plots;    ///< the plot areas' common horizontal extent, all heights
    Range x;

    static std::array<Strip, 4> strips()
    {
        return {Strip{StageView::tr("Movement of the centre"),
                      QStringLiteral("|sₜ − sₜ₋₁|"),
                      true,
                      false,
                      [](const StageRow &r) { return r.movement; },
                      nullptr,
                      {},
                      {}},
                Strip{StageView::tr("Accuracy of the stage"), QStringLiteral("1 + decrease/bound"), true, false,
                      [](const StageRow &r) { return r.reached.value_or(none); },
                      [](const StageRow &r) { return r.asked.value_or(none); }, StageView::tr("reached"),
                      StageView::tr("asked")},
                // The bound is the duality gap, or for solvers without a dual |∇f|²/(2(λ + μ)).
                Strip{StageView::tr("Bound on the subproblem’s error at the stage’s end"),
                      QStringLiteral("f − min f ≤"),
                      true,
                      false,
                      [](const StageRow &r) { return r.gap.value_or(none); },
                      nullptr,
                      {},
                      {}},
                Strip{StageView::tr("Cost of the stage"),
                      StageView::tr("passes"),
                      false,
                      true,
                      [](const StageRow &r) { return static_cast<double>(r.accesses) / std::max(1.0, r.rows); },
                      nullptr,
                      {},
                      {}}};
    }

    std::vector<QPointF> points(const std::vector<StageRow> &rows, double (*value)(const StageRow &),
                                const AxisScale &scale) const
    {
        std::vector<QPointF> out;
        for (const StageRow &r : rows) {
            const double v = value(r);
            if (std::isfinite(v) && !scale.clamps(v))
                out.emplace_back(static_cast<double>(r.stage), scale.position(v));
        }
        return out;
    }
};

StageView::StageView(QWidget *parent) : QWidget(parent), d(std::make_unique<Private>())
{
    setMouseTracking(true);
    setFocusPolicy(Qt::StrongFocus);
    setAccessibleName(tr("Anatomy of the stages"));
}

StageView::~StageView() = default;

void StageView::setTheme(const Theme &theme)
{
    d->theme = theme;
    update();
}

void StageView::setRun(const QString &name, const QColor &colour, const StageNotes &notes, Index planned)
{
    d->name = name;
    d->colour = colour;
    d->notes = notes;
    d->planned = planned;
    update();
}

void StageView::setStages(std::span<const StageRow> stages, std::vector<Index> switches)
{
    m_stages.assign(stages.begin(), stages.end());
    d->switches = std::move(switches);
    if (d->chosen >= static_cast<int>(m_stages.size()))
        d->chosen = -1;
    update();
}

std::optional<Index> StageView::chosenStage() const
{
    return d->chosen < 0 ? std::nullopt : std::optional(m_stages[static_cast<std::size_t>(d->chosen)].stage);
}

void StageView::choose(int index)
{
    if (index == d->chosen)
        return;
    d->chosen = index;
    update();
}

void StageView::keyPressEvent(QKeyEvent *event)
{
    const int last = static_cast<int>(m_stages.size()) - 1;
    const int from = d->chosen < 0 ? last : d->chosen; // the newest is shown while none is chosen
    if (event->key() == Qt::Key_Left && last >= 0)
        choose(std::max(0, from - 1));
    else if (event->key() == Qt::Key_Right && last >= 0)
        choose(std::min(last, from + 1));
    else if (event->key() == Qt::Key_Escape && d->chosen >= 0)
        choose(-1);
    else
        QWidget::keyPressEvent(event);
}

void StageView::paintEvent(QPaintEvent *)
{
    QPainter p(this);
    const PlotPainter painter(d->theme);
    p.fillRect(rect(), d->theme.window);
    if (m_stages.empty()) {
        p.setFont(d->theme.font(TextRole::Body));
        p.setPen(d->theme.textMuted);
        p.drawText(rect().adjusted(24, 0, -24, 0), Qt::AlignCenter | Qt::TextWordWrap,
                   tr("The stages of the selected run appear here: how far the centre moved, the accuracy asked for "
                      "and reached, the gap, the cost."));
        return;
    }
    const auto strips = Private::strips();
    std::array<PlotContent, 4> contents;
    std::array<std::vector<PlotSeries>, 4> series;
    double left = 0;
    double bottom = 0;
    const double first = static_cast<double>(m_stages.front().stage);
    const double last = static_cast<double>(m_stages.back().stage);
    d->x = steppedRange({}, 0, std::max(last + 0.5, first + 4.5), d->x, true);
    d->x.lo = 0.4;
    if (last <= static_cast<double>(d->planned)) // no room for stages that will not be
        d->x.hi = std::max(first + 0.6, std::min(d->x.hi, static_cast<double>(d->planned) + 0.6));
    std::vector<EventMark> changes;
    for (std::size_t i = 1; i < m_stages.size(); ++i) {
        const StageRow &row = m_stages[i];
        const double before = m_stages[i - 1].lambda;
        const bool sameMeaning = std::ranges::none_of(
            d->switches, [&](Index after) { return after >= m_stages[i - 1].stage && after < row.stage; });
        if (row.lambda != before && std::isfinite(row.lambda) && std::isfinite(before) && sameMeaning)
            changes.push_back({static_cast<double>(row.stage) - 0.5,
                               QStringLiteral("λ %1 → %2").arg(formatPower(before), formatPower(row.lambda)),
                               QStringLiteral("lambda"), d->colour});
    }
    const auto firstReported = std::ranges::find(m_stages, true, &StageRow::reported);
    const StageRow *shown = d->chosen < 0 ? &m_stages.back() : &m_stages[static_cast<std::size_t>(d->chosen)];
    for (std::size_t k = 0; k < strips.size(); ++k) {
        const Strip &strip = strips[k];
        PlotContent &c = contents[k];
        c.title = strip.title;
        c.yLabel = strip.yLabel;
        c.xLabel = tr("stage");
        c.showXAxis = k + 1 == strips.size();
        c.endLabels = false;
        c.xScale.counts = true;
        c.events = changes;
        for (EventMark &change : c.events)
            if (k > 0)
                change.label.clear(); // the words are in the first
        c.yScale = {strip.log, 1e-18};
        PlotSeries line;
        line.id = 0;
        line.name = strip.valueName;
        line.colour = d->colour;
        line.width = 1.6;
        line.points = d->points(m_stages, strip.value, c.yScale);
        line.value = formatNumber(strip.value(*shown), 3);
        if (strip.second) {
            PlotSeries asked = line;
            asked.id = 1;
            asked.name = strip.secondName;
            asked.colour = d->theme.textMuted;
            asked.dash = {3, 3};
            asked.width = 1.2;
            asked.points = d->points(m_stages, strip.second, c.yScale);
            asked.value = formatNumber(strip.second(*shown), 3);
            series[k].push_back(asked);
        }
        series[k].push_back(line);
        double lo = std::numeric_limits<double>::infinity();
        double hi = -lo;
        for (const PlotSeries &s : series[k]) {
            for (const QPointF &q : s.points) {
                lo = std::min(lo, q.y());
                hi = std::max(hi, q.y());
            }
        }
        c.x = d->x;
        c.y = steppedRange(c.yScale, strip.bars ? 0 : lo, strip.bars ? hi * 1.08 : hi, {1, 0}, strip.bars);
        if (lo > hi) {
            c.events.clear();
            c.emptyText = k == 1 ? d->notes.accuracy : k == 2 ? d->notes.gap : d->notes.movement;
        } else if (k < 2 && firstReported != m_stages.begin() && firstReported != m_stages.end()) {
            c.subtitle = tr("known from stage %1 on").arg(firstReported->stage);
        }
        if (k == 0)
            c.readLabel =
                tr("%1, stage %2, λ = %3").arg(d->name, QString::number(shown->stage), formatPower(shown->lambda));
        const PlotMargins m = painter.margins(c, series[k], QSizeF(width(), height() / 4.0));
        left = std::max(left, m.left);
        bottom = std::max(bottom, m.bottom);
    }
    const double axis = bottom - d->theme.space(0.75);
    const double each = (height() - axis) / 4.0;
    p.setRenderHint(QPainter::Antialiasing, true);
    for (std::size_t k = 0; k < strips.size(); ++k) {
        PlotContent &c = contents[k];
        const QRectF outer(0, std::floor(each * static_cast<double>(k)), width(),
                           std::floor(each) + (k == 3 ? axis : 0));
        const PlotFrame f = PlotPainter::frame(c, outer, painter.margins(c, series[k], outer.size(), left));
        d->plots = k == 0 ? f.plot : d->plots.united(f.plot);
        const std::vector<QList<QPointF>> outlines = PlotPainter::outlines(f, series[k]);
        painter.background(p, f, c);
        if (d->chosen >= 0) {
            const double a = f.map({static_cast<double>(shown->stage) - 0.5, f.y.lo}).x();
            const double b = f.map({static_cast<double>(shown->stage) + 0.5, f.y.lo}).x();
            QColor column = d->theme.accent;
            column.setAlphaF(0.12F);
            p.fillRect(QRectF(a, f.plot.top(), b - a, f.plot.height()) & f.plot, column);
        }
        if (strips[k].bars) {
            p.setPen(Qt::NoPen);
            QColor fill = d->colour;
            fill.setAlphaF(0.75F);
            p.setBrush(fill);
            for (const QPointF &q : series[k].back().points) {
                const QPointF top = f.map(q);
                const double w = std::clamp(f.plot.width() / f.x.span() * 0.6, 1.0, 14.0);
                p.drawRect(QRectF(top.x() - w / 2, top.y(), w, f.plot.bottom() - top.y()));
            }
        } else {
            painter.lines(p, f, series[k], outlines);
            for (const PlotSeries &s : series[k]) {
                const bool hollow = !s.dash.isEmpty();
                p.setPen(QPen(hollow ? s.colour : d->theme.plot, 1.4));
                p.setBrush(hollow ? d->theme.plot : s.colour);
                const double spacing = f.plot.width() / f.x.span();
                for (const QPointF &q : s.points) {
                    if (spacing > 6)
                        p.drawEllipse(f.map(q), hollow ? 3.2 : 4.0, hollow ? 3.2 : 4.0);
                }
            }
        }
        painter.foreground(p, f, c, series[k], outlines);
        painter.titleRow(p, f, c, series[k]);
    }
}

void StageView::mouseMoveEvent(QMouseEvent *event)
{
    int found = -1;
    if (!m_stages.empty() && event->position().x() >= d->plots.left() && event->position().x() <= d->plots.right()
        && d->plots.width() > 0) {
        const double at = d->x.lo + (event->position().x() - d->plots.left()) / d->plots.width() * d->x.span();
        const auto nearest =
            std::min_element(m_stages.begin(), m_stages.end(), [at](const StageRow &a, const StageRow &b) {
                return std::abs(static_cast<double>(a.stage) - at) < std::abs(static_cast<double>(b.stage) - at);
            });
        if (std::abs(static_cast<double>(nearest->stage) - at) <= 0.5)
            found = static_cast<int>(nearest - m_stages.begin());
    }
    choose(found);
}

void StageView::leaveEvent(QEvent *)
{
    choose(-1);
}

} // namespace appa::ui
