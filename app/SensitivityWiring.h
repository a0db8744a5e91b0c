#pragma once

namespace appa {

namespace ui {
class SensitivityTab;
}
class MainWindow;

/// Puts the tab Sensitivity on its page and connects it: the window's problem and optimum go in, runs to be opened come
/// out.
ui::SensitivityTab *fillSensitivity(MainWindow &window);
/// Offers to show the studies that were under way when the program ended, the last one first.
void offerUnfinishedStudies(MainWindow &window);

} // namespace appa
