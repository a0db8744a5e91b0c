#pragma once

#include "base/Result.h"
#include "charts/Curve.h"
#include "charts/SweepPoint.h"

#include <QImage>
#include <QSizeF>
#include <QString>

#include <optional>

class QWidget;

namespace appa::ui {

/// What a figure says beside its curves; goes into the picture and into the file's metadata.
struct FigureText
{
    QString title;
    QString dataset;    ///< "mnist-6k (n = 6000, d = 784)"
    QString parameters; ///< "squared loss, ridge 0, dual-appa:sdca λ = 10⁻⁴, seed 1"
    QString command;    ///< metadata only: how to make it again
};

enum class FigurePanels { Both, LossOnly, TestErrorOnly };

struct FigureOptions
{
    QSizeF size{1000, 720}; ///< in units of 1/96 inch, in which type is measured too
    double pixelRatio = 2;  ///< PNG: pixels per unit; 2 is 192 dpi, a preview may have less than 1
    double fontScale = 1;
    FigurePanels panels = FigurePanels::Both;
    bool showEvents = true;
    bool showLabels = true;     ///< the runs' names at their lines; the legend has them too
    bool showValues = true;     ///< in the legend
    bool showCaption = true;    ///< data set and parameters, which the file's description has in any case
    std::optional<double> xMin; ///< in units of the axes; without them: everything
    std::optional<double> xMax;
    std::optional<double> yMin; ///< of the upper chart
    std::optional<double> yMax;
    std::optional<double> errorMin; ///< of the lower one
    std::optional<double> errorMax;
};

/// Always on white. These need a QGuiApplication (the offscreen platform will do), no window.
QImage renderCurves(const CurvesData &data, const FigureText &text, const FigureOptions &options = {});
QImage renderSensitivity(const SweepData &data, const FigureText &text, const FigureOptions &options = {});

/// Writes PNG, SVG or PDF by the file's ending, atomically; an error names the file and the reason.
std::optional<Error> exportCurves(const QString &path, const CurvesData &data, const FigureText &text,
                                  const FigureOptions &options = {});
std::optional<Error> exportSensitivity(const QString &path, const SweepData &data, const FigureText &text,
                                       const FigureOptions &options = {});
std::optional<Error> exportHeatMaps(const QString &path, const SweepData &data, const FigureText &text,
                                    const FigureOptions &options = {});
/// A view as it is on the screen, in its colours: PNG or PDF, on the thread of the window.
std::optional<Error> exportView(const QString &path, QWidget &view, const FigureText &text);

/// Puts the picture (and an SVG of it) on the clipboard.
void copyCurves(const CurvesData &data, const FigureText &text, const FigureOptions &options = {});

} // namespace appa::ui
