#pragma once

#include "Background.h"
#include "Level.h"
#include "run/SweepSummary.h"
#include "sweep/SweepController.h"
#include "theme/Theme.h"

#include <QTimer>
#include <QWidget>

class QBoxLayout;
class QComboBox;
class QLabel;
class QLineEdit;
class QSlider;
class QSplitter;
class QTableView;
class QToolButton;

namespace appa::ui {

class SensitivityView;
class SweepForm;
class SweepSummaryModel;
struct SweepPoint;

/// The tab Sensitivity: plan a study, watch it, read it. It knows no other part of the window; runs to be opened as
/// full runs leave it by a signal.
class SensitivityTab final : public QWidget
{
    Q_OBJECT
public:
    explicit SensitivityTab(QWidget *parent = nullptr);
    ~SensitivityTab() override;

    void setTheme(const Theme &theme);
    /// `options`: the command line's PROBLEM options, for the figure's metadata and "copy as command line".
    void setProblem(const ProblemPtr &problem, const QString &options = {});
    void setOptimum(const std::optional<Optimum> &optimum);
    void setFloors(const std::map<double, double> &floors); ///< lambda -> ls(lambda)
    /// The same switch as the curves': whether SVRG's full gradients count as passes.
    void setCountFullGradients(bool on);

    SweepController &controller() { return *m_controller; }
    SweepForm &form() const { return *m_form; }
    SensitivityView &view() const { return *m_view; }
    SweepSummaryModel &summary() const { return *m_summary; }
    QComboBox *measureBox() const { return m_measure; }
    QSlider *stageSlider() const { return m_stage; }
    QToolButton *heatMapButton() const { return m_heatMap; }
    QToolButton *bestButton() const { return m_best; }
    QString hoverText() const;
    QString aboutText() const; ///< over the chart: what the study is about
    /// Shows the study in a folder, and its plan in the form; "" or why not.
    QString open(const QString &folder);

    SweepMeasure measure() const;
    Index stage() const;
    /// The specs of each method's best run so far (its best lambda; the seed whose value is the median one).
    std::vector<RunSpec> bestRuns() const;
    /// Writes PNG, SVG, PDF (the figure) or CSV (the results).
    std::optional<Error> exportTo(const QString &path) const;
    void exportFigure();         ///< asks where to
    QString commandLine() const; ///< the study as a command

signals:
    /// Open this as a full run in the curves.
    void runRequested(const appa::RunSpec &spec, const appa::StopRules &stop);
    void bestRequested(const std::vector<appa::RunSpec> &specs, const appa::StopRules &stop);
    void floorsWanted(const std::vector<double> &lambdas); ///< ls(lambda) for the figure
    void said(appa::ui::Level level, const QString &sentence);
    void problemWanted(const appa::SweepContext &context); ///< the study's own, to be made again
    void activityChanged(bool active);

protected:
    bool eventFilter(QObject *watched, QEvent *event) override;
    void resizeEvent(QResizeEvent *event) override;

private:
    QWidget *makeHeader();
    void arrangeHeader();
    void fitTable();
    void planEdited();
    void estimateNow();
    void dropEstimate(); ///< that is not finished: a study begins
    void start();
    void openStudy();
    void studyChanged();
    void refresh();
    void refreshTable();
    void showProgress();
    void activate(const SweepPoint &point);

    SweepController *m_controller;
    SweepForm *m_form;
    SensitivityView *m_view;
    SweepSummaryModel *m_summary;
    QSplitter *m_splitter;
    QSplitter *m_charts = nullptr; ///< the chart over the table
    bool m_chartsByHand = false;   ///< their shares are the user's
    QTableView *m_table;
    QBoxLayout *m_header = nullptr;
    int m_wide = 0;   ///< from here on its header has one row
    int m_narrow = 0; ///< up to here the buttons below the chart have no names
    QComboBox *m_measure;
    QLineEdit *m_target;
    QLabel *m_targetLabel;
    QSlider *m_stage;
    QLabel *m_stageLabel;
    QToolButton *m_lines;
    QToolButton *m_heatMap;
    QToolButton *m_floors;
    QToolButton *m_best;
    QToolButton *m_export;
    QToolButton *m_copy;
    QLabel *m_hover;
    QLabel *m_about;
    int m_quartilesTitle = 0; ///< how wide it is
    QTimer m_settle;
    QTimer m_tableTimer;
    Background m_estimating;
};

} // namespace appa::ui
