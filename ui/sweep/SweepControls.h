#pragma once

#include "run/Sweep.h"
#include "theme/Theme.h"

#include <QElapsedTimer>
#include <QWidget>

class QLabel;
class QProgressBar;
class QPushButton;

namespace appa::ui {

/// What starts, holds and ends a study, and tells how far it is.
class SweepControls final : public QWidget
{
    Q_OBJECT
public:
    explicit SweepControls(QWidget *parent = nullptr);

    void setTheme(const Theme &theme);
    void setCanStart(bool can); ///< where no study is under way
    void showStudy(const SweepProgress &progress, bool canContinue, bool hasStudy);
    bool isActive() const { return m_active; } ///< a study is under way

    QPushButton *startButton() const { return m_start; }
    QPushButton *pauseButton() const { return m_pause; }
    QPushButton *cancelButton() const { return m_cancel; }
    QPushButton *continueButton() const { return m_continue; }
    QString progressText() const;

signals:
    void startRequested();
    void pauseToggled();
    void cancelRequested();
    void continueRequested();

protected:
    bool eventFilter(QObject *watched, QEvent *event) override;

private:
    void updateButtons(bool active, bool canContinue);
    void showText(const SweepProgress &progress);
    void setIcons();

    Theme m_theme;
    QPushButton *m_start;
    QPushButton *m_pause;
    QPushButton *m_cancel;
    QPushButton *m_continue;
    QPushButton *m_primary = nullptr; ///< what one would press next
    QProgressBar *m_bar;
    QLabel *m_progress;
    bool m_canStart = true;
    bool m_active = false;
    QElapsedTimer m_sinceMoved; ///< the focus, to a button that nobody had chosen
};

} // namespace appa::ui
