#include "SensitivityWiring.h"

#include "Actions.h"
#include "CommandText.h"
#include "MainWindow.h"
#include "ProblemOptions.h"
#include "charts/CurvesView.h"
#include "shell/MessageBar.h"
#include "sweep/SensitivityTab.h"
#include "sweep/SweepChart.h"

#include <QAction>
#include <QScrollArea>
#include <QSettings>
#include <QTabWidget>
#include <QVBoxLayout>

#include <algorithm>

namespace appa {

using namespace ui;

namespace {

constexpr QLatin1String unfinishedKey("unfinishedStudy");
constexpr qsizetype mostUnfinished = 10;

/// The folders of the studies that had not ended when they were last seen, the newest last.
QStringList unfinishedStudies()
{
    return QSettings().value(unfinishedKey).toStringList();
}

void forgetUnfinished(const QString &folder)
{
    QStringList folders = unfinishedStudies();
    if (folders.removeAll(folder) > 0)
        QSettings().setValue(unfinishedKey, folders);
}

void rememberUnfinished(const QString &folder)
{
    QStringList folders = unfinishedStudies();
    folders.removeAll(folder);
    folders.append(folder);
    QSettings().setValue(unfinishedKey, folders.last(std::min(folders.size(), mostUnfinished)));
}

/// Makes the problem that a study is about the window's, if it says which that is.
void loadProblemOf(MainWindow &window, const SweepContext &context)
{
    const auto options = cli::ProblemOptions::fromText(context.problem);
    const auto recipe = options ? options.value().recipe() : Result<DataRecipe>(options.error());
    if (!recipe) {
        window.messages().say(Level::Warning, QString::fromStdString(recipe.error().message));
        return;
    }
    const ProblemSpec spec{recipe.value(), context.loss, context.ridge};
    for (const auto &run : window.controller().model().runs())
        if (run->problem && run->problem->problem && run->problem->spec == spec)
            return window.setCurrentRun(run->id);
    window.controller().setProblem(spec, LossIs::ADemand);
}

void offerToShow(MainWindow &window, const QString &folder, const QString &sentence);

void showStudy(MainWindow &window, const QString &folder)
{
    SensitivityTab &tab = window.sensitivity();
    window.tabs().setCurrentWidget(&window.sensitivityPage());
    if (tab.controller().isActive())
        return offerToShow(
            window, folder,
            MainWindow::tr("Another study is under way: the one before can be shown when it has ended."));
    forgetUnfinished(folder);
    if (const QString why = tab.open(folder); !why.isEmpty())
        window.messages().say(Level::Warning, why);
    else if (!tab.controller().isOfCurrentProblem())
        loadProblemOf(window, tab.controller().table().context());
}

void offerToShow(MainWindow &window, const QString &folder, const QString &sentence)
{
    window.messages().offer(
        Level::Info, sentence, MainWindow::tr("Show it"), [&window, folder] { showStudy(window, folder); },
        MainWindow::tr("Forget it"), [folder] { forgetUnfinished(folder); });
}

} // namespace

void offerUnfinishedStudies(MainWindow &window)
{
    for (const QString &folder : unfinishedStudies()) {
        const auto study = readStudy(folder.toStdString());
        // One that is locked is under way in another window.
        if (!study || study.value().results.size() >= study.value().plan.size()
            || SweepFolder::isLocked(folder.toStdString()))
            continue;
        offerToShow(window, folder,
                    MainWindow::tr("A study was not finished (%1; %2 of %3 runs).")
                        .arg(problemTitle(study.value().context))
                        .arg(study.value().results.size())
                        .arg(study.value().plan.size()));
    }
}

SensitivityTab *fillSensitivity(MainWindow &window)
{
    auto *tab = new SensitivityTab(&window.sensitivityPage());
    auto *layout = new QVBoxLayout(&window.sensitivityPage());
    layout->setContentsMargins(0, 0, 0, 0);
    auto *scroll = new QScrollArea(&window.sensitivityPage()); // on a small screen the window fits before its page does
    scroll->setFrameShape(QFrame::NoFrame);
    scroll->setWidgetResizable(true);
    scroll->setWidget(tab);
    layout->addWidget(scroll);
    tab->setTheme(window.theme());
    QObject::connect(&window, &MainWindow::themeChanged, tab, &SensitivityTab::setTheme);

    RunController &controller = window.controller();
    const auto takeReference = [tab, &controller] {
        const ProblemStatePtr &state = controller.problem();
        if (!state || !state->problem)
            return;
        tab->setOptimum(state->optimum);
        tab->setFloors(state->floors);
    };
    const auto takeProblem = [tab, &controller, takeReference] {
        const ProblemStatePtr &state = controller.problem();
        tab->setProblem(state ? state->problem : nullptr, state ? problemText(state->spec) : QString());
        takeReference();
    };
    QObject::connect(&controller, &RunController::problemChanged, tab, takeProblem);
    QObject::connect(&controller, &RunController::referenceChanged, tab, takeReference);
    takeProblem();

    const QAction *countFull = window.actions().countFull;
    QObject::connect(countFull, &QAction::toggled, tab, &SensitivityTab::setCountFullGradients);
    tab->setCountFullGradients(countFull->isChecked());

    const auto open = [&window, &controller](const RunSpec &spec, const StopRules &stop) {
        const RunId id = controller.create(spec, stop);
        controller.resume(id);
        window.setCurrentRun(id);
    };
    const auto showCurves = [&window] { window.tabs().setCurrentWidget(&window.curves()); };
    QObject::connect(tab, &SensitivityTab::runRequested, &window,
                     [open, showCurves](const RunSpec &spec, const StopRules &stop) {
                         open(spec, stop);
                         showCurves();
                     });
    QObject::connect(tab, &SensitivityTab::bestRequested, &window,
                     [open, showCurves](const std::vector<RunSpec> &specs, const StopRules &stop) {
                         for (const RunSpec &spec : specs)
                             open(spec, stop);
                         showCurves();
                     });
    QObject::connect(tab, &SensitivityTab::floorsWanted, tab, [&controller](const std::vector<double> &lambdas) {
        if (controller.problem())
            controller.reference().wantFloors(Reference::FloorsOf::Study, controller.problem(), lambdas);
    });
    QObject::connect(tab, &SensitivityTab::problemWanted, &window,
                     [&window](const SweepContext &context) { loadProblemOf(window, context); });
    // Kept until it has ended: a study that the program's end interrupts is offered at the next start.
    QObject::connect(tab, &SensitivityTab::activityChanged, tab, [tab](bool active) {
        if (active)
            rememberUnfinished(tab->controller().folder());
        else
            forgetUnfinished(tab->controller().folder());
    });
    QObject::connect(tab, &SensitivityTab::said, &window, [&window, &controller](Level level, const QString &sentence) {
        window.messages().say(level, sentence);
        if (level != Level::Info)
            emit controller.logged(level, 0, sentence);
    });
    return tab;
}

} // namespace appa
