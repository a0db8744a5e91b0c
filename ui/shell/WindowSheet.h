#pragma once

#include "theme/Theme.h"

#include <QString>

namespace appa::ui {

/// The main window's own style on top of the theme's: section titles, notes beside fields, the run button, side panel.
QString windowSheet(const Theme &theme);

} // namespace appa::ui
