#pragma once

namespace appa {

namespace ui {
class SensitivityTab;
}
class MainWindow;

/// Puts the tab Sensitivity on its page and connects it: the window's problem and optimum go in, runs to be opened come
/// out.
ui::SensitivityTab *fillSensitivity(MainWindow &window);
/// Offers to show the study that was under way when the program ended last, if there is one.
void offerUnfinishedStudy(MainWindow &window);

} // namespace appa
