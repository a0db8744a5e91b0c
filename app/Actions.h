#pragma once

#include "theme/Theme.h"

#include <QAction>
#include <QList>
#include <QObject>
#include <QString>

namespace appa {

/// Every action of the window, declared once: text, shortcut, tooltip, icon. Tool bar, menus and cheat sheet are made
/// from them.
class Actions final : public QObject
{
    Q_OBJECT
public:
    explicit Actions(QObject *parent);

    struct Group
    {
        QString title;
        QList<QAction *> actions; ///< null separates
    };
    QList<Group> groups() const;
    void setTheme(const ui::Theme &theme);
    /// Run becomes Pause while the current run runs.
    void setRunning(bool running);

    QAction *open, *save, *saveAs, *exportFigure, *copyFigure, *copyCommand, *exportCsv, *quit;
    QAction *run, *step, *back, *stop, *pauseAll, *restart, *variant, *slower, *faster, *newRun, *fork;
    QAction *rename, *hide, *solo, *showAll, *compare, *remove, *undo, *selectAll, *nextRun, *previousRun;
    QAction *lambdaUp, *lambdaDown, *lambdaDecadeUp, *lambdaDecadeDown;
    QAction *fit, *undoZoom, *xAxis, *logLoss, *logError, *logX, *countFull, *follow, *theory, *floors, *excess,
        *frames;
    QAction *theme, *light, *dark, *system, *larger, *smaller, *normal, *fullScreen, *presentation, *panel, *table,
        *menu;
    QAction *lessons, *lessonNext, *lessonBack, *lessonAgain, *lessonLeave;
    QAction *help, *about;

private:
    QAction *make(const QString &text, const QString &tip, const QList<QKeySequence> &keys, const char *icon = nullptr);
    QAction *toggle(const QString &text, const QString &tip, const QList<QKeySequence> &keys, bool on,
                    const char *icon = nullptr);
    void refreshRun();

    ui::Theme m_theme = ui::Theme::light();
    bool m_running = false;
};

} // namespace appa
