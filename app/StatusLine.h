#pragma once

#include "RunController.h"

#include <QElapsedTimer>
#include <QHash>
#include <QTimer>
#include <QWidget>

class QLabel;
class QProgressBar;
class QToolButton;

namespace appa {

/// The status bar: what the current run does and when it will be done, work in the background with its progress and a
/// way to cancel it, memory and cores.
class StatusLine final : public QWidget
{
    Q_OBJECT
public:
    explicit StatusLine(ui::RunController &controller, QWidget *parent = nullptr);

    void setCurrentRun(RunId id);
    QString text() const; ///< also what has no room

protected:
    bool eventFilter(QObject *watched, QEvent *event) override;

private:
    void say(const QString &text);
    void refresh();
    void refreshBackground();
    void refreshMachine();
    void measurePace(RunId id);
    double secondsLeft(const ui::RunRecord &run) const;

    ui::RunController &m_controller;
    RunId m_current = 0;
    QLabel *m_run;
    QString m_text; ///< of it, in full
    QLabel *m_work;
    QProgressBar *m_bar;
    QToolButton *m_cancel;
    QLabel *m_machine;
    QTimer m_machineTimer;
    double m_fraction = 0;
    QString m_what;
    struct Pace
    {
        QElapsedTimer clock;
        Index stage = 0;
    };
    QHash<RunId, Pace> m_pace; ///< since it last began to run
};

} // namespace appa
