// What leaves the window as a file: figures and numbers of the view that is shown.
#include "MainWindow.h"

#include "CommandText.h"

#include "charts/CurvesView.h"
#include "charts/LandscapeView.h"
#include "charts/StageView.h"
#include "dialogs/ExportDialog.h"
#include "dialogs/FileQuestion.h"
#include "shell/MessageBar.h"
#include "sweep/SensitivityTab.h"
#include "theme/Format.h"
#include "views/CurvesFeed.h"

#include <QPointer>
#include <QSaveFile>
#include <QTabWidget>

#include <algorithm>

namespace appa {

using namespace ui;

FigureText MainWindow::figureText() const
{
    FigureText text;
    const ProblemStatePtr &problem = m_feed->shownProblem();
    if (!problem)
        return text;
    std::vector<const RunRecord *> runs;
    for (const auto &run : m_controller->model().runs())
        if (run->problem == problem && run->visible && !run->trace.points.empty())
            runs.push_back(run.get());
    text.title = problem->title;
    if (problem->problem)
        text.dataset = tr("%1 (n = %2, d = %3)")
                           .arg(QString::fromStdString(problem->problem->data().name),
                                formatCount(problem->problem->n()), formatCount(problem->problem->d()));
    text.parameters = parameterText(runs);
    QStringList commands;
    for (const RunRecord *run : runs)
        commands << commandText(*run);
    text.command = commands.join(u'\n');
    return text;
}

bool MainWindow::hasSomethingToDraw()
{
    const bool has = std::ranges::any_of(m_curves->data().curves, belongs);
    if (!has)
        m_messages->say(Level::Info, tr("There is nothing to draw yet: run something, or show a run that is hidden."));
    return has;
}

/// A view that has no figure of its own is saved as it is on the screen.
void MainWindow::exportShownView(QWidget *view, const QString &name)
{
    ask(this,
        {.title = tr("Export"),
         .filter = tr("Pictures (*.png *.pdf)"),
         .folderKey = QStringLiteral("export/folder"),
         .suffix = QStringLiteral("png"),
         .suggestion = name + QStringLiteral(".png")},
        [this, view](const QString &path) {
            const std::optional<Error> error = exportView(path, *view, figureText());
            tell(error ? Level::Error : Level::Info,
                 error ? QString::fromStdString(error->message) : tr("Exported to %1.").arg(path));
        });
}

CurvesExport MainWindow::curvesExport() const
{
    const ProblemStatePtr &shown = m_feed->shownProblem();
    const ProblemStatePtr problem = shown ? std::make_shared<ProblemState>(*shown) : nullptr;
    auto runs = std::make_shared<std::vector<RunRecord>>();
    for (const auto &run : m_controller->model().runs())
        if (run->problem == shown && run->visible) {
            RunRecord &copy = runs->emplace_back();
            copy.name = run->name;
            copy.problem = problem;
            copy.spec = run->spec;
            copy.trace = run->trace;
        }
    return {m_curves->data(), figureText(), std::move(runs)};
}

void MainWindow::exportFigure(bool csv)
{
    const QWidget *page = m_tabs->currentWidget();
    if (page == m_sensitivity && !csv)
        return m_sensitivityTab->exportFigure();
    if (!hasSomethingToDraw())
        return;
    if (page == m_stages && !csv)
        return exportShownView(m_stages, QStringLiteral("stages"));
    if (page == m_landscape && !csv)
        return exportShownView(m_landscape, QStringLiteral("landscape"));
    const auto askWhere = [this](const QString &suffix, const std::function<void(const QString &)> &write) {
        ask(this,
            {.title = tr("Export"),
             .filter = QStringLiteral("%1 (*.%2)").arg(suffix.toUpper(), suffix),
             .folderKey = QStringLiteral("export/folder"),
             .suffix = suffix,
             .suggestion = QStringLiteral("curves.") + suffix},
            write);
    };
    if (csv) {
        askWhere(QStringLiteral("csv"),
                 [this, what = curvesExport()](const QString &path) { exportTo(path, what, {}); });
        return;
    }
    const CurvesExport opened = curvesExport();
    auto *dialog = new ExportDialog(opened.data, opened.text, this);
    if (!m_curves->isFitted()) {
        FigureOptions part;
        m_curves->copyPart(part);
        dialog->setPart(part);
    }
    connect(dialog, &ExportDialog::exportRequested, this, [this, dialog, askWhere, runs = opened.runs] {
        askWhere(dialog->suffix(),
                 [this, what = CurvesExport{dialog->data(), dialog->text(), runs}, options = dialog->options(),
                  dialog = QPointer<ExportDialog>(dialog)](const QString &path) {
                     if (dialog)
                         dialog->writingStarted();
                     exportTo(path, what, options, [dialog](const QString &problem) {
                         if (dialog)
                             dialog->writingEnded(problem);
                     });
                 });
    });
    connect(dialog, &ExportDialog::copyRequested, this, [this, dialog] {
        copyCurves(dialog->data(), dialog->text(), dialog->options());
        m_messages->say(Level::Info, tr("The charts are on the clipboard."));
    });
    dialog->show();
}

void MainWindow::exportTo(const QString &path, const CurvesExport &what, const FigureOptions &options,
                          const std::function<void(const QString &problem)> &ended)
{
    auto *work = new Background(this); // each has its own: all of them say how it went
    const auto done = [this, path, ended, work](const std::optional<Error> &error) {
        const QString problem = error ? QString::fromStdString(error->message) : QString();
        work->deleteLater();
        tell(problem.isEmpty() ? Level::Info : Level::Error,
             problem.isEmpty() ? tr("Exported to %1.").arg(path) : problem);
        if (ended)
            ended(problem);
    };
    if (!path.endsWith(QLatin1String(".csv"), Qt::CaseInsensitive)) {
        work->start(
            [path, what, options](const Progress &) { return exportCurves(path, what.data, what.text, options); },
            done);
        return;
    }
    work->start(
        [path, runs = what.runs](const Progress &) -> std::optional<Error> {
            std::vector<const RunRecord *> all;
            for (const RunRecord &run : *runs)
                all.push_back(&run);
            QSaveFile file(path);
            const bool written = file.open(QIODevice::WriteOnly) && file.write(csvText(all)) >= 0 && file.commit();
            if (written)
                return std::nullopt;
            const QString why = tr("%1 could not be written: %2.").arg(path, file.errorString());
            return Error{Error::Kind::Io, why.toStdString()};
        },
        done);
}

} // namespace appa
