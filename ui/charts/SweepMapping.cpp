#include "charts/SweepMapping.h"

#include "charts/SensitivityView.h"
#include "theme/Format.h"

#include <QCoreApplication>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

namespace appa::ui {

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double none = std::numeric_limits<double>::quiet_NaN();

QString text(const char *source)
{
    return QCoreApplication::translate("Sensitivity", source);
}

/// Linear interpolation between order statistics; infinities sort last.
double quantile(const std::vector<double> &sorted, double q)
{
    const double at = q * static_cast<double>(sorted.size() - 1);
    const auto i = static_cast<std::size_t>(at);
    if (i + 1 >= sorted.size() || std::isinf(sorted[i + 1]))
        return at > static_cast<double>(i) && i + 1 < sorted.size() ? sorted[i + 1] : sorted[i];
    return sorted[i] + (at - static_cast<double>(i)) * (sorted[i + 1] - sorted[i]);
}

bool isLog(SweepQuantity q)
{
    return q == SweepQuantity::Excess || q == SweepQuantity::Loss;
}

int methodOf(const SweepData &data, const SweepPoint &p)
{
    const auto it = std::find_if(data.methods.begin(), data.methods.end(),
                                 [&](const SweepMethod &m) { return m.method == p.method && m.inner == p.inner; });
    return it == data.methods.end() ? -1 : static_cast<int>(it - data.methods.begin());
}

AxisScale yScale(const SweepData &data)
{
    const SweepQuantity q = effectiveQuantity(data);
    return {isLog(q), q == SweepQuantity::Excess && data.optimumFloor > 0 ? data.optimumFloor : 1e-16};
}

} // namespace

SweepQuantity effectiveQuantity(const SweepData &data)
{
    const bool unknown = data.quantity == SweepQuantity::Excess && !data.optimum && !data.points.empty();
    return unknown ? SweepQuantity::Loss : data.quantity;
}

QString quantityName(const SweepData &data)
{
    switch (effectiveQuantity(data)) {
    case SweepQuantity::Excess:
        return text("Excess training loss");
    case SweepQuantity::Loss:
        return text("Training loss");
    case SweepQuantity::TestError:
        return text("Test error");
    case SweepQuantity::PassesToTarget:
        return (data.optimum ? text("Passes to excess %1") : text("Passes to loss %1")).arg(formatPower(data.target));
    }
    return {};
}

QString stagesText(std::int64_t count)
{
    return count == 1 ? text("1 stage") : text("%1 stages").arg(formatCount(count));
}

int lastStage(const SweepData &data)
{
    std::size_t longest = 1;
    for (const SweepPoint &p : data.points)
        longest = std::max(longest, p.loss.size());
    return static_cast<int>(longest) - 1;
}

double sweepValue(const SweepData &data, const SweepPoint &p, int stage)
{
    const bool diverged = p.divergedAt && *p.divergedAt <= stage;
    const auto at = static_cast<std::size_t>(std::max(0, stage));
    switch (effectiveQuantity(data)) {
    case SweepQuantity::Excess:
    case SweepQuantity::Loss: {
        if (diverged)
            return infinity;
        if (at >= p.loss.size())
            return none;
        const double loss = p.loss[at];
        if (!std::isfinite(loss))
            return infinity;
        return effectiveQuantity(data) == SweepQuantity::Excess ? std::max(loss - *data.optimum, data.optimumFloor)
                                                                : loss;
    }
    case SweepQuantity::TestError:
        if (diverged)
            return infinity;
        return at < p.testError.size() ? p.testError[at] : none;
    case SweepQuantity::PassesToTarget:
        for (std::size_t k = 0; k < p.loss.size() && k <= at; ++k) {
            if (p.loss[k] - data.optimum.value_or(0) <= data.target)
                return k < p.passes.size() ? p.passes[k] : static_cast<double>(k);
        }
        return infinity;
    }
    return none;
}

double sweepValue(const SweepData &data, const SweepPoint &p)
{
    return sweepValue(data, p, data.stage < 0 ? lastStage(data) : data.stage);
}

std::vector<SweepCell> sweepCells(const SweepData &data, int stage)
{
    std::map<std::pair<int, double>, std::vector<double>> groups;
    for (const SweepPoint &p : data.points) {
        const int method = methodOf(data, p);
        const double value = sweepValue(data, p, stage);
        if (method >= 0 && !std::isnan(value) && p.lambda > 0)
            groups[{method, p.lambda}].push_back(value);
    }
    std::vector<SweepCell> out;
    for (auto &[key, values] : groups) {
        std::sort(values.begin(), values.end());
        SweepCell c;
        c.method = key.first;
        c.lambda = key.second;
        c.seeds = static_cast<int>(values.size());
        c.diverged =
            static_cast<int>(std::count_if(values.begin(), values.end(), [](double v) { return std::isinf(v); }));
        c.median = quantile(values, 0.5);
        c.lower = quantile(values, 0.25);
        c.upper = quantile(values, 0.75);
        out.push_back(c);
    }
    return out;
}

