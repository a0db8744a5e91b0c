// A study as it leaves the tab: a command, a figure, a table of results.
#include "charts/FigureExport.h"
#include "charts/SweepMapping.h"
#include "dialogs/FileQuestion.h"
#include "sweep/SensitivityTab.h"
#include "sweep/SweepChart.h"

#include <QLabel>
#include <QSaveFile>
#include <QSlider>
#include <QToolButton>

namespace appa::ui {

QString SensitivityTab::commandLine() const
{
    const SweepTable &table = m_controller->table();
    const QString problem = m_controller->isOfCurrentProblem() ? m_controller->problemOptions()
                                                               : QString::fromStdString(table.context().problem);
    return QStringLiteral("appa-lab sweep %1%2%3 --out study")
        .arg(problem, problem.isEmpty() ? QString() : QStringLiteral(" "),
             QString::fromStdString(optionsOf(table.plan())));
}

std::optional<Error> SensitivityTab::exportTo(const QString &path) const
{
    const SweepTable &table = m_controller->table();
    if (path.endsWith(QStringLiteral(".csv"), Qt::CaseInsensitive)) {
        QSaveFile file(path);
        std::string text = resultsHeader();
        for (std::size_t index = 0; index < table.plan().size(); ++index) {
            if (const SweepResult *result = table.find(table.plan().at(index)))
                text += rowsOf(table.plan(), table.context(), *result);
        }
        if (!file.open(QIODevice::WriteOnly) || file.write(text.data(), static_cast<qint64>(text.size())) < 0
            || !file.commit())
            return Error{Error::Kind::Io, tr("Cannot write %1: %2.").arg(path, file.errorString()).toStdString()};
        return std::nullopt;
    }
    FigureText text = figureText(table);
    text.command = commandLine();
    SweepData data = chartData(table, measure(), stage());
    if (m_heatMap->isChecked()) {
        text.title = tr("Sensitivity to λ");
        return exportHeatMaps(path, data, text);
    }
    text.title = tr("Sensitivity to λ, after %1").arg(stagesText(m_stage->value()));
    if (!m_floors->isChecked())
        data.ridgeFloor.clear();
    return exportSensitivity(path, data, text);
}

void SensitivityTab::exportFigure()
{
    if (!m_controller->hasStudy()) {
        emit said(Level::Info, tr("There is nothing to export yet: start a study."));
        return;
    }
    QFileDialog *dialog = ask(this,
                              {.title = tr("Export"),
                               .filter = tr("Figures (*.pdf *.svg *.png);;Results (*.csv)"),
                               .folderKey = QStringLiteral("export/folder"),
                               .suffix = QStringLiteral("pdf"),
                               .suggestion = QStringLiteral("sensitivity.pdf")},
                              [this](const QString &path) {
                                  const auto error = exportTo(path);
                                  emit said(error ? Level::Error : Level::Info,
                                            error ? QString::fromStdString(error->message) : tr("Saved %1.").arg(path));
                              });
    connect(dialog, &QFileDialog::filterSelected, dialog, [dialog](const QString &filter) {
        dialog->setDefaultSuffix(filter.contains(QLatin1String("*.csv")) ? QStringLiteral("csv")
                                                                         : QStringLiteral("pdf"));
    });
}

} // namespace appa::ui
