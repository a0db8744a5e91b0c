#include "sweep/SensitivityTab.h"

#include "charts/FigureExport.h"
#include "charts/SensitivityView.h"
#include "dialogs/FileQuestion.h"
#include "sweep/SweepChart.h"
#include "sweep/SweepControls.h"
#include "sweep/SweepForm.h"
#include "sweep/SweepMethodModel.h"
#include "sweep/SweepSummaryModel.h"
#include "theme/Format.h"
#include "theme/Icons.h"

#include <QBoxLayout>
#include <QComboBox>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QSlider>
#include <QSplitter>
#include <QTableView>
#include <QToolButton>

#include <algorithm>
#include <cmath>

namespace appa::ui {

namespace {

constexpr int settleMilliseconds = 300;
/// The table's statistics need not keep up with every run.
constexpr int tableMilliseconds = 150;

QToolButton *toolButton(const QString &text, const QString &tip, QWidget *parent)
{
    auto *button = new QToolButton(parent);
    button->setText(text);
    button->setToolTip(tip);
    button->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    button->setAutoRaise(true);
    return button;
}

} // namespace

SensitivityTab::SensitivityTab(QWidget *parent)
    : QWidget(parent), m_controller(new SweepController(this)), m_form(new SweepForm(this)),
      m_view(new SensitivityView(this)), m_summary(new SweepSummaryModel(this)),
      m_splitter(new QSplitter(Qt::Horizontal, this)), m_table(new QTableView(this)), m_measure(new QComboBox(this)),
      m_target(new QLineEdit(QStringLiteral("1e-3"), this)), m_targetLabel(new QLabel(tr("Target"), this)),
      m_stage(new QSlider(Qt::Horizontal, this)), m_stageLabel(new QLabel(this)),
      m_lines(toolButton(tr("Lines"), tr("The measure against λ, a line per method, a band over the seeds"), this)),
      m_heatMap(toolButton(tr("Heat map"), tr("The measure over λ and stage, one method at a time"), this)),
      m_floors(toolButton(tr("Ridge floor"), tr("Draw where a method that minimizes F + (λ/2)|x|² would end"), this)),
      m_best(toolButton(tr("Best of sweep"), tr("Run each method with its best λ in the curves"), this)),
      m_export(toolButton(tr("Export…"), tr("Save the figure (PNG, SVG, PDF) or the results (CSV)"), this)),
      m_copy(toolButton(tr("Copy command"), tr("Copy the command line that makes this study"), this)),
      m_hover(new QLabel(this)), m_about(new QLabel(this)), m_estimating(this)
{
    m_table->setModel(m_summary);
    m_table->setSelectionBehavior(QAbstractItemView::SelectRows);
    m_table->setShowGrid(false);
    m_table->verticalHeader()->hide();
    m_table->horizontalHeader()->setHighlightSections(false);
    m_table->horizontalHeader()->setSectionResizeMode(QHeaderView::ResizeToContents);
    m_table->horizontalHeader()->setSectionResizeMode(SweepSummaryModel::Method, QHeaderView::Interactive);
    m_table->horizontalHeader()->setStretchLastSection(true);
    m_table->setEditTriggers(QAbstractItemView::NoEditTriggers);
    m_table->setTabKeyNavigation(false);
    m_table->setAccessibleName(tr("Best λ and robustness per method"));
    m_table->setObjectName(QStringLiteral("sweepSummary"));

    auto *right = new QWidget(this);
    auto *column = new QVBoxLayout(right);
    column->setContentsMargins(8, 8, 8, 8);
    column->setSpacing(8);
    column->addWidget(makeHeader());
    column->addWidget(m_about);
    m_charts = new QSplitter(Qt::Vertical, right);
    m_charts->addWidget(m_view);
    m_charts->addWidget(m_table);
    m_charts->setChildrenCollapsible(false);
    m_charts->installEventFilter(this);
    connect(m_charts, &QSplitter::splitterMoved, this, [this] { m_chartsByHand = true; });
    column->addWidget(m_charts, 1);
    auto *footer = new QHBoxLayout;
    footer->setSpacing(8);
    footer->addWidget(m_hover, 1);
    for (QToolButton *button : {m_best, m_copy, m_export})
        footer->addWidget(button);
    column->addLayout(footer);
    m_about->setObjectName(QStringLiteral("studyTitle"));
    m_about->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Fixed);
    m_table->viewport()->installEventFilter(this);
    m_hover->setTextInteractionFlags(Qt::TextSelectableByMouse);
    m_hover->setMinimumHeight(m_hover->fontMetrics().height());
    m_hover->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Fixed);

    m_splitter->addWidget(m_form);
    m_splitter->addWidget(right);
    m_splitter->setStretchFactor(1, 1);
    m_splitter->setSizes({280, 900});
    m_splitter->setCollapsible(1, false);
    // Tab goes through the children in turn, and a splitter puts each one that it gets before the others.
    m_form->lower();
    m_view->lower();
    auto *layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->addWidget(m_splitter);

    m_settle.setSingleShot(true);
    m_settle.setInterval(settleMilliseconds);
    connect(&m_settle, &QTimer::timeout, this, &SensitivityTab::estimateNow);
    m_tableTimer.setSingleShot(true);
    m_tableTimer.setInterval(tableMilliseconds);
    connect(&m_tableTimer, &QTimer::timeout, this, &SensitivityTab::refreshTable);

    connect(m_form, &SweepForm::edited, this, &SensitivityTab::planEdited);
    connect(&m_form->controls(), &SweepControls::startRequested, this, &SensitivityTab::start);
    connect(m_form, &SweepForm::openRequested, this, &SensitivityTab::openStudy);
    connect(&m_form->controls(), &SweepControls::cancelRequested, m_controller, &SweepController::cancel);
    connect(&m_form->controls(), &SweepControls::pauseToggled, this,
            [this] { m_controller->state() == SweepState::Paused ? m_controller->resume() : m_controller->pause(); });
    connect(&m_form->controls(), &SweepControls::continueRequested, this, [this] {
        dropEstimate();
        if (const QString why = m_controller->continueStudy(m_form->jobs()); !why.isEmpty())
            emit said(Level::Error, why);
    });
    connect(m_form, &SweepForm::problemRequested, this,
            [this] { emit problemWanted(m_controller->table().context()); });
    connect(m_controller, &SweepController::studyChanged, this, &SensitivityTab::studyChanged);
    connect(m_controller, &SweepController::resultAdded, this, [this](const SweepResult &result) {
        if (result.status != RunStatus::Failed)
            m_view->addPoint(chartPoint(m_controller->table(), result));
        if (!m_tableTimer.isActive())
            m_tableTimer.start();
    });
    connect(m_controller, &SweepController::progressed, this, &SensitivityTab::showProgress);
    connect(m_controller, &SweepController::stateChanged, this, [this] {
        showProgress();
        refreshTable();
        if (!m_controller->isActive() && m_form->estimateText().isEmpty())
            planEdited();
        emit activityChanged(m_controller->isActive());
    });
    connect(m_controller, &SweepController::failed, this,
            [this](const QString &sentence) { emit said(Level::Error, sentence); });
    connect(m_view, &SensitivityView::hovered, this, [this](const QString &text) {
        m_hover->setText(m_hover->fontMetrics().elidedText(text, Qt::ElideRight, m_hover->width()));
        m_hover->setToolTip(text);
    });
    connect(m_view, &SensitivityView::pointActivated, this, &SensitivityTab::activate);
    studyChanged();
}