std::vector<SweepCell> sweepCells(const SweepData &data)
{
    return sweepCells(data, data.stage < 0 ? lastStage(data) : data.stage);
}

QColor sweepColour(const SweepData &data, int method, const Theme &theme)
{
    const QColor own = data.methods[static_cast<std::size_t>(method)].colour;
    return own.isValid() ? own : theme.series(method);
}

std::vector<SweepSummary> summarize(const SweepData &data)
{
    std::vector<SweepSummary> out;
    const std::vector<SweepCell> cells = sweepCells(data);
    for (int m = 0; m < static_cast<int>(data.methods.size()); ++m) {
        std::vector<SweepCell> own;
        std::copy_if(cells.begin(), cells.end(), std::back_inserter(own),
                     [m](const SweepCell &c) { return c.method == m; });
        if (own.empty())
            continue;
        const auto best = std::min_element(own.begin(), own.end(),
                                           [](const SweepCell &a, const SweepCell &b) { return a.median < b.median; });
        SweepSummary s;
        s.method = m;
        s.bestLambda = best->lambda;
        s.bestValue = best->median;
        if (std::isfinite(best->median)) {
            auto lo = best;
            auto hi = best;
            const double limit = 2 * best->median * (1 + 1e-9);
            while (lo != own.begin() && (lo - 1)->median <= limit)
                --lo;
            while (hi + 1 != own.end() && (hi + 1)->median <= limit)
                ++hi;
            s.decadesWithin2x = std::log10(hi->lambda / lo->lambda);
        }
        for (auto it = best; it != own.end(); ++it) {
            if (2 * it->diverged >= it->seeds && it->diverged > 0) {
                s.divergesFrom = it->lambda;
                break;
            }
        }
        for (auto it = best + 1; it != own.begin();) {
            --it;
            if (2 * it->diverged >= it->seeds && it->diverged > 0) {
                s.divergesBelow = it->lambda;
                break;
            }
        }
        out.push_back(s);
    }
    return out;
}

