#pragma once

#include "Background.h"
#include "RunController.h"
#include "charts/FigureExport.h"
#include "theme/Theme.h"

#include <QMainWindow>

#include <functional>

class QComboBox;
class QLabel;
class QMenu;
class QSplitter;
class QTabWidget;
class QToolBar;
class QToolButton;
class QScrollArea;

namespace appa {

namespace ui {
class CompareView;
class CurvesFeed;
class CurvesView;
class FlatStyle;
class FocusRing;
class LessonPlayer;
enum class LessonView;
class LandscapeView;
class LogView;
class MessageBar;
class MethodPanel;
class NowPanel;
class ProblemPanel;
class RunTable;
class Section;
class SensitivityTab;
class StageFeed;
class StageView;
class TheoryView;
} // namespace ui

class Actions;
class Documents;
class Downloader;
class StatusLine;

/// What an export writes, as it was at one moment: the window goes on changing its own.
struct CurvesExport
{
    ui::CurvesData data;
    ui::FigureText text;
    std::shared_ptr<const std::vector<ui::RunRecord>> runs; ///< what their numbers need
};

/// The window: it makes the parts and wires them; what they do is theirs.
class MainWindow final : public QMainWindow
{
    Q_OBJECT
public:
    explicit MainWindow(ui::FlatStyle *style = nullptr, QWidget *parent = nullptr);
    ~MainWindow() override;

    /// Loads the first problem (or opens what the command line named) and looks for unsaved work. After the first
    /// frame.
    void begin(const QStringList &files = {});

    ui::RunController &controller() { return *m_controller; }
    Actions &actions() { return *m_actions; }
    Documents &documents() { return *m_documents; }
    ui::CurvesView &curves() { return *m_curves; }
    ui::CurvesFeed &curvesFeed() { return *m_feed; }
    ui::RunTable &table() { return *m_table; }
    ui::MethodPanel &methodPanel() { return *m_methodPanel; }
    ui::ProblemPanel &problemPanel() { return *m_problemPanel; }
    ui::MessageBar &messages() { return *m_messages; }
    ui::CompareView &compareView();
    ui::LogView &log() { return *m_log; }
    QTabWidget &tabs() { return *m_tabs; }
    QWidget &sensitivityPage() { return *m_sensitivity; }
    ui::SensitivityTab &sensitivity() { return *m_sensitivityTab; }
    ui::LessonPlayer &lessons() { return *m_lessons; }
    QMenu &lessonMenu() { return *m_lessonMenu; }
    void putAboveCharts(QWidget *widget);
    const ui::Theme &theme() const { return m_theme; }

    RunId currentRun() const { return m_current; }
    void setCurrentRun(RunId id);
    QList<RunId> chosenRuns() const; ///< what the transport acts on: the selected ones, or the current
    void setThemeMode(ui::ThemeMode mode);
    ui::ThemeMode themeMode() const { return m_mode; }
    void setScale(double scale);
    void setSpeed(double stagesPerSecond);  ///< 0: as fast as it goes
    void lendSpeed(double stagesPerSecond); ///< a lesson's, until the user's own is asked for again
    double ownSpeed() const { return m_ownSpeed; }
    void setXAxis(ui::XAxis axis);
    void showView(ui::LessonView view);       ///< if it can be seen now
    void openFiles(const QStringList &files); ///< data, sessions or lessons
    CurvesExport curvesExport() const;        ///< of the problem shown
    /// Writes PNG, SVG, PDF or CSV, by the file's ending, in the background. `ended` is told why not, or "".
    void exportTo(const QString &path, const CurvesExport &what, const ui::FigureOptions &options = {},
                  const std::function<void(const QString &problem)> &ended = {});

signals:
    void themeChanged(const appa::ui::Theme &theme);

protected:
    void changeEvent(QEvent *event) override;
    void closeEvent(QCloseEvent *event) override;
    void resizeEvent(QResizeEvent *event) override;
    void dragEnterEvent(QDragEnterEvent *event) override;
    void dropEvent(QDropEvent *event) override;
    bool eventFilter(QObject *watched, QEvent *event) override;
    bool event(QEvent *event) override;
    void keyPressEvent(QKeyEvent *event) override;
    bool focusNextPrevChild(bool next) override;

private:
    void buildParts();
    void buildToolBar();
    void fillRecent(QMenu *menu);
    void fitToolBar();
    void scaleToolBar(double scale);
    void fitTable();
    void buildMenu();
    void connectController();
    void connectPanels();
    void connectRunActions();
    void connectViewActions();
    void applyTheme();
    void loadFirstProblem();
    void problemChanged();
    void startWhenLoaded(bool starts);
    void ensureRun(RunSpec spec = {}, const StopRules &stop = {});
    void openData(const QString &path, const DataRecipe *as = nullptr);
    void askForFile();
    void download(const QString &name);
    void refreshCurrent();
    void refreshActions();
    void refreshTheory();
    void setChartOptions();
    void stepLambda(int tenths);
    void setPresentation(bool on);
    void arrangeSide();                       ///< all of the panel, what a presentation needs of it, or nothing
    void setShown(QWidget *part, bool shown); ///< the focus does not go to whatever is next when it is hidden
    void exportFigure(bool csv);
    void exportShownView(QWidget *view, const QString &name);
    bool hasSomethingToDraw(); ///< or says that there is nothing
    ui::FigureText figureText() const;
    void readSettings();
    void askBeforeClosing(const ui::ProblemStatePtr &unsaved);
    void remember() const;       ///< what was chosen
    void rememberLayout() const; ///< sizes and places, at the end
    void showCheatSheet();
    void tell(ui::Level level, const QString &sentence); ///< now, and in the log for later
    static QString ridgeOffer();
    void refreshSources();
    /// How long what is said of a run is worth reading: until it goes on or back, is gone, or another is chosen.
    std::function<bool()> untilItGoesOn(RunId id) const;