SensitivityTab::~SensitivityTab() = default;

void SensitivityTab::setTheme(const Theme &theme)
{
    m_wide = theme.space(100);
    m_narrow = theme.space(85);
    // Neither takes what starts the study out of sight.
    m_view->setMinimumHeight(theme.space(12));
    m_table->setMinimumHeight(theme.space(7));
    arrangeHeader();
    m_form->setTheme(theme);
    m_view->setTheme(theme);
    m_summary->setTheme(theme);
    m_best->setIcon(icon(QStringLiteral("fork"), theme));
    m_export->setIcon(icon(QStringLiteral("export"), theme));
    m_copy->setIcon(icon(QStringLiteral("copy"), theme));
    m_table->verticalHeader()->setDefaultSectionSize(theme.space(3));
    m_table->horizontalHeader()->resizeSection(SweepSummaryModel::Method, theme.space(20));
    m_table->showColumn(SweepSummaryModel::Quartiles);
    fitTable();
    QPalette muted = m_hover->palette();
    muted.setColor(QPalette::WindowText, theme.textMuted);
    m_hover->setPalette(muted);
}

void SensitivityTab::setProblem(const ProblemPtr &problem, const QString &options)
{
    m_controller->setProblem(problem, options);
    m_form->setProblem(problem);
    planEdited();
    showProgress();
}

