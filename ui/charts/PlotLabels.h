#pragma once

#include "charts/PlotContent.h"

#include <QFontMetricsF>

#include <span>

namespace appa::ui {

struct Theme;

/// A text over the curves, and the place it got.
struct PlotLabel
{
    enum class Kind { Head, Theory, Mark, Event, Reference };

    Kind kind = Kind::Head;
    int id = 0; ///< a line's id, or the position in its list
    QString text = {};
    QColor ink = {};
    QRectF rect = {};
    std::size_t choice = 0; ///< which of its possible places
    double lineX = 0;       ///< of an event: where its line is

    /// The dot of an event's label, at the end that lies beside its line: other lines may be near the other end.
    QPointF dot() const { return {lineX < rect.center().x() ? rect.left() + 8 : rect.right() - 8, rect.center().y()}; }
};

/// A mark in pixels.
struct MarkPlace
{
    QPointF at;
    bool above; ///< what it marks lies above the frame
    bool below; ///< beneath it
};

/// nullopt: not in view.
std::optional<MarkPlace> placeOfMark(const PointMark &mark, std::span<const PlotSeries> series, const PlotFrame &frame);

/// The pixels of the theory line within the frame.
QList<QList<QPointF>> theoryPieces(const PlotContent &content, const PlotFrame &frame);

/// Whether a line's name goes to the right margin: it reaches there, or ends too close to it for its name.
bool endsAtMargin(const PlotSeries &series, const PlotFrame &frame, const QFontMetricsF &metrics);

/// Places for the labels in a plot where no curve runs. The current run's name and the theory's take the best there is;
/// of the others, those without room go: the legend, the readout and the log have them. `outlines`: what is drawn for
/// each line; `last`: the labels of the frame before, which stay where they can.
std::vector<PlotLabel> placeLabels(const PlotFrame &frame, const PlotContent &content,
                                   std::span<const PlotSeries> series, std::span<const QList<QPointF>> outlines,
                                   const Theme &theme, std::span<const PlotLabel> last);

} // namespace appa::ui