SweepPlot sweepPlot(const SweepData &data, const Theme &theme)
{
    SweepPlot plot;
    PlotContent &c = plot.content;
    const SweepQuantity quantity = effectiveQuantity(data);
    const int stage = data.stage < 0 ? lastStage(data) : data.stage;
    c.xScale = {true, 1e-300};
    c.yScale = yScale(data);
    c.title = quantityName(data);
    c.subtitle = quantity == SweepQuantity::PassesToTarget ? text("within %1").arg(stagesText(stage))
                                                           : text("after %1").arg(stagesText(stage));
    if (quantity != data.quantity)
        c.subtitle += text(", until F_opt is known");
    c.xLabel = text("λ (step size, where the method has one)");
    c.yLabel = quantity == SweepQuantity::Excess ? QStringLiteral("F(x) − F_opt")
        : quantity == SweepQuantity::Loss        ? QStringLiteral("F(x)")
                                                 : QString();

    const std::vector<SweepCell> cells = sweepCells(data);
    double lo = infinity;
    double hi = -infinity;
    double first = infinity;
    double last = -infinity;
    // F at the start: everything above it is worse than doing nothing, so no room is spent on it.
    double start = -infinity;
    for (const SweepPoint &p : data.points) {
        if (!p.loss.empty() && quantity != SweepQuantity::PassesToTarget) {
            const double v = sweepValue(data, p, 0);
            if (std::isfinite(v))
                start = std::max(start, c.yScale.position(v));
        }
    }
    const double cap = std::isfinite(start) ? (c.yScale.log ? start + 0.4 : start * 1.3) : infinity;
    const auto reach = [&](double lambda) {
        first = std::min(first, std::log10(lambda));
        last = std::max(last, std::log10(lambda));
    };
    std::ranges::for_each(data.lambdas, reach);
    for (const SweepCell &cell : cells) {
        reach(cell.lambda);
        if (!std::isfinite(cell.median))
            continue;
        lo = std::min(lo, c.yScale.position(std::isfinite(cell.lower) ? cell.lower : cell.median));
        hi = std::max(hi, std::min(cap, c.yScale.position(std::isfinite(cell.upper) ? cell.upper : cell.median)));
    }
    c.x = first > last ? Range{-8, 8} : Range{first - 0.25, last + 0.25};
    if (c.x.span() < 1)
        c.x = {first - 0.5, last + 0.5};
    if (cells.empty()) {
        c.emptyText = text("No results yet: Start runs the plan");
        c.y = c.yScale.log ? Range{-6, 0} : Range{0, 1};
        return plot;
    }
    c.y = steppedRange(c.yScale, lo, std::isfinite(hi) ? hi : lo, {1, 0},
                       !c.yScale.log && quantity != SweepQuantity::TestError);
    if (std::isfinite(start) && start < c.y.hi && start > c.y.lo)
        c.refLines.push_back({start, text("at the start"), theme.textMuted, true});
    std::map<double, int> arrowsAt;
    const auto shiftOf = [](int k) { return (k % 2 == 0 ? 1 : -1) * ((k + 1) / 2) * 9.0; };
    const std::vector<SweepSummary> summaries = summarize(data);
    for (int m = 0; m < static_cast<int>(data.methods.size()); ++m) {
        const SweepMethod &method = data.methods[static_cast<std::size_t>(m)];
        PlotSeries s;
        s.id = m;
        s.name = method.label;
        s.colour = sweepColour(data, m, theme);
        s.dash = Theme::dash(method.family);
        s.width = 1.8;
        // Each word once for each method, and not twice at one place.
        bool named = false;
        bool beyondNamed = false;
        const auto finiteAt = [&](std::size_t i) {
            return i < cells.size() && cells[i].method == m && std::isfinite(cells[i].median);
        };
        // A target is missed at whole stretches of the grid: that is marked where a line ends, not at each lambda. A
        // method that misses it everywhere has its mark at the grid's end, away from the others' lines.
        const auto own = std::ranges::equal_range(cells, m, {}, &SweepCell::method); // sorted by it, then by lambda
        const bool never = quantity == SweepQuantity::PassesToTarget
            && std::ranges::none_of(own, [](const SweepCell &c) { return std::isfinite(c.median); });
        const auto isMarked = [&](std::size_t i) {
            return quantity != SweepQuantity::PassesToTarget || finiteAt(i + 1) || (i > 0 && finiteAt(i - 1))
                || (never && &cells[i] == &own.back());
        };
        for (std::size_t i = 0; i < cells.size(); ++i) {
            const SweepCell &cell = cells[i];
            if (cell.method != m)
                continue;
            const double x = std::log10(cell.lambda);
            if (std::isfinite(cell.median)) {
                s.points.emplace_back(x, c.yScale.position(cell.median));
                s.upper.emplace_back(x,
                                     std::isfinite(cell.upper) ? c.yScale.position(cell.upper)
                                                               : std::max(c.y.hi, s.points.back().y()));
                s.lower.emplace_back(x, c.yScale.position(cell.lower));
                const bool isBeyond = s.points.back().y() > c.y.hi;
                c.marks.push_back(
                    {isBeyond ? PointMark::Kind::Beyond : PointMark::Kind::Dot, s.points.back(), {}, s.colour});
                if (isBeyond) {
                    const int k = arrowsAt[x]++;
                    c.marks.back().text = beyondNamed || k > 0 ? QString() : text("off the scale");
                    c.marks.back().shift = shiftOf(k);
                    beyondNamed = true;
                }
            } else {
                // The line goes up to the edge beside its last finite point, not along the edge.
                if (finiteAt(i + 1) || (i > 0 && finiteAt(i - 1))) {
                    s.points.emplace_back(x, c.y.hi);
                    s.upper.emplace_back(x, c.y.hi);
                    s.lower.emplace_back(x, std::isfinite(cell.lower) ? c.yScale.position(cell.lower) : c.y.hi);
                }
                if (!isMarked(i))
                    continue;
                const int k = arrowsAt[x]++;
                const QString word = named || k > 0             ? QString()
                    : quantity == SweepQuantity::PassesToTarget ? text("not reached")
                                                                : text("diverged");
                named = true;
                c.marks.push_back({PointMark::Kind::Diverged,
                                   {x, c.y.hi + 1e-3 * c.y.span()},
                                   word,
                                   s.colour,
                                   never ? -9.0 * k : shiftOf(k)});
            }
        }
        for (const SweepSummary &summary : summaries) {
            if (summary.method != m || !std::isfinite(summary.bestValue))
                continue;
            s.value = quantity == SweepQuantity::TestError ? formatFixed(summary.bestValue, 4)
                                                           : formatNumber(summary.bestValue, 3);
            c.marks.push_back({PointMark::Kind::Best,
                               {std::log10(summary.bestLambda), c.yScale.position(summary.bestValue)},
                               text("best %1").arg(formatPower(summary.bestLambda)),
                               s.colour});
        }
        plot.series.push_back(std::move(s));
    }
    if (!data.ridgeFloor.empty() && (quantity == SweepQuantity::Excess || quantity == SweepQuantity::Loss)) {
        PlotSeries floor;
        floor.id = -1;
        floor.name = text("ridge floor");
        floor.colour = theme.textMuted;
        floor.dash = {5, 4};
        floor.width = 1.2;
        auto sorted = data.ridgeFloor;
        std::sort(sorted.begin(), sorted.end());
        for (const auto &[lambda, value] : sorted) {
            const double y = c.yScale.position(quantity == SweepQuantity::Excess ? value - *data.optimum : value);
            if (lambda > 0 && std::isfinite(y))
                floor.points.emplace_back(std::log10(lambda), y);
        }
        plot.series.push_back(std::move(floor));
    }
    return plot;
}

} // namespace appa::ui
