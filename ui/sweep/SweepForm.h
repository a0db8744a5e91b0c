#pragma once

#include "run/Sweep.h"
#include "theme/Theme.h"

#include <QWidget>

class QLabel;
class QStackedWidget;
class QToolButton;

namespace appa::ui {

class SweepControls;
class SweepGridForm;
class SweepMethodModel;
class SweepMethodsForm;

/// The side of the sensitivity tab: a study's plan, what it will take, and what carries it out.
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

    SweepMethodsForm &methodsForm() const { return *m_methods; }
    SweepMethodModel &methods() const;
    SweepGridForm &grid() const { return *m_grid; }
    SweepControls &controls() const { return *m_controls; }
    QToolButton *loadButton() const { return m_load; } ///< the study's own problem
    QToolButton *openButton() const { return m_open; }
    QString estimateText() const;
    QString errorText() const;
    QString otherProblemText() const;

signals:
    void edited();
    void openRequested();
    void problemRequested();

private:
    SweepMethodsForm *m_methods;
    SweepGridForm *m_grid;
    QToolButton *m_open;
    QLabel *m_other;
    QToolButton *m_load;
    QStackedWidget *m_says; ///< the estimate, or the error
    QLabel *m_estimate;
    QLabel *m_error;
    SweepControls *m_controls;
};

} // namespace appa::ui
