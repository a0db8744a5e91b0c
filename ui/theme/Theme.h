#pragma once

#include <QColor>
#include <QFont>
#include <QList>
#include <QPalette>
#include <QString>

class QApplication;

namespace appa {
enum class MethodFamily;
}

namespace appa::ui {

enum class ThemeMode { Light, Dark, System };

/// The typographic scale; every size is multiplied by the font scale factor.
enum class TextRole { Small, Body, Strong, Title, Display, Mono };

/// Colours, type and spacing as one value. Views take it by `setTheme`; `apply` gives it to the whole application.
struct Theme
{
    bool isDark = false;
    double scale = 1; ///< Ctrl +/-: scales type and spacing

    QColor window;    ///< the window's ground
    QColor panel;     ///< side panels, tool bar, table headers
    QColor base;      ///< fields, tables
    QColor alternate; ///< every second table row
    QColor button;
    QColor text;
    QColor textMuted;  ///< labels, units, axis numbers: at least 4.5:1 on every ground above
    QColor textFaint;  ///< disabled text
    QColor separator;  ///< 1-px lines between regions
    QColor outline;    ///< of fields and check boxes: at least 3:1
    QColor accent;     ///< the one accent: focus, event markers, links
    QColor accentFill; ///< the same as a ground: default button, ticked boxes
    QColor accentText; ///< on `accentFill`
    QColor selection;  ///< row selection: quiet, so that it does not tint swatches
    QColor selectionText;
    QColor good;
    QColor warning;
    QColor danger;

    QColor plot; ///< ground of the plot area
    QColor grid;
    QColor gridMinor;
    QColor frame; ///< around the plot area
    QColor crosshair;

    static Theme light(double scale = 1);
    static Theme dark(double scale = 1);
    static Theme print(double scale = 1); ///< figures: on white
    /// System: dark if the platform's own palette is (ask before the first `apply`).
    static Theme make(ThemeMode mode, double scale = 1);
    static bool systemIsDark();
    /// The desktop has another look: asks it again. The palette is the platform's until the next `apply`.
    static void askSystem();

    QPalette palette() const;
    QFont font(TextRole role) const;
    QString styleSheet() const;
    /// Fusion, palette, font and style sheet for the application; safe to call again at any time.
    void apply(QApplication &app) const;

    /// Multiples of the 8-px grid, scaled.
    int space(double units = 1) const;

    /// Colour-blind safe colours for curves (after Okabe and Ito, tuned to 3:1 on this ground); `index` wraps around.
    QColor series(int index) const;
    static int seriesCount();
    /// Dashes in pen widths; empty is a solid line.
    static QList<qreal> dash(MethodFamily family);
};

/// The installed family to use: Inter where it is there, else the platform's own sans serif.
QString uiFontFamily();

/// The contrast ratio of WCAG 2, 1 to 21.
double contrastRatio(const QColor &a, const QColor &b);

} // namespace appa::ui
