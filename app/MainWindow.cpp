#include "MainWindow.h"

#include "Actions.h"
#include "Documents.h"
#include "LessonWiring.h"
#include "SensitivityWiring.h"
#include "StatusLine.h"

#include "charts/CurvesView.h"
#include "charts/LandscapeView.h"
#include "charts/StageView.h"
#include "lessons/LessonPlayer.h"
#include "panels/MethodPanel.h"
#include "panels/NowPanel.h"
#include "panels/ProblemPanel.h"
#include "panels/Section.h"
#include "runs/RunTable.h"
#include "shell/FlatStyle.h"
#include "shell/FocusRing.h"
#include "shell/MessageBar.h"
#include "shell/WindowSheet.h"
#include "theme/Icons.h"
#include "views/CompareView.h"
#include "views/CurvesFeed.h"
#include "views/LogView.h"
#include "views/StageFeed.h"
#include "views/TheoryView.h"

#include <QApplication>
#include <QComboBox>
#include <QFileInfo>
#include <QHBoxLayout>
#include <QLabel>
#include <QMenu>
#include <QScreen>
#include <QScrollArea>
#include <QScrollBar>
#include <QSettings>
#include <QSplitter>
#include <QStatusBar>
#include <QTabBar>
#include <QTabWidget>
#include <QToolBar>
#include <QToolButton>
#include <QVBoxLayout>

