#pragma once

#include <QColor>
#include <QIcon>
#include <QString>

namespace appa::ui {

struct Theme;

/// An icon of resources/icons in the theme's text colour (or `colour`), sharp at any size and device pixel ratio.
/// Names: run pause stop step back restart fork export fit zoom open save theme help undo trash eye eye-off plus copy
/// pan.
QIcon icon(const QString &name, const Theme &theme, const QColor &colour = {});
/// The program's own icon.
QIcon applicationIcon();

} // namespace appa::ui
