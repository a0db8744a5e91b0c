#include "SensitivityWiring.h"

#include "Actions.h"
#include "CommandText.h"
#include "MainWindow.h"
#include "charts/CurvesView.h"
#include "shell/MessageBar.h"
#include "sweep/SensitivityTab.h"

#include <QAction>
#include <QScrollArea>
#include <QTabWidget>
#include <QVBoxLayout>

namespace appa {

using namespace ui;

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
        tab->setProblem(state ? state->problem : nullptr, state ? problemText(*state) : QString());
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
            controller.reference().wantFloors(controller.problem(), lambdas);
    });
    QObject::connect(tab, &SensitivityTab::said, &window.messages(),
                     [&window](const QString &sentence) { window.messages().say(Level::Info, sentence); });
    return tab;
}

} // namespace appa
