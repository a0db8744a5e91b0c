#include "Actions.h"

#include "theme/Icons.h"

#include <QActionGroup>

namespace appa {

QAction *Actions::make(const QString &text, const QString &tip, const QList<QKeySequence> &keys, const char *icon)
{
    auto *action = new QAction(text, this);
    action->setShortcuts(keys);
    const QString key =
        keys.isEmpty() ? QString() : QStringLiteral(" (%1)").arg(keys.front().toString(QKeySequence::NativeText));
    action->setToolTip(tip + key);
    action->setStatusTip(tip);
    if (icon)
        action->setProperty("iconName", QString::fromLatin1(icon));
    return action;
}

QAction *Actions::toggle(const QString &text, const QString &tip, const QList<QKeySequence> &keys, bool on,
                         const char *icon)
{
    QAction *action = make(text, tip, keys, icon);
    action->setCheckable(true);
    action->setChecked(on);
    return action;
}

Actions::Actions(QObject *parent) : QObject(parent)
{
    using K = QKeySequence;
    open = make(tr("Open …"), tr("Open a data file, a session or a lesson"), {K::Open}, "open");
    save = make(tr("Save session"), tr("Save the problem and its runs"), {K::Save}, "save");
    saveAs = make(tr("Save session as …"), tr("Save under another name"), {K(Qt::CTRL | Qt::SHIFT | Qt::Key_S)});
    exportFigure = make(tr("Export …"), tr("Export what is shown as a figure, or the curves' numbers as CSV"),
                        {K(Qt::CTRL | Qt::Key_E)}, "export");
    copyFigure = make(tr("Copy the charts"), tr("Put a picture of the charts on the clipboard"),
                      {K(Qt::CTRL | Qt::SHIFT | Qt::Key_C)}, "copy");
    copyCommand = make(tr("Copy as command line"), tr("The command that makes this run again, on the clipboard"),
                       {K(Qt::CTRL | Qt::ALT | Qt::Key_C)});
    exportCsv = make(tr("Export CSV …"), tr("The numbers of the runs shown"), {});
    quit = make(tr("Quit"), tr("Quit; work that is not saved is offered at the next start"), {K::Quit});

    run = make(tr("Run"), tr("Run what is selected"), {K(Qt::Key_Space)}, "run");
    step = make(tr("Step"), tr("Do one stage"), {K(Qt::Key_Period)}, "step");
    back = make(tr("Back"), tr("Go back one stage"), {K(Qt::Key_Comma)}, "back");
    stop = make(tr("Stop"), tr("Stop what is selected"), {K(Qt::CTRL | Qt::Key_Period)}, "stop");
    pauseAll = make(tr("Pause all"), tr("Pause every run"), {K(Qt::SHIFT | Qt::Key_Space)});
    restart = make(tr("Restart"), tr("Begin the current run afresh; undo brings the old course back"),
                   {K(Qt::CTRL | Qt::Key_R)}, "restart");
    variant = make(tr("Variant …"), tr("Choose the method that goes on from here"), {K(Qt::Key_V)});
    slower = make(tr("Slower"), tr("Fewer stages a second"), {K(Qt::Key_Less)});
    faster = make(tr("Faster"), tr("More stages a second, at the end full speed"), {K(Qt::Key_Greater)});
    newRun = make(tr("New run"), tr("A new run with the same settings, ready to be changed"), {K(Qt::Key_N)}, "plus");
    fork = make(tr("Fork"), tr("A second run from here: same point, same random stream"), {K(Qt::Key_F)}, "fork");

    rename = make(tr("Rename"), tr("Give the run a name"), {K(Qt::Key_F2)});
    hide = make(tr("Show or hide"), tr("Show or hide the run in the charts"), {K(Qt::Key_H)}, "eye");
    solo = make(tr("Only this run"), tr("Show only this run; again: all"), {K(Qt::SHIFT | Qt::Key_H)});
    showAll = make(tr("Show all runs"), tr("Show every run of this problem"), {K(Qt::ALT | Qt::Key_H)});
    compare = make(tr("Compare parameters …"), tr("Two runs side by side"), {K(Qt::Key_D)});
    remove = make(tr("Delete"), tr("Delete the selected runs; undo brings them back"), {K(Qt::Key_Delete)}, "trash");
    undo = make(tr("Undo delete"), tr("Bring back what was deleted last"), {K::Undo}, "undo");
    selectAll = make(tr("Select all"), tr("Select every run: Space then runs or pauses all of them"), {K::SelectAll});
    nextRun = make(tr("Next run"), tr("Go to the next run of the table"), {K(Qt::Key_BracketRight)});
    previousRun = make(tr("Previous run"), tr("Go to the previous run of the table"), {K(Qt::Key_BracketLeft)});

    lambdaUp = make(tr("λ up"), tr("λ up a tenth of a decade"), {K(Qt::CTRL | Qt::Key_Up)});
    lambdaDown = make(tr("λ down"), tr("λ down a tenth of a decade"), {K(Qt::CTRL | Qt::Key_Down)});
    lambdaDecadeUp = make(tr("λ × 10"), tr("λ up a decade"), {K(Qt::CTRL | Qt::Key_PageUp)});
    lambdaDecadeDown = make(tr("λ ÷ 10"), tr("λ down a decade"), {K(Qt::CTRL | Qt::Key_PageDown)});

    fit = make(tr("Fit"), tr("Show all of the curves"), {K(Qt::Key_Home)}, "fit");
    undoZoom = make(tr("Undo zoom"), tr("Back to the view before"), {K(Qt::Key_Backspace)});
    xAxis = make(tr("Next x axis"), tr("Passes, stages, accesses, seconds in turn"), {K(Qt::Key_X)});
    logLoss = toggle(tr("Log loss"), tr("Logarithmic loss axis"), {K(Qt::Key_L)}, true);
    logError = toggle(tr("Log test error"), tr("Logarithmic test error axis"), {K(Qt::SHIFT | Qt::Key_L)}, false);
    logX = toggle(tr("Log x axis"), tr("Logarithmic x axis"), {K(Qt::SHIFT | Qt::Key_X)}, false);
    countFull = toggle(tr("Count full gradients"), tr("Full gradients (SVRG's snapshots) count as accesses"),
                       {K(Qt::Key_C)}, true);
    follow = toggle(tr("Follow"), tr("A zoomed view moves along with the run"), {K(Qt::Key_W)}, true);
    theory = toggle(tr("Theory line"), tr("The predicted course of the current run"), {K(Qt::Key_T)}, true);
    floors = toggle(tr("Ridge floors"), tr("Where a method that minimizes F + (λ/2)|x|² ends"), {K(Qt::Key_G)}, true);
    excess = toggle(tr("Excess loss"), tr("Loss minus F_opt; off: the loss itself"), {K(Qt::Key_E)}, true);
    frames =
        toggle(tr("Frame counter"), tr("Show the time between frames"), {K(Qt::CTRL | Qt::SHIFT | Qt::Key_F)}, false);

    theme = make(tr("Switch light / dark"), tr("Switch between light and dark"), {K(Qt::CTRL | Qt::Key_T)}, "theme");
    light = toggle(tr("Light"), tr("Light theme"), {}, false);
    dark = toggle(tr("Dark"), tr("Dark theme"), {}, false);
    system = toggle(tr("As the system"), tr("Light or dark, as the desktop is"), {}, true);
    auto *themes = new QActionGroup(this);
    for (QAction *action : {light, dark, system})
        themes->addAction(action);
    larger =
        make(tr("Larger type"), tr("Scale everything up"), {K(Qt::CTRL | Qt::Key_Plus), K(Qt::CTRL | Qt::Key_Equal)});
    smaller = make(tr("Smaller type"), tr("Scale everything down"), {K(Qt::CTRL | Qt::Key_Minus)});
    normal = make(tr("Normal type"), tr("Back to the normal size"), {K(Qt::CTRL | Qt::Key_0)});
    fullScreen = toggle(tr("Full screen"), tr("Full screen"), {K(Qt::Key_F11)}, false);
    presentation = toggle(tr("Present"), tr("Large type, only the charts and the figures"), {K(Qt::Key_F5)}, false);
    panel = toggle(tr("Side panel"), tr("Show the problem and method panel"), {K(Qt::Key_F9)}, true);
    table = toggle(tr("Runs table"), tr("Show the runs table"), {K(Qt::SHIFT | Qt::Key_F9)}, true);
    menu = make(tr("Menu"), tr("All commands"), {K(Qt::Key_F10)});

    lessons = make(tr("Lessons"), tr("Demonstrations in steps"), {K(Qt::Key_F6)}, "lesson");
    // The keys that a presenter's remote control sends.
    lessonNext = make(tr("Next"), tr("The lesson's next step"), {K(Qt::Key_PageDown)});
    lessonBack = make(tr("Back"), tr("Read the lesson's step before again"), {K(Qt::Key_PageUp)});
    lessonAgain = make(tr("From the start"), tr("The lesson from its start, without the runs it has made"),
                       {K(Qt::SHIFT | Qt::Key_F6)}, "restart");
    lessonLeave = make(tr("Leave"), tr("Leave the lesson; its runs stay"), {});

    help = make(tr("Keys and gestures"), tr("The cheat sheet"), {K(Qt::Key_F1)}, "help");
    about = make(tr("About APPA Lab"), tr("Version and licence"), {});
}

QList<Actions::Group> Actions::groups() const
{
    return {
        {tr("File"), {open, save, saveAs, nullptr, exportFigure, exportCsv, copyFigure, copyCommand, nullptr, quit}},
        {tr("Run"),
         {run, step, back, stop, restart, nullptr, variant, slower, faster, nullptr, newRun, fork, pauseAll, nullptr,
          lambdaUp, lambdaDown, lambdaDecadeUp, lambdaDecadeDown}},
        {tr("Runs"),
         {rename, hide, solo, showAll, compare, nullptr, remove, undo, nullptr, selectAll, nextRun, previousRun}},
        {tr("Charts"),
         {fit, undoZoom, xAxis, logX, logLoss, logError, nullptr, excess, countFull, follow, theory, floors, frames}},
        {tr("Window"),
         {light, dark, system, theme, nullptr, larger, smaller, normal, nullptr, fullScreen, presentation, panel, table,
          menu}},
        {tr("Lessons"), {lessonNext, lessonBack, lessonAgain, lessonLeave}},
        {tr("Help"), {lessons, help, about}},
    };
}

void Actions::setTheme(const ui::Theme &theme)
{
    m_theme = theme;
    for (QAction *action : findChildren<QAction *>(Qt::FindDirectChildrenOnly))
        if (const QString name = action->property("iconName").toString(); !name.isEmpty() && action != run)
            action->setIcon(ui::icon(name, theme, action == stop ? theme.danger : QColor()));
    refreshRun();
}

void Actions::setRunning(bool running)
{
    if (m_running == running && !run->icon().isNull())
        return;
    m_running = running;
    refreshRun();
}

void Actions::refreshRun()
{
    run->setText(m_running ? tr("Pause") : tr("Run"));
    run->setToolTip((m_running ? tr("Pause what is selected") : tr("Run what is selected")) + tr(" (Space)"));
    const QString name = m_running ? QStringLiteral("pause") : QStringLiteral("run");
    run->setProperty("iconName", name);
    run->setIcon(ui::icon(name, m_theme));
}

} // namespace appa
