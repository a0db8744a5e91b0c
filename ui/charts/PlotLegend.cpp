// The title row of a plot: title, notices, and the legend with its values.
#include "charts/PlotPainter.h"

#include <QFontMetricsF>
#include <QPainter>

#include <algorithm>

namespace appa::ui {

namespace {

/// A name in the legend is cut beyond this, in its middle: what tells variants apart stands at the end.
constexpr double widestName = 220;
/// Grid units: of a line's sample, long enough to tell its dashes, and from one to its name.
constexpr double sample = 3;
constexpr double toName = 3.75;

} // namespace

double PlotPainter::legendEntryWidth(const PlotSeries &s) const
{
    // A fixed place for the value: the legend does not move while the numbers change.
    const double value = s.value.isEmpty() ? 0 : m_theme.space(0.75) + smallWidth(QStringLiteral("0.00×10⁻⁰⁰"));
    const double name =
        s.name.isEmpty() ? 0 : m_theme.space(toName) + std::min(smallWidth(s.name), widestName * m_theme.scale);
    return name + value + m_theme.space(1.5);
}

int PlotPainter::neededRows(const PlotContent &content, std::span<const PlotSeries> series, double width) const
{
    const QFontMetricsF title(m_theme.font(TextRole::Title));
    double x = content.title.isEmpty() ? 0 : title.horizontalAdvance(content.title) + 1 + m_theme.space(2);
    for (const QString &text : {content.subtitle, content.notice, content.readLabel})
        x += text.isEmpty() ? 0 : smallWidth(text) + 1 + m_theme.space(2);
    int rows = 1;
    for (const PlotSeries &s : series) {
        if (s.points.empty() || content.legendRows == 0)
            continue;
        const double w = legendEntryWidth(s);
        if (x + w > width && x > 0) {
            ++rows;
            x = 0;
        }
        x += w;
    }
    return rows;
}

int PlotPainter::legendRows(const PlotContent &content, std::span<const PlotSeries> series, double width) const
{
    // The title needs one in any case.
    return std::min(neededRows(content, series, width), std::max(1, content.legendRows));
}

std::vector<LegendHit> PlotPainter::titleRow(QPainter &p, const PlotFrame &f, const PlotContent &content,
                                             std::span<const PlotSeries> series) const
{
    std::vector<LegendHit> hits;
    const QFont titleFont = m_theme.font(TextRole::Title);
    const QFont smallFont = m_theme.font(TextRole::Small);
    QFont valueFont = smallFont;
    valueFont.setWeight(QFont::Medium);
    const QFontMetricsF title(titleFont);
    const QFontMetricsF small(smallFont);
    const double right = f.outer.right() - m_theme.space(1);
    const double rowStep = small.height() + m_theme.space(0.5);
    double y = f.outer.top() + m_theme.space(0.75);
    double x = f.plot.left();

    p.save();
    p.setRenderHint(QPainter::Antialiasing, true);
    const auto text = [&](const QString &t, const QFont &font, const QColor &colour, double gap) {
        if (t.isEmpty())
            return;
        const QFontMetricsF metrics(font);
        p.setFont(font);
        p.setPen(colour);
        const double w = metrics.horizontalAdvance(t) + 1;
        p.drawText(QRectF(x, y, w, title.height()), Qt::AlignLeft | Qt::AlignVCenter, t);
        x += w + gap;
    };
    text(content.title, titleFont, m_theme.text, m_theme.space(2));
    text(content.subtitle, smallFont, m_theme.textMuted, m_theme.space(2));
    text(content.notice, smallFont, m_theme.warning, m_theme.space(2));
    text(content.readLabel, smallFont, m_theme.textMuted, m_theme.space(2));
    const double slot = smallWidth(QStringLiteral("0.00×10⁻⁰⁰"));
    int row = 1;
    std::size_t done = 0;
    std::vector<const PlotSeries *> order;
    for (const PlotSeries &s : series)
        if (!s.points.empty()) // has not run: nothing to tell apart
            order.push_back(&s);
    // What is hidden gives up its place, but only where there are not enough: a name that is clicked stays where it is.
    if (neededRows(content, series, right - f.plot.left()) > content.legendRows)
        std::ranges::stable_partition(order, [](const PlotSeries *s) { return s->visible; });
    const std::size_t entries = order.size();
    for (const PlotSeries *entry : order) {
        if (content.legendRows == 0)
            break;
        const PlotSeries &s = *entry;
        const QString name = smallWidth(s.name) > widestName * m_theme.scale
            ? small.elidedText(s.name, Qt::ElideMiddle, widestName * m_theme.scale)
            : s.name;
        const double nameWidth = smallWidth(name);
        const double width = legendEntryWidth(s);
        const double moreWidth = smallWidth(QStringLiteral("+ 00 more"));
        const bool last = done + 1 == entries;
        if (x + width > right - (row == content.legendRows && !last ? moreWidth : 0) && x > f.plot.left()) {
            if (row == content.legendRows)
                break;
            ++row;
            x = f.plot.left();
            y += row == 2 ? title.height() / 2 + rowStep - small.height() / 2 - (title.height() - small.height()) / 2
                          : rowStep;
        }
        const double rowHeight = title.height();
        const double centre = y + rowHeight / 2;
        QPen pen(s.visible ? s.colour : m_theme.textFaint, 2.2 * m_theme.scale);
        pen.setCapStyle(Qt::FlatCap);
        if (!s.dash.isEmpty() && s.visible) {
            QList<qreal> dash = s.dash;
            for (qreal &d : dash)
                d *= 0.7;
            pen.setDashPattern(dash);
        }
        p.setPen(pen);
        if (!name.isEmpty())
            p.drawLine(QPointF(x, centre), QPointF(x + m_theme.space(sample), centre));
        double tx = x + m_theme.space(name.isEmpty() ? 0 : toName);
        p.setFont(smallFont);
        p.setPen(s.visible ? m_theme.textMuted : m_theme.textFaint);
        p.drawText(QRectF(tx, y, nameWidth + 1, rowHeight), Qt::AlignLeft | Qt::AlignVCenter, name);
        tx += nameWidth + m_theme.space(name.isEmpty() ? 0 : 0.75);
        p.setFont(valueFont);
        p.setPen(!s.visible ? m_theme.textFaint : s.diverged ? m_theme.danger : m_theme.text);
        p.drawText(QRectF(tx, y, slot + m_theme.space(1), rowHeight), Qt::AlignLeft | Qt::AlignVCenter,
                   s.visible ? s.value : QStringLiteral("hidden"));
        hits.push_back({s.id, QRectF(x - 2, y, width - m_theme.space(1), rowHeight)});
        x += width;
        ++done;
    }
    if (done < entries && content.legendRows > 0) {
        p.setFont(smallFont);
        p.setPen(m_theme.textMuted);
        p.drawText(QRectF(x, y, right - x, title.height()), Qt::AlignLeft | Qt::AlignVCenter,
                   QStringLiteral("+ %1 more").arg(entries - done));
    }
    p.restore();
    return hits;
}

} // namespace appa::ui
