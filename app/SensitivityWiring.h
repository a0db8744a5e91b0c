#pragma once

namespace appa {

namespace ui {
class SensitivityTab;
}
class MainWindow;

/// Puts the tab Sensitivity on its page and connects it: the window's problem and optimum go in, runs to be opened come
/// out.
ui::SensitivityTab *fillSensitivity(MainWindow &window);

} // namespace appa