void SensitivityTab::setOptimum(const std::optional<Optimum> &optimum)
{
    m_controller->setOptimum(optimum);
}

void SensitivityTab::setFloors(const std::map<double, double> &floors)
{
    m_controller->setFloors(floors);
}

void SensitivityTab::setCountFullGradients(bool on)
{
    if (m_controller->table().countsFullGradients() == on)
        return;
    m_controller->table().setCountFullGradients(on);
    studyChanged();
}

SweepMeasure SensitivityTab::measure() const
{
    const auto chosen = static_cast<SweepMeasure>(m_measure->currentData().toInt());
    // Without F_opt there is no excess: the objective is shown, and the view says so.
    const bool unknown = m_controller->hasStudy() && !m_controller->table().hasOptimum();
    return chosen == SweepMeasure::Excess && unknown ? SweepMeasure::Objective : chosen;
}

Index SensitivityTab::stage() const
{
    return m_stage->value();
}

QString SensitivityTab::aboutText() const
{
    return m_about->text();
}

QString SensitivityTab::hoverText() const
{
    return m_hover->toolTip(); // all of it
}

void SensitivityTab::planEdited()
{
    if (!m_controller->problem()) {
        dropEstimate();
        m_form->showError({});
        m_form->setCanStart(false);
        return;
    }
    const auto plan = m_form->plan();
    QString error;
    if (!plan)
        error = QString::fromStdString(plan.error().message);
    else
        error = QString::fromStdString(plan.value().whyNot(*m_controller->problem()));
    m_form->showError(error);
    if (error.isEmpty())
        m_settle.start();
    else
        dropEstimate();
}

void SensitivityTab::estimateNow()
{
    const auto plan = m_form->plan();
    if (!plan || !m_controller->problem())
        return;
    // An estimate beside a study would disturb both: it is made when that is over.
    if (m_controller->isActive())
        return m_form->withdrawEstimate();
    m_form->showEstimate(std::nullopt);
    m_estimating.start(
        [problem = m_controller->problem(), plan = plan.value(), jobs = m_form->jobs()](const Progress &progress) {
            return estimate(problem, plan, casesOfTask(plan), jobs, progress);
        },
        [this](std::optional<SweepEstimate> e) {
            if (e)
                m_form->showEstimate(e);
        });
}

void SensitivityTab::dropEstimate()
{
    if (m_settle.isActive() || m_estimating.busy())
        m_form->withdrawEstimate();
    m_settle.stop();
    m_estimating.cancel();
}

void SensitivityTab::start()
{
    const auto plan = m_form->plan();
    if (!plan)
        return m_form->showError(QString::fromStdString(plan.error().message));
    dropEstimate();
    if (const QString why = m_controller->start(plan.value(), m_form->jobs()); !why.isEmpty())
        emit said(Level::Error, why);
    else if (m_floors->isChecked())
        emit floorsWanted(plan.value().lambdas);
}

void SensitivityTab::openStudy()
{
    ask(this,
        {.title = tr("Open a study"),
         .folder = SweepController::defaultStudiesFolder(),
         .mode = QFileDialog::Directory},
        [this](const QString &folder) {
            if (const QString why = open(folder); !why.isEmpty())
                emit said(Level::Error, why);
        });
}

QString SensitivityTab::open(const QString &folder)
{
    QString why = m_controller->open(folder);
    if (why.isEmpty())
        m_form->setPlan(m_controller->table().plan());
    return why;
}

void SensitivityTab::studyChanged()
{
    const int stages = static_cast<int>(m_controller->table().plan().stages);
    const bool atEnd = m_stage->value() == m_stage->maximum();
    {
        const QSignalBlocker quiet(m_stage);
        m_stage->setRange(1, std::max(1, stages));
        if (atEnd || !m_controller->hasStudy())
            m_stage->setValue(m_stage->maximum());
    }
    SweepData data = chartData(m_controller->table(), measure(), stage());
    if (!m_floors->isChecked())
        data.ridgeFloor.clear();
    m_view->setData(std::move(data));
    refresh();
    showProgress();
}

