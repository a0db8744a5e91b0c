#include "charts/FigureExport.h"

#include "charts/CurveMapping.h"
#include "charts/FigureFile.h"
#include "charts/HeatMap.h"
#include "charts/PlotPainter.h"
#include "charts/SweepMapping.h"
#include "theme/Format.h"

#include <QCoreApplication>
#include <QFileInfo>
#include <QFontMetricsF>
#include <QPainter>
#include <QTextLayout>
#include <QWidget>

#include <algorithm>
#include <array>
#include <cmath>
#include <tuple>
#include <utility>

namespace appa::ui {

namespace {

/// One plot of a figure: what PlotPainter needs.
struct Panel
{
    PlotContent content;
    std::vector<PlotSeries> series;
    double weight = 1;
};

/// Dark enough for white paper.
QColor onWhite(const QColor &colour)
{
    const Theme dark = Theme::dark();
    const Theme light = Theme::light();
    for (int i = 0; i < Theme::seriesCount(); ++i) {
        if (colour == dark.series(i))
            return light.series(i);
    }
    QColor c = colour;
    for (int k = 0; k < 12 && contrastRatio(c, Qt::white) < 3; ++k)
        c = c.darker(112);
    return c;
}

/// As the paper writes it.
void typeset(PlotContent &content)
{
    for (QString *text : {&content.yLabel, &content.subtitle})
        text->replace(QStringLiteral("F_opt"), QStringLiteral("Fᵒᵖᵗ"));
}

std::vector<Panel> curvePanels(CurvesData data, const FigureOptions &options, const Theme &theme)
{
    for (Curve &c : data.curves) {
        c.colour = onWhite(c.colour);
        if (!options.showEvents)
            c.events.clear();
    }
    for (FloorLine &f : data.floors) {
        if (f.colour.isValid())
            f.colour = onWhite(f.colour);
    }
    std::erase_if(data.curves, [](const Curve &c) { return !c.visible; });
    std::array<std::vector<MappedCurve>, 2> maps;
    for (const CurvePanel which : {CurvePanel::Loss, CurvePanel::TestError}) {
        std::vector<MappedCurve> &mapped = maps[static_cast<std::size_t>(which)];
        mapped.resize(data.curves.size());
        for (std::size_t i = 0; i < data.curves.size(); ++i)
            mapCurve(mapped[i], data.curves[i], which, data);
    }
    const bool lossAlone = options.panels == FigurePanels::LossOnly
        || (options.panels == FigurePanels::Both && !showsTestError(data, maps[0], maps[1]));
    std::vector<Panel> panels;
    Range x;
    for (const CurvePanel which : {CurvePanel::Loss, CurvePanel::TestError}) {
        const std::vector<MappedCurve> &mapped = maps[static_cast<std::size_t>(which)];
        Panel panel;
        for (std::size_t i = 0; i < data.curves.size(); ++i) {
            PlotSeries s = seriesLook(data.curves[i], data, false);
            s.width = 1.6;
            s.points = mapped[i].points;
            if (options.showValues)
                s.value = endText(data.curves[i], mapped[i], which, data);
            panel.series.push_back(std::move(s));
        }
        panel.content = panelContent(data, which, mapped, theme, -1);
        if (which == CurvePanel::Loss) {
            x = fitX(data, mapped, {1, 0});
            if (options.xMin)
                x.lo = panel.content.xScale.position(*options.xMin);
            if (options.xMax)
                x.hi = panel.content.xScale.position(*options.xMax);
        }
        panel.content.x = x.valid() ? x : Range{0, 1};
        panel.content.y = fitY(data, which, mapped, {1, 0});
        const bool isLoss = which == CurvePanel::Loss;
        Range y = panel.content.y;
        if (const auto least = isLoss ? options.yMin : options.errorMin)
            y.lo = panel.content.yScale.position(*least);
        if (const auto most = isLoss ? options.yMax : options.errorMax)
            y.hi = panel.content.yScale.position(*most);
        if (y.valid())
            panel.content.y = y;
        if (which == CurvePanel::TestError)
            markStartAbove(panel.content, data, mapped);
        else if (!options.yMin)
            markEndsBelow(panel.content, data, mapped);
        panel.weight = which == CurvePanel::Loss ? 1.35 : 1;
        if (which == CurvePanel::Loss ? options.panels != FigurePanels::TestErrorOnly : !lossAlone)
            panels.push_back(std::move(panel));
    }
    if (lossAlone && options.panels == FigurePanels::Both)
        panels.front().content.subtitle = withoutTestSet(panels.front().content.subtitle);
    for (Panel &panel : panels) {
        panel.content.showXAxis = &panel == &panels.back();
        panel.content.emptyText.clear(); // what to press is no part of a figure
        panel.content.endLabels = options.showLabels;
        // There is no table of the runs beside it: all of them. Once, where there is nothing but their names to say.
        panel.content.legendRows =
            &panel == &panels.front() || options.showValues ? static_cast<int>(panel.series.size()) + 1 : 0;
        typeset(panel.content);
    }
    return panels;
}

std::vector<Panel> sweepPanels(SweepData data, const Theme &theme)
{
    for (SweepMethod &m : data.methods) {
        if (m.colour.isValid())
            m.colour = onWhite(m.colour);
    }
    SweepPlot plot = sweepPlot(data, theme);
    std::vector<Panel> panels(1);
    panels[0].content = std::move(plot.content);
    panels[0].content.emptyText.clear();
    typeset(panels[0].content);
    panels[0].series = std::move(plot.series);
    return panels;
}

/// A word that is wider than the picture, such as the name of a file, is broken where it must be.
QTextOption captionOption()
{
    QTextOption option(Qt::AlignLeft | Qt::AlignTop);
    option.setWrapMode(QTextOption::WrapAtWordBoundaryOrAnywhere);
    return option;
}

/// The lines of `text` that have room, at least one, the last of them elided if there are more; and their height.
std::pair<QString, double> fitted(const QString &text, const QFont &font, double width, double most)
{
    const QFontMetricsF metrics(font);
    QTextLayout layout(text, font);
    layout.setTextOption(captionOption());
    layout.beginLayout();
    double height = 0;
    int lastStart = 0;
    for (QTextLine line = layout.createLine(); line.isValid(); line = layout.createLine()) {
        line.setLineWidth(width);
        const double next = height + (height > 0 ? metrics.leading() : 0) + line.height();
        if (height > 0 && next > most)
            return {text.left(lastStart) + metrics.elidedText(text.mid(lastStart), Qt::ElideRight, width - 1), height};
        height = next;
        lastStart = line.textStart();
    }
    return {text, height};
}

/// Where the parts of a figure are.
struct Layout
{
    QRectF title;
    QString titleText;
    QRectF caption;
    QString captionText;
    QRectF body; ///< between them
    std::vector<PlotFrame> plots;
};

Layout arrange(const std::vector<Panel> &panels, const FigureText &t, const QSizeF &size, const Theme &theme)
{
    const PlotPainter painter(theme);
    const double pad = theme.space(1);
    const double width = size.width() - 4 * pad;
    Layout out;
    QRectF area{QPointF(), size};
    if (!t.title.isEmpty()) {
        double height = 0;
        std::tie(out.titleText, height) = fitted(t.title, theme.font(TextRole::Display), width, 0.2 * size.height());
        out.title = QRectF(2 * pad, pad, width, height);
        area.setTop(out.title.bottom());
    }
    out.captionText = captionOf(t);
    if (!out.captionText.isEmpty()) {
        // At most a quarter of the picture; what has no room is in the file's description.
        double height = 0;
        std::tie(out.captionText, height) =
            fitted(out.captionText, theme.font(TextRole::Small), width, 0.25 * size.height());
        out.caption = QRectF(2 * pad, size.height() - height - pad, width, height);
        area.setBottom(out.caption.top() - pad / 2);
    }
    out.body = area;
    double left = 0;
    double right = 0;
    double bottom = 0;
    double weights = 0;
    for (const Panel &panel : panels) {
        const PlotMargins m = painter.margins(panel.content, panel.series,
                                              {area.width(), area.height() / static_cast<double>(panels.size())});
        left = std::max(left, m.left);
        right = std::max(right, m.right);
        bottom = std::max(bottom, m.bottom);
        weights += panel.weight;
    }
    double top = area.top();
    for (const Panel &panel : panels) {
        const bool last = &panel == &panels.back();
        const double height = (area.height() - bottom) * panel.weight / weights + (last ? bottom : 0);
        const QRectF outer(area.left(), top, area.width(), height);
        top += height;
        const PlotMargins m = painter.margins(panel.content, panel.series, outer.size(), left, right);
        out.plots.push_back(PlotPainter::frame(panel.content, outer, m));
    }
    return out;
}

/// Whether every plot has a fair part of the picture: what is around it neither overlaps nor outweighs it.
bool isRoomy(const Layout &layout)
{
    return std::ranges::all_of(layout.plots, [](const PlotFrame &f) {
        return f.plot.height() > 0.35 * f.outer.height() && f.plot.width() > 0.5 * f.outer.width()
            && f.plot.bottom() < f.outer.bottom();
    });
}

void paintTexts(QPainter &p, const Layout &layout, const Theme &theme)
{
    p.setFont(theme.font(TextRole::Display));
    p.setPen(theme.text);
    p.drawText(layout.title, layout.titleText, captionOption());
    p.setFont(theme.font(TextRole::Small));
    p.setPen(theme.textMuted);
    p.drawText(layout.caption, layout.captionText, captionOption());
}

void paintFigure(QPainter &p, const std::vector<Panel> &panels, const FigureText &t, const QSizeF &size, Theme theme)
{
    p.fillRect(QRectF(QPointF(), size), Qt::white);
    p.setRenderHints(QPainter::Antialiasing | QPainter::TextAntialiasing);
    // In a small picture the type is smaller than asked for rather than cut.
    Layout layout = arrange(panels, t, size, theme);
    for (int k = 0; k < 16 && !isRoomy(layout); ++k) {
        theme = Theme::print(0.9 * theme.scale);
        layout = arrange(panels, t, size, theme);
    }
    const PlotPainter painter(theme);
    paintTexts(p, layout, theme);
    for (std::size_t i = 0; i < panels.size(); ++i) {
        const Panel &panel = panels[i];
        const PlotFrame &frame = layout.plots[i];
        painter.background(p, frame, panel.content);
        painter.bands(p, frame, panel.series);
        const std::vector<QList<QPointF>> outlines = PlotPainter::outlines(frame, panel.series);
        painter.lines(p, frame, panel.series, outlines);
        painter.foreground(p, frame, panel.content, panel.series, outlines);
        painter.titleRow(p, frame, panel.content, panel.series);
    }
}

Drawing drawingOf(std::vector<Panel> panels, const FigureText &t, const FigureOptions &o, const Theme &theme)
{
    FigureText shown = t;
    if (!o.showCaption)
        shown = {.title = t.title, .dataset = {}, .parameters = {}, .command = {}};
    return {t, o.size, o.pixelRatio, [panels = std::move(panels), shown, size = o.size, theme](QPainter &p) {
                paintFigure(p, panels, shown, size, theme);
            }};
}

Drawing drawingOf(const CurvesData &data, const FigureText &t, const FigureOptions &options)
{
    const Theme theme = Theme::print(options.fontScale);
    return drawingOf(curvePanels(data, options, theme), t, options, theme);
}

Drawing drawingOf(const SweepData &data, const FigureText &t, const FigureOptions &options)
{
    const Theme theme = Theme::print(options.fontScale);
    return drawingOf(sweepPanels(data, theme), t, options, theme);
}

} // namespace

QImage renderCurves(const CurvesData &data, const FigureText &t, const FigureOptions &options)
{
    return rasterize(drawingOf(data, t, options));
}

QImage renderSensitivity(const SweepData &data, const FigureText &t, const FigureOptions &options)
{
    return rasterize(drawingOf(data, t, options));
}

std::optional<Error> exportCurves(const QString &path, const CurvesData &data, const FigureText &t,
                                  const FigureOptions &options)
{
    return writeDrawing(path, drawingOf(data, t, options));
}

std::optional<Error> exportSensitivity(const QString &path, const SweepData &data, const FigureText &t,
                                       const FigureOptions &options)
{
    return writeDrawing(path, drawingOf(data, t, options));
}

std::optional<Error> exportHeatMaps(const QString &path, const SweepData &data, const FigureText &t,
                                    const FigureOptions &options)
{
    const Theme theme = Theme::print(options.fontScale);
    return writeDrawing(path, {t, options.size, options.pixelRatio, [&](QPainter &p) {
                                   p.fillRect(QRectF(QPointF(), options.size), Qt::white);
                                   p.setRenderHints(QPainter::Antialiasing | QPainter::TextAntialiasing);
                                   const Layout layout = arrange({}, t, options.size, theme);
                                   paintTexts(p, layout, theme);
                                   paintHeatMaps(p, layout.body, data, theme);
                               }});
}

std::optional<Error> exportView(const QString &path, QWidget &view, const FigureText &t)
{
    const QString suffix = QFileInfo(path).suffix().toLower();
    if (suffix != QLatin1String("png") && suffix != QLatin1String("pdf")) // SVG does not clip, as views rely on
        return Error{Error::Kind::Usage,
                     QCoreApplication::translate("Figure", "%1: the name of a view's picture ends in .png or .pdf")
                         .arg(path)
                         .toStdString()};
    return writeDrawing(path, {t, view.size(), FigureOptions().pixelRatio, [&view](QPainter &p) {
                                   view.render(&p, {}, {}, QWidget::DrawChildren);
                               }});
}

void copyCurves(const CurvesData &data, const FigureText &t, const FigureOptions &options)
{
    copyDrawing(drawingOf(data, t, options));
}

} // namespace appa::ui
