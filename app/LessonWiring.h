#pragma once

#include <QString>

namespace appa {

class MainWindow;

namespace ui {
class LessonPlayer;
}

/// Puts the lessons into the window: their menu, the bar above the charts, and what the commands of a step act on.
/// The window owns what is made.
ui::LessonPlayer *fillLessons(MainWindow &window);

/// Whether the file is a lesson, by its ending.
bool isLesson(const QString &path);
/// Begins the lesson in the file, or says what is wrong with it and changes nothing.
void openLesson(MainWindow &window, ui::LessonPlayer &player, const QString &path);

} // namespace appa