namespace appa {

using namespace ui;

MainWindow::MainWindow(FlatStyle *style, QWidget *parent)
    : QMainWindow(parent), m_style(style), m_controller(std::make_unique<RunController>()),
      m_actions(new Actions(this)), m_ring(new FocusRing(this))
{
    setObjectName(QStringLiteral("mainWindow"));
    setWindowTitle(tr("APPA Lab"));
    setAcceptDrops(true);
    m_documents = new Documents(*m_controller, this);
    buildParts();
    buildToolBar();
    buildMenu();
    connectController();
    connectPanels();
    connectRunActions();
    connectViewActions();
    readSettings();
    applyTheme();
    m_table->restoreLayout(QSettings().value(QStringLiteral("table")).toByteArray()); // after the type size
    m_sensitivityTab = fillSensitivity(*this);
    m_lessons = fillLessons(*this);
    refreshSources();
    refreshActions();
    m_curves->setFocus();
    qApp->installEventFilter(this);
}

MainWindow::~MainWindow()
{
    qApp->removeEventFilter(this);
    hide();
    // Whatever speaks to the controller or shows its model goes before it.
    m_controller->disconnect(this);
    m_controller->reference().disconnect(this);
    m_controller->model().disconnect(this);
    m_table->disconnect(this);
    delete m_lessons;
    delete m_feed;
    delete m_stageFeed;
    delete m_compare;
    delete m_status;
    delete m_documents;
    delete takeCentralWidget();
}

void MainWindow::buildParts()
{
    // --- the side panel ----------------------------------------------------------------------------------------------
    m_side = new QWidget(this);
    m_side->setObjectName(QStringLiteral("side"));
    auto *content = new QWidget(m_side);
    content->setObjectName(QStringLiteral("sideContent"));
    auto *sections = new QVBoxLayout(content);
    sections->setContentsMargins(0, 0, 0, 0);
    sections->setSpacing(0);
    auto *problem = new Section(tr("Problem"), QStringLiteral("problem"), content);
    m_problemSection = problem;
    m_problemPanel = new ProblemPanel(problem);
    problem->body()->addWidget(m_problemPanel);
    m_methodSection = new Section(tr("Method"), QStringLiteral("method"), content);
    m_methodPanel = new MethodPanel(m_methodSection);
    m_methodSection->body()->addWidget(m_methodPanel);
    sections->addWidget(problem);
    sections->addWidget(m_methodSection);
    sections->addStretch();
    m_scroll = new QScrollArea(m_side);
    m_scroll->setWidget(content);
    m_scroll->setWidgetResizable(true);
    m_scroll->setFrameShape(QFrame::NoFrame);
    m_scroll->setFocusPolicy(Qt::NoFocus); // it follows the focus of what is in it
    m_scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    m_now = new NowPanel(m_side);
    auto *side = new QVBoxLayout(m_side);
    side->setContentsMargins(0, 0, 0, 0);
    side->setSpacing(0);
    side->addWidget(m_scroll, 1);
    side->addWidget(m_now);

    // --- the tabs ----------------------------------------------------------------------------------------------------
    m_tabs = new QTabWidget(this);
    m_tabs->setDocumentMode(true);
    m_tabs->tabBar()->setDrawBase(false);
    m_tabs->setElideMode(Qt::ElideRight); // shorter names, rather than tabs out of sight
    m_tabs->setUsesScrollButtons(false);
    m_curves = new CurvesView(m_tabs);
    m_feed = new CurvesFeed(*m_controller, *m_curves, this);
    m_sensitivity = new QWidget(m_tabs);
    m_stages = new StageView(m_tabs);
    m_landscape = new LandscapeView(m_tabs);
    m_stageFeed = new StageFeed(*m_controller, *m_stages, *m_landscape, this);
    m_theory = new TheoryView(m_tabs);
    m_log = new LogView(m_tabs);
    m_tabs->addTab(m_curves, tr("Curves"));
    m_tabs->addTab(m_sensitivity, tr("Sensitivity"));
    m_tabs->addTab(m_stages, tr("Stage anatomy"));
    m_tabs->addTab(m_landscape, tr("Landscape"));
    m_tabs->addTab(m_theory, tr("Theory"));
    m_tabs->addTab(m_log, tr("Log"));
    m_tabs->setTabVisible(m_tabs->indexOf(m_landscape), false);

    // --- the table below ---------------------------------------------------------------------------------------------
    m_table = new RunTable(m_controller->model(), this);

    m_down = new QSplitter(Qt::Vertical, this);
    auto *upper = new QWidget(m_down);
    auto *strip = new QWidget(upper); // where a message is too long for the tabs' row
    auto *pages = new QVBoxLayout(upper);
    pages->setContentsMargins(0, 0, 0, 0);
    pages->setSpacing(0);
    pages->addWidget(m_tabs, 1);
    pages->addWidget(strip);
    m_down->addWidget(upper);
    m_down->addWidget(m_table);
    m_down->setStretchFactor(0, 1);
    m_down->setStretchFactor(1, 0);
    m_down->setChildrenCollapsible(false);
    connect(m_down, &QSplitter::splitterMoved, this, [this] { m_tableByHand = true; });
    m_across = new QSplitter(Qt::Horizontal, this);
    m_right = new QWidget(m_across);
    auto *right = new QVBoxLayout(m_right);
    right->setContentsMargins(0, 0, 0, 0);
    right->setSpacing(0);
    right->addWidget(m_down, 1);
    m_across->addWidget(m_side);
    m_across->addWidget(m_right);
    m_across->setStretchFactor(0, 0);
    m_across->setStretchFactor(1, 1);
    m_across->setChildrenCollapsible(false);
    connect(m_across, &QSplitter::splitterMoved, this, [this](int at) { m_sideWidth = at / m_scale; });

    auto *centre = new QWidget(this);
    auto *layout = new QVBoxLayout(centre);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    layout->addWidget(m_across, 1);
    m_messages = new MessageBar(centre);
    m_messages->setPlaces(m_tabs, strip);
    setCentralWidget(centre);

    m_status = new StatusLine(*m_controller, this);
    statusBar()->addWidget(m_status, 1);
    statusBar()->setSizeGripEnabled(false);
}

void MainWindow::buildToolBar()
{
    m_toolBar = addToolBar(tr("Transport"));
    m_toolBar->setObjectName(QStringLiteral("transport"));
    m_toolBar->setMovable(false);
    m_toolBar->setToolButtonStyle(Qt::ToolButtonIconOnly);
    m_toolBar->setContextMenuPolicy(Qt::PreventContextMenu);
    Actions &a = *m_actions;
    m_toolBar->addAction(a.run);
    auto *run = qobject_cast<QToolButton *>(m_toolBar->widgetForAction(a.run));
    run->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    run->setObjectName(QStringLiteral("runButton"));
    connect(a.run, &QAction::changed, run, [this, run, action = a.run] {
        // On the accent; the action's own icon is for the ground of menus.
        run->setIcon(icon(action->property("iconName").toString(), m_theme, m_theme.accentText));
    });
    for (QAction *action : {a.back, a.step, a.stop, a.restart})
        m_toolBar->addAction(action);
    m_toolBar->addSeparator();
    QAction *afterRuns = m_toolBar->addSeparator();

    const auto box = [this](const QString &name, const QString &tip) {
        auto *combo = new QComboBox(m_toolBar);
        combo->setAccessibleName(name);
        combo->setToolTip(tip);
        combo->setFocusPolicy(Qt::TabFocus);
        combo->setSizeAdjustPolicy(QComboBox::AdjustToContents);
        auto *label = new QLabel(name, m_toolBar);
        label->setObjectName(QStringLiteral("toolLabel"));
        label->setBuddy(combo);
        m_toolLabels.append(m_toolBar->addWidget(label));
        m_toolBar->addWidget(combo);
        return combo;
    };
    m_speed = box(tr("Speed"), tr("As fast as it goes, or so many stages a second (< and >)"));
    m_speed->setObjectName(QStringLiteral("speedBox"));
    m_speed->addItem(tr("Full speed"), 0.0);
    for (const double rate : {20.0, 10.0, 5.0, 2.0, 1.0, 0.5})
        m_speed->addItem(rate < 1        ? tr("1 stage / 2 s")
                             : rate == 1 ? tr("1 stage / s")
                                         : tr("%1 stages / s").arg(rate),
                         rate);
    m_xAxis = box(tr("x axis"), tr("What the x axis counts (X)"));
    m_xAxis->setObjectName(QStringLiteral("xAxisBox"));
    for (const QString &name : {tr("Passes"), tr("Stages"), tr("Accesses"), tr("Seconds")})
        m_xAxis->addItem(name);

    auto *spacer = new QWidget(m_toolBar);
    spacer->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Preferred);
    QAction *gap = m_toolBar->addWidget(spacer);
    m_menuButton = new QToolButton(m_toolBar);
    m_menuButton->setText(QStringLiteral("☰"));
    m_menuButton->setObjectName(QStringLiteral("menuButton"));
    m_menuButton->setToolTip(a.menu->toolTip());
    m_menuButton->setAccessibleName(tr("Menu"));
    m_menuButton->setPopupMode(QToolButton::InstantPopup);
    QAction *end = m_toolBar->addWidget(m_menuButton);
    // Put in by fitToolBar, where there is room.
    m_toolExtras = {{a.newRun, afterRuns}, {a.fork, afterRuns}, {a.fit, gap}};
    for (QAction *action : {a.open, a.save, a.exportFigure, a.lessons, a.theme, a.help})
        m_toolExtras.emplaceBack(action, end);
}

