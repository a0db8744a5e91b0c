#include "LessonWiring.h"

#include "Actions.h"
#include "MainWindow.h"

#include "charts/CurvesView.h"
#include "lessons/LessonBar.h"
#include "lessons/LessonPlayer.h"
#include "shell/MessageBar.h"
#include "views/CurvesFeed.h"

#include <QDir>
#include <QFile>
#include <QMenu>

namespace appa {

using namespace ui;

namespace {

Result<Lesson> readLesson(const QString &path)
{
    QFile file(path);
    if (!file.open(QIODevice::ReadOnly))
        return Error{Error::Kind::Io, (path + QStringLiteral(": ") + file.errorString() + u'.').toStdString()};
    return parseLesson(file.readAll().toStdString(), path.toStdString());
}

void connectPlayer(MainWindow &window, LessonPlayer &player)
{
    QObject::connect(&player, &LessonPlayer::viewAsked, &window, &MainWindow::showView);
    QObject::connect(&player, &LessonPlayer::axisAsked, &window, &MainWindow::setXAxis);
    QObject::connect(&player, &LessonPlayer::speedAsked, &window, &MainWindow::lendSpeed);
    QObject::connect(&player, &LessonPlayer::runChosen, &window, &MainWindow::setCurrentRun);
    QObject::connect(&player, &LessonPlayer::said, &window,
                     [&window](const QString &sentence) { window.messages().say(Level::Info, sentence); });
    QObject::connect(&player, &LessonPlayer::failed, &window,
                     [&window](const QString &sentence) { window.messages().say(Level::Error, sentence); });
    const Actions &a = window.actions();
    QObject::connect(a.lessonNext, &QAction::triggered, &player, &LessonPlayer::next);
    QObject::connect(a.lessonBack, &QAction::triggered, &player, &LessonPlayer::back);
    QObject::connect(a.lessonAgain, &QAction::triggered, &player, &LessonPlayer::again);
    QObject::connect(a.lessonLeave, &QAction::triggered, &player, &LessonPlayer::leave);
    const auto refresh = [&window, &a, &player] {
        const bool on = player.lesson() != nullptr;
        if (!on)
            window.lendSpeed(window.ownSpeed());
        // Also where there is nothing to go to: the keys of a remote control must not fall through to what is behind.
        for (QAction *action : {a.lessonNext, a.lessonBack, a.lessonAgain, a.lessonLeave})
            action->setEnabled(on);
        window.curves().setTestErrorWanted(on);
        window.curvesFeed().setCall(on && !player.isLast() ? MainWindow::tr("Page Down goes on") : QString());
    };
    QObject::connect(&player, &LessonPlayer::changed, &window, refresh);
    refresh();
}

} // namespace

LessonPlayer *fillLessons(MainWindow &window)
{
    auto *player = new LessonPlayer(window.controller(), &window);
    const Actions &a = window.actions();
    auto *bar = new LessonBar(*player, {a.lessonNext, a.lessonBack, a.lessonAgain, a.lessonLeave}, &window);
    window.putAboveCharts(bar);
    bar->setTheme(window.theme());
    QObject::connect(&window, &MainWindow::themeChanged, bar, &LessonBar::setTheme);
    connectPlayer(window, *player);

    QMenu &menu = window.lessonMenu();
    QAction *first = menu.actions().value(0);
    const QDir folder(QStringLiteral(":/lessons"));
    for (const QString &name : folder.entryList({QStringLiteral("*.md")}, QDir::Files, QDir::Name)) {
        const QString path = folder.filePath(name);
        const auto lesson = readLesson(path);
        if (!lesson) // its own lessons are right: tested
            continue;
        auto *action = new QAction(lesson.value().title, &menu);
        action->setToolTip(lesson.value().about);
        QObject::connect(action, &QAction::triggered, &window,
                         [&window, player, path] { openLesson(window, *player, path); });
        menu.insertAction(first, action);
    }
    menu.insertSeparator(first);
    return player;
}

bool isLesson(const QString &path)
{
    return path.endsWith(QLatin1String(".md"), Qt::CaseInsensitive);
}

void openLesson(MainWindow &window, LessonPlayer &player, const QString &path)
{
    window.messages().forget();
    auto lesson = readLesson(path);
    if (!lesson) {
        window.messages().say(Level::Error, QString::fromStdString(lesson.error().message));
        return;
    }
    player.begin(std::move(lesson).value());
}

} // namespace appa
