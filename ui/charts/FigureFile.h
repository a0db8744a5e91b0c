#pragma once

#include "charts/FigureExport.h"

#include <functional>

class QPainter;

namespace appa::ui {

/// A figure before it has a format.
struct Drawing
{
    FigureText text;
    QSizeF size;       ///< as in FigureOptions
    double pixelRatio; ///< as there
    std::function<void(QPainter &)> paint;
};

/// The line below a figure.
QString captionOf(const FigureText &text);

QImage rasterize(const Drawing &drawing);
/// PNG, SVG or PDF by the file's ending.
std::optional<Error> writeDrawing(const QString &path, const Drawing &drawing);
void copyDrawing(const Drawing &drawing);

} // namespace appa::ui