void MainWindow::buildMenu()
{
    auto *menu = new QMenu(m_menuButton);
    for (const Actions::Group &group : m_actions->groups()) {
        QMenu *sub = menu->addMenu(group.title);
        sub->setToolTipsVisible(true);
        for (QAction *action : group.actions) {
            if (!action) {
                sub->addSeparator();
                continue;
            }
            if (action != m_actions->menu) // which it is in
                sub->addAction(action);
            addAction(action); // its shortcut works without the menu
            if (action == m_actions->open)
                fillRecent(sub->addMenu(tr("Open recent")));
            if (action == m_actions->lessonNext)
                m_lessonMenu = sub;
        }
    }
    m_menuButton->setMenu(menu);
    connect(m_actions->menu, &QAction::triggered, m_menuButton, &QToolButton::showMenu);
    for (int i = 0; i < m_tabs->count(); ++i) {
        auto *action = new QAction(this);
        action->setShortcut(QKeySequence(Qt::ALT | static_cast<Qt::Key>(Qt::Key_1 + i)));
        connect(action, &QAction::triggered, this, [this, i] {
            if (m_tabs->isTabVisible(i))
                m_tabs->setCurrentIndex(i);
        });
        addAction(action);
        m_tabs->setTabToolTip(i, tr("Alt+%1").arg(i + 1));
    }
    Actions &a = *m_actions;
    m_table->setMenuActions({a.run, a.fork, a.restart, nullptr, a.hide, a.solo, a.showAll, a.rename, a.compare, nullptr,
                             a.copyCommand, a.exportCsv, nullptr, a.remove, a.undo});
}

void MainWindow::fillRecent(QMenu *menu)
{
    menu->setObjectName(QStringLiteral("recentMenu"));
    menu->setToolTipsVisible(true);
    connect(menu, &QMenu::aboutToShow, this, [this, menu] {
        menu->clear();
        const QStringList files = m_documents->recentFiles();
        for (const QString &path : files) {
            QAction *action = menu->addAction(QFileInfo(path).fileName());
            action->setToolTip(path);
            connect(action, &QAction::triggered, this, [this, path] { openFiles({path}); });
        }
        if (files.isEmpty())
            menu->addAction(tr("Nothing yet"))->setEnabled(false);
    });
}

void MainWindow::scaleToolBar(double scale)
{
    if (scale == m_toolScale)
        return;
    m_toolScale = scale;
    const Theme theme = Theme::make(m_mode, scale);
    m_toolBar->setStyleSheet(scale == m_scale ? QString() : theme.styleSheet() + windowSheet(theme));
    for (QWidget *part : m_toolBar->findChildren<QWidget *>(Qt::FindDirectChildrenOnly))
        part->setFont(theme.font(TextRole::Body));
    for (QComboBox *box : {m_speed, m_xAxis}) // no higher than the buttons: the style knows only the window's type
        box->setMaximumHeight(scale == m_scale ? QWIDGETSIZE_MAX : theme.space(3.5));
    const int icon = theme.space(2.25);
    m_toolBar->setIconSize({icon, icon});
    // As wide as its longer text: what stands right of it must not jump when it says Pause.
    auto *run = qobject_cast<QToolButton *>(m_toolBar->widgetForAction(m_actions->run));
    run->setFont(theme.font(TextRole::Strong));
    run->setMinimumWidth(0);
    const QFontMetrics metrics(run->font());
    const int widest = std::max(metrics.horizontalAdvance(tr("Run")), metrics.horizontalAdvance(tr("Pause")));
    run->setMinimumWidth(run->sizeHint().width() + widest - metrics.horizontalAdvance(run->text()));
}

