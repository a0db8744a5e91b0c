// The row over the chart: what is shown, after how many stages, and how.
#include "charts/SensitivityView.h"
#include "sweep/SensitivityTab.h"
#include "sweep/SweepChart.h"

#include <QBoxLayout>
#include <QClipboard>
#include <QComboBox>
#include <QGuiApplication>
#include <QLabel>
#include <QLineEdit>
#include <QSlider>
#include <QToolButton>

namespace appa::ui {

QWidget *SensitivityTab::makeHeader()
{
    auto *header = new QWidget(this);
    for (const auto &[text, measure] : {std::pair(tr("Excess loss"), SweepMeasure::Excess),
                                        {tr("Objective"), SweepMeasure::Objective},
                                        {tr("Test error"), SweepMeasure::TestError},
                                        {tr("Passes to target"), SweepMeasure::PassesToTarget}})
        m_measure->addItem(text, static_cast<int>(measure));
    m_measure->setAccessibleName(tr("What is shown against λ"));
    m_measure->setToolTip(tr("What is shown against λ"));
    m_measure->setMinimumContentsLength(9);
    m_measure->setSizeAdjustPolicy(QComboBox::AdjustToContents); // narrower where there is no room, cut only there
    m_target->setMinimumWidth(48);
    m_target->setMaximumWidth(80);
    m_target->setToolTip(tr("The excess loss to reach (the objective, where F_opt is not known)"));
    m_targetLabel->setBuddy(m_target);
    m_target->setAccessibleName(tr("Target"));
    m_stage->setMinimumWidth(40);
    m_stage->setMaximumWidth(220);
    m_stage->setPageStep(5);
    m_stage->setToolTip(tr("Show the study as it stood after this many stages"));
    m_stage->setAccessibleName(tr("Stage"));
    for (QToolButton *button : {m_lines, m_heatMap, m_floors})
        button->setCheckable(true);
    for (QToolButton *button : {m_lines, m_heatMap}) {
        button->setAutoExclusive(true);
        button->setToolButtonStyle(Qt::ToolButtonTextOnly);
    }
    m_floors->setToolButtonStyle(Qt::ToolButtonTextOnly);
    m_lines->setChecked(true);

    m_header = new QBoxLayout(QBoxLayout::LeftToRight, header);
    m_header->setContentsMargins(0, 0, 0, 0);
    m_header->setSpacing(8);
    auto *what = new QHBoxLayout;
    what->addWidget(m_measure);
    what->addWidget(m_targetLabel);
    what->addWidget(m_target);
    what->addWidget(m_stageLabel);
    what->addWidget(m_stage, 1);
    auto *how = new QHBoxLayout;
    how->addWidget(m_lines);
    how->addWidget(m_heatMap);
    how->addWidget(m_floors);
    how->addStretch();
    m_header->addLayout(what, 1);
    m_header->addLayout(how);

    connect(m_measure, &QComboBox::currentIndexChanged, this, &SensitivityTab::refresh);
    connect(m_target, &QLineEdit::editingFinished, this, [this] {
        bool ok = false;
        const double target = m_target->text().replace(QChar(0x2212), u'-').toDouble(&ok);
        if (ok && target > 0) {
            m_controller->table().setTarget(target);
            refresh();
        } else {
            m_target->setText(QString::fromStdString(formatParam(m_controller->table().target())));
        }
    });
    connect(m_stage, &QSlider::valueChanged, this, &SensitivityTab::refresh);
    connect(m_heatMap, &QToolButton::toggled, this, [this](bool on) {
        m_view->setMode(on ? SensitivityView::Mode::HeatMap : SensitivityView::Mode::Lines);
        refresh();
    });
    connect(m_floors, &QToolButton::toggled, this, [this](bool on) {
        if (on && m_controller->isOfCurrentProblem())
            emit floorsWanted(m_controller->table().plan().lambdas);
        studyChanged();
    });
    connect(m_best, &QToolButton::clicked, this, [this] {
        if (!m_controller->isOfCurrentProblem())
            emit said(Level::Info, tr("This study is about another problem: load its data set to open its runs."));
        else if (const auto specs = bestRuns(); !specs.empty())
            emit bestRequested(specs, m_controller->table().plan().stopRules());
    });
    connect(m_export, &QToolButton::clicked, this, &SensitivityTab::exportFigure);
    connect(m_copy, &QToolButton::clicked, this, [this] {
        QGuiApplication::clipboard()->setText(commandLine());
        emit said(Level::Info, tr("The command is on the clipboard."));
    });
    return header;
}

void SensitivityTab::resizeEvent(QResizeEvent *event)
{
    QWidget::resizeEvent(event);
    arrangeHeader();
}

/// One row, or two where there is no room for one; below the chart the names give way that the icons tell too.
void SensitivityTab::arrangeHeader()
{
    for (QToolButton *button : {m_copy, m_export})
        button->setToolButtonStyle(width() < m_narrow ? Qt::ToolButtonIconOnly : Qt::ToolButtonTextBesideIcon);
    m_header->setDirection(width() < m_wide ? QBoxLayout::TopToBottom : QBoxLayout::LeftToRight);
}

} // namespace appa::ui