void SensitivityTab::refresh()
{
    const bool hasTarget = measure() == SweepMeasure::PassesToTarget;
    m_target->setVisible(hasTarget);
    m_targetLabel->setVisible(hasTarget);
    m_floors->setVisible(measure() == SweepMeasure::Excess || measure() == SweepMeasure::Objective);
    m_stageLabel->setText(tr("Stage %1").arg(m_stage->value()));
    m_view->setTarget(m_controller->table().target());
    m_view->setQuantity(quantityOf(measure()));
    m_view->setStage(m_stage->value());
    for (QToolButton *button : {m_best, m_export, m_copy})
        button->setEnabled(m_controller->hasStudy());
    m_stage->setEnabled(m_controller->hasStudy() && !m_heatMap->isChecked());
    m_floors->setEnabled(!m_heatMap->isChecked()); // a line, and there are none
    refreshTable();
}

void SensitivityTab::refreshTable()
{
    if (m_controller->hasStudy())
        m_summary->update(m_controller->table(), measure(), stage());
    else
        m_summary->clear();
    fitTable();
}

/// Where there is no room for all columns the quartiles go first: the chart has them as its bands. Without a test set
/// there is nothing to say of its error.
void SensitivityTab::fitTable()
{
    const QAbstractItemView &view = *m_table;
    const QHeaderView &header = *m_table->horizontalHeader();
    if (!m_table->isColumnHidden(SweepSummaryModel::Quartiles))
        m_quartilesTitle = header.sectionSizeHint(SweepSummaryModel::Quartiles); // none while it is hidden
    int needed = header.sectionSize(SweepSummaryModel::Method);
    const bool untested = m_controller->hasStudy() && m_controller->table().context().testRows == 0;
    m_table->setColumnHidden(SweepSummaryModel::TestError, untested);
    for (int column = SweepSummaryModel::Method + 1; column < SweepSummaryModel::ColumnCount; ++column)
        needed += untested && column == SweepSummaryModel::TestError
            ? 0
            : std::max(view.sizeHintForColumn(column),
                       column == SweepSummaryModel::Quartiles ? m_quartilesTitle : header.sectionSizeHint(column));
    m_table->setColumnHidden(SweepSummaryModel::Quartiles, needed > m_table->viewport()->width());
}

bool SensitivityTab::eventFilter(QObject *watched, QEvent *event)
{
    if (watched == m_table->viewport() && event->type() == QEvent::Resize)
        fitTable();
    if (watched == m_charts && event->type() == QEvent::Resize && !m_chartsByHand) {
        const int table = std::min(170, m_charts->height() / 3); // on a low page the chart needs the room more
        m_charts->setSizes({m_charts->height() - table, table});
    }
    return QWidget::eventFilter(watched, event);
}

void SensitivityTab::showProgress()
{
    m_form->showProgress(m_controller->progress(), m_controller->canContinue(), m_controller->hasStudy());
    const bool hasStudy = m_controller->hasStudy();
    const SweepContext &context = m_controller->table().context();
    const QString title = hasStudy ? problemTitle(context) : QString();
    const bool isOther = hasStudy && m_controller->problem() && !m_controller->isOfCurrentProblem();
    m_about->setText(isOther ? tr("Study of another problem: %1").arg(title) : title);
    m_about->setToolTip(m_about->text());
    m_about->setVisible(hasStudy);
    m_form->showOtherProblem(isOther ? title : QString(), !context.problem.empty() && !m_controller->isActive());
}

void SensitivityTab::activate(const SweepPoint &point)
{
    const SweepPlan &plan = m_controller->table().plan();
    const auto found = caseOf(plan, point);
    if (!found)
        return;
    if (!m_controller->isOfCurrentProblem())
        emit said(Level::Info, tr("This study is about another problem: load its data set to open its runs."));
    else
        emit runRequested(plan.specOf(plan.indexOf(*found)), plan.stopRules());
}

std::vector<RunSpec> SensitivityTab::bestRuns() const
{
    const SweepTable &table = m_controller->table();
    std::vector<RunSpec> specs;
    for (const SweepRow &row : table.rows(measure(), stage())) {
        if (const auto best = table.typicalCase(row, measure(), stage()))
            specs.push_back(table.plan().specOf(table.plan().indexOf(*best)));
    }
    return specs;
}

} // namespace appa::ui
