// How things are shown: charts' options, themes, presentation, settings, and the files that come and go.
#include "MainWindow.h"

#include "Actions.h"
#include "Documents.h"

#include "charts/CurvesView.h"
#include "charts/FigureExport.h"
#include "charts/LandscapeView.h"
#include "charts/SensitivityView.h"
#include "charts/StageView.h"
#include "data/Catalogue.h"
#include "dialogs/CheatSheet.h"
#include "dialogs/FileQuestion.h"
#include "lessons/Lesson.h"
#include "panels/MethodPanel.h"
#include "panels/NowPanel.h"
#include "panels/ProblemPanel.h"
#include "panels/Section.h"
#include "runs/RunTable.h"
#include "shell/MessageBar.h"
#include "sweep/SensitivityTab.h"
#include "views/CurvesFeed.h"

#include <QApplication>
#include <QCloseEvent>
#include <QComboBox>
#include <QDragEnterEvent>
#include <QMenu>
#include <QMimeData>
#include <QScreen>
#include <QSettings>
#include <QSplitter>
#include <QStatusBar>
#include <QTabWidget>
#include <QToolBar>
#include <QToolButton>

#include <algorithm>

namespace appa {

using namespace ui;

namespace {

/// Type of 2 % of the screen's height can be read from the back of a room.
double presentationScale(const QSize &screen)
{
    return 0.02 * screen.height() / Theme::light().font(TextRole::Body).pixelSize();
}

} // namespace

void MainWindow::connectViewActions()
{
    Actions &a = *m_actions;
    connect(a.fit, &QAction::triggered, this, [this] {
        if (m_tabs->currentWidget() == m_sensitivity)
            m_sensitivityTab->view().fit();
        else if (m_tabs->currentWidget() == m_landscape)
            m_landscape->fit();
        else
            m_curves->fit();
    });
    connect(a.undoZoom, &QAction::triggered, this, [this] {
        if (m_tabs->currentWidget() == m_sensitivity)
            m_sensitivityTab->view().undoZoom();
        else if (m_tabs->currentWidget() == m_landscape)
            m_landscape->undoZoom();
        else
            m_curves->undoZoom();
    });
    connect(a.xAxis, &QAction::triggered, this, [this] {
        m_xAxis->setCurrentIndex((m_xAxis->currentIndex() + 1) % m_xAxis->count());
        setChartOptions();
        remember();
    });
    connect(m_xAxis, &QComboBox::activated, this, [this] {
        setChartOptions();
        remember();
    });
    for (QAction *action : {a.logLoss, a.logError, a.logX, a.countFull, a.excess})
        connect(action, &QAction::toggled, this, &MainWindow::setChartOptions);
    connect(a.follow, &QAction::toggled, m_curves, &CurvesView::setFollow);
    connect(a.theory, &QAction::toggled, m_feed, &CurvesFeed::setTheoryShown);
    connect(a.floors, &QAction::toggled, m_feed, &CurvesFeed::setFloorsShown);
    connect(a.frames, &QAction::toggled, m_curves, &CurvesView::setFrameCounterVisible);
    connect(a.theme, &QAction::triggered, this,
            [this] { setThemeMode(m_theme.isDark ? ThemeMode::Light : ThemeMode::Dark); });
    connect(a.light, &QAction::triggered, this, [this] { setThemeMode(ThemeMode::Light); });
    connect(a.dark, &QAction::triggered, this, [this] { setThemeMode(ThemeMode::Dark); });
    connect(a.system, &QAction::triggered, this, [this] { setThemeMode(ThemeMode::System); });
    connect(a.larger, &QAction::triggered, this, [this] { setScale(m_scale * 1.1); });
    connect(a.smaller, &QAction::triggered, this, [this] { setScale(m_scale / 1.1); });
    connect(a.normal, &QAction::triggered, this, [this] { setScale(1); });
    connect(a.fullScreen, &QAction::toggled, this,
            [this](bool on) { setWindowState(windowState().setFlag(Qt::WindowFullScreen, on)); });
    connect(a.presentation, &QAction::toggled, this, &MainWindow::setPresentation);
    connect(a.panel, &QAction::toggled, this, &MainWindow::arrangeSide);
    connect(a.table, &QAction::toggled, this, [this](bool on) { setShown(m_table, on); });
    for (QAction *action :
         {a.logLoss, a.logError, a.logX, a.countFull, a.excess, a.follow, a.theory, a.floors, a.panel, a.table})
        connect(action, &QAction::toggled, this, &MainWindow::remember);
    connect(a.lessons, &QAction::triggered, this, [this] {
        const QWidget *button = m_toolBar->widgetForAction(m_actions->lessons);
        const QWidget *at = button ? button : m_menuButton;
        m_lessonMenu->popup(at->mapToGlobal(QPoint(0, at->height())));
        m_lessonMenu->setActiveAction(m_lessonMenu->actions().value(0)); // Enter begins it
    });
    connect(a.help, &QAction::triggered, this, &MainWindow::showCheatSheet);
    connect(a.about, &QAction::triggered, this, [this] {
        m_messages->say(
            Level::Info,
            tr("APPA Lab %1: a laboratory for approximate proximal point algorithms. Free software, GPL 3. Qt %2.")
                .arg(QApplication::applicationVersion(), QLatin1String(qVersion())));
    });
    connect(a.quit, &QAction::triggered, this, &QWidget::close);
    connect(a.open, &QAction::triggered, this, &MainWindow::askForFile);
    connect(a.save, &QAction::triggered, this, [this] {
        if (m_documents->path().isEmpty())
            m_actions->saveAs->trigger();
        else
            m_documents->save(m_documents->path());
    });
    connect(a.saveAs, &QAction::triggered, this, [this] {
        ask(this,
            {.title = tr("Save the session"),
             .filter = tr("Sessions (*.appa)"),
             .suffix = QStringLiteral("appa"),
             .suggestion = m_documents->suggestedPath(),
             .size = {m_theme.space(112), m_theme.space(68)}},
            [this](const QString &path) { m_documents->save(path); });
    });
    connect(a.exportFigure, &QAction::triggered, this, [this] { exportFigure(false); });
    connect(a.exportCsv, &QAction::triggered, this, [this] { exportFigure(true); });
    connect(a.copyFigure, &QAction::triggered, this, [this] {
        if (!hasSomethingToDraw())
            return;
        FigureOptions options;
        m_curves->copyPart(options); // what is seen is what is copied
        copyCurves(m_curves->data(), figureText(), options);
        m_messages->say(Level::Info, tr("The charts are on the clipboard."));
    });
}

void MainWindow::setChartOptions()
{
    CurvesOptions options = m_curves->options();
    options.xAxis = static_cast<XAxis>(m_xAxis->currentIndex());
    options.countFullGradients = m_actions->countFull->isChecked();
    options.logX = m_actions->logX->isChecked();
    options.logLoss = m_actions->logLoss->isChecked();
    options.logTestError = m_actions->logError->isChecked();
    options.forceLoss = !m_actions->excess->isChecked();
    const ProblemStatePtr &problem = m_feed->shownProblem();
    const bool regression = problem && problem->problem && problem->problem->data().kind == TargetKind::Real;
    options.testErrorLabel = regression ? tr("Mean squared test error") : QString();
    options.hasTestSet = !problem || !problem->problem || problem->problem->data().test.rows() > 0;
    m_curves->setOptions(options);
}

void MainWindow::setXAxis(XAxis axis)
{
    m_xAxis->setCurrentIndex(static_cast<int>(axis));
    setChartOptions();
}

void MainWindow::showView(LessonView view)
{
    QWidget *const pages[] = {m_curves, m_sensitivity, m_stages, m_landscape, m_theory, m_log};
    QWidget *page = pages[static_cast<std::size_t>(view)];
    if (m_tabs->isTabVisible(m_tabs->indexOf(page)))
        m_tabs->setCurrentWidget(page);
}

void MainWindow::setPresentation(bool on)
{
    m_tabs->currentWidget()->setFocus(); // the keys are the charts', not those of what stands next to what goes
    if (on) {
        m_scaleBefore = m_scale;
        m_panelBefore = m_actions->panel->isChecked();
        m_fullScreenBefore = m_actions->fullScreen->isChecked();
    }
    m_table->setVisible(!on && m_actions->table->isChecked());
    statusBar()->setVisible(!on);
    m_actions->panel->setChecked(!on && m_panelBefore);
    setScale(on ? std::max(m_scaleBefore, presentationScale(screen()->size())) : m_scaleBefore);
    // A window that grows for its larger type does so now: it would not stay full otherwise.
    QCoreApplication::sendPostedEvents(nullptr, QEvent::LayoutRequest);
    m_actions->fullScreen->setChecked(on || m_fullScreenBefore);
    m_messages->holdOffers(on);
    if (on)
        m_messages->say(Level::Info, tr("Escape or F5 ends the presentation."),
                        [this] { return m_actions->presentation->isChecked(); });
    else
        m_messages->review();
}

void MainWindow::arrangeSide()
{
    // Where one presents, lambda and the figures stay in any case.
    const bool brief = m_actions->presentation->isChecked() && !m_actions->panel->isChecked();
    m_problemSection->setVisible(!brief);
    m_methodSection->setTitleVisible(!brief);
    m_methodPanel->setBrief(brief);
    const int room = screen()->availableSize().width();
    m_side->setMinimumWidth(brief ? std::min(m_theme.space(22), room / 4) : std::min(m_theme.space(34), room * 2 / 5));
    m_side->setMaximumWidth(brief ? m_side->minimumWidth() : m_theme.space(60));
    setShown(m_side, brief || m_actions->panel->isChecked());
    const int wanted = m_sideWidth > 0 ? qRound(m_sideWidth * m_scale)
                                       : std::min(m_theme.space(40), std::max(width() / 3, m_side->minimumWidth()));
    const int side = std::clamp(wanted, m_side->minimumWidth(), m_side->maximumWidth());
    m_across->setSizes({side, std::max(200, width() - side)});
}

void MainWindow::setShown(QWidget *part, bool shown)
{
    const QWidget *focus = QApplication::focusWidget();
    if (!shown && focus && (part == focus || part->isAncestorOf(focus)))
        m_tabs->currentWidget()->setFocus();
    part->setVisible(shown);
}

void MainWindow::showCheatSheet()
{
    QList<CheatSheet::Group> groups;
    for (const Actions::Group &group : m_actions->groups())
        groups.append({group.title, group.actions});
    auto *sheet = new CheatSheet(groups, m_theme, this);
    sheet->show();
}

void MainWindow::refreshSources()
{
    std::vector<DataSource> sources;
    for (const CatalogueEntry &entry : catalogue())
        sources.push_back({QString::fromStdString(entry.name), QString::fromStdString(entry.description),
                           entry.isAvailable, defaultRecipe(entry.name)});
    QStringList files = m_documents->recentFiles();
    files.removeIf([](const QString &path) { return Documents::isSession(path); });
    m_problemPanel->setSources(std::move(sources), files);
}

void MainWindow::readSettings()
{
    const QSettings s;
    m_mode = static_cast<ThemeMode>(s.value(QStringLiteral("theme"), static_cast<int>(ThemeMode::System)).toInt());
    m_scale = std::clamp(s.value(QStringLiteral("scale"), 1.0).toDouble(), 0.7, 3.0);
    resize(1440, 900);
    if (!restoreGeometry(s.value(QStringLiteral("geometry")).toByteArray())) {
        const QSize room = screen()->availableSize();
        if (room.width() <= 1500 || room.height() <= 960)
            setWindowState(Qt::WindowMaximized);
    }
    m_tableByHand = m_down->restoreState(s.value(QStringLiteral("tableHeight")).toByteArray());
    m_sideWidth = s.value(QStringLiteral("sideWidth")).toDouble();
    m_xAxis->setCurrentIndex(std::clamp(s.value(QStringLiteral("xAxis"), 0).toInt(), 0, 3));
    // Slow enough to see the curves move and to take hold of lambda; whoever wants full speed says so once.
    setSpeed(s.value(QStringLiteral("speed"), 2.0).toDouble());
    const auto restore = [&s](QAction *action, const char *key) {
        action->setChecked(s.value(QLatin1String(key), action->isChecked()).toBool());
    };
    Actions &a = *m_actions;
    restore(a.logLoss, "logLoss");
    restore(a.logError, "logError");
    restore(a.logX, "logX");
    restore(a.countFull, "countFull");
    restore(a.excess, "excess");
    restore(a.follow, "follow");
    restore(a.theory, "theoryLine");
    restore(a.floors, "floors");
    restore(a.panel, "panel");
    restore(a.table, "tableShown");
    setChartOptions();
    m_remembers = true;
}

/// What was chosen, at once: a program that is killed is not asked to close.
void MainWindow::remember() const
{
    if (!m_remembers)
        return;
    QSettings s;
    const bool presents = m_actions->presentation->isChecked(); // its type and its panel are not for work
    s.setValue(QStringLiteral("theme"), static_cast<int>(m_mode));
    s.setValue(QStringLiteral("scale"), presents ? m_scaleBefore : m_scale);
    s.setValue(QStringLiteral("xAxis"), m_xAxis->currentIndex());
    s.setValue(QStringLiteral("speed"), m_ownSpeed); // not a lesson's
    const Actions &a = *m_actions;
    const std::pair<const char *, QAction *> switches[] = {
        {"logLoss", a.logLoss},     {"logError", a.logError}, {"logX", a.logX},
        {"countFull", a.countFull}, {"follow", a.follow},     {"theoryLine", a.theory},
        {"excess", a.excess},       {"floors", a.floors},     {"tableShown", a.table}};
    for (const auto &[key, action] : switches)
        s.setValue(QLatin1String(key), action->isChecked());
    s.setValue(QStringLiteral("panel"), presents ? m_panelBefore : a.panel->isChecked());
}

void MainWindow::rememberLayout() const
{
    QSettings s;
    s.setValue(QStringLiteral("geometry"), saveGeometry());
    s.setValue(QStringLiteral("table"), m_table->layoutState());
    s.setValue(QStringLiteral("tableHeight"), m_tableByHand ? m_down->saveState() : QByteArray());
    s.setValue(QStringLiteral("sideWidth"), m_sideWidth);
}

void MainWindow::changeEvent(QEvent *event)
{
    if (event->type() == QEvent::WindowStateChange) // also by the window manager, or as it was left last time
        m_actions->fullScreen->setChecked(isFullScreen());
    QMainWindow::changeEvent(event);
}

void MainWindow::closeEvent(QCloseEvent *event)
{
    m_actions->presentation->setChecked(false); // what is remembered is the window for work
    remember();
    rememberLayout();
    std::vector<RunId> running;
    for (const auto &run : m_controller->model().runs())
        if (run->isRunning())
            running.push_back(run->id);
    m_controller->pauseAll();
    const ProblemStatePtr unsaved = m_documents->finish();
    event->setAccepted(!unsaved || m_closesAnyway);
    if (event->isAccepted())
        return;
    for (const RunId id : running) // the window stays, and so does what was going on in it
        m_controller->resume(id);
    askBeforeClosing(unsaved);
}

void MainWindow::askBeforeClosing(const ProblemStatePtr &unsaved)
{
    const auto isIts = [&](const auto &run) { return run->problem == unsaved && run->isWorthKeeping(); };
    if (const auto run = std::ranges::find_if(m_controller->model().runs(), isIts);
        run != m_controller->model().runs().end() && m_feed->shownProblem() != unsaved)
        setCurrentRun((*run)->id); // what is saved is what is shown
    const QString saveAs = tr("Save as …");
    m_messages->withdraw(saveAs); // asked before
    m_messages->offer(
        Level::Warning,
        tr("%1: this work is not saved, and it could not be kept for the next start either.").arg(unsaved->title),
        saveAs, [this] { m_actions->saveAs->trigger(); }, tr("Close all the same"),
        [this] {
            m_closesAnyway = true;
            close();
        });
}

bool MainWindow::event(QEvent *event)
{
    if (event->type() == QEvent::ThemeChange) { // the desktop's: day and night, perhaps
        Theme::askSystem();
        applyTheme();
    }
    if (event->type() == QEvent::StatusTip) // the status bar says how the run is; what a button does its tool tip says
        return true;
    return QMainWindow::event(event);
}

} // namespace appa
