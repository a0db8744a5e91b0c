#pragma once

#include "run/Sweep.h"
#include "theme/Theme.h"

#include <QElapsedTimer>
#include <QWidget>

class QLabel;
class QLineEdit;
class QProgressBar;
class QPushButton;
class QSpinBox;
class QStackedWidget;
class QTableView;
class QToolButton;

namespace appa::ui {

class SweepMethodModel;

/// The plan of a study (methods, grid, seeds, stages), what it will take, and its progress.
class SweepForm final : public QWidget
{
    Q_OBJECT
public:
    explicit SweepForm(QWidget *parent = nullptr);

    void setTheme(const Theme &theme);
    void setProblem(const ProblemPtr &problem);
    void setPlan(const SweepPlan &plan);
    /// The plan as entered, or the first thing that is wrong with it.
    Result<SweepPlan> plan() const;
    int jobs() const;

    void showEstimate(const std::optional<SweepEstimate> &estimate); ///< nullopt: it is being made
    void withdrawEstimate();                                         ///< of another plan, or never finished
    void showProgress(const SweepProgress &progress, bool canContinue, bool hasStudy);
    void showError(const QString &sentence); ///< "": none
    void setCanStart(bool can);              ///< where no study is under way
    /// The study shown is about this problem, which is not the window's; "": it is. `canLoad`: it is known how to make
    /// it.
    void showOtherProblem(const QString &title, bool canLoad);

    QPushButton *startButton() const { return m_start; }
    QPushButton *pauseButton() const { return m_pause; }
    QPushButton *cancelButton() const { return m_cancel; }
    QPushButton *continueButton() const { return m_continue; }
    QToolButton *loadButton() const { return m_load; } ///< the study's own problem
    QToolButton *openButton() const { return m_open; }
    QTableView *methodView() const { return m_methodView; }
    QLineEdit *settingsEdit() const { return m_settings; } ///< of the current method
    QLineEdit *fromEdit() const { return m_from; }
    QLineEdit *toEdit() const { return m_to; }
    QSpinBox *countBox() const { return m_count; }
    QLineEdit *seedsEdit() const { return m_seeds; }
    QSpinBox *stagesBox() const { return m_stages; }
    QString estimateText() const;
    QString errorText() const;
    QString progressText() const;
    QString otherProblemText() const;
    SweepMethodModel &methods() const { return *m_methods; }

signals:
    void edited();
    void startRequested();
    void pauseToggled();
    void cancelRequested();
    void continueRequested();
    void openRequested();
    void problemRequested();

protected:
    bool eventFilter(QObject *watched, QEvent *event) override;

private:
    bool hasList() const; ///< of lambdas, in the place of the first
    void updateGrid();
    void updateVariantButtons();
    void updateButtons(bool active, bool canContinue);

    SweepMethodModel *m_methods;
    QTableView *m_methodView;
    QLineEdit *m_settings;
    QToolButton *m_add;
    QToolButton *m_remove;
    QLineEdit *m_from;
    QLineEdit *m_to;
    QSpinBox *m_count;
    QLabel *m_gridNote;
    QLineEdit *m_seeds;
    QSpinBox *m_stages;
    QSpinBox *m_jobs;
    QStackedWidget *m_says = nullptr; ///< the estimate, or the error
    QLabel *m_estimate;
    QLabel *m_error;
    QPushButton *m_start;
    QPushButton *m_pause;
    QPushButton *m_cancel;
    QPushButton *m_continue;
    bool m_canStart = true;
    bool m_active = false;      ///< a study is under way
    QElapsedTimer m_sinceMoved; ///< the focus, to a button that nobody had chosen
    QToolButton *m_open;
    QProgressBar *m_bar;
    QLabel *m_progress;
    QLabel *m_other;
    QToolButton *m_load;
};

} // namespace appa::ui