    ui::FlatStyle *m_style;
    ui::Theme m_theme;
    ui::ThemeMode m_mode = ui::ThemeMode::System;
    double m_scale = 1;
    double m_scaleBefore = 1; ///< a presentation, as the next
    bool m_panelBefore = true;
    bool m_fullScreenBefore = false;
    bool m_closesAnyway = false; ///< what cannot be written is given up
    bool m_remembers = false;    ///< not while it is still being told
    double m_toolScale = 0;      ///< the tool bar's, which grows less where the window is narrow
    std::unique_ptr<ui::RunController> m_controller;
    Actions *m_actions;
    Documents *m_documents = nullptr;
    QToolBar *m_toolBar = nullptr;
    QList<QAction *> m_toolLabels; ///< hidden where the window is narrow
    /// Each with what it stands before; the last ones give way where it is narrower still.
    QList<std::pair<QAction *, QAction *>> m_toolExtras;
    QComboBox *m_speed = nullptr;
    double m_ownSpeed = 0;
    QComboBox *m_xAxis = nullptr;
    QToolButton *m_menuButton = nullptr;
    QMenu *m_lessonMenu = nullptr;
    ui::LessonPlayer *m_lessons = nullptr;
    ui::MessageBar *m_messages = nullptr;
    ui::ProblemPanel *m_problemPanel = nullptr;
    ui::MethodPanel *m_methodPanel = nullptr;
    ui::NowPanel *m_now = nullptr;
    QWidget *m_side = nullptr;
    QWidget *m_problemSection = nullptr;
    ui::Section *m_methodSection = nullptr;
    QScrollArea *m_scroll = nullptr;
    QSplitter *m_across = nullptr;
    double m_sideWidth = 0;     ///< at normal type, if it was set by hand: the panel grows and shrinks with its type
    QWidget *m_right = nullptr; ///< beside the side panel
    QSplitter *m_down = nullptr;
    bool m_tableByHand = false; ///< its height is the user's
    QTabWidget *m_tabs = nullptr;
    ui::CurvesView *m_curves = nullptr;
    ui::CurvesFeed *m_feed = nullptr;
    ui::StageView *m_stages = nullptr;
    ui::LandscapeView *m_landscape = nullptr;
    ui::StageFeed *m_stageFeed = nullptr;
    ui::TheoryView *m_theory = nullptr;
    ui::LogView *m_log = nullptr;
    QWidget *m_sensitivity = nullptr;
    ui::SensitivityTab *m_sensitivityTab = nullptr;
    ui::RunTable *m_table = nullptr;
    ui::CompareView *m_compare = nullptr;
    StatusLine *m_status = nullptr;
    Downloader *m_downloader = nullptr; ///< made when something is downloaded
    RunId m_current = 0;
    RunId m_standIn = 0;             ///< made because all others were deleted
    bool m_startsWhenLoaded = false; ///< Run was pressed before there was anything to run
    QTimer m_theoryPause;
    bool m_tabFocus = false; ///< the focus came by Tab: Space belongs to the widget
    ui::FocusRing *m_ring;   ///< around what has it then and shows nothing of it itself
};

} // namespace appa