void MainWindow::fitToolBar()
{
    const bool presents = m_actions->presentation->isChecked();
    const auto isTooWide = [this] { return m_toolBar->sizeHint().width() > width(); };
    const auto showLabels = [this](bool shown) {
        for (QAction *label : std::as_const(m_toolLabels))
            label->setVisible(shown);
    };
    // What explains goes before what acts: nothing may end up behind an arrow.
    showLabels(presents || width() >= m_theme.space(148));
    for (const auto &[action, before] : std::as_const(m_toolExtras))
        if (!m_toolBar->actions().contains(action))
            m_toolBar->insertAction(before, action);
    for (QAction *action : {m_actions->newRun, m_actions->fork})
        qobject_cast<QToolButton *>(m_toolBar->widgetForAction(action))
            ->setToolButtonStyle(width() >= m_theme.space(130) ? Qt::ToolButtonTextBesideIcon : Qt::ToolButtonIconOnly);
    // Those in the back of a room read what things are called; the files and the themes are the presenter's, in the
    // menu.
    if (presents) {
        scaleToolBar(m_scale);
        for (qsizetype i = m_toolExtras.size(); i > 2 && isTooWide(); --i)
            m_toolBar->removeAction(m_toolExtras[i - 1].first);
        showLabels(!isTooWide());
    }
    // Then the type, as long as it stays large; then what the menu has too, from the end.
    const double hint = m_toolBar->sizeHint().width() * m_scale / m_toolScale;
    scaleToolBar(hint > width() && m_scale > 1 ? std::max(1.0, 0.75 * m_scale) : m_scale);
    for (auto last = m_toolExtras.crbegin(); last != m_toolExtras.crend() && isTooWide(); ++last)
        m_toolBar->removeAction(last->first);
}

void MainWindow::resizeEvent(QResizeEvent *event)
{
    fitToolBar();
    QMainWindow::resizeEvent(event);
    fitTable();
}

void MainWindow::fitTable()
{
    if (m_tableByHand)
        return;
    constexpr int low = 700;    // the charts need the room more than empty rows do
    constexpr int charts = 300; // with their tabs; what is left of so little is the table's, but for one row
    const int rows = std::clamp(m_controller->model().rowCount(), 1, 4);
    const int wanted = height() < low
        ? std::max(m_table->heightOf(1), std::min(m_table->heightOf(rows), m_down->height() - charts))
        : height() / 5;
    m_down->setSizes({std::max(1, m_down->height() - wanted), wanted});
}

void MainWindow::putAboveCharts(QWidget *widget)
{
    static_cast<QVBoxLayout *>(m_right->layout())->insertWidget(0, widget);
}

CompareView &MainWindow::compareView()
{
    if (!m_compare) {
        m_compare = new CompareView(m_controller->model(), this);
        m_compare->setTheme(m_theme);
    }
    return *m_compare;
}

void MainWindow::setThemeMode(ThemeMode mode)
{
    m_mode = mode;
    applyTheme();
    remember();
}

void MainWindow::setScale(double scale)
{
    m_scale = std::clamp(scale, 0.7, 3.0);
    applyTheme();
    remember();
}

void MainWindow::applyTheme()
{
    m_theme = Theme::make(m_mode, m_scale);
    if (m_style)
        m_style->setTheme(m_theme);
    m_theme.apply(*qApp);
    setStyleSheet(windowSheet(m_theme));
    m_actions->setTheme(m_theme);
    m_actions->light->setChecked(m_mode == ThemeMode::Light);
    m_actions->dark->setChecked(m_mode == ThemeMode::Dark);
    m_actions->system->setChecked(m_mode == ThemeMode::System);
    m_toolScale = 0;
    scaleToolBar(m_scale);
    arrangeSide();
    // The window must fit the screen before a page fits the window.
    const int room = screen()->availableSize().width() - m_side->minimumWidth() - m_theme.space(2);
    m_sensitivity->setMinimumWidth(std::clamp(room, m_theme.space(30), m_theme.space(60)));
    fitToolBar();
    m_feed->setTheme(m_theme);
    m_stageFeed->setTheme(m_theme);
    m_theory->setTheme(m_theme);
    m_log->setTheme(m_theme);
    m_now->setTheme(m_theme);
    m_messages->setTheme(m_theme);
    m_table->setTheme(m_theme);
    m_ring->setColour(m_theme.accent);
    fitTable();
    if (m_compare)
        m_compare->setTheme(m_theme);
    refreshCurrent();
    emit themeChanged(m_theme);
}

} // namespace appa
